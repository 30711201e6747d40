"""How each format's own library is asked, and what is compared."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tessella

if TYPE_CHECKING:
    from collections.abc import Callable

    from .compare import Report

COLUMNS = (
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "special_tokens_mask",
    "attention_mask",
    "sequence_ids",
)

#: Characters of each text of a pair that is truncated.
PAIR = 600

#: Pattern and special tokens of rank files that the tiktoken package does not name.
LLAMA3_PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3_SPECIALS = {
    "<|begin_of_text|>": 128000,
    "<|end_of_text|>": 128001,
    **{f"<|reserved_special_token_{i}|>": 128002 + i for i in range(254)},
}


def is_tokenizer(path: Path) -> bool:
    """Whether a comparison exists for a file."""
    return path.suffix in {".json", ".tiktoken", ".model"}


def comparison_for(path: Path) -> Callable[[Path, str, list[str], Report], None]:
    """The comparison of a file's format."""
    return {".json": compare_json, ".tiktoken": compare_tiktoken, ".model": compare_sentencepiece}[
        path.suffix
    ]


# tokenizer.json beside tokenizers


@functools.lru_cache(maxsize=1)
def json_pair(path: Path) -> tuple[Any, Any, list[str]]:
    import tokenizers

    reference = tokenizers.Tokenizer.from_file(str(path))
    description = json.loads(path.read_text(encoding="utf-8"))
    return (
        tessella.Tokenizer.from_file(str(path)),
        reference,
        list(wide_replacements(description.get("normalizer"))),
    )


def wide_replacements(normalizer: dict[str, Any] | None) -> Any:
    """Literal patterns of more than one character: their offsets differ, as `docs/differences.md` announces."""
    if not normalizer:
        return
    if normalizer.get("type") == "Replace":
        pattern = normalizer["pattern"].get("String")
        if pattern is not None and len(pattern) > 1:
            yield pattern
    for child in normalizer.get("normalizers", ()):
        yield from wide_replacements(child)


def announced(text: str, ours: list[Any], theirs: list[Any], patterns: list[str]) -> bool:
    """Whether offsets differ only where a wide replacement gives its whole match a span."""
    if not patterns or len(ours) != len(theirs):
        return False
    for (start, end), (other_start, other_end) in zip(ours, theirs, strict=True):
        if (start, end) == (other_start, other_end):
            continue
        widths = [len(pattern) for pattern in patterns if text.startswith(pattern, start)]
        if end != other_end or not any(start + width - 1 == other_start for width in widths):
            return False
    return True


def compare_json(path: Path, source: str, batch: list[str], report: Report) -> None:
    ours, theirs, patterns = json_pair(path)
    pairs = list(zip(batch[::2], batch[1::2], strict=False))
    if theirs.truncation is not None:
        # Windows of a pair multiply: two long texts would give millions, there as here.
        pairs = [(first[:PAIR], second[:PAIR]) for first, second in pairs]
    for add_special in (True, False):
        for inputs in (batch, pairs):
            kind = "pair" if inputs is pairs else "single"
            got = ours.encode_batch(inputs, add_special_tokens=add_special)
            want = theirs.encode_batch(inputs, add_special_tokens=add_special)
            for text, mine, other in zip(inputs, got, want, strict=True):
                report.cases += 1
                for column in COLUMNS:
                    a, b = getattr(mine, column), getattr(other, column)
                    if a != b:
                        if column == "offsets" and kind == "single" and announced(str(text), a, b, patterns):
                            report.announced["replace-span"] += 1
                            continue
                        if (
                            column == "offsets"
                            and kind == "pair"
                            and patterns
                            and same_but_announced(text, mine, other, patterns)
                        ):
                            report.announced["replace-span"] += 1
                            continue
                        report.differ(f"{kind}.{column}", source, text, a[:60], b[:60])
                if len(mine.overflowing) != len(other.overflowing):
                    report.differ(
                        f"{kind}.overflowing", source, text, len(mine.overflowing), len(other.overflowing)
                    )
                for a_window, b_window in zip(mine.overflowing, other.overflowing, strict=False):
                    if a_window.ids != b_window.ids or (
                        not patterns and a_window.offsets != b_window.offsets
                    ):
                        report.differ(f"{kind}.overflow", source, text, a_window.ids[:60], b_window.ids[:60])
            if inputs is batch:
                ids = [encoding.ids for encoding in want]
                for skip in (True, False):
                    a_texts = ours.decode_batch(ids, skip_special_tokens=skip)
                    b_texts = theirs.decode_batch(ids, skip_special_tokens=skip)
                    for text, a, b in zip(inputs, a_texts, b_texts, strict=True):
                        if a != b:
                            report.differ("decode", source, text, a[:200], b[:200])
        ragged = ours.encode_ids_batch(batch, add_special_tokens=add_special)
        # Truncation and padding belong to the full path; ids only are compared where the file has none.
        if ours.truncation is None and ours.padding is None:
            want_ids = [e.ids for e in theirs.encode_batch_fast(batch, add_special_tokens=add_special)]
            for text, a, b in zip(batch, ragged, want_ids, strict=True):
                if a.tolist() != b:
                    report.differ("ids-only", source, text, a.tolist()[:60], b[:60])


def same_but_announced(pair: Any, mine: Any, other: Any, patterns: list[str]) -> bool:
    """The same for a pair: each sequence's offsets against its own text."""
    # Each access makes the whole list anew.
    mine_offsets, other_offsets = mine.offsets, other.offsets
    for sequence, text in enumerate(pair):
        rows = [i for i, s in enumerate(mine.sequence_ids) if s == sequence]
        a = [mine_offsets[i] for i in rows]
        b = [other_offsets[i] for i in rows]
        if not announced(text, a, b, patterns):
            return False
    return True


# Rank files beside tiktoken


@functools.lru_cache(maxsize=1)
def tiktoken_pair(path: Path) -> tuple[Any, Any]:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe
    from tiktoken_ext import openai_public

    ranks = load_tiktoken_bpe(str(path))
    name = path.stem
    constructor = getattr(openai_public, name, None)
    if constructor is None:
        pattern, specials = LLAMA3_PATTERN, LLAMA3_SPECIALS
    else:
        original = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda *_args, **_kwargs: ranks
        try:
            parts = constructor()
        finally:
            openai_public.load_tiktoken_bpe = original
        pattern, specials = parts["pat_str"], parts["special_tokens"]
    reference = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    if constructor is None:
        return tessella.load(str(path), pattern=pattern, special_tokens=specials), reference
    return tessella.load(str(path)), reference


def compare_tiktoken(path: Path, source: str, batch: list[str], report: Report) -> None:
    ours, theirs = tiktoken_pair(path)
    for specials in (True, False):
        ours.encode_special_tokens = not specials
        allowed = "all" if specials else set()
        want = theirs.encode_batch(batch, num_threads=2, allowed_special=allowed, disallowed_special=())
        got = ours.encode_ids_batch(batch)
        full = ours.encode_batch(batch)
        for text, a, encoding, b in zip(batch, got, full, want, strict=True):
            report.cases += 1
            if a.tolist() != b:
                report.differ("ids", source, text, a.tolist()[:60], b[:60])
                continue
            if encoding.ids != b:
                report.differ("encoding.ids", source, text, encoding.ids[:60], b[:60])
            decoded, starts = theirs.decode_with_offsets(b)
            if ours.decode(b, skip_special_tokens=False) != theirs.decode(b):
                report.differ(
                    "decode", source, text, ours.decode(b, skip_special_tokens=False)[:200], decoded[:200]
                )
            if ours.decode_bytes(b, skip_special_tokens=False) != theirs.decode_bytes(b):
                report.differ("decode_bytes", source, text, None, None)
            mine = [start for start, _ in encoding.offsets]
            if mine != starts:
                report.differ("offsets", source, text, mine[:60], starts[:60])
    ours.encode_special_tokens = False


# SentencePiece models beside sentencepiece


@functools.lru_cache(maxsize=1)
def sentencepiece_pair(path: Path) -> tuple[Any, Any]:
    import sentencepiece

    return tessella.load(str(path)), sentencepiece.SentencePieceProcessor(model_file=str(path))


def compare_sentencepiece(path: Path, source: str, batch: list[str], report: Report) -> None:
    ours, theirs = sentencepiece_pair(path)
    got = ours.encode_ids_batch(batch)
    full = ours.encode_batch(batch)
    for text, a, encoding in zip(batch, got, full, strict=True):
        report.cases += 1
        want = theirs.encode(text, out_type="offset_mapping")
        ids, pieces, offsets = want["ids"], want["pieces"], [tuple(span) for span in want["offsets"]]
        if a.tolist() != ids:
            report.differ("ids", source, text, a.tolist()[:60], ids[:60])
            continue
        if encoding.ids != ids:
            report.differ("encoding.ids", source, text, encoding.ids[:60], ids[:60])
        if encoding.tokens != pieces:
            report.differ("pieces", source, text, encoding.tokens[:60], pieces[:60])
        if encoding.offsets != offsets:
            report.differ("offsets", source, text, encoding.offsets[:60], offsets[:60])
        if ours.decode(ids) != theirs.decode(ids):
            report.differ("decode", source, text, ours.decode(ids)[:200], theirs.decode(ids)[:200])
