"""The socket, the server, and an orderly end.

Ctrl-C and SIGTERM end a server in this order: it is no longer ready and takes no connections, requests that
it has get their answers (for ``Bounds.grace`` seconds), and the process goes on with exit status 0. A second
Ctrl-C does not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from .._optional import needed
from ..errors import OutOfRangeError
from .bounds import Bounds

if TYPE_CHECKING:
    from .guard import Application


#: Seconds that a connection may stay open without a request.
IDLE = 30


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one."""
    if not 0 <= port <= 0xFFFF:
        raise OutOfRangeError(f"--port must be from 0 to 65535, found {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small parts at once only on sockets that call themselves TCP: without the name,
    # the body of an answer may wait 40 ms behind its head.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_REUSEADDR"):
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(1024)
    except OSError as error:
        made.close()
        is_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        advice = f"choose another {'--host' if is_host else '--port'}"
        raise OSError(error.errno, f"{error.strerror}: {advice}", f"{host}:{port}") from None
    return made


def address(bound: socket.socket, host: str) -> str:
    """What a browser is given to reach a socket."""
    port = bound.getsockname()[1]
    name = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{name}:{port}"


def _patient(base: type[Any], patience: float, most: int) -> type[Any]:
    """A protocol of uvicorn that does not wait for ever for the head of a request.

    uvicorn closes connections that are idle after an answer; one that sends its first request's head byte by
    byte, or nothing at all, it would keep.
    """

    class Patient(base):  # type: ignore[misc]
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
                return
            self._wait()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._wait_no_more()
            elif self._waiting is None and (before is None or before.response_complete):
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._wait_no_more()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._waiting = self.loop.call_later(patience, self._give_up)

        def _wait_no_more(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            self.transport.abort()

    return Patient


def _protocol() -> type[Any]:
    """The fastest protocol that is there."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

        return HttpToolsProtocol
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol

        return H11Protocol


def server(
    app: Application,
    bounds: Bounds,
    *,
    extra: str,
    on_start: Callable[[], object] = lambda: None,
    on_stop: Callable[[], object] = lambda: None,
    access_log: bool = False,
) -> Any:  # a `uvicorn.Server`, whose type is known only where uvicorn is installed
    """What serves, by its ``run(sockets=[...])``, until it is told to stop.

    Args:
        app: the application.
        bounds: the bounds.
        extra: the extra of this package that brings uvicorn.
        on_start: called when requests are taken.
        on_stop: called when it is told to stop, before requests have ended.
        access_log: write a line for each request on standard error.
    """
    uvicorn = needed("uvicorn", extra, f"`tessella {extra}`")

    class Server(uvicorn.Server):  # type: ignore[misc, name-defined]
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                on_start()

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            # Not uvicorn's own: it would raise the signal again when all has ended well.
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            known = [signal.SIGINT, signal.SIGTERM]
            before = {one: signal.signal(one, self.handle_exit) for one in known}
            try:
                yield
            finally:
                for one, handler in before.items():
                    signal.signal(one, handler)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            on_stop()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        log_level="info" if access_log else "error",
        access_log=access_log,
        lifespan="off",
        ws="none",
        http=_patient(_protocol(), bounds.patience, bounds.connections),
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=max(round(bounds.grace), 1),
        h11_max_incomplete_event_size=1 << 16,
        server_header=False,
    )
    return Server(config)
