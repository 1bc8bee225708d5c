"""The journal of rollbacks: one line for each step of each, beside git's own files."""

from __future__ import annotations

from pydantic import ValidationError

from handoff_tui.agents.rollback.report import RollbackRecord
from handoff_tui.system.files.git_private_files import LocalFolder

_NAME = "rollbacks.jsonl"


def append_rollback(local: LocalFolder, record: RollbackRecord) -> None:
    local.append(_NAME, record.model_dump_json().encode() + b"\n")


def read_rollbacks(local: LocalFolder) -> tuple[RollbackRecord, ...]:
    """Every rollback in its last state, oldest first; a damaged line is left out."""
    last: dict[str, RollbackRecord] = {}
    for line in (local.read(_NAME) or b"").splitlines():
        try:
            record = RollbackRecord.model_validate_json(line)
        except ValidationError:
            continue
        last[record.id] = record
    return tuple(last.values())
