"""What of an output a person looks at first: lines that speak of errors, a little around them, and the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.history.failure.report import OutputExcerpt, OutputLine
from handoff_tui.system.processes.output_reader import OutputReader

_MOST_LINES = 20_000
"""Of a longer output the end is looked at."""
_BEFORE, _AFTER = 2, 4
_LAST = 6
_MOST_ERRORS = 12
"""Around more lines than this nothing is shown: of a thousand failures the first ones tell most."""
_LONGEST_LINE = 2_000
_LEAST_FOLDED = 2
"""A fold takes a line itself."""
_ERROR: Final = compile_later(
    r"\b(?:error|errors|exception|traceback|fatal|fail|fails|failed|failure|failures|failing|panic|panicked|abort|aborted"
    r"|assertionerror|segmentation fault|core dumped|killed|timed out|timeout|undefined|unresolved|denied|refused)\b"
    r"|\b(?:[a-z_]\w*)(?:error|exception)\b|\b(?:not found|no such|cannot|can't|could not|unable to)\b"
    r"|^(?:E|F) {2,}\S|^not ok\b|^\s*(?:✗|✘|×)\s",
    re.IGNORECASE,
)
_HARMLESS: Final = compile_later(
    r"\b(?:0|no|zero|without) (?:\w+ )?(?:error|errors|failure|failures|failed|fail)\b"
    r"|\b(?:error|errors|failure|failures|failed|fail)\s*[:=]\s*0\b",
    re.IGNORECASE,
)
_PASSED: Final = compile_later(r"^\s*(?:ok|✓|✔)\s|\bPASSED\b")


def read_excerpt(path: str | None) -> OutputExcerpt | None:
    """The excerpt of a file; nothing where there is none, or it is empty."""
    if path is None:
        return None
    reader = OutputReader(Path(path))
    reader.advance()
    total = reader.line_count
    first = max(0, total - _MOST_LINES)
    lines = reader.read_lines(first, _MOST_LINES)
    return fold_output(path, lines, first, total) if lines else None


def fold_output(path: str, lines: Sequence[str], skipped: int = 0, total: int | None = None) -> OutputExcerpt:
    """Lines that matter, each with its number, and folds in their order. `skipped` lines come before, unread."""
    wrong = [place for place, line in enumerate(lines) if is_error_line(line)]
    shown = _choose_lines(len(lines), wrong)
    marked = frozenset(wrong)
    folded: list[OutputLine] = []
    place = 0
    hidden = skipped
    while place < len(lines):
        if place in shown:
            folded += _build_fold(lines, place, hidden, skipped)
            hidden = 0
            folded.append(_build_line(lines[place], place + skipped + 1, is_error=place in marked))
        else:
            hidden += 1
        place += 1
    folded += _build_fold(lines, place, hidden, skipped)
    return OutputExcerpt(
        path=path,
        total_lines=skipped + len(lines) if total is None else total,
        lines=tuple(folded),
        first_error=wrong[0] + skipped + 1 if wrong else None,
        errors=len(wrong),
    )


def is_error_line(line: str) -> bool:
    """Whether a line speaks of something that went wrong; one that counts none, or that passed, does not."""
    head = line[:_LONGEST_LINE]
    if _PASSED.search(head):
        return False
    return _ERROR.search(_HARMLESS.sub("", head)) is not None


def _choose_lines(count: int, wrong: Sequence[int]) -> frozenset[int]:
    around = (range(place - _BEFORE, place + _AFTER + 1) for place in wrong[:_MOST_ERRORS])
    end = range(max(0, count - _LAST), count)
    return frozenset(place for places in (*around, end) for place in places if 0 <= place < count)


def _build_fold(lines: Sequence[str], place: int, hidden: int, skipped: int) -> list[OutputLine]:
    """The lines before `place` that are not shown: as one fold, or as they are where a fold would save nothing."""
    if 0 < hidden < _LEAST_FOLDED and hidden <= place:
        start = place - hidden
        return [
            _build_line(lines[one], one + skipped + 1, is_error=is_error_line(lines[one]))
            for one in range(start, place)
        ]
    return [OutputLine(number=place + skipped + 1 - hidden, folded=hidden)] if hidden else []


def _build_line(text: str, number: int, *, is_error: bool) -> OutputLine:
    return OutputLine(number=number, text=text[:_LONGEST_LINE], is_error=is_error)
