"""The builder standard: a spec, a prompt with questions, results, a review, and packages with manifests."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.formats.builder.draft import BuilderDraft, build_draft
from handoff_tui.handoffs.formats.builder.evidence import attach_evidence
from handoff_tui.handoffs.formats.builder.names import (
    find_earlier,
    group_files,
    is_framework,
    is_same_framework,
    parse_path,
)
from handoff_tui.handoffs.formats.builder.packages import attach_packages, read_manifest
from handoff_tui.handoffs.formats.builder.prompts_and_reviews import find_contract_version
from handoff_tui.handoffs.formats.builder.recognition import recognise
from handoff_tui.handoffs.formats.builder.registry_state import (
    RegistryRow,
    apply_blocks,
    derive_state,
    find_rows,
    find_superseded,
)
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source


def _may_own(path: str) -> bool:
    return parse_path(path) is not None


def _read(owned: list[Source], files: FormatFiles) -> FormatReading:
    reading = FormatReading()
    roles = {source.path: named.role for source in owned if (named := parse_path(source.path)) is not None}
    sources = sorted((source for source in owned if source.path in roles), key=lambda source: source.path)
    manifests = [read_manifest(source) for source in sources if roles[source.path] is DocumentRole.MANIFEST]
    lists = [source for source in sources if roles[source.path] is DocumentRole.LIST]
    others = [s for s in sources if roles[s.path] not in {DocumentRole.MANIFEST, DocumentRole.LIST}]
    groups, problems = group_files(others)
    reading.problems.extend(problems)
    earlier = find_earlier(groups)
    drafts = [build_draft(group, files.settings.builder, earlier=group.id in earlier) for group in groups]
    rest = attach_packages(drafts, manifests)
    attach_evidence(drafts, files, reading)
    _compare_contract(drafts, files, reading)
    states = _settle_registry(drafts, [*lists, *others], reading, files.settings.builder.released_states)
    reading.handoffs = [draft.handoff(states[draft.group.id]) for draft in drafts]
    if rest is not None:
        reading.handoffs.append(rest)
    _keep_lists(lists, reading)
    return reading


def _keep_lists(lists: list[Source], reading: FormatReading) -> None:
    """A registry none of whose handoffs has files becomes a handoff."""
    shown = {document.path for handoff in reading.handoffs for document in handoff.documents}
    alone = [source for source in lists if source.path not in shown]
    if not alone:
        return
    documents = tuple(source.document(DocumentRole.LIST) for source in alone)
    facts = tuple(
        Fact(name="registry says", value=f"{row.id}: {row.text}", where=row.where)
        for source in alone
        for row in find_rows(source)
    )
    taken = {handoff.id for handoff in reading.handoffs}
    name = "registry" if "registry" not in taken else "registry-rest"
    title = "A registry without handoffs"
    reading.handoffs.append(Handoff(id=name, dialect="builder", title=title, documents=documents, facts=facts))


def _compare_contract(drafts: list[BuilderDraft], files: FormatFiles, reading: FormatReading) -> None:
    """A prompt made from an older contract than the one that is in force."""
    stated = [prompt for draft in drafts for prompt in draft.prompts if prompt.contract]
    name = files.settings.builder.questions.contract
    named = (path for path in files.paths if path.endswith(name) and path.rpartition("/")[2] == name)
    path = next(named, None) if stated else None
    if path is None:
        return
    current = find_contract_version(files.source(path))
    reading.used.add(path)
    for prompt in stated:
        if current is not None and prompt.contract != current:
            line = next(f.where.line for f in prompt.facts if f.name == "prompt contract" and f.where)
            prompt.source.report(f"follows contract {prompt.contract}, but {path} is {current}", line)


def _settle_registry(
    drafts: list[BuilderDraft], sources: list[Source], reading: FormatReading, released: tuple[str, ...]
) -> dict[str, RegistryState]:
    """The registry state of each handoff, once all are known; what people wrote becomes a fact."""
    by_id = {draft.group.id: draft for draft in drafts}
    superseded = {handoff for draft in drafts for source in draft.sources for handoff in find_superseded(source)}
    rows = [(source, row) for source in sources for row in find_rows(source)]
    for _, row in rows:
        handoff = _resolve(row.id, by_id)
        if handoff in by_id:
            by_id[handoff].told.blocked_by += row.blocked_by
    for handoff, draft in by_id.items():
        unknown = is_framework(handoff)
        resolved = (_resolve(other, by_id) or (other if unknown else None) for other in draft.told.blocked_by)
        others = dict.fromkeys(resolved)
        draft.told.blocked_by = tuple(other for other in others if other is not None and other != handoff)
    states = {
        handoff: derive_state(draft.standing(superseded=handoff in superseded)) for handoff, draft in by_id.items()
    }
    blocked_by = {handoff: draft.told.blocked_by for handoff, draft in by_id.items()}
    states = apply_blocks(states, blocked_by, released)
    for source, row in rows:
        _compare_row(source, row, by_id, states, reading)
    return states


def _resolve(handoff: str, by_id: dict[str, BuilderDraft]) -> str | None:
    """The id of a handoff; a framework may be given by its number alone. None if there is no such handoff."""
    if handoff in by_id or not is_framework(handoff):
        return handoff
    same = [known for known in by_id if is_same_framework(known, handoff)]
    return same[0] if len(same) == 1 else None


def _compare_row(
    source: Source,
    row: RegistryRow,
    by_id: dict[str, BuilderDraft],
    states: dict[str, RegistryState],
    reading: FormatReading,
) -> None:
    handoff = _resolve(row.id, by_id)
    draft = by_id.get(handoff) if handoff else None
    if draft is None or handoff is None:
        message = f"the registry has {row.id} as {row.state}, but there are no files of it"
        reading.problems.append(_warn(row, message))
        return
    draft.told.add_fact("registry says", row.text, row.where)
    if all(document.path != source.path for document in draft.told.documents):
        draft.told.documents += (source.document(DocumentRole.LIST),)
    if row.state is not states[handoff]:
        message = f"the registry has {handoff} as {row.state}, but its files say {states[handoff]}"
        reading.problems.append(_warn(row, message))


def _warn(row: RegistryRow, message: str) -> Problem:
    return Problem(path=row.where.path, line=row.where.line, message=message, level=ProblemLevel.WARNING)


BUILDER: Final = HandoffFormat(id="builder", may_own=_may_own, recognise=recognise, read=_read)
