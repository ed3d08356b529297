"""The worker's half of the conversation with environments.Worker: one JSON line an order, one an answer.

Needs nothing but the standard library, since each peer has its own environment.
"""

import json
import os
import sys
import time
from importlib.metadata import version


def serve(actions, packages):
    """Do what is asked until the input ends; ``packages`` are those whose versions the report names."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints goes to the errors, not into the answers
    _answer(answers, result={name: version(name) for name in packages})
    for line in sys.stdin:
        order = json.loads(line)
        start = time.process_time()
        try:
            result = actions[order["do"]](**order["options"])
        except Exception as error:
            _answer(answers, error=f"{type(error).__name__}: {error}".replace("\n", " "))
        else:
            _answer(answers, cpu=time.process_time() - start, result=result)


def _answer(answers, **content):
    answers.write(json.dumps(content) + "\n")
    answers.flush()
