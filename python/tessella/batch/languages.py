"""Tokenizers of translation models, which put the language of a text at its end or in front of it.

Which of the two, the class says: see ``piece_classes``. Setting ``src_lang`` changes the tokens round the
texts that are encoded next; targets (``text_target``) get those of ``tgt_lang``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .._formats import ROLES
from .._notices import warn
from ..errors import ArgumentError
from ..tokenizer import Tokenizer
from .pieces import Roles

if TYPE_CHECKING:
    from ..processors import TemplateProcessing
    from .encoding import BatchEncoding
    from .ends import Ends
    from .piece_classes import PieceClass


_L = TypeVar("_L", bound="Languages")


class Languages:
    """The languages of a translation model's tokenizer; a part of the classes that have them."""

    backend_tokenizer: Tokenizer
    init_kwargs: dict[str, Any]
    _ends: Ends
    _piece_class: PieceClass
    _roles: dict[str, Any]

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **options: Any) -> BatchEncoding: ...
        def convert_tokens_to_ids(self, tokens: str) -> int | None: ...

    def _set_up(self, backend: Tokenizer, settings: dict[str, Any]) -> None:
        own: Any = super()
        own._set_up(backend, settings)
        # What a tokenizer.json puts round texts may be another language.
        if settings.get("src_lang") is not None:
            self._speak("src_lang")

    def _has_more_tokens(self) -> None:
        # What stands round texts was made before: the end of a text may have been no token then.
        if self.init_kwargs.get("src_lang") is not None:
            self.backend_tokenizer.post_processor = self._around("src_lang")

    @property
    def src_lang(self) -> str:
        """The language of texts; setting it changes what is put round them.

        Example:
            >>> from tessella import Tokenizer, models
            >>> from tessella.compat.transformers import NllbTokenizer
            >>> tokens = ["<unk>", "</s>", "eng_Latn", "deu_Latn"]
            >>> backend = Tokenizer(models.WordLevel({token: id for id, token in enumerate(tokens)}, "<unk>"))
            >>> tokenizer = NllbTokenizer(tokenizer_object=backend, src_lang="eng_Latn")
            >>> tokenizer.src_lang = "deu_Latn"
            >>> tokenizer.convert_ids_to_tokens(tokenizer("eng_Latn").input_ids)
            ['deu_Latn', 'eng_Latn', '</s>']
        """
        return self._language("src_lang")

    @src_lang.setter
    def src_lang(self, language: str) -> None:
        self._choose("src_lang", language)
        self._speak("src_lang")

    @property
    def tgt_lang(self) -> str | None:
        """The language of targets; without one it becomes that of the first texts that have targets."""
        language = self.init_kwargs.get("tgt_lang") or self._piece_class.arguments.get("tgt_lang")
        return None if language is None else self._piece_class.spelled(language)

    @tgt_lang.setter
    def tgt_lang(self, language: str) -> None:
        self._choose("tgt_lang", language)

    def update_post_processor(self) -> None:
        """Changes nothing: what stands round texts is their language, whatever ``add_bos_token`` says."""
        if any(self._ends):
            warn(
                f"`add_bos_token` and `add_eos_token` say nothing to a {type(self).__name__}, which puts the "
                "language of a text round it; set backend_tokenizer.post_processor to have other ends"
            )

    # The end of a text is a role, and stands beside the language.
    def __setattr__(self, name: str, value: Any) -> None:
        kept = self.__dict__
        is_role = name.removesuffix("_id") in ROLES and "init_kwargs" in kept and "_roles" in kept
        before = self._around("src_lang").__getstate__() if is_role else None
        super().__setattr__(name, value)
        if before is not None:
            processor = self.backend_tokenizer.post_processor
            if processor is not None and processor.__getstate__() == before:
                self.backend_tokenizer.post_processor = self._around("src_lang")

    def _language(self, role: str) -> str:
        kind = self._piece_class
        return kind.spelled(str(self.init_kwargs.get(role) or kind.arguments.get(role) or kind.language))

    def _choose(self, role: str, language: str) -> None:
        if not isinstance(language, str):
            raise ArgumentError(f"`{role}` must be the name of a language, a str, not {language!r}")
        self.init_kwargs[role] = language

    def _speak(self, role: str) -> None:
        """Puts the tokens of a language round the texts that are encoded next."""
        backend, language = self.backend_tokenizer, self._language(role)
        if backend.token_to_id(language) is None:
            warn(
                f"`{role}` is {language!r}, which is no token of this tokenizer: the unknown token "
                "stands for it"
            )
        backend.post_processor = self._around(role)

    def _around(self, role: str) -> TemplateProcessing:
        """What stands round a text of a language."""
        settings: Mapping[str, Any] = {
            **self._piece_class.arguments,
            **self.init_kwargs,
            "src_lang": self._language(role),
        }
        roles = Roles(self.backend_tokenizer, self._roles)
        return self._piece_class.template(roles, settings, is_target=role == "tgt_lang")

    def _for_targets(self: _L) -> _L:
        """A tokenizer of the same kind that encodes targets; this one may be at work in other threads.

        Without a language of targets, that of the first texts with targets stays it, as in transformers.
        """
        if self.tgt_lang is None:
            self.init_kwargs["tgt_lang"] = self.src_lang
        made: Any = self.__copy__()  # type: ignore[attr-defined]
        made._speak("tgt_lang")
        return made  # type: ignore[no-any-return]

    def set_src_lang_special_tokens(self, src_lang: str) -> None:
        """Puts the tokens of a language round the texts that are encoded next."""
        self.src_lang = src_lang

    def _build_translation_inputs(
        self,
        raw_inputs: Any,
        return_tensors: Any = None,
        src_lang: Any = None,
        tgt_lang: Any = None,
        **more: Any,
    ) -> BatchEncoding:
        """What the translation pipeline of transformers asks for."""
        if src_lang is None or tgt_lang is None:
            raise ArgumentError("Translation requires a `src_lang` and a `tgt_lang` for this model")
        self.src_lang = src_lang
        inputs = self(raw_inputs, add_special_tokens=True, return_tensors=return_tensors, **more)
        inputs["forced_bos_token_id"] = self.convert_tokens_to_ids(self._piece_class.spelled(tgt_lang))
        return inputs


class LanguagesOfCalls(Languages):
    """The same for the class whose calls name languages too, which stay chosen."""

    def __call__(
        self, *args: Any, src_lang: str | None = None, tgt_lang: str | None = None, **options: Any
    ) -> BatchEncoding:
        if src_lang is not None:
            self.src_lang = src_lang
        if tgt_lang is not None:
            self.tgt_lang = tgt_lang
        own: Any = super()
        return own.__call__(*args, **options)  # type: ignore[no-any-return]
