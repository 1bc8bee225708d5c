"""When a claim was made: the commits its document speaks about, and what a path was like there.

A claim speaks about the work after the previous handoff of its line, up to the commit that last wrote its own line of
text; in a document that isn't committed, up to now. Everything here comes from the one history that scopes read, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange
from handoff_tui.git.work_tree.listing import list_below, sort_paths
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.traces import list_reports

_NOTES = "notes:"
_MOST_VERSIONS = 100
"""How many earlier versions of a document are compared with it; older lines count as written by the oldest of them."""
_SQUASHED: Final = compile_later(r"\(#\d+\)\s*$|^Merge (?:pull request|branch|remote-tracking)|^Squash")
_ROLLING: Final = frozenset({"notes", "gsd", "mosaic", "claude", "relay"})
NOW = "now"


class Moment(NamedTuple):
    """The commits that a claim speaks about: those after `start`, up to and including `position`."""

    commit: str | None
    """The commit that last wrote the claim; None if it isn't committed."""
    position: int
    start: int
    """The previous handoff of the line, or -1."""
    end: int
    """The next handoff of any line, or the end of history.

    If no work was committed before the claim, what its author commits until then is meant.
    """

    def describe(self, commits: Sequence[ChangedCommit]) -> str:
        """`now`, or the range as git writes it."""
        first = f"{commits[self.start].id[:SHORT_COMMIT]}.." if self.start >= 0 else ""
        return f"{first}{self.commit[:SHORT_COMMIT] if self.commit else NOW}"


def _is_rolling(dialect: str, path: str) -> bool:
    """Whether a document without a number or date in its name is about the newest session only."""
    return dialect in _ROLLING and not any(sign.isdigit() for sign in path.rpartition("/")[2])


class PathVersion(NamedTuple):
    """A change of a path, and the position of its commit."""

    position: int
    change: PathChange


class WorkHistory:
    """The commits of a repository, parents first, and the documents of its handoffs."""

    def __init__(self, commits: Sequence[ChangedCommit], read: Callable[[str], bytes | None]) -> None:
        self.commits = commits
        self._read = read
        self._lines: dict[str, list[tuple[int, str]]] = {}
        """For each line of work, the positions of the commits that wrote its documents, with the handoffs."""
        self._line_of: dict[str, tuple[str, str]] = {}
        """The line and the handoff of each document."""
        self._writers: list[tuple[int, str]] = []
        self._versions: dict[str, list[PathVersion]] = {}
        self._origins: dict[str, dict[str, int]] = {}
        self._written: dict[str, list[PathVersion]] = {}
        self._removals: dict[int, list[PathChange]] = {}
        self._moments: dict[tuple[str, str, int], Moment] = {}

    def take_in(self, handoffs: Iterable[Handoff]) -> None:
        """Learns which documents belong to which line of work: one format in one folder of the root."""
        lines: dict[str, set[tuple[int, str]]] = defaultdict(set)
        for handoff in handoffs:
            reports = list_reports(handoff)
            for document in handoff.documents:
                line = f"{handoff.dialect} {document.path.partition('/')[0] if '/' in document.path else ''}"
                # a document that is rewritten for each session hands over every time
                own = "" if _is_rolling(handoff.dialect, document.path) else handoff.id
                self._line_of[document.path] = line, own
                if document.path in reports:
                    written = (one.position for one in self._list_written(document.path) if not one.change.removed)
                    lines[line].update((position, handoff.id) for position in written)
        self._lines = {line: sorted(events) for line, events in lines.items()}
        self._writers = sorted({event for events in lines.values() for event in events})
        self._moments.clear()

    def forget(self, documents: Iterable[str]) -> None:
        """Before documents that were saved are asked again."""
        for document in documents:
            self._origins.pop(document, None)

    @cached_property
    def positions(self) -> dict[str, int]:
        return {commit.id: position for position, commit in enumerate(self.commits)}

    @cached_property
    def _changing(self) -> tuple[dict[str, int], dict[str, list[int]]]:
        """For each path the position of the first commit that changed it, and those of the later ones."""
        first: dict[str, int] = {}
        later: dict[str, list[int]] = defaultdict(list)
        for position, commit in enumerate(self.commits):
            paths = commit.paths
            if not first.keys().isdisjoint(paths):
                for path in first.keys() & paths:
                    later[path].append(position)
                paths = [path for path in paths if path not in first]
            first.update(dict.fromkeys(paths, position))
        return first, later

    @cached_property
    def _is_linear(self) -> bool:
        return all(len(commit.parents) <= 1 for commit in self.commits)

    @property
    def paths(self) -> AbstractSet[str]:
        """Every path that any commit changed."""
        return self._changing[0].keys()

    @cached_property
    def sorted_paths(self) -> tuple[str, ...]:
        return sort_paths(self.paths)

    def list_versions(self, path: str) -> list[PathVersion]:
        if path not in self._versions:
            first, later = self._changing
            positions = [first[path], *later.get(path, ())] if path in first else []
            self._versions[path] = [PathVersion(position, self.commits[position].get(path)) for position in positions]
        return self._versions[path]

    def _list_written(self, document: str) -> list[PathVersion]:
        """The versions of a document, also under earlier names: a commit that only renames it does not write it."""
        if document not in self._written:
            self._written[document] = self._follow_names(document)
        return self._written[document]

    def _follow_names(self, document: str) -> list[PathVersion]:
        versions = self.list_versions(document)
        names = {document}
        while versions:
            first = versions[0]
            former = self._find_former_name(first, names)
            if former is None:
                break
            names.add(former)
            earlier = [one for one in self.list_versions(former) if one.position < first.position]
            is_same = bool(earlier) and earlier[-1].change.blob == first.change.blob
            versions = [*earlier, *versions[1 if is_same else 0 :]]
        return versions

    def _find_former_name(self, first: PathVersion, names: set[str]) -> str | None:
        """The path whose content, or whose file name, moved here in the commit that brought a path."""
        name = first.change.path.rpartition("/")[2]
        if first.position not in self._removals:
            self._removals[first.position] = self.commits[first.position].list_removed()
        gone = [change for change in self._removals[first.position] if change.path not in names]
        fitting = [change.path for change in gone if change.before == first.change.blob]
        return next(iter(fitting or [one.path for one in gone if one.path.rpartition("/")[2] == name]), None)

    def find_version(self, path: str, position: int) -> PathVersion | None:
        """The last change of a path that a commit has behind it; None if the path wasn't there yet."""
        versions = self.list_versions(path)
        for one in reversed(versions[: bisect_right(versions, position, key=lambda version: version.position)]):
            if self.is_behind(one.position, position):
                return one
        return None

    def is_there(self, path: str, position: int) -> bool:
        """Whether a path, or something below it, was there after a commit."""
        if self._is_file_there(path, position):
            return True
        if path.rpartition("/")[2].count(".") and not path.endswith("/"):
            return False
        return any(self._is_file_there(other, position) for other in list_below(self.sorted_paths, path.rstrip("/")))

    def _is_file_there(self, path: str, position: int) -> bool:
        found = self.find_version(path, position)
        return found is not None and not found.change.removed

    def list_between(self, path: str, start: int, end: int) -> list[PathVersion]:
        """The changes of a path after one position, up to and including another."""
        return [one for one in self.list_versions(path) if start < one.position <= end]

    def list_meant(self, path: str, moment: Moment) -> list[PathVersion]:
        """The changes of a path in the commits of a claim; if they hold no work, in what its author did next."""
        found = self.list_between(path, moment.start, moment.position)
        if found or moment.commit is None or self.has_work(moment):
            return found
        author = self.commits[moment.position].author_email
        later = self.list_between(path, moment.position, moment.end - 1)
        return [one for one in later if self.commits[one.position].author_email == author]

    def is_behind(self, early: int, late: int) -> bool:
        """Whether a commit is another one, or leads to it."""
        if self._is_linear or early == late or late >= len(self.commits):
            return early <= late
        waiting, seen = [late], {late}
        while waiting:
            for parent in self.commits[waiting.pop()].parents:
                position = self.positions.get(parent, -1)
                if position == early:
                    return True
                if position > early and position not in seen:
                    seen.add(position)
                    waiting.append(position)
        return False

    def find_moment(self, document: str, line: str | None, text: str | None) -> Moment:
        """When a line of a document was last written. `text` is the document if it differs from the one committed."""
        position = self._find_position(document, line, text)
        name = (*self._line_of.get(document, ("", "")), position)
        if name not in self._moments:
            self._moments[name] = self._build_moment(*name)
        return self._moments[name]

    def find_handoff(self, position: int) -> str | None:
        """The handoff whose document is the next one written at or after a commit."""
        number = bisect_left(self._writers, (position, ""))
        return self._writers[number][1] if number < len(self._writers) else None

    def has_work(self, moment: Moment) -> bool:
        """Whether a range changed anything but documents; if not, it is a bad guess of what is claimed about."""
        return any(
            path not in self._line_of
            for commit in self.commits[moment.start + 1 : moment.position + 1]
            for path in commit.paths
        )

    def is_from_the_beginning(self, changes: Sequence[PathVersion], moment: Moment) -> bool:
        """Whether the only change of a path is the first commit, and other commits did the work that is claimed about.

        Only where nothing was handed over before: otherwise the range says what was there.
        """
        if moment.start >= 0 or any(self.commits[one.position].parents for one in changes):
            return False
        return self.has_work(moment._replace(start=0))

    def find_merge(self, branch: str) -> int | None:
        """The position of a merge that names a branch."""
        named = compile_later(rf"(?:^|[\s'\"/:]){re.escape(branch)}(?:$|[\s'\",.)])")
        merges = (
            position for position, one in enumerate(self.commits) if len(one.parents) > 1 or "erge" in one.subject
        )
        return next((position for position in merges if named.search(self.commits[position].subject)), None)

    def may_be_rewritten(self, moment: Moment) -> bool:
        """Whether the claim's commit, or one after it, was rebased, squashed or merged: its commits may be gone."""
        return moment.position <= self._last_rewritten

    @cached_property
    def _last_rewritten(self) -> int:
        for position in range(len(self.commits) - 1, -1, -1):
            commit = self.commits[position]
            if abs(commit.author_time - commit.time) > 1 or _SQUASHED.search(commit.subject):
                return position
        return -1

    def _find_position(self, document: str, line: str | None, text: str | None) -> int:
        now = len(self.commits)
        if document.startswith(_NOTES):
            return self.positions.get(document.rpartition("/")[2], now)
        versions = self._list_written(document)
        if not versions or versions[-1].change.removed:
            return now
        if line is None or (text is None and len(versions) == 1):
            return now if text is not None else versions[-1].position
        if document not in self._origins:
            self._origins[document] = self._find_origins(versions, text)
        return self._origins[document].get(line.strip(), versions[-1].position)

    def _find_origins(self, versions: list[PathVersion], text: str | None) -> dict[str, int]:
        """For each line of a document, the position of the commit since which it has been there."""
        newest = self._read_lines(versions[-1].change.blob) if text is None else set(map(str.strip, text.split("\n")))
        later = versions[-1].position if text is None else len(self.commits)
        origins: dict[str, int] = {}
        rest = newest
        for one in reversed(versions[-_MOST_VERSIONS:]):
            present = set() if one.change.removed else self._read_lines(one.change.blob)
            origins.update(dict.fromkeys(rest - present, later))
            rest, later = rest & present, one.position
            if not rest:
                break
        return origins | dict.fromkeys(rest, later)

    def _read_lines(self, blob: str) -> set[str]:
        content = self._read(blob) or b""
        return set(map(str.strip, content.decode("utf-8", "replace").split("\n")))

    def _build_moment(self, line: str, own: str, position: int) -> Moment:
        written = self._lines.get(line, [])
        others = (
            place for place, handoff in reversed(written[: bisect_left(written, (position, ""))]) if handoff != own
        )
        start = next((place for place in others if self.is_behind(place, position)), -1)
        later = self._writers[bisect_left(self._writers, (position + 1, "")) :]
        end = next((place for place, handoff in later if handoff != own), len(self.commits))
        is_now = position >= len(self.commits)
        return Moment(None if is_now else self.commits[position].id, position, start, end)
