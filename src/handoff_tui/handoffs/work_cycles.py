"""The work cycle of a hub task: accepted only while pending, completed only while in progress, failed at any time."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.begin import render_json
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import write_file
from handoff_tui.system.files.reader import FileReader


class CycleAction(StrEnum):
    """What can be done with a work cycle."""

    ACCEPT = "accept"
    COMPLETE = "complete"
    FAIL = "fail"


class CycleReport(NamedTuple):
    """What the agent that ends a cycle says about the work. Completed doesn't mean passed."""

    status: str | None = None
    summary: str | None = None


class MovedCycle(NamedTuple):
    """A work cycle after an action."""

    handoff: str
    path: str
    before: str
    status: str
    report_status: str | None


def move_cycle(session: Session, handoff: Handoff, action: CycleAction, report: CycleReport) -> MovedCycle:
    """Carries out an action and writes the cycle's file; raises an error if the cycle's state does not allow it."""
    path, root, cycle = _find_cycle(session, handoff)
    hub = session.loaded.settings.hub
    before = str(cycle.get("status", ""))
    allowed = {CycleAction.ACCEPT: hub.accept_from, CycleAction.COMPLETE: hub.complete_from}.get(action)
    if allowed is not None and before not in allowed:
        raise UsageError(
            f"the work cycle of {handoff.id} is {before or 'in no state'}, so it can't be {_WORDS[action]}",
            f"That is possible only while it is {' or '.join(allowed)}.",
        )
    if report.status is not None and report.status not in hub.report_statuses:
        raise UsageError(f"a report can't be {report.status!r}", f"It is one of: {', '.join(hub.report_statuses)}.")
    now = read_now().strftime("%Y-%m-%dT%H:%M:%SZ")
    cycle["status"] = {CycleAction.ACCEPT: "in_progress", CycleAction.COMPLETE: "completed"}.get(action, "failed")
    cycle["accepted_at" if action is CycleAction.ACCEPT else "completed_at"] = now
    if action is not CycleAction.ACCEPT:
        default = hub.report_statuses[-1] if action is CycleAction.FAIL else None
        cycle["report_status"] = report.status or default
        cycle["summary"] = report.summary or cycle.get("summary")
    write_file(session.repository.root, path, render_json(root).encode())
    return MovedCycle(handoff.id, path, before, str(cycle["status"]), cycle.get("report_status"))


_WORDS = {CycleAction.ACCEPT: "accepted", CycleAction.COMPLETE: "completed", CycleAction.FAIL: "failed"}


def _find_cycle(session: Session, handoff: Handoff) -> tuple[str, object, dict[str, Any]]:
    """The file of the newest work cycle of a task, everything in it, and the cycle."""
    reader = FileReader(session.repository.root, session.loaded.settings.limits.file_bytes)
    for path in (document.path for document in reversed(handoff.documents) if document.path.endswith(".json")):
        try:
            root = json.loads(reader.read_bytes(path))
        except ValueError:
            continue
        found = [one for one in (root if isinstance(root, list) else [root]) if isinstance(one, dict)]
        cycles = [one for one in found if "from_role" in one and "to_role" in one]
        if cycles:
            return path, root, cycles[-1]
    raise UsageError(f"{handoff.id} has no work cycle", "`handoff-tui new hub ID` makes one.")
