"""The stages a task goes through, and the words used for their outcome."""

from __future__ import annotations

from typing import Final

STAGES: Final = ("DEV", "QA", "SEC", "DOCS", "COMPLETE")
CYCLE_STATUSES: Final = ("pending", "in_progress", "completed", "failed", "skipped")
REPORT_STATUSES: Final = ("pass", "fail")

_ALIASES: Final = {
    "SECURITY": "SEC",
    "DOCUMENTATION": "DOCS",
    "DEVELOPER": "DEV",
    "TESTER": "QA",
    "COMPLETED": "COMPLETE",
}
_FAILED: Final = "_FAILED"
_DONE: Final = frozenset({"done", "complete", "completed", "closed", "merged", "deployed"})
_NOT_DONE: Final = frozenset(
    {"pending", "todo", "backlog", "open", "new", "in_progress", "blocked", "failed", "ready", "review", "in_review"}
)


def parse_stage(text: str | None) -> str | None:
    """The stage a word names, in capitals: `security` → SEC, `qa_failed` → QA_FAILED; `none` is no stage."""
    if text is None:
        return None
    word = text.strip().upper().replace(" ", "_").replace("-", "_")
    return None if word in {"", "NONE", "NULL", "N/A"} else _ALIASES.get(word, word)


def find_next_stage(stage: str | None) -> str | None:
    """The stage after this one; a failed stage goes back to DEV, failed documentation to DOCS."""
    if stage is None:
        return None
    if stage.endswith(_FAILED):
        return "DOCS" if stage == "DOCS" + _FAILED else "DEV"
    if stage == "PM":
        return STAGES[0]
    if stage not in STAGES[:-1]:
        return None
    return STAGES[STAGES.index(stage) + 1]


def is_done(status: str | None) -> bool | None:
    """Whether a task's status word says done; nothing where the word is not known."""
    word = status.strip().lower().replace(" ", "_").replace("-", "_") if status else None
    if word in _DONE:
        return True
    return False if word in _NOT_DONE else None
