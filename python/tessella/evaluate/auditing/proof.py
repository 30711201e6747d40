"""Why an entry can never come out, and the proof.

- *BPE*: no merge may cross the ends of what becomes one token, so its merges are those that it has by itself,
in the
  same order. An entry that its own letters do not become is therefore never made, whatever stands around it.
- *Unigram*: a part of the best way through a text is the best way through that part. An entry that is worse
than its
  own parts is never taken.
- *WordPiece*: an entry that goes on a word comes after another, and that other must be the longest that fits.
If
  for every entry a longer one fits once the text of this one follows, it is never reached.
- *Splitters* that look at two characters only cut what they cut everywhere.
- *Bytes*: an entry of a single byte comes out for characters without an entry; where all characters with that
byte
  have one, or none exists, it does not. Bytes that are in no UTF-8 are in no text.

Where none of this holds but no text was found, the likeliest cause is told, and how many texts were tried:
that is no proof, and such entries are not called unreachable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..._chance import chance_of
from ..._vocabulary import model_state, piece_scores
from .witness import characters, is_utf8_inside

if TYPE_CHECKING:
    from ... import Tokenizer
    from ..._vocabulary import Entries


#: By how much of a score parts must be better, so that rounding cannot decide otherwise.
MARGIN = 1e-4
#: Splitters that cut between two characters, or not, whatever else stands in the text.
LOCAL = ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Digits", "CharDelimiterSplit")


@dataclass(frozen=True)
class Reason:
    """Why no text gives an entry."""

    cause: str
    proof: str
    is_proven: bool


class Prover:
    """Finds reasons, for the entries of one tokenizer."""

    def __init__(self, tokenizer: Tokenizer, entries: Entries, others: Mapping[int, str]) -> None:
        """
        Args:
            tokenizer: the tokenizer.
            entries: its vocabulary.
            others: for each byte a character that has no entry and holds it.
        """
        self._tokenizer, self._entries, self._others = tokenizer, entries, others
        self._model = tokenizer.model
        self._kind = type(self._model).__name__
        self._scores: dict[int, float] = {}
        if self._kind == "SentencePiece":
            is_unigram, scores = piece_scores(tokenizer)
            self._kind = "Unigram" if is_unigram else "BPE"
            self._scores = dict(enumerate(scores))
            self._state: dict[str, Any] = {}
        else:
            self._state = model_state(tokenizer)
            if self._kind == "Unigram":
                self._scores = {id: score for id, (_, score) in enumerate(self._state["vocab"])}
        self._letters = characters(entries)
        self._ranks: dict[tuple[str, str], int] | None = None

    def reason(self, id: int, tried: int) -> Reason:
        """Why an entry without a witness does not come out."""
        spelled = self._entries.bytes[id] or b""
        if self._entries.kinds[id] == "byte":
            return self._byte(id, spelled[0], tried)
        # An entry's bytes are those that it decodes to, which is no proof where texts are not spelled so.
        reads_bytes = self._decodes_bytes()
        if reads_bytes and self._spells_bytes() and not is_utf8_inside(spelled):
            return Reason("no text", f"the bytes {spelled.hex(' ')} stand in no UTF-8", True)
        found = {"BPE": self._bpe, "Unigram": self._unigram, "WordPiece": self._wordpiece}.get(self._kind)
        proven = found(id) if found else None
        if not reads_bytes:
            proven = proven or self._local(id)
        return proven or self._likely(id, spelled, tried)

    def _decodes_bytes(self) -> bool:
        decoder = self._tokenizer.decoder
        return decoder is not None and decoder._handle.spells_bytes()

    def _spells_bytes(self) -> bool:
        """Whether the stages before the model write a character as its bytes, as one of three shows."""
        normalizer, splitter = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        text = "€" if normalizer is None else normalizer.normalize_str("€")
        pieces = [(text, (0, 1))] if splitter is None else splitter.pre_tokenize_str(text)
        return "âĤ¬" in "".join(piece for piece, _ in pieces)

    def _byte(self, id: int, byte: int, tried: int) -> Reason:
        """An entry of one byte comes out for characters without an entry, or where a text has its name."""
        open = Reason("not found", f"none of {tried} texts gives it", False)
        if not self._is_lost_on_text(id):
            return open
        if byte in (0xC0, 0xC1) or byte >= 0xF5:
            return Reason("no text", f"the byte {byte:#04x} stands in no UTF-8", True)
        if any(self._state.get(mark) for mark in ("continuing_subword_prefix", "end_of_word_suffix")):
            # A character has other entries there, at other places of a word.
            return open
        if byte >= 0x80 and byte not in self._others:
            return Reason("own entry", "all characters with this byte have entries", True)
        if byte < 0x80 and chr(byte) in self._letters:
            shown = f"{chr(byte)!r} is the only character with this byte, and has an entry"
            return Reason("own entry", shown, True)
        return open

    def _is_lost_on_text(self, id: int) -> bool:
        """Whether a text that has the name of a byte, `<0x0A>`, does not get its entry for it."""
        if type(self._model).__name__ == "SentencePiece":
            # It looks for learned pieces only.
            return True
        found = self._bpe(id) if self._kind == "BPE" else self._unigram(id)
        return found is not None

    def _bpe(self, id: int) -> Reason | None:
        token = self._entries.tokens[id] or ""
        if self._state.get("ignore_merges") or self._state.get("dropout"):
            # A whole piece is looked up before any merge.
            return None
        prefix = self._state.get("continuing_subword_prefix")
        suffix = self._state.get("end_of_word_suffix")
        if prefix:
            return None
        parts = self._merged(token, suffix) if suffix else [one.value for one in self._model.tokenize(token)]
        if parts == [token]:
            return None
        return Reason("merge order", f"its own letters become {' + '.join(map(repr, parts))}", True)

    def _merged(self, token: str, suffix: str) -> list[str]:
        """What merges make of a token's letters; the last has the mark of the end if the token has."""
        if self._ranks is None:
            pairs = (one.split(" ", 1) if isinstance(one, str) else one for one in self._state["merges"])
            self._ranks = {(left, right): rank for rank, (left, right) in enumerate(pairs)}
        ends = token.endswith(suffix) and len(token) > len(suffix)
        letters = list(token[: -len(suffix)] if ends else token)
        if ends:
            letters[-1] += suffix
        while len(letters) > 1:
            ranked = [
                (self._ranks[pair], place)
                for place, pair in enumerate(pairwise(letters))
                if pair in self._ranks
            ]
            if not ranked:
                break
            place = min(ranked)[1]
            letters[place : place + 2] = [letters[place] + letters[place + 1]]
        return letters

    def _unigram(self, id: int) -> Reason | None:
        token = self._entries.tokens[id] or ""
        if chance_of(self._model) is not None:
            # Sampling takes worse ways too, however seldom.
            return None
        parts = self._model.tokenize(token)
        if [part.id for part in parts] == [id]:
            return None
        if any(part.id == self._entries.unknown or part.id not in self._scores for part in parts):
            return None
        own, other = self._scores[id], sum(self._scores[part.id] for part in parts)
        if "".join(part.value for part in parts) != token or other - own <= MARGIN * max(abs(own), 1):
            return None
        shown = " + ".join(repr(part.value) for part in parts)
        return Reason("score", f"{shown} have {other:.4f} together, it has {own:.4f}", True)

    def _wordpiece(self, id: int) -> Reason | None:
        token = self._entries.tokens[id] or ""
        prefix = self._state.get("continuing_subword_prefix") or ""
        if not prefix or not token.startswith(prefix) or token == prefix:
            return None
        rest = token.removeprefix(prefix)
        vocabulary = self._vocabulary()
        # One of the first entries is mostly an exception: no list of all of them is made for each.
        for one in vocabulary:
            if one != prefix and not any(one + rest[:end] in vocabulary for end in range(1, len(rest) + 1)):
                return None
        count = len(vocabulary) - (prefix in vocabulary)
        return Reason("longer match", f"after each of {count:,} entries a longer one fits", True)

    def _vocabulary(self) -> Mapping[str, int]:
        vocabulary: Mapping[str, int] = self._state["vocab"]
        return vocabulary

    def _letters_of(self, id: int) -> str:
        """An entry without the marks of its place in a word."""
        prefix = getattr(self._model, "continuing_subword_prefix", None) or ""
        suffix = getattr(self._model, "end_of_word_suffix", None) or ""
        return (self._entries.tokens[id] or "").removeprefix(prefix).removesuffix(suffix)

    def _within_word(self, id: int, text: str) -> str:
        """A text with a letter in front of what goes on a word."""
        prefix = getattr(self._model, "continuing_subword_prefix", None)
        return f"a{text}" if prefix and (self._entries.tokens[id] or "").startswith(prefix) else text

    def _local(self, id: int) -> Reason | None:
        """Whether a splitter cuts within an entry that looks at nothing but the two characters at a cut."""
        splitter = self._tokenizer.pre_tokenizer
        if splitter is None or type(splitter).__name__ not in LOCAL:
            return None
        text = (self._entries.bytes[id] or b"").decode("utf-8", "replace")
        # Marks that are read as blanks are letters to the splitter, where a text has them.
        letters = self._letters_of(id)
        if letters != text and len(splitter.pre_tokenize_str(letters)) < 2:
            return None
        pieces = splitter.pre_tokenize_str(text)
        if len(pieces) < 2:
            word = self._within_word(id, text)
            pieces = splitter.pre_tokenize_str(word)
            # What is cut from one letter may go with another; punctuation is always by itself.
            if len(pieces) < 2 or text[0].isalnum() or type(splitter).__name__ != "BertPreTokenizer":
                return None
        shown = " + ".join(repr(piece) for piece, _ in pieces[:6])
        return Reason("splitter", f"its text is always cut, into {shown}", True)

    def _likely(self, id: int, spelled: bytes, tried: int) -> Reason:
        """The first stage that does not let the text of an entry through; no proof."""
        text = self._within_word(id, spelled.decode("utf-8", "replace"))
        known = f"none of {tried} texts gives it"
        for one in self._tokenizer.get_added_tokens_decoder().values():
            if one.content and one.content in text:
                return Reason("added token", f"{one.content!r} is cut out of it first; {known}", False)
        normalizer, splitter = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        if normalizer is not None:
            normalized = normalizer.normalize_str(text)
            if text.strip() not in normalized.replace("▁", " "):
                return Reason("normaliser", f"its text becomes {normalized!r}; {known}", False)
        if splitter is not None and len(pieces := splitter.pre_tokenize_str(text)) > 1:
            shown = " + ".join(repr(piece) for piece, _ in pieces[:6])
            return Reason("splitter", f"its text is cut into {shown}; {known}", False)
        return Reason("not found", known, False)
