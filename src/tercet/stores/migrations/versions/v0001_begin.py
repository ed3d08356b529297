"""Studies with their settings, questions shown, answers and undos."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "tercet_studies",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("ids", sa.Text, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tercet_studies"),
        sa.UniqueConstraint("name", name="uq_tercet_studies_name"),
    )
    op.create_table(
        "tercet_settings",
        sa.Column("id", sa.Integer),
        sa.Column("study_id", sa.Integer, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tercet_settings"),
        sa.ForeignKeyConstraint(["study_id"], ["tercet_studies.id"], name="fk_tercet_settings_study_id"),
    )
    op.create_index("ix_tercet_settings_study_id", "tercet_settings", ["study_id"])
    op.create_table(
        "tercet_shown",
        sa.Column("id", sa.Integer),
        sa.Column("study_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("annotator", sa.Text, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.Column("j", sa.Text, nullable=False),
        sa.Column("k", sa.Text, nullable=False),
        sa.Column("left", sa.String(1), nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("rule", sa.Text, nullable=False),
        *[sa.Column(name, sa.Float(53)) for name in ("score", "p_yes", "p_no", "p_dk")],
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tercet_shown"),
        sa.ForeignKeyConstraint(["study_id"], ["tercet_studies.id"], name="fk_tercet_shown_study_id"),
        sa.UniqueConstraint("study_id", "key", name="uq_tercet_shown_study_id_key"),
    )
    op.create_index("ix_tercet_shown_annotator", "tercet_shown", ["study_id", "annotator"])
    op.create_table(
        "tercet_answers",
        sa.Column("study_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("shown_id", sa.Integer, nullable=False),
        sa.Column("reply", sa.String(8), nullable=False),
        sa.Column("response_ms", sa.BigInteger),
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("study_id", "number", name="pk_tercet_answers"),
        sa.ForeignKeyConstraint(["study_id"], ["tercet_studies.id"], name="fk_tercet_answers_study_id"),
        sa.ForeignKeyConstraint(["shown_id"], ["tercet_shown.id"], name="fk_tercet_answers_shown_id"),
        sa.UniqueConstraint("shown_id", name="uq_tercet_answers_shown_id"),
    )
    op.create_table(
        "tercet_undos",
        sa.Column("study_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("at", moment, nullable=False),
        sa.PrimaryKeyConstraint("study_id", "number", name="pk_tercet_undos"),
        sa.ForeignKeyConstraint(
            ["study_id", "number"],
            ["tercet_answers.study_id", "tercet_answers.number"],
            name="fk_tercet_undos_study_id_number",
        ),
    )
