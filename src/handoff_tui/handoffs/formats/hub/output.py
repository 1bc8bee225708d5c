"""What an agent's raw output says against the status it was given."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

_SERVER_ERROR: Final = compile_later(
    r"\bHTTP(?:/\d(?:\.\d)?)?\W{0,3}(5\d\d)\b|\b(?:status|code|error)\W{1,3}(?:code\W{1,3})?(5\d\d)\b|"
    r"\b(5\d\d) (?:Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?out)\b",
    re.IGNORECASE,
)
_TRACEBACK: Final = compile_later(r"\bTraceback\b")
_ERROR: Final = compile_later(r"\berrors?\b", re.IGNORECASE)
_NO_ERROR: Final = compile_later(
    r"\b(?:no|0|zero|without(?: any)?|any)\s+(?:\w+\s+)?errors?\b|\berrors?\W{1,3}(?:0|none|null|\[\])(?!\w)|"
    r"\berror[- ](?:handl\w+|messages?|pages?|paths?|cases?)\b",
    re.IGNORECASE,
)
_BANNER: Final = compile_later(
    r"^\W*(?:starting session|resuming session|session id|working directory|logging to|provider|model)\b|^\W*$",
    re.IGNORECASE,
)
_EMPTY_SUMMARY: Final = compile_later(r"^\W*(?:\w+ agent execution completed)?\W*$", re.IGNORECASE)


def find_contradiction(output: str | None, summary: str | None) -> tuple[str, int] | None:
    """What speaks against a pass, and on which line of the output (from 0); nothing where nothing does."""
    if output is None:
        return ("it says pass, but shows no work", 0) if _EMPTY_SUMMARY.match(summary or "") else None
    lines = output.split("\n")
    for offset, line in enumerate(lines):
        reason = _judge_line(line)
        if reason is not None:
            return f"it says pass, but its output holds {reason}", offset
    if all(_BANNER.match(line) for line in lines):
        return "it says pass, but its output is empty apart from a banner", 0
    return None


def _judge_line(line: str) -> str | None:
    server_error = _SERVER_ERROR.search(line)
    if server_error is not None:
        return f"an HTTP {next(group for group in server_error.groups() if group)} error"
    if _TRACEBACK.search(line):
        return "a traceback"
    return "an error" if _ERROR.search(_NO_ERROR.sub(" ", line)) else None
