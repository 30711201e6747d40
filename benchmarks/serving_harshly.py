"""The service under clients that mean it ill, or mean it well and are too many: `python -m benchmarks.serving_harshly`.

One process of `tessella serve` goes through all of this, one after the other; askers whose answers are held to the library's go on
meanwhile. Told are what came of each kind of client, the most memory, and what is left open afterwards (Linux only):

- a crowd: connections that all ask at once, each a few times
- slow ones: heads and bodies that come byte by byte, connections that say nothing, answers that nobody reads
- wrong ones: bodies that are no JSON or not what is asked for, lengths without an end
- gone ones: a process full of requests in the middle that is killed
- heavy ones: the largest bodies with all fields
- the end: SIGTERM while the crowd asks. Every answer is whole and right or does not come at all, and the exit status is 0

    TESSELLA_MODELS=... TESSELLA_CORPORA=... python -m benchmarks.serving_harshly [--connections 500] [--patience 5]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .harsh.clients import (
    Case,
    Connection,
    Tally,
    asker,
    crowd,
    greedy,
    head,
    silent,
    trickle,
    unread,
    wrong,
)
from .harsh.process import Process

if TYPE_CHECKING:
    from tessella import Tokenizer

#: Bodies that are not to be taken, and the statuses that tell so.
WRONG: list[tuple[str, bytes, int]] = [
    ("/v1/encode", b"", 400),
    ("/v1/encode", b"{", 400),
    ("/v1/encode", b'{"text": "a"} {}', 400),
    ("/v1/encode", b'{"text": NaN}', 400),
    ("/v1/encode", b'{"text": "\xff"}', 400),
    ("/v1/encode", b"[" * 100_000, 400),
    ("/v1/encode", b"1" * 5_000, 400),
    ("/v1/encode", b"[]", 422),
    ("/v1/encode", b'{"text": 1}', 422),
    ("/v1/encode", b'{"text": "\\ud800"}', 422),
    ("/v1/encode", b'{"text": ["a", null]}', 422),
    ("/v1/encode", b'{"text": "a", "fields": ["all"]}', 422),
    ("/v1/encode", b'{"text": "a", "max_length": -1}', 422),
    ("/v1/decode", b'{"ids": [-1]}', 422),
    ("/v1/decode", b'{"ids": [4294967296]}', 422),
    ("/v1/decode", b'{"ids": "1"}', 422),
    ("/v1/chunk", b'{"text": "a b", "max_tokens": 1, "overlap": 1}', 409),
    ("/v1/nowhere", b"{}", 404),
]


def cases(tokenizers: Mapping[str, Tokenizer], texts: Sequence[str], many: int, seed: int = 0) -> list[Case]:
    """Requests on texts with the library's answers."""
    dice, made = random.Random(seed), []

    def add(path: str, asked: dict[str, Any], expected: Any) -> None:
        body = json.dumps(asked, ensure_ascii=dice.random() < 0.5).encode()
        made.append(Case(path, body, json.loads(json.dumps(expected))))

    for number in range(many):
        name = dice.choice(sorted(tokenizers))
        tokenizer, some = tokenizers[name], dice.sample(texts, min(len(texts), dice.choice((1, 1, 4, 16))))
        encodings = tokenizer.encode_batch(some, truncation=False, padding=False)
        asked = {"tokenizer": name, "text": some}
        kind = number % 4
        if kind == 0:
            add("/v1/encode", asked, [{"ids": one.ids} for one in encodings])
        elif kind == 1:
            fields = ["ids", "tokens", "offsets"]
            rows = [{field: getattr(one, field) for field in fields} for one in encodings]
            add("/v1/encode", {**asked, "fields": fields}, rows)
        elif kind == 2:
            add("/v1/count", asked, [len(one.ids) for one in encodings])
        else:
            ids = [one.ids for one in encodings]
            add("/v1/decode", {"tokenizer": name, "ids": ids}, tokenizer.decode_batch(ids))
    return made


def heavy(tokenizers: Mapping[str, Tokenizer], size: int) -> Case:
    """A request about as large as may be, whose answer is far larger."""
    fields = ["ids", "tokens", "offsets", "type_ids", "word_ids", "sequence_ids", "special_tokens_mask"]
    text = " ".join(map(str, range(size // 6)))[: size - 300]
    body = json.dumps({"tokenizer": min(tokenizers), "text": text, "fields": fields}).encode()
    return Case("/v1/encode", body, None)


async def among(port: int, some: Sequence[Case], others: Sequence[Coroutine[Any, Any, Any]]) -> list[float]:
    """Runs clients while four askers ask; gives the seconds that the askers' requests took."""
    tally, waits = Tally(), list[float]()
    asking = [asyncio.ensure_future(_endlessly(port, some, tally, waits, seed)) for seed in range(4)]
    try:
        await asyncio.gather(*others)
    finally:
        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    told = ", ".join(f"{name} {count}" for name, count in sorted(tally.items()))
    print(f"    askers meanwhile: {told}; {seconds(waits)}")
    bad = {name for name in tally if name not in ("right", "429 with Retry-After", "413")}
    assert not bad, f"askers were told {bad}"
    return waits


async def _endlessly(port: int, some: Sequence[Case], tally: Tally, waits: list[float], seed: int) -> None:
    while True:
        await asker(port, some, 20, tally, waits, seed)
        seed += 100


def seconds(waits: Sequence[float]) -> str:
    """How long askers waited."""
    if not waits:
        return "none was answered"
    middle, most = statistics.median(waits), max(waits)
    return f"{len(waits)} requests, median {middle * 1000:.0f} ms, longest {most:.1f} s"


async def gone(port: int, many: int, large: Case, pause: float, tally: Tally) -> None:
    """A process that has many requests in the middle, and is killed."""
    code = (
        "import socket, sys, time\n"
        "port, many, head, body = int(sys.argv[1]), int(sys.argv[2]), *sys.stdin.buffer.read().split(b'\\0')\n"
        "held = []\n"
        "for number in range(many):\n"
        "    one = socket.create_connection(('127.0.0.1', port)); held.append(one)\n"
        "    one.sendall([head + body[:len(body) // 2], head[:40], head + body[:-1], b''][number % 4])\n"
        "print('sent', flush=True); time.sleep(600)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(port), str(many)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None and process.stdout is not None
    body = large.body[:20_000]
    process.stdin.write(head(large.path, len(body)) + b"\0" + body)
    process.stdin.close()
    await asyncio.to_thread(process.stdout.readline)
    await asyncio.sleep(pause)
    process.kill()
    await asyncio.to_thread(process.wait)
    process.stdout.close()
    tally["killed with its connections"] += many


async def heavies(port: int, large: Case, many: int, tally: Tally) -> None:
    """The largest requests at a time; each is answered or refused."""

    async def one() -> None:
        connection = Connection(port)
        try:
            await connection.send(head(large.path, len(large.body)) + large.body)
            status, _, body = await connection.answer()
            tally[f"heavy: {status}"] += 1
            if status == 200:
                tally["answers, MB"] += len(body) // 1_000_000
        except (ConnectionError, EOFError) as error:
            tally[f"heavy: {type(error).__name__}"] += 1
        finally:
            connection.close()

    await asyncio.gather(*(one() for _ in range(many)))


async def ending(service: Process, some: Sequence[Case], people: int) -> tuple[Tally, float, int, str]:
    """SIGTERM while a crowd asks: what its askers got, seconds to the end, exit status, what it said."""
    tally = Tally()

    async def asks(seed: int) -> None:
        dice, connection = random.Random(seed), Connection(service.port)
        while True:
            before = Tally()
            try:
                await asyncio.wait_for(connection.open(), 20)
                await asker_once(connection, dice.choice(some), before)
                tally.update(before)
            except (ConnectionError, TimeoutError, OSError):
                tally["not let in any more"] += 1
                return
            finally:
                connection.close()

    asking = asyncio.gather(*(asks(seed) for seed in range(people)))
    await asyncio.sleep(1)
    begun = time.perf_counter()
    service.process.send_signal(signal.SIGTERM)
    await asking
    status, said = await asyncio.to_thread(service.ended, 60)
    return tally, time.perf_counter() - begun, status, said


async def asker_once(connection: Connection, case: Case, tally: Tally) -> None:
    """One request on a connection that is open."""
    from .harsh.clients import Gone, judged

    try:
        await connection.send(head(case.path, len(case.body)) + case.body)
        tally[judged(case, *await connection.answer())] += 1
    except Gone as gone:
        tally["CUT OFF" if gone.begun else "closed"] += 1


def told(title: str, tally: Tally, service: Process, began: float) -> None:
    """A line for a kind of client."""
    found = ", ".join(f"{name} {count:,}" for name, count in sorted(tally.items()))
    print(f"{title}: {found}; {time.perf_counter() - began:.0f} s, peak {service.peak:.0f} MB", flush=True)
    bad = [name for name in tally if any(word.isupper() and len(word) > 3 for word in name.split())]
    assert not bad, f"{title}: {bad}"


async def calm(service: Process, before: int) -> None:
    """Waits until nothing is left open of clients that have gone."""
    until = time.monotonic() + 60
    while service.files() > before and time.monotonic() < until:
        await asyncio.sleep(0.1)
    print(f"    afterwards {service.memory():.0f} MB, {service.held()}", flush=True)
    assert service.files() <= before, "connections are left open"


async def run(service: Process, some: Sequence[Case], large: Case, many: int, patience: float) -> Tally:
    """All of it; ``many`` clients of each kind."""
    port, all_of_it = service.port, Tally()
    first = Tally()
    await crowd(port, some, 8, 10, first)
    await asyncio.sleep(0.3)
    before = service.files()
    print(f"after {first['right']} answers to eight askers: {service.memory():.0f} MB, {service.held()}")
    slow = head("/v1/count", 2_000) + b'{"text": "' + b"a" * 1_988 + b'"}'
    length = len(head("/v1/count", 2_000))
    pace, longest = patience / 20, patience * 3 + 5

    def slow_ones(tally: Tally) -> list[Coroutine[Any, Any, Any]]:
        third = max(many // 3, 1)
        return [
            *(trickle(port, slow, pace, 0, tally, "slow head") for _ in range(third)),
            *(trickle(port, slow, pace, length, tally, "slow body") for _ in range(third)),
            *(silent(port, longest, tally) for _ in range(many - 2 * third)),
        ]

    def wrong_ones(tally: Tally) -> list[Coroutine[Any, Any, Any]]:
        return [
            *(wrong(port, *WRONG[number % len(WRONG)], tally) for number in range(many)),
            *(greedy(port, [None, 1 << 40][number % 2], tally) for number in range(max(many // 10, 2))),
        ]

    few = max(many // 25, 1)
    kinds: dict[str, Callable[[Tally], list[Coroutine[Any, Any, Any]]]] = {
        "slow ones": slow_ones,
        "wrong ones": wrong_ones,
        "gone ones": lambda tally: [gone(port, max(many // 2, 1), large, 0.5, tally)],
        "answers unread": lambda tally: [unread(port, large, 1.0, tally) for _ in range(few)],
        "heavy ones": lambda tally: [heavies(port, large, few, tally)],
    }
    began, tally = time.perf_counter(), Tally()
    service.fresh()
    waits = await crowd(port, some, many, 4, tally)
    told(f"a crowd of {many}", tally, service, began)
    print(f"    {seconds(waits)}")
    assert tally["right"] == many * 4
    await calm(service, before)
    all_of_it.update(tally)
    for title, clients in kinds.items():
        tally = Tally()
        service.fresh()
        began = time.perf_counter()
        await among(port, some, clients(tally))
        told(title, tally, service, began)
        await calm(service, before)
        all_of_it.update(tally)
    return all_of_it


def main() -> None:
    import tessella

    from tests.conformance import texts

    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--patience", type=float, default=5)
    options = parser.parse_args()
    models = texts.needed("TESSELLA_MODELS")
    files = {"gpt2": str(models / "gpt2.json"), "bert": str(models / "bert-uncased.json")}
    tokenizers = {name: tessella.load(path) for name, path in files.items()}
    adversarial = texts.load(texts.needed("TESSELLA_CORPORA"), 300_000)
    known = [one for some in adversarial.values() for one in some if 0 < len(one) < 4_000]
    random.Random(0).shuffle(known)
    service = Process(files, "--patience", str(options.patience))
    try:
        some = cases(tokenizers, known[:5_000], 800)
        asyncio.run(run(service, some, heavy(tokenizers, 4 << 20), options.connections, options.patience))
        service.fresh()
        began = time.perf_counter()
        tally, wait, status, said = asyncio.run(ending(service, some, options.connections // 5))
        told("the end", tally, service, began)
        print(f"    {wait:.1f} s from SIGTERM to the end, exit status {status}, on standard error: {said!r}")
        assert status == 0
    finally:
        service.kill()


if __name__ == "__main__":
    main()
