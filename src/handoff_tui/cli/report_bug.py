"""Keeps what is needed to find a fault of ours."""

from __future__ import annotations

import platform
import traceback

from handoff_tui import __version__
from handoff_tui.system.files.named_files import write_bug_report


def report_bug(error: BaseException, arguments: list[str]) -> str:
    """Writes the traceback to a file and returns its path."""
    lines = [
        f"handoff-tui {__version__}, Python {platform.python_version()}, {platform.system()}\n",
        f"arguments: {arguments!r}\n\n",
        *traceback.format_exception(error),
    ]
    return write_bug_report("".join(lines))
