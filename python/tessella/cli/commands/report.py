"""A report that was saved as JSON, in another form.

Examples:
  $ tessella report report.json
  $ tessella report report.json --output report.html
"""

from __future__ import annotations

import argparse
import json

from .. import inputs
from ..shared import add_report_files, check_reports, option


def arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "report REPORT", "what evaluate or audit saved as .json")
    add_report_files(parser, " (default: Markdown)")


def run(options: argparse.Namespace) -> int:
    from ..._files import _read_file
    from ...evaluate import Audit, Report

    check_reports(options.output)
    try:
        is_audit = json.loads(_read_file(options.report))["kind"] == Audit.kind
    except (ValueError, KeyError, TypeError, RecursionError):
        # What is wrong is told where it is read.
        is_audit = False
    found = (Audit if is_audit else Report).load(options.report)
    for name in options.output:
        found.save(name)
    if not options.output:
        with inputs.Output(None) as out:
            out.write(found.to_markdown())
    return 0
