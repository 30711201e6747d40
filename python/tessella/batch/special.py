"""The tokens of a tokenizer: its vocabulary, and its special tokens by their roles (``pad_token`` and so on).

Roles are plain attributes. An unset one is ``None``; so is its id. A tokenizer may have roles of its own
besides the usual seven (``image_token`` for example), which only its settings name. So attributes are looked
up here, and Python asks a class for that, not what the class holds: ``SpecialTokens`` is a base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from .._formats import ROLES
from .._merged import OWN
from .._ordered import in_order
from .._tessella import ids_of, mask_of, tokens_of
from ..errors import ArgumentError, UnsupportedError
from ..tokens import AddedToken, said_of_normalized
from .checks import a_side, a_whole_number
from .decoding import plain_ids

if TYPE_CHECKING:
    from .._types import Ids
    from ..tokenizer import Tokenizer

__all__ = ["ROLES", "SpecialTokens", "as_token", "guess"]

#: A token to add.
Token = str | AddedToken

# What tokens of these roles are usually called.
_USUAL = {
    "bos_token": ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>"),
    "eos_token": ("</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>"),
    "unk_token": ("[UNK]", "<unk>"),
    "sep_token": ("[SEP]", "<sep>"),
    "pad_token": ("[PAD]", "<pad>", "<|pad|>"),
    "cls_token": ("[CLS]", "<cls>"),
    "mask_token": ("[MASK]", "<mask>"),
}


#: Attributes that a caller may set, and what they must be.
_CHECKED: dict[str, Callable[[str, Any], Any]] = {
    "padding_side": a_side,
    "truncation_side": a_side,
    "model_max_length": a_whole_number,
}
_CALL = "call the tokenizer: tokenizer(text, text_pair)"
# What was taken out of transformers with release 5, and what does the same there and here.
_OLDER_CALLS = {
    "encode_plus": _CALL,
    "batch_encode_plus": "call the tokenizer: tokenizer(texts)",
    "prepare_for_model": "it took ids; " + _CALL,
    "build_inputs_with_special_tokens": "it took ids; " + _CALL,
    "create_token_type_ids_from_sequences": f"{_CALL} with return_token_type_ids=True",
    "truncate_sequences": f"{_CALL} with truncation=True and a max_length",
    "special_tokens_map_extended": "use special_tokens_map and added_tokens_decoder",
    "all_special_tokens_extended": "use all_special_tokens and added_tokens_decoder",
    "as_target_tokenizer": "pass the texts as tokenizer(text_target=texts)",
    "prepare_seq2seq_batch": "call tokenizer(texts, text_target=targets)",
}


def guess(tokenizer: Tokenizer) -> dict[str, str]:
    """Roles by the usual names, for a tokenizer that comes without settings; special tokens only."""
    special = {token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special}
    roles = {
        role: next(name for name in names if name in special)
        for role, names in _USUAL.items()
        if any(name in special for name in names)
    }
    padding = tokenizer.padding
    if padding is not None and tokenizer.token_to_id(padding["pad_token"]) is not None:
        roles["pad_token"] = padding["pad_token"]
    return roles


def as_token(value: Any) -> str | AddedToken | None:
    """A token from what settings files and callers give: text, a token object, or a dict of its fields."""
    if value is None or isinstance(value, (str, AddedToken)):
        return value
    if isinstance(value, Mapping):
        if "content" not in value:
            raise ArgumentError(f"a special token must be a str or an AddedToken, not {value!r}")
        known = {key: value[key] for key in AddedToken().__getstate__() if value.get(key) is not None}
        return AddedToken(**known)
    if hasattr(value, "content") and hasattr(value, "single_word"):
        flags = (value.single_word, value.lstrip, value.rstrip, said_of_normalized(value), value.special)
        return AddedToken(value.content, *flags)
    raise ArgumentError(f"a special token must be a str or an AddedToken, not {value!r}")


def _is_token(value: object) -> bool:
    """Whether a setting whose name ends in ``_token`` holds one: others are settings like any."""
    return isinstance(value, (str, AddedToken, Mapping)) or hasattr(value, "content")


def _role(name: str) -> tuple[str, bool]:
    """The role that an attribute speaks of, and whether it asks for the id."""
    for ending in ("_ids", "_id"):
        if name.endswith(ending):
            return name[: -len(ending)], True
    return name, False


class SpecialTokens:
    """The vocabulary, the roles and the further special tokens; a base of ``PretrainedTokenizer``."""

    backend_tokenizer: Tokenizer
    _roles: dict[str, str | AddedToken | None]
    _extra: list[str | AddedToken]
    # Of subclasses: what holds where the settings do not say.
    _defaults: Mapping[str, object]

    if TYPE_CHECKING:
        bos_token: str | None
        eos_token: str | None
        unk_token: str | None
        sep_token: str | None
        pad_token: str | None
        cls_token: str | None
        mask_token: str | None
        bos_token_id: int | None
        eos_token_id: int | None
        unk_token_id: int | None
        sep_token_id: int | None
        pad_token_id: int | None
        cls_token_id: int | None
        mask_token_id: int | None
        extra_special_tokens: list[str]
        extra_special_tokens_ids: list[int]
        additional_special_tokens: list[str]
        additional_special_tokens_ids: list[int]

    def _id(self, token: str) -> int | None:
        found = self.backend_tokenizer.token_to_id(token)
        if found is None:
            unknown = self._roles.get("unk_token")
            found = None if unknown is None else self.backend_tokenizer.token_to_id(str(unknown))
        return found

    def _ids(self, tokens: list[str]) -> list[int | None]:
        """The ids of several."""
        unknown = self._roles.get("unk_token")
        found = ids_of(self.backend_tokenizer, tokens, None if unknown is None else str(unknown))
        return [self._id(token) for token in tokens] if found is None else found

    # `Any`: of names that are no usual role, only the settings know what they are.
    def __getattr__(self, name: str) -> Any:
        # Reached only for what is no ordinary attribute.
        roles = self.__dict__.get("_roles", {})
        role, wants_id = _role(name)
        if role in roles or role in ROLES:
            token = roles.get(role)
            if token is None:
                return None
            return self._id(str(token)) if wants_id else str(token)
        if role in ("extra_special_tokens", "additional_special_tokens"):
            tokens = [str(token) for token in self.__dict__.get("_extra", [])]
            return [self._id(token) for token in tokens] if wants_id else tokens
        hint = f"; {_OLDER_CALLS[name]}" if name in _OLDER_CALLS else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        role, by_id = _role(name)
        if role in ("extra_special_tokens", "additional_special_tokens"):
            if value is not None and (isinstance(value, (str, bytes)) or not isinstance(value, Iterable)):
                raise ArgumentError(f"`{name}` must be a list, not {value!r}")
            tokens: list[Any] = in_order(name, value or (), "a list of tokens")
            self._extra = [
                token
                for token in (self._named(name, one) if by_id else as_token(one) for one in tokens)
                if token is not None
            ]
        elif role in ROLES or role in self.__dict__.get("_roles", {}):
            self._roles[role] = self._named(name, value) if by_id and value is not None else as_token(value)
        else:
            # What is no side and no number would be found out by a call that is far away.
            check = _CHECKED.get(name)
            super().__setattr__(name, value if check is None else check(name, value))

    def _named(self, name: str, id: int) -> str:
        token = self.backend_tokenizer.id_to_token(id)
        if token is None:
            raise ArgumentError(f"`{name}` is set to {id}, an id that the tokenizer does not have")
        return token

    def _set_special_tokens(self, settings: Mapping[str, Any]) -> None:
        """Takes roles, and roles of its own, out of the settings of a tokenizer."""
        self._roles = dict.fromkeys(ROLES)
        # A null for a role that only the class has leaves it without a token.
        self._roles |= {
            key: None
            for key, usual in self._defaults.items()
            if key.endswith("_token") and isinstance(usual, str)
        }
        self._extra = []
        extra = settings.get("extra_special_tokens", settings.get("additional_special_tokens"))
        own = dict(extra) if isinstance(extra, Mapping) else {}
        # A new token gets the next id: the order is that of transformers.
        more = settings.get(OWN) or {}
        if not isinstance(more, Mapping):
            raise ArgumentError(f"`{OWN}` must be an object of names and tokens, not {more!r}")
        for key, value in settings.items():
            if key in ROLES and value is not None and not isinstance(value, bool):
                self._roles[key] = as_token(value)
            elif key.endswith("_token") and key not in ROLES and _is_token(value):
                own[key] = value
        own |= more
        for key, value in own.items():
            self._roles[key] = as_token(value)
        if extra is not None and not isinstance(extra, Mapping):
            self.extra_special_tokens = extra

    def _special_tokens_to_add(self) -> list[AddedToken]:
        """The special tokens that the tokenizer does not have yet."""
        there = {token.content for token in self.backend_tokenizer.get_added_tokens_decoder().values()}
        named = {str(token) for token in self._roles.values() if token is not None}
        adding: dict[str, AddedToken] = {}
        for token in (*self._roles.values(), *self._extra):
            if token is None or str(token) in there:
                continue
            if isinstance(token, str):
                token = AddedToken(token, normalized=False, special=True)
            elif str(token) in named:
                token.special = True
            adding.setdefault(token.content, token)
        return list(adding.values())

    @property
    def _special_tokens_map(self) -> dict[str, str | AddedToken | None]:
        """Roles and their tokens, under the name by which clients of transformers read them."""
        return dict(self._roles)

    @property
    def vocab_size(self) -> int:
        """The number of entries of the model's vocabulary, without added tokens. See ``len``."""
        return self.backend_tokenizer.get_vocab_size(False)

    def __len__(self) -> int:
        """The number of entries with added tokens."""
        return self.backend_tokenizer.get_vocab_size(True)

    def __bool__(self) -> bool:
        return True

    def get_vocab(self) -> dict[str, int]:
        """All tokens and their ids."""
        return self.backend_tokenizer.get_vocab(with_added_tokens=True)

    @property
    def vocab(self) -> dict[str, int]:
        """All tokens and their ids."""
        return self.get_vocab()

    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int | None: ...

    @overload
    def convert_tokens_to_ids(self, tokens: list[str] | tuple[str, ...]) -> list[int | None]: ...

    def convert_tokens_to_ids(
        self, tokens: str | list[str] | tuple[str, ...]
    ) -> int | list[int | None] | None:
        """The id of a token, or the ids of several; of an unknown one that of ``unk_token``, or ``None``."""
        if isinstance(tokens, str):
            return self._id(tokens)
        if type(tokens) is list:
            return self._ids(tokens)
        return [self._id(token) for token in in_order("tokens", tokens, "a str or a list of str")]

    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = False) -> str | None: ...

    @overload
    def convert_ids_to_tokens(self, ids: Ids, skip_special_tokens: bool = False) -> list[str | None]: ...

    def convert_ids_to_tokens(
        self, ids: int | Ids, skip_special_tokens: bool = False
    ) -> str | list[str | None] | None:
        """The token of an id, or the tokens of several; ``None`` for an id that is not there."""
        if type(ids) is list:
            skipped_ids = self.all_special_ids if skip_special_tokens else []
            tokens = tokens_of(self.backend_tokenizer, ids, skipped_ids)
            if tokens is not None:
                return tokens
        token = self.backend_tokenizer.id_to_token
        if type(ids) is int:
            return token(ids)
        given = plain_ids(ids)
        if not isinstance(given, (list, tuple)):
            return token(given)
        skipped = set(self.all_special_ids) if skip_special_tokens else ()
        return [token(id) for id in given if id not in skipped]

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id."""
        return self.backend_tokenizer.get_added_tokens_decoder()

    @property
    def added_tokens_encoder(self) -> dict[str, int]:
        """The ids of the added tokens, in order of the ids."""
        return {token.content: id for id, token in self.added_tokens_decoder.items()}

    def get_added_vocab(self) -> dict[str, int]:
        """The ids of the added tokens, in order of the ids."""
        return self.added_tokens_encoder

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """How many special tokens the post-processor puts round a text or a pair."""
        return self.backend_tokenizer.num_special_tokens_to_add(pair)

    @property
    def special_tokens_map(self) -> dict[str, str]:
        """The roles that are set, and their tokens."""
        return {role: str(token) for role, token in self._roles.items() if token is not None}

    @property
    def all_special_tokens(self) -> list[str]:
        """The tokens of all roles and the further special tokens, each once."""
        tokens = (*self._roles.values(), *self._extra)
        return list(dict.fromkeys([str(token) for token in tokens if token is not None]))

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of ``all_special_tokens``."""
        return [id for id in self._ids(self.all_special_tokens) if id is not None]

    def get_special_tokens_mask(
        self,
        token_ids_0: Iterable[int],
        token_ids_1: Iterable[int] | None = None,
        already_has_special_tokens: bool = False,
    ) -> list[int]:
        """1 for each id that is one of a special token, 0 for the others.

        Ids that have no special tokens yet cannot be told apart by themselves; encode the text with
        ``return_special_tokens_mask=True`` instead.
        """
        if not already_has_special_tokens or token_ids_1 is not None:
            raise UnsupportedError(
                "only one list of ids with its special tokens has a mask: pass "
                "already_has_special_tokens=True, or encode the text with return_special_tokens_mask=True"
            )
        ids = self.all_special_ids
        mask = mask_of(token_ids_0, ids) if type(token_ids_0) is list else None
        if mask is not None:
            return mask
        special = set(ids)
        return [int(int(id) in special) for id in token_ids_0]

    def add_tokens(self, new_tokens: Token | Sequence[Token], special_tokens: bool = False) -> int:
        """Adds tokens, one or a list, and tells how many were new.

        Args:
            new_tokens: ``str`` or ``AddedToken``, or a list of them.
            special_tokens: whether they are special.
        """
        if not new_tokens:
            return 0
        tokens = [new_tokens] if isinstance(new_tokens, str) else new_tokens
        tokens = list(tokens) if isinstance(tokens, Sequence) else [tokens]
        if special_tokens:
            return self.backend_tokenizer.add_special_tokens(tokens)
        return self.backend_tokenizer.add_tokens(tokens)

    def add_special_tokens(
        self,
        special_tokens_dict: Mapping[str, Token | Sequence[Token]],
        replace_extra_special_tokens: bool = True,
    ) -> int:
        """Gives special tokens their roles and adds those that the vocabulary lacks.

        Args:
            special_tokens_dict: tokens by role, and a list as ``extra_special_tokens``.
            replace_extra_special_tokens: forget the further special tokens of before. They stay in the
                vocabulary.

        Example:
            >>> from tessella import Tokenizer, models
            >>> from tessella.batch import PretrainedTokenizer
            >>> tokenizer = PretrainedTokenizer(Tokenizer(models.WordLevel({"a": 0}, "a")))
            >>> tokenizer.add_special_tokens({"pad_token": "<pad>"}), tokenizer.pad_token_id
            (1, 1)
        """
        if not special_tokens_dict:
            return 0
        if not isinstance(special_tokens_dict, Mapping):
            raise TypeError(
                "`special_tokens_dict` must be a dict of tokens by role, such as {'pad_token': '[PAD]'}, not "
                f"{type(special_tokens_dict).__name__}; add_tokens(..., special_tokens=True) takes a list"
            )
        adding: list[Any] = []

        def special(value: object) -> Any:
            if as_token(value) is None:
                raise ArgumentError("a special token must be a str or an AddedToken, not None")
            # Token objects are handed on as they are: adding makes them special.
            return AddedToken(value, normalized=False, special=True) if isinstance(value, str) else value

        allowed = {*ROLES, *self._roles, "extra_special_tokens", "additional_special_tokens"}
        for key, value in special_tokens_dict.items():
            if key not in allowed:
                raise ArgumentError(
                    f"Key {key} is not a valid special token. Valid keys are: {', '.join(sorted(allowed))}"
                )
            if not key.startswith(("extra_", "additional_")):
                adding.append(special(value))
                setattr(self, key, value)
                continue
            if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
                raise ArgumentError(f"`{key}` must be a list of str or AddedToken, not {value!r}")
            known = () if replace_extra_special_tokens else set(map(str, self._extra))
            tokens = [special(one) for one in value if str(one) not in known]
            if tokens:
                kept = () if replace_extra_special_tokens else self._extra
                self._extra = [one for one in map(as_token, (*kept, *tokens)) if one is not None]
            adding += tokens
        return self.add_tokens(adding, special_tokens=True)


def _usual(role: str) -> tuple[property, property]:
    """A usual role and its id as properties of the class: they are asked for more often than all others."""

    def token(self: SpecialTokens) -> str | None:
        found = self._roles.get(role)
        return found if found is None or type(found) is str else str(found)

    def id(self: SpecialTokens) -> int | None:
        found = self._roles.get(role)
        return None if found is None else self._id(str(found))

    token.__doc__ = f"The token of the role ``{role}``, or ``None``."
    id.__doc__ = f"The id of ``{role}``, or ``None``."
    return property(token), property(id)


# `__getattr__` tells of these too, and `__setattr__` sets them. But it is asked last, after a search that
# takes longer than the answer.
for _name in ROLES:
    for _ending, _property in zip(("", "_id"), _usual(_name), strict=True):
        setattr(SpecialTokens, _name + _ending, _property)
