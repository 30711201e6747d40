"""The application of the service."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from ..._optional import needed
from ...errors import TessellaError
from ..answers import Refused, error_body, too_deep
from ..bounds import Bounds
from ..guard import Application, Guard, ReaderGone
from ..schema import Invalid, check, parsed
from ..work import Deadline, Work
from .arrow import stream
from .chat import CHAT
from .chunking import CHUNK
from .decoding import DECODE
from .encoding import COUNT, ENCODE
from .likeness import DETOKENIZE, TOKENIZE
from .metrics import Metrics
from .openapi import ARROW, LINES, description
from .operation import Operation, Results
from .page import page
from .rows import json_parts
from .service import Service

OPERATIONS = [ENCODE, DECODE, COUNT, CHUNK, CHAT, TOKENIZE, DETOKENIZE]
#: What answers without a token and when all places are taken.
OPEN = ("/health", "/ready")

_log = logging.getLogger("tessella.serve")
_NO_CONTENT: dict[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class State:
    """What becomes of an application while it runs."""

    def __init__(self) -> None:
        #: Told to stop: requests are still answered, and it says that it is not ready.
        self.stopping = False


def _written(results: Results, deadline: Deadline) -> bytes:
    parts = [b'{"tokenizer":', *json_parts(results.tokenizer), b',"results":[']
    first = True
    for some in results.rows:
        for row in some:
            parts += [] if first else [b","]
            for part in json_parts(row):
                deadline.check()
                parts.append(part)
            first = False
    return b"".join([*parts, b"]}"])


def _lines(results: Results) -> Iterator[bytes]:
    for some in results.rows:
        yield b"".join(part for row in some for part in (*json_parts(row), b"\n"))


class _Answering:
    """Answers an operation's requests."""

    def __init__(self, service: Service, operation: Operation, work: Work, metrics: Metrics) -> None:
        self._service, self._operation, self._work, self._metrics = service, operation, work, metrics
        self._schema = operation.request(service)

    async def __call__(self, request: Any) -> Any:
        from starlette.responses import Response, StreamingResponse

        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, f"the body must be application/json, found {kind or 'no Content-Type'!r}")
        wanted = self._wanted(request.headers.get("accept", "*/*"))
        body = await request.body()
        deadline = self._work.deadline()
        status, started = 500, time.perf_counter()
        try:
            made = await self._work.call(deadline, lambda: self._made(body, wanted, deadline), len(body))
            status = 200
        except Refused as refused:
            status = refused.status
            raise
        finally:
            self._metrics.request(self._operation.path, status, time.perf_counter() - started)
        if isinstance(made, tuple):
            return Response(made[0], media_type=made[1])
        return StreamingResponse(self._streamed(made, deadline, len(body)), media_type=LINES)

    def _wanted(self, accept: str) -> str:
        """The media type of the answer."""
        given = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
        if ARROW in given and self._operation.arrow:
            return ARROW
        known = {"*/*", "application/*", "application/json", *([LINES] if self._operation.streams else [])}
        if given & known or not accept.strip():
            return "application/json"
        raise Refused(406, f"the answer can be application/json, not {accept!r}")

    def _made(self, body: bytes, wanted: str, deadline: Deadline) -> tuple[bytes, str] | Iterator[bytes]:
        """On a thread: the whole answer with its media type, or what is to be streamed."""
        try:
            value = parsed(body)
        except Invalid as error:
            raise Refused(400, str(error), error.path) from error
        try:
            asked = check(value, self._schema)
            result = self._operation.run(self._service, asked, deadline)
            if not isinstance(result, Results):
                return b"".join(json_parts(result)), "application/json"
            self._metrics.results(self._operation.path, result.tokenizer, _count(asked))
            if wanted == ARROW:
                return stream(result), ARROW
            if asked.get("stream"):
                return _lines(result)
            return _written(result, deadline), "application/json"
        except (TessellaError, TypeError) as error:
            # `TypeError` tells of lone surrogates, which JSON can spell and no text may hold.
            raise _refused(error) from error
        except RecursionError:
            raise too_deep() from None

    async def _streamed(self, lines: Iterator[bytes], deadline: Deadline, size: int) -> AsyncIterator[bytes]:
        end = b""
        while True:
            try:
                line = await self._work.call(deadline, lambda: next(lines, end), size)
            except (Refused, TessellaError, TypeError) as error:
                told = error if isinstance(error, Refused) else _refused(error)
                yield error_body(told.status, str(told), told.path) + b"\n"
                return
            if line is end:
                return
            yield line


def _count(asked: Mapping[str, Any]) -> int:
    given = asked.get("text", asked.get("ids"))
    many = isinstance(given, list) and not (given and isinstance(given[0], int))
    return len(given) if many and given is not None else 1


def _refused(error: Exception) -> Refused:
    from ...errors import MissingDependencyError

    if isinstance(error, MissingDependencyError):
        return Refused(503, str(error))
    return Refused(422, str(error), error.path if isinstance(error, Invalid) else None)


def _handlers() -> dict[Any, Callable[[Any, Any], Awaitable[Any]]]:
    from starlette.exceptions import HTTPException
    from starlette.responses import Response

    def answer(status: int, message: str, path: str | None, headers: Mapping[str, str] | None) -> Any:
        return Response(error_body(status, message, path), status, headers, media_type="application/json")

    async def refused(request: Any, error: Refused) -> Any:
        return answer(error.status, str(error), error.path, error.headers)

    async def known(request: Any, error: HTTPException) -> Any:
        message = f"there is no {request.url.path}: see /docs" if error.status_code == 404 else error.detail
        return answer(error.status_code, message, None, error.headers)

    async def unknown(request: Any, error: Exception) -> Any:
        # A reader who does not read is none of the server's mistakes, and may come often.
        if not isinstance(error, ReaderGone):
            _log.error("%s failed", request.url.path, exc_info=error)
        return answer(500, "something is wrong with the server, whose log tells more", None, None)

    return {Refused: refused, HTTPException: known, Exception: unknown}


def application(
    service: Service,
    *,
    token: str | None = None,
    hosts: Iterable[str] | None = None,
    state: State | None = None,
) -> Application:
    """The application that serves tokenizers, behind its guard.

    Args:
        service: the tokenizers.
        token: what requests must bear; ``None`` lets everybody in.
        hosts: names by which the server may be called; ``None`` for all.
        state: what whoever runs it changes.
    """
    needed("starlette", "serve", "`tessella serve`")
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
    from starlette.routing import Route

    now = state or State()
    bounds: Bounds = service.bounds
    work, metrics = Work(bounds), Metrics()
    described = description(service, OPERATIONS, token is not None)

    async def health(request: Any) -> Any:
        return JSONResponse({"status": "ok"})

    async def ready(request: Any) -> Any:
        if now.stopping:
            raise Refused(503, "the server is about to stop")
        return JSONResponse({"status": "ready"})

    async def numbers(request: Any) -> Any:
        body, media = metrics.page()
        return Response(body, media_type=media)

    async def tokenizers(request: Any) -> Any:
        return JSONResponse({"tokenizers": service.described})

    async def openapi(request: Any) -> Any:
        return JSONResponse(described)

    async def docs(request: Any) -> Any:
        base = str(request.base_url).rstrip("/")
        return HTMLResponse(page(described, base), headers=_NO_CONTENT)

    async def start(request: Any) -> Any:
        return RedirectResponse("/docs")

    pages = [
        ("/", start),
        ("/docs", docs),
        ("/openapi.json", openapi),
        ("/v1/tokenizers", tokenizers),
        ("/health", health),
        ("/ready", ready),
        ("/metrics", numbers),
    ]
    routes = [Route(path, function, methods=["GET"]) for path, function in pages]
    routes += [
        Route(one.path, _Answering(service, one, work, metrics).__call__, methods=["POST"])
        for one in OPERATIONS
    ]
    app = Starlette(routes=routes, exception_handlers=_handlers())
    guard = Guard(app, bounds, token=token, hosts=hosts, open_paths=OPEN, on_refused=metrics.refused)
    metrics.watch(guard)
    return guard
