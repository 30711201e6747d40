"""`tessella.compat.sentencepiece` beside sentencepiece: `python -m benchmarks.dropins_sentencepiece`.

Every call of a processor, loaded from the same model (`TESSELLA_MODELS`) and called with the same texts (`TESSELLA_CORPORA`): five
hundred of 100 characters, and forty of about 5 kB where it says so. A call that the model does not have (n-best lists of BPE) is left
out where both raise. How it is measured, `dropins` says.
"""

from __future__ import annotations

import argparse
import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from benchmarks.dropins import TURNS, Call, english, show
from tests.conformance import texts

#: A name, and what is called with one of the two.
Named = Iterator[tuple[str, Callable[[Any], Any]]]


def named(model: bytes, oracle: Any) -> Named:
    """What users of a processor call: a module with `processor` loaded from the model. Ids and pieces are the library's."""
    short, documents = english(500, 100), english(40, 5000)
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


def calls_of(model: bytes) -> list[Call]:
    """Each call, of both."""

    def library(name: str) -> Any:
        module = importlib.import_module(name)
        processor = module.SentencePieceProcessor(model_proto=model)
        return SimpleNamespace(SentencePieceProcessor=module.SentencePieceProcessor, processor=processor)

    def of(call: Callable[[Any], Any], library: Any) -> Callable[[], Any]:
        return lambda: call(library)

    def raises(call: Callable[[], Any]) -> bool:
        try:
            call()
        except Exception:
            return True
        return False

    both = library("tessella.compat.sentencepiece"), library("sentencepiece")
    calls = [(name, *(of(call, one) for one in both)) for name, call in named(model, both[1].processor)]
    return [(name, ours, theirs) for name, ours, theirs in calls if not (raises(theirs) and raises(ours))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="*", default=["xlnet_base_cased.model", "llama2.model", "nai-t5.model"]
    )
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    status = 0
    for file in arguments.files:
        model = (texts.needed("TESSELLA_MODELS") / file).read_bytes()
        status |= show(file, "sentencepiece", calls_of(model), arguments.turns)
    return status


if __name__ == "__main__":
    sys.exit(main())
