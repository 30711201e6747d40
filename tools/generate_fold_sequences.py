"""Writes the characters whose full case folding is more than one character.

    python tools/generate_fold_sequences.py           # rewrite the table
    python tools/generate_fold_sequences.py --check   # fail if the table on disk differs

The source is `str.casefold` of the running Python, which is full case folding (status C and F of
CaseFolding.txt). The list of multi-character foldings has not changed since Unicode 5.1, and its stability
policy forbids changes to assigned characters, so any Python 3 gives the same table.
"""

import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "crates/tessella-core/src/pattern/scan/fold_table.rs"

HEADER = """\
//! Characters whose full case folding is a sequence, with that sequence.
//!
//! Generated: `python tools/generate_fold_sequences.py`; verify with `--check`.
//! Source: full case folding, unchanged from Unicode 5.1 to 16.

pub const SEQUENCES: &[(char, &str)] = &[
"""


def render() -> str:
    lines = [HEADER]
    for code in range(0x110000):
        folded = chr(code).casefold()
        if len(folded) > 1:
            escaped = "".join(f"\\u{{{ord(c):04X}}}" for c in folded)
            lines.append(f"    ('\\u{{{code:04X}}}', \"{escaped}\"),\n")
    lines.append("];\n")
    return "".join(lines)


def main() -> int:
    wanted = render()
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != wanted:
            print(f"{TARGET} differs from what this script writes; run it without --check", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
