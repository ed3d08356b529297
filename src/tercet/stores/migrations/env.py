"""Run by Alembic: brings the database on the connection that the store hands over to the newest form."""

from alembic import context

from tercet.stores._tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE
)
context.run_migrations()
