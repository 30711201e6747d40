"""The package keeps its rooms apart: a short table says who may import whom, and no two files import each other.

A *room* is a folder of the package; files that stand beside the folders serve all. Imports inside functions count as arrows, since
whoever calls the function needs the other room, and not as circles, since they wait until both files are there. What only type checkers
read counts as neither.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import tessella
from test_rust_rooms import circles

PACKAGE = Path(tessella.__file__).parent

# Room by room, which others it may use. `*` stands for every other room; `_tessella` is the compiled module, which the others reach
# through the public names and the small files beside the rooms.
ARROWS = {
    "training": "_tessella",
    "recipes": "_tessella training",
    "batch": "_tessella training",
    # The names of other libraries, on what is here; their files are read by the engine.
    "compat": "_tessella batch recipes training",
    "explain": "_tessella",
    # Which stage parts ways is what explaining shows, without how the model came to its tokens.
    "prove": "explain",
    "demo": "compat",
    "tools": "",
    "reference": "",
    "words": "",
    "tasks": "",
    "embeddings": "",
    "edit": "",
    # Reports that were saved are checked by a schema, as requests are.
    "evaluate": "web",
    "data": "",
    "web": "*",
    "cli": "*",
}
# Of files beside the rooms, which rooms each uses; the others use none.
BESIDE = {
    "__main__": "cli",
    "_gguf": "training",
    # A text that would differ is made small before it is shown.
    "_gguf_proof": "prove",
    "implementations": "compat",
    "loading": "batch",
    "models": "training",
    "tokenizer": "batch explain training",
    "trainers": "training",
}
# Files that import each other in a circle, with the reason.
CIRCLES: dict[str, str] = {}

# A module as its names below the package: `("batch", "chat")`; a room's own file has the name of the room.
Module = tuple[str, ...]


@cache
def files() -> dict[Module, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        names = path.relative_to(PACKAGE).with_suffix("").parts
        found[names[:-1] if names[-1] == "__init__" else names] = path
    return found | {("_tessella",): PACKAGE / "_tessella.pyi"}


def statements(node: ast.AST, later: bool = False):
    """Imports, and whether they wait until a function is called."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.If) and ast.unparse(inner.test) == "TYPE_CHECKING":
            continue
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            yield inner, later
        is_function = isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
        yield from statements(inner, later or is_function)


def imports(here: Module, path: Path):
    """The modules of the package that a file imports, each with whether it waits."""
    folder = here if path.name == "__init__.py" else here[:-1]
    for statement, later in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in statement.names]
            targets = [name[1:] for name in names if name[0] == "tessella"]
        else:
            module = tuple(statement.module.split(".")) if statement.module else ()
            if statement.level:
                base = folder[: len(folder) + 1 - statement.level] + module
            elif module[0] == "tessella":
                base = module[1:]
            else:
                continue
            targets = [(*base, alias.name) for alias in statement.names]
        for target in targets:
            # What is no file is a name in one.
            yield target if target in files() else target[:-1], later


@cache
def arrows() -> dict[tuple[Module, Module], bool]:
    """Who imports whom, and whether always only later."""
    found: dict[tuple[Module, Module], bool] = {}
    for here, path in files().items():
        for target, later in imports(here, path):
            if here != target:
                found[here, target] = found.get((here, target), True) and later
    return found


def test_imports_are_read():
    assert not arrows()[("batch", "chat"), ("errors",)]
    assert arrows()[("batch", "chat"), ("batch", "schema")], "inside of a function"
    assert (("batch", "chat"), ("tokenizer",)) not in arrows(), "for type checkers only"
    assert len(arrows()) > 1400


def test_rooms_import_what_the_table_allows():
    rooms = {names[0] for names in files() if len(names) > 1}
    assert rooms == set(ARROWS)
    found = defaultdict(set)
    for here, target in arrows():
        room = here[0] if here else ""
        if (
            target
            and room != target[0]
            and (target[0] in rooms or (room in rooms and target[0] == "_tessella"))
        ):
            found[room].add(target[0])
    table = {room: set(allowed.split()) for room, allowed in {**ARROWS, **BESIDE}.items()}
    wrong = [
        f"{room} -> {target}"
        for room, used in sorted(found.items())
        for target in sorted(used - table.get(room, set()))
        if "*" not in table.get(room, ())
    ]
    assert not wrong, "imports that the table does not allow"
    idle = [
        f"{room} -> {target}" for room, allowed in table.items() for target in allowed - found[room] - {"*"}
    ]
    assert not idle, "arrows of the table that nothing needs: strike them"


def test_files_import_each_other_only_with_a_reason():
    begins = defaultdict(set)
    for (here, target), later in arrows().items():
        # A package's own file hands on what its files define, and is made before each of them.
        inside = here[: len(target)] == target or target[: len(here)] == here
        if not later and not inside:
            begins[here].add(target)
    found = {" ".join(".".join(module) for module in sorted(ring)) for ring in circles(begins)}
    assert found == set(CIRCLES)


def test_a_room_and_its_files_are_no_circle_either():
    """What a room's own file imports may not import that file again; the package itself is imported first by all."""
    found = [
        f"{'.'.join(here)} <-> {'.'.join(target)}"
        for (here, target), later in arrows().items()
        if not later and len(target) > len(here) > 0 and target[: len(here)] == here
        if not arrows().get((target, here), True)
    ]
    assert found == []
