"""A SentencePiece model restated with the stages of ``tokenizer.json``, where that is the same.

The stages of that file split, normalize and merge by other rules than SentencePiece. For many models they
come to the same ids all the same, and to the same text on the way back. Whether they do for one model is not
guessed: both are run on every piece of the vocabulary, on what borders on it, and on texts that are known to
tell such rules apart. The first text that differs is the reason why the model is not restated.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from . import _tessella, decoders, normalizers
from ._shown import quoted
from ._telling import RULES
from ._tessella import Regex
from ._wire import write_number
from .errors import UnsupportedError
from .models import BPE, Unigram
from .tokenizer import Tokenizer

_MARK = "▁"


def restated(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer that does the same with the stages of ``tokenizer.json``.

    Raises ``UnsupportedError`` with a text that would give something else.
    """
    made = _candidate(tokenizer)
    texts = list(_texts(tokenizer))
    options: dict[str, bool] = {"add_special_tokens": False, "padding": False, "truncation": False}
    rows, others = (each.encode_batch(texts, **options) for each in (tokenizer, made))
    for text, row, other in zip(texts, rows, others, strict=True):
        if row.ids != other.ids:
            raise _refusal(f"the text {quoted(text)} would give {other.ids[:12]}, not {row.ids[:12]}")
    # Control symbols come from no text, but from models: they are looked at alone and between others.
    pieces = _tessella.sentencepiece_parts(tokenizer)[0]
    control = [id for id, (_, _, kind) in enumerate(pieces) if kind == "control"]
    ids = [row.ids for row in rows]
    ids += [[id] for id in control] + [[id, *row, id, id, *row] for id in control for row in ids[:100]]
    backs, again = (each.decode_batch(ids, skip_special_tokens=False) for each in (tokenizer, made))
    for known, back, different in zip(ids, backs, again, strict=True):
        if back != different:
            raise _refusal(f"the ids {known[:12]} would decode to {quoted(different)}, not {quoted(back)}")
    made.post_processor = tokenizer.post_processor
    if tokenizer.truncation is not None:
        made.enable_truncation(**tokenizer.truncation)
    if tokenizer.padding is not None:
        made.enable_padding(**tokenizer.padding)
    return made


def _refusal(why: str) -> UnsupportedError:
    return UnsupportedError(
        f"tokenizer.json cannot express this SentencePiece model: {why}; keep the .model file, or save "
        "a folder"
    )


def _candidate(tokenizer: Tokenizer) -> Tokenizer:
    """The nearest stages that the file has."""
    if tokenizer.get_added_tokens_decoder() or tokenizer.pre_tokenizer is not None:
        raise _refusal("it has added tokens or a pre-tokenizer, which stand round other stages there")
    found, charsmap, options = _tessella.sentencepiece_parts(tokenizer)
    unk_id = options["unk"][0]
    rules = tokenizer.normalizer
    parts: list[normalizers.Normalizer] = [normalizers.Precompiled(charsmap)] if charsmap else []
    if getattr(rules, "remove_extra_whitespaces", False):
        parts += [normalizers.Replace(Regex("^ +| +$"), ""), normalizers.Replace(Regex(" {2,}"), " ")]
    prefixed = bool(getattr(rules, "add_dummy_prefix", False))
    if prefixed:
        parts.append(normalizers.Prepend(_MARK))
    parts.append(normalizers.Replace(" ", _MARK))
    texts = [text for text, _, _ in found]
    if options["unigram"]:
        scores = [(text, score) for text, score, _ in found]
        made = Tokenizer(Unigram(scores, unk_id, options["byte_fallback"]))
    else:
        # Best piece first; only what SentencePiece itself joins is a merge.
        ranked = sorted((one for one in found if one[2] == "normal"), key=lambda one: -one[1])
        merges = _tessella.piece_merges([text for text, _, _ in ranked])
        ids = {text: id for id, text in enumerate(texts)}
        unknown = texts[unk_id] if 0 <= unk_id < len(texts) else None
        made = Tokenizer(
            BPE(ids, merges, unk_token=unknown, fuse_unk=True, byte_fallback=options["byte_fallback"])
        )
    made.normalizer = normalizers.Sequence(parts)
    silent = [decoders.Replace(text, "") for text, _, kind in found if kind == "control"]
    unknown_text = tokenizer.decode([unk_id], skip_special_tokens=False) if unk_id >= 0 else ""
    spoken = [decoders.Replace(texts[unk_id], unknown_text)] if unk_id >= 0 else []
    stages = [*silent, *spoken, decoders.Replace(_MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence([*stages, decoders.Strip(" ", 1, 0)] if prefixed else stages)
    return made


def _texts(tokenizer: Tokenizer) -> Iterator[str]:
    """Texts that tell rules apart: known ones, all pieces, and random rows of pieces and characters."""
    yield from RULES
    pieces = [text.replace(_MARK, " ") for text in tokenizer.get_vocab()]
    yield from pieces
    draw = random.Random(0)
    letters = sorted(set("".join(pieces)) | set("".join(RULES)))
    for _ in range(2000):
        yield "".join(draw.choice(pieces) for _ in range(draw.randint(2, 8)))
        yield "".join(draw.choice(letters) for _ in range(draw.randint(2, 12)))
        piece = draw.choice(pieces)
        place = draw.randint(0, len(piece))
        yield piece[:place] + draw.choice(letters) + piece[place:]
    yield from _mapped(_tessella.sentencepiece_parts(tokenizer)[1], draw)


def _mapped(charsmap: bytes, draw: random.Random) -> Iterator[str]:
    """What a map of characters rewrites, also with marks behind it.

    SentencePiece rewrites the longest part of a text that the map has, and goes on behind it. `Precompiled`
    looks at whole graphemes: short ones become what the map has for their beginning, in long ones each
    character is by itself.
    """
    if not charsmap:
        return
    # The field of a model's rules that holds the map.
    rules = _tessella.SentencePieceNormalizerHandle(
        "spec", b"\x12" + write_number(len(charsmap)) + charsmap
    ).rules()
    marks = ("", "\u0301", "\u0301\u0302\u0303")
    for text, _ in draw.sample(rules, min(len(rules), 300)):
        yield from (text + more for more in marks)
