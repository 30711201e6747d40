"""Put the names of `tessella.compat` beside the libraries that they belong to, on real files and texts.

    TESSELLA_MODELS=… TESSELLA_CORPORA=… python -m tests.conformance.compat [--only NAME] [--limit BYTES]

Every `.tiktoken` file is run through `compat.tiktoken` and `tiktoken`, every `.model` file through `compat.sentencepiece`
and `sentencepiece`: the same calls with the same arguments, results compared, and exceptions of the same built-in kinds
where a call is a misuse. Prints calls and differences, and fails if there is any difference.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import texts

Call = Callable[[Any], Any]

#: What SentencePiece gives for a text.
KINDS: tuple[Any, ...] = (int, str, bytes, "serialized_proto", "numpy", "offset_mapping")
#: What no text is.
MISUSED: tuple[Any, ...] = (None, 7, 1.5, [None], {"a": 1})
#: What no list of ids is: negative, beyond every vocabulary, beyond 32 and 64 bits, no number.
BROKEN_IDS: tuple[Any, ...] = ([-1], [10**7], [2**31], [2**32], [2**64], ["a", 1], [None], None, [1.5])


def outcome(call: Call, subject: Any) -> Any:
    """A result in plain types, or the built-in kinds of the exception."""
    try:
        return plain(call(subject))
    except Exception as error:
        return {kind for kind in type(error).__mro__ if kind.__module__ == "builtins"}


def plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def same(ours: Any, theirs: Any) -> bool:
    """Equal results; or ours raises what theirs raises, and maybe something more exact."""
    if isinstance(ours, set) and isinstance(theirs, set):
        return ours >= theirs
    return bool(ours == theirs)


def tiktoken_calls(batch: list[str], library: Any, rng: random.Random) -> Iterator[tuple[str, Call]]:
    specials = sorted(library.special_tokens_set)
    for text in batch:
        if specials and rng.random() < 0.2:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(specials) + text[at:]
        for name, options in (
            ("encode", {}),
            ("encode", {"allowed_special": "all"}),
            ("encode", {"disallowed_special": ()}),
            ("encode", {"allowed_special": set(specials[:1]), "disallowed_special": set(specials[1:2])}),
            ("encode_to_numpy", {"allowed_special": "all"}),
            ("encode_ordinary", {}),
        ):
            yield name, lambda e, t=text, n=name, o=options: getattr(e, n)(t, **o)
        if len(text) <= 200:
            yield (
                "encode_with_unstable",
                lambda e, t=text: unstable(e.encode_with_unstable(t, disallowed_special=())),
            )
        ids = library.encode(text, allowed_special="all")
        for name in ("decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
            yield name, lambda e, i=ids, n=name: getattr(e, n)(i)
        part = ids[len(ids) // 3 :]
        yield "decode, cut", lambda e, i=part: (e.decode(i), e.decode_bytes(i))
        if ids:
            number = rng.choice(ids)
            yield "one token", lambda e, n=number: (e.decode_single_token_bytes(n), e.is_special_token(n))
    yield "encode_ordinary_batch", lambda e: e.encode_ordinary_batch(batch)
    yield "encode_batch", lambda e: e.encode_batch(batch, allowed_special="all")
    rows = library.encode_ordinary_batch(batch)
    yield "decode_batch", lambda e: e.decode_batch(rows)
    yield "decode_bytes_batch", lambda e: e.decode_bytes_batch(rows)


def unstable(found: tuple[list[int], list[list[int]]]) -> Any:
    """The completions are a set to the library: their order says nothing."""
    stable, completions = found
    return stable, sorted(completions)


def tiktoken_misuse(specials: list[str]) -> Iterator[tuple[str, Call]]:
    for wrong in MISUSED:
        for name in ("encode", "encode_ordinary", "encode_batch", "encode_single_token", "encode_to_numpy"):
            yield f"misuse {name}", lambda e, w=wrong, n=name: getattr(e, n)(w)
    for wrong in BROKEN_IDS:
        for name in ("decode", "decode_bytes", "decode_tokens_bytes", "decode_batch"):
            yield f"misuse {name}", lambda e, w=wrong, n=name: getattr(e, n)(w)
        for one in wrong if isinstance(wrong, list) else ():
            yield "misuse decode_single_token_bytes", lambda e, w=one: e.decode_single_token_bytes(w)
    for special in specials:
        yield "a special token in plain text", lambda e, s=special: e.encode(f"a{s}b")
        yield "encode_single_token", lambda e, s=special: e.encode_single_token(s)
    yield "encode_single_token of two", lambda e: e.encode_single_token("zq zq zq")
    for name in ("n_vocab", "max_token_value", "eot_token", "special_tokens_set", "name"):
        yield name, lambda e, n=name: sorted(v) if isinstance(v := getattr(e, n), set) else v


def sentencepiece_calls(batch: list[str], library: Any, rng: random.Random) -> Iterator[tuple[str, Call]]:
    for text in batch:
        for kind in KINDS:
            options = {
                name: rng.random() < 0.2 for name in ("add_bos", "add_eos", "reverse", "emit_unk_piece")
            }
            yield f"encode {kind}", lambda p, t=text, k=kind, o=options: p.encode(t, return_type=k, **o)
        yield "normalize", lambda p, t=text: (p.normalize(t), p.normalize(t, with_offsets=True))
        ids = library.encode(text)
        pieces = library.encode(text, out_type=str)
        yield "decode ids", lambda p, i=ids: (p.decode(i), p.decode(i, return_type="serialized_proto"))
        yield "decode pieces", lambda p, i=pieces: p.decode(i)
        part = ids[len(ids) // 3 :]
        yield "decode, cut", lambda p, i=part: p.decode(i)
        yield (
            "pieces of ids",
            lambda p, i=ids: (p.id_to_piece(i), p.get_score(i), p.is_byte(i), p.is_unknown(i)),
        )
        if 0 < len(text) <= 200:
            yield "nbest", lambda p, t=text: p.nbest_encode(t, nbest_size=5)
    yield "encode batch", lambda p: p.encode(batch, out_type=str)
    rows = library.encode(batch)
    yield "decode batch", lambda p: p.decode(rows)


def sentencepiece_misuse(_: list[str]) -> Iterator[tuple[str, Call]]:
    for wrong in MISUSED:
        for name in ("encode", "piece_to_id", "normalize"):
            yield f"misuse {name}", lambda p, w=wrong, n=name: getattr(p, n)(w)
    for wrong in BROKEN_IDS:
        yield "misuse decode", lambda p, w=wrong: p.decode(w)
        for one in wrong if isinstance(wrong, list) else ():
            for name in ("id_to_piece", "get_score", "is_control", "is_unused"):
                yield f"misuse {name}", lambda p, w=one, n=name: getattr(p, n)(w)
    yield "sizes", lambda p: (len(p), p.vocab_size(), p.unk_id(), p.bos_id(), p.eos_id(), p.pad_id())
    yield (
        "vocabulary",
        lambda p: [(p[i], p.get_score(i), p.is_control(i), p.is_unused(i)) for i in range(len(p))],
    )


def encodings(path: Path) -> tuple[Any, Any]:
    """An encoding of ours and of the library, with the same file."""
    import tessella.compat.tiktoken as ours
    import tiktoken as theirs
    from tessella.compat.tiktoken.known import KNOWN
    from tiktoken.load import load_tiktoken_bpe

    known = KNOWN[path.stem] if path.stem in KNOWN else KNOWN["cl100k_base"]
    ranks = load_tiktoken_bpe(str(path))
    specials = {name: id for name, id in known.special_tokens.items() if id >= len(ranks)} or {
        "<|end|>": len(ranks)
    }
    parts = {"pat_str": known.pattern, "mergeable_ranks": ranks, "special_tokens": specials}
    return ours.Encoding(path.stem, **parts), theirs.Encoding(path.stem, **parts)


def processors(path: Path) -> tuple[Any, Any]:
    import sentencepiece as theirs
    import tessella.compat.sentencepiece as ours

    file = str(path)
    return ours.SentencePieceProcessor(model_file=file), theirs.SentencePieceProcessor(model_file=file)


def compare_file(path: Path, sources: dict[str, list[str]]) -> tuple[int, Counter[str], list[str]]:
    """Calls, differences by what was called, and the first examples."""
    is_tiktoken = path.suffix == ".tiktoken"
    ours, theirs = encodings(path) if is_tiktoken else processors(path)
    calls_of = tiktoken_calls if is_tiktoken else sentencepiece_calls
    specials = sorted(theirs.special_tokens_set) if is_tiktoken else []
    rng = random.Random(path.name)
    cases, differences, examples = 0, Counter[str](), []

    def check(what: str, call: Call) -> None:
        nonlocal cases
        cases += 1
        found, expected = outcome(call, ours), outcome(call, theirs)
        if not same(found, expected):
            differences[what] += 1
            if differences[what] <= 3:
                examples.append(f"  {what}: {str(found)[:150]} | {str(expected)[:150]}")

    misuse = tiktoken_misuse(specials) if is_tiktoken else sentencepiece_misuse(specials)
    for what, call in misuse:
        check(what, call)
    for items in sources.values():
        for start in range(0, len(items), 64):
            for what, call in calls_of(items[start : start + 64], theirs, rng):
                check(what, call)
    return cases, differences, examples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", help="only files whose name contains this")
    parser.add_argument("--limit", type=int, default=200_000, help="bytes taken of each text")
    arguments = parser.parse_args()
    models, corpora = texts.needed("TESSELLA_MODELS"), texts.needed("TESSELLA_CORPORA")
    sources = texts.load(corpora, arguments.limit)
    print(f"{len(sources)} sources, {sum(map(len, sources.values()))} texts")
    total, wrong = 0, 0
    for path in sorted(models.iterdir()):
        if path.suffix not in (".tiktoken", ".model") or (arguments.only and arguments.only not in path.name):
            continue
        started = time.perf_counter()
        cases, differences, examples = compare_file(path, sources)
        detail = " ".join(f"{what}:{count}" for what, count in differences.most_common())
        print(f"{path.name:28} {cases:9} calls {differences.total():6} differences", end=" ")
        print(f"{time.perf_counter() - started:7.1f} s  {detail}", flush=True)
        print("\n".join(examples) + "\n" if examples else "", end="")
        total, wrong = total + cases, wrong + differences.total()
    print(f"{total} calls, {wrong} differences")
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    raise SystemExit(main())
