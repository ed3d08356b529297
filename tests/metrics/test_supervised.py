import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet.metrics import RosalesFungSupervised, SchultzJoachims, SchultzJoachimsSupervised

FORMS = [SchultzJoachimsSupervised(), RosalesFungSupervised()]


@pytest.mark.filterwarnings("ignore:with gamma")
@parametrize_with_checks(FORMS)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_in_a_pipeline_it_helps_nearest_neighbours(form, wine):
    X, y = wine
    plain = cross_val_score(KNeighborsClassifier(1), X, y).mean()
    pipeline = make_pipeline(form.set_params(random_state=0), KNeighborsClassifier(1))
    assert cross_val_score(pipeline, X, y).mean() > plain + 0.1


def test_same_seed_same_triplets(wine):
    X, y = wine
    one, same, other = (
        SchultzJoachimsSupervised(n_triplets=20, random_state=seed).fit(X, y).components_
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_all_triplets_of_a_small_set():
    X = np.array([[0.0, 1.0], [0.2, 3.0], [5.0, 2.0]])
    supervised = SchultzJoachimsSupervised(basis=None).fit(X, ["a", "a", "b"])
    by_hand = SchultzJoachims(preprocessor=X).fit([(0, 1, 2), (1, 0, 2)])
    np.testing.assert_allclose(supervised.weights_, by_hand.weights_, rtol=1e-5)
    assert supervised.get_feature_names_out().tolist() == [f"schultzjoachimssupervised{i}" for i in range(2)]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_one_class_is_refused(form):
    with pytest.raises(ValueError, match="at least two classes"):
        form.fit(np.eye(4), [0, 0, 0, 0])
