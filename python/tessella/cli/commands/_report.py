"""What `tessella train` tells at its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..._vocabulary import unknown_id
from .. import terminal

if TYPE_CHECKING:
    from ...counting import PieceCounts
    from ...tokenizer import Tokenizer


#: The most frequent pieces that tell how often tokens are used.
PIECES = 50_000
SHOWN = 6
#: Characters of a token that are shown.
LONG = 60


def report(tokenizer: Tokenizer, counts: PieceCounts, aside: Aside, name: str, seconds: float) -> str:
    """Size, coverage, efficiency, and the tokens at the edges."""
    learned_from = f"{len(counts):,} different pieces, {counts.total:,} occurrences"
    size = f"{terminal.bold(name)}: {tokenizer.get_vocab_size():,} tokens"
    lines = [f"{size} from {learned_from}, in {seconds:.1f} s"]
    lines += efficiency(tokenizer, aside)
    lines += _edges(tokenizer, counts)
    return "\n".join(lines)


#: Bytes of text that are kept aside at most.
ASIDE = 2 << 20


class Aside:
    """Texts to measure on, as many as fit, and whether there were more."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts: list[str] = []
        self.is_part = False
        #: What to do where nothing was kept.
        self.instead = "give --held-out FILE, or a smaller --hold-out"
        self._size = 0
        for text in texts:
            self.keep(text)
            if self.is_part:
                break

    def keep(self, text: str) -> None:
        """Keeps a text if there is room."""
        if self._size >= ASIDE:
            self.is_part = True
            return
        self.texts.append(text)
        self._size += len(text.encode("utf-8", "surrogatepass"))


def efficiency(tokenizer: Tokenizer, kept: Aside) -> list[str]:
    """How well the tokenizer does on texts that it has not seen."""
    aside = kept.texts
    if not aside:
        return [f"no text was kept aside to measure on: {kept.instead}"]
    ragged = tokenizer.encode_ids_batch(aside, add_special_tokens=False)
    size, tokens = sum(len(text.encode()) for text in aside), len(ragged.ids)
    words = sum(len(text.split()) for text in aside)
    unknown = unknown_id(tokenizer)
    missed = 0 if unknown is None else int((ragged.ids == unknown).sum())
    used = len(set(ragged.ids.tolist()))
    number = "1 text" if len(aside) == 1 else f"{len(aside):,} texts"
    return [
        f"on {'the first ' if kept.is_part else ''}{terminal.size(size)} that it has not seen ({number}):",
        f"  bytes per token  {size / max(tokens, 1):.2f}",
        f"  tokens per word  {tokens / max(words, 1):.2f}",
        f"  coverage         {terminal.share(tokens - missed, tokens)} of the tokens are known",
        f"  tokens in use    {used:,} ({terminal.share(used, tokenizer.get_vocab_size())} of the vocabulary)",
    ]


def _edges(tokenizer: Tokenizer, counts: PieceCounts) -> list[str]:
    """The longest tokens, and those that the frequent pieces need least."""
    vocab = tokenizer.get_vocab(with_added_tokens=False)
    added = tokenizer.get_added_tokens_decoder()
    learned = [token for token, id in vocab.items() if id not in added]
    longest = sorted(learned, key=lambda token: (-len(token), token))[:SHOWN]
    used = dict.fromkeys(learned, 0)
    model = tokenizer.model
    pieces = counts.top(PIECES)
    for piece, count in pieces:
        for token in model.tokenize(piece):
            if token.value in used:
                used[token.value] += count
    counted = sorted((count, token) for token, count in used.items() if len(token) > 1)
    unused = [token for count, token in counted if count == 0]
    rare = [(count, token) for count, token in counted if count][:SHOWN]
    spelled = tokenizer.decoder is not None and tokenizer.decoder._handle.spells_bytes()

    def shown_as(token: str) -> str:
        """A token; where bytes are spelled out, the text that it stands for, if it stands for one."""
        text = tokenizer.decode([vocab[token]], skip_special_tokens=False) if spelled else ""
        text = token if not text or "\ufffd" in text else text
        return terminal.quoted(text if len(text) <= LONG else f"{text[:LONG]}…")

    lines = ["longest tokens: " + "  ".join(map(shown_as, longest))]
    where = f"the {PIECES:,} most frequent pieces" if len(counts) > PIECES else "the pieces"
    if rare:
        shown = "  ".join(f"{shown_as(token)} {count:,}" for count, token in rare)
        lines.append(f"rarest tokens in {where}: {shown}")
    if unused:
        shown = "  ".join(map(shown_as, unused[:SHOWN]))
        lines.append(f"tokens in none of them: {len(unused):,}, such as {shown}")
    return lines
