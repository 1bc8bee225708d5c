"""The registry of builder handoffs, brought in line with what people have signed: shown first, then written."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.claims.blocking import is_before_results
from handoff_tui.handoffs.formats.builder.registry_state import parse_state
from handoff_tui.handoffs.handoff import Handoff, RegistryState
from handoff_tui.handoffs.reading.markdown import plain
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.all_gates import Recheck
from handoff_tui.log.gates.gate_state import OPENING
from handoff_tui.status.refresh import refresh
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState
from handoff_tui.system.files.atomic_write import write_file
from handoff_tui.system.files.reader import FileReader

_SAYS = "registry says"


class RegistryEdit(NamedTuple):
    """One row of a registry that says another state than the signed log."""

    handoff: str
    path: str
    line: int
    before: str
    after: str


def plan_registry(state: ReviewState) -> tuple[RegistryEdit, ...]:
    """Lists the rows that an approval has overtaken; changes nothing."""
    return tuple(
        RegistryEdit(one.handoff.id, fact.where.path, fact.where.line, fact.value, wanted.value)
        for one in state.handoffs
        if (wanted := _find_wanted(one)) is not None
        for fact in one.handoff.facts
        if fact.name == _SAYS and fact.where is not None and fact.where.line is not None
        if parse_state(fact.value) not in {wanted, RegistryState.SUPERSEDED}
    )


def find_overtaken(session: Session, handoff: Handoff, recheck: Recheck) -> tuple[RegistryEdit, ...]:
    """Lists the rows of one handoff that a decision has just overtaken."""
    if handoff.dialect != "builder":
        return ()
    return tuple(edit for edit in plan_registry(refresh(session, recheck)) if edit.handoff == handoff.id)


def describe_edit(edit: RegistryEdit) -> tuple[str, bool]:
    """Says a row, and that it can be written."""
    return f"{edit.handoff}  {edit.before} → {edit.after}  ({edit.path}:{edit.line})", True


def apply_registry(session: Session, edits: tuple[RegistryEdit, ...]) -> tuple[RegistryEdit, ...]:
    """Writes the rows; everything else in the files stays as it is. Committing it is up to the person."""
    if not edits:
        raise UsageError("there is nothing to write", "The registry matches the signed log, or there is no registry.")
    reader = FileReader(session.repository.root, session.loaded.settings.limits.file_bytes)
    for path in dict.fromkeys(edit.path for edit in edits):
        lines = reader.read_bytes(path).split(b"\n")
        for edit in edits:
            if edit.path == path:
                lines[edit.line - 1] = _replace(lines[edit.line - 1], edit)
        write_file(session.repository.root, path, b"\n".join(lines))
    return edits


def _find_wanted(reviewed: ReviewedHandoff) -> RegistryState | None:
    """What the registry should say; None if nobody has approved it."""
    if reviewed.handoff.dialect != "builder" or reviewed.gate.state not in OPENING:
        return None
    return RegistryState.APPROVED if is_before_results(reviewed.handoff) else RegistryState.VALIDATED


def _replace(row: bytes, edit: RegistryEdit) -> bytes:
    """The row with another state; its cell keeps its margins."""
    cells = row.split(b"|")
    for place, cell in enumerate(cells):
        text = cell.decode("utf-8", "replace")
        if plain(text).strip() == edit.before:
            cells[place] = cell.replace(text.strip().encode(), edit.after.encode(), 1)
            return b"|".join(cells)
    raise UsageError(f"{edit.path}:{edit.line} no longer says {edit.before}", "Look again, and retry.")
