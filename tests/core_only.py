# ruff: noqa: T201, PT017
"""Run by `make core`, with nothing installed but Tercet and its core dependencies."""

import importlib.util
import re
from pathlib import Path

for extra in ("matplotlib", "tqdm", "pytest", "clarabel"):
    assert importlib.util.find_spec(extra) is None, f"{extra} is no core dependency, but it is installed here"

readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
blocks = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
assert len(blocks) >= 2
exec("\n".join(blocks), {})

from tercet import ActiveLearner, cli  # noqa: E402

try:
    ActiveLearner([[0.0], [1.0], [2.0]], 2).run(lambda triplet: "dk", 1, progress=True)
except ImportError as error:
    assert "pip install 'tercet[experiments]'" in str(error)
else:
    raise AssertionError("a progress bar without tqdm should say what to install")
assert cli.main(["simulate"]) == 1
print("core only: passed")
