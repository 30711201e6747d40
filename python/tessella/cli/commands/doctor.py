"""What is wrong or odd in a tokenizer's file or folder, with what to do about it, and the files mended.

Each fault has a name and a place. --mend writes files in which all is mended that can be mended without
asking: to a file, or to a folder where several files changed. The exit status is 1 if there are errors or
warnings; notes do not count.

Examples:
  $ tessella doctor tokenizer.json
  $ tessella doctor other.json --json
"""

from __future__ import annotations

import argparse

from .. import inputs, terminal
from ..shared import add, option

#: The exit status where something is wrong.
ILL = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "source SOURCE", "a tokenizer.json, a folder, or another file")
    option(parser, "-m --mend TARGET", "write the mended files")
    option(parser, "--no-notes", "tell only errors and warnings")
    add(parser, "json")


def run(options: argparse.Namespace) -> int:
    from ...prove import doctor

    found = doctor(options.source)
    if options.no_notes:
        found.findings = [one for one in found.findings if one.severity != "note"]
    if options.mend:
        inputs.check_target(options.mend)
        written = found.save(options.mend)
        terminal.note(f"mended: {', '.join(written)}")
    print(terminal.json(found.to_dict(), 2) if options.json else terminal.harmless(str(found)))
    return 0 if found else ILL
