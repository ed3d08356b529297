"""What is known of the paper's eight datasets; no data, and nothing is loaded here."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

_UCI_LICENCE = "CC BY 4.0 (UCI Machine Learning Repository)"


@dataclass(frozen=True)
class Dataset:
    """The facts about one dataset.

    Parameters
    ----------
    name : str
        As the paper writes it.
    n_features : int
        Columns without the label.
    classes : tuple of (label, count)
        Every class and how many items it has; `n_items` and `n_classes` follow from it.
    file : str
        The name that the file must have in a data folder: a CSV whose last column is ``class``.
    sha256 : str
        The checksum of that file.
    citation, licence : str
        Whom to cite, and on what terms the data may be used.
    openml, uci : int or None
        Its number there, if it has one.
    merged : tuple of (label, count)
        Public classes that are one class here, named by their labels joined with "+".
    other_labels : tuple of str
        Columns of the file that are labels too, and so no features.
    paper_note : str
        How the paper's table differs from the public data, or what was done to make them agree.
    origin : str
        Where to get the data when no registry has it.

    Examples
    --------
    >>> wine = find("wine")
    >>> wine.key, wine.n_items, wine.n_features, wine.n_classes
    ('wine', 178, 13, 3)
    """

    name: str
    n_features: int
    classes: tuple[tuple[str, int], ...]
    file: str
    sha256: str
    citation: str
    licence: str = _UCI_LICENCE
    openml: int | None = None
    uci: int | None = None
    merged: tuple[tuple[str, int], ...] = ()
    other_labels: tuple[str, ...] = ()
    paper_note: str = ""
    origin: str = ""

    @property
    def key(self) -> str:
        """The name for command lines and file names: lower case, no spaces."""
        return self.name.lower().replace(" ", "-")

    @property
    def n_items(self) -> int:
        """The number of items."""
        return sum(count for _, count in self.classes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def registry(self) -> str:
        """Where `tercet.datasets.load` downloads it from, such as "OpenML 187"; empty if nowhere."""
        if self.openml is not None:
            return f"OpenML {self.openml}"
        return f"UCI {self.uci}" if self.uci is not None else ""


def find(name: str) -> Dataset:
    """Return the dataset of this name; case, spaces, "-" and "_" do not matter.

    >>> find("hja_birdsong").name
    'HJA Birdsong'
    >>> find("Sojabean")
    Traceback (most recent call last):
    ValueError: unknown dataset 'Sojabean'; did you mean 'Soybean'? There are Breast, Parkinson, ...
    """
    if isinstance(name, str) and _plain(name) in _BY_PLAIN_NAME:
        return _BY_PLAIN_NAME[_plain(name)]
    near = get_close_matches(_plain(str(name)), _BY_PLAIN_NAME, n=1)
    guess = f" did you mean {_BY_PLAIN_NAME[near[0]].name!r}?" if near else ""
    listing = ", ".join(dataset.name for dataset in DATASETS)
    raise ValueError(
        f"unknown dataset {name!r};{guess} There are {listing}; load_table reads a file of your own"
    )


def _plain(name: str) -> str:
    return "".join(name.casefold().replace("-", "").replace("_", "").split())


DATASETS: tuple[Dataset, ...] = (
    Dataset(
        name="Breast",
        n_features=9,
        classes=(("adi", 22), ("car", 21), ("con", 14), ("fad+mas+gla", 49)),
        merged=(("fad", 15), ("mas", 18), ("gla", 16)),
        other_labels=("class_original",),
        file="breast_tissue.csv",
        sha256="12909b659500c7da4d388631a6cf66381dc56ae1b1da0463c6f25fd33789477b",
        citation="J. P. Marques de Sá, J. Jossinet: Breast Tissue. UCI, 2010. doi:10.24432/C5P31H",
        openml=1465,
        uci=192,
        paper_note="the public data has 6 classes; fad, mas and gla are merged to get the paper's 4",
    ),
    Dataset(
        name="Parkinson",
        n_features=22,
        classes=(("0", 48), ("1", 147)),
        file="parkinsons.csv",
        sha256="268ce9ba69156cb9540c3f53e12723ee97989b3c18831c8e5e720a8dfa5f3b40",
        citation="M. Little: Parkinsons. UCI, 2007. doi:10.24432/C59C74",
        openml=1488,
        uci=174,
    ),
    Dataset(
        name="Segment",
        n_features=19,
        classes=tuple(
            (label, 330) for label in ("BRICKFACE", "CEMENT", "FOLIAGE", "GRASS", "PATH", "SKY", "WINDOW")
        ),
        file="image_segmentation.csv",
        sha256="60ad765f0226152fedd9b9dabc3162d28195424f7fe9cf24831532be50e2c3b4",
        citation="Statlog (Image Segmentation). UCI. doi:10.24432/C5P01G",
        openml=36,
        uci=147,
    ),
    Dataset(
        name="Soybean",
        n_features=35,
        classes=(("D1", 10), ("D2", 10), ("D3", 10), ("D4", 17)),
        file="soybean_small.csv",
        sha256="6de01bd536cfa51a96b09879625f6c3f36e5013b733af0b0a56194a1043709fb",
        citation="R. S. Michalski: Soybean (Small). UCI, 1987",
        uci=91,  # OpenML's 42 is the large set of 19 diseases
    ),
    Dataset(
        name="Wave",
        n_features=40,
        classes=(("0", 1692), ("1", 1653), ("2", 1655)),
        file="waveform_v2.csv",
        sha256="18c29850afe3f9190bdf8d9512aee14a1e16e8f5ab9cd29e01cb2ff1d26b0e57",
        citation=(
            "L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone: Waveform Database Generator (Version 2). "
            "UCI, 1984. doi:10.24432/C56014"
        ),
        openml=60,
        uci=108,
        paper_note="the paper's table says 2 classes; the public data has 3, and all 3 are kept",
    ),
    Dataset(
        name="Wine",
        n_features=13,
        classes=(("1", 59), ("2", 71), ("3", 48)),
        file="wine.csv",
        sha256="fa22916fb8470f7dd918aa23cc22b739d728c4be2dd5c636aa23e6fc8f63fa6e",
        citation="S. Aeberhard, M. Forina: Wine. UCI, 1991. doi:10.24432/C5PC7J",
        openml=187,
        uci=109,
    ),
    Dataset(
        name="Yeast",
        n_features=8,
        classes=(
            *(("CYT", 463), ("ERL", 5), ("EXC", 35), ("ME1", 44), ("ME2", 51)),
            *(("ME3", 163), ("MIT", 244), ("NUC", 429), ("POX", 20), ("VAC", 30)),
        ),
        file="yeast.csv",
        sha256="1606fb1af50a1193b660e2c1e1d540322539ba9b53428b4c7b86c9e564215d10",
        citation="K. Nakai: Yeast. UCI, 1991. doi:10.24432/C5KG68",
        openml=181,
        uci=110,
        paper_note="the paper's table says 9 classes; the public data has 10, and all 10 are kept",
    ),
    Dataset(
        name="HJA Birdsong",
        n_features=38,
        classes=(
            *(("BRCR", 602), ("CBCH", 345), ("DEJU", 82), ("HAFL", 1280), ("HETH", 32), ("HEWA", 120)),
            *(("OSFL", 277), ("PSFL", 501), ("RBNU", 494), ("SWTH", 190), ("VATH", 139), ("WETA", 126)),
            ("WIWR", 810),
        ),
        file="hja_birdsong.csv",
        sha256="c361f1e02bcb0bca038c48db87850a825631d653dce8b524fa02464cfa68ab9f",
        citation=(
            "F. Briggs, X. Z. Fern, R. Raich: Rank-loss support instance machines for MIML instance "
            "annotation. KDD 2012"
        ),
        licence="none known; ask its authors",
        origin=(
            "F. Briggs, X. Z. Fern and R. Raich (Oregon State University) published it with their paper at "
            "KDD 2012, at web.engr.oregonstate.edu/~briggsf/kdd2012datasets; the file holds the 4998 "
            "segments that have a species"
        ),
    ),
)

_BY_PLAIN_NAME = {_plain(dataset.name): dataset for dataset in DATASETS}
