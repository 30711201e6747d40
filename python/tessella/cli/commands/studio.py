"""Look at tokenizers in a browser: tokens, steps, trainings, vocabularies.

Opens pages on this machine, which nobody else can reach: they listen on loopback only, and their address
holds a random token. Text is coloured by token while you type, for up to four tokenizers side by side; every
step of a pipeline, of merging, of a lattice, and of a small training can be played. Without a tokenizer you
begin with a small one that is trained when the studio opens, and can train others.

Needs starlette and uvicorn: pip install 'tessella[studio]'.

Examples:
  $ tessella studio
  $ tessella studio tokenizer.json other=./model-folder
  $ tessella studio tokenizer.json --port 8090 --no-browser
"""

from __future__ import annotations

import argparse
import secrets
from typing import TYPE_CHECKING

from .. import terminal
from .serve import loaded

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tokenizers", nargs="*", metavar="TOKENIZER", help="a file, folder or repository; NAME=FILE names it"
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="where to listen (default: a free one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--pattern", help="how a .tiktoken file's texts are cut: a name or an expression")


def first() -> dict[str, Tokenizer]:
    """What there is to look at where nothing was named: one of each kind, learned from a little of Python."""
    from ... import recipes
    from ...demo.corpus import split

    texts = split()[0][:12]
    sizes = {"gpt2": 2000, "bert-uncased": 2000, "t5": 2000}
    return {name: recipes.get(name).train(iter(texts), vocab_size=size) for name, size in sizes.items()}


def run(options: argparse.Namespace) -> int:
    from ...web.run import address, listen, server
    from ...web.studio.app import BOUNDS, application
    from ...web.studio.session import Session

    with listen("127.0.0.1", options.port) as bound:
        session = Session(loaded(options.tokenizers, options.pattern) if options.tokenizers else first())
        token = secrets.token_urlsafe(16)
        app = application(session, token, ["localhost", "127.0.0.1"])
        page = f"{address(bound, '127.0.0.1')}/{token}/"

        def started() -> None:
            print(f"the studio is at {page}", flush=True)
            terminal.note("Ctrl-C ends it")
            if not options.no_browser:
                import webbrowser

                webbrowser.open(page)

        server(app, BOUNDS, extra="studio", on_start=started).run(sockets=[bound])
    return 0
