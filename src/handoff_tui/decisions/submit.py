"""For agents: hand work over, signed if the agent has a key, and wait for the decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handoff_tui.changes.snapshots.snapshot import write_snapshot
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import DecisionForbiddenError
from handoff_tui.decisions.decide import require_policy
from handoff_tui.decisions.examine import ExaminedGate, examine, refuse_changed
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import VETOES, Entry, EntryKind
from handoff_tui.log.gates.gate import find_change
from handoff_tui.log.gates.gate_state import OPENING, SENT_BACK
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import LogFetcher, OpenLog, open_log
from handoff_tui.log.person import require_person
from handoff_tui.log.policy.policy import find_rule
from handoff_tui.log.policy.signer import Signing, find_signing
from handoff_tui.system.clock import pause, read_monotonic

DECIDED = OPENING | SENT_BACK
_EVERY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was handed over, and the entry if it was signed."""

    examined: ExaminedGate
    entry: Entry | None


def submit(
    session: Session,
    log: OpenLog,
    wanted: str,
    phase: str | None = None,
    *,
    signed: bool = False,
    key_file: Path | None = None,
    telling: ProgressCallbacks | None = None,
) -> Submitted:
    """Examines the work; with `signed`, adds a submission to the log. Decides nothing."""
    signing = _find_submitter(session, log, key_file) if signed else None
    examined = examine(session, log, wanted, phase, telling=telling)
    if signing is None or (telling is not None and telling.cancel.is_set()):
        return Submitted(examined, None)

    next_attempt = begin_attempt(examined)

    def build(parents: Parents) -> Draft:
        refuse_changed(examined)
        write_snapshot(session.repository.root, examined.snapshot)
        work = next_attempt.build_work(parents.verdict.policy, {signing.principal})
        return Draft(build_payload(parents.build_entry(EntryKind.SCOPED_SUBMISSION, signing.principal, work=work)))

    def check(_: Parents) -> None:
        refuse_changed(examined)

    appended = log.journal.append(build, signing.tool, check_again=check if signing.waits else None)
    return Submitted(next_attempt, appended.entry)


def begin_attempt(examined: ExaminedGate) -> ExaminedGate:
    """The next attempt if this one was sent back, held, or decided on with other files; else the same."""
    key = examined.key
    rule = find_rule(examined.policy, key.phase)
    decided = [made for made in examined.index.find_last_decisions(*key.place) if made.work.attempt == key.attempt]
    if any(made.decision.verb in VETOES or find_change(made.work, examined, rule) for made in decided):
        return replace(examined, key=key._replace(attempt=key.attempt + 1))
    return examined


def wait(
    session: Session,
    wanted: str,
    phase: str | None,
    timeout: float | None,
    on_look: Callable[[ExaminedGate], None] | None = None,
    telling: ProgressCallbacks | None = None,
    on_trouble: Callable[[str], None] = lambda _: None,
) -> ExaminedGate:
    """Waits until the gate is decided, the log turns out to be broken, the time is up, or the caller ends it.

    The work is examined again only if the log or the work tree has changed. If the user named an address, the log is
    fetched from there; whatever comes of that, the wait goes on.
    """
    fetcher = LogFetcher()
    start = read_monotonic()
    telling = telling or ProgressCallbacks()
    seen: object = None
    while True:
        trouble = fetcher.fetch(session.repository)
        if trouble:
            on_trouble(trouble)
        log = open_log(session.repository)
        verdict = log.verify()
        now = (verdict.heads, verdict.problems, session.work_tree.facts)
        if seen != now:
            seen = now
            examined = examine(session, log, wanted, phase, telling=telling)
            if on_look is not None:
                on_look(examined)
        left = None if timeout is None else timeout - (read_monotonic() - start)
        if is_over(examined) or (left is not None and left <= 0):
            return examined
        if pause(_EVERY_SECONDS if left is None else min(_EVERY_SECONDS, left), telling.cancel):
            return examined
        session = open_session(session.repository.root)


def is_over(examined: ExaminedGate) -> bool:
    """Whether there is nothing to wait for: somebody has decided, or a person must look at the log first."""
    return examined.gate.state in DECIDED or examined.index.verdict.fatal


def _find_submitter(session: Session, log: OpenLog, key_file: Path | None) -> Signing:
    policy = require_policy(log.verify())
    signing = find_signing(session, policy, key_file)
    if not policy.may_submit(signing.principal):
        raise DecisionForbiddenError(
            f"{signing.principal} has no role that submits", "handoff-tui policy show says who may."
        )
    if signing.principal not in policy.agents:
        require_person(f"sign as {signing.principal}")
    return signing
