"""The report of a fault of ours, written outside any repository."""

from __future__ import annotations

import tempfile


def write_bug_report(text: str) -> str:
    """Writes a new file in the temporary folder, readable by this user only, and returns its path."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="handoff-tui-report-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(text)
    return file.name
