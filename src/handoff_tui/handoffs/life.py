"""Whether a handoff is live or past, and why. Pure; the same in every clone.

A past handoff is history of the live one that came after it. It waits for nobody and no rule judges it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.place import Problem
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.reading.candidates import sounds_like_handoff
from handoff_tui.handoffs.scope.merges import TRUNKS
from handoff_tui.handoffs.scope.scope import OwnChange, Scopes

_ARCHIVES: Final = frozenset(
    {"archive", "archives", "archived", "history", "old", "past", "attic", "obsolete", "deprecated", "superseded"}
    | {"completed", "done", "closed", "backup", "backups", "consumed", "processed"}
)
_NEUTRAL: Final = frozenset(
    {"handoff", "handoffs", "handover", "handovers", "session", "sessions", "notes", "docs", "agent", "agents", "all"}
)
_PLANNED_ARCHIVE: Final = compile_later(r"(?:^|/)\.planning/milestones/")
_OVER: Final = frozenset(
    {"SUPERSEDED", "ARCHIVED", "OBSOLETE", "DEPRECATED", "CONSUMED", "RESUMED", "WITHDRAWN", "ABANDONED"}
)
_SERIAL: Final = frozenset({"notes", "claude", "relay", "gsd"})
"""Formats that begin a new document with each session. In the others an id is a piece of work of its own."""
_WORD: Final = compile_later(r"[^\W_]+")
_FILE: Final = compile_later(r"[\w./-]+\.\w+")
_DATE: Final = compile_later(r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
_CLOCK: Final = compile_later(r"^[-_tT ]{0,2}((?:[01]\d|2[0-3])[-_:h]?[0-5]\d(?:[-_:]?[0-5]\d)?)(?!\d)")
_NUMBER: Final = compile_later(
    r"(?:(?<![^\W_])|(?<=session)|(?<=handoff)|(?<=handover)|(?<=part)|(?<=day)|(?<=\bv)|(?<=_v))(\d{1,4})(?![^\W_])",
    re.IGNORECASE,
)
"""A number that is a word of its own, or stands right behind a word for one of many."""
_ONLY_SESSION: Final = compile_later(r"(?:sessions?[-_ ]?\d{1,4}|20\d\d[-_.]?\d\d[-_.]?\d\d.*)", re.IGNORECASE)
_IDENTITIES: Final = frozenset(
    {"task", "issue", "ticket", "feature", "story", "epic", "pr", "bug", "spec", "adr", "rfc", "phase", "milestone"}
    | {"t", "us", "wave", "module", "package", "pkg", "step", "track", "workstream"}
)
"""A number behind one of these words says which work it is, not which came later."""
_GENERIC: Final = _NEUTRAL | frozenset(
    "note eod am pm morning evening night part summary final end of day update status report log v claude"  # noqa: SIM905
    " codex cursor gemini gpt context md".split()
)
_LATEST: Final = frozenset({"latest", "current"})
_TASKS: Final = frozenset({"task", "task_id", "task id", "ticket", "issue", "story"})
_DATED, _NUMBERED = "dated", "numbered"
_WEEK: Final = 7
_EMPTY: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_LEAST_TASKS: Final = 2


class LifeState(StrEnum):
    """Whether anybody may still have to act on a handoff."""

    LIVE = "live"
    PAST = "past"


class Life(Model):
    """Whether a handoff is live; if it is past, why, and which live one it is history of."""

    state: LifeState = LifeState.LIVE
    why: str = ""
    successor: str | None = None

    @property
    def is_past(self) -> bool:
        return self.state is LifeState.PAST


LIVE: Final = Life.model_construct()


class LifeFacts(NamedTuple):
    """What documents don't say about their lives; handoffs by id."""

    before_line: frozenset[str] = frozenset()
    """All their work lies before the start line."""
    done: frozenset[str] = frozenset()
    """The log approves them."""
    unsettled: frozenset[str] = frozenset()
    """A person sent them back, holds them, or let them go on without an approval: live until that is settled."""
    merged: frozenset[str] = frozenset()
    """The names of branches that a merge brought."""
    ignored: frozenset[str] = frozenset()
    """Paths in folders that the repository ignores."""
    filed_with_work: frozenset[str] = frozenset()
    """They were written straight into an archive beside work that somebody has yet to review."""


NO_FACTS: Final = LifeFacts()


def find_lives(handoffs: Sequence[Handoff], facts: LifeFacts = NO_FACTS) -> dict[str, Life]:
    """The life of every handoff, by id."""
    lives: dict[str, Life] = {}
    handoffs = sorted(handoffs, key=lambda one: one.id)
    for handoff in handoffs:
        why = _find_own_end(handoff, facts)
        lives[handoff.id] = LIVE if why is None else Life(state=LifeState.PAST, why=why)
    live = [one for one in handoffs if not lives[one.id].is_past]
    twins = {name: life for name, life in _end_twins(live, facts) if name not in facts.unsettled}
    ended = {name: life for name, life in _end_series(live, facts, twins) if name not in facts.unsettled}
    lives.update(ended | twins)
    live = [one for one in live if not lives[one.id].is_past]
    lives.update((name, life) for name, life in _end_tasks(live, facts) if name not in facts.unsettled)
    _add_successors(handoffs, lives)
    return lives


def leave_out_past_problems(
    problems: tuple[Problem, ...], handoffs: Iterable[Handoff], lives: Mapping[str, Life], wanted: str | None = None
) -> tuple[Problem, ...]:
    """Without those of documents that only past handoffs have; the one that is asked for counts as live."""
    live: set[str] = set()
    past: set[str] = set()
    for handoff in handoffs:
        is_past = lives[handoff.id].is_past and handoff.id != wanted
        (past if is_past else live).update(document.path for document in handoff.documents)
    past -= live
    return tuple(problem for problem in problems if problem.path not in past) if past else problems


def _find_own_end(handoff: Handoff, facts: LifeFacts) -> str | None:
    """Why it is past whatever the others are; None if nothing says so."""
    if handoff.id in facts.unsettled:
        return None
    paths = [document.path for document in handoff.documents]
    token = (handoff.status or "").upper()
    reasons: tuple[tuple[bool, str], ...] = (
        (handoff.id in facts.before_line, "from before the start line"),
        (handoff.registry is RegistryState.SUPERSEDED, "superseded"),
        (handoff.ended is not None, handoff.ended or ""),
        (token in _OVER, f"says {handoff.status}"),
        (_is_filed(handoff, facts), f"filed away in {_name_folder(paths)}"),
        (bool(paths) and facts.ignored.issuperset(paths), f"in {_name_folder(paths)}, which git ignores"),
        (handoff.id in facts.done and _find_branch(handoff) in facts.merged, "approved, and its branch is merged"),
    )
    return next((why for holds, why in reasons if holds), None)


def _is_filed(handoff: Handoff, facts: LifeFacts) -> bool:
    if handoff.id in facts.filed_with_work - facts.done:
        return False
    return bool(handoff.documents) and all(is_archived(document.path) for document in handoff.documents)


def find_filed_with_work(handoffs: Iterable[Handoff], scopes: Scopes) -> frozenset[str]:
    """Those that were written straight into an archive, in one commit with other files; what moved there isn't."""
    filed = [one for one in handoffs if one.documents and all(is_archived(document.path) for document in one.documents)]
    if not filed:
        return frozenset()
    by_commit: dict[str | None, dict[str, OwnChange]] = defaultdict(dict)
    for change in (*(one for scope in scopes.by_handoff.values() for one in scope.changes), *scopes.unclaimed):
        by_commit[change.commit][change.path] = change
    found: set[str] = set()
    for handoff in filed:
        own = {document.path for document in handoff.documents}
        written = (one.commit for one in scopes.of(handoff.id).changes if one.path in own and one.before.deleted)
        for commit in set(written):
            beside = [one for path, one in by_commit[commit].items() if path not in own and not is_archived(path)]
            moved = any(sounds_like_handoff(one.path) and not one.before.deleted for one in beside)
            if not moved and any(not sounds_like_handoff(one.path) for one in beside):
                found.add(handoff.id)
    return frozenset(found)


def is_archived(path: str) -> bool:
    """Whether a path lies in a folder for what is over, such as `archive`, `old` or `handoffs_history`."""
    return _PLANNED_ARCHIVE.search(path) is not None or any(map(_is_archive, path.split("/")[:-1]))


def _is_archive(folder: str) -> bool:
    words = [word for word in _WORD.findall(folder.casefold()) if not word.isdigit()]
    return not _ARCHIVES.isdisjoint(words) and all(word in _ARCHIVES or word in _NEUTRAL for word in words)


def _name_folder(paths: Sequence[str]) -> str:
    folder = paths[0].rpartition("/")[0] if paths else ""
    return f"{folder}/" if folder else "the top folder"


Ended = Iterable[tuple[str, Life]]


def _end_twins(handoffs: Sequence[Handoff], facts: LifeFacts) -> Ended:
    """The same documents, or the same list, in two places: one of them stands for both."""
    groups: dict[object, list[Handoff]] = defaultdict(list)
    for handoff in handoffs:
        contents = _read_contents(handoff)
        if contents:
            groups[handoff.dialect, contents].append(handoff)
    for group in groups.values():
        first, *others = sorted(group, key=lambda one: (one.id not in facts.done, *_rank_place(one)))
        for other in others:
            yield other.id, Life(state=LifeState.PAST, why=f"the same as {first.id}", successor=first.id)


def _read_contents(handoff: Handoff) -> tuple[str, ...] | None:
    """What makes two handoffs twins; None if there is nothing to compare."""
    roles = {document.role for document in handoff.documents}
    if roles == {DocumentRole.LIST} and len(handoff.tasks) >= _LEAST_TASKS:
        return tuple(" ".join(task.title.casefold().split()) for task in handoff.tasks)
    digests = [document.sha256 for document in handoff.documents]
    return None if not digests or None in digests or _EMPTY in digests else tuple(sorted(map(str, digests)))


def _rank_place(handoff: Handoff) -> tuple[bool, int, str]:
    """The place that a person would name: no link called LATEST, not deep down."""
    path = handoff.documents[0].path
    return _is_latest(path), path.count("/"), path


class _Position(NamedTuple):
    """The position of a document in a series of its kind."""

    series: tuple[str, ...]
    order: tuple[object, ...]
    topic: tuple[str, ...]
    day: date | None


def _end_series(handoffs: Sequence[Handoff], facts: LifeFacts, twins: Mapping[str, Life]) -> Ended:
    """All but the newest of documents that are numbered or dated through, each session writing one.

    The newest may be the twin of another place, which stands for both.
    """
    series: dict[tuple[str, ...], list[_Member]] = defaultdict(list)
    heads: dict[tuple[str, ...], Handoff] = {}
    for handoff in handoffs:
        if handoff.dialect not in _SERIAL or not handoff.documents:
            continue
        path = handoff.documents[0].path
        position = _find_position(path)
        if position is not None:
            kind = _DATED if position.day else _NUMBERED
            member = _Member(position, _find_line(handoff, facts), handoff)
            series[(handoff.dialect, *position.series, kind)].append(member)
        elif handoff.id not in twins:
            heads[(handoff.dialect, path.rpartition("/")[0], *_list_words(path))] = handoff
    for key, members in series.items():
        head = _find_head(key, members, heads)
        last = _Newest(members)
        for member in members:
            successor = head or last.find_newer(member)
            newest = (
                twins[successor.id].successor if successor and successor.id in twins else successor and successor.id
            )
            if newest and newest != member.handoff.id:
                yield member.handoff.id, Life(state=LifeState.PAST, why=f"{newest} is newer", successor=newest)


class _Member(NamedTuple):
    """A document of a series, its place there, and the task or open branch that it is about."""

    position: _Position
    line: str
    handoff: Handoff


def _find_head(
    key: tuple[str, ...], members: list[_Member], heads: Mapping[tuple[str, ...], Handoff]
) -> Handoff | None:
    """The undated document that a series leads to: one called LATEST, or one that says it is of the last day or later.

    None if the newest member is to be found among themselves.
    """
    dialect, folder, *words, _ = key
    for (of, place, *own), head in heads.items():
        if (of, place) != (dialect, folder):
            continue
        if _is_latest(head.documents[0].path):
            return head
        days = [member.position.day for member in members if member.position.day is not None]
        written = _read_day(head.created or "")
        if own == words and days and written is not None and written >= max(days):
            return head
    return None


class _Newest:
    """The newest documents of a series: of all, and of each line and topic."""

    def __init__(self, members: list[_Member]) -> None:
        self._last = max(members, key=lambda one: one.position.order)
        self._of_topic: dict[object, _Member] = {}
        for one in sorted(members, key=lambda one: one.position.order):
            self._of_topic[self._name(one)] = one

    def find_newer(self, own: _Member) -> Handoff | None:
        """The newest document that takes the place of this one.

        Numbers count sessions through. Dated documents about other things only say that this one is over if a week
        passed.
        """
        first, last = own.position.day, self._last.position.day
        if first is not None and last is not None and (last - first).days > _WEEK:
            return self._last.handoff
        newest = self._of_topic[self._name(own)]
        return newest.handoff if newest.position.order > own.position.order else None

    @staticmethod
    def _name(member: _Member) -> object:
        return member.line, member.position.topic if member.position.day is not None else None


def _find_line(handoff: Handoff, facts: LifeFacts) -> str:
    """The task or open branch that a document is about; empty if it names none."""
    branch = _find_branch(handoff)
    return _find_task(handoff) or ("" if branch in facts.merged else branch)


def _find_task(handoff: Handoff) -> str:
    return next((fact.value.casefold() for fact in handoff.facts if fact.name.casefold() in _TASKS), "")


def _find_branch(handoff: Handoff) -> str:
    named = (str(claim.value) for claim in handoff.claims if claim.kind is ClaimKind.BRANCH)
    return next((name for name in named if name not in TRUNKS), "")


def _find_position(path: str) -> _Position | None:
    """By name alone: `SESSION_HANDOFF_2026-01-08.md`, `sessions/12/handoff.md`, `handoff-3-login.md`."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    above, _, own = folder.rpartition("/")
    if _ONLY_SESSION.fullmatch(own) and not _DATE.search(stem):
        folder, stem = above, f"{own}-{stem}"
    found = _DATE.search(stem)
    day = _read_day(stem)
    if found is not None and day is not None:
        clock = _CLOCK.search(stem[found.end() :])
        before, rest = stem[: found.start()], stem[found.end() + (clock.end() if clock else 0) :]
        numbers = tuple(map(int, _NUMBER.findall(f"{before} {rest}")))
        order = (str(day), re.sub(r"\D", "", clock[1]) if clock else "", numbers)
        return _Position((folder, *_list_words(_NUMBER.sub(" ", before))), order, _find_topic(rest), day)
    number = _NUMBER.search(stem)
    words = _list_words(stem[: number.start()]) if number else []
    if number is None or not _IDENTITIES.isdisjoint(words[-1:]):
        return None
    return _Position((folder, *words), (int(number[1]),), _find_topic(stem[number.end() :]), None)


def _find_topic(text: str) -> tuple[str, ...]:
    return tuple(word for word in _list_words(text) if word not in _GENERIC and not word.isdigit())


def _list_words(text: str) -> list[str]:
    name = text.rpartition("/")[2]
    return _WORD.findall((name.rpartition(".")[0] or name).casefold())


def _is_latest(path: str) -> bool:
    return not _LATEST.isdisjoint(_list_words(path))


def _read_day(text: str) -> date | None:
    found = _DATE.search(text)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:  # the 31st of February
        return None


def _end_tasks(handoffs: Sequence[Handoff], facts: LifeFacts) -> Ended:  # noqa: ARG001 - as the others
    """Documents about one task, of which another was made later."""
    tasks: dict[tuple[str, str], list[Handoff]] = defaultdict(list)
    for handoff in handoffs:
        task = _find_task(handoff)
        if task and handoff.dialect in _SERIAL and handoff.created:
            tasks[handoff.dialect, task].append(handoff)
    for group in tasks.values():
        newest = max(group, key=lambda one: one.created or "")
        for handoff in group:
            if (handoff.created or "") < (newest.created or ""):
                yield handoff.id, Life(state=LifeState.PAST, why=f"{newest.id} is newer", successor=newest.id)


def _add_successors(handoffs: Sequence[Handoff], lives: dict[str, Life]) -> None:
    """Follows successors to a live one, and finds one for what was filed away: the live one where it came from."""
    live: dict[tuple[str, str], set[str]] = defaultdict(set)
    for handoff in handoffs:
        if handoff.documents and (newest := _follow(handoff.id, lives.get)) is not None:
            live[handoff.dialect, handoff.documents[0].path.rpartition("/")[0]].add(newest)
    by_file: dict[str, list[str]] = defaultdict(list)
    for handoff in handoffs:
        for document in handoff.documents:
            by_file[document.path.rpartition("/")[2].casefold()].append(handoff.id)
    for handoff in handoffs:
        life = lives[handoff.id]
        if not life.is_past or not handoff.documents:
            continue
        successor = _follow(life.successor or _find_named(handoff, by_file), lives.get)
        if successor is None:
            folders = [one for one in handoff.documents[0].path.split("/")[:-1] if not _is_archive(one)]
            candidates = live.get((handoff.dialect, "/".join(folders)), set())
            successor = min(candidates) if len(candidates) == 1 else None
        if successor != life.successor:
            lives[handoff.id] = life.model_copy(update={"successor": successor})


def _find_named(handoff: Handoff, by_file: Mapping[str, list[str]]) -> str | None:
    """The one other handoff with a document that it names where it says that it is over."""
    names = (word.rpartition("/")[2].casefold() for word in _FILE.findall(handoff.ended or ""))
    found = {one for name in names for one in by_file.get(name, ())} - {handoff.id}
    return found.pop() if len(found) == 1 else None


def _follow(name: str | None, find: Callable[[str], Life | None]) -> str | None:
    seen: set[str] = set()
    while name is not None and name not in seen:
        seen.add(name)
        life = find(name)
        if life is None or not life.is_past:
            return name if life is not None else None
        name = life.successor
    return None
