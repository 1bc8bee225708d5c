"""Corrects the scope of a handoff: which commits and files are its work, as a person or an agent says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE
from handoff_tui.config.settings.review import ScopeSettings
from handoff_tui.core.classes import NamedTuple, dataclass, replace
from handoff_tui.core.errors import ConfigError, UsageError
from handoff_tui.core.text.toml_text import find_table, parse_toml
from handoff_tui.decisions.examine import find_handoff
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.scope import Attribution, Scope
from handoff_tui.handoffs.scope.traces import is_below
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.system.files.atomic_write import delete_file
from handoff_tui.system.files.named_files import write_named_file
from handoff_tui.system.files.own_folder import is_below_own_folder
from handoff_tui.system.files.probe import is_link, is_present
from handoff_tui.system.files.reader import FileReader


def render_scope_table(handoff: str, scope: ScopeSettings) -> str:
    """The table as it is written in a file."""
    lines = [f"[scopes.{_render(handoff)}]"]
    lines += [f"since = {_render(scope.since)}"] if scope.since else []
    lines += [f"until = {_render(scope.until)}"] if scope.until else []
    lines += [f"paths = [{', '.join(map(_render, scope.paths))}]"] if scope.paths else []
    return "\n".join(lines) + "\n"


def set_scope_table(text: str, handoff: str, scope: ScopeSettings) -> str:
    """The text with this table in the place of the handoff's present one, or at its end."""
    content = _load(text)
    table = render_scope_table(handoff, scope)
    place = find_table(text, "scopes", handoff)
    before, after = text[: place.start].rstrip("\n"), text[place.end :]
    changed = "\n\n".join(filter(None, (before, table + ("\n" + after if after else ""))))
    expected = {**content, "scopes": {**content.get("scopes", {}), **_load(table)["scopes"]}}
    if _load(changed) != expected:
        raise ConfigError(
            "handoff-tui.toml is written in a way that can't be changed automatically", f"Put this into it:\n{table}"
        )
    return changed


def _load(text: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except ValueError as wrong:
        raise ConfigError(f"handoff-tui.toml is not TOML: {wrong}", "Fix it first.") from wrong


def _render(text: str) -> str:
    """A TOML string: JSON's, and DEL escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class ScopeRequest:
    """A scope as it is given on the command line."""

    since: str | None = None
    paths: tuple[str, ...] = ()
    write: bool = False
    """Put it into handoff-tui.toml, for everybody."""

    @property
    def is_given(self) -> bool:
        return self.since is not None or bool(self.paths)


@dataclass(frozen=True, slots=True)
class ScopeCorrection:
    """A scope that somebody stated for one handoff."""

    handoff: str
    scope: ScopeSettings

    @property
    def table(self) -> str:
        """The table for handoff-tui.toml."""
        return render_scope_table(self.handoff, self.scope)

    def is_written(self, session: Session) -> bool:
        """Whether the repository's configuration says the same."""
        return session.loaded.settings.scopes.get(self.handoff) == self.scope

    def apply(self, session: Session) -> Session:
        """The repository as if its configuration had this scope."""
        settings = session.loaded.settings
        scopes = {**settings.scopes, self.handoff: self.scope}
        return session._replace(loaded=replace(session.loaded, settings=settings.model_copy(update={"scopes": scopes})))

    def write(self, session: Session) -> WrittenScope:
        """Puts the table into handoff-tui.toml; the rest of the file stays as it is."""
        root = session.repository.root
        if is_link(root, REPOSITORY_FILE):
            raise UsageError(f"{REPOSITORY_FILE} is a link, which is not replaced", f"Put this into it:\n{self.table}")
        before = _read_configuration(root)
        after = set_scope_table((before or b"").decode(), self.handoff, self.scope).encode()
        write_named_file(root / REPOSITORY_FILE, after)
        return WrittenScope(self.handoff, before, after)


class WrittenScope(NamedTuple):
    """What a correction did to handoff-tui.toml, so that it can be undone."""

    handoff: str
    before: bytes | None
    """None if there was no such file."""
    after: bytes

    def undo(self, root: Path) -> None:
        """Puts the file back as it was before; refuses if somebody has changed it since."""
        if is_link(root, REPOSITORY_FILE) or _read_configuration(root) != self.after:
            raise UsageError(
                f"{REPOSITORY_FILE} has changed since, so it can't be put back automatically",
                f'Remove the table [scopes."{self.handoff}"] by hand.',
            )
        if self.before is None:
            delete_file(root, REPOSITORY_FILE)
        else:
            write_named_file(root / REPOSITORY_FILE, self.before)


def _read_configuration(root: Path) -> bytes | None:
    return FileReader(root, MAX_BYTES).read_bytes(REPOSITORY_FILE) if is_present(root, REPOSITORY_FILE) else None


class ScopeMove(NamedTuple):
    """What a correction does to the files of one handoff, or to unclaimed files."""

    handoff: str
    """Empty for unclaimed files."""
    gains: tuple[str, ...]
    loses: tuple[str, ...]


class ScopePreview(NamedTuple):
    """What would change if a correction were written."""

    correction: ScopeCorrection
    after: Scope
    """The handoff's scope with it."""
    moves: tuple[ScopeMove, ...]
    """The handoff's own move first, then those of others, then of unclaimed files; only those that move."""


def preview_scope(gates: LogGates, handoff: str, request: ScopeRequest) -> ScopePreview:
    """Computes what a correction would do; raises if it means nothing. Writes nothing."""
    before = gates.work.scopes
    correction = build_correction(gates.session, handoff, before.of(handoff), request)
    after = gates.renew(correction.apply(gates.session), gates.handoffs).work.scopes
    refuse_empty(correction, after.of(handoff))
    names = (handoff, *(name for name in before.by_handoff if name != handoff))
    pairs = [(name, set(before.of(name).results), set(after.of(name).results)) for name in names]
    pairs.append(("", set(before.unclaimed_paths), set(after.unclaimed_paths)))
    moves = (ScopeMove(name, tuple(sorted(new - old)), tuple(sorted(old - new))) for name, old, new in pairs)
    return ScopePreview(correction, after.of(handoff), tuple(move for move in moves if move.gains or move.loses))


def list_stated(scope: Scope, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The wanted paths without those that its commits prove: stating these, too, would take them from others."""
    proven = {
        path for path in wanted if {change.source for change in scope.find_changes(path)} == {Attribution.COMMITS}
    }
    return tuple(path for path in wanted if path not in proven) or wanted


def find_needed_start(gates: LogGates, handoff: str, paths: Iterable[str]) -> str | None:
    """The commit before the first change of the handoff and of what nobody claims in these paths; None if it is HEAD.

    Whoever gives a handoff more files means their unclaimed changes, which may be older than its own.
    """
    wanted = frozenset(paths)
    work = gates.work
    loose = {change.commit for change in work.scopes.unclaimed if change.path in wanted}
    own = set(work.scopes.of(handoff).commits)
    first = next((commit for commit in work.found.history if commit.id in own | loose), None)
    return next(iter(first.parents), None) if first is not None else None


class ScopeInForce(NamedTuple):
    """A scope that counts for what follows, and the repository with it."""

    session: Session
    correction: ScopeCorrection
    written: bool
    """Whether it is in handoff-tui.toml, and so counts for everybody."""


def state_scope(session: Session, wanted: str, request: ScopeRequest, *, signed: bool) -> ScopeInForce:
    """Corrects a scope for one submission, and for everybody if that is asked for. What is signed must be written."""
    handoffs = read_repository(session).result.handoffs
    handoff = find_handoff(handoffs, wanted)
    correction = preview_scope(LogGates(session, handoffs), handoff.id, request).correction
    corrected = correction.apply(session)
    written = correction.is_written(session)
    if signed and not written and not request.write:
        raise UsageError(
            "nobody else could compute this scope, so it can't be signed",
            "Add --write, which puts it into handoff-tui.toml.",
        )
    if request.write and not written:
        correction.write(session)
        return ScopeInForce(open_session(session.repository.root), correction, written=True)
    return ScopeInForce(corrected, correction, written)


def build_correction(session: Session, handoff: str, present: Scope, request: ScopeRequest) -> ScopeCorrection:
    """The stated scope with full commit ids: from `since`, or the handoff's present start, up to HEAD."""
    head = session.work_tree.facts.head or ""
    since = present.start or ""
    if request.since is not None:
        found = resolve_commits(session.repository.git, [request.since])[request.since]
        if found is None or not is_ancestor(session.repository.git, found, "HEAD"):
            raise UsageError(
                f"{request.since} is not a commit in the history of HEAD", "git log --oneline lists those that are."
            )
        since = found
    paths = tuple(dict.fromkeys(_check_path(path) for path in request.paths))
    return ScopeCorrection(handoff, ScopeSettings(since=since, until=head, paths=paths))


def refuse_empty(correction: ScopeCorrection, scope: Scope) -> None:
    """Raises if a stated path, or the whole statement, means no change: most likely a typing error."""
    changed = {change.path for change in scope.changes}
    since = f"after {correction.scope.since[:12]}" if correction.scope.since else "in this repository"
    for wanted in correction.scope.paths:
        if not any(is_below(path, wanted) for path in changed):
            raise UsageError(
                f"nothing changed in {wanted} {since}", "Name an earlier commit with --since, or another path."
            )
    if not changed:
        raise UsageError(f"nothing changed {since}", "Name an earlier commit with --since.")


def _check_path(path: str) -> str:
    """A path inside the repository, as git writes it."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    clean = "/".join(parts)
    if path.startswith(("/", "~")) or ".." in parts:
        raise UsageError(f"{path} leads out of the repository", "Name paths as they are seen from its top folder.")
    if is_below_own_folder(clean):
        raise UsageError(f"{path} belongs to the log, which isn't any handoff's work")
    try:
        clean.encode("utf-8")
    except UnicodeEncodeError as wrong:
        raise UsageError("a path that is not UTF-8 can't be written down", "Name the folder around it.") from wrong
    return clean or "."
