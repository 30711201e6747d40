"""Normalization without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from ... import _tessella
from ..._files import _read_file
from ...errors import ArgumentError
from ._errors import ENGINE_ERRORS, as_runtime_errors, runtime_error
from ._messages import written
from ._texts import Input, normalized

if TYPE_CHECKING:
    from ._options import Inputs, Message


class SentencePieceNormalizer:
    """A normalizer from a model, from rules with a name, or from rules of your own.

    Args:
        model_file: path of a model whose normalizer to use.
        model_proto: the model's bytes instead.
        normalizer_spec: the bytes of a normalizer section instead.
        rule_tsv: path of a rule file instead: code points, a tab, code points.
        rule_name: ``nmt_nfkc``, ``nfkc``, ``nmt_nfkc_cf``, ``nfkc_cf`` or ``identity`` instead.
        norm_map: pairs of texts instead, what to replace and by what: no text twice, and none by itself.
        add_dummy_prefix: put a space in front.
        escape_whitespaces: write spaces as ``▁``.
        remove_extra_whitespaces: drop spaces that stand first, last or after another.

    Example:
        >>> SentencePieceNormalizer(rule_name="nfkc_cf", add_dummy_prefix=False).normalize("ＡＢＣ ﬁ")
        'abc▁fi'
    """

    def __init__(
        self,
        model_file: str | None = None,
        model_proto: bytes | Message | None = None,
        normalizer_spec: bytes | Message | None = None,
        rule_tsv: str | None = None,
        rule_name: str | None = None,
        norm_map: Sequence[tuple[Input, Input]] | None = None,
        add_dummy_prefix: bool | None = None,
        escape_whitespaces: bool | None = None,
        remove_extra_whitespaces: bool | None = None,
    ) -> None:
        with as_runtime_errors(keep_argument_errors=True):
            if model_file:
                self._handle = _tessella.SentencePieceNormalizerHandle("model", _read_file(model_file))
            elif model_proto:
                self._handle = _tessella.SentencePieceNormalizerHandle("model", _bytes(model_proto))
            elif normalizer_spec:
                self._handle = _tessella.SentencePieceNormalizerHandle("spec", _bytes(normalizer_spec))
            elif rule_tsv:
                self._handle = _tessella.SentencePieceNormalizerHandle("file", rule_tsv)
            elif rule_name:
                self._handle = _tessella.SentencePieceNormalizerHandle("name", rule_name)
            elif norm_map:
                self._handle = _tessella.SentencePieceNormalizerHandle("rules", _pairs(norm_map))
        if not hasattr(self, "_handle"):
            raise ArgumentError("no rules are given: name a model, a rule file, a rule set or a map")
        for name, value in (
            ("add_dummy_prefix", add_dummy_prefix),
            ("escape_whitespaces", escape_whitespaces),
            ("remove_extra_whitespaces", remove_extra_whitespaces),
        ):
            if value is not None:
                self._handle.set(name, bool(value))

    # `Any`: a text, or a text and its offsets; of a list, of each.
    def normalize(self, input: Inputs, with_offsets: bool | None = None) -> Any:
        """The normalized text, or texts; with offsets also where each character comes from.

        Example:
            >>> SentencePieceNormalizer(rule_name="nfkc").normalize("①  ②", with_offsets=True)
            ('▁1▁2', [0, 0, 1, 3, 4])
        """
        try:
            plain = self._handle.plain_normalize(input, bool(with_offsets))
        except ENGINE_ERRORS as error:
            raise runtime_error(error) from error
        if plain is not None:
            return plain
        if isinstance(input, list):
            return [normalized(self._handle, text, bool(with_offsets)) for text in input]
        return normalized(self._handle, input, bool(with_offsets))

    def decompile(self) -> list[tuple[str, str]]:
        """The rules as pairs of texts, by source.

        Example:
            >>> SentencePieceNormalizer(norm_map=[("b", "x"), ("a", "")]).decompile()
            [('a', ''), ('b', 'x')]
        """
        with as_runtime_errors():
            return self._handle.rules()

    def serialized_model_proto(self) -> bytes:
        """A model of nothing but this normalizer."""
        return self._handle.model()

    def serialized_normalizer_spec(self) -> bytes:
        """The normalizer section of a model, for training with it."""
        return self._handle.spec()

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._handle = _tessella.SentencePieceNormalizerHandle("model", serialized_model_proto)

    Normalize = normalize
    Decompile = decompile


def _pairs(norm_map: object) -> list[tuple[str, str]]:
    """Pairs of texts, which may be UTF-8 bytes."""
    if isinstance(norm_map, (Mapping, str, bytes)) or not isinstance(norm_map, (Sequence, AbstractSet)):
        raise TypeError(f"`norm_map` must be a list of pairs of texts, found {type(norm_map).__name__}")
    pairs = []
    for pair in norm_map:
        if not isinstance(pair, Sequence) or isinstance(pair, (bytes, bytearray)) or len(pair) != 2:
            raise TypeError(f"`norm_map` must hold pairs of texts, found {pair!r}")
        pairs.append((_text(pair[0]), _text(pair[1])))
    return pairs


def _text(value: object) -> str:
    if not isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a rule of `norm_map` must be of str or bytes, found {type(value).__name__}")
    try:
        if isinstance(value, str):
            value.encode()
            return value
        return bytes(value).decode()
    except UnicodeError as error:
        raise ArgumentError(f"a rule of `norm_map` is not UTF-8: {value!r}") from error


def _bytes(message: bytes | Message) -> bytes:
    serialized = message if isinstance(message, bytes) else written(message)
    if not isinstance(serialized, bytes):
        raise TypeError(f"a message must be bytes, found {type(serialized).__name__}")
    return serialized
