"""SentencePiece's Python interface on Tessella's engine.

Change the import, keep the calls; names, arguments, results and exceptions are those of sentencepiece 0.2.3::

    import tessella.compat.sentencepiece as spm

Example:
    >>> import io
    >>> import tessella.compat.sentencepiece as spm
    >>> model = io.BytesIO()
    >>> spm.SentencePieceTrainer.train(
    ...     sentence_iterator=iter(["to be or not to be", "that is the question"]),
    ...     model_writer=model, model_type="bpe", vocab_size=24,
    ... )
    >>> processor = spm.SentencePieceProcessor(model_proto=model.getvalue())
    >>> processor.encode("to be", out_type=str)
    ['▁to', '▁be']
    >>> processor.decode(processor.encode("to be"))
    'to be'

What differs: training gives the same model for any number of threads; messages (``out_type="proto"``) are
light classes of this package and need no protobuf; conversion to flatbuffers is not offered.
"""

from ._errors import PieceIndexError, SentencePieceError
from ._messages import NBestSentencePieceText, SentencePieceText
from ._normalizer import SentencePieceNormalizer
from ._processor import SentencePieceProcessor
from ._settings import (
    ConvertToFlatbuffer,
    SetDataDir,
    SetMinLogLevel,
    SetNBestTimeout,
    SetRandomGeneratorSeed,
    convert_to_flatbuffer,
    set_data_dir,
    set_min_log_level,
    set_nbest_timeout,
    set_random_generator_seed,
)
from ._threads import ThreadPool
from ._trainer import SentencePieceTrainer

#: The version of the original whose interface and results these are.
__version__ = "0.2.3"

__all__ = [
    "ConvertToFlatbuffer",
    "NBestSentencePieceText",
    "PieceIndexError",
    "SentencePieceError",
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceText",
    "SentencePieceTrainer",
    "SetDataDir",
    "SetMinLogLevel",
    "SetNBestTimeout",
    "SetRandomGeneratorSeed",
    "ThreadPool",
    "convert_to_flatbuffer",
    "set_data_dir",
    "set_min_log_level",
    "set_nbest_timeout",
    "set_random_generator_seed",
]
