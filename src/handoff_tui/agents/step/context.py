"""What an agent is told: as JSON with its schema, and as Markdown for its prompt. Pure.

Everything from elsewhere is quoted, never obeyed.
"""

from __future__ import annotations

from handoff_tui.agents.step import report
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.tasks import ReportedFinding, Task
from handoff_tui.core.text.markdown_text import render_code, render_quote
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.pages.packet import render_packet

_MOST = 100
_DIRECTIONS = {
    "forward": "The gate before this phase is open: continue from the existing work.",
    "again": "This phase is repeated: it was sent back, or an earlier run did not hand it over.",
    "failed": "The work failed and came back to this phase: fix what is listed.",
    "back": "Somebody wants this earlier phase repeated.",
    "procedure": "This is a step of a procedure.",
}


def build_context_json(context: report.StepContext) -> dict[str, object]:
    """Returns the context for programs; docs/context.schema.json is its schema."""
    return {"schema": report.CONTEXT_SCHEMA, **context.model_dump(mode="json")}


def build_context_schema() -> dict[str, object]:
    """Returns the JSON Schema of the context."""
    schema = report.StepContext.model_json_schema(mode="serialization")
    properties = {"schema": {"const": report.CONTEXT_SCHEMA}, **schema["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "properties": properties,
        "required": ["schema", *schema["required"]],
    }


def render_context(context: report.StepContext) -> tuple[str, str]:
    """Returns the context and the packet as Markdown; the packet is "" if nobody sent the work back."""
    lines = [
        *_render_heading(context),
        *_render_notes(context),
        *_render_tasks(context.fix_tasks),
        *_render_handoff(context.handoff),
        *(_render_previous(context.previous) if context.previous is not None else []),
        *_render_baseline(context),
    ]
    is_sent_back = context.packet is not None and (context.packet.demands or context.packet.comments)
    packet = render_packet(context.packet, is_stepped=True) if context.packet is not None and is_sent_back else ""
    return "\n".join(lines).strip("\n") + "\n", packet


def _render_heading(context: report.StepContext) -> list[str]:
    key, route = context.key, context.route
    title = f"This run: {key.handoff} · {key.phase} · attempt {key.attempt}, run {key.number}"
    came = f" It comes from {route.source}." if route.source and route.source != route.phase else ""
    is_first = route.direction is report.Direction.AGAIN and (key.attempt, key.number) == (1, 1)
    entered = "Nobody has worked in this phase yet." if is_first else _DIRECTIONS[route.direction.value]
    lines = [
        f"## {_render_line(title)}",
        "",
        _render_line(entered + came),
        "",
    ]
    lines.append(f"- Work in {render_code(context.folder)}, on {_name_branch(context)}.")
    if context.procedure is None:
        lines.append(f"- Runs left in the loop: {context.tries_left}.")
    else:
        lines.append(f"- The run is {render_code(context.procedure)}, the step {render_code(context.role.name)}.")
    if context.transfer is not None:
        lines.append(f"- The procedure hands over the files in {render_code(context.transfer)}.")
    return [*lines, ""]


def _name_branch(context: report.StepContext) -> str:
    branch = render_code(context.branch) if context.branch else "no branch"
    return f"{branch} at {render_code(context.commit[:SHORT_DIGEST])}" if context.commit else branch


def _render_notes(context: report.StepContext) -> list[str]:
    if not context.notes:
        return []
    lines = ["## Notes from the operator", ""]
    for note in context.notes:
        lines += [f"{render_code(note.author)} ({_render_line(note.time)}):", "", *render_quote(note.text), ""]
    return lines


def _render_tasks(tasks: tuple[report.FixTask, ...]) -> list[str]:
    if not tasks:
        return []
    lines = ["## To fix, the most urgent first", ""]
    for task in tasks[:_MOST]:
        severity = task.severity.value if task.severity else "no severity given"
        place = f" in {render_code(task.place)}" if task.place else ""
        lines.append(f"- [{task.priority}, {severity}] {_render_line(task.title)}{place} ({render_code(task.source)})")
        if task.detail:
            lines.append(f"  {_render_line(task.detail)}")
    return [*lines, *_count_rest(len(tasks)), ""]


def _render_handoff(handoff: report.HandoffContext) -> list[str]:
    lines = ["## The handoff so far, as its documents claim", ""]
    facts = [
        ("title", handoff.title),
        ("format", handoff.dialect),
        ("status", handoff.status),
        ("from", handoff.source_agent),
        ("to", handoff.target_agent),
        ("next action", handoff.next_action),
    ]
    lines += [f"- {name}: {_render_line(value)}" for name, value in facts if value]
    lines += [f"- {_render_line(fact.name)}: {_render_line(fact.value)}" for fact in handoff.facts[:_MOST]]
    if handoff.message:
        lines += ["", *render_quote(handoff.message)]
    lines += _render_list("Documents", [f"{render_code(one.path)} ({one.role})" for one in handoff.documents])
    lines += _render_list("Tasks", [_render_task(one) for one in handoff.tasks])
    lines += _render_list("Open blockers", [_render_line(one.title) for one in handoff.blockers])
    lines += _render_list("Reported findings", [_render_finding(one) for one in handoff.findings])
    lines += _render_list("Proofs of work", [f"{render_code(one.path)} ({one.kind.value})" for one in handoff.proofs])
    return [*lines, ""]


def _render_finding(finding: ReportedFinding) -> str:
    place = f" in {render_code(finding.file)}" if finding.file else ""
    severity = f" ({finding.severity.value})" if finding.severity else ""
    return f"{_render_line(finding.title)}{place}{severity}"


def _render_task(task: Task) -> str:
    mark = "done" if task.done else task.status or "open"
    return f"{_render_line(task.title)} ({_render_line(mark)})"


def _render_previous(previous: report.PreviousContext) -> list[str]:
    ran = f"{previous.phase}, attempt {previous.attempt}, run {previous.number}"
    code = "no exit code" if previous.code is None else f"exit code {previous.code}"
    lines = ["## What the previous agent did, as measured", ""]
    lines.append(f"- {_render_line(ran)}: {previous.outcome}, {code}, {previous.seconds:.0f} seconds.")
    lines += _render_list(
        "Commits", [f"{render_code(one.id[:SHORT_DIGEST])} {_render_line(one.subject)}" for one in previous.commits]
    )
    lines += _render_list("Files", [f"{one.change} {render_code(one.path)}" for one in previous.files])
    if previous.output:
        lines += ["", "The end of its output:", "", *render_quote("\n".join(previous.output))]
    return [*lines, ""]


def _render_baseline(context: report.StepContext) -> list[str]:
    baseline = context.baseline
    lines = ["## Baseline and checks", ""]
    known = baseline.commit or baseline.snapshot
    named = f"{render_code(known[:SHORT_DIGEST])}: " if known else ""
    lines.append(f"- Compared with {named}{_render_line(baseline.reason)}.")
    if baseline.tests:
        counted = ", ".join(f"{number} {outcome}" for outcome, number in baseline.tests.items())
        lines.append(f"- Tests now, by their reports: {counted}.")
    lines.append(f"- Packages: {baseline.packages}. Checks: {baseline.checks_passed} of {baseline.checks_total} pass.")
    lines += [f"- Failing: {render_code(check)}" for check in baseline.failing[:_MOST]]
    return [*lines, ""]


def _render_list(title: str, entries: list[str]) -> list[str]:
    if not entries:
        return []
    return ["", f"{title}:", "", *(f"- {entry}" for entry in entries[:_MOST]), *_count_rest(len(entries))]


def _count_rest(number: int) -> list[str]:
    return [f"- and {number - _MOST} more"] if number > _MOST else []


def _render_line(text: str) -> str:
    """One line as it is: an agent reads it as text, and paths in it must stay paths."""
    return render_safe(text).strip()
