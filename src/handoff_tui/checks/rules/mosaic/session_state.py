"""Session states: where they are, which files they consist of, and what in them can't be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import JsonBrokenError, find_line, find_unreadable, parse_strictly
from handoff_tui.checks.rule import Findings, RuleFinding
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.place import Place
from handoff_tui.core.text.globs import matches_glob
from handoff_tui.handoffs.formats.mosaic.layout import AGENT_STATE
from handoff_tui.handoffs.handoff import Handoff

DIALECT = "mosaic"


class SessionState(NamedTuple):
    """A state folder and the handoff that was read from it."""

    folder: str
    handoff: Handoff

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"


def find_states(context: Context) -> tuple[SessionState, ...]:
    """Returns the states under review."""
    name = context.settings.mosaic.folder
    found: dict[str, Handoff] = {}
    for handoff in context.handoffs(DIALECT):
        for document in handoff.documents:
            folder = _find_folder(document.path, name)
            if folder is not None:
                found.setdefault(folder, handoff)
    return tuple(SessionState(folder, handoff) for folder, handoff in sorted(found.items()))


def require_states(context: Context) -> tuple[SessionState, ...]:
    """Returns the states under review, or skips the rule if there are none."""
    return find_states(context) or context.skip("no session state under review")


def find_abandoned_folder(context: Context) -> str | None:
    """Returns a state folder without a state, whose enforcement exists or whose files git still tracks."""
    mosaic = context.settings.mosaic
    name = mosaic.folder
    scripts = (mosaic.session_gate_script, mosaic.validation_script)
    if any(script.startswith(f"{name}/") and context.exists(script) for script in scripts):
        return name
    changed = context.facts().changed
    return name if any(f"{name}/{file}" in changed for file in mosaic.state_files) else None


def is_state_file(context: Context, path: str) -> bool:
    """Returns whether a file is session state, as opposed to work or enforcement."""
    mosaic = context.settings.mosaic
    folder, _, name = path.rpartition("/")
    if _ends_with_folder(folder, mosaic.agents_folder):
        return matches_glob(name, mosaic.agents_documents)
    if not _ends_with_folder(folder, mosaic.folder):
        return False
    names = (*mosaic.state_files, *mosaic.optional_state_files, mosaic.latest_handoff)
    return name in names or matches_glob(name, mosaic.session_documents)


@dataclass(frozen=True, slots=True)
class StateFile:
    """A state file. `broken` says why it has no members."""

    path: str
    content: bytes = b""
    members: dict[str, object] = field(default_factory=dict)
    broken: tuple[RuleFinding, ...] = ()

    def place(self, key: str) -> Place:
        """Returns the line of a member, or just the file if it is absent."""
        return Place(path=self.path, line=find_line(self.content, key))


def read_state_file(context: Context, path: str) -> StateFile:
    """Reads a state file, which must exist and be an object."""
    broken = tuple(find_unreadable(context, (path,)))
    if broken:
        return StateFile(path, broken=broken)
    content = context.read(path)
    if content is None:
        return StateFile(path, broken=(RuleFinding(f"{path} is missing", path, Place(path=path)),))
    try:
        value = parse_strictly(content)
    except JsonBrokenError as reason:
        found = RuleFinding(f"{path} {reason.message}", path, Place(path=path, line=reason.line))
        return StateFile(path, content, broken=(found,))
    if not isinstance(value, dict):
        return StateFile(path, content, broken=(RuleFinding(f"{path} is not an object", path, Place(path=path)),))
    return StateFile(path, content, value)


def judge_agent_states(
    context: Context, find: Callable[[Context, SessionState, StateFile], Iterable[RuleFinding]]
) -> Findings:
    """Judges the agent state of each session, unless it is broken."""
    for state in require_states(context):
        file = read_state_file(context, state.path(AGENT_STATE))
        yield from file.broken or find(context, state, file)


def says_something(text: str) -> bool:
    """Returns whether a text has at least two different words."""
    words = {word.strip(".,;:!?-–—_*\"'()[]").casefold() for word in text.split()}
    return len(words - {""}) > 1


def _find_folder(path: str, name: str) -> str | None:
    before, separator, _ = f"/{path}".rpartition(f"/{name}/")
    return f"{before}/{name}".lstrip("/") if separator else None


def _ends_with_folder(folder: str, name: str) -> bool:
    return folder == name or folder.endswith(f"/{name}")
