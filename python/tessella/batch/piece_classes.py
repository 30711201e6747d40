"""The model classes that can be made of a SentencePiece model, and what each of them makes of it.

One entry a class: its special tokens, the arguments that change its stages with their defaults, the stages,
what stands round a text. They follow the classes of transformers 5.23, whose ids are those that models were
trained with, also where they differ from SentencePiece's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import decoders, normalizers, pre_tokenizers
from .._ends import marked
from .._formats import CLASSES as KNOWN
from .._tessella import Regex
from .._types import PrependScheme
from ..errors import FormatError
from ..normalizers import Normalizer, Replace
from ..processors import TemplateProcessing
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from .classes import TOKENS
from .pieces import MARK, Pieces, Roles, bpe, metaspace, normalized, unigram, words

# `Any`: settings are any JSON.
#: The settings, over the defaults of the class.
Arguments = Mapping[str, Any]
#: Further special tokens, as texts or with their flags.
Extra = list[str | AddedToken]

_FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
_MBART_CODES = """
    ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV
    my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN
"""
_MBART50_CODES = """
    af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX
    sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI
"""
_MBART = _MBART_CODES.split()
_MBART50 = [*_MBART, *_MBART50_CODES.split()]


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
    #: Whether models of other kinds are refused.
    only_unigram: bool = False
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


def _scheme(wanted: object, otherwise: PrependScheme = "never") -> PrependScheme:
    return "always" if wanted else otherwise


def _text(arguments: Arguments, role: str, usual: str) -> str:
    return str(arguments.get(f"{role}_token", usual))


def _quotes(arguments: Arguments, *, accents: bool) -> list[Normalizer]:
    """The normalizers of models that were trained on text with ASCII quotes."""
    parts: list[Normalizer] = [Replace("``", '"'), Replace("''", '"')]
    if not accents:
        parts += [normalizers.NFKD(), normalizers.StripAccents()]
    return [*parts, normalizers.Lowercase()] if arguments["do_lower_case"] else parts


def _collapse(content: str = " ") -> Normalizer:
    return Replace(Regex(" {2,}"), content)


def _one_line() -> list[Normalizer]:
    """Blanks for line breaks, tabs and runs of white space; nothing at the end."""
    return [Replace(Regex(r"\s{2,}|[\n\r\t]"), " "), normalizers.NFC(), normalizers.Strip(False, True)]


def _of_bytes(prefixed: bool) -> decoders.Decoder:
    """The decoder of models that fall back to bytes; ``prefixed`` ones lose the blank in front."""
    parts = [decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)] if prefixed else parts)


def _marked_text(tokenizer: Tokenizer, scheme: PrependScheme) -> None:
    """Blanks become visible, but no piece is cut in front of them."""
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARK, scheme, False)


def _marked(way: str, first: str, last: str) -> Callable[[Roles, Arguments], TemplateProcessing]:
    """Texts with the tokens of two roles at their ends."""

    def ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
        del arguments
        one, two = roles.token(first), roles.token(last)
        return roles.template(*marked(way, one, two), one, two)

    return ends


def _usual_ends(name: str) -> Callable[[Roles, Arguments], TemplateProcessing]:
    """The ends of a class, as the engine knows them."""
    known = KNOWN[name].ends
    assert known is not None
    return _marked(*known)


# The classes, each with its stages and with what stands round a text.


def _llama(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    prefixed = arguments["add_prefix_space"] is None or bool(arguments["add_prefix_space"])
    tokenizer = bpe(pieces.ids, pieces.merges, None, True)
    _marked_text(tokenizer, ("always" if arguments["legacy"] else "first") if prefixed else "never")
    tokenizer.decoder = _of_bytes(prefixed)
    return tokenizer


def _code_llama(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    prefixed = arguments["add_prefix_space"] is None or bool(arguments["add_prefix_space"])
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), True)
    _marked_text(tokenizer, "first" if prefixed else "never")
    tokenizer.decoder = _of_bytes(True)
    return tokenizer


_INFILLING = {
    "prefix_token": "▁<PRE>",
    "middle_token": "▁<MID>",
    "suffix_token": "▁<SUF>",
    "eot_token": "▁<EOT>",
    "fill_token": "<FILL_ME>",
}


def _gemma(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), True)
    tokenizer.normalizer = Replace(" ", MARK)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = _of_bytes(False)
    return tokenizer


def _t5(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    sentinels = [(f"<extra_id_{id}>", 0.0) for id in reversed(range(arguments["extra_ids"]))]
    tokenizer = words(unigram([*pieces.scores, *sentinels], 2))
    if pieces.charsmap:
        tokenizer.normalizer = normalizers.Precompiled(pieces.charsmap)
    return tokenizer


def _t5_extra(own: Extra, arguments: Arguments) -> Extra:
    count = arguments["extra_ids"]
    there = sum("<extra_id_" in str(token) for token in own)
    if there and count > 0 and count != there:
        raise FormatError(
            f"`extra_ids` is {count}, but the model has {there} pieces `<extra_id_...>` of its own: "
            f"set it to {there}"
        )
    return own if there else [*own, *(f"<extra_id_{id}>" for id in range(count))]


def _t5_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    return TemplateProcessing(*marked("last", "", "</s>"), [("</s>", roles.id(roles.token("eos")))])


def _albert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = words(unigram(pieces.scores, 1), _scheme(arguments["add_prefix_space"]))
    quotes = _quotes(arguments, accents=bool(arguments["keep_accents"]))
    return normalized(tokenizer, *quotes, charsmap=pieces.charsmap)


def _albert_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    ids = []
    for role in ("cls", "sep"):
        # These must be pieces: they are looked up before any token is added.
        id = roles.backend.token_to_id(roles.token(role))
        if id is None:
            raise FormatError(
                f"`{roles.token(role)}`, the {role}_token of an AlbertTokenizer, is none of the pieces"
            )
        ids.append(id)
    special = list(zip(("[CLS]", "[SEP]"), ids, strict=True))
    return TemplateProcessing(*marked("bert", "[CLS]", "[SEP]"), special)


def _barthez(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    return metaspace(
        normalized(unigram(pieces.scores, 3), *_one_line()), _scheme(arguments["add_prefix_space"])
    )


def _big_bird(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    unknown = (_text(arguments, "unk", "<unk>"), 0.0)
    unk_id = pieces.scores.index(unknown) if unknown in pieces.scores else 100
    tokenizer = normalized(unigram(pieces.scores, unk_id), normalizers.Strip(False, False), _collapse(MARK))
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def _camembert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    unknown = _text(arguments, "unk", "<unk>")
    front = [
        ("<s>NOTUSED", 0.0),
        (_text(arguments, "pad", "<pad>"), 0.0),
        ("</s>NOTUSED", 0.0),
        (unknown, 0.0),
        ("<unk>NOTUSED", -100.0),
    ]
    vocab = [*front, *pieces.scores[1:], (_text(arguments, "mask", "<mask>"), 0.0)]
    first = next((id for id, (text, _) in enumerate(vocab) if text == unknown), 0)
    tokenizer = words(unigram(vocab, first), _scheme(arguments["add_prefix_space"]))
    if pieces.charsmap:
        tokenizer.normalizer = normalizers.Precompiled(pieces.charsmap)
    return tokenizer


def _deberta(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    unknown = (_text(arguments, "unk", "[UNK]"), 0.0)
    unk_id = pieces.scores.index(unknown) if unknown in pieces.scores else pieces.unk_id
    lower: list[Normalizer] = [normalizers.Lowercase()] if arguments["do_lower_case"] else []
    tokenizer = normalized(unigram(pieces.scores, unk_id), *lower, *_one_line())
    before = [lambda: pre_tokenizers.Punctuation("isolated")] if arguments["split_by_punct"] else []
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"], "first"), *before, in_sequence=True)


def _fairseq(
    pieces: Pieces, arguments: Arguments, *behind: str, first: str = "bos"
) -> list[tuple[str, float]]:
    """The pieces behind four tokens that fairseq puts first, instead of the model's first three."""
    roles = zip((first, "pad", "eos", "unk"), _FAIRSEQ, strict=True)
    front = [_text(arguments, role, usual) for role, usual in roles]
    back = [*behind, _text(arguments, "mask", "<mask>")]
    return [*((text, 0.0) for text in front), *pieces.scores[3:], *((text, 0.0) for text in back)]


def _mbart(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    return words(unigram(_fairseq(pieces, arguments, *_MBART), 3))


def _mbart_extra(own: Extra, arguments: Arguments) -> Extra:
    del arguments
    return [*_MBART, *(token for token in own if token not in _MBART)]


def _mbart50(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    vocab = _fairseq(pieces, arguments, *_MBART50, first="cls")
    tokenizer = normalized(unigram(vocab, 3), _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def _behind(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    """The end of the text and then the language."""
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template(["$A", eos, code], ["$A", "$B", eos, code], eos, code)


def _before(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    """The language, the text, and its end."""
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template([code, "$A", eos], [code, "$A", "$B", eos], code, eos)


def _known(roles: Roles, token: str) -> str:
    """The token, or the unknown one if it is none."""
    return str(roles.backend.id_to_token(roles.id(token)))


def _nllb(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    roles = zip(("bos", "pad", "eos", "unk"), _FAIRSEQ, strict=True)
    texts = [_text(arguments, role, usual) for role, usual in roles]
    ids = {text: id for id, text in enumerate(dict.fromkeys([*texts, *(text for text, _ in pieces.scores)]))}
    tokenizer = bpe(ids, pieces.merges, _text(arguments, "unk", "<unk>"), False)
    if pieces.charsmap:
        normalized(tokenizer, _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def _nllb_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    eos, code = roles.token("eos"), arguments["src_lang"]
    if arguments["legacy_behaviour"]:
        return roles.template(["$A", eos, code], ["$A", "$B", eos, code], eos, code)
    return roles.template([code, "$A", eos], [code, "$A", "$B", eos], eos, code)


def _seamless(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    vocab = {"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3}
    vocab |= {text: id + 1 for id, (text, _) in enumerate(pieces.scores)}
    taken: dict[int, str] = {}
    for text, id in vocab.items():
        if taken.setdefault(id, text) != text:
            raise FormatError(
                f"a SeamlessM4TTokenizer has `{taken[id]}` at the id {id}, where this model puts `{text}`: "
                "it needs a model whose first pieces are `<unk>`, `<s>` and `</s>`"
            )
    tokenizer = bpe(vocab, pieces.merges, _text(arguments, "unk", "<unk>"), False)
    tokenizer.normalizer = normalizers.Sequence(
        [
            Replace(Regex(r"[\n\r\t]"), " "),
            normalizers.NFKC(),
            normalizers.Strip(False, True),
            Replace(Regex(" +▁"), MARK),
            Replace(Regex("^▁+$"), ""),
            _collapse(MARK),
        ]
    )
    return metaspace(tokenizer, "first")


def _seamless_language(name: str) -> str:
    return name if "__" in name else f"__{name}__"


def _seamless_target_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template([eos, code, "$A", eos], [eos, code, "$A", "$B", eos], eos, code)


def _pegasus(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    front = [(_text(arguments, "pad", "<pad>"), 0.0), (_text(arguments, "eos", "</s>"), 0.0)]
    # Which of the two masks comes first when the settings name none is the other way round here than below.
    masks = [_text(arguments, "mask", "<mask_1>"), str(arguments.get("mask_token_sent", "<mask_2>"))]
    front += [(mask, 0.0) for mask in dict.fromkeys(masks) if mask != "None"]
    front += [(f"<unk_{id}>", -100.0) for id in range(2, arguments.get("offset", 103))]
    vocab = [*front, *pieces.scores[2:]]
    unknown = (_text(arguments, "unk", "<unk>"), 0.0)
    if unknown not in vocab[1:]:
        raise FormatError(
            f"a PegasusTokenizer needs the piece `{unknown[0]}` with the score 0 behind the first two pieces "
            "of the model, which are replaced; this model has none there"
        )
    tokenizer = unigram(vocab, vocab.index(unknown, 1))
    if pieces.charsmap:
        normalized(tokenizer, _collapse(), charsmap=pieces.charsmap, first=True)
    else:
        normalized(tokenizer, Replace(Regex("\n"), " "), _collapse())
    return metaspace(tokenizer, "always")


def _pegasus_extra(own: Extra, arguments: Arguments) -> Extra:
    sentence = arguments.get("mask_token_sent", "<mask_1>")
    there = sentence is None or sentence in own
    front: Extra = [] if there else [sentence]
    return [*front, *(f"<unk_{id}>" for id in range(2, arguments.get("offset", 103)))]


def _pegasus_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    eos = roles.token("eos")
    return roles.template(f"$A {eos}", f"$A $B {eos}", eos)


def _reformer(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), False)
    if pieces.charsmap:
        normalized(tokenizer, _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def _rembert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    before, after = (
        _quotes({"do_lower_case": False}, accents=True),
        _quotes(arguments, accents=bool(arguments["keep_accents"]))[2:],
    )
    tokenizer = normalized(unigram(pieces.scores, 2), *before, _collapse(), *after, charsmap=pieces.charsmap)
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def _xglm(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = normalized(unigram(pieces.scores, 3), _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def _xglm_extra(own: Extra, arguments: Arguments) -> Extra:
    del arguments
    made_up = [f"<madeupword{number}>" for number in range(7)]
    return [*own, *(word for word in made_up if word not in own)]


def _xglm_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    eos = roles.token("eos")
    return roles.template(f"{eos} $A", f"{eos} $A {eos} {eos} $B", eos)


def _xlm_roberta(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = words(unigram(_fairseq(pieces, arguments), 3), _scheme(arguments["add_prefix_space"]))
    if pieces.charsmap:
        tokenizer.normalizer = normalizers.Precompiled(pieces.charsmap)
    return tokenizer


def _xlnet(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    quotes = _quotes(arguments, accents=False)
    return normalized(words(unigram(pieces.scores, pieces.unk_id)), *quotes, charsmap=pieces.charsmap)


def _tips(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    lower: list[Normalizer] = [normalizers.Lowercase()] if arguments["do_lower_case"] else []
    tokenizer = normalized(bpe(pieces.ids, pieces.merges, None, True), *lower, charsmap=pieces.charsmap)
    words(tokenizer)
    parts = [decoders.Metaspace(MARK, "always"), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence(parts)
    return tokenizer


def _generic(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    """What a class without rules of its own gives: blanks become visible, and nothing is put in front."""
    unknown = pieces.named["unk"][1]
    if pieces.unigram:
        tokenizer = unigram(pieces.scores, pieces.unk_id, pieces.byte_fallback)
    else:
        ids = _renamed(pieces.ids, arguments.get("added_tokens_decoder") or {})
        tokenizer = bpe(ids, pieces.merges, unknown, pieces.byte_fallback)
    normalized(tokenizer, Replace(" ", MARK), charsmap=pieces.charsmap, first=True)
    tokenizer.decoder = (
        _of_bytes(False) if pieces.byte_fallback else decoders.Sequence([decoders.Replace(MARK, " ")])
    )
    return tokenizer


def _renamed(ids: dict[str, int], names: Mapping[int, AddedToken]) -> dict[str, int]:
    """Pieces that only hold a place get the names that the settings give to their ids."""
    texts = {id: text for text, id in ids.items()}
    for id, token in names.items():
        if (old := texts.get(id)) and str(token) not in ids:
            ids[str(token)] = ids.pop(old)
            texts[id] = str(token)
    return ids


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
        TOKENS["LlamaTokenizer"], _llama, arguments={"legacy": False, "add_prefix_space": None}
    ),
    "CodeLlamaTokenizer": PieceClass(
        {**TOKENS["LlamaTokenizer"], **_INFILLING},
        _code_llama,
        arguments={**_SPACED, "add_bos_token": True},
        extra=lambda own, arguments: [*own, *_INFILLING.values()],
    ),
    "GemmaTokenizer": PieceClass(TOKENS["GemmaTokenizer"], _gemma),
    "T5Tokenizer": PieceClass(
        TOKENS["T5Tokenizer"], _t5, _t5_ends, arguments={"extra_ids": 100}, extra=_t5_extra
    ),
    "VideoPrismTokenizer": PieceClass(
        TOKENS["T5Tokenizer"], _t5, arguments={"extra_ids": 100}, extra=_t5_extra
    ),
    "AlbertTokenizer": PieceClass(
        TOKENS["AlbertTokenizer"], _albert, _albert_ends, ends_replaced=True, arguments=_QUOTED
    ),
    "FNetTokenizer": PieceClass(TOKENS["AlbertTokenizer"], _generic, arguments=_QUOTED, only_unigram=True),
    "BarthezTokenizer": PieceClass({**_ANGLES, "mask_token": _lstrip("<mask>")}, _barthez, arguments=_SPACED),
    "BigBirdTokenizer": PieceClass(
        {
            **{role: AddedToken(token) for role, token in _ANGLES.items()},
            "sep_token": AddedToken("[SEP]"),
            "cls_token": AddedToken("[CLS]"),
            "mask_token": _lstrip("[MASK]"),
        },
        _big_bird,
        _marked("bert", "cls", "sep"),
        arguments=_SPACED,
    ),
    "CamembertTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>", special=True)},
        _camembert,
        _usual_ends("CamembertTokenizer"),
        arguments=_SPACED,
    ),
    "DebertaV2Tokenizer": PieceClass(
        TOKENS["DebertaV2Tokenizer"],
        _deberta,
        _usual_ends("DebertaV2Tokenizer"),
        arguments={"do_lower_case": False, "split_by_punct": False, **_SPACED},
    ),
    "MBartTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>")},
        _mbart,
        _behind,
        language="en_XX",
        arguments=_LANGUAGES,
        extra=_mbart_extra,
    ),
    "MBart50Tokenizer": PieceClass(
        {
            **{role: token for role, token in _ANGLES.items() if role != "bos_token"},
            "mask_token": _lstrip("<mask>"),
        },
        _mbart50,
        _before,
        language="en_XX",
        arguments=_LANGUAGES,
        extra=lambda own, arguments: [*own, *_MBART50],
        marked=tuple(_MBART50),
    ),
    "NllbTokenizer": PieceClass(
        {**_ANGLES, "mask_token": _lstrip("<mask>", normalized=True, special=True)},
        _nllb,
        _nllb_ends,
        language="eng_Latn",
        arguments={**_LANGUAGES, "legacy_behaviour": False},
    ),
    "SeamlessM4TTokenizer": PieceClass(
        {role: token for role, token in _ANGLES.items() if role != "mask_token"},
        _seamless,
        _before,
        arguments={"src_lang": "eng", "tgt_lang": "fra"},
        language="eng",
        target_ends=_seamless_target_ends,
        spelled=_seamless_language,
    ),
    "PegasusTokenizer": PieceClass(
        {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask_2>"},
        _pegasus,
        _pegasus_ends,
        extra=_pegasus_extra,
    ),
    "ReformerTokenizer": PieceClass(
        {"eos_token": "</s>", "unk_token": "<unk>"}, _reformer, specials_again=True
    ),
    "RemBertTokenizer": PieceClass(
        TOKENS["AlbertTokenizer"],
        _rembert,
        arguments={"do_lower_case": False, "keep_accents": True, "remove_space": True, **_SPACED},
        specials_again=True,
    ),
    "XGLMTokenizer": PieceClass(
        {role: token for role, token in _ANGLES.items() if role != "mask_token"},
        _xglm,
        _xglm_ends,
        arguments=_SPACED,
        extra=_xglm_extra,
    ),
    "XLMRobertaTokenizer": PieceClass(
        _ANGLES, _xlm_roberta, _usual_ends("XLMRobertaTokenizer"), arguments=_SPACED
    ),
    "XLNetTokenizer": PieceClass(
        {**TOKENS["XLNetTokenizer"], "mask_token": _lstrip("<mask>")},
        _xlnet,
        _usual_ends("XLNetTokenizer"),
        arguments={"do_lower_case": False, "remove_space": True, "keep_accents": False},
    ),
    "Tipsv2Tokenizer": PieceClass(
        {"unk_token": "<unk>", "pad_token": "<pad>"},
        _tips,
        arguments={"do_lower_case": True, "model_max_length": 64},
    ),
}


def roles_of(name: str) -> Mapping[str, Any]:
    """The special tokens that a class has where no settings say otherwise, by its name without ``Fast``."""
    return CLASSES[name].roles if name in CLASSES else TOKENS.get(name, {})


#: What any other class gives; its special tokens are those that the model names.
GENERIC = PieceClass({}, _generic)

_OTHER_FILES = """
    Bertweet BioGpt BlenderbotSmall ByT5 CTRL Canine Clvp ConvBert CpmAnt DPRContextEncoder
    DPRQuestionEncoder DPRReader Dia Esm FSMT FastSpeech2Conformer Flaubert GPTNeoXJapanese Mgpstr MyT5
    Perceiver Phobert ProphetNet RoCBert Tapas Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC XLM
"""

#: Classes that run code of their own for each text, or SentencePiece itself with other ids.
NOT_HERE = frozenset(
    {
        "BartphoTokenizer",
        "BertGenerationTokenizer",
        "BertJapaneseTokenizer",
        "CpmTokenizer",
        "GPTSw3Tokenizer",
        "LasrTokenizer",
        "LayoutXLMTokenizer",
        "M2M100Tokenizer",
        "MLukeTokenizer",
        "MarianTokenizer",
        "PLBartTokenizer",
        "SiglipTokenizer",
        "Speech2TextTokenizer",
        "SpeechT5Tokenizer",
        "UdopTokenizer",
    }
)

#: Classes whose vocabularies are other files, so that a SentencePiece model is none of theirs.
OTHER_FILES = frozenset(
    {
        *(name for name in TOKENS if name not in CLASSES),
        *(f"{name}Tokenizer" for name in _OTHER_FILES.split()),
    }
)
