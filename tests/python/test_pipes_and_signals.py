"""Commands whose readers leave or whose writers pause, and what a signal makes of them."""

import gc
import gzip
import io
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
import tessella
from at_the_shell import environment, run, tessella_command
from tessella.compat.sentencepiece import SentencePieceProcessor, SentencePieceTrainer


def waiting_in(pipe):
    """The bytes that the other end has not read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe.fileno(), termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_a_reader_that_leaves_and_an_interrupt(trained):
    Path("long.txt").write_text("low lower lowest\n" * 200_000)
    shell = f"{shlex.join(tessella_command('encode', 'tokenizer.json', 'long.txt'))} | head -1; echo ${{PIPESTATUS[0]}}"
    if shutil.which("bash"):
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=environment())
        assert done.stderr == "" and done.stdout.endswith("\n141\n")
    command = tessella_command("count", "-r", "gpt2")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as job:  # fmt: skip
        job.stdin.write("low lower\n" * 5000)
        job.stdin.flush()
        # It has begun to count when it has taken what was written.
        deadline = time.monotonic() + 60
        while waiting_in(job.stdin) and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=30)
    assert job.returncode == -signal.SIGINT
    assert err.endswith("interrupted\n") and "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_leaves_nothing_half_made_and_is_told(trained, name):
    number = getattr(signal, name)
    os.mkdir("out")
    command = tessella_command("encode", "tokenizer.json", "-o", "out/low.ids")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True,
        preexec_fn=lambda: signal.signal(number, signal.default_int_handler),
    ) as job:  # fmt: skip
        deadline = time.monotonic() + 60
        while not os.listdir("out") and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(number)
        _, err = job.communicate(timeout=30)
    # A shell goes on with a loop where a status that is no signal's says that the signal was dealt with.
    assert job.returncode == -number
    assert err == ("interrupted\n" if name == "SIGINT" else "ended\n")
    assert os.listdir("out") == []


def ended_by(number, command, is_ready):
    """What a command said on standard error that a signal ended once it was ready."""
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, env=environment(), text=True,
        preexec_fn=lambda: signal.signal(number, signal.default_int_handler),
    ) as job:  # fmt: skip
        deadline = time.monotonic() + 60
        while not is_ready() and job.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        job.send_signal(number)
        try:
            _, err = job.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            job.kill()
            raise
    assert job.returncode == -number, err
    return err


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_takes_the_folder_of_counts_along(trained, name):
    """The call that was ended held counts on the disk; a signal by which a process ends lets nobody clean up."""
    rng = random.Random(1)
    Path("many.txt").write_text("".join(f"{''.join(rng.choices('abcdefgh', k=12))}\n" for _ in range(90_000)))
    os.mkdir("spilled")
    os.mkfifo("pipe")
    with open(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        memory = ("--memory", "2MiB", "--threads", 1, "--spill-folder", "spilled")
        command = tessella_command("count", "many.txt", "-r", "gpt2", *memory, "--tsv", "pipe", "-q")
        # It is full, and nobody reads it.
        ended_by(getattr(signal, name), command, lambda: waiting_in(pipe))
    assert os.listdir("spilled") == []


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "typed",
    [
        "encode tokenizer.json corpus.txt -o pipe",
        "count corpus.txt -r gpt2 -o pipe",
        "count corpus.txt -r gpt2 --tsv pipe",
        "train corpus.txt -r gpt2 --vocab-size 300 -o pipe -q",
        "edit pad tokenizer.json pipe --multiple 64",
        "encode tokenizer.json pipe",
        "decode tokenizer.json pipe",
        "count pipe -r gpt2",
        "train pipe -r gpt2 --vocab-size 300 -o new.json",
    ],
)
def test_a_pipe_with_nobody_at_its_other_end_is_not_waited_for_in_vain(trained, typed, name):
    os.mkfifo("pipe")
    begun = time.monotonic()
    ended_by(getattr(signal, name), tessella_command(*typed.split()), lambda: time.monotonic() > begun + 2)
    assert not os.path.exists("new.json")


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
@pytest.mark.parametrize(
    "typed", ["encode tokenizer.json pipe", "count pipe -r gpt2", "decode tokenizer.json pipe"]
)
def test_a_pause_in_a_pipe_can_be_ended(trained, typed):
    os.mkfifo("pipe")
    with open(os.open("pipe", os.O_RDWR), "wb", 0) as pipe:
        pipe.write(b"1 2 3\n")
        command = tessella_command(*typed.split())
        ended_by(signal.SIGTERM, command, lambda: not waiting_in(pipe))


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_pipes_give_and_take_what_files_do(trained):
    """Also packed, named like JSON lines, and larger than a pipe holds."""
    lines = [f"low lower {n}\n" for n in range(20_000)]
    rows = "".join(json.dumps({"text": line}) + "\n" for line in lines).encode()
    for name, content in {"pipe": gzip.compress("".join(lines).encode()), "pipe.jsonl": rows}.items():
        Path(f"file{name}").write_bytes(content)
        os.mkfifo(name)
        for read in (
            lambda name: run("encode", "tokenizer.json", name)[0],
            lambda name: trained.encode_files([name], separator="\n").ids.tolist(),
            lambda name: tessella.count_pieces(Path(name), trained).items(),
            lambda name: list(tessella.counting.read_texts(name, only_every=3)),
        ):
            feeder = threading.Thread(target=Path(name).write_bytes, args=(content,))
            feeder.start()
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = read(name)
                # A file that is left open says so when it goes.
                gc.collect()
            assert (found, told) == (read(f"file{name}"), [])
            feeder.join()
    Path("long.txt").write_text("".join(lines))
    for command in (
        ("count", "long.txt", "-k", "tokenizer.json", "-q", "-o"),
        ("edit", "pad", "tokenizer.json"),
    ):
        more = ("--multiple", "512") if command[0] == "edit" else ()
        run(*command, "plain", *more)
        if not os.path.exists("out"):
            os.mkfifo("out")
        with open(os.open("out", os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
            os.set_blocking(pipe.fileno(), True)
            with subprocess.Popen(tessella_command(*command, "out", *more), env=environment()) as job:
                while not waiting_in(pipe) and job.poll() is None:
                    time.sleep(0.05)
                assert pipe.read() == Path("plain").read_bytes()
            assert job.returncode == 0


ALONE = {
    "train": "Tokenizer(tessella.models.BPE()).train(['pipe'])",
    "from_tsv": "PieceCounts.from_tsv('pipe')",
    "spm": "from tessella.compat.sentencepiece import SentencePieceTrainer as S; S.train('--input=pipe --model_prefix=m')",
}


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("call", ALONE)
def test_a_call_does_not_wait_for_ever_for_who_writes_to_a_pipe(trained, call, name):
    os.mkfifo("pipe")
    code = (
        "import signal, tessella, time; from tessella import PieceCounts, Tokenizer\n"
        "def end(*_): raise SystemExit(7)\n"
        f"signal.signal(signal.{name}, end)\n"
        f"open('begun', 'w').close(); {ALONE[call]}"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=environment()) as job:
        deadline = time.monotonic() + 60
        while not os.path.exists("begun") and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        job.send_signal(getattr(signal, name))
        try:
            assert job.wait(timeout=10) == 7
        finally:
            job.kill()


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_trainings_and_counts_take_pipes_as_files(trained):
    def fed(name, content, read):
        feeder = threading.Thread(target=Path(name).write_bytes, args=(content,))
        feeder.start()
        found = read(Path(name))
        feeder.join()
        return found

    def learned(*files):
        tokenizer = tessella.Tokenizer(tessella.models.BPE())
        tokenizer.train(files, tessella.trainers.BpeTrainer(vocab_size=40, show_progress=False))
        return tokenizer.to_str()

    os.mkfifo("pipe")
    text = b"low lower lowest\r\nnewer wider\n\nhug pug" * 2000
    Path("more.txt").write_bytes(text)
    wanted = learned("corpus.txt", "more.txt", "corpus.txt")
    assert fed("pipe", text, lambda name: learned("corpus.txt", name, "corpus.txt")) == wanted
    rows = tessella.PieceCounts({f"{n}": n for n in range(1, 30_000)})
    rows.to_tsv("rows.tsv")
    content = Path("rows.tsv").read_bytes()
    assert fed("pipe", content, tessella.PieceCounts.from_tsv).items() == rows.items()

    def pieces(name):
        model = io.BytesIO()
        SentencePieceTrainer.train(input=str(name), model_writer=model, vocab_size=20)
        processor = SentencePieceProcessor(model_proto=model.getvalue())
        return [processor.id_to_piece(id) for id in range(len(processor))]

    assert fed("pipe", text, pieces) == pieces("more.txt")
    with pytest.raises(tessella.errors.FormatError, match=r"has no tab.*pipe, line 2"):
        fed("pipe", b"a\t1\nb\n", tessella.PieceCounts.from_tsv)


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("name", ["pipe", "/dev/null", "/dev/stdout"])
def test_a_checkpoint_is_an_ordinary_file(trained, name):
    """A training waited for who reads a pipe, and removed it at the end, as it would have removed a device."""
    os.mkfifo("pipe")
    typed = ("corpus.txt", "-r", "gpt2", "--vocab-size", "290", "-q", "-o", "new.json", "--checkpoint", name)
    _, told = run("train", *typed, status=1)
    assert f"the checkpoint {name} is a pipe or a device" in told and "name an ordinary file" in told
    assert os.path.lexists(name) and not os.path.exists("new.json")


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_counts_are_not_read_from_a_pipe(trained):
    with pytest.raises(tessella.errors.ArgumentError, match="is a pipe or a device"):
        tessella.PieceCounts.load("/dev/null")


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_pipes_that_do_not_wait_lose_nothing(trained):
    """What the reader had no room for was dropped, and a pause in the input was its end, both with status 0."""
    text = "low lower lowest\n" * 20_000
    Path("long.txt").write_text(text)
    asked = subprocess.run(
        tessella_command("encode", "tokenizer.json", "long.txt"),
        capture_output=True,
        env=environment(),
        check=True,
    )
    (from_us, stdin), (stdout, to_us) = os.pipe(), os.pipe()
    for end in (from_us, to_us):
        os.set_blocking(end, False)
    command = tessella_command("encode", "tokenizer.json")
    with subprocess.Popen(command, stdin=from_us, stdout=to_us, env=environment()) as job:
        os.close(to_us)
        feeder = threading.Thread(target=fed, args=(stdin, text))
        feeder.start()
        # It is full before anybody reads.
        time.sleep(1.5)
        with open(stdout, "rb") as reader:
            found = reader.read()
        feeder.join()
    assert job.returncode == 0 and found == asked.stdout
    # As it was found: others may share it.
    assert not os.get_blocking(from_us)
    os.close(from_us)


def fed(pipe, text):
    """Texts with a pause before them."""
    time.sleep(1)
    with open(pipe, "w") as writer:
        writer.write(text)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_signals_that_are_ignored_stay_so(trained):
    """``nohup`` lets a command outlive its terminal."""
    command = tessella_command("encode", "tokenizer.json", "-o", "low.ids")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, env=environment(), text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as job:  # fmt: skip
        time.sleep(1)
        job.send_signal(signal.SIGHUP)
        job.communicate("low lower\n", timeout=60)
    assert job.returncode == 0
    assert Path("low.ids").exists()
