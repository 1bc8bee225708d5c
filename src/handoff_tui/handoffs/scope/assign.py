"""Gives every change to the handoffs it belongs to. Pure.

A change goes to the first of these that applies: what a person said; the commit that names a handoff, or the run that
made it; the handoffs at work whose documents list the path (naming one of its commits shows that a handoff is at work);
the span of a document; the last owner of the path; nobody. A handoff's own documents are always its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from handoff_tui.core.classes import dataclass, field, replace
from handoff_tui.git.history.commit_changes import GONE, ChangedCommit, PathChange
from handoff_tui.handoffs.scope.merges import KeptChange
from handoff_tui.handoffs.scope.scope import DELETED, Attribution, Content, OwnChange, Scope, Scopes
from handoff_tui.handoffs.scope.traces import Traces, list_folders, list_message_names

_BY_COMMIT = frozenset({Attribution.RUN, Attribution.COMMITS})
Owners = dict[str, Attribution]
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
    records: frozenset[str] = frozenset(),
    kept: Mapping[str, Sequence[KeptChange]] = MappingProxyType({}),
    *,
    is_gated: bool = False,
) -> Scopes:
    """The scopes of all handoffs, from history (parents first) and the work tree.

    `past` are the commits up to the start line: their changes have owners, but nobody need claim them. `records` are
    the paths of reviews and registries, `kept` what merges chose. With a policy (`is_gated`), a first commit after the
    start line is work, too: a merge may bring one.
    """
    index = _TraceIndex({found.handoff: found for found in traces})
    ranges = _Ranges(history, index, past)
    assignment = _Assignment({name for name, found in index.traces.items() if not found.undecided}, records)
    before_line = past
    if not is_gated:
        past |= {commit.id for number, commit in enumerate(history) if not ranges.is_work(number)}
    for number, commit in enumerate(history):
        is_past = commit.id in past
        for change, owners in ranges.list_owners(number, assignment.owners.keys() if is_past else None):
            source = next(iter(owners.values()), Attribution.OWNER)
            assignment.give(_build_change(commit.id, change, source), owners, is_past=is_past)
        for change, chosen in kept.get(commit.id, ()):
            assignment.keep(
                _build_change(commit.id, change, Attribution.OWNER), ranges.find_owners(chosen, change.path)
            )
    writing = index.list_writers(edit.path for edit in uncommitted if not edit.after.deleted)
    for edit in uncommitted:
        own = OwnChange(edit.path, None, edit.before, edit.after, Attribution.OWNER)
        assignment.give(own, index.find_uncommitted_owners(edit.path, writing), is_past=False)
    return replace(assignment.build_scopes(index.traces, history, before_line), past=past)


class _TraceIndex:
    """All traces, by what can be met in a commit."""

    def __init__(self, traces: Mapping[str, Traces]) -> None:
        self.traces = traces
        self.by_document: dict[str, list[str]] = defaultdict(list)
        self.by_report: dict[str, list[str]] = defaultdict(list)
        self.by_declared: dict[str, list[str]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_commit: dict[str, Owners] = defaultdict(dict)
        self._by_run: dict[str, Owners] = defaultdict(dict)
        self._by_branch: dict[str, Owners] = defaultdict(dict)
        self._persons = [found for found in traces.values() if found.person is not None]
        for handoff, found in traces.items():
            for table, keys in (
                (self.by_document, found.documents),
                (self.by_report, found.reports),
                (self.by_declared, found.declared),
                (self._by_name, found.names),
            ):
                for key in keys:
                    table[key].append(handoff)
            for commit in found.commits:
                self._by_commit[commit][handoff] = Attribution.COMMITS
            for commit in found.annotated:
                self._by_run[commit][handoff] = Attribution.COMMITS
            for commit in found.branch_commits:
                self._by_branch[commit][handoff] = Attribution.COMMITS
            for commit in found.run_commits:
                self._by_run[commit][handoff] = Attribution.RUN

        self.declares_folders = any(key.endswith("/") for key in self.by_declared)
        self.has_persons = bool(self._persons)

    def find_named(self, commit: ChangedCommit) -> Owners:
        """The handoffs that a commit itself names, and those whose agent runs made it; or else those of its branch."""
        named = {handoff for name in list_message_names(commit.body) for handoff in self._find_bearers(name, commit)}
        shown = dict.fromkeys(sorted(named), Attribution.COMMITS) | self._by_run.get(commit.id, {})
        return shown or self._by_branch.get(commit.id, {})

    def _find_bearers(self, name: str, commit: ChangedCommit) -> Sequence[str]:
        """Whom a name means: of several that are called so, those whose documents or listed files it changes."""
        bearers = self._by_name.get(name, ())
        if len(bearers) < 2:  # noqa: PLR2004 - nothing to tell apart
            return bearers
        paths = commit.paths
        found = (self.traces[handoff] for handoff in bearers)
        fitting = [one.handoff for one in found if any(path in one.documents or one.declares(path) for path in paths)]
        return fitting or bearers

    def find_naming(self, commit: str) -> Owners:
        """The handoffs whose documents name a commit; a session's summary also names the commits of others."""
        return self._by_commit.get(commit, {})

    def find_said(self, commit: str | None, path: str) -> Owners:
        """The handoffs to which a person gave this change."""
        if not self._persons:
            return {}
        return {
            found.handoff: Attribution.EXPLICIT
            for found in self._persons
            if found.person and found.person.covers(commit, path)
        }

    def leave_out_ruled(self, handoffs: Iterable[str], commit: str) -> list[str]:
        """Those handoffs of which nobody said that this commit is none of theirs."""
        if not self._persons:
            return list(handoffs)
        persons = {handoff: self.traces[handoff].person for handoff in handoffs}
        return [handoff for handoff, person in persons.items() if person is None or not person.rules_out(commit)]

    def find_declared(self, path: str) -> Sequence[str]:
        """The handoffs that list a path or a folder around it."""
        found = self.by_declared.get(path, ())
        if not self.declares_folders:
            return found
        return [*found, *(one for folder in list_folders(path) for one in self.by_declared.get(folder, ()))]

    def may_declare(self, path: str) -> bool:
        """Whether a handoff lists the path, or some folder."""
        return self.declares_folders or path in self.by_declared

    def find_documents(self, path: str) -> Owners:
        writers = self.by_document.get(path)
        return dict.fromkeys(writers, Attribution.DECLARED) if writers else {}

    def list_writers(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The handoffs that report on their work in one of these paths."""
        return tuple(sorted({handoff for path in paths for handoff in self.by_report.get(path, ())}))

    def find_uncommitted_owners(self, path: str, writing: tuple[str, ...]) -> Owners:
        documents = self.find_documents(path)
        declared = {
            handoff: Attribution.DECLARED for handoff in self.find_declared(path) if self.traces[handoff].undecided
        }
        guess = {} if documents else dict.fromkeys(writing, Attribution.SPAN)
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
            index.list_writers(one.path for one in commit.find(index.by_report.keys()) if not one.removed)
            for commit in history
        ]
        self._written = written
        self._spans = self._find_spans(written)
        self._reach = self._find_reach(written)

    def list_owners(self, number: int, owned: AbstractSet[str] | None) -> Iterator[tuple[PathChange, Owners]]:
        """Each change of a commit with the handoffs to which it belongs, but for the last owner of its path.

        Up to the start line, nobody need claim a path that is not `owned` yet: it is left out if it belongs to nobody.
        """
        for change, owners in self._list_owners(number, owned):
            if owners or owned is None or change.path in owned:
                yield change, owners

    def _list_owners(self, number: int, owned: AbstractSet[str] | None) -> Iterator[tuple[PathChange, Owners]]:
        index, commit = self._index, self._history[number]
        changes = commit.changes
        if index.has_persons:
            yield from ((change, self.find_owners(number, change.path)) for change in changes)
            return
        rest = self._named[number]  # what is neither a document nor listed anywhere belongs to the same handoffs
        is_claimed = bool(rest) or not self._reach[number]
        if not rest and self.is_work(number):
            rest = dict.fromkeys(self._spans[number], Attribution.SPAN)
        if owned is not None and not rest and not index.declares_folders:
            changes = commit.find(index.by_document.keys(), index.by_declared.keys(), owned)
        for change in changes:
            path = change.path
            if path not in index.by_document and (is_claimed or not index.may_declare(path)):
                yield change, rest
            else:
                yield change, self.find_owners(number, path)

    def find_owners(self, number: int, path: str) -> Owners:
        """The handoffs to which a change of a path belongs, but for the last owner."""
        index, commit = self._index, self._history[number].id
        documents = index.find_documents(path)
        claimed = index.find_said(commit, path) or self._named[number]
        if claimed and not documents:
            return claimed
        reach = self._reach[number]
        declaring = index.find_declared(path) if not claimed and reach else ()
        if declaring:
            listing = index.leave_out_ruled(declaring, commit)
            claimed = {handoff: Attribution.DECLARED for handoff in listing if reach & self._bits[handoff]}
        if not claimed and not documents and self.is_work(number):
            claimed = dict.fromkeys(index.leave_out_ruled(self._spans[number], commit), Attribution.SPAN)
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
        by_document = self._index.by_document
        for change in commit.find(by_document.keys()):
            yield from by_document[change.path]

    def _mask(self, handoffs: Iterable[str]) -> int:
        mask = 0
        for handoff in handoffs:
            mask |= self._bits[handoff]
        return mask


@dataclass
class _Assignment:
    """The owner of each change so far."""

    alive: set[str]
    """Handoffs that somebody decided on, or that changed something after the start line: they keep their paths."""
    records: frozenset[str] = frozenset()
    changes: dict[str, list[OwnChange]] = field(default_factory=lambda: defaultdict(list))
    owners: dict[str, Owners] = field(default_factory=dict)
    """The last owners of each path."""
    pending: dict[str, list[OwnChange]] = field(default_factory=dict)
    """Changes of paths that nobody has claimed so far."""
    changed: set[str] = field(default_factory=set)
    """Paths that changed after the start line."""

    def give(self, change: OwnChange, owners: Owners, *, is_past: bool) -> None:
        """Hands over a change. Unclaimed earlier changes of the path go with it, so that somebody reviews them."""
        if not is_past:
            self.changed.add(change.path)
            self.alive.update(owners)
        if not owners:
            last = self.owners.get(change.path, ())
            owners = dict.fromkeys((name for name in last if is_past or name in self.alive), Attribution.OWNER)
        if not owners:
            if not is_past:
                self.pending.setdefault(change.path, []).append(change)
            return
        adopted = self.pending.pop(change.path, ())
        for handoff, source in owners.items():
            if adopted:
                self.changes[handoff] += adopted
            self.changes[handoff].append(change if source is change.source else OwnChange(*change[:-1], source))
        self.owners[change.path] = owners

    def keep(self, change: OwnChange, owners: Owners) -> None:
        """A merge chose these handoffs' content: they are the last owners again. It changes those that left another."""
        if not owners or any(self._find_result(handoff, change.path) != change.after for handoff in owners):
            self.give(change, owners, is_past=False)
        else:
            self.owners[change.path] = owners

    def _find_result(self, handoff: str, path: str) -> Content | None:
        return next((one.after for one in reversed(self.changes[handoff]) if one.path == path), None)

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
        restored = frozenset(path for path, found in self.pending.items() if found[0].before == found[-1].after)
        pending = sorted(self.pending.keys() - restored)
        unclaimed = tuple(change for path in pending for change in self.pending[path])
        return Scopes(scopes, unclaimed, frozenset(self.changed - restored), head, restored=restored)

    def _build_scope(self, traces: Traces, changes: tuple[OwnChange, ...], start: str | None) -> Scope:
        paths = {change.path for change in changes}
        lost = [path for path in sorted(paths) if traces.handoff not in self.owners[path]]
        touched = {change.path for change in self.changes.get(traces.handoff, ())}
        if any(path.endswith("/") for path in traces.declared_changes):
            touched.update(folder for path in tuple(touched) for folder in list_folders(path))
        never_changed = tuple(sorted(traces.declared_changes - touched))
        return Scope(
            handoff=traces.handoff,
            changes=changes,
            start=start,
            shared=frozenset(path for path in paths.difference(lost) if len(self.owners[path]) > 1),
            records=self.records & paths,
            undeclared=self._find_undeclared(traces, changes),
            never_changed=never_changed,
            changed_by_others=self._find_other_changers(traces, paths, never_changed),
            taken_over={path: ", ".join(sorted(self.owners[path])) for path in lost},
        )

    def _find_undeclared(self, traces: Traces, changes: tuple[OwnChange, ...]) -> tuple[str, ...]:
        """What its commits change and its documents do not list; empty if they list nothing."""
        if not traces.declared - traces.documents:
            return ()
        by_commit = {change.path for change in changes if change.source in _BY_COMMIT}
        rest = by_commit - self.records - traces.documents - traces.declared
        return tuple(sorted(path for path in rest if not traces.declares(path)))

    def _find_other_changers(
        self, traces: Traces, own: Collection[str], never_changed: tuple[str, ...]
    ) -> dict[str, str]:
        """Declared paths that others changed last. Once somebody has decided, that is how work goes on."""
        taken_over = traces.declared_changes.intersection(own) if traces.undecided else ()
        paths = sorted({*never_changed, *taken_over})
        owners = {path: self.owners.get(path, {}) for path in paths}
        return {path: ", ".join(sorted(who)) for path, who in owners.items() if who and traces.handoff not in who}


def _build_change(commit: str, change: PathChange, source: Attribution) -> OwnChange:
    path, mode, blob, mode_before, before = change
    return OwnChange(
        path,
        commit,
        DELETED if mode_before == GONE else Content(mode_before, before),
        DELETED if mode == GONE else Content(mode, blob),
        source,
    )
