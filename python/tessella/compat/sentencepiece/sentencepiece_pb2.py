"""The messages that describe a segmentation, under the name of the original's module.

They are those that calls with ``out_type="proto"`` give, and need no protobuf.
"""

from ._messages import NBestSentencePieceText, SentencePieceText

__all__ = ["NBestSentencePieceText", "SentencePieceText"]
