"""Bounds hold: too much is refused, slow ones do not hold others up, and the end is orderly."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tessella
from tessella.web.bounds import Bounds
from tessella.web.run import listen
from tessella.web.serve.app import State, application
from tessella.web.serve.service import Service

from .conftest import Client, Running


@contextlib.contextmanager
def serving(tokenizers, token=None, hosts=None, state=None, **bounds):
    made = Bounds(**bounds)
    app = application(Service(tokenizers, made), token=token, hosts=hosts, state=state)
    with Running(app, made) as client:
        client.guard = app
        yield client


def raw(client, data):
    """A connection that has sent these bytes."""
    connection = socket.create_connection(("127.0.0.1", client.port), timeout=10)
    connection.sendall(data)
    return connection


def received(connection):
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    connection.close()
    return b"".join(parts)


def answered(connection):
    """The answer on a connection that stays."""
    answer = b""
    while not answer.endswith(b"}") and (part := connection.recv(1 << 16)):
        answer += part
    connection.close()
    return answer


HEAD = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_bodies_have_a_bound(tokenizers):
    with serving(tokenizers, body=1000, bodies=1500, patience=1) as client:
        assert client.post("/v1/count", {"text": "a" * 900}).status == 200
        assert client.post("/v1/count", {"text": "a" * 1000}).status == 413
        # Who sends much reads the answer too, and is not cut off in the middle.
        assert client.post("/v1/count", {"text": "a" * 5_000_000}).status == 413
        # A length that lies, and no length at all.
        assert b" 413 " in answered(raw(client, HEAD + b"Content-Length: 999999999999\r\n\r\n"))
        chunk = b"400\r\n" + b"a" * 1024 + b"\r\n"
        assert b" 413 " in answered(raw(client, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk))
        # Two bodies of 900 bytes do not go at a time.
        first = raw(client, HEAD + b"Content-Length: 950\r\n\r\n" + b"a" * 900)
        until = time.monotonic() + 0.8
        while client.guard.held < 900 and time.monotonic() < until:
            time.sleep(0.01)
        reply = client.post("/v1/count", {"text": "a" * 900})
        assert reply.status == 429 and reply.headers["retry-after"] == "1"
        first.close()
        until = time.monotonic() + 5
        while client.guard.held and time.monotonic() < until:
            time.sleep(0.01)
        assert client.guard.held == client.guard.requests == 0


def test_batches_have_a_bound(tokenizers):
    with serving(tokenizers, batch=3) as client:
        assert client.post("/v1/count", {"text": ["a"] * 3}).status == 200
        reply = client.post("/v1/count", {"text": ["a"] * 4})
        assert reply.status == 422 and "at most 3 items, found 4" in reply.json["error"]["message"]
        assert client.post("/v1/decode", {"ids": [[1]] * 4}).status == 422


def slowly(tokenizer, seconds):
    """A tokenizer that takes its time, and the times at which it began."""
    slow, calls = tessella.Tokenizer.from_str(tokenizer.to_str()), []

    class Sleeps:
        def normalize(self, text):
            calls.append(time.monotonic())
            time.sleep(seconds)

    slow.normalizer = tessella.normalizers.Normalizer.custom(Sleeps())
    return slow, calls


def until(seconds, true):
    """Waits until something is true."""
    over = time.monotonic() + seconds
    while not true() and time.monotonic() < over:
        time.sleep(0.01)
    assert true()


COUNT = HEAD + b'Content-Length: 13\r\n\r\n{"text": "a"}'


def test_places_are_limited_and_health_is_told(tokenizers):
    slow, _ = slowly(tokenizers["bpe"], 1)
    with serving({"slow": slow}, concurrency=2) as client:
        waiting = [raw(client, COUNT) for _ in range(2)]
        until(5, lambda: client.guard.requests == 2)
        reply = client.post("/v1/count", {"text": "a"})
        assert reply.status == 429 and reply.headers["retry-after"] == "1"
        assert client.get("/health").status == 200
        assert all(b" 200 " in answered(one) for one in waiting)
        until(5, lambda: client.guard.requests == 0)
        assert client.post("/v1/count", {"text": "a"}).status == 200
        assert 'tessella_refused_total{status="429"} 1.0' in client.get("/metrics").body.decode()


def test_slow_senders_hold_no_place(tokenizers):
    with serving(tokenizers, concurrency=2, patience=5) as client:
        waiting = [raw(client, HEAD + b"Content-Length: 13\r\n\r\n{") for _ in range(9)]
        until(5, lambda: client.guard.held == 9)
        assert client.post("/v1/count", {"text": "a"}).status == 200
        waiting[0].sendall(b'"text": "a"}')
        assert b" 200 " in answered(waiting[0])
        for one in waiting:
            one.close()
        until(5, lambda: client.guard.held == 0)


def test_nothing_is_worked_on_for_clients_that_have_gone(tokenizers):
    slow, calls = slowly(tokenizers["bpe"], 0.3)
    with serving({"slow": slow}, threads=1) as client:
        gone = [raw(client, COUNT) for _ in range(12)]
        until(5, lambda: client.guard.requests == 12)
        for one in gone:
            one.close()
        until(2, lambda: client.guard.requests == 0)
        assert client.post("/v1/count", {"text": "a"}).status == 200
        assert len(calls) < 12


def test_small_requests_do_not_wait_for_all_large_ones(tokenizers):
    slow, calls = slowly(tokenizers["bpe"], 0.5)
    body = b'{"text": "%s"}' % (b"a" * (1 << 18))
    with serving({"slow": slow}, threads=2) as client:
        large = [raw(client, HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body) for _ in range(3)]
        until(5, lambda: client.guard.requests == 3)
        assert client.post("/v1/count", {"text": "a"}).status == 200
        # One large one and this.
        assert len(calls) < 4
        assert all(b" 200 " in answered(one) for one in large)


def test_slow_senders_are_sent_away(tokenizers):
    with serving(tokenizers, patience=0.4) as client:
        nothing = raw(client, b"")
        half_a_head = raw(client, b"POST /v1/count HTTP/1.1\r\nHo")
        half_a_body = raw(client, HEAD + b"Content-Length: 100\r\n\r\n{")
        assert received(nothing) == b"" and received(half_a_head) == b""
        assert b" 408 " in received(half_a_body)
        # A second request's head on a connection that has been used.
        body = b'{"text": "a"}'
        again = raw(client, HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer = b""
        while not answer.endswith(b"]}"):
            answer += again.recv(1 << 16)
        again.sendall(b"POST /v1/c")
        assert b"HTTP/1.1" not in received(again)


def test_a_reader_who_does_not_read_loses_its_place(tokenizers, caplog):
    with serving(tokenizers, patience=0.4) as client:
        body = (
            b'{"text": ["'
            + b'", "'.join([b"ab " * 12_000] * 12)
            + b'"], "fields": ["ids", "tokens", "offsets"]}'
        )
        head = HEAD.replace(b"count", b"encode")
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", client.port))
        connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.2)
        assert client.guard.requests == 1
        until = time.monotonic() + 20
        while client.guard.requests and time.monotonic() < until:
            time.sleep(0.05)
        assert client.guard.requests == 0
        got = received(connection)
        assert not got.endswith(b"]}")
    assert not [one for one in caplog.records if one.name == "tessella.serve"]


def test_time_has_a_bound(tokenizers):
    slow, _ = slowly(tokenizers["bpe"], 0.3)
    with serving({"slow": slow}, seconds=0.1) as client:
        reply = client.post("/v1/count", {"text": "a"})
        assert reply.status == 503 and "longer than the 0.1 seconds" in reply.json["error"]["message"]
        # Between two portions of a batch.
        lines = client.post("/v1/encode", {"text": ["a" * 300_000, "b"], "stream": True})
        assert lines.status == 503 or b'"error"' in lines.body.splitlines()[-1]


def test_many_connections(tokenizers):
    """Every one is answered, or told to come back; idle ones in between do no harm."""
    with serving(tokenizers, concurrency=8, patience=5) as client:
        idle = [raw(client, b"") for _ in range(60)]
        counts = {}
        lock = threading.Lock()

        def ask():
            for _ in range(5):
                reply = client.post("/v1/count", {"text": "low lower"})
                with lock:
                    counts[reply.status] = counts.get(reply.status, 0) + 1
                if reply.status == 200:
                    assert reply.json["results"] == [tokenizers["bpe"].count("low lower")]

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(counts.values()) == 100 and set(counts) <= {200, 429} and counts[200] > 0
        for one in idle:
            one.close()


def test_answers_are_sent_at_once():
    # asyncio goes by this name, and accepted connections inherit it.
    with listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_connections_have_a_bound(tokenizers):
    with serving(tokenizers, connections=5, patience=3) as client:
        held = [raw(client, b"") for _ in range(5)]
        time.sleep(0.1)
        assert received(raw(client, b"")) == b""
        for one in held:
            one.close()
        time.sleep(0.1)
        assert client.get("/health").status == 200


def test_the_token(tokenizers):
    with serving(tokenizers, token="secret") as client:
        assert client.get("/health").status == 200
        for path in ("/v1/tokenizers", "/metrics", "/docs", "/openapi.json"):
            reply = client.get(path)
            assert reply.status == 401 and reply.headers["www-authenticate"] == "Bearer"
        assert client.post("/v1/count", {"text": "a"}, Authorization="Bearer other").status == 401
        assert client.post("/v1/count", {"text": "a"}, Authorization="Basic secret").status == 401
        known = Client(client.port, Authorization="bearer secret")
        assert known.post("/v1/count", {"text": "a"}).status == 200
        assert known.get("/openapi.json").json["security"] == [{"token": []}]


def test_the_name_of_the_host(tokenizers):
    with serving(tokenizers, hosts=["localhost", "127.0.0.1", "[::1]"]) as client:
        assert client.get("/health", Host="localhost:80").status == 200
        assert client.get("/health", Host="[::1]").status == 200
        for name in ("evil.example", "localhost.evil.example:8080", "", "127.0.0.1.evil"):
            assert client.get("/v1/tokenizers", Host=name).status == 421


def test_ready_until_told_to_stop(tokenizers):
    state = State()
    with serving(tokenizers, state=state) as client:
        assert client.get("/ready").status == 200
        state.stopping = True
        assert client.get("/ready").status == 503
        assert client.get("/health").status == 200


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_ends_in_order(tokenizers, tmp_path, signal_number):
    path = tmp_path / "tiny.json"
    tokenizers["bpe"].save(path)
    package = str(Path(tessella.__file__).resolve().parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "tessella", "serve", f"one={path}", "--port", "0", "--grace", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": package, "TESSELLA_SERVE_TOKEN": ""},
    )
    try:
        line = process.stdout.readline().decode()
        assert line.startswith("serving one at http://127.0.0.1:")
        client = Client(int(line.rpartition(":")[2]))
        assert client.post("/v1/count", {"text": "low"}).json["results"] == [tokenizers["bpe"].count("low")]
        # A request that has begun is answered after the signal.
        body = b'{"text": "low"}'
        begun = raw(client, HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:5])
        time.sleep(0.1)
        process.send_signal(signal_number)
        time.sleep(0.2)
        begun.sendall(body[5:])
        assert b" 200 " in received(begun)
        assert process.wait(15) == 0
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def test_a_token_of_the_environment_is_looked_at_as_that_of_a_file(monkeypatch, tmp_path):
    """With a line end it would never be borne, and everybody would stand before a closed door."""
    from tessella.cli.commands.serve import VARIABLE, token
    from tessella.errors import ArgumentError

    for given, wanted in (("abc\n", "abc"), ("", None)):
        monkeypatch.setenv(VARIABLE, given)
        assert token(None) == wanted
    for given in (" ", "a b", "é"):
        monkeypatch.setenv(VARIABLE, given)
        with pytest.raises(ArgumentError, match=VARIABLE):
            token(None)
    file = tmp_path / "token"
    file.write_bytes(b"\xff\n")
    with pytest.raises(ArgumentError, match="must hold a token"):
        token(str(file))


def test_where_nobody_can_listen_is_told():
    from tessella.errors import OutOfRangeError
    from tessella.web.run import listen

    for port in (-1, 65536):
        with pytest.raises(OutOfRangeError, match=f"--port must be from 0 to 65535, found {port}"):
            listen("127.0.0.1", port)
    # An address of nobody: it is kept for examples.
    with pytest.raises(OSError, match="choose another --host"):
        listen("192.0.2.1", 0)
    with listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="choose another --port"):
        listen("127.0.0.1", taken.getsockname()[1])
