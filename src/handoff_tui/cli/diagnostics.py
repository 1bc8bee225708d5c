"""The one writer of stderr: what went wrong and what to do about it."""

from __future__ import annotations

import sys

from handoff_tui.core.errors import HandoffError
from handoff_tui.core.text.safe_text import render_safe


def write_error(error: HandoffError) -> None:
    """An expected failure: message, then hint. Both may quote a file, so both are made safe."""
    for line in error.message.split("\n"):
        print(f"handoff-tui: {render_safe(line)}", file=sys.stderr)
    for line in error.hint.split("\n") if error.hint else ():
        print(f"  hint: {render_safe(line)}", file=sys.stderr)


def write_note(text: str) -> None:
    for line in text.split("\n"):
        print(render_safe(line), file=sys.stderr)


def write_bug(error: BaseException, report: str) -> None:
    """A fault of ours, and where its report is."""
    print(f"handoff-tui: this is a fault in handoff-tui: {type(error).__name__}", file=sys.stderr)
    print(f"  hint: the details are in {report}; nothing was changed in the repository.", file=sys.stderr)


def write_progress(line: str) -> None:
    """A line that the next one replaces; only where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{render_safe(line)}", end="", file=sys.stderr, flush=True)


def clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
