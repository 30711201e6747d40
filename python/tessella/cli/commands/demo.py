"""See it work, without a download.

Trains a tokenizer on the source of Python's own library, encodes what it has not seen, proves that nothing is
lost, and draws the tokens.

Examples:
  $ tessella demo
"""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(options: argparse.Namespace) -> int:
    del options
    from ... import demo

    return demo.main()
