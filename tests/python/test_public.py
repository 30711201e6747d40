"""What the package shows, and what importing it costs."""

import importlib
import pydoc
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
import tessella
from tessella import decoders, models, normalizers, pre_tokenizers, processors

MODULES = [
    "tessella",
    "tessella.batch",
    "tessella.cli",
    "tessella.compat",
    "tessella.compat.sentencepiece",
    "tessella.compat.tiktoken",
    "tessella.compat.transformers",
    "tessella.counting",
    "tessella.data",
    "tessella.decoders",
    "tessella.edit",
    "tessella.errors",
    "tessella.explain",
    "tessella.implementations",
    "tessella.limits",
    "tessella.models",
    "tessella.normalizers",
    "tessella.pre_tokenizers",
    "tessella.processors",
    "tessella.prove",
    "tessella.recipes",
    "tessella.tools",
    "tessella.trainers",
]


@pytest.mark.parametrize("name", MODULES)
def test_all_is_what_is_public(name):
    module = importlib.import_module(name)
    for exported in module.__all__:
        assert getattr(module, exported) is not None
    visible = {
        attribute
        for attribute, value in vars(module).items()
        if not attribute.startswith("_")
        and getattr(value, "__module__", None) == name
        and not isinstance(value, types.ModuleType)
    }
    # SentencePiece models come from files only.
    assert visible - {"SentencePiece"} <= set(module.__all__)


LISTED = Path(__file__).parent / "public_names.txt"


def test_no_public_name_goes_and_none_comes_unseen():
    """What `public_names.txt` lists: a module or class, and names that it has; of a module, all that are in `__all__`.

    A component is told by its row in the engine already, without which its class cannot go (`test_components.py`).
    """
    stages = (normalizers.Normalizer, pre_tokenizers.PreTokenizer, models.Model)
    stages += (processors.PostProcessor, decoders.Decoder)
    told = {kind for stage in stages for kind, _ in stage._handles.kinds()}
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        where, _, names = line.partition(": ")
        place = pydoc.locate(where)
        assert [name for name in names.split() if not hasattr(place, name)] == [], where
        unseen = set(getattr(place, "__all__", ())) - set(names.split()) - told
        assert not unseen, f"add them to the line `{where}` of {LISTED.name}"


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_pulls_in_nothing_but_itself():
    code = """
import sys
before = set(sys.modules)
import tessella
for name in sorted(set(sys.modules) - before):
    print(name.split('.')[0])
"""
    loaded = set(run(code)) - set(sys.stdlib_module_names) - {"tessella"}
    assert loaded <= {"numpy"}


def test_optional_rooms_stay_out():
    code = "import sys, tessella; print(*[n for n in sys.modules if n.startswith('tessella.')])"
    rooms = {name.split(".")[1] for name in run(code)}
    optional = {"implementations", "tools", "web", "cli", "data", "evaluate", "embeddings", "edit"}
    optional |= {"batch", "compat", "explain", "trainers", "training", "counting", "limits"}
    assert not rooms & optional


@pytest.mark.parametrize("name", ["inspect", "json", "pathlib", "dataclasses"])
def test_what_few_need_of_python_stays_out(name):
    code = f"import sys; before = set(sys.modules); import tessella; print(*set(sys.modules) - before, {name!r} in before)"
    loaded = run(code)
    assert loaded[-1] == "True" or name not in loaded


@pytest.mark.parametrize(
    "name", ["count_pieces", "PieceCounts", "Limits", "get_limits", "set_limits", "trainers.BpeTrainer"]
)
def test_what_comes_late_is_there_when_asked_for(name):
    assert run(f"import tessella; print(callable(tessella.{name}))") == ["True"]


def test_base_classes_cannot_be_made():
    from tessella import decoders, normalizers, pre_tokenizers, processors, trainers

    for base in (
        normalizers.Normalizer,
        pre_tokenizers.PreTokenizer,
        processors.PostProcessor,
        decoders.Decoder,
        trainers.Trainer,
    ):
        with pytest.raises(TypeError, match="cannot create"):
            base()


def test_version_is_a_string():
    assert isinstance(tessella.__version__, str)


def test_rooms_are_there_without_an_import_of_their_own():
    program = "import tessella; print(tessella.batch.PretrainedTokenizer.__name__, tessella.words.__name__, tessella.compat.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["PretrainedTokenizer", "tessella.words", "tessella.compat"]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tessella.nothing


def test_roles_are_not_taken_for_tokens():
    tokenizer = tessella.Tokenizer(tessella.models.BPE())
    with pytest.raises(TypeError, match="not a dict"):
        tokenizer.add_special_tokens({"pad_token": "[PAD]"})
    assert tokenizer.get_vocab_size() == 0


def test_the_page_of_the_tokenizer_tells_all_that_it_can_be_asked():
    page = sys.modules["tessella.tokenizer"].__doc__
    told = re.findall(r"``(\w+)(\*?)``", page[page.index("\n- ") :])
    own = vars(tessella.Tokenizer)
    public = {name for name in dir(tessella.Tokenizer) if not name.startswith("_")} | {"__call__"}
    assert sorted(told) == sorted((name, "" if name in own else "*") for name in public)
