"""Run all benchmarks, then write docs/performance.md: `make bench`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from measure import HERE, ONE_THREAD

#: The benchmarks in the order of the page.
NAMES = ("step", "search", "solvers", "peers", "growth", "million", "label", "app")


def main() -> int:
    """Run each benchmark in its own process; one that fails does not stop the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; writes to results/quick only")
    parser.add_argument("--only", choices=NAMES, action="append", help="run this one; may be given again")
    chosen = parser.parse_args()
    options = ["--quick"] if chosen.quick else []
    failed = []
    for name in chosen.only or NAMES:
        print(f"## {name}\n", flush=True)
        start = time.perf_counter()
        command = [sys.executable, str(HERE / f"{name}.py"), *options]
        if subprocess.run(command, env=os.environ | ONE_THREAD, check=False).returncode:
            failed.append(name)
        print(f"({name}: {time.perf_counter() - start:.0f} s)\n", flush=True)
    report = [sys.executable, str(HERE / "report.py"), *options]
    if subprocess.run(report, env=os.environ | ONE_THREAD, check=False).returncode:
        failed.append("report")
    if failed:
        print(f"failed: {', '.join(failed)}; the page has what they found last time, if anything")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
