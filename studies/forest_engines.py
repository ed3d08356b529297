"""The compiled forest beside scikit-learn's, plain and by scikit-learn-intelex.

    pip install scikit-learn-intelex
    python studies/forest_engines.py            # scikit-learn's own
    python studies/forest_engines.py intelex    # by way of scikit-learn-intelex

Prints the least processor time of five fits, one thread, 50 trees with out-of-bag votes on clusters of noise.
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import partial

import numpy as np

if sys.argv[1:] == ["intelex"]:
    from sklearnex import patch_sklearn

    patch_sklearn(verbose=False)

from sklearn.ensemble import RandomForestClassifier

from tercet.beliefs._forest import grow


def least(function):
    function()
    took = []
    for _ in range(5):
        start = time.process_time()
        function()
        took.append(time.process_time() - start)
    return 1000 * min(took)


def main():
    warnings.simplefilter("ignore")  # few trees leave some items without a vote
    print("| n, d, C | scikit-learn's class, ms | compiled, ms |\n| --- | --- | --- |")
    for n, d, n_classes in ((89, 13, 3), (1000, 20, 7), (2500, 38, 13)):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(n, d)), rng.integers(n_classes, size=n)
        library = RandomForestClassifier(50, oob_score=True, n_jobs=1, random_state=0)
        times = [least(partial(library.fit, X, y)), least(partial(grow, X, y, n_classes, 50, 1, "compiled"))]
        print(f"| {n}, {d}, {n_classes} | {times[0]:.0f} | {times[1]:.0f} |")


if __name__ == "__main__":
    main()
