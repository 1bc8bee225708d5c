"""The two sides of a handoff's own diff: its files before its first change, and after its last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.git.objects.private_objects import OwnObjects, WrittenEntry, WrittenTree
from handoff_tui.handoffs.scope.scope import Content, OwnChange, Scope, Scopes
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_cache_folder

Others = Mapping[str, tuple[str, ...]]
"""Paths with the other handoffs that changed them."""
_MOST_NAMED = 3


@dataclass(frozen=True)
class OwnSides:
    """A handoff's own changes as two trees that hold its own paths alone."""

    scope: Scope
    before: str
    after: str
    shared: Others = field(default_factory=dict)
    """The last change belongs to others, too."""
    between: Others = field(default_factory=dict)
    """Others changed the path between two changes of this handoff, so the diff has their changes in it."""
    taken_over: Others = field(default_factory=dict)
    """Others changed the path afterwards; the diff does not have that."""
    left_out: tuple[str, ...] = ()
    since: ComparedPair | None = None
    """Where it begins, if not at the handoff's start."""

    @property
    def pair(self) -> ComparedPair:
        if self.since is not None:
            return self.since
        scope = self.scope
        if not scope.changes:
            start = "it has no changes of its own"
        elif not scope.commits:
            start = "HEAD: none of its changes is committed"
        else:
            start = "the parent of its first own commit"
        return ComparedPair(
            scope=DiffScope.OWN,
            before=BaselineChoice(commit=scope.start, tree=self.before, reason=start),
            after=BaselineChoice(tree=self.after, reason=_describe_end(scope)),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the diff and the work of others meet, one sentence each."""
        return (
            *(f"{who} also changed {what} in between; that is part of this diff" for who, what in _group(self.between)),
            *(
                f"{who} changed {what} afterwards; that is not part of this diff"
                for who, what in _group(self.taken_over)
            ),
            *(f"shared with {who}: {what}" for who, what in _group(self.shared)),
            *(f"{path} is not compared: a folder above it was a file" for path in self.left_out),
        )


def write_own_sides(
    session: Session, scopes: Scopes, handoff: str, befores: Mapping[str, Content] | None = None
) -> OwnSides:
    """Writes both sides among our own objects, uncommitted contents included.

    `befores` is what own paths held at a later point than the handoff's start.
    """
    scope = scopes.of(handoff)
    objects = OwnObjects(session.repository, find_cache_folder(session.repository.root))
    uncommitted = (change for change in scope.changes if change.commit is None and not change.after.deleted)
    objects.write_contents((change.path, WrittenEntry(change.after.mode, change.after.blob)) for change in uncommitted)
    before, after = _write(objects, scope.befores if befores is None else befores), _write(objects, scope.results)
    return OwnSides(
        scope=scope,
        before=before.id,
        after=after.id,
        shared=_find_sharing(scopes, scope),
        between=_find_between(scopes, scope),
        taken_over={path: tuple(others.split(", ")) for path, others in scope.taken_over.items()},
        left_out=tuple(sorted({*before.left_out, *after.left_out})),
    )


def build_own_json(own: OwnSides) -> dict[str, object]:
    """Whose diff it is, and where the work of others meets it."""
    scope = own.scope
    met = {"shared": own.shared, "between": own.between, "taken_over": own.taken_over}
    return {
        "handoff": scope.handoff,
        "start": scope.start,
        "commits": list(scope.commits),
        "uncommitted": sorted({change.path for change in scope.changes if change.commit is None}),
        **{name: {path: list(who) for path, who in others.items()} for name, others in met.items()},
        "notes": list(own.notes),
    }


def _write(objects: OwnObjects, contents: Mapping[str, Content]) -> WrittenTree:
    files = {path: content for path, content in contents.items() if not content.deleted}
    return objects.write_tree({path: WrittenEntry(content.mode, content.blob) for path, content in files.items()})


def _find_sharing(scopes: Scopes, scope: Scope) -> Others:
    found: dict[str, list[str]] = defaultdict(list)
    for other in scopes.by_handoff.values():
        for path in other.shared & scope.shared if other is not scope else ():
            found[path].append(other.handoff)
    return {path: tuple(sorted(others)) for path, others in sorted(found.items())}


def _find_between(scopes: Scopes, scope: Scope) -> Others:
    """Paths of which one own change does not begin where the one before it ended, and who changed them there."""
    gaps: dict[str, set[Content]] = defaultdict(set)
    last: dict[str, OwnChange] = {}
    for change in scope.changes:
        former = last.get(change.path)
        if former is not None and former.after != change.before:
            gaps[change.path].add(change.before)
        last[change.path] = change
    found: dict[str, set[str]] = {path: set() for path in gaps}
    for other in scopes.by_handoff.values():
        for change in other.changes if other is not scope else ():
            if change.after in gaps.get(change.path, ()):
                found[change.path].add(other.handoff)
    return {path: tuple(sorted(others)) for path, others in sorted(found.items()) if others}


def _describe_end(scope: Scope) -> str:
    files = plural(len(scope.results), "own file")
    words = [plural(len(scope.commits), "commit")] if scope.commits else []
    uncommitted = len({change.path for change in scope.changes if change.commit is None})
    words += [f"{plural(uncommitted, 'uncommitted file')}"] if uncommitted else []
    return f"{files} after its last change" + (f" ({', '.join(words)})" if words else "")


def _group(others: Others) -> Iterator[tuple[str, str]]:
    """The other handoffs, each group with the paths that it is about."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, handoffs in others.items():
        paths[", ".join(handoffs)].append(path)
    for names, about in sorted(paths.items()):
        yield names, name_some(about, _MOST_NAMED)
