"""What a command is, and how one is found: every file in ``commands`` is one."""

from __future__ import annotations

import argparse
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

from . import commands, heeded, terminal


class Help(argparse.RawDescriptionHelpFormatter):
    """Descriptions as they are written, options with room for their names."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, max_help_position=32, **options)


class Parser(argparse.ArgumentParser):
    """Says what is wrong first, and how the command is used in one line; all options are in its help."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Also takes files behind an option that follows the first argument, as the usage line shows them.

        `argparse` is done with a list of files where the first run of arguments ends, be it empty or not.
        """
        given = list(sys.argv[1:] if args is None else args)
        options, rest = super().parse_known_args(given, namespace)
        # Those of a verb are there already.
        options.typed = {**getattr(options, "typed", {}), **heeded.typed(self, options)}
        if not rest:
            return options, rest
        behind = given[given.index("--") + 1 :] if "--" in given else []
        rest = [one for one in rest if one != "--"]
        unknown = [one for one in rest if one.startswith("-") and one != "-" and one not in behind]
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        for action in reversed(self._actions):
            if action.option_strings or action.nargs not in ("*", "+", "?"):
                continue
            found = getattr(options, action.dest)
            if action.nargs != "?":
                setattr(options, action.dest, [*(found or ()), *rest])
                return options, []
            if found is None and len(rest) == 1:
                setattr(options, action.dest, rest[0])
                return options, []
            break
        return options, rest

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split()[0]
        if unknown.startswith("--") and unknown in message and message.startswith("unrecognized"):
            from .._near import meant

            name = unknown.partition("=")[0]
            message = f"there is no option `{name}`{meant(name, self._option_string_actions)}"
        terminal.fail(f"{message}\nusage: {self.short_usage()}\nsee {self.prog} --help")
        raise SystemExit(2)

    def print_help(self, file: Any = None) -> None:
        """The help, in colours where the reader wants them; from Python 3.14 on it would choose its own."""
        stream = sys.stdout if file is None else file
        if stream is not None:
            stream.write(terminal.coloured_help(self.format_help(), stream))

    def short_usage(self) -> str:
        """The command with its arguments; options are only mentioned."""
        parts = [self.prog, "[OPTIONS]"]
        for action in self._actions:
            if not action.option_strings:
                name = str(action.metavar or action.dest)
                parts.append({"*": f"[{name} ...]", "?": f"[{name}]"}.get(str(action.nargs), name))
        return " ".join(parts)


#: Options of a parser whose help has no colours of its own.
PLAIN: dict[str, Any] = {"color": False} if sys.version_info >= (3, 14) else {}


@dataclass(frozen=True)
class Command:
    """A command of ``tessella``."""

    name: str
    summary: str
    #: All that its file says at its top.
    description: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    def parser(self) -> argparse.ArgumentParser:
        """What is typed after the command's name."""
        parser = Parser(
            prog=f"tessella {self.name}", description=self.description, formatter_class=Help, **PLAIN
        )
        self.arguments(parser)
        return parser


def names() -> list[str]:
    """The names of all commands."""
    modules = (module.name for module in pkgutil.iter_modules(commands.__path__))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


def find(name: str) -> Command:
    """The command of a name in ``names()``."""
    module = import_module(f"{commands.__name__}.{name.replace('-', '_')}")
    description = inspect.getdoc(module) or ""
    summary = description.partition("\n")[0]
    return Command(name, summary, description, module.arguments, module.run)
