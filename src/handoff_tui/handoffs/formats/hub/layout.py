"""Where the hub keeps its files, which task or run a path belongs to, and the stages of a task."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import Handoff

STANDARD: Final = Hub.model_construct()
"""The words of the hub where nothing else is configured."""
FOREIGN_RUN: Final = "run of another task"
"""The fact that a context names a run that works on something else."""
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
    """The stage a word names, in capitals: `security` → SEC, `qa_failed` → QA_FAILED; `none` isn't a stage."""
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


def is_before(phase: str | None, stage: str, settings: Hub = STANDARD) -> bool:
    """Whether work in a phase has yet to come to a stage; then what an earlier attempt left of the stage is old."""
    stages = [name.upper() for name in settings.stages]
    known = parse_stage(phase)
    return known in stages and stage in stages and stages.index(known) < stages.index(stage)


def is_done(status: str | None) -> bool | None:
    """Whether a task's status word says done; None if the word is unknown."""
    word = status.strip().lower().replace(" ", "_").replace("-", "_") if status else None
    if word in _DONE:
        return True
    return False if word in _NOT_DONE else None


CONTEXT_NAME: Final = compile_later(r"^(?:HANDOFF|WORK_?CYCLE)_(\d+)(?:_([A-Za-z0-9][\w.-]*?))?\.md$", re.IGNORECASE)
TODO_NAME: Final = compile_later(r"^todo\.json$", re.IGNORECASE)
SECURITY_NAME: Final = compile_later(r"^security[_-]?reports?(?:[_-][\w.-]*)?\.json$", re.IGNORECASE)
BUGS_NAME: Final = compile_later(r"^bugs(?:[_-][\w.-]*)?\.json$", re.IGNORECASE)

_MARKDOWN: Final = compile_later(r"hand[-_]?off|work[-_]?cycle|context", re.IGNORECASE)
_JSON: Final = compile_later(r"hand[-_]?off|work[-_]?cycles?|report|(?:^|/)runs?/", re.IGNORECASE)
_RUN: Final = compile_later(r"^run[-_ ]?#?(\d+)$", re.IGNORECASE)
_TASK: Final = compile_later(r"^(?:task[-_])?(T\d+|[A-Z][A-Z0-9]{0,9}-\d+)$")


def may_own(path: str) -> bool:
    name = path.rpartition("/")[2]
    lowered = name.lower()
    if lowered.endswith((".md", ".markdown")):
        return _MARKDOWN.search(path) is not None
    if not lowered.endswith(".json"):
        return False
    return bool(is_findings_name(name) or TODO_NAME.match(name) or _JSON.search(path))


def is_findings_name(name: str) -> bool:
    return bool(SECURITY_NAME.match(name) or BUGS_NAME.match(name))


def is_earlier_attempt(handoff: Handoff, stage: str, settings: Hub = STANDARD) -> bool:
    """Whether what was reported of a stage is of an earlier attempt: the stage sent the work back, and will look again.

    Its document says so, or a run of ours, which moved the work on.
    """
    if not is_before(handoff.source_phase, stage, settings):
        return False
    last = next((attempt for attempt in reversed(handoff.attempts) if attempt.phase == stage), None)
    return handoff.ran or (last is not None and (last.status or "").lower() != settings.report_statuses[0])


def is_earlier_report(path: str, handoff: Handoff) -> bool:
    """Whether a report of findings is of an earlier attempt."""
    name = path.rpartition("/")[2]
    stage = "SEC" if SECURITY_NAME.match(name) else "QA" if BUGS_NAME.match(name) else None
    return stage is not None and is_earlier_attempt(handoff, stage)


def find_task(path: str) -> str | None:
    """The task named by a folder of the path: `proofs/T021/…`, `tasks/633/…`."""
    return _find_in_folders(path, _TASK, {"task", "tasks"})


def find_run(path: str) -> str | None:
    """The run named by a folder of the path: `run-1088`, `runs/1088`."""
    return _find_in_folders(path, _RUN, {"run", "runs"})


def _find_in_folders(path: str, pattern: re.Pattern[str], above: set[str]) -> str | None:
    """The innermost folder of the pattern, or the innermost number below one of these folders."""
    parts = path.split("/")[:-1]
    for position in range(len(parts) - 1, -1, -1):
        match = pattern.match(parts[position])
        if match:
            return match.group(1)
        if position and parts[position - 1].lower() in above and parts[position].isdecimal():
            return parts[position]
    return None
