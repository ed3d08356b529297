"""The numbers that the paper printed, to put beside ours.

S. Xiong, R. Rosales, Y. Pei and X. Fern, "Active Metric Learning from Relative Comparisons".
"""

from __future__ import annotations

DATASETS = ("Breast", "Parkinson", "Segment", "Soybean", "Wave", "Wine", "Yeast", "HJA Birdsong")
METHODS = ("Info", "Random", "Nonredundant")

#: Numbers of questions at which the paper gives 1NN accuracy.
QUESTION_MARKS = (0, 10, 20, 40, 60, 80, 100)
#: Those at which it counts wins: before the first question all methods are the same.
TESTED_MARKS = QUESTION_MARKS[1:]
#: Numbers of yes/no triplets at which it gives 1NN accuracy.
YES_NO_MARKS = (5, 10, 15, 20)

#: 1NN accuracy at each of `QUESTION_MARKS`.
_BY_QUESTIONS: dict[tuple[str, str], tuple[float, ...]] = {
    ("Breast", "Random"): (0.815, 0.816, 0.832, 0.849, 0.857, 0.852, 0.856),
    ("Breast", "Nonredundant"): (0.815, 0.828, 0.830, 0.846, 0.845, 0.851, 0.863),
    ("Breast", "Info"): (0.815, 0.839, 0.840, 0.858, 0.856, 0.861, 0.861),
    ("Parkinson", "Random"): (0.817, 0.852, 0.863, 0.869, 0.867, 0.864, 0.865),
    ("Parkinson", "Nonredundant"): (0.817, 0.848, 0.858, 0.863, 0.869, 0.869, 0.870),
    ("Parkinson", "Info"): (0.817, 0.851, 0.866, 0.870, 0.869, 0.868, 0.872),
    ("Segment", "Random"): (0.914, 0.923, 0.919, 0.920, 0.925, 0.927, 0.936),
    ("Segment", "Nonredundant"): (0.914, 0.932, 0.919, 0.919, 0.929, 0.929, 0.932),
    ("Segment", "Info"): (0.914, 0.924, 0.923, 0.933, 0.942, 0.947, 0.955),
    ("Soybean", "Random"): (0.962, 0.981, 0.987, 0.989, 0.990, 0.991, 0.991),
    ("Soybean", "Nonredundant"): (0.962, 0.963, 0.990, 0.991, 0.993, 0.992, 0.993),
    ("Soybean", "Info"): (0.962, 0.989, 0.995, 0.996, 0.997, 0.998, 0.999),
    ("Wave", "Random"): (0.748, 0.766, 0.747, 0.732, 0.741, 0.744, 0.742),
    ("Wave", "Nonredundant"): (0.748, 0.756, 0.743, 0.746, 0.730, 0.736, 0.746),
    ("Wave", "Info"): (0.748, 0.776, 0.776, 0.773, 0.772, 0.774, 0.779),
    ("Wine", "Random"): (0.768, 0.853, 0.878, 0.922, 0.943, 0.948, 0.949),
    ("Wine", "Nonredundant"): (0.768, 0.826, 0.875, 0.934, 0.946, 0.950, 0.956),
    ("Wine", "Info"): (0.768, 0.903, 0.946, 0.951, 0.954, 0.958, 0.959),
    ("Yeast", "Random"): (0.403, 0.433, 0.427, 0.446, 0.455, 0.458, 0.459),
    ("Yeast", "Nonredundant"): (0.403, 0.443, 0.434, 0.452, 0.455, 0.458, 0.464),
    ("Yeast", "Info"): (0.403, 0.441, 0.434, 0.457, 0.467, 0.469, 0.470),
    ("HJA Birdsong", "Random"): (0.660, 0.672, 0.659, 0.661, 0.650, 0.640, 0.647),
    ("HJA Birdsong", "Nonredundant"): (0.660, 0.671, 0.671, 0.657, 0.650, 0.651, 0.642),
    ("HJA Birdsong", "Info"): (0.660, 0.675, 0.676, 0.681, 0.688, 0.694, 0.697),
}

#: The share of the 100 questions that were answered yes or no.
_SHARES: dict[tuple[str, str], float] = {
    ("Breast", "Random"): 0.396,
    ("Breast", "Nonredundant"): 0.391,
    ("Breast", "Info"): 0.558,
    ("Parkinson", "Random"): 0.379,
    ("Parkinson", "Nonredundant"): 0.384,
    ("Parkinson", "Info"): 0.457,
    ("Segment", "Random"): 0.263,
    ("Segment", "Nonredundant"): 0.240,
    ("Segment", "Info"): 0.394,
    ("Soybean", "Random"): 0.338,
    ("Soybean", "Nonredundant"): 0.334,
    ("Soybean", "Info"): 0.950,
    ("Wave", "Random"): 0.470,
    ("Wave", "Nonredundant"): 0.437,
    ("Wave", "Info"): 0.509,
    ("Wine", "Random"): 0.434,
    ("Wine", "Nonredundant"): 0.449,
    ("Wine", "Info"): 0.925,
    ("Yeast", "Random"): 0.321,
    ("Yeast", "Nonredundant"): 0.320,
    ("Yeast", "Info"): 0.384,
    ("HJA Birdsong", "Random"): 0.231,
    ("HJA Birdsong", "Nonredundant"): 0.220,
    ("HJA Birdsong", "Info"): 0.407,
}

#: 1NN accuracy at each of `YES_NO_MARKS`.
_BY_YES_NO: dict[tuple[str, str], tuple[float, ...]] = {
    ("Breast", "Random"): (0.821, 0.829, 0.827, 0.831),
    ("Breast", "Nonredundant"): (0.826, 0.834, 0.840, 0.841),
    ("Breast", "Info"): (0.844, 0.849, 0.852, 0.858),
    ("Parkinson", "Random"): (0.850, 0.870, 0.869, 0.868),
    ("Parkinson", "Nonredundant"): (0.859, 0.869, 0.868, 0.866),
    ("Parkinson", "Info"): (0.851, 0.871, 0.865, 0.873),
    ("Segment", "Random"): (0.903, 0.912, 0.914, 0.921),
    ("Segment", "Nonredundant"): (0.909, 0.913, 0.905, 0.923),
    ("Segment", "Info"): (0.921, 0.928, 0.934, 0.940),
    ("Soybean", "Random"): (0.978, 0.990, 0.993, 0.994),
    ("Soybean", "Nonredundant"): (0.979, 0.988, 0.996, 0.995),
    ("Soybean", "Info"): (0.988, 0.991, 0.993, 0.994),
    ("Wave", "Random"): (0.763, 0.749, 0.757, 0.745),
    ("Wave", "Nonredundant"): (0.765, 0.746, 0.746, 0.735),
    ("Wave", "Info"): (0.773, 0.777, 0.779, 0.775),
    ("Wine", "Random"): (0.868, 0.894, 0.923, 0.940),
    ("Wine", "Nonredundant"): (0.857, 0.882, 0.924, 0.932),
    ("Wine", "Info"): (0.895, 0.930, 0.939, 0.943),
    ("Yeast", "Random"): (0.409, 0.415, 0.419, 0.423),
    ("Yeast", "Nonredundant"): (0.423, 0.428, 0.434, 0.440),
    ("Yeast", "Info"): (0.437, 0.448, 0.456, 0.460),
    ("HJA Birdsong", "Random"): (0.672, 0.669, 0.668, 0.662),
    ("HJA Birdsong", "Nonredundant"): (0.666, 0.650, 0.648, 0.659),
    ("HJA Birdsong", "Info"): (0.671, 0.680, 0.684, 0.686),
}

#: Wins, ties and losses of Info over the eight sets at each of `TESTED_MARKS`.
_WIN_TIE_LOSS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "Random": ((5, 3, 0), (6, 2, 0), (7, 1, 0), (6, 2, 0), (7, 1, 0), (8, 0, 0)),
    "Nonredundant": ((4, 3, 1), (3, 5, 0), (6, 2, 0), (6, 2, 0), (6, 2, 0), (3, 5, 0)),
}

_ONE_NN = {"questions": (QUESTION_MARKS, _BY_QUESTIONS), "yes_no": (YES_NO_MARKS, _BY_YES_NO)}


def one_nn(dataset: str, method: str, count: int, by: str = "questions") -> float | None:
    """Return the paper's 1NN accuracy, or None where it gives none.

    Examples
    --------
    >>> one_nn("Wine", "Info", 10)
    0.903
    >>> one_nn("Wine", "Info", 5, by="yes_no")
    0.895
    >>> one_nn("Wine", "Info", 7) is None
    True
    """
    marks, table = _ONE_NN[by]
    values = table.get((dataset, method))
    return values[marks.index(count)] if values and count in marks else None


def yes_no_share(dataset: str, method: str) -> float | None:
    """Return the paper's share of yes/no answers among 100 questions, or None where it gives none."""
    return _SHARES.get((dataset, method))


def win_tie_loss(against: str, count: int) -> tuple[int, int, int] | None:
    """Return in how many of the eight sets the paper's Info won, tied and lost, or None where it is silent.

    Examples
    --------
    >>> win_tie_loss("Nonredundant", 10)
    (4, 3, 1)
    """
    values = _WIN_TIE_LOSS.get(against)
    return values[TESTED_MARKS.index(count)] if values and count in TESTED_MARKS else None
