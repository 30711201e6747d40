"""The pieces of a SentencePiece model, and the stages that model classes put round them.

A model's class takes the pieces of a ``.model`` file and runs them by rules of its own: with a normalizer and
a pre-tokenizer of ``tokenizer.json`` instead of SentencePiece's, often with other ids. What is here serves
the table of ``piece_classes``; ``from_pieces`` carries it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _tessella, decoders, normalizers, pre_tokenizers
from .._types import PrependScheme
from ..errors import FormatError
from ..models import BPE, Unigram
from ..normalizers import Normalizer
from ..pre_tokenizers import PreTokenizer
from ..processors import TemplateProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken

#: What SentencePiece writes for a blank.
MARK = "▁"


@dataclass(frozen=True)
class Pieces:
    """What a ``.model`` file holds.

    ``scores`` are texts with their scores, in the order of their ids; a class may put others round them.
    """

    scores: list[tuple[str, float]]
    #: The kinds of these: ``normal``, ``user_defined``, ``control``, ...
    kinds: list[str]
    added: list[AddedToken]
    charsmap: bytes
    unigram: bool
    byte_fallback: bool
    #: ``unk``, ``bos`` and ``eos``: the id, below 0 if there is none, and the text.
    named: Mapping[str, tuple[int, str]]
    #: The model's rules for blanks: the mark in front of a text, extra blanks, marks for blanks.
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    _merges: list[list[tuple[str, str]]] = field(default_factory=list)

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Pieces:
        """The pieces of a tokenizer that a ``.model`` file gave."""
        found, charsmap, options = _tessella.sentencepiece_parts(tokenizer)
        rules = tokenizer.normalizer
        assert isinstance(rules, normalizers.SentencePiece)
        # Control symbols are special; what users defined is cut out of texts too, but is ordinary text.
        added = [
            AddedToken(text, normalized=False, special=kind == "control")
            for text, _, kind in found
            if kind in ("control", "user_defined")
        ]
        named = {name: options[name] for name in ("unk", "bos", "eos")}
        return cls(
            [(text, score) for text, score, _ in found],
            [kind for _, _, kind in found],
            added,
            charsmap,
            options["unigram"],
            options["byte_fallback"],
            named,
            rules.add_dummy_prefix,
            rules.remove_extra_whitespaces,
            rules.escape_whitespaces,
        )

    @property
    def unk_id(self) -> int:
        """The id of the unknown piece."""
        return self.named["unk"][0]

    @property
    def ids(self) -> dict[str, int]:
        """The ids by text."""
        return {text: id for id, (text, _) in enumerate(self.scores)}

    def of_kind(self, kind: str) -> list[int]:
        """The ids of the pieces of a kind."""
        return [id for id, one in enumerate(self.kinds) if one == kind]

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The merges that the pieces imply: their own order is the order of ranks."""
        if not self._merges:
            self._merges.append(_tessella.piece_merges([text for text, _ in self.scores]))
        return self._merges[0]


@dataclass(frozen=True)
class Roles:
    """The special tokens of a tokenizer in the making: their texts by role, and their ids."""

    backend: Tokenizer
    tokens: Mapping[str, Any]

    def token(self, role: str) -> str:
        """The text of a role that the class cannot do without."""
        found = self.tokens.get(f"{role}_token")
        if found is None:
            raise FormatError(
                f"the settings set `{role}_token` to null, but the class puts this token round texts: "
                "name a token"
            )
        return str(found)

    def id(self, token: str) -> int:
        """The id of a token, that of the unknown one if it is none."""
        found = self.backend.token_to_id(token)
        if found is None and self.tokens.get("unk_token") is not None:
            found = self.backend.token_to_id(str(self.tokens["unk_token"]))
        if found is None:
            raise FormatError(f"`{token}`, which the class puts round texts, is none of the model's pieces")
        return found

    def template(
        self, single: str | Iterable[str], pair: str | Iterable[str], *tokens: str
    ) -> TemplateProcessing:
        """A post-processor with these tokens."""
        return TemplateProcessing(single, pair, [(token, self.id(token)) for token in dict.fromkeys(tokens)])


def unigram(vocab: list[tuple[str, float]], unk_id: int, byte_fallback: bool = False) -> Tokenizer:
    """A tokenizer with such a model and no other stage."""
    if not 0 <= unk_id < len(vocab):
        raise FormatError(
            f"the class expects the unknown token at the id {unk_id}, but the model has {len(vocab)} pieces"
        )
    return Tokenizer(Unigram(vocab, unk_id, byte_fallback))


def bpe(
    vocab: Mapping[str, int],
    merges: list[tuple[str, str]],
    unk_token: str | None,
    byte_fallback: bool,
) -> Tokenizer:
    """A tokenizer with such a model and no other stage."""
    return Tokenizer(BPE(vocab, merges, unk_token=unk_token, fuse_unk=True, byte_fallback=byte_fallback))


def metaspace(
    tokenizer: Tokenizer,
    scheme: PrependScheme,
    *before: Callable[[], PreTokenizer],
    in_sequence: bool = False,
) -> Tokenizer:
    """Sets a pre-tokenizer that makes blanks visible, behind others, and the decoder that belongs to it."""
    parts = [*(one() for one in before), pre_tokenizers.Metaspace(MARK, scheme)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts) if before or in_sequence else parts[0]
    tokenizer.decoder = decoders.Metaspace(MARK, scheme)
    return tokenizer


def words(tokenizer: Tokenizer, scheme: PrependScheme = "always") -> Tokenizer:
    """``metaspace`` for words between white space of any kind."""
    return metaspace(tokenizer, scheme, pre_tokenizers.WhitespaceSplit)


def normalized(
    tokenizer: Tokenizer, *parts: Normalizer, charsmap: bytes = b"", first: bool = False
) -> Tokenizer:
    """Sets a sequence of normalizers, with the model's character map, where it has one, behind or first."""
    table = [normalizers.Precompiled(charsmap)] if charsmap else []
    sequence = [*table, *parts] if first else [*parts, *table]
    tokenizer.normalizer = normalizers.Sequence(sequence) if sequence else None
    return tokenizer
