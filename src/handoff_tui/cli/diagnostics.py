"""The one writer of stderr: what went wrong and what to do about it, progress, and bug reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handoff_tui import __version__
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.text.safe_text import render_safe


def write_error(error: HandoffError) -> None:
    """Prints an expected failure: message, then hint. Both may quote a file, so both are made safe."""
    for line in error.message.split("\n"):
        print(f"handoff-tui: {render_safe(line)}", file=sys.stderr)
    for line in error.hint.split("\n") if error.hint else ():
        print(f"  hint: {render_safe(line)}", file=sys.stderr)


def write_note(text: str) -> None:
    for line in text.split("\n"):
        print(render_safe(line), file=sys.stderr)


def report_bug(error: BaseException, arguments: list[str]) -> None:
    """Writes the traceback to a report file, and says where it is."""
    import platform  # noqa: PLC0415 - only a bug needs these
    import traceback  # noqa: PLC0415

    from handoff_tui.system.files.named_files import write_bug_report  # noqa: PLC0415

    lines = [
        f"handoff-tui {__version__}, Python {platform.python_version()}, {platform.system()}\n",
        f"arguments: {arguments!r}\n\n",
        *traceback.format_exception(error),
    ]
    report = write_bug_report("".join(lines))
    print(f"handoff-tui: this is a bug in handoff-tui: {type(error).__name__}", file=sys.stderr)
    print(f"  hint: The details are in {report}. Nothing was changed in the repository.", file=sys.stderr)


def write_progress(line: str) -> None:
    """Prints a line that the next one replaces, if stderr is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{render_safe(line)}", end="", file=sys.stderr, flush=True)


def clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Offers a callback that shows how many of how many are done; the line is gone at the end."""
    try:
        yield lambda done, total: write_progress(f"{done}/{total} {what}")
    finally:
        clear_progress()
