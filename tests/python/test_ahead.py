"""Reading ahead of encoding: the same ids, errors and list of what was skipped with any number of threads."""

import io
import json
import threading

import numpy as np
import pytest
import tessella
from tessella import _ahead
from tessella._corpus import Stream
from tessella._files import StreamIds
from tessella._texts import Reading
from tessella.errors import TessellaError


@pytest.fixture
def tokenizer():
    made = tessella.Tokenizer(tessella.models.WordLevel({"low": 0, "lower": 1, "new": 2}))
    made.pre_tokenizer = tessella.pre_tokenizers.Whitespace()
    return made


@pytest.fixture(autouse=True)
def small_portions(monkeypatch):
    monkeypatch.setattr(_ahead, "PORTION", 100)


def lines(count, **broken):
    """JSON lines; those of the numbers in `broken` are what stands there."""
    words = ("low", "lower", "new")
    made = [json.dumps({"text": " ".join(words[: number % 4])}) for number in range(count)]
    for place, line in broken.items():
        made[int(place[1:])] = line
    return "".join(line + "\n" for line in made).encode()


def stream(tokenizer, content, threads, skips=0):
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    return StreamIds(tokenizer, Stream("a.jsonl", file), Reading(format="jsonl"), False, threads, skips)


def ids(found):
    """Documents as lists."""
    return [document.tolist() for some in found for document in some]


@pytest.mark.parametrize("count", [0, 1, 5, 12, 500])
def test_order_is_that_of_the_file(tokenizer, count):
    alone = ids(stream(tokenizer, lines(count), 1))
    assert len(alone) == count
    for threads in (2, 3, 7):
        assert ids(stream(tokenizer, lines(count), threads)) == alone


@pytest.mark.parametrize("first", ["p40", "p41", "p0", "p499"])
def test_the_first_error_is_told(tokenizer, first):
    """Whether it is noticed by who reads or by who encodes."""
    unknown, no_json = json.dumps({"text": "low other"}), "{"
    for broken in ({first: unknown, "p450": no_json}, {first: no_json, "p450": unknown}):
        told = []
        for threads in (1, 4):
            with pytest.raises(TessellaError) as error:
                ids(stream(tokenizer, lines(500, **broken), threads))
            told.append((type(error.value), str(error.value), getattr(error.value, "filename", None)))
        assert told[0] == told[1]


def test_the_same_are_skipped(tokenizer):
    content = lines(
        500, p3="{", p250=json.dumps({"text": "other"}), p251=json.dumps({"text": "low new"}), p499="[]"
    )
    found = []
    for threads in (1, 4):
        reading = stream(tokenizer, content, threads, skips=10)
        found.append((ids(reading), reading.skipped()))
    assert found[0] == found[1]
    assert [line for line, _, _ in found[0][1]] == [4, 251, 500]


def test_what_a_stream_raises_comes_out(tokenizer):
    class Broken(io.BytesIO):
        def read1(self, size=-1):
            if self.tell() > 3000:
                raise RuntimeError("the line is dead")
            return super().read1(100)

    with pytest.raises(RuntimeError, match="the line is dead"):
        ids(stream(tokenizer, Broken(lines(500)), 3))


@pytest.mark.parametrize(("environment", "reads_ahead"), [("3", True), ("1", False)])
def test_the_engine_chooses_to_read_ahead(tokenizer, monkeypatch, environment, reads_ahead):
    """Without a number of threads, too; as many as the environment allows."""
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    monkeypatch.setenv("RAYON_NUM_THREADS", environment)
    before = threading.active_count()
    reading = iter(stream(tokenizer, lines(5000), None))
    first = next(reading)
    assert (threading.active_count() > before) == reads_ahead
    assert ids([first, *reading]) == ids(stream(tokenizer, lines(5000), 1))


def test_who_stops_leaves_no_thread(tokenizer):
    before = threading.active_count()
    reading = iter(stream(tokenizer, lines(5000), 3))
    next(reading)
    assert threading.active_count() > before
    reading.close()
    assert threading.active_count() == before


def test_little_is_read_ahead(tokenizer):
    """A consumer that is slow does not fill the memory."""

    class Told(io.BytesIO):
        def read1(self, size=-1):
            return super().read1(min(size, 100))

    file = Told(lines(50_000))
    reading = iter(stream(tokenizer, file, 2))
    next(reading)
    reading.close()
    assert file.tell() < 10_000


def test_files_of_texts_too(tmp_path, tokenizer):
    path = tmp_path / "a.txt"
    path.write_text("low lower\nnew\n" * 300)
    alone = tokenizer.encode_files([path], separator="\n", num_threads=1)
    together = tokenizer.encode_files([path], separator="\n", num_threads=3)
    assert np.array_equal(alone.ids, together.ids)
    assert np.array_equal(alone.offsets, together.offsets)
    assert len(alone) == 600
