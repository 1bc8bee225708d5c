"""Compares two attempts: results, tests, files, commits, how their agents were started, what was asked for."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.changes.comparison.sides import Side
from handoff_tui.changes.diff import compare_sides
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import HandoffError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, ExaminedGate, examine
from handoff_tui.git.file_diff import ChangedFile
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.attempt import Neighbours, build_attempt, build_open_attempt
from handoff_tui.history.attempts.attempts import NOW, Timeline, open_timeline
from handoff_tui.history.attempts.measure import compare_checks, find_places, read_points, read_work_since
from handoff_tui.history.attempts.report import AttemptComparison, AttemptRun, PastAttempt, ValueChange
from handoff_tui.history.attempts.sources import AttemptContent, AttemptSources
from handoff_tui.log.open_log import OpenLog

_MOST_NAMED = 10
_NUMBER = compile_later(r"[0-9]{1,9}")
_RUN_FOLDER = "{run}"
_FORM = "Write ID:NUMBER or ID:PHASE:NUMBER, or `now` for what is here: H-3:1, H-3:build:2, H-3:now."


class AttemptName(NamedTuple):
    """An attempt as a person writes it; missing parts come from the other one, or are defaults."""

    handoff: str | None
    phase: str | None
    number: int | None
    """None for what is here now."""


class _Chosen(NamedTuple):
    """One side, found."""

    timeline: Timeline
    sources: AttemptSources | None
    record: PastAttempt
    content: AttemptContent


def parse_attempt_name(text: str) -> AttemptName:
    """Parses `H-3:2`, `H-3:build:2`, `H-3:now`; `2` and `now` alone refer to the handoff named before."""
    above, _, last = text.strip().rpartition(":")
    if last != NOW and not _NUMBER.fullmatch(last):
        raise UsageError(f"{text!r} isn't an attempt", _FORM)
    number = None if last == NOW else int(last)
    handoff, colon, phase = above.rpartition(":")
    return AttemptName((handoff if colon else above) or None, phase if colon else None, number)


def compare_attempts(
    session: Session,
    log: OpenLog,
    first: str,
    second: str,
    phase: str | None = None,
    telling: ProgressCallbacks | None = None,
) -> AttemptComparison:
    """Compares the second with the first; runs no command for what is here now."""
    old = parse_attempt_name(first)
    new = parse_attempt_name(second)
    if old.handoff is None:
        raise UsageError(f"{first!r} doesn't name a handoff", _FORM)
    new = new._replace(handoff=new.handoff or old.handoff, phase=new.phase or (None if new.handoff else old.phase))
    # captured first: files that an earlier attempt shares with it can be read then
    after = _choose(session, log, new._replace(phase=new.phase or phase), telling)
    before = _choose(session, log, old._replace(phase=old.phase or phase), telling)
    return _build_comparison(session, before, after)


def compare_runs(before: AttemptRun | None, after: AttemptRun | None) -> tuple[ValueChange, ...] | None:
    """How two agent runs were started: command, variables, folder, limit, prompt; None without both."""
    if before is None or after is None:
        return None
    pairs = (
        ("agent", before.agent, after.agent),
        ("command", _show_command(before), _show_command(after)),
        ("folder", before.folder, after.folder),
        ("time limit", _show_seconds(before.timeout_seconds), _show_seconds(after.timeout_seconds)),
        ("variables", ", ".join(before.environment), ", ".join(after.environment)),
        ("prompt, sha256", before.prompt_sha256, after.prompt_sha256),
        ("context, sha256", before.context_sha256, after.context_sha256),
        ("started by", before.owner, after.owner),
    )
    return tuple(ValueChange(what=what, before=old, after=new) for what, old, new in pairs if old != new)


def _choose(session: Session, log: OpenLog, name: AttemptName, telling: ProgressCallbacks | None) -> _Chosen:
    wanted = name.handoff or ""
    if name.number is None:
        now = examine(session, log, wanted, name.phase, telling=telling, options=WITHOUT_COMMANDS)
        return _choose_now(session, log, now)
    timeline = open_timeline(session, log, wanted, name.phase)
    sources = timeline.find(name.number)
    if sources is None and not timeline.gone:  # the gate may count the work here as the next attempt already
        now = examine(session, log, timeline.handoff.id, timeline.phase, telling=telling, options=WITHOUT_COMMANDS)
        if now.key.attempt == name.number:
            return _choose_now(session, log, now)
    if sources is None:
        known = ", ".join(str(one.number) for one in timeline.sources[-_MOST_NAMED:]) or "none"
        raise UsageError(
            f"{timeline.handoff.id} has no attempt {name.number} at {timeline.phase}",
            f"Known attempts: {known}. `handoff-tui history {timeline.handoff.id}` lists them.",
        )
    commits = () if sources.work is None else (sources.work.subject.commit,)
    named = timeline.handoff.producers
    plain = build_attempt(timeline.name(sources), sources, None, find_places(session, commits), named)
    return _look_into(timeline, sources, plain, sources)


def _choose_now(session: Session, log: OpenLog, now: ExaminedGate) -> _Chosen:
    timeline = open_timeline(session, log, now.handoff.id, now.key.phase, now)
    told = timeline.find_claimed(now)
    return _look_into(timeline, None, build_open_attempt(timeline.name(None), now, told), told)


def _look_into(
    timeline: Timeline, sources: AttemptSources | None, plain: PastAttempt, told: AttemptSources | None
) -> _Chosen:
    """One attempt by itself; what was asked for is measured on the other side."""
    content = timeline.read_content(sources)
    measured = timeline.measure(plain, Neighbours(None, content, None, timeline.approved), told)
    return _Chosen(timeline, sources, measured.model_copy(update={"asked": ()}), content)


def _build_comparison(session: Session, before: _Chosen, after: _Chosen) -> AttemptComparison:
    reviewed = (after.timeline.handoff, after.timeline.handoffs)
    notes = [f"{side.record.name}: {note}" for side in (before, after) for note in side.record.notes]
    files: tuple[ChangedFile, ...] | None = None
    record = None
    old, new = (Side(side.content.snapshot, side.content.tree) for side in (before, after))
    try:
        record, found = compare_sides(session, reviewed, old, new)
        files = None if found is None else tuple(found.list_files(counted=True))
    except HandoffError as refused:
        notes.append(f"the files can't be compared: {refused.message}")
    gone = [side.record.name for side, tree in ((before, old.tree), (after, new.tree)) if tree is None]
    notes += [f"the files of {name} aren't here" for name in gone if files is None]
    if before.timeline.handoff.id != after.timeline.handoff.id:
        notes.append("these are two handoffs: a rule's result for one says nothing about the other")
    commits, why = read_work_since(session, before.content.commit, after.content.commit)
    if why:
        notes.append(why)
    asked = () if before.sources is None else read_points(session, before.sources, before.content, after.content)
    return AttemptComparison(
        before=before.record,
        after=after.record,
        record=record,
        check_changes=compare_checks(before.content, after.content),
        files=files,
        commits=commits,
        run_changes=compare_runs(_find_last_run(before.record), _find_last_run(after.record)),
        asked=asked,
        fatal=before.timeline.index.verdict.fatal,
        notes=tuple(dict.fromkeys(notes)),
    )


def _find_last_run(record: PastAttempt) -> AttemptRun | None:
    return record.runs[-1] if record.runs else None


def _show_seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:g} s"


def _show_command(run: AttemptRun) -> str:
    """The command without the run's folder, which differs every time."""
    folder = run.output.rpartition("/")[0]
    command = " ".join(run.argv)
    return command.replace(folder, _RUN_FOLDER) if folder else command
