"""The stub of the compiled module, which type checkers read in its place, tells all that is there and nothing else."""

import ast
import inspect
from pathlib import Path

import pytest
from tessella import _tessella

STUB = ast.parse((Path(_tessella.__file__).parent / "_tessella.pyi").read_text(encoding="utf-8"))
# Of classes that do not exist: what all of a kind have.
SHARED = {"_Handle"}


def told(nodes):
    """Names with their function, if they are one, and `None` otherwise."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
    return found


def is_private_to_types(name):
    """Type variables and aliases have a capital, as classes have, behind an underscore."""
    return name in SHARED or (name.startswith("_") and name[1:2].isupper())


MODULE = {name: node for name, node in told(STUB.body).items() if not is_private_to_types(name)}
CLASSES = {name: node for name, node in MODULE.items() if isinstance(node, ast.ClassDef)}


def members(node):
    shared = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in SHARED]
    bases = [one for one in STUB.body if isinstance(one, ast.ClassDef) and one.name in shared]
    return {name: one for base in [*bases, node] for name, one in told(base.body).items()}


def parameters(function):
    """The names of parameters; what stands for any number of them is left out, and so is the object itself."""
    if isinstance(function, ast.FunctionDef):
        given = function.args
        names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    else:
        try:
            signature = inspect.signature(function)
        except ValueError:
            # The interpreter's own slots do not tell.
            return None
        starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        names = [name for name, one in signature.parameters.items() if one.kind not in starred]
    return [name for name in names if name not in ("self", "cls", "type")]


def test_the_module():
    there = {name for name in vars(_tessella) if not name.startswith("__") or name in MODULE}
    assert there == set(MODULE)
    for name, node in MODULE.items():
        if isinstance(node, ast.FunctionDef):
            assert parameters(getattr(_tessella, name)) == parameters(node), name


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_class(name):
    cls, node = getattr(_tessella, name), CLASSES[name]
    stub = members(node)
    assert [one for one in stub if not hasattr(cls, one)] == []
    assert [one for one in vars(cls) if not one.startswith("__") and one not in stub] == []
    for method, said in stub.items():
        there = getattr(cls, method)
        if isinstance(said, ast.FunctionDef) and callable(there) and not method.startswith("__"):
            assert parameters(there) in (None, parameters(said)), method
