"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import pkgutil

import pytest
import tessella
from needed import skip_without
from tessella import _tessella

MODULES = sorted(
    name
    for _, name, _ in pkgutil.walk_packages(tessella.__path__, "tessella.")
    if name.split(".")[1] not in ("demo", "__main__")
)


@pytest.mark.parametrize("name", ["tessella", *MODULES])
def test_examples(name):
    skip_without(name)
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_compiled_examples():
    runner = doctest.DocTestRunner()
    classes = [one for one in vars(_tessella).values() if isinstance(one, type)]
    for cls in classes:
        for name, member in [("", cls), *vars(cls).items()]:
            text = getattr(member, "__doc__", None) or ""
            if ">>>" in text:
                test = doctest.DocTestParser().get_doctest(text, {}, f"{cls.__name__}.{name}", None, None)
                runner.run(test)
    assert runner.tries >= 8
    assert runner.failures == 0
