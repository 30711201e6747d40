"""Completion of commands and options for your shell.

Examples:
  $ tessella completion bash
  $ tessella completion zsh
  $ tessella completion fish

Put it to use:
  bash   echo 'eval "$(tessella completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(tessella completion zsh)"' >> ~/.zshrc
  fish   tessella completion fish > ~/.config/fish/completions/tessella.fish
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from ..command import find, names


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that you use")


@dataclass
class _Option:
    names: list[str]
    help: str
    #: What may follow: some words, anything (a file name), or nothing.
    choices: list[str]
    takes_value: bool


def _options(name: str) -> list[_Option]:
    found = []
    for action in find(name).parser()._actions:
        if action.option_strings:
            # As for positional arguments, percent signs are doubled in help texts.
            text = (action.help or "").replace("%%", "%").split("\n")[0]
            choices = [str(choice) for choice in action.choices or _known(action.dest)]
            found.append(_Option(list(action.option_strings), text, choices, action.nargs != 0))
    return found


def _known(dest: str) -> list[str]:
    if dest == "recipe":
        from ...recipes import names as recipes

        return list(recipes())
    return []


def run(options: argparse.Namespace) -> int:
    print({"bash": bash, "zsh": zsh, "fish": fish}[options.shell](), end="")
    return 0


def _positional(name: str) -> list[str]:
    return [
        str(choice)
        for action in find(name).parser()._actions
        if not action.option_strings
        for choice in action.choices or ()
    ]


def bash() -> str:
    lines = [
        "_tessella() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" found=""',
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    COMPREPLY=($(compgen -W "{" ".join(names())} --help --version" -- "$word"))',
        "    return",
        "  fi",
        '  case "${COMP_WORDS[1]}" in',
    ]
    for name in names():
        lines.append(f"    {name})")
        valued = [option for option in _options(name) if option.choices]
        if valued:
            lines.append('      case "$before" in')
            for option in valued:
                lines.append(f'        {"|".join(option.names)}) found="{" ".join(option.choices)}" ;;')
            lines.append("      esac")
        every = " ".join(one for option in _options(name) for one in option.names)
        lines += [
            '      if [ -z "$found" ]; then case "$word" in',
            f'        -*) found="{every}" ;;',
            f'        *) found="{" ".join(_positional(name))}" ;;',
            "      esac; fi ;;",
        ]
    lines += [
        "  esac",
        '  COMPREPLY=($(compgen -W "$found" -- "$word"))',
        "}",
        "complete -o default -F _tessella tessella",
    ]
    return "\n".join(lines) + "\n"


def _single(text: str) -> str:
    """A word for a shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def _plain(text: str) -> str:
    """Help without what zsh's descriptions take for their own signs."""
    return text.replace("[", "(").replace("]", ")").replace(":", " -")


def zsh() -> str:
    lines = ["#compdef tessella", "_tessella() {", "  local -a commands", "  commands=("]
    lines += [f"    {_single(f'{name}:{_plain(find(name).summary)}')}" for name in names()]
    lines += [
        "  )",
        "  if (( CURRENT == 2 )); then",
        "    _describe command commands",
        "    return",
        "  fi",
        '  local command="${words[2]}"',
        "  shift words; (( CURRENT-- ))",
        '  case "$command" in',
    ]
    for name in names():
        lines.append(f"    {name}) _arguments \\")
        for option in _options(name):
            for spelled in option.names:
                value = ""
                if option.takes_value:
                    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files"
                lines.append(f"      {_single(f'*{spelled}[{_plain(option.help)}]{value}')} \\")
        words = _positional(name)
        lines.append(f"      {_single('*:word:(' + ' '.join(words) + ')' if words else '*:file:_files')} ;;")
    lines += [
        "  esac",
        "}",
        'if [ "$funcstack[1]" = "_tessella" ]; then _tessella "$@"; else compdef _tessella tessella; fi',
    ]
    return "\n".join(lines) + "\n"


def fish() -> str:
    lines = []
    for name in names():
        summary = _single(find(name).summary)
        lines.append(f"complete -c tessella -n __fish_use_subcommand -f -a {name} -d {summary}")
    for name in names():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for option in _options(name):
            spelled = [f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option.names]
            value = " -r" if option.takes_value else ""
            if option.choices:
                value += f" -f -a {_single(' '.join(option.choices))}"
            lines.append(f"complete -c tessella {seen} {' '.join(spelled)} -d {_single(option.help)}{value}")
        if words := _positional(name):
            lines.append(f"complete -c tessella {seen} -f -a {_single(' '.join(words))}")
    return "\n".join(lines) + "\n"
