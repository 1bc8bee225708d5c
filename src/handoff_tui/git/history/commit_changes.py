"""The commits of a range with what each of them changed, in one `git log`; merges against each of their parents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import GitError
from handoff_tui.git.command import Git
from handoff_tui.git.session import session_of

_FORMAT = "%x01%H%x00%P%x00%an%x00%ae%x00%ce%x00%ct%x00%at%x00%B%x00"
_FIELDS = 8
GONE = "000000"
"""The mode of a path that a change removed."""


class PathChange(NamedTuple):
    """One path as a commit left it. `mode` is `GONE` if the commit removed it."""

    path: str
    mode: str
    blob: str
    mode_before: str
    before: str
    """The blob before; zeros if the path was not there."""

    @property
    def removed(self) -> bool:
        return self.mode == GONE


class ChangedCommit(NamedTuple):
    """A commit and its changes. Of a merge, only what differs from all its parents."""

    id: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    committer_email: str
    time: int
    body: str
    changes: tuple[PathChange, ...]
    author_time: int = 0
    """When it was first written; a rebase keeps this time and sets the other."""

    @property
    def subject(self) -> str:
        return self.body.partition("\n")[0]


def read_commit_changes(git: Git, since: str | None = None, head: str = "HEAD") -> list[ChangedCommit]:
    """Returns the commits after `since` up to `head`, parents before children; all without `since`. Read once."""
    reach = head if since is None else f"{since}..{head}"
    return list(session_of(git).once(("commit changes", reach), lambda: _read(git, reach)))


def _read(git: Git, reach: str) -> list[ChangedCommit]:
    answer = session_of(git).ask_history(
        *("log", "-z", "--topo-order", "--reverse", "--raw", "--no-renames", "--no-abbrev", "-c", "--root"),
        *("--ignore-submodules=none", f"--format={_FORMAT}", reach, "--"),
    )
    if not answer.ok:
        if "does not have any commits yet" in answer.stderr or "bad revision 'HEAD'" in answer.stderr:
            return []
        raise answer.to_error("log")
    return list(parse_commit_changes(answer.stdout))


def parse_commit_changes(output: bytes) -> Iterator[ChangedCommit]:
    """Reads `git log -z --raw` in this module's format."""
    fields = os.fsdecode(output).split("\0")
    count, number = len(fields), 0
    while number < count and fields[number]:
        identifier = fields[number]
        if not identifier.startswith("\x01"):
            raise GitError(f"git log gave {identifier[:40]!r} where a commit should begin")
        if number + _FIELDS > count:
            raise GitError("git log ended in the middle of a commit")
        parents, author, author_email, committer_email, time, author_time, body = fields[number + 1 : number + _FIELDS]
        number += _FIELDS
        changes: list[PathChange] = []
        while number < count and not fields[number].startswith("\x01"):
            raw = fields[number].lstrip("\n")
            number += 1
            if raw.startswith(":"):
                changes.append(build_change(raw, fields[number] if number < count else ""))
                number += 1
        yield ChangedCommit(
            identifier[1:],
            tuple(parents.split()),
            author,
            author_email,
            committer_email,
            int(time),
            body,
            tuple(changes),
            int(author_time),
        )


def build_change(raw: str, path: str) -> PathChange:
    """Reads one raw line; a merge has a mode and a blob for each parent, then its own."""
    if raw[1] != ":":
        mode_before, mode, before, blob, _ = raw[1:].split(" ")
        return PathChange(path, mode, blob, mode_before, before)
    parents = len(raw) - len(raw.lstrip(":"))
    words = raw.lstrip(":").split(" ")
    return PathChange(path, words[parents], words[2 * parents + 1], words[0], words[parents + 1])


_WORDS = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--always", "--no-renames", "--no-abbrev")


def read_merge_differences(git: Git, merges: Sequence[ChangedCommit]) -> list[list[dict[str, PathChange]]]:
    """For each merge and each of its parents, by path: what the parent had and what the merge has."""
    asked = "".join(f"{merge.id} {parent}\n" for merge in merges for parent in merge.parents).encode("ascii")
    words = (*_WORDS, "--ignore-submodules=none")
    output = session_of(git).once(("merge differences", asked), lambda: git.read(*words, stdin=asked))
    fields = iter(os.fsdecode(output).split("\0"))
    pairs: list[dict[str, PathChange]] = []
    for field in fields:
        if field.startswith(":"):
            path = next(fields)
            pairs[-1][path] = build_change(field, path)
        elif field:
            pairs.append({})
    if len(pairs) != sum(len(merge.parents) for merge in merges):
        raise GitError("git diff-tree did not tell about every merge")
    waiting = iter(pairs)
    return [[next(waiting) for _ in merge.parents] for merge in merges]
