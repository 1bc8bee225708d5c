"""Which answers of the world still hold after a few files were saved, and what became of the changes since a commit."""

from __future__ import annotations

import os
from typing import Final

from handoff_tui.checks.world import Change
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.work_tree.content_rules import is_stored_as_is
from handoff_tui.live.feed.snapshot import Patch, Scene
from handoff_tui.system.files.reader import FileReader

_STEADY: Final = frozenset({
    "answer", "baseline", "commit", "commit-paths", "commits", "cut-off", "document-commit", "file-at", "lag",
    "parameters", "program", "program-answers", "reaches", "remotes", "setting", "usual-severity",
})  # fmt: skip
"""Answers in which no file of the work tree has a say. Those of the network are asked again with everything else."""
_ABOUT_ONE_PATH: Final = frozenset({"executable", "exists", "file", "writable"})


class StandingAnswers:
    """What holds still, when `patch` is all that lies between two scenes."""

    def __init__(self, before: Scene, now: Scene, patch: Patch, links: dict[str, bool]) -> None:
        """`links` remembers which names lead through a link; such a change is never a small one."""
        self._patch = patch
        self._links = links
        self._reader = FileReader(now.desk.repository.root, 0)
        self._same_facts = before.desk.work_tree.facts == now.desk.work_tree.facts
        old, new = before.reading.harvest, now.reading.harvest
        self._same_problems = old is new or old.problems == new.problems
        self._same_ids = [(one.id, one.dialect) for one in old.handoffs] == [
            (one.id, one.dialect) for one in new.handoffs
        ]
        known = {handoff.id: handoff for handoff in old.handoffs}
        self._same_handoffs = {one.id for one in new.handoffs if old is new or known.get(one.id) == one}

    def holds(self, kind: str, name: str) -> bool:
        if kind in _STEADY:
            return True
        if kind in _ABOUT_ONE_PATH:
            return not self._touches(name) and not self._is_linked(name)
        return {
            "facts": self._same_facts,
            "find": not self._patch.presence and name.partition("\0")[2] not in self._patch.paths,
            "handoff": name in self._same_handoffs,
            "handoff-ids": self._same_ids,
            "paths": not self._patch.presence,
            "problems": self._same_problems,
        }.get(kind, False)

    def _is_linked(self, name: str) -> bool:
        if name not in self._links:
            self._links[name] = self._reader.is_linked(name)
        return self._links[name]

    def _touches(self, name: str) -> bool:
        """Whether a saved file is this one, lies below it, or stands where a folder above it was."""
        return any(
            name == path or path.startswith(f"{name}/") or name.startswith(f"{path}/") for path in self._patch.paths
        )


def patch_changes(
    known: tuple[Change, ...], baseline: str | None, before: Scene, now: Scene, patch: Patch
) -> tuple[Change, ...] | None:
    """What differs from the baseline after a few files were saved; nothing where git must be asked."""
    if baseline is None:
        return ()
    if patch.presence:
        return None
    by_path = {change.path: change for change in known}
    old_paths = {change.old_path for change in known}
    facts, earlier = now.desk.work_tree.facts, before.desk.work_tree.facts
    added: list[Change] = []
    for path in patch.paths:
        change = by_path.get(path)
        if path in old_paths or (change is not None and not _stays(change, facts, baseline, now)):
            return None
        if change is None and path in facts.changed:
            if path in earlier.changed:
                return None  # it differed from HEAD, and not from the baseline
            added.append(Change("M", path))
    return _insert(known, added, frozenset(facts.untracked)) if added else known


def _stays(change: Change, facts: RepositoryFacts, baseline: str, now: Scene) -> bool:
    """Whether a path that differed from the baseline surely differs still, and in the same way."""
    if change.path in facts.untracked:
        return change.status == "A"
    if change.status != "M" or change.path not in facts.changed:
        return False
    if baseline == facts.head:
        return True
    desk = now.desk
    content = FileReader(desk.repository.root, desk.loaded.settings.limits.file_bytes).read_bytes(change.path)
    stored = desk.repository.git.run("cat-file", "blob", f"{baseline}:{change.path}")
    as_is = is_stored_as_is(now.workings.rules, desk.repository.root, change.path, content)
    return stored.ok and as_is and stored.stdout != content


def _insert(known: tuple[Change, ...], added: list[Change], untracked: frozenset[str]) -> tuple[Change, ...]:
    """In the order of git; untracked ones stay behind the others."""
    tracked = [change for change in known if change.path not in untracked]
    ordered = sorted([*tracked, *added], key=lambda change: os.fsencode(change.path))
    return (*ordered, *(change for change in known if change.path in untracked))
