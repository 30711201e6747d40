"""Clients of the service as the world has them: many, slow, silent, wrong, greedy, and gone in the middle.

They speak HTTP over plain sockets, so that a request may stop anywhere. Each counts in a tally what came of it, and
every answer with status 200 is held to what the library says.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

Tally = Counter[str]


@dataclass(frozen=True)
class Case:
    """A request and its answer by the library; ``None`` where only its being whole is looked at."""

    path: str
    body: bytes
    expected: Any


class Gone(Exception):
    """The server closed the connection; ``begun`` says whether part of an answer had come."""

    def __init__(self, begun: bool) -> None:
        super().__init__("the connection was closed")
        self.begun = begun


def head(path: str, length: int) -> bytes:
    """The head of a request."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


class Connection:
    """A connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self, **options: Any) -> None:
        self._streams = await asyncio.open_connection("127.0.0.1", self._port, **options)

    async def send(self, data: bytes) -> None:
        if self._streams is None:
            await self.open()
        assert self._streams is not None
        self._streams[1].write(data)
        await self._streams[1].drain()

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the next answer."""
        assert self._streams is not None
        reader, begun = self._streams[0], False
        try:
            first = await reader.readuntil(b"\r\n\r\n")
            begun = True
            lines = first.decode("latin-1").split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines[1:] if line)
            }
            if headers.get("transfer-encoding") == "chunked":
                body = b""
                while size := int(await reader.readuntil(b"\r\n"), 16):
                    body += (await reader.readexactly(size + 2))[:-2]
                await reader.readexactly(2)
            else:
                body = await reader.readexactly(int(headers.get("content-length", "0")))
        except asyncio.IncompleteReadError as error:
            raise Gone(begun or bool(error.partial)) from None
        except ConnectionError:
            raise Gone(begun) from None
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), headers, body

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def judged(case: Case, status: int, headers: dict[str, str], body: bytes) -> str:
    """What an answer is, in a word for the tally."""
    if status == 200:
        found = json.loads(body)
        return "right" if found.get("results") == case.expected else "WRONG"
    if status == 429:
        return "429 with Retry-After" if headers.get("retry-after", "").isdigit() else "429 ALONE"
    return str(status)


async def asker(
    port: int, cases: Sequence[Case], asks: int, tally: Tally, waits: list[float], seed: int
) -> None:
    """Asks so often, one after the other, and comes back where it is told to."""
    dice, connection = random.Random(seed), Connection(port)
    try:
        for _ in range(asks):
            case, asked = dice.choice(cases), time.perf_counter()
            while True:
                try:
                    await connection.send(head(case.path, len(case.body)) + case.body)
                    told = judged(case, *await connection.answer())
                except (Gone, ConnectionError) as gone:
                    connection.close()
                    tally["CUT OFF" if isinstance(gone, Gone) and gone.begun else "closed"] += 1
                    await asyncio.sleep(0.2)
                    continue
                tally[told] += 1
                if told != "429 with Retry-After":
                    break
                await asyncio.sleep(1 + dice.random())
            waits.append(time.perf_counter() - asked)
    finally:
        connection.close()


async def crowd(port: int, cases: Sequence[Case], people: int, asks: int, tally: Tally) -> list[float]:
    """So many askers at once; gives the seconds that each of their requests took, with coming back."""
    waits: list[float] = []
    await asyncio.gather(*(asker(port, cases, asks, tally, waits, seed) for seed in range(people)))
    return waits


async def trickle(port: int, data: bytes, pace: float, at_once: int, tally: Tally, name: str) -> None:
    """Sends some bytes at once and the others one by one, until the server has had enough."""
    connection = Connection(port)
    try:
        await connection.send(data[:at_once])
        answer = asyncio.ensure_future(connection.answer())
        for place in range(at_once, len(data)):
            await asyncio.wait([answer], timeout=pace)
            if answer.done():
                break
            with suppress(ConnectionError):
                await connection.send(data[place : place + 1])
        try:
            status, _, _ = await answer
            tally[f"{name}: {status}"] += 1
        except Gone:
            tally[f"{name}: closed"] += 1
    except ConnectionError:
        tally[f"{name}: closed"] += 1
    finally:
        connection.close()


async def silent(port: int, seconds: float, tally: Tally) -> None:
    """Connects, and says nothing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with suppress(ConnectionError):
            await asyncio.wait_for(reader.read(1), seconds)
        tally["silent: closed"] += 1
    except asyncio.TimeoutError:
        tally["silent: KEPT"] += 1
    finally:
        writer.close()


async def unread(port: int, case: Case, seconds: float, tally: Tally) -> None:
    """Asks for much and reads nothing of it for some time; then what is left must be cut or whole."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    # Nothing is taken from the socket before it is asked for.
    _, writer = await asyncio.open_connection(sock=plain, limit=1)
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    try:
        with suppress(ConnectionError):
            writer.write(head(case.path, len(case.body)) + case.body)
            await writer.drain()
        await asyncio.sleep(seconds)
        tally["unread: asked"] += 1
    finally:
        writer.transport.abort()


async def wrong(port: int, path: str, body: bytes, expected: int, tally: Tally) -> None:
    """Sends a body that is not to be taken."""
    connection = Connection(port)
    try:
        while True:
            await connection.send(head(path, len(body)) + body)
            status, _, answer = await connection.answer()
            if status != 429:
                break
            await asyncio.sleep(1)
        told = json.loads(answer)["error"]["message"]
        tally[f"wrong: {status}" if status == expected and told else f"wrong: {status} FOR {expected}"] += 1
    except (Gone, ConnectionError):
        tally["wrong: CLOSED"] += 1
    finally:
        connection.close()


async def greedy(port: int, length: int | None, tally: Tally) -> None:
    """Announces a length, or sends parts without an end, as long as the server takes them."""
    if length is None:
        first = head("/v1/encode", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        part = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    else:
        first, part = head("/v1/encode", length), b"a" * 65536
    while (told := await _greedily(port, first, part)) == "429":
        await asyncio.sleep(1)
    tally[f"greedy: {told}"] += 1


async def _greedily(port: int, first: bytes, part: bytes) -> str:
    connection = Connection(port)

    async def push() -> None:
        while True:
            await connection.send(part)

    try:
        await connection.send(first)
        pushing = asyncio.ensure_future(push())
        try:
            return str((await connection.answer())[0])
        finally:
            pushing.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await pushing
    except (Gone, ConnectionError):
        return "closed"
    finally:
        connection.close()
