"""Tokens removed, pruned, added, renamed or reordered, with a map of the ids.

The source stays as it is; the result appears under its name when it is complete. --map FILE keeps what
became of every id (.json or .safetensors), --model FOLDER brings a model's embeddings along, in place or to
--model-out. With --dry-run nothing is written: it is told what would become of the ids, and of the texts of
--corpus.

Actions:
  remove    tokens that are named with --token
  prune     down to --size, or all that a rule lets go: --by frequency, script, length, regex, residue
  extend    up to --size, by what --corpus needs
  merge     with the tokenizer of --other
  rename    reserved and special tokens: --token OLD=NEW
  reorder   the most frequent tokens of --corpus first
  compact   gaps between ids closed
  pad       reserved tokens up to a --multiple

Examples:
  $ tessella edit remove tokenizer.json small.json --token Ġlowest --map map.json
  $ tessella edit prune tokenizer.json half.json --size 290 --corpus corpus.txt
  $ tessella edit prune tokenizer.json --by length --longest 4 --dry-run --corpus corpus.txt
  $ tessella edit extend tokenizer.json big.json --size 360 --corpus corpus.txt
  $ tessella edit rename other.json named.json --token "[MASK]=[GAP]"
  $ tessella edit pad tokenizer.json padded.json --multiple 64
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from ..._formats import WRITABLE, to_write
from ...errors import ArgumentError
from .. import heeded, inputs, terminal
from ..shared import add, option

if TYPE_CHECKING:
    from ...edit import Edited
    from ...tokenizer import Tokenizer

#: What each action reads, and what it cannot do without.
NEEDS = {
    "remove": ("token",),
    "prune": (),
    "extend": ("size", "corpus"),
    "merge": ("other",),
    "rename": ("token",),
    "reorder": ("corpus",),
    "compact": (),
    "pad": ("multiple",),
}
#: Options that belong to some actions only.
OWN = {
    "token": ("remove", "rename"),
    "dependents": ("remove",),
    "keep_ids": ("remove", "prune"),
    "size": ("prune", "extend"),
    "by": ("prune",),
    "least": ("prune",),
    "script": ("prune",),
    "longest": ("prune", "extend"),
    "regex": ("prune",),
    "ratio": ("prune",),
    "keep": ("prune",),
    "min_frequency": ("extend",),
    "other": ("merge",),
    "multiple": ("pad",),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "action ACTION", ", ".join(NEEDS), choices=NEEDS)
    add(parser, "source")
    option(parser, "target [TARGET]", "the file or folder to write")
    option(parser, "-f --format", "of the target (default: by its name)", choices=WRITABLE)
    add(parser, "differences")
    option(parser, "-t --token TOKEN", "a token, or OLD=NEW; again for more", action="append")
    option(parser, "--dependents", "remove what is made of them too", default=None)
    option(parser, "--keep-ids", "leave gaps, so that ids stay", default=None)
    option(parser, "--size N", "how many tokens there are afterwards")
    option(parser, "--corpus FILE...", "texts, one a line, JSON lines or Parquet")
    option(
        parser, "--by", "which tokens may go", choices=("frequency", "script", "length", "regex", "residue")
    )
    option(parser, "--least N", "frequency: keep tokens that occur so often")
    option(parser, "--script NAME...", "script: Han, Hangul, Cyrillic, ...")
    option(parser, "--longest N", "length, extend: characters of a token")
    option(parser, "--regex REGEX", "regex: found in the token's text")
    option(parser, "--ratio SHARE", "residue: of all times made, left in texts", type=float)
    option(parser, "--keep TOKEN...", "tokens that stay in any case")
    option(parser, "--min-frequency N", "extend: what is rarer gets no token")
    option(parser, "--other TOKENIZER", "merge: the second tokenizer")
    option(parser, "--multiple N", "pad: of which the size becomes a multiple")
    option(parser, "--map FILE", "write the map of ids: .json or .safetensors")
    option(parser, "--model FOLDER", "a model whose embeddings follow")
    option(parser, "--model-out FOLDER", "where the model goes (default: in place)")
    option(
        parser, "--init", "rows of new ids (default: fvt)", choices=("fvt", "mean", "random"), default="fvt"
    )
    option(parser, "-n --dry-run", "tell what would be, and write nothing")
    add(parser, "json", "pattern")


def run(options: argparse.Namespace) -> int:
    _check(options)
    if not options.dry_run:
        written = to_write(options.target, options.format)
        allow = inputs.differences(options, written)
        inputs.check_target(os.path.abspath(options.target))
        if options.map is not None:
            inputs.check_file(options.map)
    source = inputs.load(options.source, options.pattern)
    edited = ACTIONS[options.action](source, options)
    if not options.dry_run:
        # Where one of them cannot be written, none takes its place: a tokenizer without its map is of no use.
        with _map(edited, options), _model(edited, options):
            edited.tokenizer.save(options.target, format=written, allow_differences=allow)
    _tell(edited, options)
    return 0


def _map(edited: Edited, options: argparse.Namespace) -> AbstractContextManager[None]:
    """The map of ids, if one is wanted, on its way to its place."""
    if options.map is None:
        return nullcontext()
    from ...edit.map_files import ready

    return ready(edited.id_map, options.map)


@contextmanager
def _model(edited: Edited, options: argparse.Namespace) -> Iterator[None]:
    """The model that follows, if there is one, on its way to its place."""
    if options.model is None:
        yield
        return
    from ...edit.weights import resizing

    with resizing(options.model, edited.id_map, options.init, options.model_out) as done:
        yield
    terminal.note(str(done))


def _check(options: argparse.Namespace) -> None:
    """Options that do not belong to the action would be heeded by nobody."""
    for name, actions in OWN.items():
        if getattr(options, name) is not None and options.action not in actions:
            raise ArgumentError(
                f"--{name.replace('_', '-')} belongs to {' and '.join(actions)}, not to {options.action}"
            )
    for name in NEEDS[options.action]:
        if getattr(options, name) is None:
            raise ArgumentError(f"`tessella edit {options.action}` needs --{name}")
    if options.target is None and not options.dry_run:
        raise ArgumentError("name the TARGET to write, or say --dry-run")
    if options.dry_run:
        for name in ("map", "model", "model_out", "target"):
            if getattr(options, name) is not None:
                what = "TARGET" if name == "target" else f"--{name.replace('_', '-')}"
                raise ArgumentError(f"--dry-run writes nothing: leave out {what}, or --dry-run")
    if options.model_out is not None and options.model is None:
        raise ArgumentError("--model-out needs --model")
    if options.model is None:
        heeded.refuse(options, ["init"], "without --model FOLDER")
    if options.corpus and not options.dry_run and not _counts_tokens(options):
        rule = "" if options.action != "prune" else f" --by {options.by}"
        raise ArgumentError(f"--corpus says nothing to {options.action}{rule}, except with --dry-run")


def _counts_tokens(options: argparse.Namespace) -> bool:
    """Whether an action goes by the tokens of the corpus."""
    if options.action != "prune":
        return options.action in ("extend", "reorder")
    return options.by in (None, "frequency", "residue") or options.size is not None


def _corpus(options: argparse.Namespace) -> dict[str, str] | None:
    return {name: name for name in options.corpus} if options.corpus else None


def _remove(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import remove

    dependents = "remove" if options.dependents else "refuse"
    return remove(source, options.token, dependents=dependents, compact=not options.keep_ids)  # type: ignore[arg-type]


def _prune(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import prune

    return prune(
        source,
        options.size,
        _corpus(options) if _counts_tokens(options) else None,
        options.by or "frequency",
        least=options.least,
        scripts=options.script or (),
        longest=options.longest,
        pattern=options.regex,
        ratio=options.ratio,
        keep=options.keep or (),
        compact=not options.keep_ids,
    )


def _extend(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import extend

    corpus = _corpus(options)
    assert corpus is not None
    least = 2 if options.min_frequency is None else options.min_frequency
    return extend(source, corpus, options.size, min_frequency=least, longest=options.longest)


def _merge(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import merge

    return merge(source, inputs.load(options.other, options.pattern))


def _rename(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import replace_special

    names = {}
    for given in options.token:
        old, is_pair, new = given.partition("=")
        if not is_pair:
            raise ArgumentError(f"--token must be OLD=NEW here, found {given!r}")
        names[old] = new
    return replace_special(source, names)


def _reorder(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import reorder

    return reorder(source, corpus=_corpus(options))


def _compact(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import compact

    return compact(source)


def _pad(source: Tokenizer, options: argparse.Namespace) -> Edited:
    from ...edit import pad_to_multiple

    return pad_to_multiple(source, options.multiple)


ACTIONS: dict[str, Callable[[Tokenizer, argparse.Namespace], Edited]] = {
    "remove": _remove,
    "prune": _prune,
    "extend": _extend,
    "merge": _merge,
    "rename": _rename,
    "reorder": _reorder,
    "compact": _compact,
    "pad": _pad,
}


def _tell(edited: Edited, options: argparse.Namespace) -> None:
    corpus = _corpus(options) if options.dry_run else None
    effect = None if corpus is None else edited.dry_run(corpus)
    id_map = edited.id_map
    size = edited.tokenizer.get_vocab_size()
    if options.json:
        kinds = [id_map.kind(id) for id in range(len(id_map))]
        told = {
            "tokens_before": edited.source.get_vocab_size(),
            "tokens_after": size,
            **{kind: kinds.count(kind) for kind in ("kept", "moved", "removed")},
            "new": len(id_map.new_ids),
            "is_exact": id_map.is_exact,
            "notes": list(edited.notes),
            "effect": None if effect is None else effect.to_dict(),
        }
        print(terminal.json(told, 2))
        return
    name = "would be" if options.dry_run else terminal.visible(options.target)
    print(f"{name}: {edited.source.get_vocab_size():,} -> {size:,} tokens")
    print(str(id_map).strip("<>"))
    if effect is not None:
        print(effect)
    for note in edited.notes:
        terminal.note(f"note: {note}")
