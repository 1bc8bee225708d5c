"""The commit where a check began to fail: who made it, and the diff that did it."""

from __future__ import annotations

import re

from handoff_tui.checks.result import CheckResult
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commit_graph import GraphCommit, read_message
from handoff_tui.git.objects.tree_diff import count_lines, list_changes, read_patch
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.bisect.report import Culprit, CulpritFile

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_MOST_PATCH_LINES = 200
_MOST_FILES = 500


def read_culprit(desk: Desk, commit: GraphCommit, result: CheckResult) -> Culprit:
    """What the commit changed against its first parent, and what the check says of it."""
    git = desk.repository.git
    before = commit.parents[0] if commit.parents else _EMPTY_TREES[desk.repository.object_format]
    changes = list_changes(git, before, commit.id)
    counts = count_lines(git, before, commit.id)
    named = _find_named(changes, result)
    lines, cut = _read_patch(desk, before, commit.id, named)
    return Culprit(
        commit=commit.id,
        parents=commit.parents,
        author=commit.author,
        author_email=commit.author_email,
        date=commit.date,
        subject=commit.subject,
        body=read_message(git, commit.id),
        findings=result.findings,
        summary=result.summary,
        files=tuple(
            CulpritFile(
                status=change.status,
                path=change.path,
                old_path=change.old_path,
                added=counts[change.path].added if change.path in counts else None,
                deleted=counts[change.path].deleted if change.path in counts else None,
                named=change in named,
            )
            for change in changes[:_MOST_FILES]
        ),
        patch="\n".join(lines),
        patch_cut=cut,
    )


def _find_named(changes: list[FileChange], result: CheckResult) -> list[FileChange]:
    """The changed files that a finding names as its place, or speaks of."""
    evidence = [one for finding in result.findings for one in finding.evidence]
    places = {one.path for one in evidence}
    spoken = [finding.message for finding in result.findings]
    words = " ".join([*spoken, *(part for one in evidence for part in (one.expected, one.actual) if part)])
    return [change for change in changes if change.path in places or _is_spoken_of(change.path, words)]


def _is_spoken_of(path: str, words: str) -> bool:
    """Whether a path stands there as a whole: `a.md` is not named by `docs/a.md`, nor by `a.mdx`."""
    if path not in words:  # most are not, and this is the quicker question
        return False
    return re.search(rf"(?<![\w/.~@+-])(?:\./)?{re.escape(path)}(?![\w/~@+-]|\.\w)", words) is not None


def _read_patch(desk: Desk, before: str, after: str, named: list[FileChange]) -> tuple[list[str], bool]:
    """The beginning of the diff; of the named files where there are some."""
    lines: list[str] = []
    rest = b""
    for piece in read_patch(desk.repository.git, before, after, only=named or None):
        *whole, rest = (rest + piece).split(b"\n")
        lines += [line.decode("utf-8", "replace") for line in whole]
        if len(lines) > _MOST_PATCH_LINES:
            return lines[:_MOST_PATCH_LINES], True
    return lines, False
