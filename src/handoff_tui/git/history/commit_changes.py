"""The commits of a range with what each of them changed, in one `git log`; merges against each of their parents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import count
from typing import cast, overload

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import GitError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.session import session_of

_FORMAT = "%x01%H%x00%P%x00%an%x00%ae%x00%ce%x00%ct%x00%at%x00%B%x00"
_FIELDS = 8
_KIND = "commit changes"
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


class RawChanges(Sequence[PathChange]):
    """Changes in git's own words: one is parsed when it is looked at, as most of a large commit never are."""

    def __init__(self, text: str) -> None:
        """`text` is the raw line and the path of each change, with a NUL after both."""
        self._text = text
        self._may_have: dict[str, bool] = {}

    @cached_property
    def _fields(self) -> list[str]:
        return self._text.split("\0")[:-1]

    @cached_property
    def paths(self) -> list[str]:
        return self._fields[1::2]

    @overload
    def __getitem__(self, number: int) -> PathChange: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[PathChange]: ...
    def __getitem__(self, number: int | slice) -> PathChange | Sequence[PathChange]:
        return (
            tuple(self)[number]
            if isinstance(number, slice)
            else build_change(self._fields[2 * number], self.paths[number])
        )

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[PathChange]:
        return map(build_change, self._fields[::2], self.paths)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.paths, count(), strict=False))

    def get(self, path: str) -> PathChange:
        return self[self._numbers[path]]

    def find(self, wanted: AbstractSet[str]) -> Iterator[int]:
        """The numbers of those changes whose paths are wanted."""
        if len(wanted) < len(self.paths):
            return (self._numbers[path] for path in wanted if path in self._numbers)
        return (number for number, path in enumerate(self.paths) if path in wanted)

    def list_likely_removed(self) -> list[PathChange]:
        gone = f" {GONE} "
        pairs = zip(self._fields[::2], self.paths, strict=True) if gone in self._text else ()
        return [build_change(raw, path) for raw, path in pairs if gone in raw]

    def may_have(self, beginning: str) -> bool:
        """False if no path begins so."""
        if beginning not in self._may_have:
            self._may_have[beginning] = f"\0{beginning}" in self._text
        return self._may_have[beginning]

    def without(self, paths: AbstractSet[str]) -> RawChanges:
        pairs = zip(self._fields[::2], self.paths, strict=True)
        return RawChanges("".join(f"{raw}\0{path}\0" for raw, path in pairs if path not in paths))


class ChangedCommit(NamedTuple):
    """A commit and its changes. Of a merge, only what differs from all its parents."""

    id: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    committer_email: str
    time: int
    body: str
    changes: Sequence[PathChange]
    author_time: int = 0
    """When it was first written; a rebase keeps this time and sets the other."""

    @property
    def paths(self) -> Sequence[str]:
        """The path of each change."""
        return self.changes.paths if isinstance(self.changes, RawChanges) else [one.path for one in self.changes]

    def find(self, *wanted: AbstractSet[str]) -> list[PathChange]:
        """The changes of those paths that are in one of these."""
        changes = self.changes
        if isinstance(changes, RawChanges):
            return [changes[number] for number in sorted({number for one in wanted for number in changes.find(one)})]
        return [change for change in changes if any(change.path in paths for paths in wanted)]

    def get(self, path: str) -> PathChange:
        """The change of a path that is among the changed ones."""
        if isinstance(self.changes, RawChanges):
            return self.changes.get(path)
        return next(one for one in self.changes if one.path == path)

    def without(self, paths: AbstractSet[str]) -> ChangedCommit:
        """The commit without its changes of these paths."""
        if paths.isdisjoint(self.paths):
            return self
        if isinstance(self.changes, RawChanges):
            return self._replace(changes=self.changes.without(paths))
        return self._replace(changes=tuple(one for one in self.changes if one.path not in paths))

    def list_removed(self) -> list[PathChange]:
        """The changes that removed a path."""
        if not self.parents:  # there was nothing before
            return []
        changes = self.changes.list_likely_removed() if isinstance(self.changes, RawChanges) else self.changes
        return [one for one in changes if one.removed]

    def may_change(self, beginning: str) -> bool:
        """False if no path begins so: told without looking at each."""
        return not isinstance(self.changes, RawChanges) or self.changes.may_have(beginning)

    @property
    def subject(self) -> str:
        return self.body.partition("\n")[0]


def read_commit_changes(git: Git, since: str | None = None, head: str = "HEAD") -> list[ChangedCommit]:
    """Returns the commits after `since` up to `head`, parents before children; all without `since`. Read once."""
    reach = head if since is None else f"{since}..{head}"
    return list(session_of(git).once((_KIND, reach), lambda: _read(git, reach)))


def find_read_paths(git: Git, commit: str) -> list[str] | None:
    """The paths that a commit changed, if that was read; None for a merge, which was read against all its parents."""
    for read in cast("list[list[ChangedCommit]]", session_of(git).list_known(_KIND)):
        for one in read:
            if one.id == commit:
                return list(one.paths) if len(one.parents) <= 1 else None
    return None


def _read(git: Git, reach: str) -> list[ChangedCommit]:
    answer = session_of(git).ask_history(
        *("log", "-z", "--topo-order", "--reverse", "--raw", "--no-renames", "--no-abbrev", "-c", "--root"),
        *("--ignore-submodules=none", f"--format={_FORMAT}", reach, "--"),
    )
    if not answer.ok:
        if "does not have any commits yet" in answer.stderr or "bad revision 'HEAD'" in answer.stderr:
            return []
        raise answer.to_error("log")
    return _parse_once(answer.stdout)


@lru_cache(maxsize=2)
def _parse_once(output: bytes) -> list[ChangedCommit]:
    """Each refresh of the app asks again, and mostly gets the same output."""
    return list(parse_commit_changes(output))


_COMMIT = compile_later(r"\x01" + r"([^\0]*)\0" * _FIELDS + r"[\0\n]*((?::[^\0]*\0[^\0]*\0)*+)")


def parse_commit_changes(output: bytes) -> Iterator[ChangedCommit]:
    """Reads `git log -z --raw` in this module's format."""
    text = os.fsdecode(output)
    position = 0
    while position < len(text):
        found = _COMMIT.match(text, position)
        if found is None:
            raise GitError(f"git log gave {text[position : position + 40]!r} where a commit should begin")
        identifier, parents, author, author_email, committer_email, time, author_time, body, changes = found.groups()
        position = found.end()
        yield ChangedCommit(
            identifier,
            tuple(parents.split()),
            author,
            author_email,
            committer_email,
            int(time),
            body,
            RawChanges(changes),
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
