"""Blanks as characters: the recipes that follow SentencePiece.

All but Llama 2 learn with Unigram. SentencePiece's compiled normalization rules belong to each published
model; a recipe uses their parts instead, ``Nmt`` and ``NFKC``, unless it is given a model's own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _tessella
from .._ends import marked, round_each
from .._vocabulary import BYTE_TOKENS
from ..decoders import ByteFallback, Fuse, Strip
from ..decoders import Metaspace as MetaspaceDecoder
from ..decoders import Replace as ReplaceDecoder
from ..decoders import Sequence as Decoders
from ..models import BPE, Model, Unigram
from ..normalizers import NFKC, NFKD, Lowercase, Nmt, Normalizer, Precompiled, Prepend, Replace, StripAccents
from ..normalizers import Sequence as Normalizers
from ..pre_tokenizers import Digits, Metaspace, Split, WhitespaceSplit
from ..pre_tokenizers import Sequence as PreTokenizers
from ..processors import PostProcessor
from ..tokenizer import Tokenizer
from ..tokens import AddedToken
from ..trainers import BpeTrainer, Trainer, UnigramTrainer
from .recipe import Ids, Recipe, special, template
from .wordpiece import ENDS

if TYPE_CHECKING:
    from .._types import PrependScheme


def _rules(charsmap: bytes | None) -> list[Normalizer]:
    return [Nmt(), NFKC()] if charsmap is None else [Precompiled(charsmap)]


def single_blanks() -> Normalizer:
    """Makes one blank of several."""
    return Replace(_tessella.Regex(" {2,}"), " ")


def _quotes() -> list[Normalizer]:
    """The quotes of typewriters' and of typesetters' habits as one."""
    return [Replace("``", '"'), Replace("''", '"')]


def blanks(tokenizer: Tokenizer, mark: str = "▁", in_front: bool = True, words: bool = False) -> None:
    """Blanks as marks, with one in front of a text, and with ``words`` in front of every word."""
    scheme: PrependScheme = "always" if in_front else "never"
    marked = Metaspace(mark, scheme)
    tokenizer.pre_tokenizer = PreTokenizers([WhitespaceSplit(), marked]) if words else marked
    tokenizer.decoder = MetaspaceDecoder(mark, scheme)


def _unigram(
    name: str,
    summary: str,
    vocab_size: int,
    normalizer: Normalizer,
    first: list[AddedToken],
    ends: Callable[[Ids], PostProcessor],
    last: tuple[AddedToken, ...] = (),
    *,
    words: bool = True,
) -> Recipe:
    def stages(tokenizer: Tokenizer) -> None:
        tokenizer.normalizer = normalizer
        blanks(tokenizer, words=words)

    def trainer(size: int, **options: Any) -> Trainer:
        return UnigramTrainer(vocab_size=size, **options)

    return Recipe(
        name=name,
        summary=summary,
        vocab_size=vocab_size,
        first=tuple(first),
        last=last,
        model=Unigram,
        stages=stages,
        make_trainer=trainer,
        fixed={"unk_token": "<unk>"},
        template=ends,
    )


def _t5(charsmap: bytes | None = None) -> Recipe:
    return _unigram(
        "t5",
        "T5: Unigram over words with their leading blank, 100 tokens for gaps",
        32_100,
        Normalizers(_rules(charsmap)),
        [special(token) for token in ("<pad>", "</s>", "<unk>")],
        template(marked("last", "", "</s>"), "</s>"),
        # The highest id is that of the first gap.
        tuple(special(f"<extra_id_{n}>") for n in reversed(range(100))),
    )


def _albert(charsmap: bytes | None = None) -> Recipe:
    rules = [*_quotes(), NFKD(), StripAccents(), Lowercase(), *_rules(charsmap)]
    return _unigram(
        "albert",
        "ALBERT: Unigram without case and accents, BERT's template",
        30_000,
        Normalizers(rules),
        [special(token) for token in ("<pad>", "<unk>", "[CLS]", "[SEP]")] + [special("[MASK]", lstrip=True)],
        ENDS,
    )


def _fnet(charsmap: bytes | None = None) -> Recipe:
    return _unigram(
        "fnet",
        "FNet: Unigram with case and accents, runs of blanks as one, BERT's template",
        32_000,
        Normalizers([*_quotes(), *_rules(charsmap), single_blanks()]),
        [special(token) for token in ("<pad>", "<unk>", "[CLS]", "[SEP]")] + [special("[MASK]", lstrip=True)],
        ENDS,
        words=False,
    )


def _xlnet(charsmap: bytes | None = None) -> Recipe:
    rules = [*_quotes(), NFKD(), StripAccents(), *_rules(charsmap)]
    tokens = "<unk> <s> </s> <cls> <sep> <pad> <mask> <eod> <eop>"
    return _unigram(
        "xlnet",
        "XLNet: Unigram with case, special tokens at the end",
        32_000,
        Normalizers(rules),
        [special(token) for token in tokens.split()],
        template(marked("behind", "<cls>", "<sep>"), "<sep>", "<cls>"),
    )


def _camembert(charsmap: bytes | None = None) -> Recipe:
    return _unigram(
        "camembert",
        "CamemBERT: Unigram with case and accents, RoBERTa's template",
        32_005,
        Normalizers(_rules(charsmap)),
        [special(token) for token in ("<s>", "<pad>", "</s>", "<unk>")] + [special("<mask>", lstrip=True)],
        template(marked("two", "<s>", "</s>"), "<s>", "</s>"),
    )


def _llama2() -> Recipe:
    def stages(tokenizer: Tokenizer) -> None:
        tokenizer.normalizer = Normalizers([Prepend("▁"), Replace(" ", "▁")])
        tokenizer.decoder = Decoders(
            [ReplaceDecoder("▁", " "), ByteFallback(), Fuse(), Strip(content=" ", left=1, right=0)]
        )

    def for_counting(tokenizer: Tokenizer) -> None:
        # Nothing is learned across words or next to digits; so whole texts, as they are encoded, come out the
        # same as words.
        tokenizer.pre_tokenizer = PreTokenizers(
            [Split(_tessella.Regex("▁+[^▁]*"), "isolated"), Digits(individual_digits=True)]
        )

    def complete(model: Model) -> Model:
        from json import loads

        learned = loads(Tokenizer(model).to_str())["model"]
        first = {token: id for token, id in learned["vocab"].items() if id < 3}
        vocab = first | {token: len(first) + place for place, token in enumerate(BYTE_TOKENS)}
        for token, _ in sorted(learned["vocab"].items(), key=lambda pair: pair[1]):
            vocab.setdefault(token, len(vocab))
        merges = [tuple(merge) for merge in learned["merges"]]
        return BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)

    def trainer(vocab_size: int, **options: Any) -> Trainer:
        return BpeTrainer(vocab_size=vocab_size, **options)

    return Recipe(
        name="llama2",
        summary="Llama 2: pairs over words with their leading blank, digits one by one, bytes for the rest",
        vocab_size=32_000,
        first=tuple(special(token) for token in ("<unk>", "<s>", "</s>")),
        last=(),
        model=lambda: BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
        stages=stages,
        make_trainer=trainer,
        template=template(round_each("<s>", None), "<s>"),
        for_counting=for_counting,
        complete=complete,
        completed=len(BYTE_TOKENS),
    )


WITH_CHARSMAP: tuple[Callable[..., Recipe], ...] = (_t5, _albert, _fnet, _xlnet, _camembert)

RECIPES: dict[str, Callable[..., Recipe]] = {
    "albert": _albert,
    "camembert": _camembert,
    "fnet": _fnet,
    "llama2": _llama2,
    "t5": _t5,
    "xlnet": _xlnet,
}
