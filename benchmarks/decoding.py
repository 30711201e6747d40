"""Decoding beside the peers: `python -m benchmarks.decoding`.

All engines in one process, in short turns one after the other, so that a slow minute hits all alike, and in another order
each time: who follows an engine finds the ids nearer than the one that read them first. Processor time,
best and median of the turns. Texts are compared first: who gives another one is left out and named. Ids
come as lists of Python integers or as arrays, 20, 500 or 100,000 at a time; `batch` is 100 lists of 500 in one call,
`stream` one id after the other, `stream, drawn` the same where the library draws them from an iterator.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.conformance import texts

#: Ids of a call.
SIZES = (20, 500, 100_000)
TURNS = 15
#: Ids decoded in one turn, at least.
WORK = 40_000

#: A function of ids, alone or with what it takes besides them. That is handed over plainly, as its users would: a function in
#: between is a fifth of a call with a short list.
Decode = Callable[[Any], Any] | tuple[Callable[[Any, Any], Any], Any]


def tessella_engine(path: str) -> dict[str, Decode]:
    import tessella

    tokenizer = tessella.load(path)

    def stream(ids: Sequence[int]) -> str:
        state = tokenizer.decode_stream(skip_special_tokens=False)
        return "".join(filter(None, [state.step(one) for one in ids]))

    return {
        "list": tokenizer.decode,
        "list, specials": (tokenizer.decode, False),
        "array": tokenizer.decode,
        "batch": tokenizer.decode_batch,
        "stream": stream,
        "stream, drawn": lambda ids: "".join(tokenizer.decode_iter(ids, False)),
    }


def rs_bpe_engine(path: str) -> dict[str, Decode]:
    from rs_bpe.bpe import openai

    encoding = openai.cl100k_base() if "cl100k" in path else openai.o200k_base()
    return {
        "list": encoding.decode,
        "list, specials": encoding.decode,
        "batch": lambda s: list(map(encoding.decode, s)),
    }


def tiktoken_engine(path: str) -> dict[str, Decode]:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    from benchmarks.patterns import CL100K_LIKE

    encoding = tiktoken.Encoding(
        "bench", pat_str=CL100K_LIKE, mergeable_ranks=load_tiktoken_bpe(path), special_tokens={}
    )
    return {
        "list": encoding.decode,
        "list, specials": encoding.decode,
        "batch": lambda s: list(map(encoding.decode, s)),
    }


def kitoken_engine(path: str) -> dict[str, Decode]:
    import kitoken

    tokenizer = kitoken.Kitoken.from_tiktoken_file(path)

    def decode(ids: Any) -> str:
        return str(tokenizer.decode(ids, True), "utf-8", "replace")

    return {"list": decode, "batch": lambda lists: list(map(decode, lists))}


def gigatoken_engine(path: str) -> dict[str, Decode]:
    import gigatoken

    tokenizer = gigatoken.Tokenizer.from_tiktoken(path, "cl100k", {})

    def decode(ids: Any) -> str:
        found = tokenizer.decode(ids)
        return found if isinstance(found, str) else str(found, "utf-8", "replace")

    return {"list": decode, "array": decode, "batch": lambda lists: list(map(decode, lists))}


def splintr_engine(path: str) -> dict[str, Decode]:
    import splintr

    from benchmarks.patterns import CL100K_LIKE

    tokenizer = splintr.Tokenizer.from_bytes(Path(path).read_bytes(), CL100K_LIKE, {})

    def stream(ids: Sequence[int]) -> str:
        state = tokenizer.streaming_decoder()
        return "".join(filter(None, [state.add_token(one) for one in ids]))

    return {
        "list": tokenizer.decode,
        "list, specials": tokenizer.decode,
        "array": tokenizer.decode,
        "batch": tokenizer.decode_batch,
        "stream": stream,
    }


def iree_engine(path: str) -> dict[str, Decode]:
    import iree.tokenizer

    tokenizer = iree.tokenizer.Tokenizer.from_tiktoken(path, Path(path).stem)

    def stream(ids: Sequence[int]) -> str:
        with tokenizer.decode_stream() as state:
            return "".join(filter(None, [state.feed([one]) for one in ids]))

    return {
        "list": tokenizer.decode,
        "list, specials": tokenizer.decode,
        "array": tokenizer.decode,
        "batch": tokenizer.decode_batch,
        "stream": stream,
    }


def tokenizers_engine(path: str) -> dict[str, Decode]:
    import tempfile

    import tessella
    from tokenizers import Tokenizer
    from tokenizers.decoders import DecodeStream

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        tessella.load(path).save(file.name)
        tokenizer = Tokenizer.from_file(file.name)

    def stream(ids: Sequence[int]) -> str:
        state = DecodeStream(skip_special_tokens=False)
        return "".join(filter(None, [state.step(tokenizer, one) for one in ids]))

    return {"list": tokenizer.decode, "batch": tokenizer.decode_batch, "stream": stream}


ENGINES = {
    "tessella": tessella_engine,
    "rs-bpe": rs_bpe_engine,
    "tiktoken": tiktoken_engine,
    "kitoken": kitoken_engine,
    "gigatoken": gigatoken_engine,
    "tokenizers": tokenizers_engine,
    "splintr": splintr_engine,
    "iree": iree_engine,
}


def made(path: str, names: Sequence[str]) -> dict[str, dict[str, Decode]]:
    """The engines that are there and take the file."""
    engines = {}
    for name in names:
        try:
            engines[name] = ENGINES[name](path)
        except Exception as error:  # whatever a library cannot do, it is left out
            print(f"{name}: left out: {type(error).__name__} {error}", file=sys.stderr)
    return engines


def run(
    file: Path,
    corpora: Path,
    names: Sequence[str],
    engines: Sequence[str] = tuple(ENGINES),
    turns: int = TURNS,
) -> Iterator[dict[str, Any]]:
    """The rows of all sizes and forms, of some texts."""
    import tessella

    encoder = tessella.load(file)
    decoders = made(str(file), engines)
    for corpus in names:
        source = next(path for path in sorted(corpora.iterdir()) if path.name.startswith(corpus + ".txt"))
        text = texts.read(source)[:2_000_000].decode("utf-8", "ignore")
        ids = encoder.encode_ids(text, add_special_tokens=False)
        for size in SIZES:
            parts = [ids[at : at + size] for at in range(0, min(len(ids), 4 * max(size, WORK // 4)), size)]
            forms = {"list": [p.tolist() for p in parts], "array": parts}
            forms["list, specials"] = forms["list"]
            if size == 500:
                forms["batch"] = [[p.tolist() for p in parts[:100]]]
                forms["stream"] = forms["stream, drawn"] = forms["list"][:20]
            for form, inputs in forms.items():
                for row in measure(form, inputs, decoders, turns):
                    yield {"part": "decoding", "text": corpus, "ids": size, "form": form, **row}


def decoded(decode: Decode, inputs: list[Any]) -> Iterator[Any]:
    """What becomes of each input."""
    if isinstance(decode, tuple):
        call, besides = decode
        return (call(one, besides) for one in inputs)
    return map(decode, inputs)


def decode_all(decode: Decode, inputs: list[Any]) -> None:
    """The same for the time that it takes: every text is dropped at once."""
    if isinstance(decode, tuple):
        call, besides = decode
        for one in inputs:
            call(one, besides)
    else:
        for one in inputs:
            decode(one)


def measure(
    form: str, inputs: list[Any], engines: dict[str, dict[str, Decode]], turns: int
) -> Iterator[dict[str, Any]]:
    """A row for each engine that decodes this form."""
    calls = {name: forms[form] for name, forms in engines.items() if form in forms}
    if form == "stream, drawn":
        # Others have nothing that draws ids, and are fed with them.
        calls = {name: forms["stream"] for name, forms in engines.items() if "stream" in forms} | calls
    wanted = list(decoded(calls["tessella"], inputs))
    same = {}
    for name, call in list(calls.items()):
        try:
            same[name] = list(decoded(call, inputs)) == wanted
        except Exception as error:  # lists end within characters, which not every library takes
            print(f"{name}: no {form}: {type(error).__name__} {error}", file=sys.stderr)
            del calls[name]
    count = sum(len(part) for one in inputs for part in (one if form == "batch" else [one]))
    size_of_text = sum(len(one.encode()) for one in (wanted[0] if form == "batch" else wanted))
    again = max(1, WORK // max(count, 1))
    times: dict[str, list[float]] = {name: [] for name in calls}
    order, choose = list(calls.items()), random.Random(form)
    gc.disable()
    for _ in range(turns):
        choose.shuffle(order)
        for name, call in order:
            started = time.process_time()
            for _ in range(again):
                decode_all(call, inputs)
            times[name].append((time.process_time() - started) / again)
    gc.enable()
    exact = [min(times[name]) for name in calls if name != "tessella" and same[name]]
    for name, taken in times.items():
        best = min(taken)
        yield {
            "engine": name,
            "ns": round(best / count * 1e9, 1),
            "median_ns": round(statistics.median(taken) / count * 1e9, 1),
            "mb_s": round(size_of_text / best / 1e6),
            "ratio": round(min(exact) / best, 2) if exact else None,
            "same": same[name],
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", default="cl100k_base.tiktoken")
    parser.add_argument("--corpora", default="english,multilingual,code")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    models, corpora = texts.needed("TESSELLA_MODELS"), texts.needed("TESSELLA_CORPORA")
    names, engines = (value.split(",") for value in (arguments.corpora, arguments.engines))
    print("| corpus | ids | as | engine | ns an id, best | median | MB/s | ratio | text |")
    print("|---|---:|---|---|---:|---:|---:|---:|---|")
    for row in run(models / arguments.file, corpora, names, engines, arguments.turns):
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        print(
            f"| {row['text']} | {row['ids']:,} | {row['form']} | {row['engine']} | {row['ns']} | {row['median_ns']} "
            f"| {row['mb_s']} | {ratio} | {'same' if row['same'] else 'OTHER'} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
