"""Object storage: a server of S3's kind on this machine, which now and then says that it is busy."""

import json
import threading

import pytest
import tessella.data
from data_cases import contents, expected, sentence
from tessella.data import places
from tessella.errors import ArgumentError, UnsupportedError

pytest.importorskip("fsspec", reason="needs fsspec")


@pytest.fixture
def memory():
    """Storage in this process."""
    import fsspec

    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    yield filesystem
    filesystem.store.clear()


def fill(filesystem, folder, texts):
    """Four files of JSON lines."""
    for number in range(4):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[number::4])
        filesystem.pipe_file(f"{folder}/in/{number}.jsonl", lines.encode())
    return [text for number in range(4) for text in texts[number::4]]


def check(filesystem, scheme, folder, tmp_path, tokenizer):
    """Reads, writes, goes on after an interrupt, verifies; what comes out is what a local run makes."""
    texts = fill(filesystem, folder, [sentence(number) for number in range(120)])
    url = f"{scheme}://{folder.lstrip('/')}" if scheme != "memory" else f"memory://{folder}"
    how = {"format": "megatron", "shard_size": 2000, "workers": 1}
    done = []

    def stop(event):
        done.append(event["event"])
        if done.count("done") == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tessella.data.tokenize_corpus(f"{url}/in", tokenizer, f"{url}/out", on_event=stop, **how)
    with pytest.raises(ArgumentError, match="`eos` was 12 and is None"):
        tessella.data.tokenize_corpus(f"{url}/in", tokenizer, f"{url}/out", eos=None, **how)
    events = []
    made = tessella.data.tokenize_corpus(
        f"{url}/in/*.jsonl", tokenizer, f"{url}/out", on_event=events.append, **how
    )
    assert events[0]["done"] == 2
    assert made.is_complete
    assert tessella.data.verify(f"{url}/out", tokenizer, sample=2)
    with pytest.raises(UnsupportedError, match="copy the folder to this machine"):
        tessella.data.open(f"{url}/out")
    # The work folder is gone, and the files are those of a run here, save for the names of the inputs.
    names = sorted(path.rpartition("/")[2] for path in filesystem.find(f"{folder}/out"))
    local = tmp_path / "local"
    local.mkdir()
    filesystem.invalidate_cache()
    for name in names:
        (local / name).write_bytes(filesystem.cat_file(f"{folder}/out/{name}"))
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.jsonl").write_bytes(filesystem.cat_file(f"{folder}/in/{number}.jsonl"))
    tessella.data.tokenize_corpus(tmp_path / "in", tokenizer, tmp_path / "out", **how)
    want = contents(tmp_path / "out")
    assert {name: hash for name, hash in contents(local).items() if name != "manifest.json"} == {
        name: hash for name, hash in want.items() if name != "manifest.json"
    }
    assert [one.tolist() for one in tessella.data.open(local).documents] == expected(tokenizer, texts)


def test_storage_of_fsspec(memory, tmp_path, tokenizer):
    check(memory, "memory", "/bucket", tmp_path, tokenizer)


def test_a_changed_object_is_noticed(memory, tmp_path, tokenizer):
    fill(memory, "/bucket", ["low new"] * 40)
    tessella.data.tokenize_corpus("memory:///bucket/in", tokenizer, "memory:///bucket/out", workers=1)
    memory.pipe_file("/bucket/in/1.jsonl", memory.cat_file("/bucket/in/1.jsonl").replace(b"low", b"new"))
    with pytest.raises(ArgumentError, match=r"1.jsonl has other bytes than shard 0"):
        tessella.data.tokenize_corpus("memory:///bucket/in", tokenizer, "memory:///bucket/out", workers=1)
    with pytest.raises(FileNotFoundError, match="nothing"):
        tessella.data.tokenize_corpus(
            "memory:///bucket/nothing.jsonl", tokenizer, "memory:///bucket/o", workers=1
        )


def test_busy_storage_is_asked_again(monkeypatch):
    monkeypatch.setattr(places, "PAUSE", 0.001)
    asked = []

    def busy(until, error):
        def request():
            asked.append(1)
            if len(asked) < until:
                raise error
            return "answer"

        return request

    assert places.patiently(busy(4, OSError("SlowDown: Please reduce your request rate"))) == "answer"
    assert len(asked) == 4
    asked.clear()
    with pytest.raises(OSError, match="503"):
        places.patiently(busy(99, OSError("503 Service Unavailable")))
    assert len(asked) == places.ATTEMPTS
    asked.clear()
    with pytest.raises(ValueError, match="nonsense"):
        places.patiently(busy(99, ValueError("nonsense")))
    with pytest.raises(PermissionError):
        places.patiently(busy(99, PermissionError("no")))
    assert len(asked) == 2


class Throttled:
    """A server before the server: every seventh request is answered with 503."""

    def __init__(self, application):
        self._application = application
        self._count = 0
        self.refused = 0
        self._lock = threading.Lock()

    def __call__(self, environment, start_response):
        with self._lock:
            self._count += 1
            refuse = self._count % 7 == 0
            self.refused += refuse
        if refuse:
            body = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            start_response(
                "503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))]
            )
            return [body]
        return self._application(environment, start_response)


def test_a_server_of_s3_that_is_busy(monkeypatch, tmp_path, tokenizer):
    pytest.importorskip("s3fs", reason="needs s3fs")
    pytest.importorskip("moto.server", reason="needs moto[server]", exc_type=ImportError)
    import fsspec
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    application = Throttled(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, application, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "testing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        filesystem = fsspec.filesystem("s3")
        filesystem.mkdir("corpus")
        check(filesystem, "s3", "corpus", tmp_path, tokenizer)
        assert application.refused > 5
    finally:
        server.shutdown()
        thread.join()
