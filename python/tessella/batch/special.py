"""The special tokens of a tokenizer by their roles: ``pad_token``, ``pad_token_id`` and so on.

Roles are plain attributes. An unset one is ``None``; so is its id. A tokenizer may have roles of its own
besides the usual seven (``image_token`` for example).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, UnsupportedError
from ..tokens import AddedToken

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

__all__ = ["ROLES", "SpecialTokens", "as_token", "guess"]

#: The roles that every tokenizer may have.
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")

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
        known = {key: value[key] for key in AddedToken().__getstate__() if key in value}
        return AddedToken(**known)
    if hasattr(value, "content") and hasattr(value, "single_word"):
        # Where the flag is what it is by default, it follows `special` if that is set later.
        normalized = None if value.normalized is not value.special else bool(value.normalized)
        flags = (value.single_word, value.lstrip, value.rstrip, normalized, value.special)
        return AddedToken(value.content, *flags)
    raise ArgumentError(f"a special token must be a str or an AddedToken, not {value!r}")


def _role(name: str) -> tuple[str, bool]:
    """The role that an attribute speaks of, and whether it asks for the id."""
    for ending in ("_ids", "_id"):
        if name.endswith(ending):
            return name[: -len(ending)], True
    return name, False


class SpecialTokens:
    """The roles and the further special tokens; a part of ``PretrainedTokenizer``."""

    backend_tokenizer: Tokenizer
    _roles: dict[str, str | AddedToken | None]
    _extra: list[str | AddedToken]

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
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        role, by_id = _role(name)
        if role in ("extra_special_tokens", "additional_special_tokens"):
            if value is not None and (isinstance(value, (str, bytes)) or not isinstance(value, Iterable)):
                raise ArgumentError(f"`{name}` must be a list, not {value!r}")
            tokens = list(value or ())
            self._extra = [
                token
                for token in (self._named(name, one) if by_id else as_token(one) for one in tokens)
                if token is not None
            ]
        elif role in ROLES or role in self.__dict__.get("_roles", {}):
            self._roles[role] = self._named(name, value) if by_id and value is not None else as_token(value)
        else:
            super().__setattr__(name, value)

    def _named(self, name: str, id: int) -> str:
        token = self.backend_tokenizer.id_to_token(id)
        if token is None:
            raise ArgumentError(f"`{name}` is set to {id}, an id that the tokenizer does not have")
        return token

    def _set_special_tokens(self, settings: Mapping[str, Any]) -> None:
        """Takes roles, and roles of its own, out of the settings of a tokenizer."""
        extra = settings.get("extra_special_tokens", settings.get("additional_special_tokens"))
        own = dict(extra) if isinstance(extra, Mapping) else {}
        own |= settings.get("model_specific_special_tokens") or {}
        for key, value in settings.items():
            if key.endswith("_token") and not isinstance(value, bool) and value is not None:
                if key in ROLES:
                    self._roles[key] = as_token(value)
                else:
                    own.setdefault(key, value)
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
    def special_tokens_map(self) -> dict[str, str]:
        """The roles that are set, and their tokens."""
        return {role: str(token) for role, token in self._roles.items() if token is not None}

    @property
    def all_special_tokens(self) -> list[str]:
        """The tokens of all roles and the further special tokens, each once."""
        tokens = (*self._roles.values(), *self._extra)
        return list(dict.fromkeys(str(token) for token in tokens if token is not None))

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of ``all_special_tokens``."""
        ids = [self._id(token) for token in self.all_special_tokens]
        return [id for id in ids if id is not None]

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
                "already_has_special_tokens=True, "
                "or encode the text with return_special_tokens_mask=True"
            )
        special = set(self.all_special_ids)
        return [int(int(id) in special) for id in token_ids_0]
