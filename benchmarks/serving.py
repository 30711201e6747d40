"""Throughput of the service beside a plain FastAPI app over tiktoken: `python -m benchmarks.serving`.

Both serve cl100k with one process of uvicorn, JSON in and JSON out, on the same machine, in turns. The clients are a process of their
own with connections that are kept: 8 of them, one request at a time each. Answers are compared first. Told are answered requests a
second, and the server's own processor time a request (of all its threads): on a machine that does other work, look at the latter.

    pip install fastapi tiktoken uvicorn starlette prometheus-client
    TESSELLA_MODELS=... TESSELLA_CORPORA=... python -m benchmarks.serving [--seconds 3] [--rounds 3]
"""

# Annotations are objects here: FastAPI reads them.
import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.conformance import texts

CONNECTIONS = 8
SERVERS = ("tessella", "fastapi + tiktoken")


def encoding(path: str) -> Any:
    """tiktoken's own, of the file."""
    import tiktoken
    from tessella.compat.tiktoken.known import KNOWN
    from tiktoken.load import load_tiktoken_bpe

    pattern = KNOWN["cl100k_base"].pattern
    return tiktoken.Encoding(
        "cl100k", pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(path), special_tokens={}
    )


def plain(path: str, port: int) -> None:
    """What one writes in ten minutes: an endpoint that encodes texts."""
    import uvicorn
    from fastapi import FastAPI
    from pydantic import BaseModel

    known, app = encoding(path), FastAPI()

    class Asked(BaseModel):
        text: list[str]

    # Not a coroutine: FastAPI runs it on a thread, so that other requests go on meanwhile.
    @app.post("/v1/encode")
    def encode(asked: Asked) -> dict[str, list[list[int]]]:
        return {"results": known.encode_ordinary_batch(asked.text, num_threads=2)}

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


def free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Server:
    """A server as a process of its own."""

    def __init__(self, name: str, path: str) -> None:
        self.port = free()
        command = [sys.executable, "-m", "tessella", "serve", f"cl100k={path}", "--port", str(self.port)]
        if name != "tessella":
            command = [sys.executable, "-m", "benchmarks.serving", "--plain", path, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        try:
            while True:
                try:
                    ask(self.connection(), json.dumps({"text": ["a"]}).encode())
                    return
                except OSError:
                    if time.monotonic() > until or self.process.poll() is not None:
                        raise
                    time.sleep(0.1)
        except BaseException:
            self.process.kill()
            raise

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def seconds(self) -> float:
        """Processor time so far, as Linux tells it."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def ask(connection: http.client.HTTPConnection, body: bytes) -> Any:
    connection.request("POST", "/v1/encode", body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    read = reply.read()
    if reply.status != 200:
        raise RuntimeError(f"{reply.status}: {read[:200]!r}")
    return read


def load(port: int, bodies: list[bytes], seconds: float) -> int:
    """How many requests were answered; each connection asks again as soon as it has its answer."""
    until, counts = time.monotonic() + seconds, [0] * CONNECTIONS

    def work(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        while time.monotonic() < until:
            ask(connection, bodies[(number * 7 + counts[number]) % len(bodies)])
            counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CONNECTIONS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return sum(counts)


def cases(corpora: Path) -> dict[str, list[bytes]]:
    """Bodies of requests by what they hold."""
    english = "".join(texts.load(corpora, 2_000_000)["english"])
    made = {"100 characters": (100, 1), "4,000 characters": (4000, 1), "64 texts of 1,000": (1000, 64)}
    found = {}
    for name, (size, many) in made.items():
        step = size * many
        parts = [english[at : at + step] for at in range(0, min(len(english) - step, 200 * step), step)]
        found[name] = [
            json.dumps({"text": [part[at : at + size] for at in range(0, step, size)]}).encode()
            for part in parts
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        plain(options.plain, options.port)
        return
    path = str(texts.needed("TESSELLA_MODELS") / "cl100k_base.tiktoken")
    bodies = cases(texts.needed("TESSELLA_CORPORA"))
    servers: dict[str, Server] = {}
    try:
        for name in SERVERS:
            servers[name] = Server(name, path)
        for name, some in bodies.items():
            for body in some[:20]:
                answers = [
                    json.loads(ask(http.client.HTTPConnection("127.0.0.1", one.port), body))["results"]
                    for one in servers.values()
                ]
                ids = [one["ids"] if isinstance(one, dict) else one for one in answers[0]]
                assert ids == answers[1], f"{name}: the answers differ"
            runs: dict[str, list[tuple[float, float]]] = {one: [] for one in SERVERS}
            for _ in range(options.rounds):
                for server, one in servers.items():
                    begun = one.seconds()
                    many = load(one.port, some, options.seconds)
                    runs[server].append((many / options.seconds, (one.seconds() - begun) / many))
            for server, found in runs.items():
                rate, cost = (statistics.median(column) for column in zip(*found, strict=True))
                print(
                    f"{name:<18} {server:<19} {rate:8.0f} requests/s {cost * 1e6:9.0f} µs of processor time each",
                    flush=True,
                )
    finally:
        for one in servers.values():
            one.close()


if __name__ == "__main__":
    main()
