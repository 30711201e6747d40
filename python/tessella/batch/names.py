"""Further names that users of the transformers library know; each says in a line what something else does.

A base of ``PretrainedTokenizer``, so that they do not stand between its own names. What of that library has
no counterpart is listed in ``docs/migrating.md``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .._files import _write_together
from .._formats import FOLDER, ROLES
from .._prefix import check_prefix
from ..errors import ArgumentError
from ..tokens import AddedToken
from .classes import argument, carry_out
from .decoding import clean_up
from .special import SpecialTokens
from .strategies import PADDING, TRUNCATION, chosen

if TYPE_CHECKING:
    from .._types import Side, TruncationStrategy
    from ..decoders import Decoder
    from ..tokenizer import Tokenizer
    from .calling import PaddingKind, PadToken, TruncationKind


_TEMPLATE, _, _TEMPLATES = FOLDER.templates


def write_templates(
    folder: str | os.PathLike[str], templates: str | Mapping[str, str] | None, prefix: str | None
) -> list[str]:
    """Writes chat templates as files, the default one and the others by their names, and tells the files."""
    start = check_prefix(prefix, "filename_prefix")
    named = {"default": templates} if isinstance(templates, str) else dict(templates or {})
    files: dict[str, bytes] = {}
    for name, text in named.items():
        if name != "default" and (not name or os.path.basename(name) != name or name in (".", "..")):
            raise ArgumentError(f"the chat template {name!r} cannot be saved: its name is no name of a file")
        inside = _TEMPLATE if name == "default" else f"{_TEMPLATES}/{name}.jinja"
        files[start + inside] = text.encode()
    return _write_together(folder, files, makes_folder=True)


class OtherNames(SpecialTokens):
    """Names of the transformers library; a base of ``PretrainedTokenizer``."""

    #: The roles that every tokenizer may have.
    SPECIAL_TOKENS_ATTRIBUTES: ClassVar[list[str]] = list(ROLES)
    #: The files that a tokenizer of this class is loaded from.
    vocab_files_names: ClassVar[dict[str, str]] = {
        "tokenizer_file": "tokenizer.json",
        "vocab_file": "tokenizer.model",
    }
    #: Arguments without names that a tokenizer was made with: there are none.
    init_inputs: ClassVar[tuple[()]] = ()
    #: There is no other, slower class.
    slow_tokenizer_class: ClassVar[None] = None
    #: The engine's kind, as that library names it.
    backend: ClassVar[str] = "tokenizers"

    init_kwargs: dict[str, Any]
    padding_side: Side
    truncation_side: Side
    chat_template: str | dict[str, str] | None

    if TYPE_CHECKING:

        @classmethod
        def _class_name(cls, settings: Mapping[str, Any]) -> str: ...
        def _pad_settings(self, padding_side: Side | None) -> PadToken: ...

    @property
    def _tokenizer(self) -> Tokenizer:
        return self.backend_tokenizer

    @_tokenizer.setter
    def _tokenizer(self, tokenizer: Tokenizer) -> None:
        self.backend_tokenizer = tokenizer

    @property
    def decoder(self) -> Decoder | None:
        """The decoder of the tokenizer."""
        return self.backend_tokenizer.decoder

    @property
    def add_prefix_space(self) -> bool:
        """What the settings say about a blank before a text."""
        return bool(self.init_kwargs.get("add_prefix_space", False))

    @property
    def verbose(self) -> bool:
        """What the settings say about warnings; each call has an argument of its own."""
        return bool(self.init_kwargs.get("verbose", False))

    @property
    def files_loaded(self) -> list[str]:
        """What the settings say about the files."""
        return list(self.init_kwargs.get("files_loaded", ()))

    def _argument(self, name: str) -> Any:
        return argument(self.backend_tokenizer, self._class_name(self.init_kwargs), name)

    def _carry_out(self, name: str, value: Any) -> None:
        carry_out(self.backend_tokenizer, self._class_name(self.init_kwargs), name, value)
        self.init_kwargs[name] = value

    # Of classes without such an argument, asking is an AttributeError.

    @property
    def do_lower_case(self) -> bool:
        """Whether texts are lowercased; setting it changes the normalizer."""
        return bool(self._argument("do_lower_case"))

    @do_lower_case.setter
    def do_lower_case(self, value: bool) -> None:
        self._carry_out("do_lower_case", value)

    @property
    def strip_accents(self) -> bool | None:
        """Whether accents are removed; ``None`` is where texts are lowercased. Setting it changes that."""
        found: bool | None = self._argument("strip_accents")
        return found

    @strip_accents.setter
    def strip_accents(self, value: bool | None) -> None:
        self._carry_out("strip_accents", value)

    @property
    def tokenize_chinese_chars(self) -> bool:
        """Whether Chinese characters are words of their own; setting it changes the normalizer."""
        return bool(self._argument("tokenize_chinese_chars"))

    @tokenize_chinese_chars.setter
    def tokenize_chinese_chars(self, value: bool) -> None:
        self._carry_out("tokenize_chinese_chars", value)

    @property
    def keep_accents(self) -> bool:
        """Whether accents stay; setting it changes the normalizer."""
        return bool(self._argument("keep_accents"))

    @keep_accents.setter
    def keep_accents(self, value: bool) -> None:
        self._carry_out("keep_accents", value)

    def _convert_id_to_token(self, index: int) -> str | None:
        return self.backend_tokenizer.id_to_token(int(index))

    def _convert_token_to_id_with_added_voc(self, token: str) -> int | None:
        return self._id(token)

    # A processor of images, sounds or videos says so before it saves its tokenizer.
    def _set_processor_class(self, processor_class: str) -> None:
        self.init_kwargs["processor_class"] = processor_class

    @property
    def can_save_slow_tokenizer(self) -> bool:
        """Always false: vocabulary files of old formats are not written."""
        return False

    def clean_up_tokenization(self, text: str) -> str:
        """The text without blanks before punctuation and English endings."""
        return clean_up(text)

    def save_vocabulary(
        self, save_directory: str | os.PathLike[str], filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Writes the model's own files, ``vocab.txt`` for example, to a folder that is there."""
        if not os.path.isdir(save_directory):
            raise NotADirectoryError(20, "a folder is needed", os.fspath(save_directory))
        check_prefix(filename_prefix, "filename_prefix")
        return tuple(self.backend_tokenizer.model.save(save_directory, filename_prefix))

    def save_chat_templates(
        self,
        save_directory: str | os.PathLike[str],
        tokenizer_config: dict[str, object],
        filename_prefix: str | None = None,
        save_jinja_files: bool = True,
    ) -> tuple[dict[str, object], list[str]]:
        """Writes the chat templates, as files or into the settings, and gives settings and files.

        ``save_pretrained`` does this for a whole folder.
        """
        templates = self.chat_template
        if save_jinja_files and templates is not None:
            tokenizer_config.pop("chat_template", None)
            return tokenizer_config, write_templates(save_directory, templates, filename_prefix)
        if isinstance(templates, dict):
            listed = [{"name": name, "template": text} for name, text in templates.items()]
            tokenizer_config["chat_template"] = listed
        elif templates is not None:
            tokenizer_config["chat_template"] = templates
        return tokenizer_config, []

    @classmethod
    def convert_added_tokens(cls, obj: object, save: bool = False, add_type_field: bool = True) -> object:
        """Settings with token objects in place of their JSON, or with ``save`` the other way round."""
        if isinstance(obj, AddedToken) and save:
            fields = obj.__getstate__()
            if add_type_field:
                return {**fields, "__type": "AddedToken"}
            return {key: value for key, value in fields.items() if key != "special"}
        if isinstance(obj, Mapping):
            if obj.get("__type") == "AddedToken":
                return AddedToken(**{key: value for key, value in obj.items() if key != "__type"})
            return {key: cls.convert_added_tokens(one, save, add_type_field) for key, one in obj.items()}
        if isinstance(obj, Sequence) and not isinstance(obj, (str, bytes)):
            return [cls.convert_added_tokens(one, save, add_type_field) for one in obj]
        return obj

    def set_truncation_and_padding(
        self,
        padding_strategy: PaddingKind,
        truncation_strategy: TruncationKind,
        max_length: int,
        stride: int,
        pad_to_multiple_of: int | None,
        padding_side: Side | None,
    ) -> None:
        """Sets padding and truncation on ``backend_tokenizer``, for its own calls.

        Calls of this object never need it: what they are told holds for them alone.
        """
        padding = chosen("padding_strategy", padding_strategy, PADDING)
        truncation: TruncationStrategy | Literal["do_not_truncate"] = chosen(
            "truncation_strategy", truncation_strategy, TRUNCATION
        )
        if truncation == "do_not_truncate":
            self.backend_tokenizer.no_truncation()
        else:
            self.backend_tokenizer.enable_truncation(
                max_length, stride=stride, strategy=truncation, direction=self.truncation_side
            )
        if padding == "do_not_pad":
            self.backend_tokenizer.no_padding()
        else:
            self.backend_tokenizer.enable_padding(
                **self._pad_settings(padding_side),
                length=max_length if padding == "max_length" else None,
                pad_to_multiple_of=pad_to_multiple_of,
            )
