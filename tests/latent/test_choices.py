from itertools import product

import numpy as np
import pytest

from tercet.latent import Answers, Basis, Settings, _choices, chooses, fit_latent
from tercet.latent._choices import _DOUBT, _FOLDS, _KINDS, _OF_EACH, _RIDGES, _held_out
from tercet.latent._fit import fit_classes

_FIRST_RIDGE = _RIDGES[2]
USUAL = _FIRST_RIDGE, _KINDS[2] * _OF_EACH


def answered(y, m, seed=0):
    rng = np.random.default_rng(seed)
    triplets = np.array([rng.choice(len(y), 3, replace=False) for _ in range(m)]).reshape(m, 3)
    i, j, k = y[triplets.T]
    return Answers(triplets, ((i == j).astype(int) - (i == k)).astype(np.int8), np.full(m, ""))


def clouds(n=90, apart=3.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(3, 4))[y] * apart + rng.normal(size=(n, 4)), y


def rings(n=160):
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    X = (1 + 2 * y[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.2 * rng.normal(size=X.shape), y


def about_different_items(m):
    return Answers(np.arange(3 * m).reshape(m, 3), np.ones(m, dtype=np.int8), np.full(m, ""))


def chosen(X, answers, n_classes=3, ridge=None, start=USUAL, seed=0):
    basis = Basis.measured(X, np.random.default_rng(seed))
    settings = Settings(n_classes, ridge, None)
    return _choices._chosen_kinds(
        X, answers, n_classes, settings, basis, start, np.random.default_rng(seed + 1)
    )


def all_places():
    places = product(enumerate(_RIDGES), enumerate(_KINDS))
    return {(ridge, kind): (strength - 2, number - 2) for (strength, ridge), (number, kind) in places}


@pytest.mark.parametrize("summit", [(0, 0), (-2, 2), (1, -1), (2, 2)])
@pytest.mark.parametrize("start", [(0, 0), (2, -2)])
def test_the_likeliest_of_all_ridges_and_kinds_is_found(summit, start, monkeypatch):
    """By steps, as by a look at all of them, where the likelihood has one summit."""
    steps = {at: -3.0 * ((s - summit[0]) ** 2 + (k - summit[1]) ** 2) for at, (s, k) in all_places().items()}

    def told(X, answers, fold, error, fit):
        how = fit.keywords["ridge"], fit.keywords["shares"]
        return np.full(len(answers), steps[how] / len(answers))

    monkeypatch.setattr(_choices, "_held_out", told)
    X, _ = clouds(60)
    begin = _RIDGES[start[0] + 2], _KINDS[start[1] + 2] * _OF_EACH
    doubted = {at: steps[at] - _DOUBT * (s**2 + k**2) for at, (s, k) in all_places().items()}
    ridge, kind = max(doubted, key=doubted.get)
    assert chosen(X, about_different_items(16), start=begin) == (ridge, kind * _OF_EACH)


def test_a_step_has_to_be_worth_it(monkeypatch):
    def told(gain):
        def logs(X, answers, fold, error, fit):
            better = fit.keywords["ridge"] < _FIRST_RIDGE
            return np.full(len(answers), gain * better / len(answers))

        return logs

    X, _ = clouds(60)
    for gain, wanted in ((_DOUBT - 0.1, _FIRST_RIDGE), (_DOUBT + 0.1, _FIRST_RIDGE / 2)):
        monkeypatch.setattr(_choices, "_held_out", told(gain))
        assert chosen(X, about_different_items(16))[0] == wanted


def test_held_out_answers_are_judged_by_models_that_did_not_see_them():
    X, y = clouds(40)
    answers, fold = answered(y, 21), np.arange(21) % _FOLDS
    basis = Basis.measured(X, np.random.default_rng(0))

    def fit(known, warm=None):
        return fit_classes(
            X,
            known,
            n_classes=3,
            ridge=0.6,
            error=0.1,
            rng=np.random.default_rng(0),
            warm=warm,
            basis=basis,
            shares=(0.0, 1.0),
        )

    logs, cold = _held_out(X, answers, fold, 0.1, fit), fit(answers[:0])
    for number in range(21):
        members = fit(answers[fold != fold[number]], cold).members(X)
        i, j, k = (members[:, item] for item in answers.triplets[number])
        all_same = (i * j * k).sum(axis=1)
        yes, no = (i * j).sum(axis=1) - all_same, (i * k).sum(axis=1) - all_same
        p = {1: yes, -1: no, 0: 1 - yes - no}[int(answers.answers[number])].mean()
        assert logs[number] == pytest.approx(np.log(0.9 * p + 0.1 / 3))


def test_answers_about_the_same_items_are_no_witnesses_of_their_own(monkeypatch):
    def told(X, answers, fold, error, fit):
        return np.full(len(answers), 0.2 * (fit.keywords["ridge"] < _FIRST_RIDGE))

    monkeypatch.setattr(_choices, "_held_out", told)
    X, y = clouds(60)
    few = answered(y[:12], 64)  # 12.8 nats by answers, 0.8 by the four questions that share no items
    assert chosen(X, few)[0] == _FIRST_RIDGE
    assert chosen(X, answered(y, 64))[0] < _FIRST_RIDGE


def test_rings_want_more_of_the_kernel():
    X, y = rings()
    assert sum(chosen(X, answered(y, 128), n_classes=2)[1]) > sum(USUAL[1])


def test_a_given_ridge_stays():
    X, y = rings()
    ridge, shares = chosen(X, answered(y, 128), n_classes=2, ridge=0.7, start=(0.7, USUAL[1]))
    assert ridge == 0.7
    assert sum(shares) > sum(USUAL[1])


def test_answers_at_random_want_simpler_models_than_clear_ones():
    def guessed(answers):
        shuffled = np.random.default_rng(0).permutation(answers.answers)
        return Answers(answers.triplets, shuffled, answers.annotators)

    (X, y), (R, ring) = clouds(300, apart=2.0), rings(300)
    clear, of_rings = answered(y, 128), answered(ring, 128)
    assert chosen(X, guessed(clear))[0] > chosen(X, clear)[0]
    assert sum(chosen(R, guessed(of_rings), 2)[1]) < sum(chosen(R, of_rings, 2)[1])


def test_the_choice_stands_until_the_next_power_of_two():
    X, y = rings()
    answers = answered(y, 140)
    model = None
    for m in (0, 8, 16, 32, 64, 128):
        model = fit_latent(X, answers[:m], Settings(2, None, None), np.random.default_rng(m), model)
    assert (model.ridge, model.shares) != USUAL
    later = fit_latent(X, answers, Settings(2, None, None), np.random.default_rng(3), model)
    assert (later.ridge, later.shares) == (model.ridge, model.shares)
    assert [m for m in range(300) if chooses(m)] == [16, 32, 64, 128, 256]


def chain(X, answers, sizes, settings=Settings(2, None, None)):  # noqa: B008
    model = None
    for m in sizes:
        model = fit_latent(X, answers[:m], settings, np.random.default_rng(m), model)
    return model


def counted(monkeypatch):
    """Count how often the kinds are chosen, and how the models to compare are made."""
    calls, chosen_kinds = [], _choices._chosen_kinds
    monkeypatch.setattr(
        _choices, "_chosen_kinds", lambda *given: calls.append(len(given[1])) or chosen_kinds(*given)
    )
    return calls


@pytest.mark.parametrize(
    ("sizes", "at"), [((10, 100), [100]), ((0, 40), [40]), ((16, 17, 31, 33, 33), [16, 33]), ((8, 15), [])]
)
def test_a_power_of_two_may_be_passed_over(sizes, at, monkeypatch):
    X, y = clouds(60)
    calls = counted(monkeypatch)
    chain(X, answered(y, 128), sizes, Settings(3, None, None))
    assert calls == at


def test_choices_stand_where_the_items_have_moved(monkeypatch):
    X, y = rings()
    answers = answered(y, 140)
    before = chain(X, answers[:128], (0, 64, 128))
    assert (before.ridge, before.shares) != USUAL
    calls = counted(monkeypatch)
    moved = fit_latent(2 * X + 1, answers, Settings(2, None, None), np.random.default_rng(0), like=before)
    assert not calls
    assert (moved.ridge, moved.shares) == (before.ridge, before.shares)
    assert agreement(moved, 2 * X + 1, y) > 0.9


def agreement(model, X, y):
    found = model.probabilities(X).argmax(axis=1)
    return max(np.mean(found == y), np.mean(found != y))


@pytest.mark.parametrize("error", [None, 0.3])
def test_everything_is_compared_by_one_error_rate_and_one_seed(error, monkeypatch):
    made = []

    def told(X, answers, fold, error, fit):
        made.append((error, fit.keywords["error"], fit.keywords["rng"].random()))
        return np.zeros(len(answers))

    monkeypatch.setattr(_choices, "_held_out", told)
    X, y = clouds(60)
    basis, rng = Basis.measured(X, np.random.default_rng(0)), np.random.default_rng(1)
    _choices._chosen_kinds(X, answered(y, 32), 3, Settings(3, None, error), basis, USUAL, rng)
    assert len(made) == 5
    assert len(set(made)) == 1
    assert made[0][:2] == (error or 0.05, error or 0.05)
