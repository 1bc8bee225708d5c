"""The sections of a context file, added to the handoff of its task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.core.tasks import Attempt, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, quote
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.formats.hub.layout import STANDARD, find_next_stage, is_done, parse_stage
from handoff_tui.handoffs.formats.hub.reports import find_contradiction
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.handoff import HandoffDraft, build_id
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Code, Item, Section, TextLine, find_fields, plain

_NOT_FOUND: Final = compile_later(r"^\W*(Run (\S+) not found)", re.IGNORECASE)
_SPLIT: Final = compile_later(r"\s\|\s")
_EXECUTES: Final = compile_later(r"^\W*Execute Task:?\s*([A-Za-z0-9][\w.-]*)", re.IGNORECASE)


class LabelledValue(NamedTuple):
    """A labelled value of a document and its place."""

    value: str
    where: Place


class ContextFile(NamedTuple):
    """One context file: its head as read, and the source for the rest."""

    source: Source
    run: str | None
    task: str | None
    project: str | None
    generated: str | None
    complaint: str | None
    """What the hub wrote instead of a context."""
    head_line: int | None
    """The line that names the run."""
    executed: LabelledValue | None = None
    """The task that the run says it executes."""

    @property
    def handoff_id(self) -> str:
        if self.task:
            return build_id(self.task)
        return build_id(f"RUN-{self.run}") if self.run else build_id(self.source.path.rpartition(".")[0])

    @property
    def age_key(self) -> tuple[str, int, str]:
        """Orders the contexts of one task: by the time of writing, then by the number of the run."""
        number = int(self.run) if self.run and self.run.isdecimal() and len(self.run) <= 18 else -1  # noqa: PLR2004
        return normalise_time(self.generated), number, self.source.path


def read_context(source: Source) -> ContextFile:
    """The head of a context file; what it does not say is taken from the file's name."""
    head = _read_head(source)
    named = layout.CONTEXT_NAME.match(source.name)
    name_run, name_task = named.groups() if named else (None, None)
    complaint = head.get("complaint")
    run, task = head.get("run id"), head.get("task")
    if named and task and name_task and task.value != name_task:
        source.report(f"is named for task {name_task}, but is about task {task.value}", task.where.line)
    if named and run and name_run and run.value != name_run:
        source.report(f"is named for run {name_run}, but is about run {run.value}", run.where.line)
    if complaint is not None:
        source.report(f"the context is empty: {complaint.value}", complaint.where.line, ProblemLevel.ERROR)
    elif source.readable and run is None:
        source.report("the context has no Run ID")
    return ContextFile(
        source=source,
        run=run.value if run else name_run,
        task=task.value if task else name_task,
        project=head["project"].value if "project" in head else None,
        generated=head["generated"].value if "generated" in head else None,
        complaint=complaint.value if complaint else None,
        head_line=run.where.line if run else None,
        executed=_find_executed(source),
    )


def _find_executed(source: Source) -> LabelledValue | None:
    for section in source.outline.sections:
        if section.name.lower() == "pipeline position":
            run = read_fields(section, source.path).get("run")
            named = _EXECUTES.match(run.value) if run else None
            return LabelledValue(named[1], run.where) if run and named else None
    return None


def find_foreign_runs(contexts: list[ContextFile]) -> Iterator[tuple[ContextFile, str]]:
    """Reports each context that names a run of another task, by what the run says it executes or lists."""
    owners: dict[str, str] = {}
    for context in sorted(contexts, key=lambda one: one.age_key):
        if context.run and context.executed:
            owners.setdefault(context.run, context.executed.value)
    for context in sorted(contexts, key=lambda one: one.age_key):
        if context.run and context.task and context.complaint is None:
            owner = owners.setdefault(context.run, context.task)
            if owner != context.task and context.task not in _list_run_tasks(contexts, context.run):
                context.source.report(f"names run {context.run}, which is a run of {owner}", context.head_line)
                yield context, owner


def _list_run_tasks(contexts: list[ContextFile], run: str) -> set[str]:
    """The tasks that a run's contexts list as its own."""
    sections = (section for one in contexts if one.run == run for section in one.source.outline.sections)
    listed = (item for section in sections if section.name.lower() == "tasks in this run" for item in section.items())
    return {match["id"] for item in listed if (match := _LISTED_TASK.match(" ".join(item.text.split())))}


def read_fields(section: Section, path: str) -> dict[str, LabelledValue]:
    """The labelled values of a section by their lower-case names; the first of a name counts."""
    fields: dict[str, LabelledValue] = {}
    for line, name, value in find_fields(section.lines()):
        if value:
            fields.setdefault(name, LabelledValue(value, Place(path=path, line=line.number)))
    return fields


def normalise_time(text: str | None) -> str:
    """A time written in either of the hub's ways, so that two can be compared as text."""
    return text.replace("T", " ").rstrip("Z") if text else ""


def _read_head(source: Source) -> dict[str, LabelledValue]:
    """The lines under the title: one label each, or several divided by bars."""
    fields: dict[str, LabelledValue] = {}
    for section in source.outline.sections[:2]:
        for line in section.lines():
            where = Place(path=source.path, line=line.number)
            not_found = _NOT_FOUND.match(line.text)
            if not_found is not None:
                fields.setdefault("complaint", LabelledValue(not_found.group(1), where))
                fields.setdefault("run id", LabelledValue(not_found.group(2), where))
            for _, name, value in find_fields(TextLine(line.number, part) for part in _SPLIT.split(line.text)):
                if value:
                    fields.setdefault(name, LabelledValue(value, where))
    return fields


_AGENT: Final = compile_later(r"^([A-Za-z][\w/-]*(?: [\w/-]+)?) Agent(?:\s*\((.*)\))?$")
_AGENT_LEVEL = 3


def add_attempts(context: ContextFile, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Adds the reports in a context, without those that an earlier context had already."""
    known = Counter(map(_identify, draft.attempts))
    for section in context.source.outline.sections:
        heading = _AGENT.match(section.name) if section.level == _AGENT_LEVEL else None
        if heading is None:
            continue
        fields = read_fields(section, context.source.path)
        attempt = _build_attempt(section, heading, fields, context)
        if known[_identify(attempt)] > 0:
            known[_identify(attempt)] -= 1
        else:
            _add_attempt(attempt, section, fields, context.source, draft, settings)
    if draft.attempts:
        draft.source_agent = draft.attempts[-1].agent
    count_attempts(draft, settings)


def _identify(attempt: Attempt) -> tuple[str | None, ...]:
    return attempt.agent, attempt.when, attempt.status, attempt.summary


def count_attempts(draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Counts the attempts at the current stage, or at development if there are none."""
    present = [attempt for attempt in draft.attempts if draft.source_phase and attempt.phase == draft.source_phase]
    development = [attempt for attempt in draft.attempts if attempt.phase == settings.failure_stage]
    draft.attempt = max(1, len(present or development))


def _build_attempt(
    section: Section, heading: re.Match[str], fields: dict[str, LabelledValue], context: ContextFile
) -> Attempt:
    return Attempt(
        number=1,
        agent=heading.group(1),
        phase=parse_stage(heading.group(1)),
        status=fields["status"].value.lower() if "status" in fields else None,
        summary=fields["summary"].value if "summary" in fields else None,
        when=heading.group(2),
        where=context.source.place(section.line),
        run=context.run,
    )


def _add_attempt(
    attempt: Attempt,
    section: Section,
    fields: dict[str, LabelledValue],
    source: Source,
    draft: HandoffDraft,
    settings: Hub,
) -> None:
    role, status = attempt.agent, attempt.status
    place = fields["status"].where if "status" in fields else source.place(section.line)
    warning = _find_warning(section, attempt.summary, source) if status == "pass" else None
    if status is not None and status not in settings.report_statuses:
        known = " nor ".join(settings.report_statuses)
        source.report(f"the {role} report is neither {known}: {quote(status)}", place.line)
    draft.attempts += (attempt.model_copy(update={"number": len(draft.attempts) + 1, "warning": warning}),)
    draft.add_producer(role)
    if status is not None:
        name = f"{role} report"
        draft.claim(ClaimKind.CHECK, place, f"{name}: {fields['status'].value}", subject=name, value=status)
    draft.add_claims(find_claims([section], source.path))


def _find_warning(section: Section, summary: str | None, source: Source) -> str | None:
    """Returns and reports what an agent's output says against its pass."""
    codes = section.codes() or [Code(section.line, "", "")]
    for code in codes:
        found = find_contradiction(code.text if section.codes() else None, summary)
        if found is not None:
            source.report(f"the report of {section.name} is doubtful: {found[0]}", code.line + found[1])
            return found[0]
    return None


_LISTED_TASK: Final = compile_later(
    r"^\*\*(?P<id>.+?)\*\*:?\s*(?P<title>.*?)\s*(?:\[(?P<status>[^\[\]]*)\])?\s*(?:\(stage:\s*(?P<stage>[^()]*)\))?$",
    re.IGNORECASE,
)
_COMMIT: Final = compile_later(r"^\W*([0-9a-f]{7,40})\b")
_CHANGED_FILE: Final = compile_later(r"^\s*(\S.*?)\s+\|\s+(?:\d+|Bin)\b")
_CHANGED_TOTAL: Final = compile_later(r"^\s*(\d{1,9}) files? changed\b")


def add_context(context: ContextFile, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Everything the newest context of a task says."""
    source = context.source
    draft.created = draft.created or context.generated
    draft.add_fact("run id", context.run, source.place(context.head_line))
    draft.add_fact("project", context.project, source.place(context.head_line))
    for section in source.outline.sections:
        name = section.name.lower()
        if name == "pipeline position":
            _add_position(section, source.path, draft, settings)
        elif name.startswith("current task"):
            _add_current_task(section, source.path, draft)
        elif name == "description":
            draft.message = draft.message or "\n".join(line.text for line in section.lines()).strip() or None
        elif name == "acceptance criteria":
            draft.tasks += tuple(_build_listed(section, source.path, "criterion"))
        elif name == "tasks in this run":
            listed = enumerate(section.items(), start=1)
            draft.tasks += tuple(_build_run_task(item, number, source.path) for number, item in listed)
        elif name == "recent git commits":
            draft.add_claims(_claim_commits(section, source.path))
        elif name == "uncommitted changes":
            _add_uncommitted(section, source, draft)
        elif name in {"your deliverables", "deliverables"}:
            draft.tasks += tuple(_build_listed(section, source.path, "deliverable"))
    add_attempts(context, draft, settings)


def _add_position(section: Section, path: str, draft: HandoffDraft, settings: Hub) -> None:
    fields = read_fields(section, path)
    state = fields.get("current state")
    if state is not None:
        draft.source_phase = parse_stage(state.value)
        draft.target_phase = find_next_stage(draft.source_phase, settings)
    role = fields.get("your role")
    if role is not None:
        draft.target_agent = role.value
    _add_facts(fields, ("run", "goal"), draft)
    if "run" in fields:
        draft.title = draft.title or quote(fields["run"].value)


def _add_current_task(section: Section, path: str, draft: HandoffDraft) -> None:
    fields = read_fields(section, path)
    if "title" in fields:
        draft.title = quote(fields["title"].value)
    if "priority" in fields:
        draft.priority = fields["priority"].value
    _add_facts(fields, ("pipeline stage",), draft)
    status = fields.get("status")
    if status is not None:
        draft.status = parse_status(status.value) or status.value
        draft.claim(ClaimKind.STATUS, status.where, f"Status: {status.value}", value=draft.status)


def _add_facts(fields: dict[str, LabelledValue], names: tuple[str, ...], draft: HandoffDraft) -> None:
    for name in names:
        if name in fields:
            draft.add_fact(name, *fields[name])


def _build_listed(section: Section, path: str, prefix: str) -> Iterator[Task]:
    outer = [item for item in section.items() if item.depth == 1]
    for number, item in enumerate(outer, start=1):
        title = quote(plain(item.text))
        if title:
            where = Place(path=path, line=item.line)
            yield Task(id=f"{prefix}-{number}", title=title, where=where, done=item.checked)


def _build_run_task(item: Item, number: int, path: str) -> Task:
    where = Place(path=path, line=item.line)
    text = " ".join(item.text.split())
    match = _LISTED_TASK.match(text)
    if match is None:
        return Task(id=f"task-{number}", title=quote(plain(text) or text) or "(untitled)", where=where)
    status = match["status"] or None
    return Task(
        id=match["id"],
        title=quote(match["title"]) or match["id"],
        where=where,
        status=status,
        stage=parse_stage(match["stage"]),
        done=is_done(status),
    )


def _claim_commits(section: Section, path: str) -> Iterator[Claim]:
    for item in section.items():
        match = _COMMIT.match(item.text)
        if match is not None:
            yield build_claim(ClaimKind.COMMIT, Place(path=path, line=item.line), item.text, value=match.group(1))


def _add_uncommitted(section: Section, source: Source, draft: HandoffDraft) -> None:
    """Adds each line of a diffstat; a path that git shortened or renamed becomes a fact, not a claim."""
    for line in section.lines():
        where = source.place(line.number)
        total = _CHANGED_TOTAL.match(line.text)
        changed = _CHANGED_FILE.match(line.text)
        if total is not None:
            draft.claim(ClaimKind.UNCOMMITTED, where, line.text, value=int(total.group(1)))
        elif changed is not None and (changed.group(1).startswith(".../") or " => " in changed.group(1)):
            draft.add_fact("uncommitted, path shortened", changed.group(1), where)
        elif changed is not None:
            draft.claim(ClaimKind.UNCOMMITTED, where, line.text, subject=changed.group(1))
