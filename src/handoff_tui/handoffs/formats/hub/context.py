"""Context files: what the next agent of a run is given to read."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Section, parse_field

_NOT_FOUND: Final = compile_later(r"^\W*(Run (\S+) not found)", re.IGNORECASE)
_SPLIT: Final = compile_later(r"\s\|\s")


class Field(NamedTuple):
    """A labelled value of a document and its place."""

    value: str
    where: Place


class Context(NamedTuple):
    """One context file: its head as read, and the file itself for the rest."""

    source: Source
    run: str | None
    task: str | None
    project: str | None
    generated: str | None
    complaint: str | None
    """What the hub wrote instead of a context."""
    head_line: int | None
    """The line that names the run."""

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


def read_context(source: Source) -> Context:
    """The head of a context file; what it does not say is taken from the file's name."""
    head = _read_head(source)
    named = layout.CONTEXT_NAME.match(source.name)
    name_run, name_task = named.groups() if named else (None, None)
    complaint = head.get("complaint")
    run, task = head.get("run id"), head.get("task")
    if named and task and name_task and task.value != name_task:
        source.report(f"is named for task {name_task}, but speaks of task {task.value}", task.where.line)
    if named and run and name_run and run.value != name_run:
        source.report(f"is named for run {name_run}, but speaks of run {run.value}", run.where.line)
    if complaint is not None:
        source.report(f"the context is empty: {complaint.value}", complaint.where.line)
    elif source.readable and run is None:
        source.report("the context has no Run ID")
    generated, project = head.get("generated"), head.get("project")
    return Context(
        source=source,
        run=run.value if run else name_run,
        task=task.value if task else name_task,
        project=project.value if project else None,
        generated=generated.value if generated else None,
        complaint=complaint.value if complaint else None,
        head_line=run.where.line if run else None,
    )


def read_fields(section: Section, path: str) -> dict[str, Field]:
    """The labelled values of a section by their lower-case names; the first of a name counts."""
    fields: dict[str, Field] = {}
    for line in section.lines():
        pair = None if line.code else parse_field(line.text)
        if pair is not None and pair[1]:
            fields.setdefault(pair[0].lower(), Field(pair[1], Place(path=path, line=line.number)))
    return fields


def normalise_time(text: str | None) -> str:
    """A time written in either of the hub's ways, so that two can be compared as text."""
    return text.replace("T", " ").rstrip("Z") if text else ""


def _read_head(source: Source) -> dict[str, Field]:
    """The lines under the title: one label each, or several divided by bars."""
    fields: dict[str, Field] = {}
    for section in source.outline.sections[:2]:
        for line in section.lines():
            where = Place(path=source.path, line=line.number)
            not_found = _NOT_FOUND.match(line.text)
            if not_found is not None:
                fields.setdefault("complaint", Field(not_found.group(1), where))
                fields.setdefault("run id", Field(not_found.group(2), where))
            for part in _SPLIT.split(line.text):
                pair = parse_field(part)
                if pair is not None and pair[1]:
                    fields.setdefault(pair[0].lower(), Field(pair[1], where))
    return fields
