"""Words as in the Penn Treebank.

Contractions are split (``don't`` is ``do n't``, ``book's`` is ``book 's``), punctuation stands alone, the
final full stop too, and quotation marks become `````` and ``''``. The rules are those of the treebank's own
script, as the NLTK library runs them, one after the other over the whole text; each only adds spaces or
respells a quotation mark. That is why words can be found again in the text exactly, however often they occur.

Example:
    >>> from tessella.words import Treebank, treebank_join
    >>> Treebank().tokenize('He said, "I don\\'t know."')
    ['He', 'said', ',', '``', 'I', 'do', "n't", 'know', '.', "''"]
    >>> Treebank().words("the book's end.")[1:3]
    [Word(text='book', start=4, end=8), Word(text="'s", start=8, end=10)]
    >>> treebank_join(['do', "n't", 'stop', '!'])
    "don't stop!"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .. import NormalizedString, PreTokenizedString
from .._given import check_list
from .base import Span, Word, WordTokenizer, cut

_Rules = Sequence[tuple[re.Pattern[str], str]]
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
# Two words written as one: where they part, and what must follow.
_MELTED = [
    (r"\bcan", r"not\b"),
    (r"\bd", r"'ye\b"),
    (r"\bgim", r"me\b"),
    (r"\bgon", r"na\b"),
    (r"\bgot", r"ta\b"),
    (r"\blem", r"me\b"),
    (r"\bmore", r"'n\b"),
    (r"\bwan", r"na(?=\s)"),
    (r" 't", r"is\b"),
    (r" 't", r"was\b"),
]
# White space by Unicode. Python's own class has the control characters U+001C to U+001F too.
_SPACE = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_ENDINGS = ("'[sS]|'[mM]|'[dD]|'", "'ll|'LL|'re|'RE|'ve|'VE|n't|N'T")


def _compiled(rules: Iterable[tuple[str, str]]) -> _Rules:
    return [(re.compile(rule), replacement) for rule, replacement in rules]


def _joining(rules: Iterable[tuple[str, str]]) -> _Rules:
    """Rules of joining, where all white space is Unicode's; of those that cut, only the one that says so."""
    return _compiled((rule.replace(r"\s", _SPACE), replacement) for rule, replacement in rules)


# Each rule sees what the ones before it made: their order and what they consume are part of the result.
_BEFORE_BRACKETS = _compiled(
    [
        (r'^"', "``"),
        (r"``", " `` "),
        (r"""([ (\[{<])(?:"|'')""", r"\1 `` "),
        (r"([:,])(\D)", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.\.\.", " ... "),
        (r"([;@#$%&])", r" \1 "),
        # The full stop at the end of the text, before closing brackets and quotation marks.
        (rf"""([^.])\.([\])}}>"']*){_SPACE}*$""", r"\1 .\2 "),
        (r"([?!])", r" \1 "),
        (r"([^'])' ", r"\1 ' "),
        (r"([\]\[(){}<>])", r" \1 "),
    ]
)
_AFTER_BRACKETS = _compiled(
    [
        ("''", " '' "),
        ('"', " '' "),
        *((rf"([^' ])({ending}) ", r"\1 \2 ") for ending in _ENDINGS),
        *((f"(?i)({first.strip()})({second})", r" \1 \2 ") for first, second in _MELTED[:-2]),
        *((f"(?i) ('t)({second})", r" \1 \2 ") for _, second in _MELTED[-2:]),
    ]
)
_JOIN_FIRST = _joining(
    [
        *((rf"(?i) ('t)\s({second})", r"\1\2") for _, second in _MELTED[-2:]),
        *((rf"(?i)({first})\s({second})", r"\1\2") for first, second in _MELTED[:-2]),
        *((rf"([^' ])\s({ending}) ", r"\1\2 ") for ending in reversed(_ENDINGS)),
        (r"((?!\s)[^'])\s('')", r"\1\2"),
        (r"""([,.;:!?'])\s+("|'')""", r"\1\2"),
        (r"('')\s([.,:)\]>};%])", r"\1\2"),
        ("''", '"'),
        (r"""([,.;:!?])"(')""", r'\1\2"'),
    ]
)
_JOIN_LAST = _joining(
    [
        (r"([\[({<])\s", r"\1"),
        (r"\s([\])}>])", r"\1"),
        (r"([\])}>])\s([:;,.])", r"\1\2"),
        (r"([^'])\s'\s", r"\1' "),
        (r"\s([?!])", r"\1"),
        (r"""([^.])\s(\.)(?!\.)([\])}>"']*)""", r"\1\2\3"),
        (r"([#$])\s", r"\1"),
        (r"\s([;%])", r"\1"),
        (r"\s\.\.\.\s", "..."),
        (r"\s([:,])", r"\1"),
        (r"([ (\[{<])\s``", r"\1``"),
        (r"(``)\s", r"\1"),
        ("``", '"'),
    ]
)


def _apply(rules: _Rules, text: str) -> str:
    for rule, replacement in rules:
        text = rule.sub(replacement, text)
    return text


class Treebank(WordTokenizer):
    """Penn Treebank words. The text should be one sentence: only its last full stop stands alone.

    Args:
        convert_parentheses: write brackets as ``-LRB-`` and the like.

    Example:
        >>> Treebank().tokenize("They can't (yet).")
        ['They', 'ca', "n't", '(', 'yet', ')', '.']
    """

    _convert = False

    def __init__(self, convert_parentheses: bool = False) -> None:
        if convert_parentheses:
            self._convert = True

    def tokenize(self, text: str) -> list[str]:
        """The words, quotation marks and (on request) brackets respelled."""
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a str, not {type(text).__name__} {text!r:.60}")
        text = _apply(_BEFORE_BRACKETS, text)
        if self._convert:
            for bracket, name in _BRACKETS.items():
                text = text.replace(bracket, name)
        text = f" {text.replace('--', ' -- ')} "
        return _apply(_AFTER_BRACKETS, text).split()

    def words(self, text: str) -> list[Word]:
        """The words as ``tokenize`` writes them, with the characters of the text that they stand for."""
        words: list[Word] = []
        at = 0
        for token in self.tokenize(text):
            while text[at].isspace():
                at += 1
            if text.startswith(token, at) or token not in ("``", "''"):
                # A respelled bracket is one character.
                length = len(token) if text.startswith(token, at) else 1
            else:
                length = 1 if text[at] == '"' else 2
            words.append(Word(token, at, at + length))
            at += length
        return words

    def pre_tokenize(self, pretok: PreTokenizedString) -> None:
        """Cuts pieces and respells quotation marks and brackets as ``tokenize`` does; offsets are those of
        what they stand for.
        """

        def pieces(index: int, piece: NormalizedString) -> list[NormalizedString]:
            words = self.words(piece.normalized)
            made = cut(piece, [(word.start, word.end) for word in words])
            for one, word in zip(made, words, strict=True):
                if one.normalized != word.text:
                    one.replace(one.normalized, word.text)
            return made

        pretok.split(pieces)

    def spans(self, text: str) -> list[Span]:
        return [(word.start, word.end) for word in self.words(text)]


def treebank_join(tokens: Iterable[str], convert_parentheses: bool = False) -> str:
    """Text of Penn Treebank words: the spaces that a writer would put.

    The text is not always the one that the words came from: white space and kinds of quotation marks are
    gone.

    Args:
        tokens: the words.
        convert_parentheses: write ``-LRB-`` and the like as brackets.

    Example:
        >>> treebank_join(["Good", "muffins", "cost", "$", "3.88", "(", "roughly", ")", "."])
        'Good muffins cost $3.88 (roughly).'
    """
    check_list("tokens", tokens, "words")
    text = _apply(_JOIN_FIRST, f" {' '.join(tokens)} ").strip().replace(" -- ", "--")
    if convert_parentheses:
        for bracket, name in _BRACKETS.items():
            text = text.replace(name, bracket)
    return _apply(_JOIN_LAST, text).strip()
