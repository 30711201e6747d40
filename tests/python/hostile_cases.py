"""Descriptions and files that ask for more than anybody wants.

``python tests/python/hostile_cases.py`` runs each one in a process of its own, under the limits that hold by default, and
tells what came of it, the seconds, the memory and how soon it heeds Ctrl-C. ``test_limits.py`` runs them together.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import tessella
from tessella import Regex, Tokenizer, decoders, errors, models, normalizers, pre_tokenizers, processors

CASES: dict[str, Callable[[], Any]] = {}

#: What each case would take for ever or all memory for, or what is heavy and ends all the same.
#: What a pattern must find stands there, so that nobody sees at once that it finds nothing.
A = "a" * 2000 + "xb"


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def pattern(name: str, source: str, text: str) -> None:
    def split() -> Any:
        return pre_tokenizers.Split(Regex(source), "isolated").pre_tokenize_str(text)

    CASES[name] = split


def fancy(name: str, source: str, text: str) -> None:
    def encode() -> Any:
        from tessella.compat import tiktoken

        ranks = {bytes([byte]): byte for byte in range(256)}
        return tiktoken.Encoding("x", pat_str=source, mergeable_ranks=ranks, special_tokens={}).encode(text)

    CASES[name] = encode


def letters() -> Tokenizer:
    vocab = {chr(97 + index): index for index in range(26)} | {"<unk>": 26}
    return Tokenizer(models.BPE(vocab, [], unk_token="<unk>"))


def normalizing(*steps: normalizers.Normalizer) -> Tokenizer:
    tokenizer = letters()
    tokenizer.normalizer = normalizers.Sequence(list(steps))
    return tokenizer


def pre_tokenizing(*stages: pre_tokenizers.PreTokenizer) -> Tokenizer:
    tokenizer = letters()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(list(stages))
    return tokenizer


def decoding(*steps: decoders.Decoder) -> Tokenizer:
    tokenizer = letters()
    tokenizer.decoder = decoders.Sequence(list(steps))
    return tokenizer


# Patterns that backtrack.
pattern("look_ahead", "(?=a*a*a*b)a", A)
pattern("negative_look_ahead", "(?!a*a*a*b)a", A)
pattern("nested_repeats", r"(?:(a+)+)+\1b", A)
pattern("same_alternatives", r"(a|a)*\1b", A)
pattern("overlapping_alternatives", r"(a|aa)+\1b", A)
pattern("back_reference", r"(a*)(a*)(a*)\1\2\3b", A)
pattern("long_back_reference", r"(.*)(.*)\1\2b", "a" * 50_000 + "xb")
pattern("look_behind", "(?<=a*a*b)a", A)
pattern("look_ahead_at_each_start", "(?=.*b)a", "a" * 100_000 + "\nb")
pattern("look_ahead_in_a_loop", "(?:(?=.*b|)a)*c", "a" * 10_000 + "xc")
pattern("atomic_loop", "(?>(?:(?=a*b|)a)*)b", "a" * 10_000 + "xb")
pattern("counted_repeats", "(?:(?:(?:x?){1000}){1000}){1000}(?=y)", "x" * 100 + "ay")
pattern("counted_options", "(?:a?){2000}a{2000}(?=b)", A)
pattern("ranges_of_ranges", "(?:(?:(?:a{0,100}){0,100}){0,100}){0,100}(?=b)", A)
pattern("case_folding", r"(?i)(ss|ß|s)*\1b", "ßsS" * 700 + "xb")
pattern("graphemes", r"\X*\X*\X*(?=b)", A)
pattern("words_and_blanks", r"^(\w+\s?)*\1$", "word " * 400 + "!")
pattern("recursion", r"(?<p>a\g<p>?a*|a)(?=b)", A)
pattern("absent", "(?~b)(?~b)(?~b)(?=b)", A)
pattern("many_alternatives", "(?=" + "|".join(f"{index}a*" for index in range(20_000)) + ")x", "9" * 20_000)
pattern("empty_matches", "(?=a*a*b|)", A)
pattern("condition", r"(a)?(?:(?(1)a|b)*)*(?=c)", A)
fancy("fancy_nested_repeats", "(?:(a+)+)+(?=b)", A)
fancy("fancy_look_ahead", "(?=a*a*a*b)a", A)
fancy("fancy_back_reference", r"(a*)(a*)\1\2b|a", A)


@case
def replaced_pieces() -> Any:
    stages = [pre_tokenizers.Split(" ", "removed"), pre_tokenizers.Split(Regex("(?=a*a*a*b)a"), "isolated")]
    return pre_tokenizing(*stages).encode(("a" * 60 + "xb ") * 2000)


@case
def hostile_batch() -> Any:
    return pre_tokenizing(pre_tokenizers.Split(Regex("(?=a*a*a*b)a"), "isolated")).encode_batch([A] * 200)


@case
def replacing_with_a_pattern() -> Any:
    return normalizing(normalizers.Replace(Regex("(?=a*a*a*b)a"), "x")).encode(A)


# Texts that grow.
@case
def doubled_eighteen_times() -> Any:
    return normalizing(*[normalizers.Replace("a", "aa")] * 18).encode("a" * 100)


@case
def doubled_forty_times() -> Any:
    return normalizing(*[normalizers.Replace("a", "aa")] * 40).encode_ids("a" * 100)


@case
def doubled_between_added_tokens() -> Any:
    tokenizer = normalizing(*[normalizers.Replace("a", "aa")] * 15)
    tokenizer.add_special_tokens(["|"])
    return tokenizer.encode("a|" * 1000)


@case
def inserted_everywhere() -> Any:
    return normalizing(*[normalizers.Replace(Regex(""), "a")] * 40).encode("a" * 100)


@case
def long_content() -> Any:
    return normalizing(normalizers.Replace("a", "b" * 1_000_000)).encode("a" * 1_000_000)


@case
def bytes_as_characters() -> Any:
    return normalizing(*[normalizers.ByteLevel()] * 40).encode("é" * 100)


@case
def pieces_as_bytes() -> Any:
    return pre_tokenizing(*[pre_tokenizers.ByteLevel(False, use_regex=False)] * 40).encode("é" * 100)


@case
def added_tokens_that_grow() -> Any:
    tokenizer = normalizing(*[normalizers.Replace("a", "aa")] * 15)
    return tokenizer.add_tokens([tessella.AddedToken("a" * 100 + str(index)) for index in range(1000)])


@case
def decoded_doubles() -> Any:
    return decoding(*[decoders.Replace("a", "aa")] * 40).decode([0] * 100)


@case
def decoded_doubles_as_bytes() -> Any:
    return decoding(*[decoders.Replace("a", "aa")] * 40).decode_bytes([0] * 100)


@case
def decoded_suffix_of_nothing() -> Any:
    return decoding(*[decoders.BPEDecoder("")] * 40).decode([0] * 100)


@case
def decoded_delimiter_of_nothing() -> Any:
    return decoding(*[decoders.CTC("x", "", True)] * 40).decode([0, 1] * 100)


@case
def decoded_long_content() -> Any:
    return decoding(decoders.Replace("a", "b" * 1_000_000)).decode([0] * 100_000)


@case
def decoded_with_a_pattern() -> Any:
    return decoding(decoders.Fuse(), decoders.Replace(Regex("(?=a*a*a*b)a"), "x")).decode([0] * 2000)


# Rows that multiply.
@case
def template_that_repeats() -> Any:
    tokenizer = letters()
    tokenizer.post_processor = processors.TemplateProcessing(" ".join(["$A"] * 20_000))
    return tokenizer.encode("ab" * 1000)


@case
def template_of_windows() -> Any:
    tokenizer = letters()
    tokenizer.post_processor = processors.TemplateProcessing("$A $A $A $A")
    tokenizer.enable_truncation(2)
    return tokenizer.encode("ab" * 200)


@case
def special_token_of_many_ids() -> Any:
    many = {"id": "x", "ids": [0] * 100_000, "tokens": ["a"] * 100_000}
    tokenizer = letters()
    tokenizer.post_processor = processors.TemplateProcessing(
        " ".join(["$A"] + ["x"] * 1000), special_tokens=[many]
    )
    return tokenizer.encode("a")


@case
def stride_of_one() -> Any:
    return letters().encode("ab" * 20_000, truncation={"max_length": 20_000, "stride": 19_999})


@case
def padding_without_end() -> Any:
    tokenizer = letters()
    tokenizer.enable_padding(length=2**60)
    return tokenizer.encode("a")


@case
def padding_to_a_multiple() -> Any:
    tokenizer = letters()
    tokenizer.enable_padding(pad_to_multiple_of=2**60)
    return tokenizer.encode("a")


@case
def truncation_without_end() -> Any:
    tokenizer = letters()
    tokenizer.enable_truncation(2**63, stride=2**62)
    return len(tokenizer.encode("ab" * 1000).ids)


@case
def one_endless_word() -> Any:
    vocab = {"a" * length: length for length in range(1, 400)} | {"[UNK]": 0}
    model = models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=2**60)
    return len(Tokenizer(model).encode("a" * 300_000 + "b").ids)


@case
def unigram_of_runs() -> Any:
    pieces = [("<unk>", 0.0)] + [("a" * length, -float(length)) for length in range(1, 400)]
    return len(Tokenizer(models.Unigram(pieces, 0)).encode("a" * 100_000).ids)


# Files.
def packed(ending: str, head: bytes = b"", tail: bytes = b"") -> Callable[[], Any]:
    def count() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bomb" + ending)
            with gzip.open(path, "wb", compresslevel=1) as file:
                file.write(head)
                for _ in range(100):
                    file.write(b"a" * 1_000_000)
                file.write(tail)
            return tessella.count_pieces(path, letters(), memory="32MB", num_threads=1)

    return count


CASES["packed_line"] = packed(".txt.gz")
CASES["packed_json_line"] = packed(".jsonl.gz", b'{"text": "', b'"}')


@case
def deep_decoders() -> Any:
    document = json.loads(letters().to_str())
    document["decoder"] = "HERE"
    chain = '{"type":"Sequence","decoders":[' * 50_000 + "]}" * 50_000
    return Tokenizer.from_str(json.dumps(document).replace('"HERE"', chain))


def outcome(name: str) -> str:
    """What came of a case: an error's text, or that it ended."""
    try:
        CASES[name]()
    except (errors.TessellaError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        return "interrupted"
    return "ended"


def peak() -> int:
    """The most memory that this process has had, in kilobytes.

    Not ``ru_maxrss``, in which the process that started this one counts too.
    """
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def alone(name: str, interrupt_after: float | None) -> None:
    """Runs one case, and writes what came of it as a line of JSON."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = peak()
    sent = [0.0]

    def interrupt() -> None:
        sent[0] = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    began, used = time.monotonic(), time.process_time()
    if interrupt_after is not None:
        timer = threading.Timer(interrupt_after, interrupt)
        timer.start()
    try:
        came = outcome(name)
        ended = time.monotonic()
        if interrupt_after is not None:
            timer.cancel()
            timer.join()
    except KeyboardInterrupt:
        # It came when the case was just over.
        came, ended = "interrupted", time.monotonic()
    more = peak() - before
    heeded = ended - sent[0] if sent[0] and came == "interrupted" else None
    found = {
        "name": name,
        "came": came,
        "seconds": round(ended - began, 2),
        "processor": round(time.process_time() - used, 2),
        "megabytes": more // 1024,
        "heeded": heeded,
    }
    print(json.dumps(found), flush=True)


def main() -> None:
    names = sys.argv[1:] or list(CASES)
    for name in names:
        for after in (None, 0.3):
            done = subprocess.run(
                [sys.executable, __file__, "--alone", name, json.dumps(after)],
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
            print(
                done.stdout.strip() or f"{name} died with {done.returncode}: {done.stderr[-300:]}", flush=True
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        alone(sys.argv[2], json.loads(sys.argv[3]))
    else:
        main()
