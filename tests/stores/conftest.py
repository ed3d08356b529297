"""What the tests of stores share."""

import pytest
from store_questions import STUDY

from tercet.stores import MemoryStore, SqlStore


@pytest.fixture
def sqlite(tmp_path):
    return f"sqlite:///{tmp_path / 'answers.db'}"


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request):
    if request.param == "memory":
        made = MemoryStore()
    else:
        fixture = {"sqlite": "sqlite", "postgresql": "postgres"}[request.param]
        made = SqlStore(request.getfixturevalue(fixture))
    made.open_study(STUDY)
    yield made
    made.close()
