"""An agent hands over: the subject is fixed, and signed where the agent has a key of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handoff_tui.changes.snapshots.store import write_snapshot
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.decisions.changed_since_shown import refuse_changed
from handoff_tui.decisions.decide import require_policy
from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.entry import build_payload
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog
from handoff_tui.log.policy.signer import Signing, find_signing
from handoff_tui.log.record import Entry, EntryKind


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was handed over, and the entry where it was signed."""

    examined: ExaminedGate
    entry: Entry | None


def submit(
    desk: Desk,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    signed: bool = False,
    key_file: Path | None = None,
    telling: ProgressCallbacks | None = None,
) -> Submitted:
    """Examines the work; with `signed`, adds a submission to the log. It decides nothing."""
    signing = _find_submitter(desk, log, key_file) if signed else None
    examined = examine(desk, log, wanted, phase, telling=telling)
    if signing is None or (telling is not None and telling.cancel.is_set()):
        return Submitted(examined, None)

    def build(parents: Parents) -> Draft:
        refuse_changed(examined)
        write_snapshot(desk.repository.root, examined.snapshot)
        work = examined.build_work(parents.verdict.policy, {signing.principal})
        return Draft(build_payload(parents.build_entry(EntryKind.SUBMISSION, signing.principal, work=work)))

    def check(_: Parents) -> None:
        refuse_changed(examined)

    appended = log.journal.append(build, signing.tool, check_again=check if signing.waits else None)
    return Submitted(examined, appended.entry)


def _find_submitter(desk: Desk, log: OpenLog, key_file: Path | None) -> Signing:
    policy = require_policy(log.verify())
    signing = find_signing(desk, policy, key_file)
    if not policy.may_submit(signing.principal):
        raise DecisionForbiddenError(
            f"{signing.principal} has no role that submits", "handoff-tui policy show tells who may."
        )
    return signing
