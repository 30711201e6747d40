"""The application of the studio: requests of its pages, and the files of these."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

from ..._optional import needed
from ...errors import TessellaError
from ...tokenizer import Tokenizer
from ..answers import Refused, error_body, too_deep
from ..bounds import Bounds
from ..guard import Application, Guard, ReaderGone
from ..schema import TEXT, Invalid, Schema, check, fields, parsed, whole
from ..serve.chat import MESSAGES
from ..work import Deadline, Work
from .chat import chat
from .judged import FLAGS, summary
from .report import reported
from .session import Session
from .steps import steps
from .tokens import entry, tokens
from .training import ALGORITHMS, CUTS, train
from .vocabulary import KINDS, ORDERS, search

_log = logging.getLogger("tessella.studio")

#: One person's: large texts and long trainings, few requests.
BOUNDS = replace(Bounds(), body=16 << 20, seconds=120.0)
#: Characters of a text that is followed step by step, and of one to learn from.
STEPPED = 2000
LEARNED = 200_000

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; frame-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # The token is a part of the address.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

#: A report brings its own style, runs nothing, and is shown in a frame of the studio.
_REPORT_HEADERS = {
    **_HEADERS,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'",
}
#: Files of the door at ``/``, which is outside of the token and knows nothing.
_WELCOME = ("style.css", "welcome.js")

Function = Callable[[Session, dict[str, Any], Deadline], Any]


def _object(required: list[str], **properties: Schema) -> Schema:
    return fields(properties, required=required, additionalProperties=False)


_NAME = TEXT
_SPECIAL = {"type": "boolean", "default": True}


def _choice(*names: str) -> Schema:
    return {"type": "string", "enum": list(names), "default": names[0]}


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


#: What the pages ask for: a schema of the request, and what answers it.
ASKED: dict[str, tuple[Schema, Function]] = {
    "tokenizers": (_object([]), lambda session, asked, deadline: session.described()),
    "corpora": (_object([]), lambda session, asked, deadline: list(session.corpora)),
    "load": (
        _object(["json"], json={"type": "string", "maxLength": 1 << 20}),
        lambda session, asked, deadline: {
            "name": session.add_once("of the link", Tokenizer.from_str(asked["json"]))
        },
    ),
    "chat": (
        _object(
            ["tokenizer", "messages"],
            tokenizer=_NAME,
            messages=MESSAGES,
            template={"type": ["string", "null"], "default": None},
            add_generation_prompt={"type": "boolean", "default": False},
        ),
        lambda session, asked, deadline: chat(session, asked),
    ),
    "audit": (
        _object(["tokenizer"], tokenizer=_NAME),
        lambda session, asked, deadline: summary(session.known(asked["tokenizer"]).flags),
    ),
    "report": (
        _object(
            ["tokenizers"],
            tokenizers={"type": "array", "items": _NAME, "minItems": 1, "maxItems": 8},
            corpora={"type": "array", "items": _NAME, "maxItems": 100, "default": []},
            text={**_text(LEARNED), "default": ""},
            baseline={"type": ["string", "null"], "default": None},
        ),
        reported,
    ),
    "tokens": (
        _object(["tokenizer", "text"], tokenizer=_NAME, text={"type": "string"}, special=_SPECIAL),
        lambda session, asked, deadline: tokens(
            session.known(asked["tokenizer"]), asked["text"], asked["special"]
        ),
    ),
    "token": (
        _object(
            ["tokenizer", "id"],
            tokenizer=_NAME,
            id=whole(most=(1 << 32) - 1),
        ),
        lambda session, asked, deadline: entry(session.known(asked["tokenizer"]), asked["id"]),
    ),
    "id": (
        _object(["tokenizer", "token"], tokenizer=_NAME, token={"type": "string"}),
        lambda session, asked, deadline: {
            "id": session.known(asked["tokenizer"]).tokenizer.token_to_id(asked["token"])
        },
    ),
    "steps": (
        _object(
            ["tokenizer", "text"],
            tokenizer=_NAME,
            text=_text(STEPPED),
            special=_SPECIAL,
            n_best=whole(1, 100, default=5),
        ),
        lambda session, asked, deadline: steps(
            session.known(asked["tokenizer"]), asked["text"], asked["special"], asked["n_best"]
        ),
    ),
    "train": (
        _object(
            ["text"],
            text=_text(LEARNED),
            counted={"type": "boolean", "default": False},
            algorithm=_choice(*ALGORITHMS),
            cut=_choice(*CUTS),
            vocab_size=whole(1, 5000, default=100),
            first_seen={"type": "boolean", "default": False},
            likelihood={"type": "boolean", "default": False},
            end_of_word={"type": "string", "maxLength": 20, "default": ""},
        ),
        train,
    ),
    "vocabulary": (
        _object(
            ["tokenizer"],
            tokenizer=_NAME,
            query={"type": "string", "maxLength": 1000, "default": ""},
            by=_choice(*KINDS),
            order=_choice(*ORDERS),
            only=_choice("all", "added", "partial", *FLAGS),
            script={"type": "string", "maxLength": 100, "default": ""},
            least=whole(0, 1 << 31, default=0),
            most=whole(0, 1 << 31, default=1 << 31),
            first=whole(0, 1 << 31, default=0),
            count=whole(1, 500, default=100),
        ),
        lambda session, asked, deadline: search(session.known(asked["tokenizer"]), asked, deadline),
    ),
    "save": (
        _object(["tokenizer"], tokenizer=_NAME),
        lambda session, asked, deadline: {
            "json": session.known(asked["tokenizer"]).tokenizer.to_str(pretty=True)
        },
    ),
}


def _answered(session: Session, name: str, body: bytes, deadline: Deadline) -> bytes:
    schema, function = ASKED[name]
    try:
        given = parsed(body)
        result = function(session, check(given, schema), deadline)
    except Invalid as error:
        raise Refused(422, str(error), error.path) from error
    except RecursionError:
        raise too_deep() from None
    except (TessellaError, TypeError) as error:
        raise Refused(422, str(error)) from error
    except OSError as error:
        # A corpus that was there when the studio opened.
        raise Refused(422, f"{error.filename}: {error.strerror}") from error
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def static() -> dict[str, bytes]:
    """The files of the pages, by name."""
    folder = files(__package__) / "static"
    return {
        one.name: one.read_bytes() for one in folder.iterdir() if one.name[one.name.rfind(".") :] in _TYPES
    }


def application(session: Session, token: str, hosts: list[str] | None = None) -> Application:
    """The studio, at ``/TOKEN/``; everything else is not there.

    Args:
        session: what is looked at.
        token: what the address must hold.
        hosts: names by which the server may be called; ``None`` for all.
    """
    needed("starlette", "studio", "`tessella studio`")
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    work, pages = Work(BOUNDS), static()

    async def file(request: Any) -> Any:
        name = request.path_params.get("name") or "index.html"
        if name not in pages:
            raise Refused(404, f"there is no page {name!r}")
        return Response(pages[name], media_type=_TYPES[name[name.rfind(".") :]], headers=_HEADERS)

    async def welcome(request: Any) -> Any:
        name = request.path_params.get("name") or "welcome.html"
        if name not in (*_WELCOME, "welcome.html"):
            raise Refused(404, f"there is no page {name!r}")
        return Response(pages[name], media_type=_TYPES[name[name.rfind(".") :]], headers=_HEADERS)

    async def report(request: Any) -> Any:
        found = session.reports.get(request.path_params["key"])
        if found is None:
            raise Refused(404, "this report is not kept any longer: measure again")
        return Response(found, media_type=_TYPES[".html"], headers=_REPORT_HEADERS)

    async def ask(request: Any) -> Any:
        name = request.path_params["name"]
        if name not in ASKED:
            raise Refused(404, f"there is nothing to ask for by {name!r}")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "the body must be application/json")
        body, deadline = await request.body(), work.deadline()
        made = await work.call(deadline, lambda: _answered(session, name, body, deadline))
        return Response(made, media_type="application/json", headers=_HEADERS)

    async def refused(request: Any, error: Any) -> Any:
        body = error_body(error.status, str(error), error.path)
        return Response(body, error.status, {**_HEADERS, **error.headers}, media_type="application/json")

    async def unknown(request: Any, error: Exception) -> Any:
        if not isinstance(error, ReaderGone):
            _log.error("%s failed", request.url.path.replace(token, "…"), exc_info=error)
        told = "something is wrong with the studio: what it printed tells more"
        return Response(error_body(500, told), 500, _HEADERS, media_type="application/json")

    routes = [
        Route("/", welcome, methods=["GET"]),
        Route("/welcome/{name}", welcome, methods=["GET"]),
        Route(f"/{token}/report/{{key}}", report, methods=["GET"]),
        Route(f"/{token}/", file, methods=["GET"]),
        Route(f"/{token}/static/{{name}}", file, methods=["GET"]),
        Route(f"/{token}/ask/{{name}}", ask, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {Refused: refused, Exception: unknown}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), BOUNDS, hosts=hosts)
