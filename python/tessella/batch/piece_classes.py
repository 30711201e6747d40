"""The model classes that can be made of a SentencePiece model, and what each of them makes of it.

One entry a class: its special tokens, the arguments that change its stages with their defaults, the stages,
what stands round a text (the functions stand in ``piece_stages``). They follow the classes of transformers
5.24, whose ids are those that models were trained with, also where they differ from SentencePiece's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..processors import TemplateProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from . import piece_stages as build
from .classes import TOKENS
from .piece_rules import generic, generic_unigram
from .piece_stages import Arguments, Extra
from .pieces import Pieces, Roles


def _own(own: Extra, arguments: Arguments) -> Extra:
    del arguments
    return own


@dataclass(frozen=True)
class PieceClass:
    """What a class makes of the pieces of a model."""

    #: The special tokens where the settings do not say.
    roles: Mapping[str, Any]
    #: Model and stages, before any token is added.
    build: Callable[[Pieces, Arguments], Tokenizer]
    #: What stands round a text; without it, ``bos_token`` and ``eos_token`` where the settings want them.
    ends: Callable[[Roles, Arguments], TemplateProcessing] | None = None
    #: Whether ``add_bos_token`` and ``add_eos_token``, where the settings hold them, replace these ends.
    ends_replaced: bool = False
    #: Arguments that settings may hold, and their defaults.
    arguments: Arguments = field(default_factory=dict)
    #: Whether the model says all: its blanks, its pieces, its own special tokens (``piece_rules``).
    as_the_model: bool = False
    #: Further special tokens; the model's own ones are given.
    extra: Callable[[Extra, Arguments], Extra] = _own
    #: Pieces that count as special tokens without being cut out of texts.
    marked: tuple[str, ...] = ()
    #: Whether all special tokens are added once more as such, which makes users' own pieces special too.
    specials_again: bool = False
    #: Of translation models: the language of a text where the settings do not say.
    language: str | None = None
    #: Of these: what stands round targets, where that is not what stands round texts.
    target_ends: Callable[[Roles, Arguments], TemplateProcessing] | None = None
    #: Of these: the token of a language.
    spelled: Callable[[str], str] = str

    def template(self, roles: Roles, settings: Arguments, *, is_target: bool = False) -> TemplateProcessing:
        """What stands round a text, of a class that has ends."""
        ends = self.target_ends if is_target and self.target_ends is not None else self.ends
        assert ends is not None
        if self.language is not None:
            language = self.spelled(str(settings.get("src_lang") or self.language))
            settings = {**settings, "src_lang": language}
        return ends(roles, settings)


def _lstrip(token: str, **flags: bool) -> AddedToken:
    """A mask, which stands for a word with the blank before it."""
    return AddedToken(token, lstrip=True, rstrip=False, **flags)


_ANGLES = TOKENS["XLMRobertaTokenizer"]
_SPACED = {"add_prefix_space": True}
_LANGUAGES = {"src_lang": None, "tgt_lang": None}
_QUOTED = {"do_lower_case": True, "keep_accents": False, "trim_offsets": True, **_SPACED}

#: The classes by their names without ``Fast``.
CLASSES: dict[str, PieceClass] = {
    "LlamaTokenizer": PieceClass(
        TOKENS["LlamaTokenizer"], build.llama, arguments={"legacy": False, "add_prefix_space": None}
    ),
    "CodeLlamaTokenizer": PieceClass(
        {**TOKENS["LlamaTokenizer"], **build.INFILLING},
        build.code_llama,
        arguments={**_SPACED, "add_bos_token": True},
        extra=lambda own, arguments: [*own, *build.INFILLING.values()],
    ),
    "GemmaTokenizer": PieceClass(TOKENS["GemmaTokenizer"], build.gemma),
    "T5Tokenizer": PieceClass(
        TOKENS["T5Tokenizer"], build.t5, build.t5_ends, arguments={"extra_ids": 100}, extra=build.t5_extra
    ),
    "VideoPrismTokenizer": PieceClass(
        TOKENS["T5Tokenizer"], build.t5, arguments={"extra_ids": 100}, extra=build.t5_extra
    ),
    "AlbertTokenizer": PieceClass(
        TOKENS["AlbertTokenizer"], build.albert, build.albert_ends, ends_replaced=True, arguments=_QUOTED
    ),
    "FNetTokenizer": PieceClass(
        TOKENS["AlbertTokenizer"], generic_unigram, arguments=_QUOTED, as_the_model=True
    ),
    "BarthezTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>")}, build.barthez, arguments=_SPACED
    ),
    "BigBirdTokenizer": PieceClass(
        {
            **{role: AddedToken(token) for role, token in _ANGLES.items()},
            "sep_token": AddedToken("[SEP]"),
            "cls_token": AddedToken("[CLS]"),
            "mask_token": _lstrip("[MASK]"),
        },
        build.big_bird,
        build.by_roles("bert", "cls", "sep"),
        arguments=_SPACED,
    ),
    "CamembertTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>", special=True)},
        build.camembert,
        build.usual_ends("CamembertTokenizer"),
        arguments=_SPACED,
    ),
    "DebertaV2Tokenizer": PieceClass(
        TOKENS["DebertaV2Tokenizer"],
        build.deberta,
        build.usual_ends("DebertaV2Tokenizer"),
        arguments={"do_lower_case": False, "split_by_punct": False, **_SPACED},
    ),
    "MBartTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>")},
        build.mbart,
        build.behind,
        language="en_XX",
        arguments=_LANGUAGES,
        extra=build.mbart_extra,
    ),
    "MBart50Tokenizer": PieceClass(
        {
            **{role: token for role, token in _ANGLES.items() if role != "bos_token"},
            "mask_token": _lstrip("<mask>"),
        },
        build.mbart50,
        build.before,
        language="en_XX",
        arguments=_LANGUAGES,
        extra=lambda own, arguments: [*own, *build.MBART50],
        marked=tuple(build.MBART50),
    ),
    "NllbTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>", normalized=True, special=True)},
        build.nllb,
        build.nllb_ends,
        language="eng_Latn",
        arguments={**_LANGUAGES, "legacy_behaviour": False},
    ),
    "SeamlessM4TTokenizer": PieceClass(
        {role: token for role, token in _ANGLES.items() if role != "mask_token"},
        build.seamless,
        build.before,
        arguments={"src_lang": "eng", "tgt_lang": "fra"},
        language="eng",
        target_ends=build.seamless_target_ends,
        spelled=build.seamless_language,
    ),
    "PegasusTokenizer": PieceClass(
        {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask_2>"},
        build.pegasus,
        build.pegasus_ends,
        extra=build.pegasus_extra,
    ),
    "ReformerTokenizer": PieceClass(
        {"eos_token": "</s>", "unk_token": "<unk>"}, build.reformer, specials_again=True
    ),
    "RemBertTokenizer": PieceClass(
        TOKENS["AlbertTokenizer"],
        build.rembert,
        arguments={"do_lower_case": False, "keep_accents": True, "remove_space": True, **_SPACED},
        specials_again=True,
    ),
    "XGLMTokenizer": PieceClass(
        {role: token for role, token in _ANGLES.items() if role != "mask_token"},
        build.xglm,
        build.xglm_ends,
        arguments=_SPACED,
        extra=build.xglm_extra,
    ),
    "XLMRobertaTokenizer": PieceClass(
        _ANGLES, build.xlm_roberta, build.usual_ends("XLMRobertaTokenizer"), arguments=_SPACED
    ),
    "XLNetTokenizer": PieceClass(
        {**TOKENS["XLNetTokenizer"], "mask_token": _lstrip("<mask>")},
        build.xlnet,
        build.usual_ends("XLNetTokenizer"),
        arguments={"do_lower_case": False, "remove_space": True, "keep_accents": False},
    ),
    "Tipsv2Tokenizer": PieceClass(
        {"unk_token": "<unk>", "pad_token": "<pad>"},
        build.tips,
        arguments={"do_lower_case": True, "model_max_length": 64},
    ),
}


def roles_of(name: str) -> Mapping[str, Any]:
    """The special tokens that a class has where no settings say otherwise, by its name without ``Fast``."""
    return CLASSES[name].roles if name in CLASSES else TOKENS.get(name, {})


def arguments_of(name: str) -> Arguments:
    """The arguments that a class of pieces takes, and their defaults."""
    return CLASSES[name].arguments if name in CLASSES else {}


#: What any other class gives; its special tokens are those that the model names.
GENERIC = PieceClass({}, generic, as_the_model=True)

_OTHER_FILES = """
    Bertweet BioGpt BlenderbotSmall ByT5 CTRL Canine Clvp ConvBert CpmAnt DPRContextEncoder
    DPRQuestionEncoder DPRReader Dia Esm Esmc FSMT FastSpeech2Conformer Flaubert GPTNeoXJapanese LayoutLMv3
    Luke Mgpstr MyT5 Perceiver Phobert ProphetNet RoCBert Splinter Tapas Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC
    XLM
"""

_NOT_HERE = """
    Bartpho BertGeneration BertJapanese Cpm GPTSw3 Lasr LayoutXLM M2M100 MLuke Marian PLBart Siglip
    Speech2Text SpeechT5 Udop
"""

#: Classes that run code of their own for each text, or SentencePiece itself with other ids.
NOT_HERE = frozenset({"SentencePieceBackend", *(f"{name}Tokenizer" for name in _NOT_HERE.split())})

#: Classes whose vocabularies are other files, so that a SentencePiece model is none of theirs.
OTHER_FILES = frozenset(
    {
        *(name for name in TOKENS if name not in CLASSES),
        *(f"{name}Tokenizer" for name in _OTHER_FILES.split()),
    }
)
