"""`tessella` beside tokenizers, call by call: `python -m benchmarks.dropins_tokenizers`.

What programs call of a `Tokenizer`, of its encodings and of its components, with the same `tokenizer.json` (`TESSELLA_MODELS`) and
the same texts (`TESSELLA_CORPORA`): a thousand of 100 characters, and sixty of about 5 kB where it says so. How it is measured,
`dropins` says. `families` measures other tokenizers' stages, and `quick` all peers with much text.
"""

from __future__ import annotations

import argparse
import copy
import pickle
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.dropins import TURNS, Call, english, show
from tests.conformance import texts

#: Tokens that no vocabulary has.
NEW = [f"zqx{number}yy" for number in range(2000)]


class Both:
    """Calls under construction: `add` takes one function of a library and its tokenizer."""

    def __init__(self, path: Path) -> None:
        import tessella
        import tokenizers

        self.path, self.calls = path, list[Call]()
        self.libraries = [(one, self.loaded(one)) for one in (tessella, tokenizers)]

    def loaded(self, library: Any) -> Any:
        tokenizer = library.Tokenizer.from_file(str(self.path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def add(self, name: str, call: Callable[[Any, Any], Any]) -> None:
        def of(library: Any, tokenizer: Any) -> Callable[[], Any]:
            return lambda: call(library, tokenizer)

        ours, theirs = (of(*one) for one in self.libraries)
        self.calls.append((name, ours, theirs))


def columns(encoding: Any) -> list[Any]:
    names = ("ids", "tokens", "offsets", "word_ids", "type_ids", "attention_mask", "special_tokens_mask")
    return [getattr(encoding, name) for name in names]


def encodes(both: Both, short: list[str], long: list[str]) -> None:
    words = [text.split() for text in short]
    both.add("encode", lambda _, t: [t.encode(text).ids for text in short])
    both.add("encode, offsets", lambda _, t: [t.encode(text).offsets for text in short])
    both.add("encode, a pair", lambda _, t: [t.encode(a, b).ids for a, b in pairwise(short)])
    both.add("encode, words", lambda _, t: [t.encode(one, is_pretokenized=True).word_ids for one in words])
    both.add("encode_batch", lambda _, t: [one.ids for one in t.encode_batch(short)])
    both.add("encode_batch_fast", lambda _, t: [one.ids for one in t.encode_batch_fast(short)])
    both.add("encode_batch, long", lambda _, t: [one.ids for one in t.encode_batch(long)])
    both.add("encode_batch, long, all columns", lambda _, t: [columns(one) for one in t.encode_batch(long)])
    both.add(
        "encode_batch, words", lambda _, t: [one.ids for one in t.encode_batch(words, is_pretokenized=True)]
    )

    def windows(library: Any, tokenizer: Any) -> Any:
        tokenizer.enable_truncation(128, stride=32)
        tokenizer.enable_padding()
        found = [[part.ids for part in (one, *one.overflowing)] for one in tokenizer.encode_batch(long)]
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return found

    both.add("windows of 128, padded, long", windows)


def encodings(both: Both, long: list[str]) -> None:
    kept = {id(tokenizer): tokenizer.encode_batch(long[:20]) for _, tokenizer in both.libraries}

    def look(name: str, most: int, step: int = 1) -> None:
        def call(_: Any, tokenizer: Any) -> Any:
            return [
                [getattr(one, name)(place) for place in range(0, most, step)] for one in kept[id(tokenizer)]
            ]

        both.add(name, call)

    look("char_to_token", 2000, 3)
    look("token_to_chars", 300)
    look("token_to_word", 300)
    look("word_to_tokens", 200)
    look("word_to_chars", 200)
    both.add("len", lambda _, t: [[len(one) for one in kept[id(t)]] for _ in range(100)])
    both.add("pickle, long", lambda _, t: pickle.loads(pickle.dumps(kept[id(t)][0])).ids)
    both.add("merge, long", lambda _, t: type(kept[id(t)][0]).merge(kept[id(t)]).ids)


def decodes(both: Both, short: list[str], long: list[str]) -> None:
    theirs = both.libraries[1][1]
    few, many = ([one.ids for one in theirs.encode_batch(given)] for given in (short, long))

    def stream(library: Any, tokenizer: Any) -> Any:
        started = library.decoders.DecodeStream(skip_special_tokens=True)
        return [started.step(tokenizer, one) for one in many[0]]

    both.add("decode", lambda _, t: [t.decode(ids) for ids in few])
    both.add("decode, long", lambda _, t: [t.decode(ids) for ids in many])
    both.add("decode_batch", lambda _, t: t.decode_batch(few))
    both.add(
        "decode_batch, long, with specials", lambda _, t: t.decode_batch(many, skip_special_tokens=False)
    )
    both.add("DecodeStream.step", stream)


def vocabulary(both: Both) -> None:
    theirs = both.libraries[1][1]
    names = list(theirs.get_vocab())[:20_000]
    both.add("token_to_id", lambda _, t: [t.token_to_id(name) for name in names])
    both.add("id_to_token", lambda _, t: [t.id_to_token(id) for id in range(20_000)])
    both.add("get_vocab", lambda _, t: t.get_vocab())
    both.add("get_vocab_size", lambda _, t: [t.get_vocab_size() for _ in names])
    both.add("load", lambda library, _: both.loaded(library).get_vocab_size())
    both.add("load, 2000 added tokens", lambda library, _: both.loaded(library).add_tokens(NEW))
    both.add(
        "load, 100 tokens one by one",
        lambda library, _: (lambda t: [t.add_tokens([new]) for new in NEW[:100]])(both.loaded(library)),
    )
    both.add("to_str", lambda _, t: len(t.to_str()) > 0)
    both.add("to_str, pretty", lambda _, t: len(t.to_str(pretty=True)) > 0)
    both.add("repr", lambda _, t: repr(t))
    both.add("str", lambda _, t: str(t))
    both.add("pickle", lambda _, t: pickle.loads(pickle.dumps(t)).get_vocab_size())
    both.add("deepcopy", lambda _, t: copy.deepcopy(t).get_vocab_size())

    def saved(_: Any, tokenizer: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            tokenizer.save(f"{folder}/tokenizer.json")

    both.add("save", saved)


def components(both: Both, short: list[str], long: list[str]) -> None:
    words = [word for text in short for word in text.split()][:5000]
    if both.libraries[0][1].normalizer is not None:
        both.add("normalize_str", lambda _, t: [t.normalizer.normalize_str(text) for text in short])
        both.add("normalize_str, long", lambda _, t: [t.normalizer.normalize_str(text) for text in long])
    if both.libraries[0][1].pre_tokenizer is not None:
        both.add("pre_tokenize_str", lambda _, t: [t.pre_tokenizer.pre_tokenize_str(text) for text in short])
        both.add(
            "pre_tokenize_str, long", lambda _, t: [t.pre_tokenizer.pre_tokenize_str(text) for text in long]
        )
    both.add("model.tokenize", lambda _, t: [[one.id for one in t.model.tokenize(word)] for word in words])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="*", default=["gpt2.json", "bert-uncased.json", "xlnet_base_cased.json"]
    )
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    short, long = (
        # Two marks that a normalizer makes one: their place is told in another way (docs/differences.md).
        [text.replace("''", "'").replace("``", "`") for text in english(count, length)]
        for count, length in ((1000, 100), (60, 5000))
    )
    status = 0
    for file in arguments.files:
        both = Both(texts.needed("TESSELLA_MODELS") / file)
        encodes(both, short, long)
        encodings(both, long)
        decodes(both, short, long)
        vocabulary(both)
        components(both, short, long)
        status |= show(file, "tokenizers", both.calls, arguments.turns)
    return status


if __name__ == "__main__":
    sys.exit(main())
