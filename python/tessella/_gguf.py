"""A tokenizer as the keys of a GGUF file, after a proof.

Such a file names a kind of model and, for BPE of bytes, one of the ways in which llama.cpp cuts texts; it
cannot describe another. Which way is the tokenizer's own is not guessed from names: the ways are tried on
texts that tell them apart. What comes out is written, read again, and has to give the same ids; if not, the
text that would differ is the reason why nothing is written.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from . import _gguf_file, _tessella
from ._gguf_proof import differences, read, smallest, texts, tokens_that_differ
from ._notices import warn
from ._shown import quoted
from ._telling import RULES
from ._vocabulary import BYTE_TOKENS
from .errors import ArgumentError, TrainError, UnsupportedError
from .pre_tokenizers import ByteLevel

if TYPE_CHECKING:
    from ._types import Path
    from .pre_tokenizers import PreTokenizer
    from .recipes.recipe import Recipe
    from .tokenizer import Tokenizer
    from .training.anew import Anew


_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_PIECES = {
    "normal": _NORMAL,
    "unknown": _UNKNOWN,
    "control": _CONTROL,
    "user_defined": _USER_DEFINED,
    "unused": _UNUSED,
    "byte": _BYTE,
}
_MARK = "▁"
_EMBEDDING = "token_embd.weight"
_TEMPLATE = "tokenizer.chat_template"
_NO_BYTES = "llama.cpp spells unknown text in tokens of bytes only for BPE, not for Unigram models"
#: Tokens that end texts, where nothing says which one does.
_ENDS = ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>", "<|im_end|>")


def save(
    tokenizer: Tokenizer,
    path: Path,
    into: Path | None = None,
    drop_normalizer: bool = False,
    allow_differences: bool = False,
) -> None:
    """Writes the tokenizer to a file of its own, or to a copy of the model's file ``into``.

    With ``drop_normalizer``, the file is that of the tokenizer without its normalizer. With
    ``allow_differences``, the nearest file is written and a warning has a text that differs.

    Raises ``UnsupportedError`` with the obstacle, which is a text that would differ if nothing else is.
    """
    model = None if into is None else _gguf_file.Model.read(os.fspath(into))
    if model is not None and os.path.exists(path) and os.path.samefile(model.path, path):
        raise ArgumentError(f"{os.fspath(path)} is the model's file itself: give the copy another name")
    dropped = []
    if drop_normalizer and tokenizer.normalizer is not None:
        whole, tokenizer = tokenizer, copy(tokenizer)
        tokenizer.normalizer = None
        dropped = _lost(whole, tokenizer)
    keys, notices = _proven(tokenizer, allow_differences)
    if model is not None:
        _fits(keys, model)
        keep = set() if _TEMPLATE in keys else {_TEMPLATE}
        # The tokenizer's own keys are all written anew; the architecture is the model's.
        own = {key for key in model.pairs if key.startswith("tokenizer.") and key not in keep}
        model = model._replace(pairs={key: raw for key, raw in model.pairs.items() if key not in own})
        keys = {key: value for key, value in keys.items() if key not in model.pairs}
    _gguf_file.write(os.fspath(path), keys, model)
    warn(*dropped, *notices)


def refuse_before_training(pipeline: Recipe | Anew) -> None:
    """Raises what ``save`` would raise whatever is learned.

    It is known from a model of nothing but letters: what differs there does so because of the stages.
    """
    from .training.anew import Anew

    if isinstance(pipeline, Anew):
        pipeline = Anew(copy(pipeline.tokenizer))
    letters = sorted({letter for text in (*RULES, "abcdefghijklmnopqrstuvwxyz") for letter in text})
    try:
        trainer = pipeline.trainer(2000, **{"show_progress": False})
        learned = pipeline.learned(pipeline.count(letters, progress=False), trainer)
    except TrainError:
        # Letters do not suffice to learn such a model.
        return
    _proven(learned, False)


def _lost(tokenizer: Tokenizer, bare: Tokenizer) -> list[str]:
    """What is said of a normalizer that is left out."""
    found = differences(tokenizer, bare, texts(tokenizer))
    return [f"the normalizer is left out, as asked: {smallest(tokenizer, bare, found[0])}"] if found else []


def _fits(keys: dict[str, Any], model: _gguf_file.Model) -> None:
    shape = model.shapes.get(_EMBEDDING)
    count = len(keys["tokenizer.ggml.tokens"])
    if shape is not None and shape[-1] != count:
        raise ArgumentError(
            f"the tokenizer has {count:,} ids, and {_EMBEDDING} of {model.path} has {shape[-1]:,} rows: "
            "resize the model first, or give the tokenizer as many ids"
        )


def _refusal(why: str) -> UnsupportedError:
    return UnsupportedError(f"a GGUF file cannot express this tokenizer: {why}")


def _proven(tokenizer: Tokenizer, allow_differences: bool) -> tuple[dict[str, Any], list[str]]:
    """The keys of a file that gives the same ids, or, where that is allowed, of the nearest; and warnings."""
    if tokenizer.truncation is not None or tokenizer.padding is not None:
        raise _refusal("it truncates or pads; switch that off before saving")
    tried = texts(tokenizer)
    nearest = None
    for keys, reason in _candidates(tokenizer, tried):
        again = read(keys)
        again.encode_special_tokens = tokenizer.encode_special_tokens or spells_no_specials(tokenizer)
        found = differences(tokenizer, again, tried) or tokens_that_differ(tokenizer, again)
        if not found:
            return keys, []
        if nearest is None or len(found) < len(nearest[1]):
            nearest = keys, found, again, reason
    if nearest is None:
        raise _refusal("no kind of model that llama.cpp knows is like it")
    keys, found, again, reason = nearest
    least = smallest(tokenizer, again, found[0])
    if allow_differences:
        return keys, [f"llama.cpp encodes some texts otherwise, as allowed: {least}"]
    raise _refusal(
        f"{reason}{'; ' if reason else ''}{least}; where that does not matter, write it with "
        "`allow_differences`"
    )


def spells_no_specials(tokenizer: Tokenizer) -> bool:
    """Whether texts cannot spell the control symbols, which they can once the tokenizer is read from GGUF."""
    return type(tokenizer.model).__name__ == "SentencePiece" and not tokenizer.get_added_tokens_decoder()


def _normalized(tokenizer: Tokenizer, text: str) -> str:
    normalizer = tokenizer.normalizer
    return text if normalizer is None else normalizer.normalize_str(text)


def _is_unigram(tokenizer: Tokenizer) -> bool:
    return bool(_tessella.sentencepiece_parts(tokenizer)[2]["unigram"])


def _candidates(tokenizer: Tokenizer, tried: list[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Files that may be the tokenizer, the likeliest first, and for those that hardly are, why."""
    kind = type(tokenizer.model).__name__
    if kind == "SentencePiece":
        keys = _pieces(tokenizer)
        yield keys, ""
        kinds = keys["tokenizer.ggml.token_type"]
        if _USER_DEFINED in kinds and _is_unigram(tokenizer):
            # llama.cpp cuts such tokens out, and what follows them begins anew. As the best of all pieces
            # they stay where they are.
            free = [kind == _USER_DEFINED for kind in kinds]
            normal = {
                "tokenizer.ggml.token_type": [
                    _NORMAL if one else kind for one, kind in zip(free, kinds, strict=True)
                ],
                "tokenizer.ggml.scores": [
                    0.0 if one else score
                    for one, score in zip(free, keys["tokenizer.ggml.scores"], strict=True)
                ],
            }
            yield keys | normal, ""
        return
    state = json.loads(tokenizer.model.__getstate__())
    if kind == "WordPiece":
        # Tokens without a mark of their continuation may be written as llama.cpp has them.
        for as_it_is in (False,) if state["continuing_subword_prefix"] else (True, False):
            yield _words(tokenizer, state, as_it_is), ""
    elif kind == "BPE" and _spells_bytes(tokenizer):
        base = _pairs(tokenizer, state)
        for name, reason in _cuts(tokenizer, state, tried):
            yield base | {"tokenizer.ggml.pre": name}, reason
    elif kind == "BPE":
        yield _scored(tokenizer, state), ""
    elif kind == "Unigram":
        yield _unigram(tokenizer, state), ""
    else:
        raise _refusal(f"llama.cpp has no {kind} model with these stages")


def _spells_bytes(tokenizer: Tokenizer) -> bool:
    return "ByteLevel" in str(tokenizer.pre_tokenizer)


def _cuts(tokenizer: Tokenizer, state: dict[str, Any], tried: list[str]) -> Iterator[tuple[str, str]]:
    """The names of the ways that cut the texts as the tokenizer does, well-known ones first.

    If there are none, the nearest, and what it does otherwise.
    """
    changing = ""
    if tokenizer.normalizer is not None:
        changed = min((text for text in tried if _normalized(tokenizer, text) != text), key=len, default=None)
        if changed is not None:
            changing = (
                f"llama.cpp normalizes no text for such a model, and here {quoted(changed[:40])} becomes "
                f"{quoted(_normalized(tokenizer, changed)[:40])}; `drop_normalizer` writes it without"
            )
    own = tokenizer.pre_tokenizer
    assert own is not None
    expected = [(text, _pieces_of(own, text)) for text in tried if text]
    whole = bool(state.get("ignore_merges"))
    named = [(name, looks_up) for name, looks_up, bytes_spelled in _tessella.gguf_cuts() if bytes_spelled]
    alike = [
        (looks_up != whole, place, name)
        for place, (name, looks_up) in enumerate(named)
        if all(_pieces_of(_way(name), text) == pieces for text, pieces in expected)
    ]
    yield from ((name, changing) for _, _, name in sorted(alike))
    if not alike:
        # Where the vocabulary has no token across the place where a way cuts otherwise, ids are the same.
        nearest, differing = _nearest([name for name, _ in named], expected)
        text = min(differing, key=len)
        shown = " ".join(_pieces_of(_way(nearest), text))
        yield (
            nearest,
            f"{changing}{'; ' if changing else ''}llama.cpp knows no way (`tokenizer.ggml.pre`) that cuts "
            "texts like its pre-tokenizer; the "
            f"nearest, `{nearest}`, cuts {quoted(text[:60])} into {quoted(shown[:80])}",
        )


def _nearest(names: list[str], expected: list[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    """Which way comes nearest on a few hundred texts, and all texts that it cuts otherwise."""

    def differing(name: str, some: list[tuple[str, list[str]]]) -> list[str]:
        return [text for text, pieces in some if _pieces_of(_way(name), text) != pieces]

    nearest = min(names, key=lambda name: len(differing(name, expected[:400])))
    return nearest, differing(nearest, expected)


def _pieces_of(stage: PreTokenizer, text: str) -> list[str]:
    return [piece for piece, _ in stage.pre_tokenize_str(text)]


@cache
def _way(name: str) -> PreTokenizer:
    """What cuts texts in this way."""
    stage = read(
        {
            "general.architecture": "gpt2",
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": name,
            "tokenizer.ggml.tokens": [*ByteLevel.alphabet(), "ab"],
            "tokenizer.ggml.merges": ["a b"],
        }
    ).pre_tokenizer
    assert stage is not None
    return stage


def _table(tokenizer: Tokenizer, texts: dict[str, int]) -> tuple[list[str], list[int]]:
    """Tokens and their kinds by id; ids without a token get one that no text has."""
    added = tokenizer.get_added_tokens_decoder()
    size = max([*texts.values(), *added], default=-1) + 1
    tokens, kinds = [""] * size, [_UNUSED] * size
    for text, id in texts.items():
        tokens[id], kinds[id] = text, _NORMAL
    for id, token in added.items():
        tokens[id], kinds[id] = token.content, _CONTROL if token.special else _USER_DEFINED
    for id, text in enumerate(tokens):
        if not text:
            tokens[id] = f"[PAD{id}]"
    if len(set(tokens)) != size:
        twice = next(text for id, text in enumerate(tokens) if tokens.index(text) != id)
        raise _refusal(f"the token {quoted(twice)} would stand there twice")
    return tokens, kinds


def _ends(tokenizer: Tokenizer, tokens: list[str]) -> dict[str, Any]:
    """What stands round every text, and the tokens that begin and end texts."""
    bare, whole = (tokenizer.encode("a", add_special_tokens=special).ids for special in (False, True))
    extra = len(whole) - len(bare)
    before = next((n for n in range(extra + 1) if whole[n : n + len(bare)] == bare), 0)
    if before > 1 or extra - before > 1:
        raise _refusal("it puts more than one token in front of texts, or behind them")
    begins = whole[0] if before else None
    ends = whole[-1] if extra - before else None
    keys: dict[str, Any] = {
        "tokenizer.ggml.add_bos_token": begins is not None,
        "tokenizer.ggml.add_eos_token": ends is not None,
    }
    ids = {text: id for id, text in enumerate(tokens)}
    settings = tokenizer.config or {}

    def named(role: str) -> int | None:
        said = settings.get(f"{role}_token")
        said = said.get("content") if isinstance(said, dict) else said
        return ids.get(said) if isinstance(said, str) else None

    usual = next((ids[text] for text in _ENDS if text in ids), None)
    roles = {"bos": begins, "eos": ends, "unknown": None, "padding": None}
    for role, name in (("bos", "bos"), ("eos", "eos"), ("unknown", "unk"), ("padding", "pad")):
        if roles[role] is None:
            roles[role] = named(name)
    if roles["eos"] is None:
        roles["eos"] = usual
    if roles["bos"] is None:
        roles["bos"] = roles["eos"]
    keys.update((f"tokenizer.ggml.{role}_token_id", id) for role, id in roles.items() if id is not None)
    if tokenizer.chat_template:
        keys[_TEMPLATE] = tokenizer.chat_template
    return keys


def _pairs(tokenizer: Tokenizer, state: dict[str, Any]) -> dict[str, Any]:
    """BPE of bytes."""
    for option in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if state.get(option) and not (
            option == "unk_token" and tokenizer.token_to_id(state[option]) is not None
        ):
            raise _refusal(f"its model has `{option}`, which llama.cpp does not know")
    if state.get("dropout"):
        raise _refusal("its ids are drawn by chance (dropout)")
    tokens, kinds = _table(tokenizer, state["vocab"])
    return {
        "general.architecture": "gpt2",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": [" ".join(pair) for pair in state["merges"]],
        **_ends(tokenizer, tokens),
    }


def _scored(tokenizer: Tokenizer, state: dict[str, Any]) -> dict[str, Any]:
    """BPE of characters with tokens for bytes: a Llama-type model, where scores are the order of merges."""
    tokens, kinds = _table(tokenizer, state["vocab"])
    scores = [-1e9] * len(tokens)
    for rank, (left, right) in reversed(list(enumerate(state["merges"]))):
        scores[state["vocab"][left + right]] = -float(rank)
    for token in BYTE_TOKENS:
        id = state["vocab"].get(token)
        if id is None or not state.get("byte_fallback"):
            raise _refusal("llama.cpp needs tokens for all bytes in such a model, and they are not there")
        kinds[id] = _BYTE
    unknown = state["vocab"].get(state.get("unk_token") or "")
    if unknown is not None:
        kinds[unknown] = _UNKNOWN
    keys = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.add_space_prefix": _normalized(tokenizer, "a") == f"{_MARK}a",
        **_ends(tokenizer, tokens),
    }
    return keys if unknown is None else keys | {"tokenizer.ggml.unknown_token_id": unknown}


def _words(tokenizer: Tokenizer, state: dict[str, Any], as_it_is: bool) -> dict[str, Any]:
    """WordPiece: there, beginnings of words are marked and not their continuations; or tokens as they are."""
    prefix = state["continuing_subword_prefix"]
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    special = added | {state["unk_token"]}

    def spelled(text: str) -> str:
        if as_it_is or text in special:
            return text
        return text[len(prefix) :] if prefix and text.startswith(prefix) and text != prefix else _MARK + text

    tokens, kinds = _table(tokenizer, {spelled(text): id for text, id in state["vocab"].items()})
    unknown = state["vocab"].get(state["unk_token"])
    if unknown is None:
        raise _refusal(f"its unknown token {quoted(state['unk_token'])} is not in the vocabulary")
    kinds[unknown] = _UNKNOWN
    ends = _ends(tokenizer, tokens)
    if not (ends.pop("tokenizer.ggml.add_bos_token") and ends.pop("tokenizer.ggml.add_eos_token")):
        raise _refusal(
            "llama.cpp puts [CLS] in front of texts and [SEP] behind them for such a model, and it does not"
        )
    begins, separates = ends.pop("tokenizer.ggml.bos_token_id"), ends.pop("tokenizer.ggml.eos_token_id")
    return {
        "general.architecture": "bert",
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": begins,
        "tokenizer.ggml.cls_token_id": begins,
        "tokenizer.ggml.seperator_token_id": separates,
        "tokenizer.ggml.normalizer.lowercase": _normalized(tokenizer, "A") == "a",
        "tokenizer.ggml.normalizer.strip_accents": _normalized(tokenizer, "é") in ("e", "E"),
        **ends,
        "tokenizer.ggml.unknown_token_id": unknown,
    }


def _unigram(tokenizer: Tokenizer, state: dict[str, Any]) -> dict[str, Any]:
    """Unigram of a ``tokenizer.json``, if its stages do what SentencePiece's rules do."""
    if state.get("byte_fallback"):
        raise _refusal(_NO_BYTES)
    unknown = state.get("unk_id")
    if unknown is None:
        raise _refusal("llama.cpp needs a token for unknown text in such a model, and there is none")
    tokens, kinds = _table(tokenizer, {text: id for id, (text, _) in enumerate(state["vocab"])})
    kinds[unknown] = _UNKNOWN
    scores = [float(score) for _, score in state["vocab"]]
    before, own = _normalized(tokenizer, "a  b"), tokenizer.pre_tokenizer
    marked = before if own is None else "".join(_pieces_of(own, before))
    keys: dict[str, Any] = {
        "general.architecture": "t5",
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores + [0.0] * (len(tokens) - len(scores)),
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.add_space_prefix": marked.startswith(_MARK),
        "tokenizer.ggml.remove_extra_whitespaces": _MARK * 2 not in marked,
        **_ends(tokenizer, tokens),
        "tokenizer.ggml.unknown_token_id": unknown,
    }
    charsmap = _charsmap(tokenizer)
    return keys | {"tokenizer.ggml.precompiled_charsmap": charsmap} if charsmap else keys


def _charsmap(tokenizer: Tokenizer) -> bytes:
    """The map of characters among the normalizers."""
    stage = tokenizer.normalizer
    said = None if stage is None else json.loads(stage.__getstate__())
    waiting = [said] if said else []
    for part in waiting:
        if part["type"] == "Precompiled":
            return base64.b64decode(part["precompiled_charsmap"] or "")
        waiting += part.get("normalizers", ())
    return b""


def _pieces(tokenizer: Tokenizer) -> dict[str, Any]:
    """A SentencePiece model."""
    found, charsmap, options = _tessella.sentencepiece_parts(tokenizer)
    rules = tokenizer.normalizer
    tokens = [text for text, _, _ in found]
    kinds = [_PIECES[kind] for _, _, kind in found]
    if options["wide_sums"]:
        # Read from such a file, where tokens of bytes are never in a text, not even by their names.
        added = tokenizer.get_added_tokens_decoder()
        kinds = [_BYTE if kind == _CONTROL and id not in added else kind for id, kind in enumerate(kinds)]
    for id, token in tokenizer.get_added_tokens_decoder().items():
        if id != len(tokens) and tokens[id : id + 1] != [token.content]:
            raise _refusal(
                f"the added token {quoted(token.content)} has the id {id}, after {len(tokens)} pieces"
            )
        if id == len(tokens):
            tokens.append(token.content)
            kinds.append(_CONTROL if token.special else _USER_DEFINED)
    scores = [float(score) for _, score, _ in found] + [0.0] * (len(tokens) - len(found))
    unigram = options["unigram"]
    if unigram and options["byte_fallback"]:
        raise _refusal(_NO_BYTES)
    if not unigram and not options["byte_fallback"]:
        raise _refusal("llama.cpp needs tokens for all bytes in such a model, and they are not there")
    keys: dict[str, Any] = {
        "general.architecture": "t5" if unigram else "llama",
        "tokenizer.ggml.model": "t5" if unigram else "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.add_space_prefix": bool(getattr(rules, "add_dummy_prefix", False)),
        "tokenizer.ggml.remove_extra_whitespaces": bool(getattr(rules, "remove_extra_whitespaces", False)),
        **_ends(tokenizer, tokens),
    }
    if charsmap and unigram:
        keys["tokenizer.ggml.precompiled_charsmap"] = charsmap
    for name, role in (("unk", "unknown"), ("bos", "bos"), ("eos", "eos")):
        if options[name][0] >= 0:
            keys.setdefault(f"tokenizer.ggml.{role}_token_id", options[name][0])
            if role == "unknown":
                keys["tokenizer.ggml.unknown_token_id"] = options[name][0]
    return keys
