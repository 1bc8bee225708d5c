"""One state folder: its files put together into the live handoff."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from handoff_tui.config.settings.root import Mosaic
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, Problem, ProblemLevel, Severity
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, quote
from handoff_tui.handoffs.formats.mosaic import fields, layout
from handoff_tui.handoffs.formats.mosaic.layout import is_session_document
from handoff_tui.handoffs.formats.notes.format import read_blockers
from handoff_tui.handoffs.formats.notes.recognition import split_sessions
from handoff_tui.handoffs.grammar.author_words import find_words
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import claim_counts, parse_counts
from handoff_tui.handoffs.handoff import DocumentRole, HandoffDraft
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import TextLine, find_fields

_ADDRESS: Final = compile_later(r"https?://[^\s<>()`\"'|*]+")
_DEPLOYED: Final = compile_later(
    r"\b(live|deployed|deploying|online|healthy|down|offline|unreachable)\b", re.IGNORECASE
)
_FACTS: Final = frozenset({"agent", "status", "session time", "session end", "mode", "ready for", "next agent", "date"})


def add_session_document(source: Source, draft: HandoffDraft) -> None:
    """What a session handoff says, added to the live handoff that it accompanies."""
    lines = list(source.outline.lines())
    for line, name, value in find_fields(lines):
        if name in _FACTS and value:
            _add_field(source.place(line.number), line, name, value, draft)
    draft.words += find_words(source, source.outline.sections)
    draft.add_claims(find_claims(source.outline.sections, source.path, front=source.frontmatter))
    draft.add_claims(_claim_deployments(lines, source.path))
    draft.add_claims(_claim_counts(lines, source.path))
    if not draft.blockers:
        draft.blockers = tuple(read_blockers(source, split_sessions(source.outline)))


def _add_field(where: Place, line: TextLine, name: str, value: str, draft: HandoffDraft) -> None:
    draft.add_fact(f"session document {name}", value, where)
    if name == "agent":
        draft.add_producer(value)
    status = claim_words.parse_status(value) if name == "status" else None
    if status is not None:
        draft.claim(ClaimKind.STATUS, where, line.text, value=status)


def _claim_deployments(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        address = None if line.code else _ADDRESS.search(line.text)
        if address is None:
            continue
        state = _DEPLOYED.search(_ADDRESS.sub(" ", line.text))
        if state is not None:
            where = Place(path=path, line=line.number)
            subject = address.group().rstrip(".,;:")
            yield build_claim(ClaimKind.DEPLOYMENT, where, line.text, subject=subject, value=state.group(1).lower())


def _claim_counts(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        counts = parse_counts(line.text)
        if counts is not None:
            yield from claim_counts(counts, "session", Place(path=path, line=line.number), line.text)


STANDARD: Final = Mosaic.model_construct()
"""The words of the session state where nothing else is configured."""
_PEOPLE: Final = frozenset({"user", "human", "owner", "operator", "person"})


def add_blockers(root: JsonNode, draft: HandoffDraft, settings: Mosaic = STANDARD) -> None:
    draft.add_fact("blockers updated at", root.scalar("updated_at"), root.place_of("updated_at"))
    nodes = [*root.objects("blockers"), *root.objects("archived_blockers")]
    blockers = [build_blocker(node, number, settings) for number, node in enumerate(nodes, start=1)]
    draft.blockers += tuple(blockers)
    draft.add_claims(_claim_resolved(blockers))


def build_blocker(node: JsonNode, number: int, settings: Mosaic = STANDARD) -> Blocker:
    status = node.text("status")
    normal = status.strip().lower().replace("_", "-").replace(" ", "-") if status else None
    known = (*settings.open_statuses, *settings.closed_statuses)
    if normal is not None and normal not in known:
        node.report_choice("status", known)
    is_open = normal not in settings.closed_statuses
    owner = node.text("owner")
    return Blocker(
        id=node.scalar("id") or f"blocker-{number}",
        title=quote(node.text("title") or node.text("description") or "(untitled)"),
        where=node.where,
        severity=parse_severity(node),
        status=status,
        open=is_open,
        owner=owner,
        evidence=node.text("resolution") or node.scalar("evidence") or None,
        needs_human=is_open and owner is not None and owner.strip().lower() in _PEOPLE,
    )


def parse_severity(node: JsonNode) -> Severity | None:
    """The severity; one that is not in the list is reported and left out."""
    text = node.text("severity")
    if text is None:
        return None
    known = {severity.value: severity for severity in Severity}
    severity = known.get(text.strip().lower())
    if severity is None:
        node.report_choice("severity", known)
    return severity


def _claim_resolved(blockers: list[Blocker]) -> Iterator[Claim]:
    for blocker in blockers:
        if blocker.status is not None and blocker.status.strip().lower() == "resolved":
            text = f"{blocker.id} {blocker.title}: {blocker.evidence or 'resolved'}"
            yield build_claim(
                ClaimKind.BLOCKER_RESOLVED, blocker.where, text, subject=blocker.id, value=blocker.evidence
            )


def add_project_state(root: JsonNode, draft: HandoffDraft, settings: Mosaic = STANDARD) -> None:
    draft.add_fact("project state updated", root.scalar("last_updated"), root.place_of("last_updated"))
    draft.add_producer(root.scalar("updated_by"))
    draft.add_claims(fields.claim_commit_fields(root, head="git_commit"))
    draft.add_claims(fields.claim_document_fields(root))
    draft.add_claims(fields.claim_count_fields(root))
    draft.add_claims(_claim_gates(root))
    _add_phases(root, draft)
    _add_next_action(root, draft)
    draft.tasks += tuple(fields.build_tasks(root.items("completed_implementations"), "implementation"))
    draft.tasks += tuple(fields.build_tasks(root.items("implementation_backlog"), "backlog"))
    for number, node in enumerate(root.items("blocking_issues"), start=1):
        draft.blockers += (_build_issue(node, number, settings),)
    for member in root.members_of("project_metadata"):
        draft.add_fact(f"project {member.key.replace('_', ' ')}", member.as_text(), member.where)


def _add_phases(root: JsonNode, draft: HandoffDraft) -> None:
    plan = root.object("implementation_plan")
    draft.tasks += tuple(fields.build_tasks(plan.items("phases"), "phase")) if plan is not None else ()
    for key in ("current_phase", "next_phase"):
        phase = root.get(key)
        if phase is None:
            continue
        task = fields.build_task(phase, key.replace("_", "-"))
        if task is not None:
            if all(task.id != known.id for known in draft.tasks):
                draft.tasks += (task,)
            draft.add_fact(key.replace("_", " "), task.title, task.where)
        for number, step in enumerate(phase.items("implementation_steps"), start=1):
            built = fields.build_task(step, str(number))
            if built is not None:
                draft.tasks += (built.model_copy(update={"id": f"step-{built.id}"}),)


def _add_next_action(root: JsonNode, draft: HandoffDraft) -> None:
    phase = root.get("next_phase")
    action = phase.get("next_session_action") if phase is not None else None
    if action is not None:
        is_text = isinstance(action.value, str)
        draft.next_action = action.as_text() if is_text else action.first("description", "action")


def _claim_gates(root: JsonNode) -> Iterator[Claim]:
    for member in root.members_of("gates_status"):
        value = member.scalar("status") if isinstance(member.value, dict) else member.as_text()
        if value:
            name = member.key
            yield build_claim(ClaimKind.CHECK, member.where, f"{name}: {value}", subject=name, value=value)


def _build_issue(node: JsonNode, number: int, settings: Mosaic) -> Blocker:
    fallback = f"blocking-issue-{number}"
    if isinstance(node.value, dict):
        blocker = build_blocker(node, number, settings)
        return blocker if node.has("id") else blocker.model_copy(update={"id": fallback})
    return Blocker(id=fallback, title=quote(node.as_text() or "(unreadable)"), where=node.where)


_SERVICE_URL: Final = compile_later(r"(?:^|_)(?:service|deployment|backend|production)_url$")


def add_agent_state(root: JsonNode, draft: HandoffDraft) -> None:
    draft.title = draft.title or root.text("current_task")
    draft.source_agent = root.text("last_agent")
    draft.target_agent = root.text("next_agent") or root.text("current_agent")
    draft.source_phase = root.text("last_mode")
    draft.message = root.text("handoff_message")
    draft.created = root.text("last_session_end")
    draft.add_producer(draft.source_agent)
    draft.add_fact("session start", root.text("last_session_start"), root.place_of("last_session_start"))
    draft.add_claims(fields.claim_commit_fields(root, head="last_commit"))
    draft.add_claims(fields.claim_document_fields(root))
    where = root.place_of("handoff_message")
    draft.add_claims(fields.claim_commits_in_prose(draft.message, where))
    draft.add_claims(fields.claim_counts_in_prose(draft.message, "handoff_message", where))
    progress = root.object("implementation_progress")
    if progress is not None:
        draft.add_claims(fields.claim_count_fields(progress))
        draft.add_claims(_claim_deployment(progress))
        draft.add_fact("implementation progress", f"{len(progress.keys())} entries", progress.where)
    for member in root.members_of("briefing_acknowledgment"):
        name = member.key.removeprefix("briefing_").replace("_", " ")
        draft.add_fact(f"briefing {name}", member.as_text(), member.where)
    for member in root.members_of("user_decisions"):
        if value := member.as_text():
            draft.add_fact("user decision", f"{member.key}: {value}", member.where)
    for question in root.items("open_questions"):
        draft.add_fact("open question", question.as_text(), question.where)


def _claim_deployment(progress: JsonNode) -> Iterator[Claim]:
    address = progress.first(*filter(_SERVICE_URL.search, progress.keys()))
    for key in ("deployment_status", "health_check"):
        state = progress.scalar(key)
        if state:
            where = progress.place_of(key)
            yield build_claim(ClaimKind.DEPLOYMENT, where, f"{key}: {state}", subject=address, value=state)


_SIMULATED: Final = compile_later(
    r"\bsimulat(?:ed|ion|ing)\b|\b(?:no|missing|without)\b.{0,30}\bapi[ _-]?key\b|"
    r"\bapi[ _-]?key\b.{0,30}\b(?:not|missing)\b",
    re.IGNORECASE,
)

_VERDICT_KEYS: Final = ("verdict", "decision", "approval", "approved")


def add_approval(root: JsonNode, draft: HandoffDraft) -> None:
    draft.add_claims(_claim_verdict(root))
    for key in ("evaluator", "reviewer", "score", "timestamp"):
        draft.add_fact(f"approval {key}", root.scalar(key), root.place_of(key))
    draft.tasks += tuple(fields.build_tasks(root.items("required_fixes"), "required-fix", done=False))
    for key in ("note", "notes", "feedback"):
        text = root.text(key)
        if text and _SIMULATED.search(text):
            draft.add_fact("approval", f"simulated: {quote(text)}", root.place_of(key))
            root.report("the approval is simulated", key)


def _claim_verdict(root: JsonNode) -> Iterator[Claim]:
    key = next((key for key in _VERDICT_KEYS if root.has(key)), "verdict")
    verdict = root.scalar(key)
    if verdict:
        token = {"true": "APPROVED", "false": "REJECTED"}.get(verdict) or parse_status(verdict) or verdict
        evaluator = root.first("evaluator", "reviewer")
        yield build_claim(ClaimKind.VERDICT, root.place_of(key), f"{key}: {verdict}", subject=evaluator, value=token)
    for member in root.members_of("criteria_results"):
        if isinstance(member.value, bool | str):
            name = member.key
            text = f"{name}: {member.as_text()}"
            yield build_claim(ClaimKind.CHECK, member.where, text, subject=name, value=member.value)


_SHOWN = 10
"""How many of the newest entries are shown; the file has all."""


def add_session_log(source: Source, draft: HandoffDraft) -> None:
    entries: list[JsonNode] = []
    for line in source.json_lines:
        if line.root is not None and isinstance(line.root.value, dict):
            entries.append(line.root)
        elif line.root is not None:
            line.root.report_type("an object")
    draft.add_fact("session log entries", str(len(entries)), source.place())
    for entry in entries[-_SHOWN:]:
        draft.add_fact("session log", _describe(entry), entry.where)
    files: dict[str | None, Claim] = {}
    for entry in _list_last_session(entries, draft):
        draft.add_claims(fields.claim_commit_fields(entry))
        for key in ("action", "outcome", "details"):
            text = entry.scalar(key)
            draft.add_claims(fields.claim_commits_in_prose(text, entry.where))
            draft.add_claims(fields.claim_counts_in_prose(text, "session_log", entry.where))
        for claim in fields.claim_files(entry.items("files"), ClaimKind.FILE_REFERENCED):
            files.setdefault(claim.subject, claim)
    draft.add_claims(files.values())


def _list_last_session(entries: list[JsonNode], draft: HandoffDraft) -> list[JsonNode]:
    """The entries of the session that hands over: earlier ones are about earlier times."""
    start = next((fact.value for fact in draft.facts if fact.name == "session start"), None)
    last = [entry for entry in entries if start is not None and (entry.scalar("timestamp") or "") >= start]
    return last or entries[-1:]


def _describe(entry: JsonNode) -> str:
    told = " ".join(text for key in ("timestamp", "agent", "mode", "action") if (text := entry.scalar(key)))
    outcome = entry.scalar("outcome")
    return quote(f"{told}: {outcome}" if outcome else told)


def add_current_task(root: JsonNode, draft: HandoffDraft) -> None:
    draft.title = root.text("objective") or draft.title
    draft.priority = root.scalar("priority")
    draft.add_producer(root.text("assigned_agent"))
    status = root.text("status")
    if status:
        draft.status = parse_status(status) or status
        where = root.place_of("status")
        draft.claim(ClaimKind.STATUS, where, f"status: {status}", value=draft.status)
    for key in ("task_id", "created_at", "updated_at", "completed_at"):
        draft.add_fact(f"task {key.removeprefix('task_').replace('_', ' ')}", root.scalar(key), root.place_of(key))
    draft.add_claims(fields.claim_commit_fields(root))
    draft.add_claims(fields.claim_document_fields(root))
    details = root.object("details")
    if details is not None:
        _add_details(details, draft)


def _add_details(details: JsonNode, draft: HandoffDraft) -> None:
    draft.add_fact("task description", details.text("description"), details.place_of("description"))
    draft.tasks += tuple(
        fields.build_tasks(details.items("completed_tasks"), "completed", status="completed", done=True)
    )
    draft.tasks += tuple(
        fields.build_tasks(details.items("in_progress"), "in-progress", status="in_progress", done=False)
    )
    draft.tasks += tuple(fields.build_tasks(details.items("success_criteria"), "criterion"))
    draft.add_claims(fields.claim_files(details.items("artifacts_created"), ClaimKind.FILE_REFERENCED))
    draft.add_claims(fields.claim_count_fields(details))


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
    draft = HandoffDraft.model_construct(id=layout.build_live_id(folder), dialect=dialect)
    for name, role, add_part in _list_parts(settings):
        source = sources.get(name)
        if source is None:
            continue
        draft.documents += (source.document(role),)
        root = source.json
        if root is not None and isinstance(root.value, dict):
            add_part(root, draft)
        elif root is not None:
            root.document.report((), "must hold an object, and holds something else", ProblemLevel.ERROR)
    log = sources.get(layout.SESSION_LOG)
    if log is not None:
        draft.documents += (log.document(DocumentRole.LOG),)
        add_session_log(log, draft)
    _add_documents(sources, draft)
    return draft


def _add_documents(sources: dict[str, Source], draft: HandoffDraft) -> None:
    """All other files; only the newest session document is about this session, the earlier ones are history."""
    names = sorted(name for name in sources if name not in layout.STATE_NAMES)
    newest = _find_newest_session(names, sources)
    for name in sorted(names, key=lambda name: (_is_latest(name), name)):
        source = sources[name]
        if not name.lower().endswith(".md"):
            draft.documents += (source.document(DocumentRole.OTHER, confidence=Confidence.POSSIBLE),)
            if name.lower().endswith(".json") and source.json is None:
                draft.add_fact("not readable as JSON", source.path, source.place())
            continue
        is_session = is_session_document(source)
        role = DocumentRole.RESULTS if is_session and (name == newest or _is_latest(name)) else DocumentRole.NOTE
        draft.documents += (source.document(role),)
        if name == newest:
            add_session_document(source, draft)
        elif _is_latest(name) and newest is not None and source.sha256 == sources[newest].sha256:
            draft.add_fact("latest session document", sources[newest].path, source.place())
        elif is_session:
            draft.add_fact("earlier session document", source.path, source.place())


def _find_newest_session(names: list[str], sources: dict[str, Source]) -> str | None:
    """The document that LATEST leads to; LATEST itself if it isn't a link; else the last by name."""
    sessions = [name for name in names if is_session_document(sources[name]) and sources[name].readable]
    latest = next((name for name in sessions if _is_latest(name)), None)
    others = [name for name in sessions if name != latest]
    if latest is not None:
        return next((name for name in others if sources[name].sha256 == sources[latest].sha256), latest)
    return others[-1] if others else None


def _is_latest(name: str) -> bool:
    return name.upper().startswith("LATEST")


def find_missing(
    folder: str, sources: dict[str, Source], paths: tuple[str, ...], settings: Mosaic = STANDARD
) -> list[Problem]:
    """A problem for each required state file that is not there, or whose content is something else."""
    level = ProblemLevel.ERROR if is_live(sources) else ProblemLevel.WARNING
    problems: list[Problem] = []
    for name in settings.state_files:
        path = f"{folder}/{name}"
        if name not in sources:
            message = "does not hold what a state file of this name holds" if path in paths else "is missing"
            problems.append(Problem(path=path, message=message, level=level))
    return problems
