"""What can be measured of attempts: checks and tests that flipped, commits between them, runs and what they printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from handoff_tui.agents.runs.observation import read_new_commits
from handoff_tui.agents.runs.reports import find_output, load_report
from handoff_tui.agents.runs.run import RunState
from handoff_tui.agents.step.report import NewCommit
from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.sides import Side
from handoff_tui.changes.comparison.snapshot_diff import Section
from handoff_tui.changes.diff import compare_sides
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.history.work_commits import find_ancestors, is_ancestor, list_work_commits
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.content import AttemptContent
from handoff_tui.history.attempts.report import AttemptRun, CommitPlace
from handoff_tui.system.processes.output_reader import read_last_lines

TAIL_LINES = 12
_NO_TREE = "0" * 40


def find_places(desk: Desk, commits: Iterable[str]) -> dict[str, CommitPlace]:
    """Where each of many commits is, in three git calls for all of them."""
    wanted = list(dict.fromkeys(commits))
    here = {name for name, found in resolve_commits(desk.repository.git, wanted).items() if found is not None}
    behind = find_ancestors(desk.repository.git, here) if desk.work_tree.facts.head is not None else frozenset()
    return {
        commit: CommitPlace.BEHIND if commit in behind else CommitPlace.ASIDE if commit in here else CommitPlace.MISSING
        for commit in wanted
    }


def compare_checks(before: AttemptContent, after: AttemptContent) -> Section | None:
    """Checks whose outcome differs; only results of one kind are compared, those of the gate or of the repository."""
    if before.shown is not None and after.shown is not None:
        return compare_outcomes(before.shown, after.shown)
    sides = [content.snapshot.checks if content.snapshot is not None else {} for content in (before, after)]
    return compare_outcomes(*sides) if all(sides) else None


def compare_outcomes(before: Mapping[str, str], after: Mapping[str, str]) -> Section:
    """Outcomes by check, in the words of every other comparison."""
    old, new = (Snapshot(tree=_NO_TREE, checks=dict(checks)) for checks in (before, after))
    return compare_snapshots(old, new, build_explanations([], [])).checks


def compare_tests(
    desk: Desk, reviewed: tuple[Handoff, tuple[Handoff, ...]], before: AttemptContent, after: AttemptContent
) -> tuple[Section | None, tuple[str, ...]]:
    """Tests by id that are new, fixed, failing, skipped or gone, and what the reader must know of the numbers."""
    if before.snapshot is None or after.snapshot is None:
        return None, ()
    if not before.snapshot.tests and not after.snapshot.tests:
        return None, (f"no test report was read, neither in {before.words} nor in {after.words}",)
    record, _ = compare_sides(desk, reviewed, Side(before.snapshot), Side(after.snapshot))
    if record is None:
        return None, ()
    return record.tests, tuple(note for note in record.notes if "test" in note)


def read_work_since(desk: Desk, base: str | None, head: str | None) -> tuple[tuple[NewCommit, ...] | None, str]:
    """Commits of work behind one commit and not behind another, newest first; else why that cannot be told."""
    if head is None:
        return None, ""
    if base is None:
        return None, "where it began is not recorded, so its commits cannot be told from earlier ones"
    if base == head:
        return (), ""
    git = desk.repository.git
    found = resolve_commits(git, [base, head])
    gone = [name for name in (base, head) if found[name] is None]
    if gone:
        why = "a shallow clone lacks it" if desk.repository.shallow else "it was pruned, or never fetched"
        return None, f"the commit {gone[0][:12]} is not here ({why}), so the commits in between cannot be told"
    try:
        work = set(list_work_commits(git, base, head))
    except HandoffError as refused:
        return None, f"the commits in between cannot be told: {refused.message}"
    commits = tuple(commit for commit in read_new_commits(git, base, head) if commit.id in work)
    notes = [] if is_ancestor(git, base, head) else ["history was rewritten in between: commits may be told twice"]
    if desk.repository.shallow:
        notes.append("this clone is shallow: older commits in between may be missing")
    if len(commits) < len(work):
        notes.append(f"of {len(work):,} commits the newest {len(commits):,} are listed")
    return commits, "; ".join(notes)


def find_first_head(runs: Iterable[RunState]) -> str | None:
    """The commit on which the first run of an agent began; nothing where that was not written down."""
    reports = (load_report(state) for state in runs)
    return next((report.head_before for report in reports if report is not None and report.head_before), None)


def read_attempt_run(state: RunState, *, tail_lines: int = TAIL_LINES) -> AttemptRun:
    """A run by its files; its last lines are read only where they are asked for."""
    plan, end, report = state.plan, state.end, load_report(state)
    status = state.status.value
    if report is not None:
        status = report.outcome.value
    elif end is not None:
        status = end.ending.value
    return AttemptRun(
        step=state.key.step,
        number=state.key.number,
        agent=plan.agent if plan else "",
        owner=plan.owner if plan else "",
        status=status,
        code=end.code if end else None,
        began=end.began if end else state.process.since if state.process else None,
        seconds=state.elapsed if end is not None or state.process is not None else None,
        argv=plan.argv if plan else (),
        environment=plan.environment if plan else (),
        folder=plan.folder if plan else "",
        timeout_seconds=plan.timeout_seconds if plan else None,
        prompt_sha256=plan.prompt_sha256 if plan else "",
        context_sha256=plan.context_sha256 if plan else "",
        why=report.why if report is not None else (),
        output=str(find_output(state)),
        output_bytes=state.output_bytes,
        tail=tuple(read_last_lines(find_output(state), tail_lines)) if tail_lines else (),
    )
