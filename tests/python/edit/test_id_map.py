"""Maps of ids: values that compose, turn round, and change ids wherever they stand."""

import random
from itertools import pairwise

import numpy as np
import pytest
from tessella import RaggedIds
from tessella.edit import IdMap
from tessella.errors import ArgumentError, FormatError, OutOfRangeError


def by_chance(seed, old_size=None):
    draw = random.Random(seed)
    old_size = old_size or draw.randint(3, 12)
    new_size = old_size + draw.randint(0, 3)
    targets = draw.sample(range(new_size), old_size)
    table = [new if draw.random() < 0.7 else None for new in targets]
    free = sorted(set(range(new_size)) - set(table))
    removed = {
        old: [draw.randrange(new_size) for _ in range(draw.randint(0, 3))]
        for old, new in enumerate(table)
        if new is None and draw.random() < 0.8
    }
    new = {one: [draw.randrange(old_size) for _ in range(2)] for one in free if draw.random() < 0.5}
    unsure = [draw.randrange(old_size)]
    return IdMap(
        table, removed=removed, new=new, new_size=new_size, is_exact=draw.random() < 0.5, unsure=unsure
    )


def known(id_map):
    return [old for old in range(len(id_map)) if id_map.kind(old) != "unused"]


@pytest.mark.parametrize("seed", range(40))
def test_composition_is_both_in_turn(seed):
    first = by_chance(seed)
    second = by_chance(seed + 100, first.new_size)
    both = first.then(second)
    for old in known(first):
        middle = first.apply([old], removed="decompose")
        if all(second.kind(one) != "unused" for one in middle):
            assert both.apply([old], removed="decompose") == second.apply(middle, removed="decompose")
    third = by_chance(seed + 200, second.new_size)
    assert list(both.then(third)) == list(first.then(second.then(third)))
    assert both.new_size == second.new_size


def joined_map(rng, size):
    """A map in which several ids may become one, some of them unsure."""
    new_size = rng.randrange(1, 6)
    table = [rng.choice([None, *range(new_size)]) for _ in range(size)]
    spelled = {old: [rng.randrange(new_size)] for old, new in enumerate(table) if new is None}
    made = {new: [rng.randrange(size)] for new in range(new_size) if new not in table}
    unsure = [old for old in range(size) if rng.random() < 0.2]
    return IdMap(table, removed=spelled, new=made, new_size=new_size, is_exact=True, unsure=unsure)


@pytest.mark.parametrize("seed", range(200))
def test_composition_where_several_ids_became_one(seed):
    rng = random.Random(seed)
    first = joined_map(rng, rng.randrange(1, 6))
    second = joined_map(rng, first.new_size)
    both = first.then(second)
    for old, middle in enumerate(first):
        parts = first.decomposition(old)
        assert both.decomposition(old) == tuple(last for part in parts for last in second.decomposition(part))
        in_turn = first.is_exact_for([old]) and second.is_exact_for([middle])
        assert both.is_exact_for([old]) == in_turn
    assert not set(both.new_ids) & set(both)


@pytest.mark.parametrize("seed", range(20))
def test_the_inverse_of_the_inverse_and_files(seed, tmp_path):
    one = by_chance(seed)
    again = one.inverse().inverse()
    assert list(again) == list(one)
    assert [again.decomposition(old) for old in one.removed_ids] == [
        one.decomposition(old) for old in one.removed_ids
    ]
    for name in ("map.json", "map.safetensors"):
        one.save(tmp_path / name)
        assert IdMap.load(tmp_path / name) == one
    theirs = pytest.importorskip("safetensors.numpy").load_file(tmp_path / "map.safetensors")
    assert theirs["new_ids"].tolist() == one.table.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_shapes_of_ids(seed):
    one = by_chance(seed)
    draw = random.Random(seed)
    ids = draw.choices(known(one), k=30)
    wanted = [new for old in ids for new in one.decomposition(old)]
    assert one.apply(ids, removed="decompose") == wanted
    found = one.apply(np.array(ids, np.uint16), removed="decompose")
    assert found.tolist() == wanted
    assert found.dtype == np.uint16
    ragged = RaggedIds(np.array(ids, np.uint32), np.array([0, 10, 10, 30]))
    rows = [ids[:10], [], ids[10:]]
    assert one.apply(ragged, removed="decompose").to_list() == one.apply(rows, removed="decompose")
    assert one.apply([-100, *ids, -100], removed="decompose", ignore=(-100,)) == [-100, *wanted, -100]
    labels = [f"label {place}" for place in range(len(ids))]
    spread, repeated = one.apply_along(ids, labels)
    assert spread == wanted
    assert len(repeated) == len(wanted)
    assert set(repeated) <= set(labels)


@pytest.mark.parametrize("seed", range(6))
def test_files_of_ids(seed, tmp_path, monkeypatch):
    from tessella.edit import apply

    monkeypatch.setattr(apply, "PORTION", 7)
    one = by_chance(seed)
    ids = random.Random(seed).choices(known(one), k=100)
    np.array(ids, "<u2").tofile(tmp_path / "ids.bin")
    number = one.apply_file(
        tmp_path / "ids.bin", tmp_path / "new.bin", target_dtype="uint32", removed="decompose"
    )
    found = np.fromfile(tmp_path / "new.bin", "<u4").tolist()
    assert found == one.apply(ids, removed="decompose")
    assert number == len(found)


def test_what_would_be_wrong_without_a_word_is_an_error(tmp_path):
    one = IdMap([0, None, 1, None], removed={1: [0, 1]})
    with pytest.raises(ArgumentError, match="id 1 at position 1 was removed"):
        one.apply([0, 1])
    with pytest.raises(OutOfRangeError, match="id 4 at position 0 is none of the old"):
        one.apply([4])
    with pytest.raises(ArgumentError, match="id 3 at position 0 stood for no token"):
        one.apply([3], removed="decompose")
    with pytest.raises(TypeError, match="whole numbers"):
        one.apply([0.5])
    with pytest.raises(TypeError, match="whole numbers"):
        one.apply(np.array([0.5]))
    with pytest.raises(ArgumentError, match="several rows"):
        one.apply(np.array([[0, 1]]), removed="decompose")
    assert one.apply(np.array([[0, 2], [2, 2]])).tolist() == [[0, 1], [1, 1]]
    wide = IdMap([300])
    with pytest.raises(OutOfRangeError, match="300 does not fit into uint8"):
        wide.apply(np.array([0], np.uint8))
    (tmp_path / "ids.bin").write_bytes(b"\x00\x00\x00")
    with pytest.raises(FormatError, match=r"ends in the middle of a number.*byte 3"):
        one.apply_file(tmp_path / "ids.bin", tmp_path / "out.bin")
    with pytest.raises(OutOfRangeError, match="do not fit into uint16"):
        IdMap([70000]).apply_file(tmp_path / "ids.bin", tmp_path / "out.bin")
    (tmp_path / "ids.bin").write_bytes(b"\x00\x00\x01\x00")
    with pytest.raises(ArgumentError, match="id 1 at position 1 was removed"):
        one.apply_file(tmp_path / "ids.bin", tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()


def test_maps_that_contradict_themselves():
    for arguments, why in [
        ({"new_ids": [0], "removed": {0: [0]}}, "cannot be removed"),
        ({"new_ids": [0, None], "removed": {1: [7]}}, "must be below"),
        ({"new_ids": [0], "new": {0: [0]}}, "cannot be new"),
        ({"new_ids": [0], "new": {1: [9]}}, "must be below"),
        ({"new_ids": [5], "new_size": 3}, "has the new id 5"),
        ({"new_ids": [-2]}, "from 0"),
    ]:
        with pytest.raises(ArgumentError, match=why):
            IdMap(**arguments)
    with pytest.raises(ArgumentError, match="both became 0"):
        IdMap([0, 0]).inverse()
    with pytest.raises(ArgumentError, match="another tokenizer"):
        IdMap([0, 1]).then(IdMap([0]))
    with pytest.raises(ArgumentError, match="another tokenizer"):
        IdMap([0], after="one").then(IdMap([0], before="other"))


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"kind": "other"}', '{"kind": "tessella id map", "version": 9}']
)
def test_files_that_hold_no_map(content, tmp_path):
    for name in ("map.json", "map.safetensors"):
        (tmp_path / name).write_text(content)
        with pytest.raises(FormatError):
            IdMap.load(tmp_path / name)


def test_what_is_no_id_stays_in_a_ragged_batch_too():
    id_map = IdMap([1, 0, None], removed={2: [0, 1]})
    rows = [[0, 7, 2], [], [7], [1]]
    flat = np.array([0, 7, 2, 7, 1], np.uint32)
    batch = RaggedIds(flat, np.array([0, 3, 3, 4, 5]))
    want = id_map.apply(rows, ignore=[7], removed="decompose")
    assert want == [[1, 7, 0, 1], [], [7], [0]]
    assert id_map.apply(batch, ignore=[7], removed="decompose").tolist() == want
    assert id_map.apply_labels(batch, ignore=7, removed="decompose").tolist() == want


def test_numbers_that_are_no_ids_are_refused():
    id_map = IdMap([0, None], removed={1: [0]}, is_exact=True)
    for ids in ([-1], [2], np.array([-2]), np.array([2**64 - 1], np.uint64)):
        with pytest.raises(OutOfRangeError, match="none of the old tokenizer's"):
            id_map.is_exact_for(ids)
    assert id_map.is_exact_for(np.array([[0, 0], [0, 0]]))
    assert not id_map.is_exact_for(np.array([[0, 1]]))
    for new_ids in (np.array([2**64 - 1], np.uint64), [2**70]):
        with pytest.raises(ArgumentError, match="no id"):
            IdMap(new_ids)
    masked = np.ma.array([0, 1], mask=[False, True])
    for look in (id_map.is_exact_for, id_map.apply):
        with pytest.raises(TypeError, match="masked"):
            look(masked)


def decomposed(old, *maps):
    """What an id comes to by maps in turn, or nothing where one of them raises."""
    ids = [old]
    try:
        for one in maps:
            ids = one.apply(ids, removed="decompose")
    except ArgumentError:
        return None
    return ids


def test_both_in_turn_raise_where_one_map_for_both_does():
    """Also for parts of what was removed that the second map does not know."""
    draw = random.Random(3)
    told = 0
    for _ in range(600):
        sizes = [draw.randint(2, 5) for _ in range(3)]
        maps = []
        for before, after in pairwise(sizes):
            places = draw.sample([*range(after), *[None] * before], before)
            gone = [old for old, new in enumerate(places) if new is None and draw.random() < 0.5]
            parts = {old: draw.choices(range(after), k=draw.randint(0, 2)) for old in gone}
            maps.append(IdMap(places, removed=parts, new_size=after))
        first, second = maps
        for old in range(sizes[0]):
            one, two = decomposed(old, first.then(second)), decomposed(old, first, second)
            assert one == two, (list(first), list(second), old)
            told += two is None
    assert told > 100
