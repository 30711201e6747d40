"""A small training that is watched: every step, and the corpus as it is then spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ... import decoders, models, pre_tokenizers, trainers
from ...counting import PieceCounts, count_pieces
from ...tokenizer import Tokenizer
from ...tracing import Step, Trace, _told
from ...training.marks import decoder_for
from ..work import Deadline

if TYPE_CHECKING:
    from .session import Session

TieBreak = Literal["smaller_ids", "first_seen"]


ALGORITHMS = ("bpe", "wordpiece", "unigram")
#: How texts are cut into words.
CUTS = ("blanks", "words", "bytes")
#: Pieces of the corpus that steps show, and entries of a round of dropping.
SHOWN = 60
DROPPED = 30


def train(session: Session, asked: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
    """Trains as it is asked for, keeps the tokenizer in the session, and tells the steps."""
    tokenizer, trainer = _parts(asked)
    counts = _counts(asked, tokenizer)
    found: list[dict[str, Any]] = []

    def heard(step: Step) -> None:
        deadline.check()
        told = _told(step)
        # The corpus is kept with each step as it is spelled then: only as much as is shown.
        if told.get("corpus"):
            told["corpus"] = told["corpus"][:SHOWN]
        found.append(told)

    trace = Trace(corpus_up_to=2000, dropped_up_to=DROPPED, on_step=heard, keep=False)
    tokenizer.train_from_counts(counts, trainer, trace=trace)
    words = counts.items()
    words.sort(key=lambda item: -item[1])
    name = session.add(f"{asked['algorithm']} {tokenizer.get_vocab_size()}", tokenizer)
    return {
        "name": name,
        "size": tokenizer.get_vocab_size(),
        "steps": found,
        "ended": trace.ended,
        "words": words[:SHOWN],
        "words_count": len(words),
        "occurrences": counts.total,
    }


#: Digits that are too many for a count.
DIGITS = 20


def _counts(asked: dict[str, Any], tokenizer: Tokenizer) -> PieceCounts:
    """The words of the text, or words with counts where its lines say so."""
    if asked["counted"]:
        counts = PieceCounts()
        for line in asked["text"].splitlines():
            word, _, number = line.strip().rpartition(" ")
            # Other digits, such as those of powers, are a part of the word; no count is that long.
            is_counted = number.isdecimal() and len(number) < DIGITS and bool(word)
            if line.strip():
                counts.add(*((word.strip(), int(number)) if is_counted else (line.strip(), 1)))
        return counts
    return count_pieces([asked["text"]], tokenizer)


def _parts(asked: dict[str, Any]) -> tuple[Tokenizer, Any]:
    size = asked["vocab_size"]
    first_seen: TieBreak = "first_seen" if asked["first_seen"] else "smaller_ids"
    end = asked["end_of_word"] or None
    tokenizer: Tokenizer
    trainer: Any
    if asked["algorithm"] == "bpe":
        tokenizer = Tokenizer(models.BPE(end_of_word_suffix=end))
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            tie_break=first_seen,
            end_of_word_suffix=end,
            strict_budget=False,
            show_progress=False,
        )
    elif asked["algorithm"] == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        trainer = trainers.WordPieceTrainer(
            vocab_size=size,
            tie_break=first_seen,
            score="likelihood" if asked["likelihood"] else "frequency",
            special_tokens=["[UNK]"],
            strict_budget=False,
            show_progress=False,
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(
            vocab_size=size,
            unk_token="<unk>",
            special_tokens=["<unk>"],
            strict_budget=False,
            show_progress=False,
        )
    # What the page has of an end of words is BPE's, also where another algorithm was chosen since.
    if asked["cut"] == "bytes":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoder_for(tokenizer.model, decoders.ByteLevel())
    else:
        whitespace = asked["cut"] == "blanks"
        tokenizer.pre_tokenizer = (
            pre_tokenizers.WhitespaceSplit() if whitespace else pre_tokenizers.Whitespace()
        )
        tokenizer.decoder = decoder_for(tokenizer.model)
    return tokenizer, trainer
