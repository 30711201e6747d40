"""What a model's class says about its tokenizer: the tokens it has, and what its arguments change.

A folder names the class of its tokenizer (``BertTokenizer``, ``GPT2Tokenizer``, ...). What such a tokenizer
does is written in its ``tokenizer.json``; an argument of the class that says otherwise (``do_lower_case``,
``add_prefix_space``, another ``cls_token``, ...) is carried out here, by changing that stage of the pipeline.
Nothing else of the pipeline is touched, and a class that is not in these tables has no arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import normalizers
from .._ends import marked
from .._formats import CLASSES, SAME_CLASSES
from .._notices import warn
from .._vocabulary import unknown_id
from ..processors import RobertaProcessing, TemplateProcessing
from ..tokenizer import Tokenizer

if TYPE_CHECKING:
    from .tokenizer import PretrainedTokenizer


#: The special tokens that the classes have where no settings say otherwise.
TOKENS: dict[str, dict[str, Any]] = {name: dict(known.tokens) for name, known in CLASSES.items()}

_WITH_TYPES = ["input_ids", "token_type_ids", "attention_mask"]

#: What tokenizers of a class do where their settings do not say; by the name of the class without ``Fast``.
DEFAULTS: dict[str, dict[str, Any]] = {
    **{
        name: {"model_input_names": _WITH_TYPES}
        for name in (
            "BertTokenizer",
            "ElectraTokenizer",
            # They take no argument that changes the file.
            "DPRQuestionEncoderTokenizer",
            "DPRContextEncoderTokenizer",
        )
    },
    **{
        name: {"model_input_names": ["input_ids", "attention_mask", "token_type_ids"]}
        for name in ("DebertaTokenizer", "LayoutLMv2Tokenizer")
    },
    "MarkupLMTokenizer": {"model_input_names": ["input_ids", "token_type_ids", "attention_mask"]},
    "Siglip2Tokenizer": {"padding_side": "left"},
    "DebertaV2Tokenizer": {"model_input_names": ["input_ids", "attention_mask", "token_type_ids"]},
    "FNetTokenizer": {"model_input_names": ["input_ids", "token_type_ids"]},
    "XLNetTokenizer": {"padding_side": "left"},
    "LlamaTokenizer": {"padding_side": "left"},
    "CodeLlamaTokenizer": {"padding_side": "left"},
    "GemmaTokenizer": {"padding_side": "left"},
    "CohereTokenizer": {"padding_side": "left"},
}

_BERT = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MPNetTokenizer")
_BYTES = ("GPT2Tokenizer", "GPTNeoXTokenizer", "RobertaTokenizer", "BartTokenizer", "Qwen2Tokenizer")
_BLANKS = ("XLMRobertaTokenizer", "CamembertTokenizer", "AlbertTokenizer", "LlamaTokenizer")

#: The arguments of each class that change its pipeline, besides special tokens.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_BERT, ("do_lower_case", "strip_accents", "tokenize_chinese_chars")),
    **dict.fromkeys((*_BYTES, *_BLANKS, "WhisperTokenizer"), ("add_prefix_space",)),
    "AlbertTokenizer": ("do_lower_case", "keep_accents", "add_prefix_space"),
    "XLNetTokenizer": ("do_lower_case",),
    "DebertaV2Tokenizer": ("do_lower_case",),
}
# Classes that find the unknown piece by a number in their settings, and not in the model.
_UNKNOWN_BY_ID = ("DebertaV2Tokenizer", "XLNetTokenizer")
# What some class takes; where nothing carries it out, there is a warning.
_KNOWN = {name for names in ARGUMENTS.values() for name in names}


def plain_name(name: Any) -> str:
    """The name of a class without ``Fast``; of one that is given out under several names, the usual one."""
    plain = str(name or "").removesuffix("Fast")
    return SAME_CLASSES.get(plain, plain)


def has_ends(name: str) -> bool:
    """Whether texts of a class have ends of their own, so that ``add_bos_token`` says nothing to it."""
    return _ends_of(name) is not None


def _ends_of(name: str) -> tuple[str, str, str] | None:
    return CLASSES[name].ends if name in CLASSES else None


def _parts(stage: Any) -> list[Any]:
    """A stage and, of a sequence of them, what it is made of."""
    if stage is None:
        return []
    return [part for one in stage for part in _parts(one)] if type(stage).__name__ == "Sequence" else [stage]


def _kind(stage: Any, name: str) -> list[Any]:
    return [part for part in _parts(stage) if type(part).__name__ == name]


def _set_part(kind: str, field: str) -> Callable[[Tokenizer, Any], bool]:
    """Sets a field of the normalizers of a kind, and tells whether there are any."""

    def changed(backend: Tokenizer, value: Any) -> bool:
        found = _kind(backend.normalizer, kind)
        for part in found:
            setattr(part, field, value)
        return bool(found)

    return changed


def _with(backend: Tokenizer, kinds: tuple[str, ...], wanted: bool) -> None:
    """Puts normalizers without arguments before a table of characters, or takes them out."""
    parts = _parts(backend.normalizer)
    there = {type(part).__name__ for part in parts}
    if not wanted:
        parts = [part for part in parts if type(part).__name__ not in kinds]
    elif missing := [kind for kind in kinds if kind not in there]:
        tables = [place for place, part in enumerate(parts) if type(part).__name__ == "Precompiled"]
        place = tables[0] if tables else len(parts)
        parts[place:place] = [getattr(normalizers, kind)() for kind in missing]
    else:
        return
    backend.normalizer = normalizers.Sequence(parts)


def _lower_case(backend: Tokenizer, value: Any) -> bool:
    if _kind(backend.normalizer, "BertNormalizer"):
        return _set_part("BertNormalizer", "lowercase")(backend, bool(value))
    if bool(_kind(backend.normalizer, "Lowercase")) != bool(value):
        _with(backend, ("Lowercase",), bool(value))
    return True


def _keep_accents(backend: Tokenizer, value: Any) -> bool:
    if bool(_kind(backend.normalizer, "StripAccents")) == bool(value):
        _with(backend, ("NFKD", "StripAccents"), not value)
    return True


def _prefix_space(backend: Tokenizer, value: Any) -> bool:
    """A blank before a text: a field of byte-level stages, of stages of blanks, or a normalizer."""
    wanted = bool(value)
    byte_level = _kind(backend.pre_tokenizer, "ByteLevel")
    for part in byte_level:
        part.add_prefix_space = wanted
    blanks = _kind(backend.pre_tokenizer, "Metaspace")
    for part in (*blanks, *_kind(backend.decoder, "Metaspace")):
        if (part.prepend_scheme != "never") != wanted:
            part.prepend_scheme = "always" if wanted else "never"
    prepended = bool(_kind(backend.normalizer, "Prepend"))
    if prepended and not wanted:
        from .. import decoders

        kept = [part for part in _parts(backend.normalizer) if type(part).__name__ != "Prepend"]
        backend.normalizer = normalizers.Sequence(kept)
        # The blank that decoding takes off is the one that is no longer put there.
        after = [part for part in _parts(backend.decoder) if type(part).__name__ != "Strip"]
        backend.decoder = decoders.Sequence(after)
    for part in _kind(backend.post_processor, "RobertaProcessing"):
        part.add_prefix_space = wanted
    return bool(byte_level or blanks or prepended)


_CHANGES: dict[str, Callable[[Tokenizer, Any], bool]] = {
    "do_lower_case": _lower_case,
    "keep_accents": _keep_accents,
    "strip_accents": _set_part("BertNormalizer", "strip_accents"),
    "tokenize_chinese_chars": _set_part("BertNormalizer", "handle_chinese_chars"),
    "add_prefix_space": _prefix_space,
}


def _normalizer(kind: str, field: str) -> Callable[[Tokenizer], Any]:
    """What a field of the normalizers of a kind says."""

    def found(backend: Tokenizer) -> Any:
        return next((getattr(part, field) for part in _kind(backend.normalizer, kind)), None)

    return found


def _is_lower_case(backend: Tokenizer) -> bool:
    if _kind(backend.normalizer, "BertNormalizer"):
        return bool(_normalizer("BertNormalizer", "lowercase")(backend))
    return bool(_kind(backend.normalizer, "Lowercase"))


_READ: dict[str, Callable[[Tokenizer], Any]] = {
    "do_lower_case": _is_lower_case,
    "keep_accents": lambda backend: not _kind(backend.normalizer, "StripAccents"),
    "strip_accents": _normalizer("BertNormalizer", "strip_accents"),
    "tokenize_chinese_chars": _normalizer("BertNormalizer", "handle_chinese_chars"),
}


def argument(backend: Tokenizer, class_name: str, name: str) -> Any:
    """What the pipeline of a class does about an argument; ``AttributeError`` if the class has no such."""
    if name not in ARGUMENTS.get(class_name, ()):
        raise AttributeError(f"a {class_name or 'tokenizer'} has no attribute {name!r}")
    return _READ[name](backend)


def carry_out(backend: Tokenizer, class_name: str, name: str, value: Any) -> None:
    """Changes the pipeline of a class as an argument says."""
    argument(backend, class_name, name)
    _CHANGES[name](backend, value)


def said_beside(class_name: str, backend: Tokenizer) -> dict[str, Any]:
    """What settings must say of the model, because other libraries make the class by them."""
    unknown = unknown_id(backend) if class_name in _UNKNOWN_BY_ID else None
    return {} if unknown is None else {"unk_id": unknown}


def shape(tokenizer: PretrainedTokenizer, name: str, settings: Mapping[str, Any]) -> set[str]:
    """Carries out what settings say about the pipeline of a class, and tells which were carried out."""
    backend = tokenizer.backend_tokenizer
    done = set()
    for argument in ARGUMENTS.get(name, ()):
        if argument not in settings or (settings[argument] is None and argument != "strip_accents"):
            continue
        if _CHANGES[argument](backend, settings[argument]):
            done.add(argument)
    unknown = tokenizer.unk_token
    if (
        settings.get("unk_token") is not None
        and unknown is not None
        and (name in _BERT or name == "CLIPTokenizer")
    ):
        model: Any = backend.model
        if getattr(model, "unk_token", unknown) != unknown:
            model.unk_token = unknown
    if name == "CLIPTokenizer":
        tokenizer._word_end = getattr(backend.model, "end_of_word_suffix", None) or None
    _mark_ends(tokenizer, name, settings)
    return done


def _mark_ends(tokenizer: PretrainedTokenizer, name: str, settings: Mapping[str, Any]) -> None:
    """Special tokens at the ends of texts, where the settings give them and the pipeline puts others."""
    way, *roles = _ends_of(name) or ("",)
    if not way or all(settings.get(f"{role}_token") is None for role in roles):
        return
    (first, first_id), (last, last_id) = (
        (getattr(tokenizer, f"{role}_token"), getattr(tokenizer, f"{role}_token_id")) for role in roles
    )
    if None in (first, first_id, last, last_id):
        return
    backend = tokenizer.backend_tokenizer
    there = backend.encode_batch([""], padding=False, truncation=False)[0].ids
    wanted = {"behind": [last_id, first_id], "last": [last_id]}.get(way, [first_id, last_id])
    if there == wanted:
        return
    if way == "roberta":
        old = [*_kind(backend.post_processor, "RobertaProcessing"), None][0]
        trim, prefix = (True, False) if old is None else (old.trim_offsets, old.add_prefix_space)
        backend.post_processor = RobertaProcessing((last, last_id), (first, first_id), trim, prefix)
    else:
        special = {first: first_id, last: last_id}
        backend.post_processor = TemplateProcessing(*marked(way, first, last), list(special.items()))


def warn_of_unused(given: Mapping[str, Any], done: set[str], name: str) -> None:
    """Tells which arguments a caller gave that change nothing."""
    unused = [key for key in given if key in _KNOWN and key not in done and given[key] is not None]
    if unused:
        kind = f"of the class {name}" if name else "of a folder that names no class"
        takes = ", ".join(ARGUMENTS.get(name, ())) or "none of these"
        warn(
            f"{', '.join(f'`{key}`' for key in unused)} changes nothing: a tokenizer {kind} "
            f"takes {takes}; change the stages of tokenizer.backend_tokenizer instead"
        )
