"""Processes that are killed while they write leave the older files or the newer ones, whole.

``TESSELLA_KILLS`` says how often each writer is killed, 4 by default.
"""

import contextlib
import fcntl
import os
import random
import shutil
import signal
import time

import killed
import pytest
import tessella
from tessella import PieceCounts

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals and locks of Unix")

KILLS = int(os.environ.get("TESSELLA_KILLS", "4"))


def states(case, folder):
    """What a user sees of each of the two states when nobody is killed."""
    seen = []
    for state in (0, 1):
        alone = folder / f"alone{state}"
        alone.mkdir()
        case.write(alone, state)
        seen.append(case.read(alone))
    assert seen[0] != seen[1]
    return seen


def own(folder):
    """Files that are on their way to a name, and folders of counts."""
    return [str(path) for path in folder.rglob("*") if ".tessella" in path.name]


@pytest.mark.parametrize("name", killed.CASES)
def test_a_killed_writer_leaves_one_state_or_the_other(name, tmp_path):
    case = killed.CASES[name]
    expected = states(case, tmp_path)
    folder = tmp_path / "folder"
    folder.mkdir()
    case.write(folder, 0)
    started = time.perf_counter()
    case.write(folder, 1)
    once = time.perf_counter() - started
    rng = random.Random(name)
    reached = set()
    for _ in range(KILLS):
        if not (writer := os.fork()):
            with contextlib.suppress(BaseException):
                killed.run(name, folder)
            os._exit(1)
        time.sleep(rng.uniform(0.1, 3) * once)
        os.kill(writer, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(writer, 0)[1]), f"{name}: the writer raised"
        found = case.read(folder)
        assert found in expected, f"{name}: neither the old nor the new"
        reached.add(expected.index(found))
    # The next one to write cleans up.
    case.write(folder, 1)
    assert case.read(folder) == expected[1]
    assert own(folder) == []


def journal(folder, ready):
    """A save of two files that was killed before or after it was decided."""
    (folder / ".tessella-1.save").write_text("new a")
    (folder / ".tessella-2.save").write_text("new b")
    lines = ["tessella save 1", "put\t.tessella-1.save\ta", "put\t.tessella-2.save\tb", "remove\tc"]
    (folder / ".tessella-save").write_text("\n".join([*lines, *(["ready"] if ready else [])]) + "\n")


def read(folder):
    found = []
    for name in "abc":
        try:
            found.append(tessella._tessella.read_file(str(folder / name)).decode())
        except FileNotFoundError:
            found.append(None)
    return found


@pytest.mark.parametrize(("ready", "expected"), [(False, ["a", "b", "c"]), (True, ["new a", "new b", None])])
def test_readers_see_a_killed_save_whole_and_writers_end_it(tmp_path, ready, expected):
    for name in "abc":
        (tmp_path / name).write_text(name)
    journal(tmp_path, ready)
    assert read(tmp_path) == expected
    if ready:
        # Killed between two renames.
        os.replace(tmp_path / ".tessella-1.save", tmp_path / "a")
        assert read(tmp_path) == expected
    tessella.Tokenizer(tessella.models.BPE()).save(tmp_path / "other.json")
    assert own(tmp_path) == []
    assert [path.name for path in sorted(tmp_path.iterdir())] == [*"abc"[: 2 if ready else 3], "other.json"]
    assert read(tmp_path) == expected


@contextlib.contextmanager
def claimed(path):
    with open(path, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(tmp_path):
    dead, alive, foreign = (tmp_path / name for name in (".tessella-1.tmp", ".tessella-2.tmp", ".other.tmp"))
    for path in (dead, alive, foreign):
        path.write_text("half")
    with claimed(alive):
        PieceCounts({"a": 1}).save(tmp_path / "counts")
        assert sorted(path.name for path in tmp_path.iterdir()) == [".other.tmp", alive.name, "counts"]
    PieceCounts({"a": 1}).save(tmp_path / "counts")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.tmp", "counts"]


def test_spilled_counts_of_the_dead_go(tmp_path):
    spilled = tmp_path / "tessella-counts-dead"
    spilled.mkdir()
    (spilled / "claim").touch()
    (spilled / "run-000000").write_text("half")
    living = tmp_path / "tessella-counts-living"
    shutil.copytree(spilled, living)
    (tmp_path / "tessella-counts-empty").mkdir()
    texts = (f"{number:x}" * 9 for number in range(300_000))
    with claimed(living / "claim"):
        counts = tessella.count_pieces(texts, memory="6MiB", spill_folder=tmp_path)
        names = [path.name for path in tmp_path.iterdir()]
        assert spilled.name not in names and "tessella-counts-empty" not in names and living.name in names
    del counts


def test_links_modes_and_readers_of_older_content(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    tokenizer = killed.tokenizer(0)
    link.symlink_to("real.json")
    tokenizer.save(link)  # the link leads nowhere yet
    assert link.is_symlink() and not real.is_symlink()
    real.chmod(0o640)
    with open(real, "rb") as before:
        killed.tokenizer(1).save(link)
        assert before.read() != real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640 and link.is_symlink()
    mask = os.umask(0o027)
    try:
        tokenizer.save(tmp_path / "new.json")
    finally:
        os.umask(mask)
    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("special", ["pipe", "device"])
def test_pipes_and_devices_are_no_tokenizer_files(tmp_path, special):
    path = tmp_path / "tokenizer.json"
    if special == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    from tessella import Tokenizer, models
    from tessella.compat.sentencepiece import SentencePieceProcessor
    from tessella.compat.tiktoken.load import load_tiktoken_bpe

    signal.alarm(20)
    try:
        for load in (
            tessella.load,
            Tokenizer.from_file,
            models.WordPiece.from_file,
            load_tiktoken_bpe,
            lambda name: SentencePieceProcessor(model_file=os.fspath(name)),
        ):
            with pytest.raises((tessella.errors.ArgumentError, RuntimeError), match="pipe or a device"):
                load(path)
    finally:
        signal.alarm(0)
