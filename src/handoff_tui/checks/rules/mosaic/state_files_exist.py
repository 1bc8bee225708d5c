"""Every state file that a session must leave is there and can be read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.rules.mosaic.session_state import find_abandoned_folder, find_states
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    for folder in _find_folders(context):
        for name in context.setting("mosaic.state_files", tuple):
            path = f"{folder}/{name}"
            if not context.exists(path):
                yield _build_found(context, path, "is missing", "nothing")
            elif context.read(path) is None:
                yield _build_found(context, path, "is there, but cannot be read", "not a readable file")


def _find_folders(context: Context) -> list[str]:
    folders = [state.folder for state in find_states(context)]
    if folders:
        return folders
    if context.scope is not None:
        context.skip("the handoff under review is no session state")
    abandoned = find_abandoned_folder(context)
    return [abandoned] if abandoned else context.skip("no session state here")


def _build_found(context: Context, path: str, what: str, actual: str) -> Found:
    tracked = path in context.facts().changed
    return Found(
        message=f"{path} {what}",
        subject=path,
        place=Place(path=path),
        expected="a state file",
        actual=actual,
        command=f"git restore -- {shlex.quote(path)}" if tracked else None,
    )


STATE_FILES_EXIST = Rule(
    id="state-files-exist",
    system=System.MOSAIC,
    severity=Severity.CRITICAL,
    holds="Every state file is there.",
    reads="the state folder",
    remedy="Write the missing state files, or restore them from git; the next session starts from them.",
    judge=judge,
    moments=(Moment.PRE, Moment.POST),
)
