"""Other libraries, asked for the ids of texts.

Each is given the file itself, so that its own reader is part of the comparison. What a library is asked, our
tokenizer is asked in the same way: ``tiktoken`` and SentencePiece put nothing round texts.

llama.cpp reads GGUF files alone. Any other file is written as one first, so that what is compared is the
tokenizer as it is here with what llama.cpp makes of the file that it would get.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr
from typing import TYPE_CHECKING, Any, Literal

from .._files import _read_file
from .._formats import FOLDER, cut_by
from .._gguf import spells_no_specials
from .._optional import needed
from ..counting import read_texts
from ..errors import ArgumentError, TessellaError, UnsupportedError
from ..loading import load
from .golden import Mismatch, Verification
from .probes import GENERAL
from .reduce import smallest

if TYPE_CHECKING:
    from .._types import Path, Source
    from ..tokenizer import Tokenizer


#: Libraries that can be asked.
Library = Literal["tokenizers", "tiktoken", "sentencepiece", "transformers", "llama.cpp"]
LIBRARIES: tuple[Library, ...] = ("tokenizers", "tiktoken", "sentencepiece", "transformers", "llama.cpp")

Encode = Callable[[str], list[int]]


def verify(
    source: Path,
    against: Library,
    corpus: Source | None = None,
    *,
    pattern: str | None = None,
    examples: int = 5,
) -> Verification:
    """Compares the ids that a file gives here with those that its own library gives.

    Args:
        source: a file or folder that both can read.
        against: the library: ``"tokenizers"``, ``"tiktoken"``, ``"sentencepiece"``, ``"transformers"`` or
            ``"llama.cpp"``.
        corpus: texts: whatever ``count_pieces`` takes. Texts that are known to tell tokenizers apart are
            always among them.
        pattern: how a ``.tiktoken`` file's texts are cut; see ``tessella.load``.
        examples: how many texts that differ are made small and told.
    """
    if against not in LIBRARIES:
        raise ArgumentError(f"`against` must be one of {', '.join(LIBRARIES)}, found {against!r}")
    mine, its, notes = _pair(os.fspath(source), against, pattern)
    ours, theirs = _or_refusal(mine, TessellaError), _or_refusal(its, Exception)
    done = Verification(against=f"{against} gives", notes=notes)

    def differs(text: str) -> bool:
        return ours(text) != theirs(text)

    refused = 0
    for text in _all(corpus):
        done.texts += 1
        found = ours(text)
        if found == theirs(text):
            refused += isinstance(found, _Refusal)
            continue
        done.wrong += 1
        # Texts that come down to the same are told once, and are not looked for without end.
        if len(done.mismatches) < examples and done.wrong <= 4 * examples:
            short = smallest(text, differs, 400)
            if all(short != one.text for one in done.mismatches):
                done.mismatches.append(Mismatch(short, "ids", _plain(theirs(short)), _plain(ours(short))))
    if refused:
        done.notes += (f"{refused:,} of the texts are refused by both",)
    return done


class _Refusal:
    """What stands for ids where a text is refused: all refusals are alike."""

    def __init__(self, error: Exception) -> None:
        self._told = f"{type(error).__name__}: {error}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Refusal)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self._told


def _or_refusal(encode: Encode, refused: type[Exception]) -> Callable[[str], object]:
    def encoded(text: str) -> object:
        try:
            return encode(text)
        except refused as error:
            return _Refusal(error)

    return encoded


def _plain(result: object) -> object:
    return str(result) if isinstance(result, _Refusal) else result


def _all(corpus: Source | None) -> Iterable[str]:
    yield from GENERAL
    if corpus is not None:
        yield from read_texts(corpus)


def _pair(source: str, against: Library, pattern: str | None) -> tuple[Encode, Encode, tuple[str, ...]]:
    """Our encoder, theirs, and what deserves a note."""
    tokenizer = load(source, pattern)
    notes: tuple[str, ...] = ()
    if tokenizer.truncation is not None or tokenizer.padding is not None:
        # Calls of transformers switch them off, and of a text that is cut the end would not be looked at.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        notes = ("texts were compared whole, without the truncation and padding that the file sets",)
    if against == "sentencepiece" and os.path.isdir(source):
        notes += (
            f"{_piece_file(source)} was compared by itself; what the folder makes of it, or has besides, "
            "transformers knows",
        )
    return (*_encoders(tokenizer, source, against, pattern), notes)


def _encoders(
    tokenizer: Tokenizer, source: str, against: Library, pattern: str | None
) -> tuple[Encode, Encode]:
    """What our tokenizer gives for a text, and what the library does."""
    if against == "tokenizers":
        library = needed("tokenizers", "compare", "comparing with it")
        path = os.path.join(source, "tokenizer.json") if os.path.isdir(source) else source
        reference = _read_by(against, path, lambda: library.Tokenizer.from_file(path))
        reference.no_truncation()
        reference.no_padding()
        return lambda text: tokenizer.encode(text).ids, lambda text: list(reference.encode(text).ids)
    if against == "transformers":
        library = needed("transformers", "compare", "comparing with it")
        if not os.path.isdir(source):
            raise ArgumentError(f"transformers reads folders, and {source} is none")
        pretrained = _read_by(
            against, source, lambda: library.AutoTokenizer.from_pretrained(source, local_files_only=True)
        )
        return lambda text: tokenizer.encode(text).ids, lambda text: list(pretrained(text)["input_ids"])
    if against == "sentencepiece":
        library = needed("sentencepiece", "compare", "comparing with it")
        path = _piece_file(source) if os.path.isdir(source) else source
        processor = _read_by(against, path, lambda: library.SentencePieceProcessor(model_file=path))
        plain = load(path)
        return lambda text: plain.encode(text, add_special_tokens=False).ids, lambda text: list(
            processor.encode(text)
        )
    if against == "llama.cpp":
        return _llama_cpp(source, tokenizer)
    library = needed("tiktoken", "compare", "comparing with it")
    stem = os.path.basename(source).partition(".")[0]
    expression = cut_by(pattern or stem) or pattern
    if expression is None:
        raise ArgumentError(f"{source} does not say how it cuts texts: pass `pattern`")
    # It keeps a copy of every file by its name, and takes that unless it is told the hash of what is meant.
    meant = hashlib.sha256(_read_file(source)).hexdigest()
    reader = needed("tiktoken.load", "compare", "comparing with it")
    ranks = _read_by(against, source, lambda: reader.load_tiktoken_bpe(source, meant))
    encoding = library.Encoding(stem, pat_str=expression, mergeable_ranks=ranks, special_tokens={})
    return (
        lambda text: tokenizer.encode(text, add_special_tokens=False, encode_special_tokens=True).ids,
        lambda text: list(encoding.encode_ordinary(text)),
    )


def _read_by(against: str, path: str, read: Callable[[], Any]) -> Any:
    """What a library makes of a file; its own error does not always name it."""
    try:
        return read()
    except Exception as error:
        raise UnsupportedError(f"{against} does not read {path}: {error}") from error


def _piece_file(folder: str) -> str:
    """The SentencePiece model of a folder, under any of its usual names."""
    names = [name for name in FOLDER.whole if name.endswith(".model")]
    for name in names:
        if os.path.isfile(path := os.path.join(folder, name)):
            return path
    raise ArgumentError(f"{folder} has none of {', '.join(names)}, which SentencePiece could read")


def _llama_cpp(source: str, tokenizer: Tokenizer) -> tuple[Encode, Encode]:
    library = needed("llama_cpp", "llama", "comparing with llama.cpp", "llama-cpp-python")
    is_gguf = False
    if os.path.isfile(source):
        with open(source, "rb") as file:
            is_gguf = file.read(4) == b"GGUF"
    # Texts can spell control symbols there, unless they are to be taken as mere text.
    special = is_gguf or not spells_no_specials(tokenizer)
    with tempfile.TemporaryDirectory(prefix="tessella-") as folder:
        path = source
        if not is_gguf:
            path = os.path.join(folder, "written.gguf")
            with warnings.catch_warnings():
                # What they tell is what is going to be compared.
                warnings.simplefilter("ignore")
                tokenizer.save(path, format="gguf", allow_differences=True)
        said = io.StringIO()
        try:
            with redirect_stderr(said):
                model = library.Llama(model_path=path, vocab_only=True, verbose=False)
        except (ValueError, RuntimeError) as error:
            why = ": ".join([str(error), *said.getvalue().strip().splitlines()[-1:]])
            raise UnsupportedError(f"llama.cpp does not read {source}: {why}") from error

    def theirs(text: str) -> list[int]:
        # It has something to say of texts that begin with the beginning token.
        with redirect_stderr(io.StringIO()):
            return list(model.tokenize(text.encode(), add_bos=True, special=special))

    return lambda text: tokenizer.encode(text).ids, theirs
