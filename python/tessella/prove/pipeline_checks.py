"""Faults around the model: added tokens, what is put round sequences, padding, decoding, and what is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .finding import Finding, Patient

_LOSSY = {
    "Lowercase": "capitals",
    "StripAccents": "accents",
    "NFKC": "forms of characters",
    "NFKD": "forms of characters",
    "BertNormalizer": "capitals, accents or blanks",
    "Nmt": "control characters",
    "Precompiled": "forms of characters",
}


def version(patient: Patient) -> Iterator[Finding]:
    """The version is the known one."""
    found = patient.file.get("version", "1.0")
    if found != "1.0":
        yield Finding(
            "version",
            "error",
            "$.version",
            f"{found!r} is no version that the reference library reads",
            'set it to "1.0"',
            lambda: patient.file.__setitem__("version", "1.0"),
        )


def added(patient: Patient) -> Iterator[Finding]:
    """Added tokens have texts, come once, and have the ids that readers give them."""
    tokens, vocab = patient.added(), patient.vocab()
    every: list[Any] = patient.file.get("added_tokens") or []
    if empty := [one for one in tokens if not one.get("content")]:
        yield Finding(
            "added-empty",
            "error",
            "$.added_tokens",
            "an added token has no text: no reader takes it",
            "leave it out",
            lambda: every.__setitem__(slice(None), [one for one in every if one not in empty]),
        )
    contents = [one.get("content") for one in tokens]
    again = [one for place, one in enumerate(tokens) if one.get("content") in contents[place + 1 :]]
    if again:
        yield Finding(
            "added-twice",
            "warning",
            "$.added_tokens",
            f"`{again[0].get('content')}` is added twice, and the last one counts",
            "leave the first out",
            lambda: every.__setitem__(
                slice(None), [one for one in every if not any(one is old for old in again)]
            ),
        )
    for one in tokens:
        content, id = one.get("content"), one.get("id")
        if content in vocab and vocab[content] != id and isinstance(vocab[content], int):
            yield Finding(
                "added-id",
                "error",
                "$.added_tokens",
                f"`{content}` has the id {id} here and {vocab[content]} in the vocabulary, which counts",
                "take the vocabulary's",
                lambda one=one, content=content: one.__setitem__("id", vocab[content]),  # type: ignore[misc]
            )
    yield from _order(patient, tokens, vocab)


def _order(patient: Patient, tokens: list[dict[str, Any]], vocab: dict[str, int]) -> Iterator[Finding]:
    """Ids of added tokens outside of the model are counted on by readers, whatever the file says."""
    outer: dict[str, dict[str, Any]] = {
        one["content"]: one for one in tokens if one.get("content") and one["content"] not in vocab
    }
    inner = [id for id in vocab.values() if isinstance(id, int)]
    has_gaps = sorted(inner) != list(range(len(inner)))
    told = [one.get("id") for one in outer.values()]
    if not outer or (
        not has_gaps and sorted(told, key=str) == sorted(range(len(vocab), len(vocab) + len(told)), key=str)
    ):
        return
    is_bpe = patient.model.get("type", "BPE") == "BPE"
    free = all(isinstance(id, int) and id not in inner for id in told) and len(set(told)) == len(told)

    def take_in() -> None:
        vocab.update({content: one["id"] for content, one in outer.items()})

    def count_on() -> None:
        for place, one in enumerate(outer.values(), len(vocab)):
            one["id"] = place

    first = next(iter(outer))
    into_model = is_bpe and free
    mend = take_in if into_model else None if has_gaps else count_on
    yield Finding(
        "added-order",
        "error",
        "$.added_tokens",
        f"`{first}` says that its id is {outer[first].get('id')}, but readers count on from the {len(vocab)} "
        "tokens of the model, each in its own way",
        "take added tokens into the vocabulary with their ids"
        if into_model
        else "give them the ids that follow the model's" + (", which must have no gaps" if has_gaps else ""),
        mend,
    )


def round_sequences(patient: Patient) -> Iterator[Finding]:
    """What is put round sequences has the id of its text."""
    known = patient.ids()
    for part in patient.stages("post_processor"):
        places: list[tuple[str, list[Any], int, str]] = []
        for key in ("sep", "cls"):
            if isinstance(part.get(key), list) and len(part[key]) == 2:
                places.append((part[key][0], part[key], 1, f"$.post_processor.{key}"))
        for name, special in (part.get("special_tokens") or {}).items():
            texts, numbers = special.get("tokens", []), special.get("ids", [])
            for place, text in enumerate(texts[: len(numbers)]):
                places.append((text, numbers, place, f"$.post_processor.special_tokens[{name!r}]"))
        for text, row, place, where in places:
            if text not in known:
                yield Finding(
                    "processor-unknown",
                    "error",
                    where,
                    f"`{text}` is put round sequences, and is no token",
                    "add it, or name another one there",
                )
            elif row[place] != known[text]:
                yield Finding(
                    "processor-id",
                    "error",
                    where,
                    f"`{text}` is put round sequences with the id {row[place]}, but its id is {known[text]}",
                    "take the token's id",
                    lambda row=row, place=place, text=text: row.__setitem__(place, known[text]),  # type: ignore[misc]
                )


def lengths(patient: Patient) -> Iterator[Finding]:
    """Padding and truncation can do what they say."""
    pad, known = patient.file.get("padding"), patient.ids()
    if (
        isinstance(pad, dict)
        and pad.get("pad_token") in known
        and known[pad["pad_token"]] != pad.get("pad_id")
    ):
        yield Finding(
            "pad-id",
            "error",
            "$.padding.pad_id",
            f"sequences are padded with the id {pad.get('pad_id')}, but `{pad['pad_token']}` is "
            f"{known[pad['pad_token']]}",
            "take the token's id",
            lambda: pad.__setitem__("pad_id", known[pad["pad_token"]]),
        )
    cut = patient.file.get("truncation")
    if not isinstance(cut, dict):
        return
    stride, most = cut.get("stride"), cut.get("max_length")
    if isinstance(stride, int) and isinstance(most, int) and stride and stride >= most:
        yield Finding(
            "stride",
            "error",
            "$.truncation.stride",
            f"windows of {most} tokens cannot overlap by {stride}",
            "set it to 0",
            lambda: cut.__setitem__("stride", 0),
        )


def decoding(patient: Patient) -> Iterator[Finding]:
    """What the splitter writes, the decoder reads back; and what a normalizer loses is told."""
    before = {part.get("type") for part in patient.stages("pre_tokenizer")}
    after = {part.get("type") for part in patient.stages("decoder")}
    if "ByteLevel" in before and "ByteLevel" not in after:
        said = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        yield Finding(
            "decoder",
            "warning",
            "$.decoder",
            "text is spelled with letters for bytes, and nothing reads them back when ids are decoded",
            "decode with ByteLevel",
            lambda: patient.file.__setitem__("decoder", said),
        )
    if "Metaspace" in before and not after & {"Metaspace", "Replace"}:
        marked = next(part for part in patient.stages("pre_tokenizer") if part.get("type") == "Metaspace")
        yield Finding(
            "decoder",
            "warning",
            "$.decoder",
            "blanks are spelled with a mark, and nothing reads it back when ids are decoded",
            "decode with Metaspace",
            lambda: patient.file.__setitem__("decoder", dict(marked)),
        )
    for part in patient.stages("normalizer"):
        if what := _LOSSY.get(str(part.get("type"))):
            yield Finding(
                "lossy",
                "note",
                "$.normalizer",
                f"{part['type']} loses {what}: decoding does not give back the text",
                "this is as it should be for models of that kind",
            )


def forged(patient: Patient) -> Iterator[Finding]:
    """Special tokens are found in any text."""
    special = [one["content"] for one in patient.added() if one.get("special") and one.get("content")]
    if special:
        yield Finding(
            "forgeable",
            "note",
            "$.added_tokens",
            f"a text from anybody that spells `{special[0]}` gets that token, and so for {len(special)} "
            "special tokens",
            "encode such texts with encode_special_tokens=True",
        )


PIPELINE_CHECKS = (version, added, round_sequences, lengths, decoding, forged)
