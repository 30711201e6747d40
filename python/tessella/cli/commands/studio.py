"""Look at tokenizers in a browser: tokens, steps, trainings, vocabularies.

Opens pages on this machine, which nobody else can reach: they listen on loopback only, and their address
holds a random token. Text is coloured by token while you type, for up to four tokenizers side by side; every
step of a pipeline, of merging, of a lattice, and of a small training can be played. Without a tokenizer you
begin with a small one that is trained when the studio opens, and can train others.

Needs starlette and uvicorn: pip install 'tessella[studio]'.

Examples:
  $ tessella studio
  $ tessella studio tokenizer.json other=./model-folder
  $ tessella studio tokenizer.json corpus.txt
  $ tessella studio tokenizer.json --port 8090 --no-browser
"""

from __future__ import annotations

import argparse
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from ...web.studio.links import PORT
from .. import inputs, terminal
from ..shared import add, option
from .serve import loaded

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

#: A conversation as many models write it; what the assistant says counts in the loss.
CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}{{ '\n' }}"
    "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}<|im_end|>{% endgeneration %}"
    "{% else %}{{ message.content }}<|im_end|>{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "names [TOKENIZER|CORPUS...]",
        "a file, folder or repository, NAME=FILE names it; texts (.txt, .jsonl, ...) are for reports",
    )
    option(parser, "--port N", f"where to listen (default: {PORT}, or a free one)")
    option(parser, "--no-browser", "only print the address")
    add(parser, "pattern")


def first() -> dict[str, Tokenizer]:
    """What there is to look at where nothing was named: one of each kind, learned from a little of Python."""
    from ... import recipes
    from ...demo.corpus import split

    texts = split()[0][:12]
    sizes = {"gpt2": 2000, "bert-uncased": 2000, "t5": 2000}
    made = {name: recipes.get(name).train(iter(texts), vocab_size=size) for name, size in sizes.items()}
    made["gpt2"].add_special_tokens(["<|im_start|>", "<|im_end|>"])
    made["gpt2"].chat_template = CHAT
    return made


def example() -> dict[str, list[str]]:
    """A corpus where none was named: other files of Python, a document on each line."""
    from ...demo.corpus import split

    return {
        "lines of Python": [line for text in split()[1][:12] for line in text.splitlines() if line.strip()]
    }


def listen_near(port: int) -> socket.socket:
    """A socket at the usual port, or at a free one where that is taken."""
    from ...web.run import listen

    try:
        return listen("127.0.0.1", port)
    except OSError:
        return listen("127.0.0.1", 0)


def run(options: argparse.Namespace) -> int:
    from ...web.run import address, listen, server
    from ...web.studio.app import BOUNDS, application
    from ...web.studio.session import Session

    texts = [name for name in options.names if inputs.holds_texts(name)]
    named = [name for name in options.names if not inputs.holds_texts(name)]
    for name in texts:
        # A mistyped name is told now, not by a page.
        with open(name, "rb"):
            pass
    with listen_near(PORT) if options.port is None else listen("127.0.0.1", options.port) as bound:
        corpora = dict(zip(inputs.labels(texts), map(Path, texts), strict=True)) if texts else example()
        session = Session(loaded(named, options.pattern) if named else first(), corpora)
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
