"""One state folder: its files put together into the live handoff."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from handoff_tui.config.settings.root import Mosaic
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.mosaic import layout
from handoff_tui.handoffs.formats.mosaic.agent_state import add_agent_state
from handoff_tui.handoffs.formats.mosaic.approval import add_approval
from handoff_tui.handoffs.formats.mosaic.blockers import STANDARD, add_blockers
from handoff_tui.handoffs.formats.mosaic.current_task import add_current_task
from handoff_tui.handoffs.formats.mosaic.project_state import add_project_state
from handoff_tui.handoffs.formats.mosaic.recognition import is_session_document
from handoff_tui.handoffs.formats.mosaic.session_documents import add_session_document
from handoff_tui.handoffs.formats.mosaic.session_log import add_session_log
from handoff_tui.handoffs.reading.format import POSSIBLE, Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_Part = tuple[str, DocumentRole, Callable[[JsonNode, HandoffDraft], None]]


def _list_parts(settings: Mosaic) -> tuple[_Part, ...]:
    return (
        (layout.AGENT_STATE, DocumentRole.STATE, add_agent_state),
        (layout.CURRENT_TASK, DocumentRole.STATE, add_current_task),
        (layout.BLOCKERS, DocumentRole.STATE, partial(add_blockers, settings=settings)),
        (layout.PROJECT_STATE, DocumentRole.STATE, partial(add_project_state, settings=settings)),
        (layout.APPROVAL, DocumentRole.REVIEW, add_approval),
    )


def is_live(sources: dict[str, Source]) -> bool:
    """Whether a folder holds a state at all: one of its files or a session document, not only other files."""
    return any(name in layout.STATE_NAMES or is_session_document(source) for name, source in sources.items())


def build_live_handoff(
    folder: str, sources: dict[str, Source], dialect: str, settings: Mosaic = STANDARD
) -> HandoffDraft:
    """The handoff of one state folder; `sources` by their path below it."""
    draft = HandoffDraft(id=layout.build_live_id(folder), dialect=dialect)
    for name, role, add_part in _list_parts(settings):
        source = sources.get(name)
        if source is None:
            continue
        draft.documents.append(source.document(role))
        root = source.json
        if root is not None and isinstance(root.value, dict):
            add_part(root, draft)
        elif root is not None:
            root.document.report((), "must hold an object, and holds something else", ProblemLevel.ERROR)
    log = sources.get(layout.SESSION_LOG)
    if log is not None:
        draft.documents.append(log.document(DocumentRole.LOG))
        add_session_log(log, draft)
    _add_documents(sources, draft)
    return draft


def _add_documents(sources: dict[str, Source], draft: HandoffDraft) -> None:
    """Session documents with what they say; a link to one of them says nothing new; other files are listed."""
    told: dict[str, str] = {}
    for name in sorted(sources, key=lambda name: (name.upper().startswith("LATEST"), name)):
        source = sources[name]
        if name in layout.STATE_NAMES:
            continue
        if not name.lower().endswith(".md"):
            draft.documents.append(source.document(DocumentRole.OTHER, confidence=POSSIBLE))
            if name.lower().endswith(".json") and source.json is None:
                draft.add_fact("not readable as JSON", source.path, source.place())
            continue
        is_session = is_session_document(source)
        draft.documents.append(source.document(DocumentRole.RESULTS if is_session else DocumentRole.NOTE))
        if source.sha256 is not None and source.sha256 in told:
            draft.add_fact("latest session document", told[source.sha256], source.place())
        elif is_session and source.readable:
            add_session_document(source, draft)
            told[source.sha256 or ""] = source.path


def find_missing(
    folder: str, sources: dict[str, Source], paths: tuple[str, ...], settings: Mosaic = STANDARD
) -> list[Problem]:
    """A problem for each required state file that is not there, or whose content is something else."""
    level = ProblemLevel.ERROR if is_live(sources) else ProblemLevel.WARNING
    problems: list[Problem] = []
    for name in settings.state_files:
        path = f"{folder}/{name}"
        if name in sources:
            continue
        present = path in paths
        message = "does not hold what a state file of this name holds" if present else "is missing"
        problems.append(Problem(path=path, message=message, level=level))
    return problems
