"""What changed since a check last passed: its command and settings, its environment, the files it depends on."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

from handoff_tui.changes.snapshots.packages import is_ecosystem_file
from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.commands import CommandCheck, build_environment
from handoff_tui.config.layer import find_leaves, join_path
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, build_settings
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.handoffs.session import Session
from handoff_tui.history.attempts.report import ValueChange
from handoff_tui.history.failure.report import FileSince, GoodMoment
from handoff_tui.history.past.repository import EntryEvidence, PastRepositories
from handoff_tui.system.files.named_files import read_optional
from handoff_tui.system.files.own_folder import is_own
from handoff_tui.system.files.reader import FileReader

_MOST_FILES = 20
_MOST_CHANGES = 20
_RUN_SETTINGS = "check_run."


class Since(NamedTuple):
    """What changed since a check passed; notes say what could not be compared."""

    changes: tuple[ValueChange, ...] = ()
    files: tuple[FileSince, ...] | None = None
    files_total: int = 0
    notes: tuple[str, ...] = ()


def find_last_good(
    session: Session, check: str, evidence: Sequence[EntryEvidence], handoff: str | None, *, is_command: bool
) -> GoodMoment | None:
    """The newest entry whose evidence says the check passed; None if there is none."""
    for one in evidence:
        if one.has_passed(check, handoff, is_command=is_command):
            work = one.logged.work
            commit = work.subject.commit
            here = resolve_commits(session.repository.git, [commit]).get(commit) is not None
            return GoodMoment(
                source="log",
                time=one.logged.entry.time,
                entry=one.logged.entry.id,
                handoff=work.handoff,
                attempt=work.attempt,
                commit=commit,
                behind=is_ancestor(session.repository.git, commit, "HEAD") if here else None,
                uncommitted=one.snapshot is not None and one.snapshot.tree != work.subject.tree,
            )
    return None


class ChangeFinder:
    """Compares with earlier commits; what several checks need is read once."""

    def __init__(self, past: PastRepositories) -> None:
        self._session = past.session
        self._past = past
        self._settings: dict[str | None, LoadedSettings | str] = {}
        self._files: dict[str, list[FileChange] | str] = {}

    def find(self, result: CheckResult, command: CommandCheck | None, good: GoodMoment) -> Since:
        """What changed since the check passed; if that commit isn't here, only a note saying so."""
        if good.commit is None or good.behind is None:
            why = "this clone is shallow" if self._session.repository.shallow else "pruned, or never fetched"
            return Since(notes=(f"the commit it passed on isn't here ({why}), so nothing can be compared",))
        notes: list[str] = []
        if not good.behind:
            notes.append("the commit it passed on isn't in the history of HEAD: rewritten, or on another branch")
        if good.uncommitted:
            notes.append("it passed with uncommitted changes, which are not compared")
        changes = self._compare_settings(result.id, good.commit, notes, is_command=command is not None)
        files = self._list_files(good.commit, notes)
        if files is None:
            return Since(changes, notes=tuple(notes))
        chosen = _choose_files(files, result, command)
        return Since(changes, tuple(chosen[:_MOST_FILES]), len(chosen), tuple(notes))

    def _compare_settings(
        self, check: str, commit: str, notes: list[str], *, is_command: bool
    ) -> tuple[ValueChange, ...]:
        """For a command, its own settings; for a rule, all others too, since it may use any of them."""
        then, now = self._read_settings(commit), self._read_settings(None)
        if isinstance(then, str) or isinstance(now, str):
            notes += [loaded for loaded in (then, now) if isinstance(loaded, str)]
            return ()
        found = compare_settings(then, now)
        own = f"{join_path(('checks', check))}."
        mine = [one for one in found if one.what.startswith((own, _RUN_SETTINGS))]
        others = [] if is_command else [one for one in found if not one.what.startswith(("checks.", _RUN_SETTINGS))]
        return (*mine, *others)[:_MOST_CHANGES]

    def _read_settings(self, commit: str | None) -> LoadedSettings | str:
        """The repository's own settings as of a commit, or now; else why they can't be used."""
        if commit not in self._settings:
            try:
                self._settings[commit] = build_settings(None, self._read_file(commit))
            except HandoffError as refused:
                when = "is now" if commit is None else "was then"
                self._settings[commit] = f"{REPOSITORY_FILE} as it {when} can't be used: {refused.message}"
        return self._settings[commit]

    def _read_file(self, commit: str | None) -> bytes | None:
        if commit is not None:
            return self._past.read_configuration(commit)
        return read_optional(FileReader(self._session.repository.root, MAX_BYTES), REPOSITORY_FILE)

    def _list_files(self, commit: str, notes: list[str]) -> list[FileSince] | None:
        """Files committed since, and files uncommitted now."""
        facts = self._session.work_tree.facts
        if commit not in self._files:
            try:
                self._files[commit] = list_changes(self._session.repository.git, commit, facts.head or commit)
            except HandoffError as refused:
                self._files[commit] = f"the files can't be compared: {refused.message}"
        listed = self._files[commit]
        if isinstance(listed, str):
            notes.append(listed)
            return None
        found = {one.path: one.word for one in listed}
        found |= dict.fromkeys((*facts.changed, *facts.untracked), "uncommitted")
        return [
            FileSince(path=path, change=change, declares_packages=is_ecosystem_file(path))
            for path, change in sorted(found.items())
            if not is_own(path)
        ]


def compare_settings(then: LoadedSettings, now: LoadedSettings) -> list[ValueChange]:
    """Settings of the repository's file whose effect differs, by dotted key."""
    names = {*then.settings.checks, *now.settings.checks}
    old, new = (_list_effective(loaded.settings, names) for loaded in (then, now))
    return [
        ValueChange(what=key, before=_show(old.get(key)), after=_show(new.get(key)))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    ]


def _list_effective(settings: Settings, names: Iterable[str]) -> dict[str, object]:
    """Every setting; a check the file doesn't mention has the defaults it would run with."""
    checks = {**dict.fromkeys(names, Check()), **settings.checks}
    leaves = find_leaves(settings.model_copy(update={"checks": checks}).model_dump(mode="json"))
    return {key: value for key, value in leaves if value is not None and value != {}}


def list_unset(check: Check) -> tuple[str, ...]:
    """Variables a check asks for that aren't set here; the default ones don't count."""
    given = build_environment(check)
    usual = Check().environment
    return tuple(name for name in check.environment if name not in given and name not in usual)


def _choose_files(files: list[FileSince], result: CheckResult, command: CommandCheck | None) -> list[FileSince]:
    """Files the check depends on, as far as known; those named by a finding first."""
    named = {evidence.path for finding in result.findings for evidence in finding.evidence if evidence.path}
    patterns = command.check.inputs if command is not None else ()
    chosen = [one for one in files if not patterns or any(fnmatch.fnmatch(one.path, glob) for glob in patterns)]
    marked = [one.model_copy(update={"named": one.path in named}) for one in chosen]
    return sorted(marked, key=lambda one: (not one.named, not one.declares_packages, one.path))


def _show(value: object) -> str | None:
    if value is None:
        return None
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
