"""Faults of the model in a ``tokenizer.json``: ids, merges, scores, tokens that must be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

from .._vocabulary import BYTE_TOKENS
from ..pre_tokenizers import ByteLevel
from .finding import Finding, Patient

_UNKNOWN = ("<unk>", "[UNK]", "<UNK>", "[unk]", "<|unk|>", "unk")


def ids(patient: Patient) -> Iterator[Finding]:
    """Every token has an id of its own."""
    vocab = patient.model.get("vocab")
    if not isinstance(vocab, dict):
        return
    seen: dict[int, str] = {}
    wrong: list[str] = []
    twice: list[str] = []

    def renumber(tokens: list[str]) -> Callable[[], None]:
        # All at once: a free id is looked for among all that there are.
        return lambda: vocab.update({token: id for id, token in enumerate(tokens, patient.next_id())})

    for token, id in vocab.items():
        where = f"$.model.vocab[{token!r}]"
        if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id < 1 << 32:
            wrong.append(token)
            yield Finding(
                "vocab-id", "error", where, f"{id!r} is no id", "give it a free one", renumber(wrong)
            )
        elif id in seen:
            twice.append(token)
            yield Finding(
                "vocab-id-twice",
                "error",
                where,
                f"the id {id} belongs to `{seen[id]}` too, so that one of them cannot be decoded",
                "give it a free one",
                renumber(twice),
            )
        else:
            seen[id] = token


def merges(patient: Patient) -> Iterator[Finding]:
    """Every merge is a pair of tokens that makes a token, once."""
    found = patient.model.get("merges")
    if patient.model.get("type", "BPE") != "BPE" or not isinstance(found, list):
        return
    vocab, prefix = patient.vocab(), patient.model.get("continuing_subword_prefix") or ""
    malformed, unknown, twice = [], [], []
    last: dict[tuple[str, str], int] = {}
    for place, merge in enumerate(found):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            malformed.append(place)
            continue
        left, right = pair
        if missing := [one for one in (left, right, left + right[len(prefix) :]) if one not in vocab]:
            unknown.append((place, missing[0]))
        elif (left, right) in last:
            twice.append(last[left, right])
        last[left, right] = place

    def without(places: list[int]) -> Any:
        gone = set(places)
        return lambda: found.__setitem__(
            slice(None), [merge for place, merge in enumerate(found) if place not in gone]
        )

    if malformed:
        yield Finding(
            "merge-malformed",
            "error",
            f"$.model.merges[{malformed[0]}]",
            f"{len(malformed)} merges are no pairs of tokens",
            "leave them out",
            without(malformed),
        )
    if unknown:
        yield Finding(
            "merge-unknown",
            "error",
            f"$.model.merges[{unknown[0][0]}]",
            f"{len(unknown)} merges need tokens that are not there, such as `{unknown[0][1]}`",
            "leave them out",
            without([place for place, _ in unknown]),
        )
    if twice:
        yield Finding(
            "merge-twice",
            "warning",
            f"$.model.merges[{twice[0]}]",
            f"{len(twice)} merges come again later, and the last place counts",
            "leave the earlier ones out",
            without(twice),
        )


def unknown_token(patient: Patient) -> Iterator[Finding]:
    """The unknown token is there, where one is named or needed."""
    model, kind = patient.model, patient.model.get("type", "BPE")
    if kind == "Unigram":
        unk, size = model.get("unk_id"), len(model.get("vocab") or [])
        if unk is not None and (isinstance(unk, bool) or not isinstance(unk, int) or not 0 <= unk < size):
            known = next((patient.vocab()[one] for one in _UNKNOWN if one in patient.vocab()), None)
            yield Finding(
                "unk-id",
                "error",
                "$.model.unk_id",
                f"{unk!r} is the id of no piece: there are {size}",
                "name the unknown piece" if known is not None else "leave it out",
                lambda: model.__setitem__("unk_id", known),
            )
        elif unk is None:
            yield from _unnamed(patient, "unk_id", "is an error")
        return
    token, vocab = model.get("unk_token"), patient.vocab()
    if kind == "BPE" and not (model.get("byte_fallback") and vocab.keys() >= set(BYTE_TOKENS)):
        missing = missing_forms(patient)
        if missing == []:
            # No text is unknown.
            return
        if token is None and missing is None:
            yield from _unnamed(patient, "unk_token", "vanishes without a word")
    if token is None or token in vocab:
        return

    def mend() -> None:
        other = next((one for one in _UNKNOWN if one in vocab), None)
        if other is not None:
            model["unk_token"] = other
        elif kind == "BPE":
            model["unk_token"] = None
        else:
            # An added one of this name keeps its id.
            vocab[token] = patient.ids().get(token, patient.next_id())

    yield Finding(
        "unk-missing",
        "error",
        "$.model.unk_token",
        f"the token for unknown text, `{token}`, is not in the vocabulary: encoding such text fails",
        "name one that is there, or add it",
        mend,
    )


def _unnamed(patient: Patient, field: str, what: str) -> Iterator[Finding]:
    """No token for unknown text is named."""
    known = next((one for one in _UNKNOWN if one in patient.vocab()), None)

    def mend() -> None:
        assert known is not None
        patient.model[field] = patient.vocab()[known] if field == "unk_id" else known

    yield Finding(
        "unk-unnamed",
        "note" if known is None else "warning",
        f"$.model.{field}",
        f"no token for unknown text is named, so that text with characters that have no token {what}",
        "know that, or train with one" if known is None else f"name `{known}`",
        None if known is None else mend,
    )


def byte_tokens(patient: Patient) -> Iterator[Finding]:
    """Tokens for all bytes are there, where bytes are spelled."""
    model, vocab = patient.model, patient.vocab()

    def add(tokens: list[str]) -> Any:
        def mend() -> None:
            inner = model["vocab"]
            for token in tokens:
                if isinstance(inner, dict):
                    inner[token] = patient.next_id()
                else:
                    inner.append([token, 0.0])

        return mend

    missing = [token for token in BYTE_TOKENS if token not in vocab]
    if model.get("byte_fallback") and missing:
        yield Finding(
            "bytes-missing",
            "error",
            "$.model.vocab",
            f"unknown characters are to be spelled by bytes, and {len(missing)} byte tokens are missing, "
            f"such as `{missing[0]}`",
            "add them",
            add(missing) if not (isinstance(model.get("vocab"), list) and patient.added()) else None,
        )
    is_silent = model.get("type", "BPE") == "BPE" and model.get("unk_token") is None
    gone = missing_forms(patient) if is_silent else None
    if gone:
        yield Finding(
            "alphabet-missing",
            "error",
            "$.model.vocab",
            f"{len(gone)} letters for bytes have no token, such as `{gone[0]}`: text with them vanishes "
            "without a word",
            "add them",
            add(gone),
        )


def missing_forms(patient: Patient) -> list[str] | None:
    """The letters for bytes, as they stand in words, that are no tokens; ``None`` if bytes are not spelled.

    Only what texts can have counts: thirteen bytes are in no UTF-8, a character does not begin with a byte
    that continues one, nor end with one that begins several.
    """
    stages = (*patient.stages("normalizer"), *patient.stages("pre_tokenizer"))
    if not any(part.get("type") == "ByteLevel" for part in stages):
        return None
    model, vocab = patient.model, patient.vocab()
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""
    forms: set[str] = set()
    for byte, letter in enumerate(ByteLevel.alphabet()):
        if byte in (0xC0, 0xC1) or byte > 0xF4:
            continue
        begins, ends = not 0x80 <= byte < 0xC0, byte < 0xC0
        forms.add(prefix + letter)
        forms |= {letter} if begins else set()
        forms |= {prefix + letter + suffix} if ends else set()
        forms |= {letter + suffix} if begins and ends else set()
    return sorted(form for form in forms if form not in vocab)


def numbers(patient: Patient) -> Iterator[Finding]:
    """Scores are numbers; lengths and chances make sense."""
    model = patient.model
    vocab = model.get("vocab")
    if isinstance(vocab, list):
        rows = [row for row in vocab if isinstance(row, list) and len(row) == 2]
        scores = [row[1] for row in rows if isinstance(row[1], (int, float)) and isfinite(row[1])]
        wrong = [row for row in rows if not (isinstance(row[1], (int, float)) and isfinite(row[1]))]

        def mend() -> None:
            for row in wrong:
                row[1] = min(scores, default=0.0) - 1.0

        if wrong:
            yield Finding(
                "score",
                "error",
                f"$.model.vocab[{vocab.index(wrong[0])}]",
                f"{len(wrong)} pieces have no number for a score, such as `{wrong[0][0]}`",
                "give them the lowest",
                mend,
            )
        again = [text for text, times in Counter(row[0] for row in rows).items() if times > 1]
        if again:
            yield Finding(
                "piece-twice",
                "warning",
                "$.model.vocab",
                f"{len(again)} pieces are there twice, such as `{min(again)}`: only one id is ever given",
                "rename one to a text that does not occur, so that ids stay",
            )
    if model.get("type") == "WordPiece" and model.get("max_input_chars_per_word") == 0:
        yield Finding(
            "word-length",
            "error",
            "$.model.max_input_chars_per_word",
            "words of more than 0 characters are unknown, and so is all text",
            "set it to 100",
            lambda: model.__setitem__("max_input_chars_per_word", 100),
        )
    if model.get("dropout"):
        yield Finding(
            "dropout",
            "warning",
            "$.model.dropout",
            f"merges are skipped with a chance of {model['dropout']}, so that ids are others each time",
            "set it to null, unless a training wants it",
            lambda: model.__setitem__("dropout", None),
        )


MODEL_CHECKS = (ids, merges, unknown_token, byte_tokens, numbers)
