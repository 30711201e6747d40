"""The options of all trainers as options of the command line.

They are read off the trainers themselves, so that an option that a trainer has can be typed.
"""

from __future__ import annotations

import argparse
import inspect
import re
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError

if TYPE_CHECKING:
    from .train import Plan

__all__ = ["Given", "add_trainer_options"]

PREFIX = "trainer_"
#: Set by the command itself.
_OWN = ("show_progress", "progress_format", "self")
_SIMPLE = {"int": int, "float": float, "str": str}


def _trainers() -> dict[str, Any]:
    """The trainers by the kind of model that they train, in the order of the documentation."""
    from ... import trainers

    found = {}
    for name in trainers.__all__:
        trainer = getattr(trainers, name)
        if name != "Trainer" and trainer._trains and trainer._trains not in found:
            found[trainer._trains] = trainer
    order = ("BPE", "WordPiece", "Unigram", "WordLevel")
    return {kind: found[kind] for kind in order if kind in found}


def _explained(trainer: Any) -> dict[str, str]:
    """The explanations in a class's docstring, each on one line."""
    explained: dict[str, str] = {}
    current = None
    _, _, section = (inspect.getdoc(trainer) or "").partition("Args:\n")
    for line in section.splitlines():
        if not line.startswith("    "):
            break
        if found := re.match(r"    ([\w, ]+): (.*)", line):
            current = found[1]
            explained[current] = found[2]
        elif current is not None:
            explained[current] += " " + line.strip()
    return {name: text.replace("``", "") for name, text in explained.items()}


def _reader(annotation: Any) -> dict[str, Any] | None:
    """How ``argparse`` reads values of a type; ``None`` for what cannot be typed."""
    name = str(annotation).replace(" ", "").replace("|None", "")
    if name in _SIMPLE:
        return {"type": _SIMPLE[name], "metavar": {"int": "N", "float": "X"}.get(name, "TEXT")}
    if name == "bool":
        return {"action": argparse.BooleanOptionalAction}
    if name.startswith("Literal["):
        return {"choices": re.findall(r"[\"'](\w+)[\"']", name)}
    if "PathLike" in name or name in ("_Path", "StrPath", "Path"):
        return {"metavar": "FILE"}
    return None


def add_trainer_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("trainer", "options of the trainer; each model has some of them")
    group.add_argument(
        "-s",
        "--special-token",
        action="append",
        dest=f"{PREFIX}special_tokens",
        metavar="TOKEN",
        help="a special token; may be given again",
    )
    group.add_argument(
        "--initial-alphabet",
        dest=f"{PREFIX}initial_alphabet",
        metavar="TEXT",
        help="characters that are in the vocabulary in any case; `byte-level` for all bytes",
    )
    group.add_argument(
        "--forced-token",
        action="append",
        dest=f"{PREFIX}forced_tokens",
        metavar="TOKEN",
        help="a token that is in the vocabulary in any case; may be given again (BPE)",
    )
    group.add_argument(
        "--initial-vocab",
        dest=f"{PREFIX}initial_vocab",
        metavar="TOKENIZER",
        help="continue the vocabulary and the merges of this tokenizer (BPE)",
    )
    group.add_argument(
        "--merge-filter",
        dest=f"{PREFIX}merge_filter",
        metavar="REGEX",
        help="only make tokens that match this as a whole (BPE)",
    )
    known = {"special_tokens", "initial_alphabet", "forced_tokens", "initial_vocab", "merge_filter", *_OWN}
    owners: dict[str, list[str]] = {}
    for kind, trainer in _trainers().items():
        for name in inspect.signature(trainer.__init__).parameters:
            owners.setdefault(name, []).append(kind)
    for _, trainer in _trainers().items():
        explained = _explained(trainer)
        for name, parameter in inspect.signature(trainer.__init__).parameters.items():
            how = _reader(parameter.annotation)
            if name in known or how is None:
                continue
            known.add(name)
            help = explained.get(name, "").rstrip(".")
            if len(owners[name]) < len(_trainers()):
                help += f" ({', '.join(owners[name])})"
            spelled = "--" + name.replace("_", "-")
            group.add_argument(
                spelled, dest=f"{PREFIX}{name}", default=None, help=help.replace("%", "%%"), **how
            )


class Given:
    """The trainer options that were typed."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = {
            name.removeprefix(PREFIX): value
            for name, value in vars(options).items()
            if name.startswith(PREFIX) and value is not None
        }
        self.progress = not options.quiet

    def trainer(self, plan: Plan) -> Any:
        """A trainer for the plan's model."""
        given = dict(self.options)
        trainer = _trainers()[plan.kind]
        known = inspect.signature(trainer.__init__).parameters
        for name in given:
            if name not in known and name != "unk_token":
                having = [
                    kind
                    for kind, one in _trainers().items()
                    if name in inspect.signature(one.__init__).parameters
                ]
                spelled = "--" + name.replace("_", "-")
                raise ArgumentError(
                    f"{spelled} is an option of {' and '.join(having)}, but a {plan.kind} model is trained"
                )
        if "unk_token" not in known:
            # An option of the model, not of its trainer.
            given.pop("unk_token", None)
        alphabet = given.get("initial_alphabet")
        if alphabet == "byte-level":
            from ...pre_tokenizers import ByteLevel

            given["initial_alphabet"] = ByteLevel.alphabet()
        elif alphabet is not None:
            given["initial_alphabet"] = list(alphabet)
        if "initial_vocab" in given:
            from ..inputs import load

            given["initial_vocab"] = load(given["initial_vocab"])
        if "merge_filter" in given:
            from ..._tessella import Regex

            given["merge_filter"] = Regex(given["merge_filter"])
        given["show_progress"] = self.progress
        if plan.recipe is not None:
            extra = given.pop("special_tokens", None)
            if extra:
                raise ArgumentError("a recipe has its own special tokens; for others use --like or --model")
            return plan.recipe.trainer(given.pop("vocab_size", None), **given)
        if "initial_alphabet" not in given and "initial_alphabet" in known and _is_byte_level(plan):
            from ...pre_tokenizers import ByteLevel

            given["initial_alphabet"] = ByteLevel.alphabet()
        if "special_tokens" not in given:
            added = plan.tokenizer.get_added_tokens_decoder()
            given["special_tokens"] = [token for _, token in sorted(added.items()) if token.special]
            from ...models import WordLevel, WordPiece

            model = plan.tokenizer.model
            if isinstance(model, (WordPiece, WordLevel)) and not given["special_tokens"]:
                given["special_tokens"] = [model.unk_token]
        return trainer(**given)


def _is_byte_level(plan: Plan) -> bool:
    """Whether bytes are spelled out before the model, so that all of them can be."""
    return "ByteLevel" in str(plan.tokenizer.pre_tokenizer)
