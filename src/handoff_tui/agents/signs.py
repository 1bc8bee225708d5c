"""What speaks against a run, whatever its exit code says: each thing noticed, with its places. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.report import Notice, Sign
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_DIGEST

_MOST_PLACES = 20
_LONGEST_LINE = 200
_LOG_FOLDER = ".handoff-tui/log/"
_FOLDER_KIND = "4"
"""In octal: 4 for a folder, 10 for a file, 12 for a link."""

_ENDINGS = {
    RunEnding.TIMED_OUT: (Sign.TIMED_OUT, "it did not end in time and was stopped"),
    RunEnding.STOPPED: (Sign.STOPPED, "it was stopped on request"),
    RunEnding.FLOODED: (Sign.FLOODED, "it printed more than it may and was stopped"),
    RunEnding.LOST: (Sign.LOST, "its supervisor died, so nobody knows how it ended"),
}


def find_signs(
    end: RunEnd,
    before: Observation,
    after: Observation,
    output: str,
    patterns: Iterable[str],
    *,
    may_change_nothing: bool = False,
) -> list[Notice]:
    """Everything that was noticed, the worst first."""
    found = [
        *_find_ending(end),
        *_find_refs(before, after),
        *_find_edits(before, after),
        *_find_outside(before, after),
        *(() if may_change_nothing else _find_idleness(end, before, after)),
        *_find_errors(end, output, patterns),
    ]
    order = {severity: number for number, severity in enumerate(Severity)}
    return sorted(found, key=lambda notice: order[notice.severity])


def is_tampering(notice: Notice) -> bool:
    """Whether only a person can say what to make of it."""
    return notice.severity is Severity.CRITICAL


def _find_ending(end: RunEnd) -> Iterable[Notice]:
    if end.ending is RunEnding.NOT_STARTED:
        yield _notice(Sign.NOT_STARTED, Severity.HIGH, f"it could not be started: {end.failure}")
    elif end.ending in _ENDINGS:
        sign, text = _ENDINGS[end.ending]
        yield _notice(sign, Severity.LOW if sign is Sign.STOPPED else Severity.HIGH, text)
    elif end.ending is RunEnding.SIGNALLED:
        yield _notice(Sign.FAILED, Severity.HIGH, f"it was ended by signal {end.signal}")
    elif end.code:
        yield _notice(Sign.FAILED, Severity.HIGH, f"it exited with {end.code}")
    if end.left_running:
        many = end.left_running > 1
        words = f"{end.left_running} processes running, which were" if many else "a process running, which was"
        text = f"it left {words} ended"
        yield _notice(Sign.LEFT_RUNNING, Severity.MEDIUM, text)
    if end.output_rewritten:
        yield _notice(Sign.OUTPUT_REWRITTEN, Severity.HIGH, "it took back some of what it had printed")


def _find_refs(before: Observation, after: Observation) -> Iterable[Notice]:
    if after.problem is not None:
        text = f"the repository cannot be read any more: {after.problem}"
        yield _notice(Sign.UNREADABLE, Severity.CRITICAL, text)
        return
    gone = sorted(name for name in before.refs if name not in after.refs)
    if gone:
        yield _notice(Sign.BRANCH_DELETED, Severity.CRITICAL, "it deleted branches, tags or notes", gone)
    if before.branch != after.branch and before.branch not in gone:
        text = f"it left the branch {before.branch or 'that was checked out'} for {after.branch or 'none'}"
        yield _notice(Sign.BRANCH_MOVED, Severity.HIGH, text)
    moved = sorted(
        name for name, target in after.refs.items() if name != after.branch and before.refs.get(name, target) != target
    )
    if moved:
        yield _notice(Sign.BRANCH_MOVED, Severity.HIGH, "it moved refs that are not its own", moved)


def _find_edits(before: Observation, after: Observation) -> Iterable[Notice]:
    changed, added = _compare(before.own, after.own)
    if changed:
        text = "it changed or deleted files below .handoff-tui/, where decisions are kept"
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.CRITICAL, text, changed)
    entries = [path for path in added if path.startswith(_LOG_FOLDER)]
    others = [path for path in added if not path.startswith(_LOG_FOLDER)]
    if others:
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.HIGH, "it added files below .handoff-tui/", others)
    if entries:
        text = "it added entries to the log; their signatures are verified like all others"
        yield _notice(Sign.OWN_FOLDER_EDITED, Severity.MEDIUM, text, entries)
    edited = [*_compare(before.rules, after.rules)[0], *_compare(before.rules, after.rules)[1]]
    if edited:
        text = "it edited the configuration by which its own work is checked"
        yield _notice(Sign.CHECKS_EDITED, Severity.CRITICAL, text, edited)
    if after.problem is None:
        touched = [path for paths in _compare(before.git_files, after.git_files) for path in paths]
        if touched:
            text = "it edited the repository's git configuration, hooks or attributes"
            yield _notice(Sign.GIT_EDITED, Severity.HIGH, text, [f".git/{path}" for path in touched])


def _find_outside(before: Observation, after: Observation) -> Iterable[Notice]:
    if after.problem is None and before.repository_tree != after.repository_tree:
        text = "files of the repository itself were written, while it had a tree of its own"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.HIGH, text)
    guarded = [path for paths in _compare(before.guarded, after.guarded) for path in paths]
    if guarded:
        yield _notice(Sign.WROTE_OUTSIDE, Severity.HIGH, "files that it has no business in were written", guarded)
    beside = [path for paths in _compare(before.neighbours, after.neighbours) for path in paths]
    folders = [path for path in beside if _is_folder(before, path) and _is_folder(after, path)]
    written = [path for path in beside if path not in folders]
    if written:
        text = "files beside its folder were written while it ran, by it or by another program"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.MEDIUM, text, written)
    if folders:  # which happens all the time where people work: told, and no more
        text = "folders beside its own were written into while it ran, by it or by another program"
        yield _notice(Sign.WROTE_OUTSIDE, Severity.LOW, text, folders)


def _is_folder(observed: Observation, path: str) -> bool:
    """By its stamp, which begins with the kind and mode of a file."""
    return observed.neighbours.get(path, "").startswith(_FOLDER_KIND)


def _find_idleness(end: RunEnd, before: Observation, after: Observation) -> Iterable[Notice]:
    """An exit code of 0 without any work is a claim, not a result."""
    if end.succeeded and after.problem is None and (before.head, before.tree) == (after.head, after.tree):
        yield _notice(Sign.DID_NOTHING, Severity.HIGH, "it exited with 0 and has changed nothing")


def _find_errors(end: RunEnd, output: str, patterns: Iterable[str]) -> Iterable[Notice]:
    if not end.succeeded:
        return
    lines: list[str] = []
    for pattern in patterns:
        for match in re.finditer(pattern, output):
            start = output.rfind("\n", 0, match.start()) + 1
            stop = output.find("\n", match.end())
            lines.append(output[start : stop if stop >= 0 else None].strip()[:_LONGEST_LINE])
            if len(lines) >= _MOST_PLACES:
                break
    if lines:
        text = "it exited with 0, but its output speaks of errors"
        yield _notice(Sign.ERROR_IN_OUTPUT, Severity.MEDIUM, text, dict.fromkeys(lines))


def build_rewritten_notice(head: str, branch: str | None) -> Notice:
    """For a branch whose commits are no longer behind it."""
    text = f"it rewrote history: {head[:SHORT_DIGEST]} is no longer behind {branch or 'HEAD'}"
    return _notice(Sign.HISTORY_REWRITTEN, Severity.CRITICAL, text)


def _compare(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Paths that were changed or deleted, and paths that were added."""
    changed = sorted(path for path, digest in before.items() if after.get(path, "") != digest)
    return changed, sorted(path for path in after if path not in before)


def _notice(sign: Sign, severity: Severity, text: str, places: Iterable[str] = ()) -> Notice:
    shown = list(places)
    more = [f"and {len(shown) - _MOST_PLACES} more"] if len(shown) > _MOST_PLACES else []
    return Notice(sign=sign, severity=severity, text=text, places=(*shown[:_MOST_PLACES], *more))
