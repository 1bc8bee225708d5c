"""Gives every change to the handoffs it belongs to. Pure.

A change goes to the first of these that applies: what a person said; the commit that names a handoff, or the run that
made it; the handoffs at work whose documents list the path (naming one of its commits shows that a handoff is at work);
the span of a document; the last owner of the path; nobody. A handoff's own documents are always its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange
from handoff_tui.handoffs.scope.scope import DELETED, Content, OwnChange, Scope, Scopes, Source
from handoff_tui.handoffs.scope.traces import Traces, list_folders, list_message_names

Owners = dict[str, Source]
"""The handoffs a change belongs to, each with the reason."""


@dataclass(frozen=True, slots=True)
class UncommittedChange:
    """A path of the work tree that differs from HEAD."""

    path: str
    before: Content
    after: Content


def assign_changes(
    history: Sequence[ChangedCommit],
    uncommitted: Sequence[UncommittedChange],
    traces: Iterable[Traces],
    past: frozenset[str] = frozenset(),
) -> Scopes:
    """The scopes of all handoffs, from history (parents first) and the work tree.

    `past` are the commits up to the start line: their changes have owners, but nobody need claim them.
    """
    index = _TraceIndex({found.handoff: found for found in traces})
    ranges = _Ranges(history, index, past)
    assignment = _Assignment({name for name, found in index.traces.items() if not found.undecided})
    before_line = past
    past |= {commit.id for number, commit in enumerate(history) if not ranges.is_work(number)}
    for number, commit in enumerate(history):
        for change in commit.changes:
            owners = ranges.find_owners(number, change.path)
            assignment.give(_build_change(commit.id, change), owners, is_past=commit.id in past)
    writing = index.list_writers(edit.path for edit in uncommitted if not edit.after.deleted)
    for edit in uncommitted:
        own = OwnChange(edit.path, None, edit.before, edit.after, Source.OWNER)
        assignment.give(own, index.find_uncommitted_owners(edit.path, writing), is_past=False)
    return replace(assignment.build_scopes(index.traces, history, before_line), past=past)


class _TraceIndex:
    """All traces, by what can be met in a commit."""

    def __init__(self, traces: Mapping[str, Traces]) -> None:
        self.traces = traces
        self.by_document: dict[str, list[str]] = defaultdict(list)
        self.by_report: dict[str, list[str]] = defaultdict(list)
        self._by_declared: dict[str, list[str]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_commit: dict[str, Owners] = defaultdict(dict)
        self._by_run: dict[str, Owners] = defaultdict(dict)
        self._persons = [found for found in traces.values() if found.person is not None]
        for handoff, found in traces.items():
            for table, keys in (
                (self.by_document, found.documents),
                (self.by_report, found.reports),
                (self._by_declared, found.declared),
                (self._by_name, found.names),
            ):
                for key in keys:
                    table[key].append(handoff)
            for commit in found.commits:
                self._by_commit[commit][handoff] = Source.COMMITS
            for commit in found.annotated:
                self._by_run[commit][handoff] = Source.COMMITS
            for commit in found.run_commits:
                self._by_run[commit][handoff] = Source.RUN

    def find_named(self, commit: ChangedCommit) -> Owners:
        """The handoffs that a commit itself names, and those whose agent runs made it."""
        named = {handoff for name in list_message_names(commit.body) for handoff in self._by_name.get(name, ())}
        return dict.fromkeys(sorted(named), Source.COMMITS) | self._by_run.get(commit.id, {})

    def find_naming(self, commit: str) -> Owners:
        """The handoffs whose documents name a commit; a session's summary also names the commits of others."""
        return self._by_commit.get(commit, {})

    def find_said(self, commit: str | None, path: str) -> Owners:
        """The handoffs to which a person gave this change."""
        return {
            found.handoff: Source.EXPLICIT
            for found in self._persons
            if found.person and found.person.covers(commit, path)
        }

    def leave_out_ruled(self, handoffs: Iterable[str], commit: str) -> list[str]:
        """Those handoffs of which nobody said that this commit is none of theirs."""
        persons = {handoff: self.traces[handoff].person for handoff in handoffs}
        return [handoff for handoff, person in persons.items() if person is None or not person.rules_out(commit)]

    def find_declared(self, path: str) -> Iterator[str]:
        """The handoffs that list a path or a folder around it."""
        for key in (path, *list_folders(path)):
            yield from self._by_declared.get(key, ())

    def find_documents(self, path: str) -> Owners:
        return dict.fromkeys(self.by_document.get(path, ()), Source.DECLARED)

    def list_writers(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The handoffs that report on their work in one of these paths."""
        return tuple(sorted({handoff for path in paths for handoff in self.by_report.get(path, ())}))

    def find_uncommitted_owners(self, path: str, writing: tuple[str, ...]) -> Owners:
        documents = self.find_documents(path)
        declared = {handoff: Source.DECLARED for handoff in self.find_declared(path) if self.traces[handoff].undecided}
        guess = {} if documents else dict.fromkeys(writing, Source.SPAN)
        return documents | (self.find_said(None, path) or declared or guess)


class _Ranges:
    """Which commits a handoff's declarations and spans reach. A set of handoffs is a number, a bit for each."""

    def __init__(self, history: Sequence[ChangedCommit], index: _TraceIndex, past: frozenset[str]) -> None:
        self._history, self._index, self._past = history, index, past
        self._bits = {handoff: 1 << number for number, handoff in enumerate(index.traces)}
        positions = {commit.id: number for number, commit in enumerate(history)}
        self._parents = [[positions[parent] for parent in commit.parents if parent in positions] for commit in history]
        self._named = [index.find_named(commit) for commit in history]
        written = [
            index.list_writers(change.path for change in commit.changes if not change.removed) for commit in history
        ]
        self._written = written
        self._spans = self._find_spans(written)
        self._reach = self._find_reach(written)

    def find_owners(self, number: int, path: str) -> Owners:
        """The handoffs to which a commit's change of a path belongs, but for its last owner."""
        index, commit = self._index, self._history[number].id
        documents = index.find_documents(path)
        claimed = index.find_said(commit, path) or self._named[number]
        if not claimed:
            reach = self._reach[number]
            listing = index.leave_out_ruled(index.find_declared(path), commit)
            claimed = {handoff: Source.DECLARED for handoff in listing if reach & self._bits[handoff]}
        if not claimed and not documents and self.is_work(number):
            claimed = dict.fromkeys(index.leave_out_ruled(self._spans[number], commit), Source.SPAN)
        return documents | claimed

    def is_work(self, number: int) -> bool:
        """Whether a commit is work that a span may reach: a first commit is an import unless it has the one report."""
        return bool(self._history[number].parents) or len(self._written[number]) == 1

    def _find_spans(self, written: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """For each commit, the handoffs whose report is the next one written at or after it.

        A report after the start line says nothing about work before it.
        """
        spans = list(written)
        is_past = [commit.id in self._past for commit in self._history]
        for number in range(len(spans) - 1, -1, -1):
            for parent in self._parents[number]:
                if is_past[parent] == is_past[number]:
                    spans[parent] = spans[parent] or spans[number]
        return spans

    def _find_reach(self, written: list[tuple[str, ...]]) -> list[int]:
        """For each commit, the handoffs whose work had begun by then and was not over yet."""
        index = self._index
        marks = [
            self._mask((*named, *writers, *index.find_naming(commit.id), *self._list_documents(commit)))
            for commit, named, writers in zip(self._history, self._named, written, strict=True)
        ]
        begun, ahead = list(marks), list(marks)
        for number in range(len(marks)):
            for parent in self._parents[number]:
                begun[number] |= begun[parent]
        for number in range(len(marks) - 1, -1, -1):
            for parent in self._parents[number]:
                ahead[parent] |= ahead[number]
        spans = map(self._mask, self._spans)
        return [before & after | span for before, after, span in zip(begun, ahead, spans, strict=True)]

    def _list_documents(self, commit: ChangedCommit) -> Iterator[str]:
        for change in commit.changes:
            yield from self._index.by_document.get(change.path, ())

    def _mask(self, handoffs: Iterable[str]) -> int:
        mask = 0
        for handoff in handoffs:
            mask |= self._bits[handoff]
        return mask


@dataclass
class _Assignment:
    """Who has which change so far."""

    alive: set[str]
    """Handoffs that somebody decided on, or that changed something after the start line: they keep their paths."""
    changes: dict[str, list[OwnChange]] = field(default_factory=lambda: defaultdict(list))
    owners: dict[str, Owners] = field(default_factory=dict)
    """The last owners of each path."""
    pending: dict[str, list[OwnChange]] = field(default_factory=dict)
    """Changes of paths that nobody has claimed so far."""
    changed: set[str] = field(default_factory=set)
    """Paths that changed after the start line."""

    def give(self, change: OwnChange, owners: Owners, *, is_past: bool) -> None:
        """Hands over a change. Unclaimed changes of the path before it go along, so that somebody reviews them."""
        if not is_past:
            self.changed.add(change.path)
            self.alive.update(owners)
        if not owners:
            last = self.owners.get(change.path, ())
            owners = dict.fromkeys((name for name in last if is_past or name in self.alive), Source.OWNER)
        if not owners:
            if not is_past:
                self.pending.setdefault(change.path, []).append(change)
            return
        adopted = self.pending.pop(change.path, ())
        for handoff, source in owners.items():
            self.changes[handoff] += [*adopted, replace(change, source=source)]
        self.owners[change.path] = owners

    def build_scopes(
        self, traces: Mapping[str, Traces], history: Sequence[ChangedCommit], before_line: frozenset[str]
    ) -> Scopes:
        """What each handoff has. Work on both sides of the start line counts from there on."""
        parents = {commit.id: commit.parents for commit in history}
        order = {commit.id: number for number, commit in enumerate(history)}
        head = history[-1].id if history else None
        scopes = {}
        for handoff, found in traces.items():
            changes = sorted(
                self.changes.get(handoff, ()), key=lambda change: order.get(change.commit or "", len(order))
            )
            changes = [change for change in changes if change.commit not in before_line] or changes
            first = next((change.commit for change in changes if change.commit is not None), None)
            start = next(iter(parents[first]), None) if first is not None else head
            scopes[handoff] = self._build_scope(found, tuple(changes), start)
        unclaimed = tuple(change for path in sorted(self.pending) for change in self.pending[path])
        return Scopes(scopes, unclaimed, frozenset(self.changed), head)

    def _build_scope(self, traces: Traces, changes: tuple[OwnChange, ...], start: str | None) -> Scope:
        paths = {change.path for change in changes}
        others = {path: [other for other in self.owners[path] if other != traces.handoff] for path in paths}
        by_commit = {change.path for change in changes if change.source in {Source.RUN, Source.COMMITS}}
        declared = traces.declared | traces.documents
        return Scope(
            handoff=traces.handoff,
            changes=changes,
            start=start,
            shared=frozenset(path for path in paths if others[path] and traces.handoff in self.owners[path]),
            undeclared=tuple(
                sorted(path for path in by_commit if not traces.declares(path) and path not in traces.documents)
            )
            if declared - traces.documents
            else (),
            never_changed=tuple(
                sorted(wanted for wanted in traces.declared_changes if not any(_fits(wanted, path) for path in paths))
            ),
            taken_over={
                path: ", ".join(sorted(others[path]))
                for path in sorted(paths)
                if traces.handoff not in self.owners[path]
            },
        )


def _fits(wanted: str, path: str) -> bool:
    return path.startswith(wanted) if wanted.endswith("/") else path == wanted


def _build_change(commit: str, change: PathChange) -> OwnChange:
    before = DELETED if not change.before.strip("0") else Content(change.mode_before, change.before)
    after = DELETED if change.removed else Content(change.mode, change.blob)
    return OwnChange(change.path, commit, before, after, Source.OWNER)
