"""The workflow hub: tasks go from role to role; contexts, reports and proofs say how far they are."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Proof, ProofKind, Task
from handoff_tui.handoffs.claim import quote
from handoff_tui.handoffs.formats.hub import layout, reports
from handoff_tui.handoffs.formats.hub.context import (
    ContextFile,
    add_attempts,
    add_context,
    count_attempts,
    find_foreign_runs,
    normalise_time,
    read_context,
)
from handoff_tui.handoffs.formats.hub.layout import STANDARD, is_done, parse_stage
from handoff_tui.handoffs.grammar.author_words import words_of_claims
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, HandoffDraft, HandoffType, build_id
from handoff_tui.handoffs.reading.format import Confidence, FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_HEADER: Final = compile_later(r"^#\s+(?:Handoff|Work\s?Cycle) Context\s*$", re.IGNORECASE)
_RUN_LINE: Final = compile_later(r"^\W*Run ID\W*:", re.IGNORECASE)
_NOT_FOUND: Final = compile_later(r"^Run \S+ not found", re.IGNORECASE)
_HEAD_LINES = 12


def recognise(source: Source) -> float:
    if not source.readable:
        return Confidence.POSSIBLE if _has_own_name(source.name) else Confidence.NO
    if source.name.lower().endswith((".md", ".markdown")):
        return _recognise_context(source)
    root = source.json
    if root is None:
        return Confidence.POSSIBLE if _has_own_name(source.name) else Confidence.NO
    return _recognise_json(root, source.name)


def is_context(source: Source) -> bool:
    return source.name.lower().endswith((".md", ".markdown"))


def judge_todo(root: JsonNode) -> float:
    """A list of tasks with titles, below the name of a project."""
    if root.value == {}:
        return Confidence.POSSIBLE
    tasks = root.get("tasks")
    if tasks is None or not isinstance(tasks.value, list):
        return Confidence.NO
    if not tasks.value:
        return Confidence.LIKELY if root.has("project") else Confidence.POSSIBLE
    looks_right = any(task.has("title") and (task.has("id") or task.has("status")) for task in tasks.elements())
    if not looks_right:
        return Confidence.NO
    return Confidence.CERTAIN if root.has("project") else Confidence.LIKELY


def _recognise_context(source: Source) -> float:
    head = [line.strip() for line in source.text.lstrip().split("\n", _HEAD_LINES)[:_HEAD_LINES]]
    named = layout.CONTEXT_NAME.match(source.name) is not None
    if not head[0]:
        return Confidence.POSSIBLE if named else Confidence.NO
    if not _HEADER.match(head[0]):
        return Confidence.NO
    if any(_RUN_LINE.match(line) or _NOT_FOUND.match(line) for line in head[1:]):
        return Confidence.CERTAIN
    return Confidence.LIKELY if named else Confidence.NO


def _recognise_json(root: JsonNode, name: str) -> float:
    if reports.find_cycles(root):
        return Confidence.CERTAIN
    if layout.TODO_NAME.match(name):
        return judge_todo(root)
    if layout.is_findings_name(name):
        return _judge_findings(root)
    return Confidence.LIKELY if reports.is_report(root) else Confidence.NO


def _judge_findings(root: JsonNode) -> float:
    if root.value in ({}, []):
        return Confidence.POSSIBLE
    lists = reports.find_finding_lists(root)
    if not lists:
        return Confidence.LIKELY if reports.is_report(root) else Confidence.NO
    elements = [element for found in lists for element in found.elements()]
    if not elements:
        return Confidence.LIKELY
    return Confidence.CERTAIN if any(element.has("severity") for element in elements) else Confidence.LIKELY


def _has_own_name(name: str) -> bool:
    return bool(layout.CONTEXT_NAME.match(name) or layout.TODO_NAME.match(name) or layout.is_findings_name(name))


def add_todo(source: Source, draft: HandoffDraft) -> None:
    draft.documents += (source.document(DocumentRole.LIST),)
    root = source.json
    if root is None:
        return
    if not isinstance(root.value, dict):
        root.report_type("an object")
        return
    draft.title = root.scalar("project") or draft.title
    draft.message = root.text("description")
    draft.created = root.scalar("last_updated")
    nodes = root.objects("tasks")
    tasks = [_build_task(node, number) for number, node in enumerate(nodes, start=1)]
    draft.tasks += tuple(tasks)
    known = {task.id for task in tasks}
    seen: set[str] = set()
    for node, task in zip(nodes, tasks, strict=True):
        if task.id in seen:
            node.report(f"the task {task.id} is listed twice")
        seen.add(task.id)
        _add_blocking(node, task, known, draft)
    done = sum(task.done is True for task in tasks)
    draft.add_fact("tasks done", f"{done} of {len(tasks)}", root.place_of("tasks"))


def _build_task(node: JsonNode, number: int) -> Task:
    status = node.scalar("status")
    task_id = node.scalar("id") or f"task-{number}"
    return Task(
        id=task_id,
        title=quote(node.scalar("title") or task_id),
        where=node.where,
        status=status,
        stage=parse_stage(node.scalar("pipeline_stage") or node.scalar("stage")),
        done=is_done(status),
        priority=node.scalar("priority"),
        commit=node.scalar("commit"),
    )


def _add_blocking(node: JsonNode, task: Task, known: set[str], draft: HandoffDraft) -> None:
    member = node.get("blocked_by")
    if member is None:
        return
    elements = member.elements() if isinstance(member.value, list) else [member]
    for element in elements:
        blocking = element.as_text()
        if not blocking:
            continue
        draft.add_fact("blocked by", f"{task.id} waits for {blocking}", element.where)
        if blocking not in known:
            element.report(f"{task.id} is blocked by {blocking}, which is not in the list")


@dataclass(slots=True)
class HubDrafts:
    """Handoffs in the making, by id. `works` are those of a task or run, as opposed to lists and standalone reports."""

    dialect: str
    settings: Hub = STANDARD
    drafts: dict[str, HandoffDraft] = field(default_factory=dict)
    works: list[str] = field(default_factory=list)
    runs: dict[str, str] = field(default_factory=dict)
    """The handoff of the task that each run is at."""
    projects: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    """The project of each task, and the file that named it first."""

    def open_draft(self, handoff_id: str) -> HandoffDraft:
        if handoff_id not in self.drafts:
            self.drafts[handoff_id] = HandoffDraft.model_construct(
                id=handoff_id, dialect=self.dialect, type=HandoffType.WORKFLOW_HANDOFF
            )
        return self.drafts[handoff_id]

    def open_work(self, handoff_id: str, run: str | None = None) -> HandoffDraft:
        """Opens the handoff of a task; if `run` is given, that run is at this task now."""
        draft = self.open_draft(handoff_id)
        if handoff_id not in self.works:
            self.works.append(handoff_id)
        if run:
            self.runs[run] = handoff_id
        return draft

    def name_work(self, handoff_id: str, project: str | None, source: Source) -> str:
        """The id of a task. Of several projects with a task of one id, the first keeps it; the others say so."""
        known, place = self.projects.setdefault(handoff_id, (project, source.path))
        if not project or not known or project.casefold() == known.casefold():
            return handoff_id
        name = build_id(f"{handoff_id}-{project}")
        if self.projects.setdefault(name, (project, source.path))[1] == source.path:
            told = f"has the id {handoff_id}, as has {place} of the project {known}"
            source.report(f"{told}; it is listed as {name}")
        return name

    def find_by_name(self, task: str | None, run: str | None) -> HandoffDraft | None:
        """The handoff of a task, else of a run."""
        task_id = build_id(task) if task else None
        of_run = self.runs.get(run) if run is not None else None
        is_of_project = of_run is not None and task_id is not None and of_run.startswith(f"{task_id}-")
        if task_id is not None and task_id in self.works and not is_of_project:
            return self.drafts[task_id]
        return self.drafts[of_run] if of_run is not None else None

    def find_by_folder(self, folder: str) -> HandoffDraft | None:
        """The one handoff whose documents are in a folder; None if there are several."""
        here = [
            self.drafts[handoff_id]
            for handoff_id in self.works
            if any(document.path.rpartition("/")[0] == folder for document in self.drafts[handoff_id].documents)
        ]
        return here[0] if len(here) == 1 else None

    def find_newest(self) -> HandoffDraft | None:
        works = [self.drafts[handoff_id] for handoff_id in self.works]
        return max(works, key=lambda draft: (normalise_time(draft.created), draft.id), default=None)

    def build(self) -> list[Handoff]:
        for draft in self.drafts.values():
            draft.words = tuple(words_of_claims(draft.claims, draft.status))
        return [self.drafts[handoff_id].build() for handoff_id in sorted(self.drafts)]


_FOLDER: Final = compile_later(r"(?:^|/)\.?proofs?/", re.IGNORECASE)
_SCREENSHOTS: Final = compile_later(r"(?:^|/)screenshots/", re.IGNORECASE)
_IMAGES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")
_KINDS: Final = (
    (_IMAGES, ProofKind.SCREENSHOT),
    ((".log", ".txt", ".out"), ProofKind.LOG),
    ((".diff", ".patch"), ProofKind.DIFF),
    ((".tap",), ProofKind.TEST_RESULT),
    ((".md", ".html", ".htm", ".json", ".pdf", ".xml", ".csv"), ProofKind.REPORT),
    ((".mp4", ".webm", ".zip"), ProofKind.OTHER),
)
_TEST_NAME: Final = compile_later(
    r"junit|pytest|test[-_ ]?(?:results?|report|output)|tests?\.(?:xml|json)$", re.IGNORECASE
)


_WORDS: Final = ("proof", "screenshots")
"""One of them is in the path of every proof, in letters of any size."""


def find_proofs(files: FormatFiles) -> list[Proof]:
    likely = files.list_containing(*_WORDS)
    return [proof for path in likely if (proof := _build_proof(path, files)) is not None]


def _build_proof(path: str, files: FormatFiles) -> Proof | None:
    in_proofs = _FOLDER.search(path) is not None
    if not in_proofs and not _SCREENSHOTS.search(path):
        return None
    kind = parse_kind(path)
    if kind is None or (not in_proofs and kind is not ProofKind.SCREENSHOT):
        return None
    return Proof(path=path, kind=kind, task=layout.find_task(path), run=layout.find_run(path), size=files.size(path))


def parse_kind(path: str) -> ProofKind | None:
    """The kind of a proof, by its name; None if the ending says it isn't one."""
    name = path.rpartition("/")[2].lower()
    kind = next((kind for endings, kind in _KINDS if name.endswith(endings)), None)
    if kind in {ProofKind.LOG, ProofKind.REPORT} and _TEST_NAME.search(name):
        return ProofKind.TEST_RESULT
    return kind


_ID: Final = "hub"
_PRESENT: Final = ("source_phase", "target_phase", "source_agent", "target_agent", "status", "created")
"""What changes as a task moves on."""


def read(owned: list[Source], files: FormatFiles) -> FormatReading:
    session = HubDrafts(_ID, files.settings.hub)
    sources = sorted(owned, key=lambda source: source.path)
    _read_contexts([source for source in sources if is_context(source)], session)
    documents = [source for source in sources if not is_context(source)]
    with_cycles = [source for source in documents if source.json is not None and reports.find_cycles(source.json)]
    _read_cycles(with_cycles, session)
    for source in documents:
        if layout.TODO_NAME.match(source.name) and source not in with_cycles:
            add_todo(source, session.open_draft(build_id(source.folder, "todo")))
        elif source not in with_cycles:
            _read_report(source, session)
    used: set[str] = set()
    if session.drafts:
        for proof in find_proofs(files):
            _attach_proof(proof, session)
            used.add(proof.path)
    return FormatReading(handoffs=session.build(), used=used)


def _read_contexts(sources: list[Source], session: HubDrafts) -> None:
    """One handoff per task: all its contexts report attempts, the newest says where it is now."""
    contexts = sorted(map(read_context, sources), key=lambda context: context.age_key)
    foreign = {context.source.path: owner for context, owner in find_foreign_runs(contexts)}
    names = {one.source.path: session.name_work(one.handoff_id, one.project, one.source) for one in contexts}
    by_id: dict[str, list[ContextFile]] = {}
    for context in contexts:
        by_id.setdefault(names[context.source.path], []).append(context)
    for handoff_id, of_task in by_id.items():
        *older, newest = of_task
        draft = session.open_work(handoff_id)
        draft.documents += tuple(one.source.document(DocumentRole.CONTEXT) for one in reversed(of_task))
        draft.original_name = newest.source.name
        for context in older:
            add_attempts(context, draft, session.settings)
            told = f"{context.run or '?'}, {context.generated or 'no time given'}"
            draft.add_fact("earlier run", told, context.source.place())
        add_context(newest, draft, session.settings)
        for context in of_task:
            if owner := foreign.get(context.source.path):
                told = f"run {context.run} is a run of {owner}"
                draft.add_fact(layout.FOREIGN_RUN, told, context.source.place(context.head_line))
        draft.attempt = max(draft.attempt, len(of_task))
    for context in contexts:  # the newest context of a run says which task it is at
        own = names[context.source.path]
        executed = build_id(context.executed.value) if context.executed else ""
        is_other = executed != context.handoff_id and executed in session.drafts
        session.open_work(executed if is_other else own, context.run)


def _read_cycles(sources: list[Source], session: HubDrafts) -> None:
    """Cycles of one task are one handoff; the newest is added first and so decides."""
    by_id: dict[str, list[JsonNode]] = {}
    for source in sources:
        for cycle in reports.find_cycles(source.json) if source.json is not None else ():
            task, run = reports.find_named(cycle, "task"), reports.find_named(cycle, "run")
            handoff_id = build_id(task or (f"RUN-{run}" if run else source.path.rpartition(".")[0]))
            handoff_id = session.name_work(handoff_id, reports.find_project(cycle), source)
            by_id.setdefault(handoff_id, []).append(cycle)
            draft = session.open_work(handoff_id, None if run in session.runs else run)
            if all(document.path != source.path for document in draft.documents):
                draft.documents += (source.document(DocumentRole.CONTEXT),)
    for handoff_id, cycles in by_id.items():
        newest_first = sorted(cycles, key=lambda cycle: normalise_time(reports.age_of(cycle)), reverse=True)
        _add_cycles(newest_first, session.drafts[handoff_id], session.settings)


def _add_cycles(newest_first: list[JsonNode], draft: HandoffDraft, settings: Hub) -> None:
    """If the context of the task is older than the newest cycle, the cycle has the current state."""
    told_before, claimed = len(draft.attempts), [len(draft.claims)]
    outdated: dict[str, str | None] = {}
    if normalise_time(reports.age_of(newest_first[0])) > normalise_time(draft.created):
        outdated = {name: getattr(draft, name) for name in _PRESENT}
        for name in _PRESENT:
            setattr(draft, name, None)
    for cycle in newest_first:
        reports.add_cycle(cycle, draft, settings)
        claimed.append(len(draft.claims))
    for name, value in outdated.items():
        setattr(draft, name, getattr(draft, name) or value)
    of_cycles = [draft.claims[start:end] for start, end in pairwise(claimed)]
    draft.claims = (*draft.claims[: claimed[0]], *chain.from_iterable(reversed(of_cycles)))
    _order_attempts(draft, told_before, settings)


def _order_attempts(draft: HandoffDraft, first: int, settings: Hub) -> None:
    """Cycles were added newest first; attempts, like claims, are listed oldest first."""
    oldest_first = enumerate(reversed(draft.attempts[first:]), start=first + 1)
    ordered = (attempt.model_copy(update={"number": number}) for number, attempt in oldest_first)
    draft.attempts = (*draft.attempts[:first], *ordered)
    count_attempts(draft, settings)


def _read_report(source: Source, session: HubDrafts) -> None:
    """A report belongs to the task or run it names, to that of its path, or to the one handoff of its folder.

    One that names neither belongs to the task that the newest run is at.
    """
    root = source.json
    is_findings = layout.is_findings_name(source.name)
    name = "security-report" if layout.SECURITY_NAME.match(source.name) else "bugs" if is_findings else "reports"
    draft = (
        (
            session.find_by_name(reports.find_named(root, "task"), reports.find_named(root, "run"))
            if root is not None
            else None
        )
        or session.find_by_name(layout.find_task(source.path), layout.find_run(source.path))
        or session.find_by_folder(source.folder)
        or session.find_newest()
        or session.open_draft(build_id(source.folder, name))
    )
    draft.documents += (source.document(DocumentRole.REPORT),)
    if root is None:
        return
    if is_findings:
        reports.add_findings(root, name.replace("-", " "), draft, session.settings)
    elif reports.is_report(root):
        reports.add_report(root, draft, session.settings)


def _attach_proof(proof: Proof, session: HubDrafts) -> None:
    """To the handoff of its task or run, else to the task list, else to the newest handoff."""
    draft = (
        session.find_by_name(proof.task, proof.run)
        or session.drafts.get("todo")
        or session.find_newest()
        or session.drafts[min(session.drafts)]
    )
    draft.proofs += (proof,)


HUB: Final = HandoffFormat(id=_ID, may_own=layout.may_own, recognise=recognise, read=read)
