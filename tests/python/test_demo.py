"""What `make demo` shows, part by part, on small texts."""

import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tessella import demo
from tessella._optional import how_to_install
from tessella.demo import corpus, peers

ROOT = Path(__file__).parents[2]
TEXTS = ["Tile by tile the mosaic grows, and no tile is left over.\n" * 5, "naïve café, 東京, 🧩🧩"] * 3


@pytest.fixture(scope="module")
def trained():
    return demo._train(TEXTS)


def test_texts_to_learn_from_and_texts_aside_share_nothing():
    learn, aside = corpus.split()
    assert len(learn) > 100 and len(aside) > 20
    assert not set(learn) & {text for text in aside if len(text) > 2_000}
    assert corpus.a_file().is_file()


@pytest.mark.parametrize("name", peers.PEERS)
def test_a_peer_gets_the_same_tokenizer(trained, name):
    pytest.importorskip(name)
    theirs = peers.PEERS[name](trained)
    ours = peers._tessella(trained)
    for text in [*TEXTS, "", " \n\t x", "unseen words, 1984"]:
        assert list(theirs(text)) == ours(text) == trained.encode_ids(text).tolist()


@pytest.mark.filterwarnings("error")
def test_a_peer_is_made_without_a_warning(trained):
    pytest.importorskip("tiktoken")
    assert peers.PEERS["tiktoken"](trained)("tile")


def test_the_time_of_new_words_is_not_that_of_the_first_call(trained, monkeypatch, capsys):
    """Texts without a word of those that are timed go first."""
    asked = []
    encode = type(trained).encode_ids_batch
    monkeypatch.setattr(
        type(trained), "encode_ids_batch", lambda self, texts: asked.append(texts) or encode(self, texts)
    )
    assert demo._encoded(trained, TEXTS)
    first, *timed = asked
    assert timed == [TEXTS, TEXTS]
    assert not set(" ".join(first).split()) & set(" ".join(TEXTS).split())
    assert "while its words are new" in capsys.readouterr().out


def test_peers_that_are_installed_are_compared(trained, monkeypatch, capsys):
    pytest.importorskip("tokenizers")
    monkeypatch.setattr(peers, "ROUNDS", 1)
    found = peers.compare(trained, TEXTS)
    assert "tokenizers" in [one.name for one in found]
    for one in found:
        assert one.differing == 0
        assert one.texts == len(TEXTS) and one.bytes == sum(len(text.encode()) for text in TEXTS)
        assert one.version in str(one) and "all ids equal" in str(one)


def test_other_ids_are_told(trained, monkeypatch):
    monkeypatch.setattr(peers, "ROUNDS", 1)
    monkeypatch.setattr(
        peers, "PEERS", {"numpy": lambda tokenizer: lambda text: [7] if "tile" in text else []}
    )
    (found,) = peers.compare(trained, [*TEXTS, ""])
    assert found.differing == len(TEXTS)
    assert f"other ids in {len(TEXTS)} of {len(TEXTS) + 1} texts" in str(found)


def test_without_a_peer_the_demo_says_so(trained, monkeypatch, capsys):
    monkeypatch.setattr(peers, "PEERS", {"no-such-library": peers.PEERS["tokenizers"]})
    demo._beside(trained, TEXTS)
    assert "no peer is installed here; with no-such-library" in capsys.readouterr().out


def test_a_word_is_explained_and_a_training_is_shown(trained, capsys):
    demo._explained(trained, colour=False)
    out = capsys.readouterr().out
    assert f'"{demo.EXPLAINED}"' in out and "rank" in out
    demo._step_by_step()
    out = capsys.readouterr().out
    assert re.search(r"1 +i \+ l +il +36 ", out), out
    assert "the vocabulary reached its target size" in out


def test_the_commands_it_names_run(capsys, tmp_path):
    demo._next()
    commands = re.findall(r"^  (\S.*)$", capsys.readouterr().out, re.M)
    assert len(commands) == 3
    for command in commands:
        tool, *words = shlex.split(command)
        if words[:2] == ["-m", "tessella"]:
            words = words[2:]
        done = subprocess.run(
            [sys.executable, "-m", "tessella", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{tool} {words}: {done.stderr}"
        assert done.stdout


def test_a_hint_names_a_package_of_its_extra():
    # Python 3.10 has no reader of TOML; the table is plain enough for one expression.
    _, _, table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("optional-dependencies]")
    lines = re.findall(r"^(\w+) = (\[.*\])$", table.partition("\n[")[0], re.M)
    extras = {extra: json.loads(packages) for extra, packages in lines}
    assert {"hub", "chat", "arrow", "tasks", "embeddings"} <= set(extras)
    assert how_to_install("jinja2", "chat") == (
        "pip install jinja2 (or, in a clone of Tessella: pip install '.[chat]')"
    )
    pattern = re.compile(r"(?:how_to_install|needed)\(\s*[\"']+([\w-]+)[^,]*, [\"'](\w+)[\"']")
    found = [
        hint
        for path in (ROOT / "python").rglob("*.py")
        for hint in pattern.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 20
    for package, extra in found:
        # A name may be spelled either way.
        wanted = (one.replace("_", "-") for one in extras[extra])
        assert any(re.match(rf"{package.replace('_', '-')}\b", one) for one in wanted), (package, extra)


def test_a_missing_package_is_told_with_what_works_without_an_index(monkeypatch, tmp_path):
    from tessella.errors import MissingDependencyError

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    hub = importlib.import_module("tessella.batch.hub")
    with pytest.raises(
        MissingDependencyError, match=r"pip install huggingface_hub \(or, in a clone.*'\.\[hub\]'"
    ):
        hub._hub("a name on a hub")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    from tessella import count_pieces

    with pytest.raises(MissingDependencyError, match=r"pip install pyarrow"):
        count_pieces(str(tmp_path / "rows.parquet"))
