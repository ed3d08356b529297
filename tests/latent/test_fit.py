import numpy as np
import pytest
from scipy.optimize import minimize

from tercet.latent import Answers, Basis, Settings, fit_latent
from tercet.latent._fit import MAX_CLUSTERED, _error_rates, _held_back, _Member, _turn, fit_classes
from tercet.latent._objective import Evidence


def blobs(n, d=5, n_classes=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n_classes, d))[y] * apart + rng.normal(size=(n, d)), y


def answered(y, m, seed=0, errors=(0.0,), names=("",)):
    """Random questions, answered in turn by people who err at these rates."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(len(y), 3, replace=False) for _ in range(m)]
    triplets = np.array(drawn, dtype=np.int64).reshape(m, 3)
    i, j, k = y[triplets.T]
    answers = (i == j).astype(int) - (i == k)
    who = np.arange(m) % len(names)
    wrong = rng.random(m) < np.array(errors)[who]
    answers = np.where(wrong, (answers + 1 + rng.integers(1, 3, m)) % 3 - 1, answers)
    return Answers(triplets, answers.astype(np.int8), np.array(names)[who])


def fitted(X, answers, rng=0, warm=None, n_classes=None, ridge=0.4, error=None):
    return fit_latent(X, answers, Settings(n_classes, ridge, error), np.random.default_rng(rng), warm)


def agreement(model, X, y):
    """The share of pairs that are rightly put together or apart."""
    found = model.probabilities(X).argmax(axis=1)
    return np.mean((found[:, None] == found) == (y[:, None] == y))


def test_answers_turn_clusters_into_classes():
    # Clusters run along the first feature, classes along the second, which only the answers know.
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.column_stack([rng.choice([-3.0, 3.0], 200), 2.0 * y]) + rng.normal(size=(200, 2)) * [0.2, 0.6]
    before = fitted(X, answered(y, 0), n_classes=2)
    after = fitted(X, answered(y, 60), n_classes=2, warm=before)
    assert agreement(before, X, y) < 0.6
    assert agreement(after, X, y) > 0.85


def test_dont_knows_teach_too():
    X, y = blobs(150, n_classes=2, apart=0.6, seed=4)
    asked, others = answered(y, 150, seed=1), answered(y, 300, seed=2)
    decided = asked[asked.answers != 0]
    with_all = fitted(X, asked, n_classes=2)
    without = fitted(X, decided, n_classes=2)
    # Of answers that neither of them saw.
    assert with_all.likelihood(X, others).mean() > without.likelihood(X, others).mean()


def test_a_careless_annotator_is_found(engine):
    X, y = blobs(120)
    names = ("ann", "ben", "cal", "dot", "eve")
    asked = answered(y, 300, errors=(0.02, 0.02, 0.5, 0.02, 0.02), names=names)
    model = None
    for m in (100, 200, 300):
        model = fitted(X, asked[np.arange(m)], n_classes=3, warm=model)
    assert max(model.errors, key=model.errors.get) == "cal"
    others = max(rate for name, rate in model.errors.items() if name != "cal")
    assert model.errors["cal"] > 0.4 > 4 * others
    assert model.error_of("somebody new") == pytest.approx(0.05)


def test_a_given_error_rate_is_kept():
    X, y = blobs(60)
    assert fitted(X, answered(y, 30), n_classes=3, error=0.2).errors == {}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_answers_tell_the_number_of_classes(n_classes):
    X, y = blobs(200, d=6, n_classes=n_classes, apart=4.0, seed=1)
    model = None
    asked = answered(y, 128)
    for m in (16, 32, 64, 128):
        model = fitted(X, asked[np.arange(m)], warm=model)
    assert agreement(model, X, y) > 0.9
    assert abs(model.n_classes - n_classes) <= 1


def test_large_collections_are_clustered_by_a_sample_with_all_asked_items():
    X, y = blobs(3 * MAX_CLUSTERED)
    model = fitted(X, answered(y, 40), n_classes=3)
    assert agreement(model, X[:500], y[:500]) > 0.95


def test_warm_and_cold_fits_agree_on_clear_data():
    X, y = blobs(90)
    asked = answered(y, 64)
    cold = fitted(X, asked, n_classes=3)
    warm = fitted(X, asked, n_classes=3, warm=fitted(X, asked[np.arange(32)], n_classes=3))
    same = cold.probabilities(X) @ cold.probabilities(X).T - warm.probabilities(X) @ warm.probabilities(X).T
    assert np.abs(same).max() < 0.05


def test_constant_features_tell_nothing():
    X, y = blobs(60)
    plain = fitted(X, answered(y, 20), n_classes=3)
    more = fitted(np.column_stack([X, np.full(60, 7.0)]), answered(y, 20), n_classes=3)
    assert np.isfinite(more.probabilities(np.column_stack([X, np.full(60, 7.0)]))).all()
    assert agreement(more, np.column_stack([X, np.full(60, 7.0)]), y) == pytest.approx(
        agreement(plain, X, y), abs=0.05
    )


def test_models_of_another_number_of_classes_are_no_start():
    X, y = blobs(60)
    other = fitted(X, answered(y, 8), n_classes=4)
    assert fitted(X, answered(y, 9), n_classes=3, warm=other).weights.shape == (6, 46, 3)


def test_models_differ_where_nobody_knows_and_agree_once_there_are_answers():
    X, y = blobs(150, n_classes=6, apart=1.5, seed=2)
    asked = answered(y, 300)

    def disagreement(model):
        return np.std([P @ P.T for P in model.members(X)], axis=0).mean()

    few, many = (fitted(X, asked[np.arange(m)], n_classes=6) for m in (8, 300))
    assert disagreement(few) > 1.2 * disagreement(many) > 0
    assert agreement(many, X, y) > agreement(few, X, y)


def test_a_class_has_one_number_in_all_models():
    X, y = blobs(90)
    model = fitted(X, answered(y, 64), n_classes=3)
    found = model.members(X).argmax(axis=2)
    assert (found == found[0]).mean() > 0.95
    # And keeps it when more is learned.
    more = fitted(X, answered(y, 65), n_classes=3, warm=model)
    assert (more.members(X).argmax(axis=2) == found[0]).mean() > 0.95


def test_bent_classes_need_the_kernel():
    rng = np.random.default_rng(0)
    angle, y = rng.uniform(0, 2 * np.pi, 200), np.arange(200) % 2
    X = (1 + 2 * y[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])
    X += 0.2 * rng.normal(size=X.shape)
    asked = answered(y, 150)
    bent = fitted(X, asked, n_classes=2)
    straight = fit_classes(
        X, asked, n_classes=2, ridge=0.4, error=None, rng=np.random.default_rng(0), shares=(0.0,)
    )
    assert agreement(straight, X, y) < 0.7
    assert agreement(bent, X, y) > 0.9
    assert not straight.weights[:, 2:-1].any()  # the kernel's components are not looked at


def test_what_was_foreseen_was_foreseen_by_models_that_did_not_know():
    X, y = blobs(60)
    asked = answered(y, 20)
    first = fitted(X, asked[np.arange(12)], n_classes=3)
    later = fitted(X, asked, n_classes=3, warm=first)
    assert first.n_answers == 12
    np.testing.assert_array_equal(later.foreseen[:12], first.foreseen)
    np.testing.assert_allclose(later.foreseen[12:], first.likelihood(X, asked[np.arange(12, 20)], 0.0))


def test_error_rates_are_at_the_maximum_of_their_posterior(engine):
    rng = np.random.default_rng(0)
    answers = Answers(
        np.zeros((200, 3), np.int64), rng.integers(-1, 2, 200).astype(np.int8), np.array(["a", "b"] * 100)
    )
    foreseen = np.where(rng.random(200) < 0.8, 0.95, 0.02)
    foreseen[1::2] = np.where(rng.random(100) < 0.4, 0.95, 0.02)
    frequent = ((np.bincount(answers.answers + 1) + 1) / 203)[answers.answers + 1]

    def cost(logits):
        e, right = 1 / (1 + np.exp(-logits[:2])), 1 / (1 + np.exp(-logits[2]))
        given = np.tile(e, 100)
        p = (1 - given) * (right * foreseen + (1 - right) * frequent) + given / 3
        return -np.log(p).sum() - np.sum(0.25 * np.log(e) + 4.75 * np.log(1 - e))

    best = minimize(cost, [-3.0, -3.0, 0.0])
    wanted = 1 / (1 + np.exp(-best.x[:2]))
    found = _error_rates(foreseen, answers)
    np.testing.assert_allclose([found["a"], found["b"]], wanted, atol=1e-4)


def test_both_engines_find_the_same_error_rates(monkeypatch):
    pytest.importorskip("numba", reason="needs the extra 'fast'")
    rng = np.random.default_rng(0)
    for n_people, m in ((1, 1), (1, 60), (3, 40), (7, 500)):
        names = [f"p{n}" for n in range(n_people)]
        answers = answered(np.arange(30) % 3, m, errors=(0.1,) * n_people, names=names)
        foreseen = rng.random(m) ** 2
        compiled = _error_rates(foreseen, answers)
        with monkeypatch.context() as patch:
            patch.setattr("tercet.latent._fit.kernels", lambda module: None)
            assert _error_rates(foreseen, answers) == pytest.approx(compiled, rel=1e-9)


def test_each_answer_of_several_people_is_kept_from_one_model(monkeypatch):
    monkeypatch.setattr("tercet.latent._fit._error_rates", lambda foreseen, answers: {})
    X, y = blobs(60)
    asked = answered(y, 7, errors=(0.0, 0.0), names=("ann", "ben"))
    other = Answers(asked.triplets, asked.answers.copy(), asked.annotators)
    other.answers[5] = (other.answers[5] + 2) % 3 - 1

    def together(answers):  # whatever the numbers of the classes
        return np.array([P @ P.T for P in fitted(X, answers, n_classes=3).members(X)])

    changed = np.abs(together(asked) - together(other)).max(axis=(1, 2)) > 1e-6
    assert np.flatnonzero(~changed).tolist() == [3]  # ben began with the model after ann's
    alone, too = (Answers(a.triplets, a.answers, np.full(7, "ann")) for a in (asked, other))
    assert (np.abs(together(alone) - together(too)).max(axis=(1, 2)) > 1e-6).all()


def test_the_first_answers_are_judged_by_what_is_known_now():
    X, y = blobs(60)
    asked = answered(y, 40, errors=(0.0, 0.0), names=("ann", "ben"))
    first = fitted(X, asked[np.arange(32)], n_classes=3)
    known = _held_back(X, asked, first, np.linspace(0, 1, 40))
    place = 9
    one = first.members(X)[5]  # ben's fifth answer
    i, j, k = one[asked.triplets[place]]
    yes, no = i @ j - (i * j) @ k, i @ k - (i * j) @ k
    assert known[place] == pytest.approx({1: yes, -1: no, 0: 1 - yes - no}[int(asked.answers[place])])
    np.testing.assert_array_equal(known[32:], np.linspace(0, 1, 40)[32:])  # what nobody learned yet


@pytest.mark.parametrize("n_people", [2, 3, 5, 6, 60])
def test_everybody_is_judged_by_all_models_also_where_people_take_turns(n_people):
    asked = answered(np.arange(9) % 3, 60, errors=(0.0,) * n_people, names=[f"p{n}" for n in range(n_people)])
    turn = _turn(asked, 6)
    for name in set(asked.annotators):
        assert len(set(turn[asked.annotators == name])) == min(6, 60 // n_people)
    assert np.ptp(np.bincount(turn, minlength=6)) <= 2
    np.testing.assert_array_equal(_turn(asked[:25], 6), turn[:25])  # what was kept stays kept


def test_who_began_alone_is_not_judged_by_models_that_learned_their_errors():
    X, y = blobs(60)
    asked = answered(y, 40, names=("ann",))
    alone = fitted(X, asked[:32], n_classes=3)
    asked.annotators[32:] = "ben"
    foreseen = np.linspace(0, 1, 40)
    np.testing.assert_array_equal(_held_back(X, asked, alone, foreseen), foreseen)


def member(X, rng=0, share=1.0):
    basis = Basis.measured(X, np.random.default_rng(0))
    coordinates = basis.coordinates(basis.standardised(X))
    return _Member(basis, coordinates, share, 3, 0.1, np.random.default_rng(rng))


def test_weights_are_the_same_to_models_of_every_taste():
    X, _ = blobs(40)
    plain = member(X).design  # as they are
    weights = np.random.default_rng(0).normal(size=(plain.shape[1], 3))
    for share in (1.0, 9.0):
        one = member(X, share=share)
        np.testing.assert_allclose(one.design @ one.narrowed(weights), plain @ weights, atol=1e-9)
        np.testing.assert_allclose(one.widened(one.narrowed(weights)), weights)


def test_a_bad_start_is_left_and_a_worse_one_refused(monkeypatch):
    X, y = blobs(60)
    one, asked = member(X), answered(y, 16)
    facts = Evidence(asked.triplets, asked.answers.astype(np.int64), np.full(16, 0.05))
    nowhere = np.zeros((one.design.shape[1], 3))  # all classes alike, which no gradient changes
    good = one.cold()
    for number in (2, 3):  # clusters and answers to start from
        assert np.abs(one.learned(nowhere, facts, number)).max() > 0.1
    monkeypatch.setattr(_Member, "by_clusters", lambda self: nowhere)
    monkeypatch.setattr(_Member, "by_answers", lambda self, evidence: nowhere)
    for number in (2, 3):
        assert np.abs(one.learned(good, facts, number)).max() > 0.1
    assert not one.learned(nowhere, facts, None).any()  # between, nobody tries another start


def test_other_starts_are_tried_every_eight_answers(monkeypatch):
    tried = []
    learned = _Member.learned
    monkeypatch.setattr(
        _Member, "learned", lambda self, *given: tried.append(given[-1]) or learned(self, *given)
    )
    X, y = blobs(60)
    cold = fitted(X, answered(y, 0), n_classes=3, ridge=None)
    for m in (15, 16, 24):
        fitted(X, answered(y, m), n_classes=3, warm=cold, ridge=None)
        assert tried[-6:] == ([None] * 6 if m == 15 else list(range(m // 8, m // 8 + 6)))
        assert all(turn is None for turn in tried[:-6])  # while ridge and kinds are chosen, nobody does
        tried.clear()


def test_more_classes_than_are_clustered_otherwise():
    X, y = blobs(MAX_CLUSTERED + 60)
    count = MAX_CLUSTERED + 20
    model = fit_classes(
        X, answered(y, 0), n_classes=count, ridge=0.4, error=None, rng=np.random.default_rng(0), shares=(0.0,)
    )
    assert model.n_classes == count


def test_the_answers_choose_in_a_fit_of_any_number_of_them():
    X, y = blobs(120, n_classes=2, apart=4.0)
    assert fitted(X, answered(y, 100)).n_classes == 2


def test_contradictions_without_errors_are_finite():
    X, _ = blobs(30)
    rng = np.random.default_rng(0)
    triplets = np.array([rng.choice(30, 3, replace=False) for _ in range(160)])
    asked = Answers(triplets, rng.integers(-1, 2, 160).astype(np.int8), np.full(160, ""))
    assert np.isfinite(fitted(X, asked, n_classes=3, ridge=1e-9, error=0.0).weights).all()


def test_both_engines_fit_the_same(engine):
    X, y = blobs(80)
    model = fitted(X, answered(y, 30), n_classes=3)
    assert agreement(model, X, y) > 0.97
