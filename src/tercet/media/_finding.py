"""The files of a folder, in one order, and those that cannot be items."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePath

from tercet.items import Kind
from tercet.media._formats import format_of

LeftOut = list[tuple[str, str]]


@dataclass(frozen=True)
class Found:
    """Files of one kind.

    Attributes
    ----------
    kind : "image", "audio", "video" or "text"
    names : list of str
        Paths from the folder, with slashes, sorted.
    left_out : list of (name, reason)
    """

    kind: Kind
    names: list[str]
    left_out: LeftOut


def find_files(root: Path) -> Found:
    """Return the files below a folder that are of its most frequent kind; hidden files are passed over."""
    by_kind: dict[str, Kind] = {}
    left_out: LeftOut = []
    for name in _walk(root, left_out):
        form = format_of(name)
        if form is None:
            suffix = PurePath(name).suffix
            told = f"its name ends in {suffix!r}" if suffix else "its name has no ending"
            left_out.append((name, f"{told}, which is no image, sound, video or text that Tercet reads"))
            continue
        reason = why_not(root, name, walked=True)
        if reason:
            left_out.append((name, reason))
        else:
            by_kind[name] = form.kind
    if not by_kind:
        seen = f"; {len(left_out)} were left out, such as {_first(left_out)}" if left_out else ""
        raise ValueError(
            f"{root} holds no image, sound, video or text files{seen}; name a folder that does, or a .csv, "
            ".parquet or .npz table"
        )
    # Of kinds with as many files each, the first by name: the same choice at every start.
    (kind, count), *_ = sorted(Counter(by_kind.values()).items(), key=lambda pair: (-pair[1], pair[0]))
    for name, other in by_kind.items():
        if other != kind:
            left_out.append((name, f"it is {other}, and this study is about {count} {kind} files"))
    return Found(kind, sorted(name for name in by_kind if by_kind[name] == kind), sorted(left_out))


def why_not(root: Path, name: str, *, walked: bool = False) -> str | None:
    """Return why this file cannot be an item, or None if it is in the folder and has something in it.

    Where ``walked`` no folder on the way is a link, so only links must be followed, which is quicker.
    """
    path = root / name
    try:
        if (not walked or path.is_symlink()) and not path.resolve().is_relative_to(root.resolve()):
            return "it leads out of the folder; copy the file itself there"
        status = path.stat()
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except RuntimeError:  # a link that leads to itself
        return "it is a link that leads nowhere"
    if not stat.S_ISREG(status.st_mode):
        return "it is no regular file"
    return None if status.st_size else "it is empty"


def _walk(root: Path, left_out: LeftOut) -> list[str]:
    names = []

    def cannot_list(error: OSError) -> None:
        left_out.append((_printable(os.path.relpath(error.filename, root)), f"{error.strerror}"))

    for folder, subfolders, files in os.walk(root, onerror=cannot_list):
        subfolders[:] = [sub for sub in subfolders if not sub.startswith(".")]
        for sub in subfolders:
            if os.path.islink(os.path.join(folder, sub)):
                link = Path(os.path.relpath(os.path.join(folder, sub), root)).as_posix()
                left_out.append((_printable(link), "links to folders are not followed"))
        for file in files:
            if file.startswith("."):
                continue
            name = Path(os.path.relpath(os.path.join(folder, file), root)).as_posix()
            if _printable(name) == name:
                names.append(name)
            else:
                left_out.append((_printable(name), "its name is not UTF-8; rename it"))
    return names


def _printable(name: str) -> str:
    """Return a file's name without the stray bytes that no answer could be stored under."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _first(left_out: LeftOut) -> str:
    name, reason = left_out[0]
    return f"{name} ({reason})"
