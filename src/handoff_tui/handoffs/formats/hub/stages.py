"""The stages a task goes through, and the words used for their outcome."""

from __future__ import annotations

from typing import Final

from handoff_tui.config.settings.root import Hub

STANDARD: Final = Hub.model_construct()
"""The words of the hub where nothing else is configured."""
_ALIASES: Final = {
    "SECURITY": "SEC",
    "DOCUMENTATION": "DOCS",
    "DEVELOPER": "DEV",
    "TESTER": "QA",
    "COMPLETED": "COMPLETE",
}
_FAILED: Final = "_FAILED"
_BEFORE_ALL: Final = "PM"
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


def find_next_stage(stage: str | None, settings: Hub = STANDARD) -> str | None:
    """The stage after this one; a failed stage goes back to where failure of it leads."""
    if stage is None:
        return None
    if stage.endswith(_FAILED):
        return parse_stage(settings.run_failure_targets.get(stage.lower(), settings.failure_stage))
    stages = settings.stages
    if stage == _BEFORE_ALL:
        return stages[0] if stages else None
    if stage not in stages[:-1]:
        return None
    return stages[stages.index(stage) + 1]


def is_done(status: str | None) -> bool | None:
    """Whether a task's status word says done; None if the word is unknown."""
    word = status.strip().lower().replace(" ", "_").replace("-", "_") if status else None
    if word in _DONE:
        return True
    return False if word in _NOT_DONE else None
