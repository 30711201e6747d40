"""Serve tokenizers over HTTP: encode, decode, count, chunk, chat.

Answers are those of the library, in JSON, in lines of JSON, or in Arrow's format. /docs describes all
requests, and /tokenize and /detokenize answer as vLLM and llama.cpp servers do. Only this machine can reach
the server, unless --host says otherwise; --token-file or TESSELLA_SERVE_TOKEN asks for a token. What is too
much is refused: bodies, batches, time, and requests at a time (429). Ctrl-C and SIGTERM let requests end
first.

Needs starlette, uvicorn and prometheus-client: pip install 'tessella[serve]'.

Examples:
  $ tessella serve tokenizer.json
  $ tessella serve chat=./model-folder cl100k_base.tiktoken --port 8100
  $ tessella serve tokenizer.json --host 0.0.0.0 --token-file token.txt
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields
from typing import TYPE_CHECKING

from ...errors import ArgumentError
from .. import inputs, terminal
from ..shared import add, option

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer
    from ...web.bounds import Bounds

PORT = 8080
#: The environment variable that may hold the token.
VARIABLE = "TESSELLA_SERVE_TOKEN"


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "tokenizers TOKENIZER...", "a file, folder or repository; NAME=FILE names it")
    option(parser, "--host HOST", "where to listen (default: 127.0.0.1)", default="127.0.0.1")
    option(parser, "--port N", f"0 for any free one (default: {PORT})", default=PORT)
    option(parser, "--token-file FILE", "a file with the token that requests must bear")
    option(parser, "--allowed-host NAME", "a further name that clients may call it by", action="append")
    option(parser, "--access-log", "write a line for each request")
    add(parser, "pattern")
    group = parser.add_argument_group("bounds")
    option(group, "--max-body SIZE", "of one request (default: 4MiB)")
    option(group, "--max-bodies SIZE", "of all requests at a time (default: 64MiB)")
    option(group, "--max-batch N", "texts of one request (default: 4096)")
    option(group, "--concurrency N", "requests at a time (default: 64)")
    option(group, "--connections N", "connections at a time (default: 1000)")
    option(group, "--threads N", "threads that work (default: one a core)")
    option(group, "--seconds N", "of work on one request (default: 30)", type=float)
    option(group, "--patience N", "seconds for slow senders (default: 15)", type=float)
    option(group, "--grace N", "seconds to end requests (default: 10)", type=float)


def bounds(options: argparse.Namespace) -> Bounds:
    """The bounds that were typed."""
    from ...counting import memory_size
    from ...web.bounds import Bounds

    typed = {name.removeprefix("max_"): value for name, value in vars(options).items() if value is not None}
    given = {field.name: typed[field.name] for field in fields(Bounds) if field.name in typed}
    for name in given.keys() & {"body", "bodies"}:
        given[name] = memory_size(given[name], f"--max-{name}")
    made = Bounds(**given)
    if made.bodies < made.body:
        raise ArgumentError(
            f"--max-bodies must be --max-body ({made.body} bytes) or more, found {made.bodies}"
        )
    return made


def loaded(given: list[str], pattern: str | None) -> dict[str, Tokenizer]:
    """Tokenizers by name: what stands before ``=``, or the name of the file without its ending."""
    found: dict[str, Tokenizer] = {}
    for one in given:
        name, equals, source = one.partition("=")
        if not equals or os.path.exists(one):
            source = one
            base = os.path.basename(os.path.normpath(source))
            name = os.path.splitext(base)[0] if os.path.isfile(source) else base
        if not name or name in found:
            problem = "has no name" if not name else f"has the name {name!r} of another one"
            raise ArgumentError(f"the tokenizer {one!r} {problem}: give it one of its own, NAME={source}")
        found[name] = inputs.load(source, pattern if source.endswith(".tiktoken") else None)
    return found


def token(file: str | None) -> str | None:
    """The token of a file, or of the environment."""
    place = file or VARIABLE
    if file is None:
        if not (given := os.environ.get(VARIABLE)):
            return None
        found = given.strip()
    else:
        with open(file, encoding="utf-8", errors="replace") as opened:
            found = opened.read().strip()
    if not found or not found.isascii() or not found.isprintable() or " " in found:
        raise ArgumentError(f"{place} must hold a token: letters, digits and signs of ASCII on one line")
    return found


def run(options: argparse.Namespace) -> int:
    from ...web.run import address, is_loopback, listen, server
    from ...web.serve.app import State, application
    from ...web.serve.service import Service

    secret = token(options.token_file)
    limits = bounds(options)
    state = State()
    hosts = None
    if is_loopback(options.host):
        hosts = ["localhost", "127.0.0.1", "[::1]", options.host, *(options.allowed_host or ())]
    elif options.allowed_host:
        hosts = [options.host, *options.allowed_host]
    bound = listen(options.host, options.port)
    with bound:
        service = Service(loaded(options.tokenizers, options.pattern), limits)
        app = application(service, token=secret, hosts=hosts, state=state)
        if secret is None and not is_loopback(options.host):
            terminal.note("everybody who reaches this port is answered: --token-file asks for a token")

        def started() -> None:
            print(f"serving {', '.join(service.tokenizers)} at {address(bound, options.host)}", flush=True)
            if sys.stderr is not None:
                terminal.note(f"requests are described at {address(bound, options.host)}/docs")

        def stopping() -> None:
            state.stopping = True

        log = options.access_log
        running = server(app, limits, extra="serve", on_start=started, on_stop=stopping, access_log=log)
        running.run(sockets=[bound])
    terminal.note("stopped")
    return 0
