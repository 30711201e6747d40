"""A model's rows follow its tokenizer: folders of safetensors, sharded or not, tied or not."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tessella
from tessella.edit import IdMap, resize_embeddings, safetensors
from tessella.errors import ArgumentError, FormatError

ROWS, WIDTH = 11, 6
#: Ids 0, 1 stay, 2 goes, 3.. move by one; 9 and 10 are padding of the model. 8 and 9 are new.
MAP = IdMap(
    [0, 1, None, 2, 3, 4, 5, 6, 7],
    removed={2: [0, 1]},
    new={8: [3, 4], 9: []},
    new_size=10,
)


def arrays(seed, rows=ROWS, dtype=np.float32):
    draw = np.random.default_rng(seed)
    return draw.standard_normal((rows, WIDTH)).astype(dtype)


def write_model(folder, *, tied=False, sharded=False, bias=False, dtype=np.float32, head=True):
    """A model of an embedding, a layer, a head; gives its tensors."""
    tensors = {
        "model.embed_tokens.weight": arrays(1, dtype=dtype),
        "model.layer.weight": arrays(2, WIDTH),
        "model.norm.weight": arrays(3, 1)[0],
    }
    if not tied:
        tensors["lm_head.weight"] = arrays(4, dtype=dtype)
    elif head:
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].copy()
    if bias:
        tensors["lm_head.bias"] = arrays(5)[:, 0].copy()
        tensors["final_logits_bias"] = arrays(6)[:, :1].T.copy()
    names = list(tensors)
    shards = [names[:2], names[2:]] if sharded else [names]
    weight_map = {}
    for number, inside in enumerate(shards, 1):
        name = f"model-{number:05}-of-00002.safetensors" if sharded else "model.safetensors"
        weight_map |= dict.fromkeys(inside, name)
        with open(folder / name, "wb") as file:
            safetensors.save(file, {one: tensors[one] for one in inside}, {"format": "pt"})
    if sharded:
        total = sum(one.nbytes for one in tensors.values())
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    config = {
        "vocab_size": ROWS,
        "tie_word_embeddings": tied,
        "bos_token_id": 1,
        "eos_token_id": [3, 8],
        "pad_token_id": None,
        "hidden_size": WIDTH,
        "text_config": {"vocab_size": ROWS, "image_token_id": 5},
    }
    (folder / "config.json").write_text(json.dumps(config))
    generation = {
        "eos_token_id": 3,
        "suppress_tokens": [2, 4],
        "forced_decoder_ids": [[1, 4]],
        "bad_words_ids": [[2], [3]],
        "lang_to_id": {"<|en|>": 8},
        "sequence_bias": [[[3, 4], -1.5]],
    }
    (folder / "generation_config.json").write_text(json.dumps(generation))
    (folder / "README.md").write_text("kept")
    return tensors


def read_model(folder):
    """All tensors, by the format's own library."""
    load_file = pytest.importorskip("safetensors.numpy").load_file
    index = folder / "model.safetensors.index.json"
    names = {"model.safetensors"}
    if index.exists():
        names = set(json.loads(index.read_text())["weight_map"].values())
    return {name: tensor for one in sorted(names) for name, tensor in load_file(folder / one).items()}


def logits(tensors, ids):
    hidden = np.tanh(tensors["model.embed_tokens.weight"][ids] @ tensors["model.layer.weight"]).cumsum(0)
    head = tensors.get("lm_head.weight", tensors["model.embed_tokens.weight"])
    bias = tensors.get("lm_head.bias", 0) + tensors.get("final_logits_bias", np.zeros((1, 1)))[0]
    return hidden @ head.T + bias


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_logits_of_kept_tokens_stay(sharded, tied, bias, tmp_path):
    before = write_model(tmp_path, tied=tied, sharded=sharded, bias=bias, head=not sharded)
    done = resize_embeddings(tmp_path, MAP)
    after = read_model(tmp_path)
    assert (done.rows_before, done.rows_after, done.copied, done.made) == (ROWS, 10, 8, 2)
    kept = [old for old in range(9) if MAP[old] is not None]
    old_ids = [0, 3, 8, 5, 1]
    wanted = logits(before, old_ids)[:, kept]
    found = logits(after, MAP.apply(old_ids))[:, [MAP[old] for old in kept]]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    for name, old in before.items():
        if name in done.tables:
            rows = old if old.shape[0] == ROWS else old.T
            new = after[name] if old.shape[0] == ROWS else after[name].T
            assert np.array_equal(new[:8], rows[kept]), name
            np.testing.assert_allclose(new[8], rows[[3, 4]].mean(0), rtol=1e-6)
            np.testing.assert_allclose(new[9], rows[:9].mean(0), rtol=1e-5, atol=1e-7)
        else:
            assert np.array_equal(after[name], old), name
    if tied and "lm_head.weight" in after:
        assert np.array_equal(after["lm_head.weight"], after["model.embed_tokens.weight"])
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["vocab_size"] == config["text_config"]["vocab_size"] == 10
    assert (config["bos_token_id"], config["eos_token_id"], config["pad_token_id"]) == (1, [2, 7], None)
    assert config["text_config"]["image_token_id"] == 4
    generation = json.loads((tmp_path / "generation_config.json").read_text())
    assert generation == {
        "eos_token_id": 2,
        "suppress_tokens": [3],
        "forced_decoder_ids": [[1, 3]],
        "bad_words_ids": [[2]],
        "lang_to_id": {"<|en|>": 7},
        "sequence_bias": [[[2, 3], -1.5]],
    }
    if sharded:
        index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
        assert index["metadata"]["total_size"] == sum(one.nbytes for one in after.values())


def test_rows_where_several_ids_became_one(tmp_path):
    before = write_model(tmp_path)["model.embed_tokens.weight"]
    joined = IdMap([0, 0, None, 1, 2, 3, 4, 5, 6], removed={2: [0]}, new={7: [3, 4], 8: [5]}, new_size=9)
    done = resize_embeddings(tmp_path, joined)
    after = read_model(tmp_path)["model.embed_tokens.weight"]
    assert (done.rows_after, done.copied, done.made) == (9, 7, 2)
    assert np.array_equal(after[:7], before[[1, 3, 4, 5, 6, 7, 8]]) and np.array_equal(after[8], before[5])
    np.testing.assert_allclose(after[7], before[[3, 4]].mean(0), rtol=1e-6)


@pytest.mark.parametrize("init", ["fvt", "mean", "random"])
def test_how_new_rows_begin(init, tmp_path):
    before = write_model(tmp_path, tied=True)["model.embed_tokens.weight"]
    resize_embeddings(tmp_path, MAP, init, pad_to_multiple_of=8, seed=3)
    after = read_model(tmp_path)
    table = after["model.embed_tokens.weight"]
    assert table.shape == (16, WIDTH)
    assert np.array_equal(table, after["lm_head.weight"])
    mean = before[:9].mean(0)
    if init == "mean":
        np.testing.assert_allclose(table[8:], np.tile(mean, (8, 1)), rtol=1e-5, atol=1e-7)
    elif init == "random":
        assert len(np.unique(table[8:], axis=0)) == 8
        assert np.abs(table[8:] - mean).max() < 6 * before[:9].std(0).max()
    else:
        np.testing.assert_allclose(table[8], before[[3, 4]].mean(0), rtol=1e-6)


def test_portions_give_the_same(tmp_path, monkeypatch):
    from tessella.edit import rows, weights

    results = []
    for number, portion in enumerate((1 << 24, 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_model(folder, sharded=True)
        monkeypatch.setattr(rows, "PORTION", portion)
        monkeypatch.setattr(weights, "_CHUNK", portion + 6)
        resize_embeddings(folder, MAP, "random", pad_to_multiple_of=4)
        results.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["F16", "F64", "BF16"])
def test_types_of_numbers(dtype, tmp_path):
    plain = arrays(7)
    if dtype == "BF16":
        stored = (plain.view(np.uint32) >> 16).astype("<u2")
        back = (stored.astype(np.uint32) << 16).view(np.float32)
    else:
        stored = plain.astype({"F16": "<f2", "F64": "<f8"}[dtype])
        back = stored.astype(np.float64)
    content, _ = safetensors.header_bytes({"wte.weight": (dtype, stored.shape)}, {})
    (tmp_path / "model.safetensors").write_bytes(content + stored.tobytes())
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": ROWS}))
    resize_embeddings(tmp_path, MAP)
    header = safetensors.read_header(str(tmp_path / "model.safetensors"))
    raw = (tmp_path / "model.safetensors").read_bytes()[header.begin :]
    made = np.frombuffer(raw, stored.dtype).reshape(10, WIDTH)
    kept = [old for old in range(9) if MAP[old] is not None]
    assert np.array_equal(made[:8], stored[kept])
    wanted = back[[3, 4]].astype(np.float64).mean(0)
    found = (made[8].astype(np.uint32) << 16).view(np.float32) if dtype == "BF16" else made[8]
    np.testing.assert_allclose(
        found, wanted, rtol={"F16": 1e-3, "BF16": 2**-8, "F64": 1e-12}[dtype], atol=1e-7
    )


def test_bfloat_is_rounded_to_the_nearest():
    from tessella.edit.rows import _from_bfloat, _to_bfloat

    draw = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1.00390625, 1.01171875, 3.3895314e38], np.float32)
    values = np.concatenate([draw, special])
    found = _from_bfloat(_to_bfloat(values))
    below = _from_bfloat((values.view(np.uint32) >> 16).astype("<u2"))
    above = _from_bfloat(((values.view(np.uint32) >> 16) + 1).astype("<u2"))
    for value, one, low, high in zip(values, found, below, above, strict=True):
        if np.isfinite(value) and np.isfinite(high):
            assert abs(one - value) <= min(abs(low - value), abs(high - value))
    assert np.isnan(_from_bfloat(_to_bfloat(np.array([np.nan], np.float32))))[0]


def test_another_folder_gets_all_files_and_the_old_one_stays(tmp_path):
    (tmp_path / "old").mkdir()
    write_model(tmp_path / "old", sharded=True)
    old = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}
    resize_embeddings(tmp_path / "old", MAP, out=tmp_path / "new")
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == old
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(old)
    assert (tmp_path / "new" / "README.md").read_text() == "kept"
    resize_embeddings(tmp_path / "old", MAP)
    for path in (tmp_path / "old").iterdir():
        assert path.read_bytes() == (tmp_path / "new" / path.name).read_bytes()
    with pytest.raises(ArgumentError, match="the model's folder itself"):
        resize_embeddings(tmp_path / "old", MAP, out=tmp_path / "old")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_killed_in_the_middle_leaves_the_old_files_whole(tmp_path):
    write_model(tmp_path, sharded=True)
    old = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    program = """
import os, signal, sys
from pathlib import Path
from tessella.edit import resize_embeddings, weights
sys.path.insert(0, sys.argv[2])
from test_weights import MAP
written = weights._write_shard
def dies(path, *rest):
    if path.endswith("00002-of-00002.safetensors"):
        os.kill(os.getpid(), signal.SIGKILL)
    written(path, *rest)
weights._write_shard = dies
resize_embeddings(sys.argv[1], MAP)
"""
    path = os.pathsep.join([str(Path(tessella.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", program, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {name: content for name, content in left.items() if not name.startswith(".tessella-")} == old
    resize_embeddings(tmp_path, MAP)
    assert {path.name for path in tmp_path.iterdir()} == set(old)
    assert read_model(tmp_path)["lm_head.weight"].shape == (10, WIDTH)


def test_an_interrupted_run_leaves_nothing(tmp_path, monkeypatch):
    from tessella.edit import weights

    write_model(tmp_path)
    old = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def stops(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(weights, "_write_shard", stops)
    with pytest.raises(KeyboardInterrupt):
        resize_embeddings(tmp_path, MAP)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == old


def changed(folder, name, **values):
    said = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**said, **values}))


def test_what_would_be_wrong_without_a_word_is_an_error(tmp_path):
    write_model(tmp_path)
    old = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ArgumentError, match="map has old ids up to 11, but the model has 11 rows"):
        resize_embeddings(tmp_path, IdMap.identity(12))
    with pytest.raises(ArgumentError, match=r"config\.json\.bos_token_id names the id 1, which was removed"):
        resize_embeddings(tmp_path, IdMap([0, None, *range(1, 8)], removed={1: [0]}))
    with pytest.raises(ArgumentError, match=r"eos_token_id names the id 8, but the map has ids up to 4"):
        resize_embeddings(tmp_path, IdMap.identity(5))
    with pytest.raises(ArgumentError, match="`init` must be"):
        resize_embeddings(tmp_path, MAP, "zero")
    with pytest.raises(TypeError, match="must be an IdMap"):
        resize_embeddings(tmp_path, [0, 1])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == old
    changed(tmp_path, "config.json", vocab_size=12)
    with pytest.raises(ArgumentError, match="no embedding of 12 rows"):
        resize_embeddings(tmp_path, MAP)


def test_a_tensor_that_may_be_a_table_has_to_be_named(tmp_path):
    with open(tmp_path / "model.safetensors", "wb") as file:
        safetensors.save(file, {"wte.weight": arrays(1), "strange.table": arrays(2)}, {})
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": ROWS}))
    with pytest.raises(ArgumentError, match=r"`strange\.table` of shape \[11, 6\] may have a row for each"):
        resize_embeddings(tmp_path, MAP)
    done = resize_embeddings(tmp_path, MAP, tables=["wte.weight", "strange.table"])
    assert done.tables == ("strange.table", "wte.weight")
    assert read_model(tmp_path)["strange.table"].shape == (10, WIDTH)
    with pytest.raises(ArgumentError, match=r"no tensor `wpe\.weight`"):
        resize_embeddings(tmp_path, MAP, tables=["wpe.weight"])


def test_a_bias_alone_is_no_embedding(tmp_path):
    with open(tmp_path / "model.safetensors", "wb") as file:
        safetensors.save(file, {"final_logits_bias": arrays(1)[:, :1].T.copy()}, {})
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": ROWS}))
    with pytest.raises(ArgumentError, match="no embedding of 11 rows"):
        resize_embeddings(tmp_path, MAP)


def test_a_table_without_columns_keeps_none(tmp_path):
    with open(tmp_path / "model.safetensors", "wb") as file:
        safetensors.save(file, {"wte.weight": arrays(1), "lm_head.weight": arrays(2)[:, :0].copy()}, {})
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": ROWS}))
    resize_embeddings(tmp_path, MAP)
    assert read_model(tmp_path)["lm_head.weight"].shape == (10, 0)


def test_files_that_are_no_model(tmp_path):
    with pytest.raises(ArgumentError, match="is no folder"):
        resize_embeddings(tmp_path / "none", MAP)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ValueError, match=r"no safetensors file; it has pytorch_model\.bin"):
        resize_embeddings(tmp_path, MAP)
    path = tmp_path / "model.safetensors"
    for content, why in [
        (b"", "does not fit"),
        (b"\xff" * 40, "does not fit"),
        ((2).to_bytes(8, "little") + b"[]", "no JSON object"),
        ((4).to_bytes(8, "little") + b"{{{{", "no JSON"),
    ]:
        path.write_bytes(content)
        with pytest.raises(FormatError, match=why):
            resize_embeddings(tmp_path, MAP)
    for tensor, why in [
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}, "cannot lie in bytes 0 to 4"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "cannot lie in bytes 0 to 8"),
        ({"dtype": "Q4", "shape": [2], "data_offsets": [0, 8]}, "unknown type 'Q4'"),
        ({"shape": [2]}, "needs dtype"),
    ]:
        text = json.dumps({"wte.weight": tensor}).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text)
        with pytest.raises(FormatError, match=why):
            resize_embeddings(tmp_path, MAP)


TABLE = "model.embed_tokens.weight"
SOUND = {"dtype": "F32", "shape": [ROWS, WIDTH], "data_offsets": [0, ROWS * WIDTH * 4]}


def small_model(folder, header):
    """A model of an embedding, with this header."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    data = arrays(1).tobytes()
    (folder / "model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw + data + bytes(64))
    (folder / "config.json").write_text(json.dumps({"vocab_size": ROWS}))


@pytest.mark.parametrize(
    "header",
    [
        {TABLE: {**SOUND, "data_offsets": ["a", "b"]}},
        {TABLE: {**SOUND, "data_offsets": [0.0, ROWS * WIDTH * 4.0]}},
        {TABLE: {**SOUND, "data_offsets": 3}},
        {TABLE: {**SOUND, "shape": [-ROWS, -WIDTH]}},
        {TABLE: {**SOUND, "shape": [ROWS + 0.5, WIDTH]}},
        {TABLE: {**SOUND, "shape": [True, ROWS * WIDTH]}},
        {TABLE: {**SOUND, "shape": "ab"}},
        {TABLE: {**SOUND, "shape": [10**30, 0]}},
        {TABLE: {**SOUND, "dtype": ["F32"]}},
        {TABLE: {**SOUND, "dtype": "F128"}},
        {TABLE: None},
        {TABLE: SOUND, "__metadata__": [1]},
        {TABLE: SOUND, "__metadata__": "pt"},
        {TABLE: SOUND, "__metadata__": {"format": 1}},
        b"[" * 100_000,
        b"\xff\xff",
    ],
)
def test_headers_that_are_none(header, tmp_path):
    small_model(tmp_path, header)
    before = (tmp_path / "model.safetensors").read_bytes()
    with pytest.raises(FormatError):
        resize_embeddings(tmp_path, MAP)
    assert (tmp_path / "model.safetensors").read_bytes() == before


def test_tensors_that_are_only_copied_may_be_of_any_type(tmp_path):
    """Numbers of half a byte, none at all, a scalar."""
    end = ROWS * WIDTH * 4
    more = {
        "half": {"dtype": "F4", "shape": [3, 3], "data_offsets": [end, end + 5]},
        "six": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [end + 5, end + 8]},
        "none": {"dtype": "BF16", "shape": [0, 7], "data_offsets": [end + 8, end + 8]},
        "one": {"dtype": "I64", "shape": [], "data_offsets": [end + 8, end + 16]},
    }
    small_model(tmp_path, {"__metadata__": {"format": "pt"}, TABLE: SOUND, **more})
    resize_embeddings(tmp_path, MAP)
    header = safetensors.read_header(str(tmp_path / "model.safetensors"))
    assert header.metadata == {"format": "pt"}
    assert {name: (one.dtype, list(one.shape)) for name, one in header.tensors.items()} == {
        TABLE: ("F32", [10, WIDTH]),
        **{name: (one["dtype"], one["shape"]) for name, one in more.items()},
    }
    table = {**SOUND, "dtype": "F4", "data_offsets": [0, ROWS * WIDTH // 2]}
    small_model(tmp_path, {TABLE: table})
    with pytest.raises(tessella.errors.UnsupportedError, match="share bytes"):
        resize_embeddings(tmp_path, MAP)


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", "", "..", 1, ["a"], None])
def test_an_index_that_leads_elsewhere(name, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    write_model(folder)
    write_model(tmp_path)
    before = (tmp_path / "model.safetensors").read_bytes()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {TABLE: name}}))
    with pytest.raises(FormatError, match="no file beside it"):
        resize_embeddings(folder, MAP)
    assert (tmp_path / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    "config",
    [
        {"vocab_size": str(ROWS)},
        {"vocab_size": float(ROWS)},
        {"vocab_size": True},
        {"vocab_size": 0},
        {"vocab_size": ROWS, "forced_decoder_ids": [1, 2]},
    ],
)
def test_settings_that_are_none(config, tmp_path):
    write_model(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(FormatError, match="must be a"):
        resize_embeddings(tmp_path, MAP)


def test_links_of_a_cache_lead_to_files_that_stay(tmp_path):
    """As the hub's client keeps models: files by their content, links by their names."""
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "main"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    write_model(blobs, sharded=True)
    before = {path.name: path.read_bytes() for path in blobs.iterdir()}
    for path in blobs.iterdir():
        (snapshot / path.name).symlink_to(os.path.relpath(path, snapshot))
    with pytest.raises(ArgumentError, match=r"is a link to .*: pass `out`"):
        resize_embeddings(snapshot, MAP)
    resize_embeddings(snapshot, MAP, out=tmp_path / "new")
    assert {path.name: path.read_bytes() for path in blobs.iterdir()} == before
    assert all(path.is_file() and not path.is_symlink() for path in (tmp_path / "new").iterdir())
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(before)


def test_folders_of_the_model_are_copied_too(tmp_path):
    write_model(tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("{}")
    resize_embeddings(tmp_path, MAP, out=tmp_path / "out")
    assert (tmp_path / "out" / "1_Pooling" / "config.json").read_text() == "{}"
    assert not (tmp_path / "out" / "out").exists()
    assert json.loads((tmp_path / "out" / "config.json").read_text())["vocab_size"] == 10


def test_rows_of_words_are_remapped_whole_or_dropped(tmp_path):
    write_model(tmp_path)
    # The id 2 is removed; what is left of a row with it was never forbidden.
    generation = {
        "bad_words_ids": [[2], [3], [3, 2], [2, 4, 5], [4, 5]],
        "force_words_ids": [[3, 4], [[5], [8, 3]]],
        "stop_words_ids": [[8]],
        "suppress_tokens": [2, 4, -1],
    }
    path = tmp_path / "generation_config.json"
    path.write_text(json.dumps(generation))
    assert MAP[2] is None
    new = {old: MAP[old] for old in (3, 4, 5, 8)}
    resize_embeddings(tmp_path, MAP, out=tmp_path / "new")
    assert json.loads((tmp_path / "new" / "generation_config.json").read_text()) == {
        "bad_words_ids": [[new[3]], [new[4], new[5]]],
        "force_words_ids": [[new[3], new[4]], [[new[5]], [new[8], new[3]]]],
        "stop_words_ids": [[new[8]]],
        "suppress_tokens": [new[4], -1],
    }
    path.write_text(json.dumps({"force_words_ids": [[3, 2]]}))
    with pytest.raises(ArgumentError, match="force_words_ids names the id 2, which was removed"):
        resize_embeddings(tmp_path, MAP)
