"""The latent-class objective and its minimisation, compiled. Needs numba, in the extra ``fast``.

The same sums as `tercet.latent._objective`, without arrays in between, which would take most of the time; and
L-BFGS around them without Python in between, which would take most of the time where items are few. One file
has both, since numba's cache of a function does not see changes in another file.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tercet._validation import Floats, Ints

#: Triplets, answers and errors of an `Evidence`, its weight, and the constants of `tercet.latent._objective`.
Facts = tuple[Ints, Ints, Floats, float, float, float, float]
#: What the value is a function of: design, facts and penalties; and tables to work in.
Problem = tuple[Floats, Facts, Floats, tuple[Floats, Floats, Floats, Floats]]

# As in L-BFGS-B, so that as many steps lead as far. The length of a step is right where the value has fallen
# by this share of what the slope promised, and the slope is down to that share.
_FALL, _SLOPE = 1e-3, 0.9
_FLAT = 1e-5  # the largest partial derivative at an optimum
_MOST_LENGTHS = 20  # tried for a step
_ROUNDING = 2.2e-16


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def loss_and_gradient(logits: Floats, facts: Facts) -> tuple[float, Floats]:
    """Return what is minimised but for the ridge, and its gradient by the logits."""
    P, log_P, G = np.empty_like(logits), np.empty_like(logits), np.empty_like(logits)
    return _loss(logits, facts, P, log_P, G), G


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def minimise(
    design: Floats,
    facts: Facts,
    penalty: Floats,
    start: Floats,
    max_iter: int,
    memory: int,
    tolerance: float,
) -> tuple[Floats, float]:
    """Return weights of a local optimum near the start, and its value, by L-BFGS.

    Never worse than the start: where no length of a step is good, the best so far is returned.
    """
    shape = (len(design), start.shape[1])
    problem = (design, facts, penalty, (np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)))
    size = start.size
    weights, gradient = start.copy().reshape(size), np.empty(size)
    other, other_gradient = np.empty(size), np.empty(size)
    direction, change = np.empty(size), np.empty(size)
    steps, changes = np.empty((memory, size)), np.empty((memory, size))
    curvatures = np.empty(memory)
    known = 0  # steps whose curvature is known, of which the last few are kept
    value = _value(weights, problem, gradient)
    n_steps = 0
    while n_steps < max_iter and _largest(gradient) > _FLAT:
        _direct(gradient, steps, changes, curvatures, known, direction)
        length, reached = _search(weights, value, gradient, direction, problem, other, other_gradient)
        if length == 0.0:
            if not known:
                break
            known = 0  # the curvature misled; straight down, then
            continue
        _add(other_gradient, -1.0, gradient, change)
        curvature = length * _dot(direction, change)
        if curvature > _ROUNDING * _dot(change, change):  # else it tells no length
            place = known % memory
            for p in range(size):
                steps[place, p] = length * direction[p]
                changes[place, p] = change[p]
            curvatures[place] = curvature
            known += 1
        gained = (value - reached) / max(abs(value), abs(reached), 1.0)
        weights, other = other, weights
        gradient, other_gradient = other_gradient, gradient
        value = reached
        n_steps += 1
        if gained <= tolerance:
            break
    return weights.reshape(start.shape), value


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _direct(
    gradient: Floats, steps: Floats, changes: Floats, curvatures: Floats, known: int, direction: Floats
) -> None:
    """Find where to go, by the curvature along the last steps: the two loops of L-BFGS."""
    if known == 0:  # straight down, and not far
        largest = _largest(gradient)  # whose square may overflow
        length = 0.0
        for p in range(len(gradient)):
            length += (gradient[p] / largest) ** 2
        length = math.sqrt(length)
        for p in range(len(gradient)):
            direction[p] = -gradient[p] / largest / length
        return
    for p in range(len(gradient)):
        direction[p] = -gradient[p]
    memory = len(steps)
    shares = np.empty(memory)
    for number in range(known - 1, max(known - memory, 0) - 1, -1):
        place = number % memory
        shares[place] = _dot(steps[place], direction) / curvatures[place]
        _add(direction, -shares[place], changes[place], direction)
    last = (known - 1) % memory
    scale = curvatures[last] / _dot(changes[last], changes[last])
    for p in range(len(gradient)):
        direction[p] *= scale
    for number in range(max(known - memory, 0), known):
        place = number % memory
        share = shares[place] - _dot(changes[place], direction) / curvatures[place]
        _add(direction, share, steps[place], direction)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _search(
    weights: Floats,
    value: float,
    gradient: Floats,
    direction: Floats,
    problem: Problem,
    other: Floats,
    other_gradient: Floats,
) -> tuple[float, float]:
    """Return how far to go, and the value there; weights and gradient are left in the last two arguments.

    0 if the value falls nowhere.
    """
    slope = _dot(gradient, direction)
    length = 1.0  # which is right where the curvature is known
    best, best_value, tried = 0.0, value, 0.0
    low, low_value, low_slope = 0.0, value, slope
    high, high_value, high_slope = math.inf, math.inf, math.inf
    for _ in range(_MOST_LENGTHS if slope < 0 else 0):
        tried = length
        _add(weights, tried, direction, other)
        found = _value(other, problem, other_gradient)
        found_slope = _dot(other_gradient, direction)
        if found < best_value and math.isfinite(found_slope):
            best, best_value = tried, found
        # Written so that what is no number is too far.
        falls = found <= value + _FALL * tried * slope
        if falls and abs(found_slope) <= -_SLOPE * slope:
            best, best_value = tried, found
            break
        if falls and found_slope < 0:
            # On to where the slopes point, but not by much more at once.
            ahead = found_slope / (low_slope - found_slope)
            ahead = min(max(ahead, 1.1), 4.0) if ahead > 0 else 4.0
            length = tried + ahead * (tried - low)
            low, low_value, low_slope = tried, found, found_slope
        else:
            high, high_value, high_slope = tried, found, found_slope
        if high < math.inf:
            length = _between(low, low_value, low_slope, high, high_value, high_slope)
    if best > 0.0 and best != tried:
        _add(weights, best, direction, other)
        best_value = _value(other, problem, other_gradient)
    return best, best_value


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _between(
    low: float, low_value: float, low_slope: float, high: float, high_value: float, high_slope: float
) -> float:
    """Return where the cubic through two points is least, not too near either; else a tenth of the way."""
    width = high - low
    bend = 3 * (low_value - high_value) / width + low_slope + high_slope
    root = bend * bend - low_slope * high_slope
    if not (math.isfinite(bend) and root >= 0):  # an overflow, far off
        return low + 0.1 * width
    root = math.sqrt(root)
    share = 1 - (high_slope + root - bend) / (high_slope - low_slope + 2 * root)
    return low + width * min(max(share, 0.1), 0.9) if math.isfinite(share) else low + 0.5 * width


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _value(weights: Floats, problem: Problem, gradient: Floats) -> float:
    """Return what is minimised; its gradient is left in the last argument."""
    design, facts, penalty, (logits, P, log_P, G) = problem
    shape = (design.shape[1], logits.shape[1])
    np.dot(design, weights.reshape(shape), logits)
    total = _loss(logits, facts, P, log_P, G)
    np.dot(design.T, G, gradient.reshape(shape))
    for p in range(len(weights)):
        shrunk = penalty[p // shape[1]] * weights[p]
        total += 0.5 * shrunk * weights[p]
        gradient[p] += shrunk
    return total


# Loops over vectors, since expressions of arrays take twice as long to compile, 12 seconds in place of 5.


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _add(base: Floats, factor: float, by: Floats, result: Floats) -> None:
    for p in range(len(base)):
        result[p] = base[p] + factor * by[p]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for p in range(len(a)):
        total += a[p] * b[p]
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _largest(a: Floats) -> float:
    """Return the largest absolute value."""
    largest = 0.0
    for p in range(len(a)):
        largest = max(largest, abs(a[p]))
    return largest


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _loss(logits: Floats, facts: Facts, P: Floats, log_P: Floats, G: Floats) -> float:
    """Return what is minimised but for the ridge; its gradient by the logits is left in G."""
    triplets, answers, errors, weight, sureness, least_log, least = facts
    n_items, n_classes = logits.shape
    mean = np.zeros(n_classes)
    for i in range(n_items):
        top = logits[i, 0]
        for c in range(1, n_classes):
            top = max(top, logits[i, c])
        total = 0.0
        for c in range(n_classes):
            P[i, c] = math.exp(logits[i, c] - top)
            total += P[i, c]
        log_total = math.log(total)
        for c in range(n_classes):
            P[i, c] /= total
            log_P[i, c] = max(logits[i, c] - top - log_total, least_log)
            mean[c] += P[i, c] / n_items
    loss = 0.0
    log_mean = np.log(mean + 1e-12)
    for c in range(n_classes):
        loss += mean[c] * log_mean[c]
    for i in range(n_items):
        for c in range(n_classes):
            loss -= sureness * P[i, c] * log_P[i, c] / n_items
            G[i, c] = (log_mean[c] + 1 - sureness * (log_P[i, c] + 1)) / n_items
    for t in range(len(triplets)):
        i, j, k = triplets[t, 0], triplets[t, 1], triplets[t, 2]
        yes = 0.0
        no = 0.0
        for c in range(n_classes):
            yes += P[i, c] * P[j, c] * (1 - P[k, c])
            no += P[i, c] * P[k, c] * (1 - P[j, c])
        if answers[t] == 1:
            given, by_yes, by_no = yes, 1.0, 0.0
        elif answers[t] == -1:
            given, by_yes, by_no = no, 0.0, 1.0
        else:
            given, by_yes, by_no = max(1 - yes - no, 0.0), -1.0, -1.0
        likelihood = max((1 - errors[t]) * given + errors[t] / 3, least)
        loss -= weight * math.log(likelihood)
        slope = -weight * (1 - errors[t]) / likelihood
        by_yes *= slope
        by_no *= slope
        for c in range(n_classes):
            a, b, e = P[i, c], P[j, c], P[k, c]
            G[i, c] += by_yes * b * (1 - e) + by_no * e * (1 - b)
            G[j, c] += by_yes * a * (1 - e) - by_no * a * e
            G[k, c] += by_no * a * (1 - b) - by_yes * a * b
    for i in range(n_items):
        along = 0.0
        for c in range(n_classes):
            along += G[i, c] * P[i, c]
        for c in range(n_classes):
            G[i, c] = P[i, c] * (G[i, c] - along)
    return loss
