"""Reading text files, and numbers that describe texts."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.media._errors import UnreadableError

#: Longer texts are judged by their beginning.
MOST_BYTES = 1_000_000
_TOPICS = 50
_TERMS = 20_000
#: A topic of a smaller share of the largest one's size is rounding: features are in single precision.
_SMALLEST_TOPIC = 1e-6
_WORDS_IN_NAME = 3
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Words that two texts share; for languages without spaces, and very short texts, strings of letters.
_ANALYSERS = (("word", (1, 1), 2), ("char_wb", (2, 4), 2), ("char_wb", (1, 3), 1))
_ENOUGH_DESCRIBED = 0.8


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """Return the beginning of a text file: UTF-8, UTF-16 with its mark, or else Windows' western letters."""
    with path.open("rb") as stream:
        data = stream.read(most_bytes)
        is_whole = not stream.read(1)
    if data.startswith(_BYTE_ORDER_MARKS):
        return _usable(data.decode("utf-16", "replace"))
    if b"\0" in data:
        raise UnreadableError("it is no text: it has zero bytes in it")
    try:
        # What is cut off may end within a letter.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=is_whole)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return _usable(text)


def text_features(
    texts: Callable[[], Iterable[str]], like: Callable[[], Iterable[str]] | None = None
) -> tuple[NDArray[np.float32], list[str]]:
    """Return features of texts, which may be asked for several times, and the features' names.

    TF-IDF and its largest singular vectors (latent semantic analysis); a topic is named by the words that
    count most in it. The last feature is the text's length. Words and topics are those of these texts, or of
    the texts ``like``, which then give new texts the features that they have themselves.
    """
    from sklearn.decomposition import TruncatedSVD

    lengths: list[int] = []
    vectorizer, weights = _tf_idf(like or (lambda: _measured(texts, lengths)))
    n_topics = min(_TOPICS, weights.shape[0], weights.shape[1] - 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # shares of a variance that may be zero
        svd = TruncatedSVD(n_topics, random_state=0)
        topics = svd.fit_transform(weights)
    if like is not None:
        topics = svd.transform(vectorizer.transform(_measured(texts, lengths)))
    # Texts that repeat each other have fewer topics than were looked for. What the others hold is rounding,
    # which standardised features would make as large as the rest.
    is_real = svd.singular_values_ > _SMALLEST_TOPIC * svd.singular_values_.max()
    topics = topics[:, is_real]
    terms = vectorizer.get_feature_names_out()
    names = []
    for number, loading in enumerate(svd.components_[is_real], start=1):
        words = terms[np.argsort(-np.abs(loading), kind="stable")[:_WORDS_IN_NAME]]
        names.append(f"topic {number}: {', '.join(word.strip() for word in words)}")
    length = np.log2(np.maximum(lengths, 1))
    return np.column_stack([topics, length]).astype(np.float32), [*names, "length"]


def _measured(texts: Callable[[], Iterable[str]], lengths: list[int]) -> Iterable[str]:
    lengths.clear()
    for text in texts():
        lengths.append(len(text))
        yield text


def _tf_idf(texts: Callable[[], Iterable[str]]) -> tuple[Any, Any]:
    """Return what weighs the terms of texts, and the weights in these."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    for analyser, sizes, in_texts in _ANALYSERS:
        vectorizer = TfidfVectorizer(
            analyzer=analyser, ngram_range=sizes, min_df=in_texts, max_features=_TERMS, sublinear_tf=True
        )
        try:
            weights = vectorizer.fit_transform(texts())
        except ValueError:  # no term is left
            continue
        described = (weights.getnnz(axis=1) > 0).mean()
        if weights.shape[1] >= 3 and described >= _ENOUGH_DESCRIBED:
            break
    return vectorizer, weights


def _usable(text: str) -> str:
    if not text.strip():
        raise UnreadableError("it holds no text")
    return text
