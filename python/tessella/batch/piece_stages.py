"""What the classes of ``piece_classes`` make of SentencePiece models: stages, special tokens, ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
MBART50 = [*_MBART, *_MBART50_CODES.split()]


def _mapped(tokenizer: Tokenizer, pieces: Pieces) -> Tokenizer:
    """With the model's own character map, if it has one, and nothing else."""
    if pieces.charsmap:
        tokenizer.normalizer = normalizers.Precompiled(pieces.charsmap)
    return tokenizer


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


def by_roles(way: str, first: str, last: str) -> Callable[[Roles, Arguments], TemplateProcessing]:
    """Texts with the tokens of two roles at their ends."""

    def ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
        del arguments
        one, two = roles.token(first), roles.token(last)
        return roles.template(*marked(way, one, two), one, two)

    return ends


def usual_ends(name: str) -> Callable[[Roles, Arguments], TemplateProcessing]:
    """The ends of a class, as the engine knows them."""
    known = KNOWN[name].ends
    assert known is not None
    return by_roles(*known)


# The classes, each with its stages and with what stands round a text.


def llama(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    prefixed = arguments["add_prefix_space"] is None or bool(arguments["add_prefix_space"])
    tokenizer = bpe(pieces.ids, pieces.merges, None, True)
    _marked_text(tokenizer, ("always" if arguments["legacy"] else "first") if prefixed else "never")
    tokenizer.decoder = _of_bytes(prefixed)
    return tokenizer


def code_llama(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    prefixed = arguments["add_prefix_space"] is None or bool(arguments["add_prefix_space"])
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), True)
    _marked_text(tokenizer, "first" if prefixed else "never")
    tokenizer.decoder = _of_bytes(True)
    return tokenizer


INFILLING = {
    "prefix_token": "▁<PRE>",
    "middle_token": "▁<MID>",
    "suffix_token": "▁<SUF>",
    "eot_token": "▁<EOT>",
    "fill_token": "<FILL_ME>",
}


def gemma(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), True)
    tokenizer.normalizer = Replace(" ", MARK)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = _of_bytes(False)
    return tokenizer


def t5(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    sentinels = [(f"<extra_id_{id}>", 0.0) for id in reversed(range(arguments["extra_ids"]))]
    tokenizer = words(unigram([*pieces.scores, *sentinels], 2))
    return _mapped(tokenizer, pieces)


def t5_extra(own: Extra, arguments: Arguments) -> Extra:
    count = arguments["extra_ids"]
    there = sum("<extra_id_" in str(token) for token in own)
    if there and count > 0 and count != there:
        raise FormatError(
            f"`extra_ids` is {count}, but the model has {there} pieces `<extra_id_...>` of its own: "
            f"set it to {there}"
        )
    return own if there else [*own, *(f"<extra_id_{id}>" for id in range(count))]


def t5_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    return TemplateProcessing(*marked("last", "", "</s>"), [("</s>", roles.id(roles.token("eos")))])


def albert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = words(unigram(pieces.scores, 1), _scheme(arguments["add_prefix_space"]))
    quotes = _quotes(arguments, accents=bool(arguments["keep_accents"]))
    return normalized(tokenizer, *quotes, charsmap=pieces.charsmap)


def albert_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
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


def barthez(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    return metaspace(
        normalized(unigram(pieces.scores, 3), *_one_line()), _scheme(arguments["add_prefix_space"])
    )


def big_bird(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    unknown = (_text(arguments, "unk", "<unk>"), 0.0)
    unk_id = pieces.scores.index(unknown) if unknown in pieces.scores else 100
    tokenizer = normalized(unigram(pieces.scores, unk_id), normalizers.Strip(False, False), _collapse(MARK))
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def camembert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
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
    return _mapped(tokenizer, pieces)


def deberta(pieces: Pieces, arguments: Arguments) -> Tokenizer:
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


def mbart(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    return words(unigram(_fairseq(pieces, arguments, *_MBART), 3))


def mbart_extra(own: Extra, arguments: Arguments) -> Extra:
    del arguments
    return [*_MBART, *(token for token in own if token not in _MBART)]


def mbart50(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    vocab = _fairseq(pieces, arguments, *MBART50, first="cls")
    tokenizer = normalized(unigram(vocab, 3), _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def behind(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    """The end of the text and then the language."""
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template(["$A", eos, code], ["$A", "$B", eos, code], eos, code)


def before(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    """The language, the text, and its end."""
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template([code, "$A", eos], [code, "$A", "$B", eos], code, eos)


def _known(roles: Roles, token: str) -> str:
    """The token, or the unknown one if it is none."""
    return str(roles.backend.id_to_token(roles.id(token)))


def nllb(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    roles = zip(("bos", "pad", "eos", "unk"), _FAIRSEQ, strict=True)
    texts = [_text(arguments, role, usual) for role, usual in roles]
    if twice := [text for place, text in enumerate(texts) if text in texts[:place]]:
        # transformers gives it one of its places, leaves the other empty, and may put a piece there as well.
        raise FormatError(
            "an NllbTokenizer has its tokens for the beginning, for padding, for the end and for what is "
            f"unknown at the ids 0 to 3, and `{twice[0]}` is two of them ({', '.join(texts)}): correct "
            "bos_token, pad_token, eos_token or unk_token in tokenizer_config.json, or load the .model file "
            "itself for SentencePiece's ids"
        )
    ids = {text: id for id, text in enumerate(dict.fromkeys([*texts, *(text for text, _ in pieces.scores)]))}
    tokenizer = bpe(ids, pieces.merges, _text(arguments, "unk", "<unk>"), False)
    if pieces.charsmap:
        normalized(tokenizer, _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def nllb_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    eos, code = roles.token("eos"), arguments["src_lang"]
    if arguments["legacy_behaviour"]:
        return roles.template(["$A", eos, code], ["$A", "$B", eos, code], eos, code)
    return roles.template([code, "$A", eos], [code, "$A", "$B", eos], eos, code)


def seamless(pieces: Pieces, arguments: Arguments) -> Tokenizer:
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


def seamless_language(name: str) -> str:
    return name if "__" in name else f"__{name}__"


def seamless_target_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    eos, code = roles.token("eos"), _known(roles, arguments["src_lang"])
    return roles.template([eos, code, "$A", eos], [eos, code, "$A", "$B", eos], eos, code)


def pegasus(pieces: Pieces, arguments: Arguments) -> Tokenizer:
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


def pegasus_extra(own: Extra, arguments: Arguments) -> Extra:
    sentence = arguments.get("mask_token_sent", "<mask_1>")
    there = sentence is None or sentence in own
    front: Extra = [] if there else [sentence]
    return [*front, *(f"<unk_{id}>" for id in range(2, arguments.get("offset", 103)))]


def pegasus_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    eos = roles.token("eos")
    return roles.template(f"$A {eos}", f"$A $B {eos}", eos)


def reformer(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = bpe(pieces.ids, pieces.merges, _text(arguments, "unk", "<unk>"), False)
    if pieces.charsmap:
        normalized(tokenizer, _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, "always")


def rembert(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    before, after = (
        _quotes({"do_lower_case": False}, accents=True),
        _quotes(arguments, accents=bool(arguments["keep_accents"]))[2:],
    )
    tokenizer = normalized(unigram(pieces.scores, 2), *before, _collapse(), *after, charsmap=pieces.charsmap)
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def xglm(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = normalized(unigram(pieces.scores, 3), _collapse(), charsmap=pieces.charsmap, first=True)
    return metaspace(tokenizer, _scheme(arguments["add_prefix_space"]))


def xglm_extra(own: Extra, arguments: Arguments) -> Extra:
    del arguments
    made_up = [f"<madeupword{number}>" for number in range(7)]
    return [*own, *(word for word in made_up if word not in own)]


def xglm_ends(roles: Roles, arguments: Arguments) -> TemplateProcessing:
    del arguments
    eos = roles.token("eos")
    return roles.template(f"{eos} $A", f"{eos} $A {eos} {eos} $B", eos)


def xlm_roberta(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    tokenizer = words(unigram(_fairseq(pieces, arguments), 3), _scheme(arguments["add_prefix_space"]))
    return _mapped(tokenizer, pieces)


def xlnet(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    quotes = _quotes(arguments, accents=False)
    return normalized(words(unigram(pieces.scores, pieces.unk_id)), *quotes, charsmap=pieces.charsmap)


def tips(pieces: Pieces, arguments: Arguments) -> Tokenizer:
    lower: list[Normalizer] = [normalizers.Lowercase()] if arguments["do_lower_case"] else []
    tokenizer = normalized(bpe(pieces.ids, pieces.merges, None, True), *lower, charsmap=pieces.charsmap)
    words(tokenizer)
    parts = [decoders.Metaspace(MARK, "always"), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence(parts)
    return tokenizer
