"""How the database came to its present form; Alembic runs what is missing when a store is opened."""
