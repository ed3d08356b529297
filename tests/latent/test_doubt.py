import numpy as np
import pytest

from tercet.latent import Answers, Doubt, Settings, fit_latent
from tercet.latent._doubt import PRIOR_DOUBT


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3
    X = rng.normal(size=(3, 3))[y] * 2 + rng.normal(size=(40, 3))
    triplets = np.array([rng.choice(40, 3, replace=False) for _ in range(6)])
    i, j, k = y[triplets.T]
    answers = Answers(triplets, ((i == j).astype(int) - (i == k)).astype(np.int8), np.full(6, ""))
    return fit_latent(X, answers, Settings(3), np.random.default_rng(0)), X, answers


def chances(P, triplets):
    Pi, Pj, Pk = P[triplets.T]
    every = (Pi * Pj * Pk).sum(axis=1)
    yes, no = (Pi * Pj).sum(axis=1) - every, (Pi * Pk).sum(axis=1) - every
    return np.stack([yes, no, 1 - yes - no], axis=1)


def test_jacobian_against_finite_differences(fitted):
    model, X, answers = fitted
    doubt = Doubt.around(model, X, answers[np.arange(0)], 1, np.random.default_rng(0))
    jacobian = doubt._jacobian(X, answers.triplets, answers)
    error = model.error_of("")
    width = (X.shape[1] + 1) * 3

    def heard(shift):
        moved = Doubt(model, doubt.map, shift.reshape(1, -1, 3))
        return (1 - error) * chances(moved.members(X)[0], answers.triplets) + error / 3

    step = 1e-6
    slow = np.array([(heard(step * e) - heard(-step * e)) / (2 * step) for e in np.eye(width)])
    slow = slow / np.sqrt(heard(np.zeros(width)))
    assert np.allclose(jacobian, slow.transpose(2, 1, 0).reshape(-1, width), atol=1e-5)


def test_samples_have_the_posterior_covariance(fitted):
    model, X, answers = fitted
    doubt = Doubt.around(model, X, answers, 40_000, np.random.default_rng(0))
    jacobian = doubt._jacobian(X, answers.triplets, answers)
    flat = doubt.shifts.reshape(len(doubt.shifts), -1)
    wanted = np.linalg.inv(np.eye(flat.shape[1]) + jacobian.T @ jacobian)
    assert np.abs(np.cov(flat.T) - wanted).max() < 0.03
    assert np.abs(flat.mean(axis=0)).max() < 0.03


def test_answers_take_doubt_away(fitted):
    model, X, answers = fitted

    def spread(some):
        members = Doubt.around(model, X, some, 400, np.random.default_rng(1)).members(X)
        return np.array([chances(P, answers.triplets) for P in members]).std(axis=0).mean()

    assert spread(answers) < 0.9 * spread(answers[np.arange(0)])


def test_doubt_before_any_answer_is_alike_for_all_logits(fitted):
    model, X, _ = fitted
    none = Answers(np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int8), np.full(0, ""))
    doubt = Doubt.around(model, X, none, 20_000, np.random.default_rng(0))
    logits = np.matmul(doubt._design(X), doubt.shifts)
    assert np.sqrt((logits.std(axis=0) ** 2).mean()) == pytest.approx(PRIOR_DOUBT, rel=0.15)


def test_members_are_beliefs(fitted):
    model, X, answers = fitted
    members = Doubt.around(model, X, answers, 5, np.random.default_rng(0)).members(X)
    assert members.shape == (5, 40, 3)
    assert np.allclose(members.sum(axis=2), 1)
