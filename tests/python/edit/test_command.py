"""`tessella edit`: what is typed is done, and what nobody would heed is refused."""

import contextlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
import tessella
from tessella.cli import main
from tessella.edit import IdMap, safetensors

try:
    import resource
except ImportError:
    resource = None

TEXTS = ["low lower lowest", "newer wider tiles", "naïve café"] * 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tessella.recipes.get("gpt2").train(TEXTS, vocab_size=285).save("tokenizer.json")
    tessella.recipes.get("bert-uncased").train(TEXTS, vocab_size=60).save("bert.json")
    Path("corpus.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments, status=0):
    found = main([*map(str, arguments)])
    out, err = capsys.readouterr()
    assert found == status, out + err
    return out if status == 0 else err


def test_every_action(folder, capsys):
    old = tessella.load("tokenizer.json")
    run(
        capsys,
        "edit",
        "remove",
        "tokenizer.json",
        "a.json",
        "--token",
        "Ġlowest",
        "--map",
        "a.safetensors",
        "--dependents",
    )
    new, id_map = tessella.load("a.json"), IdMap.load("a.safetensors")
    assert "Ġlowest" not in new.get_vocab()
    assert id_map.apply(old.encode("low tiles").ids) == new.encode("low tiles").ids
    out = run(capsys, "edit", "prune", "tokenizer.json", "b.json", "--size", 270, "--corpus", "corpus.txt")
    assert out.startswith("b.json: 285 -> 270 tokens\nIdMap 285 -> 270 ids")
    assert tessella.load("b.json").get_vocab_size() == 270
    run(capsys, "edit", "extend", "b.json", "c.json", "--size", 275, "--corpus", "corpus.txt")
    assert tessella.load("c.json").get_vocab_size() == 275
    run(capsys, "edit", "pad", "c.json", "d.json", "--multiple", 64)
    assert tessella.load("d.json").get_vocab_size() == 320
    run(capsys, "edit", "reorder", "bert.json", "e.json", "--corpus", "corpus.txt")
    run(capsys, "edit", "rename", "bert.json", "f.json", "--token", "[MASK]=[GAP]")
    assert tessella.load("f.json").encode("[GAP]").tokens == ["[CLS]", "[GAP]", "[SEP]"]
    run(capsys, "edit", "merge", "b.json", "g.json", "--other", "tokenizer.json")
    assert tessella.load("g.json").get_vocab_size() == 285
    run(
        capsys,
        "edit",
        "remove",
        "tokenizer.json",
        "h.json",
        "--token",
        "Ġlowest",
        "--dependents",
        "--keep-ids",
    )
    run(capsys, "edit", "compact", "h.json", "i.json")
    assert tessella.load("i.json").get_vocab() == new.get_vocab()


def test_a_dry_run_writes_nothing(folder, capsys):
    before = sorted(path.name for path in folder.iterdir())
    out = run(
        capsys,
        "edit",
        "prune",
        "tokenizer.json",
        "--by",
        "length",
        "--longest",
        2,
        "-n",
        "--corpus",
        "corpus.txt",
    )
    assert "would be: 285 ->" in out
    assert "texts changed    60" in out
    told = json.loads(
        run(capsys, "edit", "prune", "tokenizer.json", "--by", "length", "--longest", 2, "-n", "--json")
    )
    assert told["removed"] == 285 - told["tokens_after"]
    assert told["effect"] is None
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["remove", "tokenizer.json", "x.json"], "needs --token"),
        (
            ["compact", "tokenizer.json", "x.json", "--size", "3"],
            "--size belongs to prune and extend, not to compact",
        ),
        (["compact", "tokenizer.json"], "name the TARGET"),
        (["compact", "tokenizer.json", "x.json", "--dry-run"], "leave out TARGET"),
        (["compact", "tokenizer.json", "tokenizer.json"], "is the source itself"),
        (
            ["compact", "tokenizer.json", "x.json", "--corpus", "corpus.txt"],
            "--corpus says nothing to compact",
        ),
        (["compact", "tokenizer.json", "x.json", "--model-out", "m"], "--model-out needs --model"),
        (["rename", "tokenizer.json", "x.json", "--token", "a"], "must be OLD=NEW"),
        (["prune", "tokenizer.json", "x.json"], "needs a `size`, or with `least`"),
    ],
)
def test_what_nobody_would_heed_is_refused(folder, capsys, arguments, why):
    assert why in run(capsys, "edit", *arguments, status=1)
    assert not Path("x.json").exists()


def test_a_model_that_cannot_follow_leaves_everything_as_it_was(folder, capsys):
    pad = ["edit", "pad", "tokenizer.json", "new.json", "--multiple", 64, "--map", "map.json"]
    Path("empty").mkdir()
    Path("model").mkdir()
    rows = np.zeros((7, 2), np.float32)
    with open("model/model.safetensors", "wb") as file:
        safetensors.save(file, {"model.embed_tokens.weight": rows}, {})
    Path("model/config.json").write_text('{"vocab_size": 7}', encoding="utf-8")
    before = {path: path.read_bytes() for path in Path("model").iterdir()}
    for model, said in (("missing", "is no folder"), ("empty", "no safetensors file"), ("model", "7 rows")):
        assert said in run(capsys, *pad, "--model", model, status=1)
        assert said in run(capsys, *pad, "--model", model, "--model-out", "out", status=1)
        assert not {"new.json", "map.json", "out"} & {path.name for path in Path().iterdir()}
    assert {path: path.read_bytes() for path in Path("model").iterdir()} == before


def test_a_map_that_cannot_be_written_is_told_first(folder, capsys):
    pad = ["edit", "pad", "tokenizer.json", "new.json", "--multiple", 64]
    assert "no such folder" in run(capsys, *pad, "--map", "missing/map.json", status=1)
    assert "it is a folder" in run(capsys, *pad, "--map", folder, status=1)
    assert not Path("new.json").exists()
    train = ["train", "corpus.txt", "-r", "gpt2", "--vocab-size", 280, "-q", "-o", "new.json"]
    assert "it is a folder" in run(capsys, *train, "--checkpoint", folder, status=1)
    assert not Path("new.json").exists()


@contextlib.contextmanager
def no_file_larger_than(size):
    """A disk without room for larger files, as one that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def here():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.skipif(resource is None, reason="limits of POSIX")
def test_what_has_no_room_leaves_everything_as_it_was(folder, capsys):
    """The tokenizer was there, and nothing told any more what had become of its ids."""
    Path("model").mkdir()
    with open("model/model.safetensors", "wb") as file:
        safetensors.save(file, {"model.embed_tokens.weight": np.zeros((285, 200), np.float32)}, {})
    Path("model/config.json").write_text('{"vocab_size": 285}', encoding="utf-8")
    before = here()
    assert max(map(len, before.values())) > 200_000 and len(before["tokenizer.json"]) < 60_000
    pad = ["edit", "pad", "tokenizer.json", "new.json", "--multiple", 64]
    if os.path.exists("/dev/full"):
        assert "/dev/full: no space left" in run(capsys, *pad, "--map", "/dev/full", status=1)
        assert here() == before
    for more in ([], ["--model-out", "out"]):
        with no_file_larger_than(100_000):
            said = run(capsys, *pad, "--map", "map.json", "--model", "model", *more, status=1)
        assert "file too large" in said
        assert here() == before and not os.path.exists("out")
    with no_file_larger_than(5_000):
        assert "new.json: file too large" in run(capsys, *pad, "--map", "map.safetensors", status=1)
    assert here() == before
    run(capsys, *pad, "--map", "map.json", "--model", "model")
    assert {"new.json", "map.json"} == set(here()) - set(before)
    rows = safetensors.load("model/model.safetensors")[0]["model.embed_tokens.weight"]
    assert len(rows) == len(IdMap.load("map.json").inverse()) == 320


def test_a_name_that_is_empty_is_not_taken_for_none(folder, capsys):
    pad = ["edit", "pad", "tokenizer.json", "new.json", "--multiple", 64]
    for option in ("--model", "--map"):
        assert f"{option} is empty" in run(capsys, *pad, option, "", status=1)
    assert "--prove is empty" in run(capsys, "convert", "bert.json", "new.json", "--prove", "", status=1)
    assert "--output is empty" in run(capsys, "count", "corpus.txt", "-r", "gpt2", "-o", "", status=1)
    parallel = ["evaluate", "bert.json", "corpus.txt", "--parallel", "en=corpus.txt", "de="]
    assert "--parallel is empty" in run(capsys, *parallel, status=1)
    assert not Path("new.json").exists()
