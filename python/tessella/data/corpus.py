"""Corpora to training files: the run from the first look at the inputs to the manifest.

1. The inputs are found and the plan is made (``plan``).
2. What lies in the folder already is compared with it (``run``): finished shards stay, anything else is
   refused.
3. An engine makes the shards that are missing (``engines``).
4. When all are there, the files that stand for all of them and the manifest are written, and the work folder
   goes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Literal

from .._given import path_name
from ..errors import ArgumentError
from ._fingerprint import fingerprint
from .found import STDIN, find
from .job import Job
from .locks import only_one
from .manifest import lost, read_manifest
from .places import place
from .plan import plan
from .result import Result
from .run import Events, Run, finish, run_in, sweep
from .settings import Format, resettle, settle

if TYPE_CHECKING:
    from .._types import AnyTokenizer, Path


def tokenize_corpus(
    inputs: Path | Iterable[Path],
    tokenizer: AnyTokenizer,
    out: Path,
    *,
    format: Format = "megatron",
    dtype: str = "auto",
    eos: str | int | None = "auto",
    bos: str | int | None = None,
    pad: str | int | None = None,
    add_special_tokens: bool = False,
    field: str | None = None,
    input_format: Literal["auto", "text", "jsonl"] = "auto",
    separator: str | None = None,
    errors: Literal["strict", "replace"] = "strict",
    on_error: Literal["raise", "skip"] = "raise",
    shard_size: int | str | None = None,
    pack: Literal["concat", "best-fit"] | None = None,
    length: int | None = None,
    shuffle: int | None = None,
    dedup: Literal["exact"] | None = None,
    mask: Literal["assistant"] | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] = "local",
    task: tuple[int, int] | None = None,
    resume: bool = True,
    on_event: Events | None = None,
) -> Result:
    """Turns a corpus into the files that a training framework reads.

    A run that was stopped, however it ended, goes on where it was when it is started again; what comes out
    is, byte for byte, what one run would have made, with any number of workers. A changed tokenizer, setting
    or input is refused.

    Args:
        inputs: files, folders, patterns (``data/*.jsonl.zst``) or URLs; ``"-"`` is standard input. Text, JSON
            lines, Parquet, Arrow and CSV, the first two and CSV also packed with gzip or zstd.
        tokenizer: a ``Tokenizer``, or what ``AutoTokenizer`` gives.
        out: the folder of the results, which is made; or a URL of object storage.
        format: who shall read the files.
        dtype: the type of numbers in files; ``"auto"`` takes the smallest of the format that holds every id.
        eos: the token, or its id, behind each document; ``"auto"`` takes the only one of the vocabulary that
            has a well-known name, and is an error where there is none or more; ``None`` puts nothing.
        bos: the token, or its id, before each document.
        pad: the token, or its id, that fills up rows of packed documents; by default that of the end, or the
            id 0 where documents have none.
        add_special_tokens: let the post-processor add its special tokens, before ``bos`` and ``eos`` are put.
        field: the key of the text in JSON lines, the column in tables; ``"text"`` by default, and
            ``"messages"`` for conversations.
        input_format: ``"text"`` or ``"jsonl"`` whatever the files' names say.
        separator: what stands between the documents of text files, ``"\\n"`` for one in each line, whether
            lines end with ``\\n`` or ``\\r\\n``; ``None`` makes every such file one document.
        errors: bytes that are not UTF-8 are an error that says where (``"strict"``), or U+FFFD
            (``"replace"``).
        on_error: a document that cannot be read or encoded (bytes that are not UTF-8, a line that is no JSON
            or has no such field, a text that the tokenizer refuses) is an error (``"raise"``), or is left out
            and listed in the manifest with its place (``"skip"``), up to 10,000 in a shard.
        shard_size: bytes of the inputs, as they lie there, that make one shard: ``"256MB"``.
        pack: put documents into rows of one length: one after the other, cut where a row ends (``"concat"``),
            or so that no document is cut that fits into a row and little is left empty (``"best-fit"``).
        length: tokens of a row.
        shuffle: a seed: documents of a shard are put into an order drawn from it.
        dedup: ``"exact"`` leaves documents out whose text another one has that comes before, in any of the
            inputs. They are found by a hash of 128 bits before anything is encoded, so that all inputs are
            read twice; hashes lie in the folder of the results meanwhile, about 24 bytes for each document,
            and memory does not grow with the corpus.
        mask: ``"assistant"`` reads conversations and marks the tokens of the assistant's turns;
            the template knows where they end, so nothing is put behind them unless ``eos`` names it.
        workers: how many cores are used, all by default.
        engine: ``"local"`` for processes of this machine; ``"ray"`` for the cluster that this process is
            connected to, whose nodes must all reach ``inputs`` and ``out`` under these names.
        task: ``(i, n)`` makes every n-th shard beginning with i, for one of n independent jobs that share a
            folder; ``merge`` ends the run when all are through.
        resume: go on with what is there; ``False`` replaces it, and is not for jobs that share a folder.
        on_event: is called with what happens, as plain data.

    Example:
        >>> import os, tempfile
        >>> from tessella import Tokenizer, models, pre_tokenizers
        >>> import tessella.data
        >>> tokenizer = Tokenizer(models.WordLevel({"low": 0, "lower": 1, "</s>": 2}))
        >>> tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     texts, out = os.path.join(folder, "texts.txt"), os.path.join(folder, "out")
        ...     with open(texts, "w") as file:
        ...         _ = file.write("low lower\\nlow\\n")
        ...     made = tessella.data.tokenize_corpus(texts, tokenizer, out, separator="\\n")
        ...     print(made)
        ...     [ids.tolist() for ids in tessella.data.open(out).documents]
        2 documents, 5 tokens in 1 shard, megatron uint16
        [[0, 1, 2], [0, 2]]
    """
    settings = settle(**locals())
    if task is not None and not resume:
        raise ArgumentError(
            "jobs that share a folder do not begin it anew (resume=False, --anew): each would remove what "
            f"the others have made. Remove {os.fsdecode(out)} before the first one starts, or name another"
        )
    target = place(path_name("out", out, "a folder for the results"))
    job = Job(tokenizer, fingerprint(tokenizer), settings, target.path)
    found = find(inputs, target.path)
    if dedup is not None and any(one.path == STDIN for one in found):
        raise ArgumentError("`dedup` reads all inputs twice, which standard input cannot be: give files")
    shards = plan(found, settings.shard_size, settings.has_lines)
    run = Run(job, shards, target, on_event or (lambda event: None))
    return run.go(workers, engine, _checked(task), resume)


def pack_corpus(
    path: Path,
    out: Path,
    *,
    length: int | None = None,
    pack: Literal["concat", "best-fit"] | None = "best-fit",
    format: Format = "parquet",
    dtype: str = "auto",
    pad: int | None = None,
    shuffle: int | None = None,
    across: bool = False,
    workers: int | None = None,
    resume: bool = True,
    on_event: Events | None = None,
) -> Result:
    """Writes token files again, packed into rows of one length, or for another reader; nothing is encoded
    again.

    A run that was stopped goes on where it was, as with ``tokenize_corpus``.

    Args:
        path: a folder that ``tokenize_corpus`` has made.
        out: the folder of the results.
        length: tokens of a row; ``None`` where nothing is packed.
        pack: how documents are put into rows, as for ``tokenize_corpus``; ``None`` leaves them as they are.
        format: who shall read the files.
        dtype: the type of numbers in files.
        pad: the id that fills rows up; by default that behind documents, or 0 where there is none.
        shuffle: a seed: documents of a shard are put into an order drawn from it.
        across: draw the order over the documents of all shards. It is computed and not stored, so a corpus of
            any size needs no memory for it but eight bytes for each document; they are read one by one
            wherever they lie, which wants a disk without a head to move.
        workers: how many cores are used, all by default.
        resume: go on with what is there; ``False`` replaces it.
        on_event: is called with what happens, as plain data.
    """
    from .tokens import drawn_shards, shards_of

    corpus, found = shards_of(path)
    settings = resettle(
        corpus.settings,
        format,
        dtype=dtype,
        pad=pad,
        pack=pack,
        length=length,
        shuffle=shuffle,
        across=across,
    )
    target = place(path_name("out", out, "a folder for the results"))
    job = Job(None, corpus.manifest["tokenizer"], settings, target.path)
    # One shard for each of the source's, whatever its size.
    shards = drawn_shards(corpus) if across else plan(found, -1, False)
    return Run(job, shards, target, on_event or (lambda event: None)).go(workers, "local", None, resume)


def _checked(task: tuple[int, int] | None) -> tuple[int, int] | None:
    if task is None:
        return None
    try:
        number, tasks = map(index, task)
    except (TypeError, ValueError):
        number = tasks = 0
    if not 0 <= number < tasks:
        raise ArgumentError(f"`task` must be a pair of a number from 0 and a larger one, found {task!r}")
    return number, tasks


def merge(out: Path) -> Result:
    """Ends a run that independent jobs have made (``task``): checks that all shards are there, writes the
    manifest.

    Args:
        out: the folder of the results.
    """
    target = place(path_name("out", out, "a folder for the results"))
    complete = read_manifest(target)
    if complete is not None:
        if gone := lost(target, complete):
            raise ArgumentError(
                f"{target.path} was complete, but has lost {gone[0]}, or its end: run the tasks again"
            )
        sweep(target)
        return Result.of(target, complete)
    run_in(target)  # before the lock, which would make the folder
    with only_one(target, "merge"):
        return Result.of(target, finish(target))
