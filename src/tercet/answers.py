"""Answers, and the record of what was asked and answered."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import IntEnum
from os import PathLike
from typing import Any, TextIO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tercet._files import write_whole
from tercet._validation import Ints, check_triplets

_WORDS = {"yes": 1, "no": -1, "dk": 0, "dont_know": 0, "don't know": 0, "1": 1, "-1": -1, "0": 0}
_COLUMNS = ("i", "j", "k", "answer")
_FIELDS = ("triplets", "answers", "annotators")
_FORMAT = "tercet-comparisons"


class Answer(IntEnum):
    """The answer to "is i more like j or more like k?".

    >>> Answer("yes"), Answer("dk"), Answer(-1)
    (<Answer.YES: 1>, <Answer.DONT_KNOW: 0>, <Answer.NO: -1>)
    >>> Answer.YES.swapped
    <Answer.NO: -1>
    """

    YES = 1  #: more like j
    NO = -1  #: more like k
    DONT_KNOW = 0

    @classmethod
    def _missing_(cls, value: object) -> Answer:
        if isinstance(value, str) and value.strip().lower() in _WORDS:
            return cls(_WORDS[value.strip().lower()])
        raise ValueError(
            f"unknown answer {value!r}; use Answer.YES, NO or DONT_KNOW, 'yes', 'no' or 'dk', or 1, -1 or 0"
        )

    @property
    def swapped(self) -> Answer:
        """The answer to the same question with j and k exchanged."""
        return Answer(-self)

    @property
    def word(self) -> str:
        """The answer as it is written to files: yes, no or dk."""
        return {1: "yes", -1: "no", 0: "dk"}[self.value]


def as_answer(value: object) -> Answer:
    """Return ``value`` as an `Answer`; True and False are refused, since False would read as don't-know."""
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"unknown answer {value!r}; say 'yes', 'no' or 'dk', or 1, -1 or 0")
    return Answer(value)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Questions and their answers, in the order they were answered. Immutable.

    Parameters
    ----------
    triplets : array-like of shape (m, 3)
        One row (i, j, k) a question, as item indices.
    answers : array-like of shape (m,)
        1 (yes: i is more like j), -1 (no: more like k), 0 (don't know), or the words.
    annotators : array-like of shape (m,), optional
        Who gave each answer, as text; "" where nobody said.

    Examples
    --------
    >>> record = Comparisons([(0, 1, 2)], ["no"]).append((3, 4, 5), "dk")
    >>> record
    Comparisons(1 yes/no, 1 don't know)
    >>> record.ordered()  # the item that is closer comes second; don't-knows have none
    array([[0, 2, 1]])
    """

    triplets: Ints = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    answers: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    annotators: NDArray[np.str_] = field(default=cast(NDArray[np.str_], None))

    def __post_init__(self) -> None:
        triplets = check_triplets(self.triplets)
        answers = as_answers(self.answers)
        if len(triplets) != len(answers):
            raise ValueError(
                f"{len(triplets)} triplets but {len(answers)} answers; give one answer a triplet"
            )
        annotators = annotator_names(self.annotators, len(answers))
        # Copies, so that the caller's arrays stay writable and cannot change this record.
        fields: dict[str, NDArray[Any]] = {
            "triplets": triplets.copy(),
            "answers": answers.copy(),
            "annotators": annotators.copy(),
        }
        for name, array in fields.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[tuple[tuple[int, int, int], Answer]]:
        for (i, j, k), answer in zip(self.triplets.tolist(), self.answers.tolist(), strict=True):
            yield (i, j, k), Answer(answer)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Comparisons:
        if isinstance(rows, (int, np.integer)):
            raise TypeError(f"Comparisons takes slices and masks; for one row use list(comparisons)[{rows}]")
        return Comparisons(self.triplets[rows], self.answers[rows], self.annotators[rows])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Comparisons], tuple[Any, ...]]:
        # By way of __init__, so that a copy is read-only too.
        return Comparisons, tuple(getattr(self, name) for name in _FIELDS)

    def __repr__(self) -> str:
        decided = int(np.count_nonzero(self.answers))
        return f"Comparisons({decided} yes/no, {len(self) - decided} don't know)"

    def append(self, triplet: ArrayLike, answer: object, annotator: str = "") -> Comparisons:
        """Return a new record with one more answer at the end."""
        return self.extend(
            Comparisons(np.asarray(triplet)[np.newaxis], np.array([as_answer(answer)]), [annotator])  # type: ignore[arg-type]
        )

    def extend(self, other: Comparisons) -> Comparisons:
        """Return a new record with those of ``other`` after these."""
        both = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in _FIELDS)
        return Comparisons(*both)

    def swapped(self) -> Comparisons:
        """Return the same record with j and k exchanged in every question, and yes with no."""
        return Comparisons(self.triplets[:, [0, 2, 1]], -self.answers, self.annotators)

    @property
    def decided(self) -> Comparisons:
        """The yes and no answers only."""
        return self[self.answers != 0]

    @property
    def yes_no_share(self) -> float:
        """The share of answers that are yes or no; NaN when there are none."""
        return float(np.mean(self.answers != 0)) if len(self) else float("nan")

    def ordered(self) -> Ints:
        """Return the yes/no triplets so turned that i is more like the second item than the third."""
        decided = self.decided
        return cast(
            Ints,
            np.where(decided.answers[:, np.newaxis] == 1, decided.triplets, decided.triplets[:, [0, 2, 1]]),
        )

    def to_csv(self, path: str | PathLike[str] | TextIO, ids: Sequence[Hashable] | None = None) -> None:
        """Write columns i, j, k and answer (yes, no, dk); items by ``ids``, or by index without them.

        Where annotators are known there is a column for them too.
        """
        text = io.StringIO()
        # Text is always quoted, so that ids with line breaks of any kind come back as they were.
        writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(self._columns)
        writer.writerows(self._rows(ids))
        _write(path, text.getvalue())

    @classmethod
    def from_csv(
        cls, path: str | PathLike[str] | TextIO, ids: Sequence[Hashable] | None = None
    ) -> Comparisons:
        """Read what `to_csv` wrote, with the same ``ids``. Further columns are passed over."""
        with _opened(path) as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise ValueError(
                    f"the CSV has no column {', '.join(missing)}; its header must name i, j, k and answer"
                )
            return cls._from_rows(((f"line {reader.line_num}", row) for row in reader), ids)

    def to_json(self, path: str | PathLike[str] | TextIO, ids: Sequence[Hashable] | None = None) -> None:
        """Write the record as JSON; items by ``ids``, or by index without them."""
        rows = [dict(zip(self._columns, row, strict=True)) for row in self._rows(ids)]
        _write(path, json.dumps({"format": _FORMAT, "version": 1, "comparisons": rows}, indent=1) + "\n")

    @classmethod
    def from_json(
        cls, path: str | PathLike[str] | TextIO, ids: Sequence[Hashable] | None = None
    ) -> Comparisons:
        """Read what `to_json` wrote, with the same ``ids``."""
        with _opened(path) as stream:
            content = json.load(stream)
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError(f'this JSON is no record of comparisons: it has no "format": "{_FORMAT}"')
        if content.get("version") != 1:
            raise ValueError(
                f"this record has version {content.get('version')!r}; this Tercet reads version 1"
            )
        rows = content.get("comparisons")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError('"comparisons" must be a list of objects with i, j, k and answer')
        return cls._from_rows(((f"comparison {number}", row) for number, row in enumerate(rows)), ids)

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*_COLUMNS, "annotator") if (self.annotators != "").any() else _COLUMNS

    def _rows(self, ids: Sequence[Hashable] | None) -> Iterator[tuple[int | str, ...]]:
        names = None if ids is None else list(_index_of_names(ids))
        if names is not None:
            check_triplets(self.triplets, len(names))
        width = len(self._columns)
        for (triplet, answer), annotator in zip(self, self.annotators.tolist(), strict=True):
            items = triplet if names is None else tuple(names[item] for item in triplet)
            yield (*items, answer.word, annotator)[:width]

    @classmethod
    def _from_rows(
        cls, rows: Iterable[tuple[str, dict[str, Any]]], ids: Sequence[Hashable] | None
    ) -> Comparisons:
        index = None if ids is None else _index_of_names(ids)
        triplets, answers, annotators = [], [], []
        for place, row in rows:
            try:
                triplet = [_item(row.get(column), index) for column in "ijk"]
                if len(set(triplet)) < 3:
                    raise ValueError(
                        f"{tuple(triplet)} repeats an item; a question needs three different ones"
                    )
                triplets.append(triplet)
                answers.append(as_answer(row.get("answer")))
                annotators.append(str(row.get("annotator") or ""))
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
        return cls(
            np.array(triplets, dtype=np.int64),
            np.array(answers, dtype=np.int8),
            np.array(annotators, dtype=np.str_),
        )


def as_answers(values: ArrayLike) -> NDArray[np.int8]:
    """Return answers given as numbers, words or `Answer` as an array of 1, -1 and 0."""
    if isinstance(values, (list, tuple)) and not any(isinstance(value, (list, tuple)) for value in values):
        # One by one, before numpy makes numbers of True or words of everything.
        return np.array([as_answer(value) for value in values], dtype=np.int8)
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(0, dtype=np.int8)
    if array.ndim != 1:
        raise ValueError(f"answers must have shape (m,), not {array.shape}")
    if array.dtype.kind not in "iuf":
        return np.array([as_answer(value) for value in array.tolist()], dtype=np.int8)
    wrong = ~np.isin(array, (1, 0, -1))
    if wrong.any():
        as_answer(array[wrong][0].item())  # raises, and says what is allowed
    return array.astype(np.int8)


def annotator_names(annotators: ArrayLike | None, n_answers: int) -> NDArray[np.str_]:
    """Return one name an answer, "" where none are given."""
    if annotators is None:
        return np.full(n_answers, "")
    names = np.asarray(annotators)
    if names.dtype == object and all(isinstance(name, str) for name in names.ravel()):  # as pandas has text
        names = names.astype(np.str_)
    if names.size == 0 and n_answers == 0:
        return np.full(0, "")
    if names.shape != (n_answers,) or names.dtype.kind != "U":
        raise ValueError(
            f"annotators must be one text an answer, {n_answers}, not {names.ravel()[:1]} and so on, "
            f"{names.dtype} of shape {names.shape}; str(name) makes a name of a number"
        )
    return names


def _opened(path: str | PathLike[str] | TextIO) -> AbstractContextManager[TextIO]:
    if isinstance(path, (str, PathLike)):
        # utf-8-sig also reads files that a spreadsheet saved with a byte-order mark.
        return open(path, encoding="utf-8-sig", newline="")
    return nullcontext(path)


def _write(path: str | PathLike[str] | TextIO, text: str) -> None:
    if isinstance(path, (str, PathLike)):
        write_whole(path, text)
    else:
        path.write(text)


def _index_of_names(ids: Sequence[Hashable]) -> dict[str, int]:
    index: dict[str, int] = {}
    for number, name in enumerate(ids):
        if index.setdefault(str(name), number) != number:
            raise ValueError(
                f"the id {str(name)!r} stands for two items; ids must differ when written as text"
            )
    return index


def _item(value: Any, index: dict[str, int] | None) -> int:
    if index is None:
        text = str(value).strip()
        if isinstance(value, bool) or not text.isascii() or not text.isdigit() or int(text) >= 2**63:
            raise ValueError(f"{value!r} is no item index; pass ids= if the file names items by id")
        return int(text)
    if str(value) not in index:
        raise ValueError(f"unknown item id {value!r}; pass ids= with all items that the file names")
    return index[str(value)]
