"""Byte-level pairs: every text can be written, whatever was learned.

They differ in how text is cut before bytes are joined: GPT-2's expression, its successors' (``cl100k``, which
Llama 3 follows, and ``o200k``), digits one by one for code and science, and CLIP's lower case words with
their ends marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import _tessella
from .._ends import round_each
from ..decoders import ByteLevel as ByteLevelDecoder
from ..models import BPE
from ..normalizers import NFC, Lowercase, Replace
from ..normalizers import Sequence as Normalizers
from ..pre_tokenizers import ByteLevel, Digits, PreTokenizer, Punctuation, Split
from ..pre_tokenizers import Sequence as PreTokenizers
from ..processors import ByteLevel as ByteLevelProcessor
from ..processors import PostProcessor, RobertaProcessing
from ..processors import Sequence as Processors
from ..tokenizer import Tokenizer
from ..trainers import BpeTrainer, Trainer
from .recipe import Ids, Recipe, special, template

CLIP = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d"
    r"|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)


def _trainer(vocab_size: int, **options: Any) -> Trainer:
    options.setdefault("initial_alphabet", ByteLevel.alphabet())
    return BpeTrainer(vocab_size=vocab_size, **options)


def stages(
    tokenizer: Tokenizer,
    *before: PreTokenizer,
    add_prefix_space: bool = False,
    trim_offsets: bool = True,
    use_regex: bool = True,
) -> None:
    """Text is cut by these, then as ``ByteLevel`` with these options cuts it, and becomes bytes."""
    last = ByteLevel(add_prefix_space, trim_offsets, use_regex)
    tokenizer.pre_tokenizer = PreTokenizers([*before, last]) if before else last
    tokenizer.decoder = ByteLevelDecoder()


def _by(expression: str) -> PreTokenizer:
    return Split(_tessella.Regex(expression), "isolated")


def _gpt2() -> Recipe:
    return Recipe(
        name="gpt2",
        summary="GPT-2: byte-level pairs over words with their leading blank",
        vocab_size=50_257,
        first=(),
        last=(special("<|endoftext|>"),),
        model=BPE,
        stages=stages,
        make_trainer=_trainer,
        template=lambda ids: ByteLevelProcessor(trim_offsets=False),
    )


def _roberta() -> Recipe:
    def ends(ids: Ids) -> PostProcessor:
        return RobertaProcessing(
            ("</s>", ids("</s>")), ("<s>", ids("<s>")), trim_offsets=True, add_prefix_space=False
        )

    return Recipe(
        name="roberta",
        summary="RoBERTa: GPT-2's pieces, special tokens for pairs and masks",
        vocab_size=50_265,
        first=tuple(special(token) for token in ("<s>", "<pad>", "</s>", "<unk>")),
        last=(special("<mask>", lstrip=True),),
        model=BPE,
        stages=stages,
        make_trainer=_trainer,
        template=ends,
    )


def _clip() -> Recipe:
    def clip_stages(tokenizer: Tokenizer) -> None:
        tokenizer.normalizer = Normalizers([NFC(), Replace(_tessella.Regex(r"\s+"), " "), Lowercase()])
        stages(tokenizer, Split(_tessella.Regex(CLIP), "removed", invert=True))

    def ends(ids: Ids) -> PostProcessor:
        sep, cls = "<|endoftext|>", "<|startoftext|>"
        return RobertaProcessing((sep, ids(sep)), (cls, ids(cls)), trim_offsets=False, add_prefix_space=False)

    return Recipe(
        name="clip",
        summary="CLIP: lower case words, ends of words marked, digits one by one",
        vocab_size=49_408,
        first=(),
        last=(special("<|startoftext|>"), special("<|endoftext|>")),
        model=lambda: BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"),
        stages=clip_stages,
        make_trainer=_trainer,
        fixed={"end_of_word_suffix": "</w>"},
        template=ends,
        # Every byte also as the end of a word.
        always=tuple(sorted(ByteLevel.alphabet())),
    )


def _ranked(name: str, summary: str, encoding: str, vocab_size: int) -> Recipe:
    """A published encoding: ranks are ids, special tokens come behind."""
    _, pattern, specials = _tessella.encoding(encoding, 0)
    return Recipe(
        name=name,
        summary=summary,
        vocab_size=vocab_size,
        first=(),
        last=tuple(special(token) for token, _ in specials),
        model=lambda: BPE(ignore_merges=True),
        stages=lambda tokenizer: stages(tokenizer, _by(pattern), trim_offsets=False, use_regex=False),
        make_trainer=_trainer,
    )


def _cl100k() -> Recipe:
    return _ranked(
        "cl100k", "cl100k: byte-level pairs, numbers of up to three digits", "cl100k_base", 100_261
    )


def _o200k() -> Recipe:
    summary = "o200k: byte-level pairs, words cut by case, numbers of up to three digits"
    return _ranked("o200k", summary, "o200k_base", 200_000)


def _llama3() -> Recipe:
    begin = "<|begin_of_text|>"
    begun = template(round_each(begin, None), begin)
    _, pattern, specials = _tessella.encoding("llama3", 0)
    return Recipe(
        name="llama3",
        summary="Llama 3: byte-level pairs, numbers of up to three digits, a token that begins the text",
        vocab_size=128_256,
        first=(),
        last=tuple(special(token) for token, _ in specials),
        model=lambda: BPE(ignore_merges=True),
        stages=lambda tokenizer: stages(tokenizer, _by(pattern), use_regex=False),
        make_trainer=_trainer,
        template=lambda ids: Processors([ByteLevelProcessor(trim_offsets=False), begun(ids)]),
    )


def _starcoder2() -> Recipe:
    pull = (
        "<pr> <pr_status> <pr_is_merged> <pr_base> <pr_file> <pr_base_code> <pr_diff> <pr_diff_hunk>"
        " <pr_comment> <pr_event_id> <pr_review> <pr_review_state> <pr_review_comment>"
        " <pr_in_reply_to_review_id> <pr_in_reply_to_comment_id> <pr_diff_hunk_comment_line>"
    )
    tokens = (
        "<|endoftext|> <fim_prefix> <fim_middle> <fim_suffix> <fim_pad> <repo_name> <file_sep>"
        " <issue_start> <issue_comment> <issue_closed>"
        " <jupyter_start> <jupyter_text> <jupyter_code> <jupyter_output> <jupyter_script> <empty_output>"
        f" <code_to_intermediate> <intermediate_to_code> {pull} <NAME> <EMAIL> <KEY> <PASSWORD>"
    )
    return Recipe(
        name="starcoder2",
        summary="StarCoder 2: byte-level pairs for code, digits one by one, tokens for files and gaps",
        vocab_size=49_152,
        first=tuple(special(token) for token in tokens.split()),
        last=(),
        model=lambda: BPE(unk_token="<|endoftext|>"),
        stages=lambda tokenizer: stages(tokenizer, Digits(individual_digits=True)),
        make_trainer=_trainer,
    )


#: What `mark_sequences` puts in front of each character of a sequence, and the splitter takes away.
MARK = "SPL1T-TH1S-Pl3A5E"
_SEQUENCE = re.compile(r"(\[START_(DNA|SMILES|I_SMILES|AMINO)\])(.*?)(\[END_\2\])", re.DOTALL)


def mark_sequences(text: str) -> str:
    """Marks the characters of molecules, proteins and DNA, so that they are never joined.

    Texts for the ``galactica`` recipe go through this before they are encoded; training does it by itself.
    A sequence stands between ``[START_SMILES]`` and ``[END_SMILES]``, and so for ``I_SMILES``, ``AMINO`` and
    ``DNA``.

    Example:
        >>> from tessella import recipes
        >>> tokenizer = recipes.get("galactica").train(["CCO, CCO, CCO"] * 9, vocab_size=290)
        >>> tokenizer.encode(recipes.mark_sequences("CCO [START_SMILES]CCO[END_SMILES]")).tokens
        ['CCO', 'Ġ', '[START_SMILES]', 'C', 'C', 'O', '[END_SMILES]']
    """

    def marked(found: re.Match[str]) -> str:
        start, _, content, end = found.groups()
        return start + "".join(MARK + character for character in content) + end

    return _SEQUENCE.sub(marked, text)


def _galactica() -> Recipe:
    def galactica_stages(tokenizer: Tokenizer) -> None:
        cuts = Split(MARK, "removed"), Digits(individual_digits=True), Punctuation("isolated")
        stages(tokenizer, *cuts)

    pairs = [
        f"[{edge}_{what}]"
        for what in ("REF", "SUP", "SUB", "DNA", "AMINO", "SMILES", "I_SMILES")
        for edge in ("START", "END")
    ]
    others = ["[IMAGE]", "<fragments>", "</fragments>", "<work>", "</work>"]
    tokens = ["<unk>", "<s>", "<pad>", "</s>", *others, *pairs]
    return Recipe(
        name="galactica",
        summary="Galactica: science; digits one by one, tokens for citations, molecules, proteins and DNA",
        vocab_size=50_000,
        first=tuple(special(token) for token in tokens),
        last=(),
        model=lambda: BPE(unk_token="<unk>"),
        stages=galactica_stages,
        make_trainer=_trainer,
        prepare=mark_sequences,
    )


RECIPES: dict[str, Callable[..., Recipe]] = {
    "cl100k": _cl100k,
    "clip": _clip,
    "galactica": _galactica,
    "gpt2": _gpt2,
    "llama3": _llama3,
    "o200k": _o200k,
    "roberta": _roberta,
    "starcoder2": _starcoder2,
}
