"""Run by `make core`, with nothing installed but Tercet and its core dependencies."""

import importlib.util
import re
from pathlib import Path


def main():
    for extra in (
        "PIL",
        "av",
        "faiss",
        "librosa",
        "matplotlib",
        "numba",
        "pyarrow",
        "tqdm",
        "pytest",
        "clarabel",
    ):
        assert importlib.util.find_spec(extra) is None, (
            f"{extra} is no core dependency, but it is installed here"
        )

    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(blocks) >= 2
    exec("\n".join(blocks), {})

    from tercet import ActiveLearner, cli

    learner = ActiveLearner([[0.0], [1.0], [2.0]], 2)
    try:
        learner.run(lambda triplet: "dk", 1, progress=True)
        raise AssertionError("a progress bar without tqdm should say what to install")
    except ImportError as error:
        message = str(error)
    assert "pip install 'tercet[experiments]'" in message
    assert len(learner.comparisons) == 0
    assert cli.main(["simulate"]) == 1

    from tercet import stores

    store = stores.MemoryStore()
    assert store.open_study(stores.Study("birds", "f", ["a", "b", "c"])) == store.study("birds")
    try:
        _ = stores.SqlStore
        raise AssertionError("a database without SQLAlchemy should say what to install")
    except ImportError as error:
        message = str(error)
    assert "pip install 'tercet[sql]'" in message
    assert cli.main(["export"]) == 1


if __name__ == "__main__":
    main()
