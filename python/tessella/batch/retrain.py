"""A tokenizer like another one, trained on other texts."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import trainers
from ..errors import TrainError
from ..pre_tokenizers import ByteLevel
from ..tokenizer import Tokenizer
from ..tokens import AddedToken

if TYPE_CHECKING:
    from .._types import Texts
    from .tokenizer import PretrainedTokenizer

__all__ = ["retrained"]

_TRAINERS: dict[str, Callable[..., trainers.Trainer]] = {
    "BPE": trainers.BpeTrainer,
    "Unigram": trainers.UnigramTrainer,
    "WordLevel": trainers.WordLevelTrainer,
    "WordPiece": trainers.WordPieceTrainer,
}


def _emptied(model: dict[str, Any], renamed: Mapping[str, str]) -> None:
    """Takes what was learned out of a model's description, and keeps its settings."""
    if model["type"] == "Unigram":
        unknown = model.get("unk_id")
        if unknown is not None:
            token = model["vocab"][unknown][0]
            model["vocab"] = [[renamed.get(token, token), 0.0]]
            model["unk_id"] = 0
        return
    model["vocab"] = {}
    if "merges" in model:
        model["merges"] = []
    token = model.get("unk_token")
    if token is not None:
        model["unk_token"] = renamed.get(token, token)


def _byte_level(stage: Mapping[str, Any] | None) -> bool:
    """Whether a pre-tokenizer ends in bytes, so that the alphabet is the 256 of them."""
    if stage is None:
        return False
    return stage["type"] == "ByteLevel" or any(map(_byte_level, stage.get("pretokenizers", ())))


def _resolved(processor: Any, tokenizer: Tokenizer, renamed: Mapping[str, str]) -> Any:
    """A post-processor's description with the tokens' new names and ids."""

    def id_of(token: str) -> int:
        found = tokenizer.token_to_id(token)
        if found is None:
            raise TrainError(
                f"the post-processor puts in {token!r}, which the trained vocabulary does not have: add it "
                "to `new_special_tokens`, or rename it in `special_tokens_map`"
            )
        return found

    if processor["type"] == "Sequence":
        parts = [_resolved(part, tokenizer, renamed) for part in processor["processors"]]
        return {**processor, "processors": parts}
    made = dict(processor)
    for end in ("cls", "sep"):
        if end in made:
            token = renamed.get(made[end][0], made[end][0])
            made[end] = [token, id_of(token)]
    if "special_tokens" in made:
        entries = {}
        for name, entry in made["special_tokens"].items():
            tokens = [renamed.get(token, token) for token in entry["tokens"]]
            entries[name] = {**entry, "tokens": tokens, "ids": [id_of(token) for token in tokens]}
        made["special_tokens"] = entries
    return made


def retrained(
    source: PretrainedTokenizer,
    texts: Texts,
    vocab_size: int,
    length: int | None,
    new_special_tokens: Sequence[str | AddedToken] | None,
    special_tokens_map: Mapping[str, str] | None,
    options: dict[str, Any],
) -> Any:
    """See ``PretrainedTokenizer.train_new_from_iterator``."""
    renamed = special_tokens_map or {}
    description = json.loads(source.backend_tokenizer.to_str())
    added = description.pop("added_tokens")
    processor = description["post_processor"]
    description["post_processor"] = None
    model = description["model"]
    kind = model["type"]
    if kind not in _TRAINERS:
        raise TrainError(f"a {kind} cannot be trained anew: only {', '.join(_TRAINERS)} can")
    _emptied(model, renamed)
    description["added_tokens"] = []
    tokenizer = Tokenizer.from_str(json.dumps(description))

    special: list[str | AddedToken] = []
    for fields in added:
        # Unigram training keeps all added tokens, the other models the special ones.
        if fields["special"] or kind == "Unigram":
            fields = {key: value for key, value in fields.items() if key != "id"}
            fields["content"] = renamed.get(fields["content"], fields["content"])
            special.append(AddedToken(**fields))
    special += new_special_tokens or ()

    if kind == "BPE":
        for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
            if model.get(affix) is not None:
                options.setdefault(affix, model[affix])
    if kind == "Unigram" and model.get("unk_id") is not None:
        options["unk_token"] = model["vocab"][0][0]
    if _byte_level(description["pre_tokenizer"]):
        options.setdefault("initial_alphabet", ByteLevel.alphabet())
    if kind != "WordLevel":
        options.setdefault("strict_budget", False)
    trainer = _TRAINERS[kind](vocab_size=vocab_size, special_tokens=special, **options)
    tokenizer.train_from_iterator(texts, trainer, length)
    if tokenizer.get_vocab_size() > vocab_size:
        warnings.warn(
            f"special tokens and alphabet alone are more than the {vocab_size} entries asked for: the "
            f"vocabulary has {tokenizer.get_vocab_size()}, and nothing was learned. Ask for more",
            stacklevel=3,
        )

    if processor is not None:
        description = json.loads(tokenizer.to_str())
        description["post_processor"] = _resolved(processor, tokenizer, renamed)
        tokenizer = Tokenizer.from_str(json.dumps(description))

    settings = dict(source.init_kwargs)
    for role, token in source._roles.items():
        if token is None:
            continue
        if isinstance(token, AddedToken):
            fields = {**token.__getstate__(), "content": renamed.get(token.content, token.content)}
            settings[role] = AddedToken(**{**fields, "special": True})
        else:
            settings[role] = renamed.get(token, token)
    further = [
        token if isinstance(token, AddedToken) else renamed.get(token, token) for token in source._extra
    ]
    further += [token for token in new_special_tokens or () if str(token) not in map(str, further)]
    settings.pop("additional_special_tokens", None)
    settings["extra_special_tokens"] = further
    settings["chat_template"] = source.chat_template
    # What the post-processor puts in is decided by now.
    for name in ("add_bos_token", "add_eos_token"):
        settings.pop(name, None)
    made = type(source)(tokenizer, **settings)
    for name in ("padding_side", "truncation_side", "model_max_length", "model_input_names"):
        setattr(made, name, getattr(source, name))
    return made
