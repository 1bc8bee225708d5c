"""Session enforcement: state files in `.mosaic/`, manifests and emergencies in `.ai-agents/`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, join_claims, quote
from handoff_tui.handoffs.formats.mosaic import layout
from handoff_tui.handoffs.formats.mosaic.fields import build_tasks, claim_files, parse_commit
from handoff_tui.handoffs.formats.mosaic.layout import build_manifest_id, recognise
from handoff_tui.handoffs.formats.mosaic.state import build_live_handoff, find_missing, is_live
from handoff_tui.handoffs.grammar.tokens import clean_path
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, HandoffDraft, RegistryState
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_DEPLOYMENT_KEY: Final = compile_later(r"(?:health|status|state|deployed|deployment|live)$")


def read_manifest(source: Source, dialect: str) -> Handoff:
    draft = HandoffDraft.model_construct(id=build_manifest_id(source.path), dialect=dialect, original_name=source.name)
    draft.documents += (source.document(DocumentRole.MANIFEST),)
    root = source.json
    if root is not None and not isinstance(root.value, dict):
        root.report_type("an object")
    elif root is not None:
        _add_manifest(root, draft)
    return draft.build()


def _add_manifest(root: JsonNode, draft: HandoffDraft) -> None:
    draft.created = root.text("timestamp")
    draft.source_agent = root.text("outgoing_agent") or root.text("agent_name")
    draft.target_agent = root.text("incoming_agent") or root.text("next_agent")
    draft.add_producer(draft.source_agent)
    draft.title = root.text("commit_message")
    _add_status(root, draft)
    _add_notes(root, draft)
    for node in filter(None, (root, root.object("git_state"))):
        draft.add_claims(_claim_git_state(node))
    continuity = root.object("session_continuity")
    if continuity is not None:
        draft.add_claims(claim_files(continuity.items("modified_files"), ClaimKind.FILE_MODIFIED))
        draft.add_claims(_claim_earlier_commits(continuity))
    draft.add_claims(_claim_deployment(root))
    draft.add_claims(_claim_features(root))
    draft.tasks += tuple(build_tasks(root.items("tasks_in_progress"), "in-progress", status="in_progress", done=False))
    draft.tasks += tuple(build_tasks(root.items("next_agent_checklist"), "checklist"))


def _add_status(root: JsonNode, draft: HandoffDraft) -> None:
    """The status is a token in some manifests and a sentence in others; a sentence is a title."""
    status = root.text("status")
    if not status:
        return
    where = root.place_of("status")
    draft.title = draft.title or quote(status)
    draft.status = parse_status(status)
    draft.add_fact("status", status, where)
    if draft.status is not None:
        draft.claim(ClaimKind.STATUS, where, f"status: {status}", value=draft.status)


def _add_notes(root: JsonNode, draft: HandoffDraft) -> None:
    draft.message = root.text("notes")
    draft.add_fact("latest backup", root.scalar("latest_backup"), root.place_of("latest_backup"))
    last_commit = root.get("last_commit")
    for member in last_commit.members() if last_commit is not None else ():
        draft.add_fact(f"last commit {member.pointer[-1]}", member.as_text(), member.where)


def _claim_git_state(node: JsonNode) -> Iterator[Claim]:
    commit = node.text("commit")
    if commit and (commit_id := parse_commit(commit)) is not None:
        yield build_claim(ClaimKind.COMMIT, node.place_of("commit"), f"commit: {commit}", value=commit_id)
    elif commit:
        node.report(f"commit is not a commit id: {quote(commit)}", "commit")
    branch = node.text("branch")
    if branch:
        yield build_claim(ClaimKind.BRANCH, node.place_of("branch"), f"branch: {branch}", value=branch)
    uncommitted = node.get("uncommitted_changes")
    if uncommitted is not None and isinstance(uncommitted.value, list):
        yield from claim_files(uncommitted.elements(), ClaimKind.UNCOMMITTED)
    elif uncommitted is not None and (number := node.integer("uncommitted_changes")) is not None:
        yield build_claim(ClaimKind.UNCOMMITTED, uncommitted.where, f"uncommitted_changes: {number}", value=number)


def _claim_earlier_commits(continuity: JsonNode) -> Iterator[Claim]:
    for node in continuity.items("last_5_commits"):
        text = node.value if isinstance(node.value, str) else (node.scalar("commit") or node.scalar("hash"))
        commit = parse_commit(text) if isinstance(text, str) else None
        if isinstance(text, str) and commit is not None:
            yield build_claim(ClaimKind.COMMIT, node.where, text, value=commit)


def _claim_deployment(root: JsonNode) -> Iterator[Claim]:
    status = root.get("deployment_status")
    if status is None:
        return
    for member in status.members() if isinstance(status.value, dict) else [status]:
        state = member.as_text()
        if state is not None and _DEPLOYMENT_KEY.search(member.key):
            yield build_claim(ClaimKind.DEPLOYMENT, member.where, f"{member.key}: {state}", value=state)
        elif state is not None:
            text = f"{member.key}: {state}"
            yield build_claim(ClaimKind.CHECK, member.where, text, subject=member.key, value=state)


def _claim_features(root: JsonNode) -> Iterator[Claim]:
    """Each feature is said to be there, or is counted in some files: `path:count`."""
    for member in root.members_of("critical_features"):
        name = member.key
        if isinstance(member.value, bool | str | int):
            text = f"{name}: {member.as_text()}"
            yield build_claim(ClaimKind.CHECK, member.where, text, subject=name, value=member.value)
        for element in member.elements():
            path = clean_path(element.value) if isinstance(element.value, str) else None
            if path is not None:
                text = f"{name}: {element.value}"
                yield build_claim(ClaimKind.FILE_REFERENCED, element.where, text, subject=path)


def add_emergency(source: Source, draft: HandoffDraft) -> None:
    """The file counts by existing, whatever it says."""
    number, line = next(
        ((number, line) for number, line in enumerate(source.text.split("\n"), start=1) if line.strip()), (1, "")
    )
    where = source.place(number)
    draft.documents += (source.document(DocumentRole.NOTE),)
    draft.add_fact("emergency", source.text.strip() or "(the file is empty)", where)
    draft.blockers += (
        Blocker(id="emergency", title=quote(line) or "emergency handoff", where=where, status="open", needs_human=True),
    )


_ID: Final = "mosaic"


def read(owned: list[Source], files: FormatFiles) -> FormatReading:
    reading = FormatReading()
    paths = files.paths
    drafts: dict[str, HandoffDraft] = {}
    for folder, sources in sorted(_group_by_folder(owned, paths).items()):
        reading.problems.extend(find_missing(folder, sources, paths, files.settings.mosaic))
        if is_live(sources):
            drafts[layout.parent_of(folder)] = build_live_handoff(folder, sources, _ID, files.settings.mosaic)
            drafts[layout.parent_of(folder)].claims = join_claims(drafts[layout.parent_of(folder)].claims)
    emergencies = _add_emergencies(owned, drafts)
    reading.handoffs.extend(drafts[parent].build() for parent in sorted(drafts))
    reading.handoffs.extend(draft.build() for draft in emergencies)
    reading.handoffs.extend(_read_manifests(owned, reading.handoffs))
    return reading


def _read_manifests(owned: list[Source], live: list[Handoff]) -> list[Handoff]:
    """Hooks write one at every commit: only the newest of a folder can be waiting, and only if no state is newer."""
    sources = sorted((source for source in owned if layout.is_manifest_path(source.path)), key=lambda s: s.path)
    newest = {source.folder: source.path for source in sources}
    latest = max((handoff.created for handoff in live if handoff.created), default="")
    found: list[Handoff] = []
    for source in sources:
        manifest = read_manifest(source, _ID)
        is_old = source.path != newest[source.folder] or (manifest.created or "\uffff") < latest
        found.append(manifest.model_copy(update={"registry": RegistryState.SUPERSEDED}) if is_old else manifest)
    return found


def _group_by_folder(owned: list[Source], paths: tuple[str, ...]) -> dict[str, dict[str, Source]]:
    """The sources of each state folder by their path below it; folders without any are there too, empty."""
    folders: dict[str, dict[str, Source]] = {}
    for path in [path for path in paths if layout.STATE_FOLDER in path]:
        split = layout.split_state_path(path)
        if split is not None:
            folders.setdefault(split[0], {})
    for source in owned:
        split = layout.split_state_path(source.path)
        if split is not None and layout.is_state_path(source.path):
            folders.setdefault(split[0], {})[split[1]] = source
    return folders


def _add_emergencies(owned: list[Source], drafts: dict[str, HandoffDraft]) -> list[HandoffDraft]:
    """Adds each emergency to the live handoff beside it; returns those that have none."""
    alone: list[HandoffDraft] = []
    for source in sorted(owned, key=lambda source: source.path):
        if not layout.is_emergency_path(source.path):
            continue
        draft = drafts.get(layout.parent_of(source.folder))
        if draft is None:
            draft = HandoffDraft.model_construct(
                id=layout.build_emergency_id(source.path), dialect=_ID, title="Emergency handoff"
            )
            alone.append(draft)
        add_emergency(source, draft)
    return alone


MOSAIC: Final = HandoffFormat(id=_ID, may_own=layout.may_own, recognise=recognise, read=read)
