"""Say what changed between tokenizers, and prove that nothing did.

``diff`` compares two tokenizers, ``record`` and ``verify`` hold one to what it gave before or to another
library, and ``doctor`` tells what is wrong or odd in a file or folder, and mends it.

Example:
    >>> from tessella import Tokenizer, models, prove
    >>> one = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    >>> other = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, []))
    >>> prove.diff(one, other).examples[0].text
    'ab'
"""

from ._doctor import Diagnosis, doctor
from .difference import Counted, Difference, Example, diff
from .finding import Finding
from .golden import Case, Golden, Mismatch, Verification, record
from .libraries import Library, verify
from .outcome import Outcome
from .structure import Change

__all__ = [
    "Case",
    "Change",
    "Counted",
    "Diagnosis",
    "Difference",
    "Example",
    "Finding",
    "Golden",
    "Library",
    "Mismatch",
    "Outcome",
    "Verification",
    "diff",
    "doctor",
    "record",
    "verify",
]
