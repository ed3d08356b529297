import numpy as np
import pytest
from PIL import Image
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tercet.media import EXAMPLES, example, example_labels, load_items


def nearest(X, y):
    """How often the nearest other item is of the same class, on standardised features."""
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return cross_val_score(KNeighborsClassifier(1), Z, y, cv=5).mean()


def test_digits(tmp_path):
    items, labels = example("digits", tmp_path), example_labels("digits")
    assert len(items) == len(labels) == 1797
    assert items.features.shape == (1797, len(items.feature_names)) == (1797, 64)
    assert set(labels) == set("0123456789")
    assert nearest(items.features, labels) > 0.9
    assert (
        max(np.mean(labels[1:] == labels[:-1]), np.mean(labels[10:] == labels[:-10])) < 0.2
    )  # ids tell nothing
    picture = np.asarray(Image.open(items.root / items.media[5].path))
    assert picture.shape == (128, 128)
    cells = 255.0 - picture.reshape(8, 16, 8, 16).mean(axis=(1, 3))
    assert np.corrcoef(cells.ravel(), items.features[5])[0, 1] > 0.95  # the picture of these very features
    # A second time nothing is written, and what is missing is written again.
    before = (items.root / items.ids[1]).stat().st_mtime_ns
    (items.root / items.ids[0]).unlink()
    again = example("digits", tmp_path)
    assert again.ids == items.ids
    assert (items.root / items.ids[0]).is_file()
    assert (items.root / items.ids[1]).stat().st_mtime_ns == before


def test_features_of_pictures_tell_digits_apart(tmp_path):
    whole = example("digits", tmp_path)
    few = tmp_path / "few"
    few.mkdir()
    for name in whole.ids[:300]:
        (whole.root / name).rename(few / name)
    items = load_items(few, n_jobs=1)
    assert items.ids == whole.ids[:300]
    assert nearest(items.features, example_labels("digits")[:300]) > 0.85  # 0.95 with all


def test_birds(tmp_path):
    pytest.importorskip("librosa", reason="needs the extra 'audio'")
    import soundfile

    items, labels = example("birds", tmp_path), example_labels("birds")
    assert len(items) == len(labels) == 120
    assert np.unique(labels, return_counts=True)[1].tolist() == [24] * 5
    assert nearest(items.features, labels) >= 0.9
    waves = np.array([soundfile.read(items.root / name)[0] for name in items.ids])
    assert nearest(waves, labels) < 0.5  # one must hear, not compare samples
    assert np.abs(waves).max() <= 1
    again = example("birds", tmp_path)
    np.testing.assert_array_equal(again.features, items.features)


def test_unknown_examples(tmp_path):
    assert EXAMPLES == ("digits", "birds")
    for call in (lambda: example("cats", tmp_path), lambda: example_labels("cats")):
        with pytest.raises(ValueError, match="the example must be one of 'digits', 'birds', not 'cats'"):
            call()
