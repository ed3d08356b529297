"""Shows and answers questions, and prints each answer once the store has acknowledged it."""

import sys
from datetime import UTC, datetime

from tercet.stores import Shown, SqlStore, Study

if __name__ == "__main__":
    store = SqlStore(sys.argv[1])
    store.open_study(Study("birds", "f", ["wren", "tit", "jay"]))
    for place in range(int(sys.argv[2])):
        at = datetime.now(UTC)
        triplet = ("wren", "tit", "jay")
        store.show("birds", Shown(f"k{place}", "ada", triplet, "j", "question", "Info()", None, None, at))
        answer, new = store.record("birds", f"k{place}", "yes", place)
        sys.stdout.write(f"{answer.number} {answer.shown.key} {new}\n")
        sys.stdout.flush()
    store.close()
