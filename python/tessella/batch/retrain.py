"""A tokenizer like another one, trained on other texts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from .._ordered import in_order
from ..errors import TrainError
from ..models import Model
from ..processors import PostProcessor
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from ..training import BY_MODEL
from ..training.anew import Anew
from .unknown import looked_at

if TYPE_CHECKING:
    from .._types import Texts
    from .tokenizer import PretrainedTokenizer


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
    renamed = dict(special_tokens_map or {})
    backend = source.backend_tokenizer
    kind = type(backend.model).__name__
    if kind not in BY_MODEL:
        raise TrainError(f"a {kind} cannot be trained anew: only {', '.join(BY_MODEL)} can")
    model: Any = Model._wrap(backend.model._handle.emptied(renamed))
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = copy(backend.normalizer)
    tokenizer.pre_tokenizer = copy(backend.pre_tokenizer)
    tokenizer.decoder = copy(backend.decoder)
    if backend.truncation is not None:
        tokenizer.enable_truncation(**backend.truncation)
    if backend.padding is not None:
        tokenizer.enable_padding(**backend.padding)

    special: list[str | AddedToken] = []
    ordinary: list[AddedToken] = []
    for _, token in sorted(backend.get_added_tokens_decoder().items()):
        content = renamed.get(token.content, token.content)
        token = AddedToken(**{**token.__getstate__(), "content": content})
        # Unigram training takes all added tokens for special ones, the other models get the rest behind.
        (special if token.special or kind == "Unigram" else ordinary).append(token)
    new_tokens = in_order("new_special_tokens", new_special_tokens or (), "a list of tokens")
    special += new_tokens

    if kind == "BPE":
        for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
            if getattr(model, affix) is not None:
                options.setdefault(affix, getattr(model, affix))
    if kind == "Unigram" and model.unk_id is not None:
        options["unk_token"] = model.id_to_token(model.unk_id)
    # Whole words have no alphabet.
    if kind != "WordLevel":
        options.setdefault("strict_budget", False)
    trainer = Anew(tokenizer).trainer(vocab_size, special_tokens=special, **options)
    tokenizer.train_from_iterator(texts, trainer, length)
    if tokenizer.get_vocab_size() > vocab_size:
        warnings.warn(
            f"special tokens and alphabet alone are more than the {vocab_size} entries asked for: the "
            f"vocabulary has {tokenizer.get_vocab_size()}, and nothing was learned. Ask for more",
            stacklevel=3,
        )

    taken = {str(token) for token in special}
    tokenizer.add_tokens([token for token in ordinary if token.content not in taken])

    if backend.post_processor is not None:
        renumbered = backend.post_processor._handle.renumbered(renamed, tokenizer)
        tokenizer.post_processor = PostProcessor._wrap(renumbered)

    settings = _settings(source, renamed, new_tokens)
    with looked_at():
        made = type(source)(tokenizer, **settings)
    for name in ("padding_side", "truncation_side", "model_max_length", "model_input_names"):
        setattr(made, name, getattr(source, name))
    return made


def _settings(
    source: PretrainedTokenizer, renamed: Mapping[str, str], new_tokens: Sequence[str | AddedToken]
) -> dict[str, Any]:
    """Those of a tokenizer, with the tokens that were renamed and those that are new."""
    settings = dict(source.init_kwargs)
    for role, named in source._roles.items():
        if named is None:
            continue
        if isinstance(named, AddedToken):
            fields = {**named.__getstate__(), "content": renamed.get(named.content, named.content)}
            settings[role] = AddedToken(**{**fields, "special": True})
        else:
            settings[role] = renamed.get(named, named)
    further = [
        token if isinstance(token, AddedToken) else renamed.get(token, token) for token in source._extra
    ]
    further += [token for token in new_tokens if str(token) not in map(str, further)]
    settings.pop("additional_special_tokens", None)
    settings["extra_special_tokens"] = further
    settings["chat_template"] = source.chat_template
    # What the post-processor puts in is decided by now.
    for name in ("add_bos_token", "add_eos_token"):
        settings.pop(name, None)
    return settings
