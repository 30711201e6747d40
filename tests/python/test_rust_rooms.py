"""The crates keep their rooms apart too: a short table says who may import whom, and no two files import each other.

A *room* is a module right below the crate: a file, or a folder with its files. Imports are read from the text: `use` lines and paths
like `crate::json::Node`, each followed through re-exports to the file that defines the name. Code of tests does not count.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

CRATES = Path(__file__).parents[2] / "crates"

# What every room of the core may use. They are no circle, as another test sees.
SHARED = "cancel error flat hash hooks ids limits memory pattern portion random scale spec text threads trie unicode vocab"

# Room by room, what else it may use of its crate, and of others as `crate::room`. `*` stands for every other room, and as a room for
# those without a row of their own; `+` for all of these.
ARROWS = {
    "core": {
        **dict.fromkeys(SHARED.split(), SHARED),
        # Vectors are in the one room that may hold unsafe code.
        "pattern": f"{SHARED} lanes",
        "added": SHARED,
        # The byte-level alphabet is one table of the pre-tokenizers, for model and decoder too.
        "normalize": f"{SHARED} pretokenize",
        "pretokenize": SHARED,
        "model": f"{SHARED} lanes pretokenize",
        "lanes": SHARED,
        "encoding": SHARED,
        "postprocess": f"{SHARED} encoding",
        "decode": f"{SHARED} pretokenize",
        # Only conductors join stages.
        "tokenizer": f"{SHARED} added decode encoding lanes model normalize postprocess pretokenize",
        "sentencepiece": f"{SHARED} decode model normalize tokenizer",
        "compare": f"{SHARED} encoding tokenizer",
    },
    "formats": {
        "json": "",
        "base64": "",
        "unfetched": "",
        "utf8": "",
        "atomic": "core::flat core::limits core::random unfetched",
        "corpus": "core::limits core::portion core::tokenizer json unfetched utf8",
        "beside_model": "json",
        "concat_rank": "core::vocab",
        "hf": "base64 concat_rank core::hooks core::pattern core::pretokenize core::text core::vocab json",
        "vocab_files": "core::vocab hf json",
        "fingerprint": "base64 core::vocab hf json",
        # The characters of a hundred thousand tokens become one text by vectors.
        "tiktoken": "atomic base64 concat_rank core::lanes core::pattern core::pretokenize core::vocab fingerprint formats hf "
        "json",
        "tekken": "base64 core::pretokenize core::vocab json tiktoken",
        "gguf": "atomic core::normalize core::pretokenize core::vocab sentencepiece tiktoken vocab_files",
        # Rules become character maps, which the core reads.
        "sentencepiece": "core::hash core::normalize core::sentencepiece core::text core::unicode core::vocab",
        "packed": "hf sentencepiece",
        "snapshot": "atomic core::flat core::tokenizer core::vocab hf packed",
        "formats": "atomic gguf hf json sentencepiece snapshot tekken tiktoken utf8 vocab_files +",
        # A further format: notations that formats share, and what descriptions are made of.
        "*": "base64 core::pattern core::pretokenize core::vocab json",
        "classes": "",
        "model_types": "",
        "folder": "atomic beside_model classes formats hf json model_types vocab_files",
        "detect": "folder formats snapshot",
    },
    "train": {
        "budget": "",
        "progress": "",
        "bytes": "formats::atomic",
        "characters": "",
        "parallel": "core::threads progress",
        "outcome": "",
        # The room of flat tables asks for memory.
        "counts": "bytes core::flat core::hash core::portion core::threads formats::atomic formats::corpus parallel progress",
        "wordlevel": "core::vocab counts outcome progress",
        "bpe": "budget bytes characters core::flat core::hash core::vocab counts formats::atomic outcome progress",
        # It learns merges, and keeps the tokens.
        "wordpiece": "bpe core::vocab counts outcome progress",
        "unigram": "bpe budget bytes counts formats::atomic outcome parallel progress",
        # Sections of the file are the options of its trainer.
        "sentencepiece": "bpe characters core::hash core::normalize core::random core::sentencepiece core::text core::unicode "
        "counts formats::atomic formats::sentencepiece parallel progress unigram",
        "again": "",
    },
    # Adapters: each may use all crates, and the others where a method of one gives or takes another.
    "python": {"*": "*"},
}
# Every room may use these of other crates: an error, a flag to stop, an id and the description.
EVERYWHERE = {"core::cancel", "core::error", "core::ids", "core::spec"}

# Files that import each other in a circle, with the reason. A room's own front file and the files in it are one thing.
CIRCLES = {
    "core::tokenizer::byte_lanes core::tokenizer::piece_lanes core::tokenizer::worker": "a worker owns its lanes, and they hand it what is too long for them",
    "python::components::processors python::tokenizer::face": "the tokenizer hands out its post-processor, which is told the ids of a "
    "tokenizer's tokens",
}

TEST_FILES = {"tests", "testing", "conformance"}
NOT_CODE = re.compile(r'b?r(#+)".*?"\1|//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:\\.|["/])\'', re.DOTALL)
INLINE_TESTS = re.compile(r"#\[cfg\(test\)\]\s*(pub(\(\w+\))? )?mod \w+ \{")
USE = re.compile(r"^\s*(pub(?:\([\w: ]+\))?\s+)?use\s+([^;]+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])[a-z_0-9]+(?:::\w+)+")

# A module as its crate and names: `("formats", "hf", "pattern")`.
Module = tuple[str, ...]


@cache
def sources() -> dict[Module, str]:
    """The code of every module, without comments, texts and tests."""
    found = {}
    for crate in ARROWS:
        folder = CRATES / f"tessella-{crate}" / "src"
        for path in sorted(folder.rglob("*.rs")):
            names = path.relative_to(folder).with_suffix("").parts
            if TEST_FILES.isdisjoint(names) and not names[-1].endswith("_tests"):
                names = names[:-1] if names[-1] in {"lib", "mod"} else names
                code = NOT_CODE.sub("", path.read_text(encoding="utf-8"))
                found[(crate, *names)] = INLINE_TESTS.split(code)[0]
    return found


def expanded(tree: str):
    """The paths of a `use` with braces, and the names that they have afterwards."""
    tree = tree.strip()
    if not tree.endswith("}"):
        path, _, alias = tree.partition(" as ")
        yield tuple(path.split("::")), alias or path.split("::")[-1]
        return
    start, _, inner = tree.removesuffix("}").partition("{")
    prefix = tuple(name for name in start.strip().split("::") if name)
    # A comma inside of braces belongs to a deeper part.
    for part in re.findall(r"[^,{]+(?:\{(?:[^{}]|\{[^{}]*\})*\})?", inner):
        for path, name in expanded(part) if part.strip() else ():
            yield prefix + tuple(word for word in path if word != "self"), name


def absolute(here: Module, path: Module) -> Module | None:
    """A path from the root of its crate; `None` if it leads to another library."""
    first = path[0]
    if first == "crate":
        return here[0], *path[1:]
    if first.startswith("tessella_"):
        return first.removeprefix("tessella_"), *path[1:]
    if first in {"self", "super"}:
        while path[0] == "super":
            here, path = here[:-1], path[1:]
        return here + (path[1:] if path[0] == "self" else path)
    return here + path if (*here, first) in sources() else None


@cache
def exports() -> dict[Module, dict[str, Module]]:
    """What modules hand on, and where it comes from."""
    found: dict[Module, dict[str, Module]] = defaultdict(dict)
    for here, code in sources().items():
        for use in USE.finditer(code):
            for path, name in expanded(use[2]) if use[1] else ():
                target = absolute(here, path)
                if target:
                    found[here][name] = target
    return found


def home(path: Module, steps: int = 10) -> Module | None:
    """The module that defines what a path names."""
    here = path[:1]
    if here not in sources() or not steps:
        return None
    for end, name in enumerate(path[1:], 2):
        if path[:end] in sources():
            here = path[:end]
        elif name in exports()[here]:
            return home(exports()[here][name] + path[end:], steps - 1)
        else:
            break
    return here


@cache
def imports() -> dict[Module, set[Module]]:
    """For every module those whose definitions it uses."""
    found = {}
    for here, code in sources().items():
        uses = [path for use in USE.finditer(code) for path, _ in expanded(use[2])]
        inline = [tuple(path[0].split("::")) for path in PATH.finditer(USE.sub("", code))]
        targets = {home(target) for path in uses + inline if (target := absolute(here, path))}
        found[here] = targets - {None, here}
    return found


def circles(arrows: dict[Module, set[Module]]) -> list[set[Module]]:
    """The largest sets of modules that all reach each other."""
    reach = {}
    for start in arrows:
        met, open_ = set(), [start]
        while open_:
            for target in arrows.get(open_.pop(), ()):
                if target not in met:
                    met.add(target)
                    open_.append(target)
        reach[start] = met
    rings = {
        frozenset(two for two in met if one in reach.get(two, ())) for one, met in reach.items() if one in met
    }
    return sorted(map(set, rings), key=min)


def test_imports_are_read():
    tree = "crate::{a, b::{self, c as d}, e::{f::{g}, h}}"
    assert list(expanded(tree)) == [
        (("crate", "a"), "a"),
        (("crate", "b"), "self"),
        (("crate", "b", "c"), "d"),
        (("crate", "e", "f", "g"), "g"),
        (("crate", "e", "h"), "h"),
    ]
    assert ("formats", "json", "node") in imports()["formats", "hf", "pattern"], "through a re-export"


def test_rooms_import_what_the_table_allows():
    found = defaultdict(set)
    for here, targets in imports().items():
        for crate, *rest in targets:
            # The front page of a crate hands on what its rooms define.
            if len(here) > 1 and rest and here[:2] != (crate, rest[0]):
                found[here[:2]].add(rest[0] if crate == here[0] else f"{crate}::{rest[0]}")
    assert sum(map(len, found.values())) > 200, "the imports are not read any more"
    wrong, idle = [], []
    for (crate, room), used in sorted(found.items()):
        table = ARROWS[crate]
        allowed = set(table.get(room, table.get("*", "")).split())
        if "+" in allowed:
            rooms = {here[1] for here in sources() if here[0] == crate and len(here) > 1}
            allowed = allowed - {"+"} | (rooms - set(table))
        if "*" not in allowed:
            wrong += [f"{crate}::{room} -> {target}" for target in sorted(used - allowed - EVERYWHERE)]
        if "*" not in allowed and room in table:
            told = set(table[room].split()) - {"+"} - set(SHARED.split())
            idle += [f"{crate}::{room} -> {target}" for target in sorted(told - used)]
    assert not wrong, "imports that the table does not allow"
    assert not idle, "arrows of the table that nothing needs: strike them"


def test_no_crate_imports_one_that_is_built_on_it():
    order = list(ARROWS)
    for here, targets in imports().items():
        for target in targets:
            assert order.index(target[0]) <= order.index(here[0]), (here, target)


def test_files_import_each_other_only_with_a_reason():
    inside = {
        here: {target for target in targets if here[: len(target)] != target and target[: len(here)] != here}
        for here, targets in imports().items()
    }
    found = {" ".join("::".join(module) for module in sorted(ring)) for ring in circles(inside)}
    assert found == set(CIRCLES)
