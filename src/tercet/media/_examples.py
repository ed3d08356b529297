"""Collections that come with Tercet: handwritten digits, and synthetic calls of birds."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet._files import write_whole
from tercet._validation import check_option
from tercet.items import Items, Media
from tercet.media import _birds
from tercet.media._audio import to_wav
from tercet.media._errors import need
from tercet.media._extracting import Progress
from tercet.media._images import to_png
from tercet.media._loading import load_items

EXAMPLES = ("digits", "birds")
_DIGIT_SCALE = 16


def example(name: str, folder: str | PathLike[str], *, progress: Progress | None = None) -> Items:
    """Write an example's files into a folder, unless they are there, and return it as items.

    Parameters
    ----------
    name : "digits" or "birds"
        All 1,797 of scikit-learn's handwritten digits, with their 64 pixels as features (needs
        ``pip install 'tercet[images]'``); or 120 synthetic calls of five species of birds, with features
        computed from the sound (needs ``pip install 'tercet[audio]'``).
    folder : path
        Where to keep the files, in a folder of the example's name, and computed features beside it.
    progress : callable, optional
        Called with the number of items done, of all items, and what is being done.

    Returns
    -------
    Items
        In an order, and with ids, that do not give the classes away; `example_labels` does.
    """
    check_option("the example", name, EXAMPLES)
    root = Path(folder).expanduser().absolute() / name
    root.mkdir(parents=True, exist_ok=True)
    return _digits(root) if name == "digits" else _bird_calls(root, progress)


def example_labels(name: str) -> NDArray[np.str_]:
    """Return the class of each item of an example, in its order.

    >>> example_labels("digits")[:5].tolist()
    ['6', '6', '6', '2', '5']
    """
    check_option("the example", name, EXAMPLES)
    return _digit_data()[1].astype(np.str_) if name == "digits" else _species()


def _digits(root: Path) -> Items:
    pixels, _ = _digit_data()
    names = [f"{number:04}.png" for number in range(1, len(pixels) + 1)]
    missing = [place for place, name in enumerate(names) if not _is_there(root / name)]
    if missing:
        pil = need("PIL.Image", "images", "writing the digits as pictures")
        for place in missing:
            ink = 255.0 - pixels[place].reshape(8, 8) * (255.0 / 16.0)
            side = 8 * _DIGIT_SCALE
            small = pil.fromarray(ink.round().astype(np.uint8))
            picture = small.resize((side, side), pil.Resampling.BICUBIC)
            write_whole(root / names[place], to_png(picture), sync=False)
    return Items(
        ids=names,
        features=pixels,
        feature_names=[f"row {row}, column {column}" for row in range(1, 9) for column in range(1, 9)],
        media=[Media("image", Path(name)) for name in names],
        root=root,
    )


def _bird_calls(root: Path, progress: Progress | None) -> Items:
    seeds = np.random.SeedSequence(0).spawn(len(_species()))
    for number, (species, seed) in enumerate(zip(_species().tolist(), seeds, strict=True), start=1):
        file = root / f"call-{number:03}.wav"
        if not _is_there(file):
            wave = _birds.call(species, np.random.default_rng(seed)).astype(np.float32)
            write_whole(file, to_wav(wave, _birds.RATE), sync=False)
    return load_items(root, features_cache=root.parent, progress=progress)


def _species() -> NDArray[np.str_]:
    names = np.repeat(list(_birds.SPECIES), _birds.CALLS)
    return np.random.default_rng(1).permutation(names)


def _digit_data() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))  # the set itself counts from 0 to 9 at first
    return pixels[order], labels[order]


def _is_there(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0
