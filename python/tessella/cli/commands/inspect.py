"""Look into a tokenizer or a file of counts.

Shows the stages, the model, special tokens and which engine runs each stage; with a text, what each stage
makes of it; with tokens or ids, what is known of each.

Examples:
  $ tessella inspect tokenizer.json
  $ tessella inspect tokenizer.json --text "Low lower"
  $ tessella inspect tokenizer.json --token low --id 3
  $ tessella inspect tokenizer.json --vocab | head -5
  $ tessella inspect corpus.counts --top 5
"""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING, Any

from ..._near import meant
from ...errors import ArgumentError, TessellaError
from .. import heeded, inputs, terminal
from ..shared import add, option

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "source SOURCE", "a tokenizer, or counts that were saved")
    option(parser, "-t --text TEXT", "show what each stage makes of a text", action="append")
    option(
        parser, "--token TOKEN", "show id, text, bytes, type, and score or merges of a token", action="append"
    )
    option(parser, "--id ID", "the same of an id", action="append", type=int)
    option(parser, "--vocab", "write all entries: id, tab, token")
    option(parser, "--top N", "of counts: so many pieces", default=20)
    add(parser, "pattern")


def run(options: argparse.Namespace) -> int:
    if _holds_counts(options.source):
        heeded.refuse(
            options,
            ("text", "token", "id", "vocab", "pattern"),
            "to counts, which are pieces and no tokenizer",
        )
        return _counts(options)
    heeded.refuse(options, ["top"], "to a tokenizer: it is for counts")
    _check_one(options)
    tokenizer = inputs.load(options.source, options.pattern)
    if options.vocab:
        with inputs.Output(None) as out:
            for token, id in sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1]):
                out.line(f"{id}\t{out.shown(token)}")
    elif options.token or options.id:
        _entries(tokenizer, options)
    elif options.text:
        for text in options.text:
            _journey(tokenizer, text)
    else:
        _overview(tokenizer, options.source)
    return 0


def _check_one(options: argparse.Namespace) -> None:
    """One thing is shown; tokens and ids are one."""
    if options.vocab:
        heeded.refuse(options, ("text", "token", "id"), "to --vocab, which writes all entries: leave it out")
    elif options.token or options.id:
        heeded.refuse(options, ["text"], "to --token and --id: ask for it by itself")


def _holds_counts(name: str) -> bool:
    if not os.path.isfile(name):
        return False
    from ..._tessella import COUNTS_BEGIN

    with open(name, "rb") as file:
        return file.read(len(COUNTS_BEGIN)) == COUNTS_BEGIN


def _counts(options: argparse.Namespace) -> int:
    from ...counting import PieceCounts

    counts = PieceCounts.load(options.source)
    print(f"{len(counts):,} different pieces, {counts.total:,} occurrences")
    rows = [["source", "language", "weight", "texts", "text"]]
    for one in counts.sources:
        name, language = terminal.visible(one.name or "-"), terminal.visible(one.language or "-")
        rows.append([name, language, f"{one.weight:,}", f"{one.texts:,}", terminal.size(one.bytes)])
    if len(rows) > 1:
        print(terminal.table(rows, right=[2, 3, 4]))
    print()
    rows = [["count", "piece"]]
    rows += [[f"{count:,}", terminal.quoted(piece)] for piece, count in counts.top(options.top)]
    print(terminal.table(rows, right=[0]))
    print()
    print(counts.zipf())
    return 0


def _overview(tokenizer: Tokenizer, name: str) -> None:
    print(f"{terminal.bold(name)}: {tokenizer.get_vocab_size():,} tokens\n")
    rows = [["stage", "component"]]
    for stage in ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder"):
        rows.append([stage, _short(getattr(tokenizer, stage))])
    print(terminal.table(rows))
    special = tokenizer.get_added_tokens_decoder()
    if special:
        shown = [f"{terminal.visible(token.content)} ({id})" for id, token in sorted(special.items())[:20]]
        more = f" and {len(special) - 20:,} more" if len(special) > 20 else ""
        print(f"\n{terminal.bold('added tokens')}: {', '.join(shown)}{more}")
    print(f"\n{terminal.bold('fingerprint')}: {tokenizer.fingerprint()}")
    print(f"\n{terminal.bold('engines')}:")
    for step in tokenizer.explain_plan():
        print(f"  {terminal.visible(str(step))}")


def _short(component: Any) -> str:
    if component is None:
        return "none"
    text, room = terminal.visible(str(component)), max(terminal.width() - 18, 40)
    return text if len(text) <= room else text[: room - 1] + "…"


def _instead(tokenizer: Tokenizer, token: str) -> str:
    """Vocabularies spell blanks and bytes in their own way: a text that is one token tells how."""
    try:
        ids = tokenizer.encode_ids(token, add_special_tokens=False).tolist()
    except TessellaError:
        ids = []
    if len(ids) == 1 and tokenizer.decode(ids) == token:
        return f"; the text is spelled `{tokenizer.id_to_token(ids[0])}` there"
    return meant(token, tokenizer.get_vocab())


def _entries(tokenizer: Tokenizer, options: argparse.Namespace) -> None:
    added = tokenizer.get_added_tokens_decoder()
    wanted: list[tuple[int, str]] = []
    for token in options.token or ():
        id = tokenizer.token_to_id(token)
        if id is None:
            raise ArgumentError(f"the vocabulary has no token `{token}`{_instead(tokenizer, token)}")
        wanted.append((id, token))
    for id in options.id or ():
        found = tokenizer.id_to_token(id)
        if found is None:
            raise ArgumentError(
                f"the vocabulary has no id {id}; it has {tokenizer.get_vocab_size():,} tokens"
            )
        wanted.append((id, found))
    from ..._vocabulary import model_state, within

    state, bytes_of = model_state(tokenizer), within(tokenizer)
    processor = _processor(tokenizer) if not state else None
    for place, (id, token) in enumerate(wanted):
        kind = "model" if id not in added else "special" if added[id].special else "added"
        bytes = bytes_of(id, token)
        rows = [
            ["id", str(id)],
            ["token", terminal.quoted(token)],
            ["text", terminal.quoted(bytes.decode("utf-8", "replace"))],
            ["bytes", bytes.hex(" ") or "none"],
            ["type", kind],
        ]
        if processor is not None:
            rows += [["piece", _piece_type(processor, id)], ["score", f"{processor.get_score(id):.6g}"]]
        elif kind == "model":
            rows += _learned(state, id, token)
        if place:
            print()
        print(terminal.table([[terminal.bold(name), value] for name, value in rows], head=False))


def _processor(tokenizer: Tokenizer) -> Any:
    """A SentencePiece model by itself, which knows types and scores."""
    from ...compat.sentencepiece import SentencePieceProcessor

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.model")
        tokenizer.save(path)
        return SentencePieceProcessor(model_file=path)


def _piece_type(processor: Any, id: int) -> str:
    for kind in ("unknown", "control", "unused", "byte"):
        if getattr(processor, f"is_{kind}")(id):
            return kind
    return "text"


#: Merges of one token that are shown.
MERGES = 5


def _learned(state: dict[str, Any], id: int, token: str) -> list[list[str]]:
    """What the model knows about a token: its score, or the merges that make it."""
    if state.get("type") == "Unigram":
        return [["score", f"{state['vocab'][id][1]:.6g} (logarithm of its probability)"]]
    if state.get("type") != "BPE":
        return []
    prefix = state.get("continuing_subword_prefix") or ""
    made = []
    for rank, merge in enumerate(state["merges"]):
        left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
        if left + right.removeprefix(prefix) == token:
            made.append(f"{terminal.quoted(left)} + {terminal.quoted(right)}, rank {rank:,}")
    if not made:
        number = f"{len(state['merges']):,}"
        return [["merges", f"none of {number} makes it: merging begins with it, or it is only found whole"]]
    more = [["", f"and {len(made) - MERGES:,} more"]] if len(made) > MERGES else []
    of = f" of {len(state['merges']):,}"
    return [["merges" if not place else "", one + of] for place, one in enumerate(made[:MERGES])] + more


def _journey(tokenizer: Tokenizer, text: str) -> None:
    """A text after each stage."""
    from ... import _tessella

    # As `encode` runs them: added tokens are cut out first, and no stage changes them.
    _, stages = _tessella.stages(tokenizer, text, tokenizer.encode_special_tokens)
    normalized = "".join(piece[0] for piece in stages[0])
    parts = [piece[0] for piece in stages[-1]]
    encoding = tokenizer.encode(text, truncation=False, padding=False)
    print(f"{terminal.bold('text')}        {terminal.quoted(text)}")
    print(f"{terminal.bold('normalized')}  {terminal.quoted(normalized)}")
    print(f"{terminal.bold('pieces')}      {terminal.pieces(parts)}")
    print(f"{terminal.bold('tokens')}      {terminal.pieces(encoding.tokens)}")
    print(f"{terminal.bold('ids')}         {' '.join(map(str, encoding.ids))}")
    decoded = tokenizer.decode(encoding.ids)
    same = "the same text" if decoded == text else terminal.quoted(decoded)
    print(f"{terminal.bold('decoded')}     {same}")
