"""Names for what can be encoded."""

from __future__ import annotations

from typing import List, Tuple, Union  # noqa: UP035  (evaluated at run time, also on Python 3.10)

#: Start and end.
Offsets = Tuple[int, int]  # noqa: UP006
#: One text.
TextInputSequence = str
#: One text that is cut into words already.
PreTokenizedInputSequence = Union[List[str], Tuple[str, ...]]  # noqa: UP006, UP007
#: A text or a pair of texts.
TextEncodeInput = Union[  # noqa: UP007
    TextInputSequence,
    Tuple[TextInputSequence, TextInputSequence],  # noqa: UP006
    List[TextInputSequence],  # noqa: UP006
]
#: A list of words or a pair of them.
PreTokenizedEncodeInput = Union[  # noqa: UP007
    PreTokenizedInputSequence,
    Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence],  # noqa: UP006
    List[PreTokenizedInputSequence],  # noqa: UP006
]
#: One sequence of either kind.
InputSequence = Union[TextInputSequence, PreTokenizedInputSequence]  # noqa: UP007
#: Whatever ``encode`` takes.
EncodeInput = Union[TextEncodeInput, PreTokenizedEncodeInput]  # noqa: UP007
