"""The drop-ins beside the libraries whose names they answer to: `python -m benchmarks.dropins sentencepiece MODEL.model`.

Both are called in one process, in turns, by the same functions, with the same texts; processor time of the better half of the
turns, and how many times as fast ours is. Results are compared first, and a call whose results differ is named and not timed. A call
that the model does not have (n-best lists of BPE) is left out where both raise.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import pickle
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.conformance import texts

TURNS = 5
#: Texts of a turn: so many of a hundred characters, and so many whole documents.
SHORT, DOCUMENTS = 500, 40

#: A name, and what is called with one of the two.
Calls = Iterator[tuple[str, Callable[[Any], Any]]]


def sentencepiece_calls(model: bytes, documents: list[str], oracle: Any) -> Calls:
    """What users of a processor call: a module with `processor` loaded from the model. Ids and pieces are the library's."""
    short = [text[at : at + 100] for text in documents for at in range(0, len(text), 100)][:SHORT]
    documents = documents[:DOCUMENTS]
    ids, pieces = oracle.encode(short), oracle.encode(short, out_type=str)
    size = oracle.get_piece_size()
    vocabulary = oracle.id_to_piece(list(range(size)))

    def each(method: str, values: Any, **options: Any) -> Callable[[Any], Any]:
        def call(module: Any) -> Any:
            bound = getattr(module.processor, method)
            return [bound(value, **options) for value in values]

        return call

    def loaded(module: Any) -> Any:
        return module.SentencePieceProcessor(model_proto=model)

    yield "load", lambda module: len(loaded(module))
    yield "load, first text", lambda module: loaded(module).encode(short[0])
    yield "load, documents", lambda module: loaded(module).encode(documents)
    yield "pickle", lambda module: len(pickle.loads(pickle.dumps(module.processor)))
    yield "encode", each("encode", short)
    yield "encode, documents", each("encode", documents)
    yield "encode, a list", lambda module: module.processor.encode(short, num_threads=1)
    yield "encode, begin and end", each("encode", short, reverse=True)
    yield "encode as pieces", each("encode", short, out_type=str)
    yield "encode as pieces, documents", each("encode", documents, out_type=str)
    yield "encode as pieces, a list", lambda module: module.processor.encode(short, out_type=str)
    yield (
        "encode as an array",
        lambda module: [list(one) for one in each("encode", short, out_type="numpy")(module)],
    )
    yield "encode with offsets", each("encode", short, out_type="offset_mapping")
    yield "encode as a message", each("encode", short, out_type="serialized_proto")
    yield "5 best", each("nbest_encode", short[:100], nbest_size=5)
    yield (
        "drawn",
        lambda module: [
            len(one) > 0
            for one in each("sample_encode_as_ids", short[:200], nbest_size=-1, alpha=0.1)(module)
        ],
    )
    yield "decode", each("decode", ids)
    yield "decode, a list", lambda module: module.processor.decode(ids)
    yield "decode, documents", each("decode", oracle.encode(documents))
    yield "decode, one id", each("decode", list(range(min(size, 5000))))
    yield "decode pieces", each("decode", pieces)
    yield "id_to_piece", each("id_to_piece", list(range(size)))
    yield "id_to_piece, a list", lambda module: module.processor.id_to_piece(list(range(size)))
    yield "piece_to_id", each("piece_to_id", vocabulary)
    yield "piece_to_id, a list", lambda module: module.processor.piece_to_id(vocabulary)
    yield "get_score", each("get_score", list(range(size)))
    yield "is_control", each("is_control", list(range(size)))
    yield "normalize", each("normalize", short)
    yield "normalize, documents", each("normalize", documents)
    yield "normalize with offsets", each("normalize", short, with_offsets=True)


def sentencepiece_modules(model: bytes) -> tuple[Any, Any]:
    modules = (
        importlib.import_module("tessella.compat.sentencepiece"),
        importlib.import_module("sentencepiece"),
    )
    for module in modules:
        module.processor = module.SentencePieceProcessor(model_proto=model)  # type: ignore[attr-defined]
    return modules


def outcome(call: Callable[[Any], Any], module: Any) -> Any:
    try:
        return call(module)
    except Exception as error:
        return type(error).__mro__


def seconds(call: Callable[[Any], Any], module: Any) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    call(module)
    taken = time.process_time() - start
    gc.enable()
    return taken


def table(calls: Calls, ours: Any, theirs: Any, turns: int = TURNS) -> Iterator[str]:
    """A line for each call."""
    yield f"{'call':28} {'ours, ms':>10} {'theirs':>10} {'ratio':>7}"
    for name, call in calls:
        mine, expected = outcome(call, ours), outcome(call, theirs)
        if isinstance(mine, tuple) and isinstance(expected, tuple):
            continue
        if mine != expected:
            yield f"{name:28} other results"
            continue
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(turns):
            for module, times in zip((ours, theirs), taken, strict=True):
                times.append(seconds(call, module))
        one, other = (statistics.median(sorted(times)[: turns // 2 + 1]) * 1e3 for times in taken)
        yield f"{name:28} {one:10.2f} {other:10.2f} {other / one:7.2f}"


def sentencepiece(arguments: argparse.Namespace) -> None:
    model = Path(arguments.file).read_bytes()
    corpora = texts.needed("TESSELLA_CORPORA")
    documents = texts.documents(texts.read(corpora / f"{arguments.corpus}.txt.zst"), 2_000_000)
    ours, theirs = sentencepiece_modules(model)
    calls = sentencepiece_calls(model, documents, theirs.processor)
    for line in table(calls, ours, theirs, arguments.turns):
        print(line, flush=True)


#: A function for each library.
LIBRARIES = {"sentencepiece": sentencepiece}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=sorted(LIBRARIES))
    parser.add_argument("file", help="the model or vocabulary that both load")
    parser.add_argument("--corpus", default="english")
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    LIBRARIES[arguments.library](arguments)


if __name__ == "__main__":
    main()
