"""Documents that are repeated, found before anything is encoded; memory does not grow with the corpus.

1. Each shard is read and each of its documents hashed: BLAKE2b of the text's UTF-8, 128 bits. Hashes become
   *runs* of at most a million, each sorted and with every hash once; what is repeated inside a run is noted.
2. Hashes are looked at in *ranges*, so narrow that what all runs have of one is some 64 MB. Of equal hashes
   the first in the order of the plan stays, the others are noted by shard.
3. Whoever makes a shard reads the numbers of its documents that are left out.

All of it are files in the work folder that depend on the inputs and the plan alone, each there as a whole or
not at all. So any number of workers, on one machine or many, finds the same, and a run that was stopped goes
on.
Two texts of a corpus of 10^12 with one hash are less likely than 10^-14.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .job import FIND, HASH, WORK, Job, Step, source_of, steps
from .manifest import parsed
from .places import Place, opened, place
from .plan import Shard
from .skipping import Skipped
from .texts import texts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


#: Documents of a run at most: 24 bytes each.
RUN = 1_000_000
#: Hashes are counted by their first 12 bits; a range is some of these buckets.
BUCKETS = 4096
SHIFT = 52
#: Bytes that the runs may have of a range.
RANGE = 64_000_000
#: The ranges, and the runs of each shard.
RANGES = f"{WORK}/repeats.json"


def record() -> np.dtype[Any]:
    """A hash in two halves, and the number of the document in its shard."""
    import numpy as np

    return np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<u8")])


def hash_name(shard: int) -> str:
    """The file that says that the documents of a shard are hashed."""
    return f"{WORK}/hashes-{shard:05}.json"


def range_name(number: int) -> str:
    """The file of what is repeated in a range of hashes."""
    return f"{WORK}/repeats-{number:05}"


def is_scratch(name: str) -> bool:
    """Whether a file in the work folder is one of these."""
    return name.startswith(("hashes-", "repeats"))


def hashed(document: Any) -> bytes:
    """The hash of a text, or of the messages of a conversation, whatever the order of their keys.

    Example:
        >>> hashed("low").hex()
        '8ebd722a18be4fffada55529f97d62d6'
    """
    if not isinstance(document, str):
        document = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(document.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def make_stage(job: Job, shard: Shard, step: Step) -> dict[str, Any]:
    """What a worker does before shards are made: hashes the documents of one, or looks at a range."""
    target = place(job.out)
    if job.stage == HASH:
        return _hash(job, target, shard, step)
    assert job.stage == FIND
    return _find(target, shard.index)


def _hash(job: Job, target: Place, shard: Shard, step: Step) -> dict[str, Any]:
    source, skipped = source_of(job), Skipped(job.settings.on_error == "skip")
    runs: list[dict[str, Any]] = []
    inputs: list[dict[str, Any]] = []
    held: list[bytes] = []
    count = 0

    def end() -> None:
        name = f"{WORK}/hashes-{shard.index:05}-{len(runs):03}"
        content, sizes = _run(held, count - len(held))
        target.write(name, content)
        runs.append({"name": name, **sizes})
        held.clear()

    for part, hashes, before in steps(shard):
        for group in texts(source, part, skipped, hashes.append, partial(_told, step, before)):
            for document in group.documents:
                held.append(hashed(document))
                count += 1
                if len(held) == RUN:
                    end()
        inputs.append({**part.told(), "sha256": hashes[-1]})
    if held or not runs:
        end()
    entry = {"shard": shard.index, "documents": count, "tokens": 0, "inputs": inputs, "runs": runs}
    target.write(hash_name(shard.index), json.dumps(entry, indent=1).encode())
    return entry


def _told(step: Step, before: int, done: int) -> None:
    step(before + done, 0)


def _run(held: list[bytes], first: int) -> tuple[bytes, dict[str, int]]:
    """A run as a file: how many records lie before each bucket, the records, numbers of repeated ones."""
    import numpy as np

    # Big-endian halves are ordered as the bytes are.
    halves = np.frombuffer(b"".join(held), ">u8").reshape(-1, 2)
    high, low = halves[:, 0].astype("<u8"), halves[:, 1].astype("<u8")
    order, again = _sorted(high, low)
    kept = np.empty(len(held) - int(again.sum()), record())
    first_ones = order[~again]
    kept["high"], kept["low"] = high[first_ones], low[first_ones]
    kept["row"] = first_ones.astype("<u8") + np.uint64(first)
    rows = np.sort(order[again]).astype("<u8") + np.uint64(first)
    edges = np.arange(BUCKETS, dtype="<u8") << np.uint64(SHIFT)
    starts = np.append(np.searchsorted(kept["high"], edges), len(kept)).astype("<u4")
    content = starts.tobytes() + kept.tobytes() + rows.astype("<u8").tobytes()
    return content, {"records": len(kept), "repeated": len(rows)}


def _sorted(high: npt.NDArray[Any], low: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """The order of hashes, equal ones as they came, and for each in it whether the one before is equal."""
    import numpy as np

    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    again = np.zeros(len(order), bool)
    again[1:] = (high[1:] == high[:-1]) & (low[1:] == low[:-1])
    return order, again


def read_hashed(target: Place, shard: int) -> dict[str, Any]:
    """What the hashing of a shard has noted."""
    found = parsed(target, hash_name(shard))
    if found is None:
        raise _gone(target, hash_name(shard))
    return found


def _gone(target: Place, name: str) -> FormatError:
    return FormatError(
        f"{target.of(name)} is gone, which says what is repeated: run again", filename=target.of(name)
    )


def ranges(target: Place, shards: Sequence[Shard]) -> list[Shard]:
    """The ranges of hashes that are looked at one by one, once all shards are hashed."""
    found = parsed(target, RANGES)
    if found is None:
        entries = [read_hashed(target, shard.index) for shard in shards]
        records = sum(run["records"] for entry in entries for run in entry["runs"])
        number = min(BUCKETS, max(1, -(-records * record().itemsize // RANGE)))
        found = {
            "cuts": [BUCKETS * at // number for at in range(number + 1)],
            "runs": [[run["name"] for run in entry["runs"]] for entry in entries],
        }
        target.write(RANGES, json.dumps(found).encode())
    return [Shard(number, ()) for number in range(len(found["cuts"]) - 1)]


def _find(target: Place, number: int) -> dict[str, Any]:
    """Looks at a range: which documents of which shard repeat one that comes before."""
    import numpy as np

    plan = parsed(target, RANGES)
    if plan is None:
        raise _gone(target, RANGES)
    low, high = plan["cuts"][number : number + 2]
    parts, owners = [], []
    for shard, names in enumerate(plan["runs"]):
        for name in names:
            parts.append(_records(target, name, low, high))
            owners.append(np.full(len(parts[-1]), shard, "<u4"))
    every = np.concatenate(parts) if parts else np.empty(0, record())
    owner = np.concatenate(owners) if owners else np.empty(0, "<u4")
    del parts, owners
    # Runs come in the order of the plan, and equal hashes stay in theirs: the first one is kept.
    order, again = _sorted(every["high"], every["low"])
    repeated = np.sort(order[again])
    starts = np.zeros(len(plan["runs"]) + 1, "<u8")
    starts[1:] = np.bincount(owner[repeated], minlength=len(plan["runs"])).cumsum()
    content = starts.tobytes() + every["row"][repeated].astype("<u8").tobytes()
    target.write(range_name(number), content)
    return {"shard": number, "documents": len(repeated), "tokens": 0}


def _records(target: Place, name: str, low: int, high: int) -> npt.NDArray[Any]:
    """What a run has of a range."""
    import numpy as np

    with opened(target.of(name)) as file:
        starts = np.frombuffer(_read(file, 0, 4 * (BUCKETS + 1)), "<u4")
        first, last = int(starts[low]), int(starts[high])
        size = record().itemsize
        return np.frombuffer(_read(file, starts.nbytes + first * size, (last - first) * size), record())


def _read(file: Any, start: int, size: int) -> bytes:
    file.seek(start)
    return b"".join(_some(file, size))


def _some(file: Any, size: int) -> Iterator[bytes]:
    while size > 0:
        content = file.read(size)
        if not content:
            raise FormatError("a file of hashes has lost its end: remove the work folder and run again")
        size -= len(content)
        yield content


def left_out(target: Place, shard: int) -> npt.NDArray[np.uint64]:
    """The numbers of the documents of a shard that repeat one that comes before, in their order."""
    import numpy as np

    plan, found = parsed(target, RANGES), []
    if plan is None:
        raise _gone(target, RANGES)
    for run in read_hashed(target, shard)["runs"]:
        with opened(target.of(run["name"])) as file:
            begin = 4 * (BUCKETS + 1) + run["records"] * record().itemsize
            found.append(np.frombuffer(_read(file, begin, 8 * run["repeated"]), "<u8"))
    head = 8 * (len(plan["runs"]) + 1)
    for number in range(len(plan["cuts"]) - 1):
        with opened(target.of(range_name(number))) as file:
            first, last = np.frombuffer(_read(file, 8 * shard, 16), "<u8").tolist()
            found.append(np.frombuffer(_read(file, head + 8 * first, 8 * (last - first)), "<u8"))
    return np.sort(np.concatenate(found)).astype(np.uint64)


def packed(rows: npt.NDArray[np.uint64]) -> bytes:
    """Numbers as a file of NumPy's."""
    import numpy as np

    file = io.BytesIO()
    np.save(file, rows.astype("<u8"))
    return file.getvalue()
