"""The dialect of the workflow hub."""

from __future__ import annotations

from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.work import Proof
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.formats.hub.attempts import count_attempts
from handoff_tui.handoffs.formats.hub.context import Context, normalise_time, read_context
from handoff_tui.handoffs.formats.hub.context_body import add_context
from handoff_tui.handoffs.formats.hub.desk import Desk
from handoff_tui.handoffs.formats.hub.findings import add_findings
from handoff_tui.handoffs.formats.hub.proofs import find_proofs
from handoff_tui.handoffs.formats.hub.recognition import is_context, is_report, recognise
from handoff_tui.handoffs.formats.hub.reports import add_report
from handoff_tui.handoffs.formats.hub.todo import add_todo
from handoff_tui.handoffs.formats.hub.work_cycles import add_cycle, age_of, find_cycles, find_named
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.reading.format import Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_ID: Final = "hub"
_PRESENT: Final = ("source_phase", "target_phase", "source_agent", "target_agent", "status", "created")
"""What changes as a task moves on."""


def read(owned: list[Source], shelf: Shelf) -> Reading:
    desk = Desk(_ID, shelf.settings.hub)
    sources = sorted(owned, key=lambda source: source.path)
    _read_contexts([source for source in sources if is_context(source)], desk)
    documents = [source for source in sources if not is_context(source)]
    with_cycles = [source for source in documents if source.json is not None and find_cycles(source.json)]
    _read_cycles(with_cycles, desk)
    for source in documents:
        if layout.TODO_NAME.match(source.name) and source not in with_cycles:
            add_todo(source, desk.open_draft(build_id(source.folder, "todo")))
        elif source not in with_cycles:
            _read_report(source, desk)
    used: set[str] = set()
    if desk.drafts:
        for proof in find_proofs(shelf):
            _attach_proof(proof, desk)
            used.add(proof.path)
    return Reading(handoffs=desk.build(), used=used)


def _read_contexts(sources: list[Source], desk: Desk) -> None:
    """One handoff per task: the newest context speaks, older ones are documents of it."""
    by_id: dict[str, list[Context]] = {}
    for source in sources:
        context = read_context(source)
        by_id.setdefault(context.handoff_id, []).append(context)
    for handoff_id, contexts in by_id.items():
        newest, *older = sorted(contexts, key=lambda context: context.age_key, reverse=True)
        for context in (newest, *older):
            draft = desk.open_work(handoff_id, context.run)
            draft.documents.append(context.source.document(DocumentRole.CONTEXT))
            if context is newest:
                draft.original_name = context.source.name
                add_context(context, draft, desk.settings)
            else:
                told = f"{context.run or '?'}, {context.generated or 'no time given'}"
                draft.add_fact("earlier run", told, context.source.place())


def _read_cycles(sources: list[Source], desk: Desk) -> None:
    """Cycles of one task are one handoff; the newest is added first and so decides."""
    by_id: dict[str, list[JsonNode]] = {}
    for source in sources:
        for cycle in find_cycles(source.json) if source.json is not None else ():
            task, run = find_named(cycle, "task"), find_named(cycle, "run")
            handoff_id = build_id(task or (f"RUN-{run}" if run else source.path.rpartition(".")[0]))
            by_id.setdefault(handoff_id, []).append(cycle)
            draft = desk.open_work(handoff_id, run)
            if all(document.path != source.path for document in draft.documents):
                draft.documents.append(source.document(DocumentRole.CONTEXT))
    for handoff_id, cycles in by_id.items():
        newest_first = sorted(cycles, key=lambda cycle: normalise_time(age_of(cycle)), reverse=True)
        _add_cycles(newest_first, desk.drafts[handoff_id], desk.settings)


def _add_cycles(newest_first: list[JsonNode], draft: HandoffDraft, settings: Hub) -> None:
    """Where the context of the task is older than the newest cycle, the cycle says how things stand."""
    told_before = len(draft.attempts)
    outdated: dict[str, str | None] = {}
    if normalise_time(age_of(newest_first[0])) > normalise_time(draft.created):
        outdated = {name: getattr(draft, name) for name in _PRESENT}
        for name in _PRESENT:
            setattr(draft, name, None)
    for cycle in newest_first:
        add_cycle(cycle, draft, settings)
    for name, value in outdated.items():
        setattr(draft, name, getattr(draft, name) or value)
    _order_attempts(draft, told_before, settings)


def _order_attempts(draft: HandoffDraft, first: int, settings: Hub) -> None:
    """Cycles were added newest first; attempts are told oldest first."""
    newest_first = draft.attempts[first:]
    draft.attempts[first:] = [
        attempt.model_copy(update={"number": first + number})
        for number, attempt in enumerate(reversed(newest_first), start=1)
    ]
    count_attempts(draft, settings)


def _read_report(source: Source, desk: Desk) -> None:
    """A report belongs to the task or run it names, to that of its path, or to the one handoff of its folder."""
    root = source.json
    is_findings = layout.is_findings_name(source.name)
    name = "security-report" if layout.SECURITY_NAME.match(source.name) else "bugs" if is_findings else "reports"
    draft = (
        (desk.find_by_name(find_named(root, "task"), find_named(root, "run")) if root is not None else None)
        or desk.find_by_name(layout.find_task(source.path), layout.find_run(source.path))
        or desk.find_by_folder(source.folder)
        or (None if is_findings else desk.find_newest())
        or desk.open_draft(build_id(source.folder, name))
    )
    draft.documents.append(source.document(DocumentRole.REPORT))
    if root is None:
        return
    if is_findings:
        add_findings(root, name.replace("-", " "), draft, desk.settings)
    elif is_report(root):
        add_report(root, draft)


def _attach_proof(proof: Proof, desk: Desk) -> None:
    """To the handoff of its task or run, else to the task list, else to the newest handoff."""
    draft = (
        desk.find_by_name(proof.task, proof.run)
        or desk.drafts.get("todo")
        or desk.find_newest()
        or desk.drafts[min(desk.drafts)]
    )
    draft.proofs.append(proof)


HUB: Final = Dialect(id=_ID, may_own=layout.may_own, recognise=recognise, read=read)
