"""Counting by the hundred against its slow twin, which looks every piece up: equal files, whatever cuts the text."""

import json
import os
import random
import subprocess
import sys

import tessella
from tessella import models, pre_tokenizers

#: Run with and without the fast way: tells a hash of the file of counts for each tokenizer, number of threads and budget.
COUNT = """
import hashlib, sys
from pathlib import Path
import tessella

folder = Path(sys.argv[1])
sources = {name: folder / f"{name}.jsonl" for name in ("one", "two")}
for file in sorted(folder.glob("*.json")):
    tokenizer = tessella.load(file)
    for threads, memory in [(1, None), (3, None), (1, "2MiB"), (2, "4MiB")]:
        counts = tessella.count_pieces(
            sources, tokenizer, num_threads=threads, memory=memory, spill_folder=folder, weights={"one": 3, "two": 1}
        )
        counts.save(folder / "out.counts")
        hashed = hashlib.sha256((folder / "out.counts").read_bytes()).hexdigest()
        print(file.stem, threads, memory, counts.total, hashed)
"""
#: The same for what is learned on one thread.
LEARN = """
import sys
from pathlib import Path
import tessella
from tessella import models, pre_tokenizers, trainers

tokenizer = tessella.Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
counts = tessella.count_pieces(Path(sys.argv[1]) / "one.jsonl", tokenizer, num_threads=1)
tokenizer.train_from_counts(counts, trainers.BpeTrainer(vocab_size=700))
print(tokenizer.to_str())
"""

PARTS = [
    "low",
    "er",
    " ",
    "  ",
    "\n",
    "\r\n",
    "'s",
    "'LL",
    "Ünï",
    "東京",
    "🧩",
    "e\u0301",
    "\0",
    "1",
    "2345678",
    "<x>",
    "...",
    "\xa0",
    "▁",
]


def texts(rng, size):
    """Text of many scripts and hostile characters, and words that are nearly all different."""
    while size > 0:
        text = "".join(rng.choices(PARTS, k=rng.randrange(200)))
        text += " ".join(
            f"{rng.randrange(90_000):x}{'z' * rng.randrange(20)}" for _ in range(rng.randrange(300))
        )
        size -= len(text)
        yield text


def tokenizers():
    """By name: each cuts text in another way."""
    found = {
        name: tessella.recipes.get(name).tokenizer()
        for name in ("gpt2", "llama3", "starcoder2", "bert-uncased")
    }
    kinds = {
        "bytes-with-blank": pre_tokenizers.ByteLevel(add_prefix_space=True),
        "white-space": pre_tokenizers.WhitespaceSplit(),
        "marks": pre_tokenizers.Metaspace(),
        "punctuation": pre_tokenizers.Sequence([pre_tokenizers.Punctuation(), pre_tokenizers.Digits()]),
        "scripts": pre_tokenizers.UnicodeScripts(),
    }
    for name, kind in kinds.items():
        found[name] = tessella.Tokenizer(models.BPE())
        found[name].pre_tokenizer = kind
    for tokenizer in found.values():
        tokenizer.add_tokens(["<x>", "low"])
    return found


def told(code, folder, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def written(folder, name, size, seed):
    rows = "".join(json.dumps({"text": text}) + "\n" for text in texts(random.Random(seed), size))
    (folder / name).write_text(rows, encoding="utf-8")


def test_like_counting_one_by_one(tmp_path):
    written(tmp_path, "one.jsonl", 300_000, 3)
    written(tmp_path, "two.jsonl", 700_000, 4)
    for name, tokenizer in tokenizers().items():
        tokenizer.save(tmp_path / f"{name}.json")
    fast, slow = told(COUNT, tmp_path), told(COUNT, tmp_path, TESSELLA_LANES="off")
    assert len(fast) == 4 * len(tokenizers())
    assert fast == slow
    hashes = {}
    for line in fast:
        hashes.setdefault(line.split()[0], set()).add(line.split()[-1])
    assert all(len(found) == 1 for found in hashes.values()), "threads and budgets make different files"


def test_the_order_of_appearance_is_kept(tmp_path):
    """What is learned from texts may depend on it."""
    written(tmp_path, "one.jsonl", 200_000, 5)
    assert told(LEARN, tmp_path) == told(LEARN, tmp_path, TESSELLA_LANES="off")
