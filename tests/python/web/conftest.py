"""A server in this process, and requests to it as they go over the wire."""

import http.client
import json
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tessella

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("prometheus_client")

from tessella.web.bounds import Bounds
from tessella.web.run import listen, server
from tessella.web.studio.links import PORT

CORPUS = ["low lower lowest newer wider tiles", "naïve café — 東京 😀", "مرحبا שלום"] * 100


TOUR = Path(__file__).parents[3] / "docs" / "tour"


def tour_links() -> list[str]:
    """The links of the tour that lead to the studio."""
    pages = (path.read_text(encoding="utf-8") for path in sorted(TOUR.glob("*.md")))
    return [found for page in pages for found in re.findall(rf"http://127\.0\.0\.1:{PORT}/#\S+", page)]


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    def __init__(self, port: int, **headers: str) -> None:
        self.port, self.headers = port, headers

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            given = {"Content-Type": "application/json", **given}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        reply = Reply(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        )
        connection.close()
        return reply

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        return self("POST", path, body, **headers)

    def get(self, path: str, **headers: str) -> Reply:
        return self("GET", path, **headers)


class Running:
    """A server on a thread of its own, for the time of a `with`."""

    def __init__(self, app, bounds=None):
        self.bound = listen("127.0.0.1", 0)
        self.port = self.bound.getsockname()[1]
        self.server = server(app, bounds or Bounds(), extra="serve")
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.bound]}, daemon=True)

    def __enter__(self):
        self.thread.start()
        until = time.monotonic() + 10
        while not self.server.started and time.monotonic() < until:
            time.sleep(0.005)
        return Client(self.port)

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join(10)
        self.bound.close()
        assert not self.thread.is_alive()


@pytest.fixture(scope="package")
def tokenizers():
    """One of each kind."""
    recipes = {"bpe": ("gpt2", 320), "wordpiece": ("bert-uncased", 120), "unigram": ("t5", 150)}
    return {
        name: tessella.recipes.get(recipe).train(iter(CORPUS), vocab_size=size)
        for name, (recipe, size) in recipes.items()
    }
