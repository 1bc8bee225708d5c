"""Repeats the answer of a verb if nothing has changed since it was given; imports next to nothing, to be fast."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import find_start
from handoff_tui.cli.plain import write_plain

_DRAWING = (
    *("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TERM", "COLORTERM", "COLUMNS"),
    *("PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LC_CTYPE", "LANG"),
)
_NOT_ASKED = frozenset({"repo", "repos", "fresh", "open_app"})


def open_cache(arguments: argparse.Namespace) -> OutputCache:
    """Begins to look at the repository, for a question that is everything that shapes the output."""
    return OutputCache(find_start(arguments), [*_list_asked(arguments)])


def repeat(cache: OutputCache, hint: str = "") -> ExitCode | None:
    """Prints the earlier answer and returns its exit code; None if there is none."""
    known = cache.find()
    if known is None:
        return None
    text, code, age = known
    write_plain(text)
    if hint and sys.stderr.isatty():
        write_note(f"Nothing has changed since these checks ran {age:.0f} s ago. {hint}")
    return ExitCode(code)


def _list_asked(arguments: argparse.Namespace) -> Iterable[str]:
    yield repr(sorted((name, value) for name, value in vars(arguments).items() if name not in _NOT_ASKED))
    yield repr([os.environ.get(name) for name in _DRAWING])
    yield str(os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0)
