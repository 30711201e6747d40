"""What stands before an application: it refuses what is too much before anything is made of it.

A request comes through in this order: the host's name, the token, the whole body within its bounds of bytes
and time, a place among the requests at a time. Only then does the application hear of it, with the body at
hand. So slow senders hold no place. Answers go out in parts of 64 KiB, each of which the reader has some time
to take, so that a reader who does not read holds a place only that long; work for a client who has gone ends.

It is plain ASGI and knows no framework.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from .answers import Refused, error_body
from .bounds import Bounds
from .patience import Gone, Within

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

#: Bytes of an answer that go out at a time.
PART = 1 << 16


class ReaderGone(Exception):
    """Whoever asked does not read the answer."""


class Guard:
    """An application behind bounds.

    Args:
        app: the application.
        bounds: the bounds.
        token: what ``Authorization: Bearer ...`` must say; ``None`` lets everybody in.
        hosts: the names by which the server may be called; ``None`` for all. A page of another site cannot
            reach a server on this machine under a name of its own then.
        open_paths: paths that need neither token nor place: they answer also when all places are taken.
        on_refused: hears the status of each request that is refused here.
    """

    def __init__(
        self,
        app: Application,
        bounds: Bounds,
        *,
        token: str | None = None,
        hosts: Iterable[str] | None = None,
        open_paths: Iterable[str] = (),
        on_refused: Callable[[int], object] = lambda status: None,
    ) -> None:
        self.app, self.bounds = app, bounds
        self._token = None if token is None else token.encode()
        self._hosts = None if hosts is None else {name.lower() for name in hosts}
        self._open = frozenset(open_paths)
        self._on_refused = on_refused
        #: Requests that hold a place, and bytes of their bodies.
        self.requests = 0
        self.held = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        sender = _Sender(send, self.bounds.patience)
        try:
            self._known(scope)
            limited = scope["path"] not in self._open
            if limited:
                self._allowed(scope)
            await self._pass(scope, receive, sender, limited)
        except Refused as refused:
            self._on_refused(refused.status)
            await _refuse(refused, sender)
        except (ReaderGone, asyncio.TimeoutError):
            # The server closes what ends before the answer does: half an answer must not look like a whole
            # one. An exception would close it too, with a page of its calls in the log.
            return

    def _known(self, scope: Message) -> None:
        if self._hosts is None:
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in self._hosts:
            raise Refused(
                421, f"this server is not called {name!r}: allowed are {', '.join(sorted(self._hosts))}"
            )

    def _allowed(self, scope: Message) -> None:
        if self._token is None:
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        kind, _, value = given.partition(b" ")
        # Compared in a time that tells nothing of where they differ.
        if kind.lower() != b"bearer" or not hmac.compare_digest(value.strip(), self._token):
            raise Refused(
                401, "this server wants `Authorization: Bearer TOKEN`", headers={"WWW-Authenticate": "Bearer"}
            )

    def _room(self) -> None:
        if self.requests >= self.bounds.concurrency:
            raise _busy(f"{self.requests} requests are being worked on, and no more are taken at a time")

    async def _pass(self, scope: Message, receive: Receive, sender: _Sender, limited: bool) -> None:
        held = placed = 0

        def hold(size: int) -> None:
            nonlocal held
            if self.held + size > self.bounds.bodies:
                raise _busy(
                    f"requests of {self.held} bytes are being worked on, and no more are taken at a time"
                )
            self.held += size
            held += size

        try:
            self._announced(scope)
            if limited:
                # Looked at before as well: what would be refused anyway is not read.
                self._room()
            body = await self._body(receive, hold)
            if body is None:
                return
            if limited:
                self._room()
                placed = 1
                self.requests += 1
            with Gone(receive):
                await self.app(scope, _replay(body, receive), sender)
        finally:
            self.held -= held
            self.requests -= placed

    def _announced(self, scope: Message) -> None:
        length = dict(scope["headers"]).get(b"content-length")
        if length is not None and (not length.isdigit() or int(length) > self.bounds.body):
            raise _too_large(self.bounds.body)

    async def _body(self, receive: Receive, hold: Callable[[int], None]) -> bytes | None:
        """The whole body; ``None`` if the sender has gone."""
        try:
            with Within(self.bounds.patience):
                return await _read(receive, self.bounds.body, hold)
        except asyncio.TimeoutError:
            raise Refused(
                408, f"the body did not come within {self.bounds.patience:g} seconds", headers=_CLOSE
            ) from None


async def _read(receive: Receive, most: int, hold: Callable[[int], None]) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise _too_large(most)
        hold(len(part))
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


_CLOSE = {"Connection": "close"}


def _busy(reason: str) -> Refused:
    return Refused(429, reason, headers={"Retry-After": "1"})


def _too_large(most: int) -> Refused:
    # The connection stays, and what still comes is thrown away for a while: who is cut off while sending
    # does not get to read the answer.
    return Refused(413, f"the body is larger than {most} bytes, the most that is taken")


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class _Sender:
    """Sends answers in parts, and does not wait for ever for a reader."""

    def __init__(self, send: Send, patience: float) -> None:
        self._send, self._patience = send, patience
        self.started = False

    async def __call__(self, message: Message) -> None:
        self.started = True
        body: bytes = message.get("body", b"")
        if message["type"] != "http.response.body" or len(body) <= PART:
            await self._out(message)
            return
        for start in range(0, len(body), PART):
            await self._out({**message, "body": body[start : start + PART], "more_body": True})
        if not message.get("more_body", False):
            # Waits until what was sent before has gone.
            await self._out({**message, "body": b"", "more_body": False})

    async def _out(self, message: Message) -> None:
        try:
            with Within(self._patience):
                await self._send(message)
        except asyncio.TimeoutError:
            raise ReaderGone from None


async def _refuse(refused: Refused, sender: _Sender) -> None:
    if sender.started:
        raise refused
    body = error_body(refused.status, str(refused), refused.path)
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **refused.headers}
    raw = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await sender({"type": "http.response.start", "status": refused.status, "headers": raw})
    await sender({"type": "http.response.body", "body": body})
