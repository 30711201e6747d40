"""Whether training gives the same bytes however it is run.

    TESSELLA_CORPORA=… python -m benchmarks.determinism [--bytes 100MB] [--kinds bpe,wordpiece,unigram] [--folder DIR]

Makes a corpus of that size out of the texts, once as they are and once more with every ASCII letter moved by one, and
trains BPE, WordPiece and Unigram on it: on one thread and on two, with the files in another order, from counts of eight
shards that are merged, and resumed after the process was killed. Prints the SHA-256 of each saved tokenizer, and fails if
two of a kind differ.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conformance import texts

SHARDS = 8
KINDS = ("bpe", "wordpiece", "unigram")

TRAIN = """
import sys, tessella
from tessella import Tokenizer, models, normalizers, pre_tokenizers, trainers, PieceCounts
kind, how, out, checkpoint, *files = sys.argv[1:]
if kind == "bpe":
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=32000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
elif kind == "wordpiece":
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=30000, special_tokens=["[UNK]"], show_progress=False)
else:
    tok = Tokenizer(models.Unigram())
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=40000, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
if how == "count":
    tessella.count_pieces([__import__("pathlib").Path(f) for f in files], tok, progress=False).save(out)
    sys.exit()
if how == "merged":
    counts = PieceCounts.load(files[0])
    for path in files[1:]:
        counts.merge(PieceCounts.load(path))
else:
    threads = int(how)
    counts = tessella.count_pieces([__import__("pathlib").Path(f) for f in files], tok, num_threads=threads, progress=False)
print("counted", flush=True)
tok.train_from_counts(counts, trainer, **({"checkpoint": checkpoint} if checkpoint != "-" else {}))
tok.save(out)
"""


def size(text: str) -> int:
    units = {"MB": 10**6, "GB": 10**9, "kB": 10**3}
    return next((int(text[:-2]) * factor for unit, factor in units.items() if text.endswith(unit)), 0) or int(
        text
    )


def corpus(folder: Path, wanted: int) -> list[Path]:
    """Eight files of whole lines."""
    source = texts.needed("TESSELLA_CORPORA")
    text = b"".join(texts.read(path) for path in sorted(source.iterdir()) if ".txt" in path.name)
    letters = string.ascii_letters.encode()
    moved = text.translate(bytes.maketrans(letters, letters[1:] + letters[:1]))
    lines = (text + moved)[:wanted].decode("utf-8", "ignore").splitlines(keepends=True)
    paths = []
    for shard in range(SHARDS):
        path = folder / f"shard{shard}.txt"
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines[shard * len(lines) // SHARDS : (shard + 1) * len(lines) // SHARDS])
        paths.append(path)
    return paths


def run(kind: str, how: str, out: Path, files: list[Path], checkpoint: Path | None = None) -> None:
    command = [sys.executable, "-c", TRAIN, kind, how, str(out), str(checkpoint or "-"), *map(str, files)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def killed_and_resumed(kind: str, out: Path, files: list[Path], checkpoint: Path) -> int:
    """Kills the training each time that its checkpoint has changed, at most three times; then lets it end."""
    kills = 0
    while kills < 3:
        command = [sys.executable, "-c", TRAIN, kind, "2", str(out), str(checkpoint), *map(str, files)]
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None:
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                break
            time.sleep(0.01)
        else:
            if process.returncode:
                raise SystemExit(f"training ended with {process.returncode}")
            return kills
    run(kind, "2", out, files, checkpoint)
    return kills


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bytes", default="100MB")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--folder", help="where the corpus and the results go; a temporary folder by default")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        files = corpus(folder, size(arguments.bytes))
        shuffled = random.Random(1).sample(files, len(files))
        for kind in arguments.kinds.split(","):
            found = {}
            out = folder / "out.json"

            def result(out: Path = out) -> str:
                return hashlib.sha256(out.read_bytes()).hexdigest()

            for label, how, order in [
                ("1 thread", "1", files),
                ("2 threads", "2", files),
                ("files in another order", "2", shuffled),
            ]:
                run(kind, how, out, order)
                found[label] = result()
            shards = []
            for index, path in enumerate(shuffled):
                shards.append(folder / f"{index}.counts")
                run(kind, "count", shards[-1], [path])
            run(kind, "merged", out, shards)
            found["8 shards merged"] = result()
            kills = killed_and_resumed(kind, out, files, folder / "state")
            found[f"killed {kills} times and resumed"] = result()
            for label, digest in found.items():
                print(f"{kind:10} {label:28} {digest}", flush=True)
            failed |= len(set(found.values())) != 1 or kills == 0
    print("different results" if failed else "all equal")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
