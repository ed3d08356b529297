"""The command line: verbs only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tercet import __version__
from tercet.cli import _answers, _experiments, _label


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``tercet VERB ...`` and return its exit status."""
    parser = argparse.ArgumentParser(prog="tercet", description=__doc__)
    parser.add_argument("--version", action="version", version=f"tercet {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for group in (_label, _answers, _experiments):
        group.add_verbs(verbs)
    options = parser.parse_args(arguments)
    try:
        status: int = options.verb(options)
    except (ImportError, LookupError, OSError, RuntimeError, ValueError) as error:
        print(f"tercet: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status
