"""The verb that serves the labelling app."""

from __future__ import annotations

import argparse
import errno
import os
import socket
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.cli._options import DEFAULT_DATABASE, count, number

if TYPE_CHECKING:
    from tercet.items import Items

#: How many classes the examples have.
_EXAMPLE_CLASSES = {"digits": 10, "birds": 5}


def add_verbs(verbs: Any) -> None:
    """Say what the verb takes."""
    label = verbs.add_parser("label", help="serve the labelling app for a folder or table of your own")
    label.add_argument(
        "source",
        nargs="?",
        metavar="FOLDER_OR_TABLE",
        help="images, sound, video, text; .csv, .parquet, .npz",
    )
    label.add_argument(
        "--example", choices=tuple(_EXAMPLE_CLASSES), help="a collection that comes with Tercet"
    )
    label.add_argument("--classes", type=count, help="how many kinds of things to expect, if that is known")
    label.add_argument("--db", default=DEFAULT_DATABASE, metavar="URL", help=f"({DEFAULT_DATABASE})")
    label.add_argument("--study", metavar="NAME", help="(the name of the folder or table)")
    label.add_argument("--questions", type=count, metavar="N", help="questions for each annotator (100)")
    label.add_argument("--practice", type=number, metavar="P", help="easy questions to begin with (0)")
    label.add_argument("--catch", type=number, metavar="N", help="about one catch question in N (0: none)")
    label.add_argument("--seed", type=number, help="same seed and answers, same questions (0)")
    label.add_argument("--host", default="127.0.0.1", help="address to serve on; others need a password")
    label.add_argument("--port", type=count, default=8000, help="(8000)")
    label.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="its first line is the password (or TERCET_PASSWORD)",
    )
    label.add_argument("--https", action="store_true", help="people come by https, through a proxy")
    label.add_argument("--open", action="store_true", help="open a browser")
    label.set_defaults(verb=_label)


def _label(options: argparse.Namespace) -> int:
    try:
        import uvicorn

        from tercet.labelling import Session, StudySettings
        from tercet.stores import SqlStore
        from tercet.web import WebSettings, create_app
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'tercet[label]'") from error

    if (options.source is None) == (options.example is None):
        raise ValueError("name a folder or table to label, or an example (--example digits), and not both")
    web = WebSettings(options.host, options.port, _password(options.password_file), options.https)
    # Pages get their turn sooner while the learner computes: an answer takes it a dozen times, for the disk.
    sys.setswitchinterval(0.001)
    fresh = StudySettings(n_classes=_EXAMPLE_CLASSES.get(options.example or ""))
    changes = {
        "n_classes": options.classes,
        "n_questions": options.questions,
        "practice": options.practice,
        "catch_every": options.catch,
        "seed": options.seed,
    }
    # All before any work: what is in the way should not be found out after an hour of computing features.
    wanted = fresh.changed(**changes)
    SqlStore.try_out(options.db)
    with closing(_listen(options.host, options.port)) as listening:
        items = _items(options)
        _say_left_out(items)
        name = options.study or options.example or Path(options.source).expanduser().absolute().stem
        # Before a database is made: what cannot be begun should leave nothing behind.
        wanted.check_items(len(items))
        with (
            closing(SqlStore(options.db)) as store,
            Session(items, store, name, settings=fresh, **changes) as session,
        ):
            app = create_app(session, web)
            config = uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=3,
            )
            print(
                f"{len(items):,} items, study {session.study!r} in {_without_password(options.db)}\n"
                f"Tercet is at {web.url} (stop it with Ctrl+C; everything is saved)",
                flush=True,
            )
            if options.open:
                _open_soon(web.url)
            uvicorn.Server(config).run(sockets=[listening])
    return 0


def _items(options: argparse.Namespace) -> Items:
    from tercet._files import cache_folder
    from tercet.media import example, load_items

    if options.example is not None:
        return example(options.example, cache_folder() / "examples")
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'tercet[label]'") from error
    with tqdm(desc="Features", unit="item", leave=False, mininterval=0.3) as bar:

        def show(done: int, total: int, what: str) -> None:
            bar.total = total
            bar.set_description(what, refresh=False)
            bar.update(done - bar.n)

        return load_items(options.source, progress=show)


def _say_left_out(items: Items) -> None:
    if not items.left_out:
        return
    print(f"tercet: left out, {len(items.left_out)} in all:", file=sys.stderr)
    for name, reason in items.left_out[:10]:
        print(f"  {name}: {reason}", file=sys.stderr)
    if len(items.left_out) > 10:
        print(f"  and {len(items.left_out) - 10} more; see the results page", file=sys.stderr)


def _password(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get("TERCET_PASSWORD")
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is no text"
        raise ValueError(f"cannot read the password from {file} ({said}); check --password-file") from error
    if not lines:
        raise ValueError(f"{file} is empty; its first line must be the password")
    return lines[0]


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, or say what is in the way."""
    if port > 65535:
        raise ValueError(f"there is no port {port}; use --port with a number up to 65535")
    try:
        (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except socket.gaierror as error:
        raise OSError(f"{host!r} is no address of this machine ({error}); try --host 127.0.0.1") from error
    listening = socket.socket(family, kind, protocol)
    if os.name == "posix":  # elsewhere this would share the port with another program
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                f"port {port} on {host} is in use, perhaps by another tercet label; stop that one, or choose "
                f"another: --port {port + 1}"
            ) from error
        raise OSError(
            f"cannot serve on {host}, port {port}: {error.strerror or error}; try another --host or --port"
        ) from error
    return listening


def _without_password(url: str) -> str:
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)


def _open_soon(url: str) -> None:
    import threading
    import webbrowser

    threading.Timer(1.0, webbrowser.open, (url,)).start()
