"""The trainer that was typed: every option that a trainer has is an option of the command line.

What an option is called, takes and does is told by the trainers' classes; see ``tessella.training.option``.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, cast

from ...errors import ArgumentError

if TYPE_CHECKING:
    from ...trainers import Trainer
    from ...training.anew import Anew
    from ...training.option import Option
    from .train import Pipeline


PREFIX = "trainer_"


def _options() -> dict[str, tuple[Option[Any, Any], list[str]]]:
    """All options that can be typed, each with the kinds of models whose trainers have it."""
    from ...training import BY_MODEL

    found: dict[str, tuple[Option[Any, Any], list[str]]] = {}
    for kind, trainer in BY_MODEL.items():
        for name, option in trainer._options.items():
            if option.typed is not None:
                found.setdefault(name, (option, []))[1].append(kind)
    return found


def add_trainer_options(parser: argparse.ArgumentParser) -> None:
    from ...training import BY_MODEL

    group = parser.add_argument_group("trainer", "options of the trainer; each model has some of them")
    for name, (option, kinds) in _options().items():
        typed = option.typed
        assert typed is not None
        notes = [option.help.replace("``", ""), typed.note, "may be given again" if typed.many else ""]
        owners = f" ({', '.join(kinds)})" if len(kinds) < len(BY_MODEL) else ""
        how: dict[str, Any] = {"metavar": typed.metavar, "type": typed.type}
        if typed.type is bool:
            how = {"action": argparse.BooleanOptionalAction}
        elif typed.choices:
            how = {"choices": typed.choices}
        elif typed.many:
            how["action"] = "append"
        group.add_argument(
            *(typed.spelled or (option.spelled,)),
            dest=f"{PREFIX}{name}",
            default=None,
            help=("; ".join(filter(None, notes)) + owners).replace("%", "%%"),
            **how,
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
        self.recipe, self.like, self.model = options.recipe, options.like, options.model

    def trainer(self, pipeline: Pipeline) -> Trainer:
        """A trainer for the pipeline's model."""
        given: dict[str, Any] = {"show_progress": self.progress}
        for name, value in self.options.items():
            option, kinds = _options()[name]
            if pipeline.kind in kinds:
                given[name] = _read(name, value)
            # The unknown token is an option of the other models themselves, which are made here.
            elif name != "unk_token" or not self.model:
                raise ArgumentError(
                    f"{option.spelled} is an option of {' and '.join(kinds)}, "
                    f"but a {pipeline.kind} model is trained"
                )
        self._check_marks(pipeline, given)
        if self.recipe and given.pop("special_tokens", None):
            raise ArgumentError("a recipe has its own special tokens; for others use --like or --model")
        if "special_tokens" in given:
            # What a post-processor or the model needs must not be lost.
            given["special_tokens"] = cast("Anew", pipeline).special_tokens(given["special_tokens"])
        return pipeline.trainer(**given)

    def _check_marks(self, pipeline: Pipeline, given: dict[str, Any]) -> None:
        """Marks of parts of words that the rest of the pipeline does not know; a recipe refuses its own."""
        from ...training.marks import MARKS

        if pipeline.kind == "WordPiece" and given.get("end_of_word_suffix"):
            raise ArgumentError(
                "--end-of-word-suffix: a WordPiece model knows no marks at the ends of words, and would not "
                "find them: leave it out, or train --model bpe"
            )
        for name in MARKS if self.like else ():
            known = getattr(cast("Anew", pipeline).tokenizer.model, name, None)
            if name in given and given[name] != known:
                has = "none" if known is None else repr(known)
                raise ArgumentError(
                    f"--{name.replace('_', '-')} is {given[name]!r}, but the model of {self.like} has {has}, "
                    "and its decoder goes by that: leave the option out, or name the stages with --model"
                )


def _read(name: str, value: Any) -> Any:
    """What a trainer takes for what was typed."""
    if name == "initial_alphabet":
        from ...pre_tokenizers import ByteLevel

        return [one for text in value for one in (ByteLevel.alphabet() if text == "byte-level" else text)]
    if name == "initial_vocab":
        from ..inputs import load

        return load(value)
    if name == "merge_filter":
        from ..._tessella import Regex

        return Regex(value)
    return value
