"""The rejection packet: Markdown for an agent's prompt, JSON for a program."""

from __future__ import annotations

from handoff_tui.models.packet import Demand, Packet, QuotedComment
from handoff_tui.models.review_record import ShownCheck
from handoff_tui.presentation.markdown_text import render_block, render_code, render_commands, render_markdown
from handoff_tui.presentation.safe_text import render_safe_lines

SCHEMA = "handoff-tui/packet/v1"
_ADDRESSED = {True: "addressed", False: "NOT addressed", None: "cannot be measured; read it"}


def build_packet_json(packet: Packet) -> dict[str, object]:
    return {"schema": SCHEMA, **packet.model_dump(mode="json")}


def render_packet(packet: Packet) -> str:
    """What the next attempt is told, in the order in which it matters."""
    lines = [f"# {packet.handoff}: what attempt {packet.attempt} of {packet.phase} must do", ""]
    if not packet.demands:
        lines += [f"Nobody has sent this work back. The gate is {packet.state}.", ""]
    for number, demand in enumerate(packet.demands):
        lines += _render_demand(demand, is_last=number == 0)
    if packet.comments:
        lines += ["## Remarks on the code", ""]
        for quoted in packet.comments:
            lines += _render_comment(quoted)
    if packet.failing:
        lines += ["## Checks that do not pass now", ""]
        for check in packet.failing:
            lines += _render_check(check)
    if packet.changed_files:
        lines += ["## Changed since the attempt that came back", ""]
        lines += [*(f"- {render_code(path)}" for path in packet.changed_files), ""]
    lines += [f"Note: {render_markdown(note)}" for note in packet.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_demand(demand: Demand, *, is_last: bool) -> list[str]:
    title = "Why it came back" if is_last else f"Asked for on attempt {demand.attempt}"
    said = f"{demand.author} decided {demand.verb} on attempt {demand.attempt} ({demand.time})."
    lines = [f"## {title}", "", said, "", *_quote(demand.reason), ""]
    state = _ADDRESSED[demand.addressed]
    if demand.checks:
        failing = ", ".join(demand.still_failing) or "none"
        lines.append(f"- Blocking then: {', '.join(demand.checks)}. Still failing: {failing}.")
    if demand.commented:
        untouched = ", ".join(map(render_code, demand.untouched)) or "none"
        lines.append(f"- Commented files that have not changed since: {untouched}.")
    return [*lines, f"- {state}", ""]


def _render_comment(quoted: QuotedComment) -> list[str]:
    comment = quoted.comment
    place = comment.path or "the whole"
    if comment.line is not None:
        place += (
            f":{comment.line}" if comment.end_line in {None, comment.line} else f":{comment.line}-{comment.end_line}"
        )
    since = {True: ", the file has changed since", False: ", the file has not changed since", None: ""}[quoted.changed]
    lines = [f"### {render_markdown(place)} ({quoted.author}{since})", "", *_quote(comment.text), ""]
    if quoted.code:
        lines += [*render_block(quoted.code), ""]
    return lines


def _render_check(check: ShownCheck) -> list[str]:
    blocking = "blocks" if check.blocking else "does not block"
    lines = [f"### {check.id}: {check.outcome} ({check.severity}, {blocking})", ""]
    for found in check.findings:
        place = f" ({render_code(found.where)})" if found.where else ""
        lines.append(f"- {render_markdown(found.message)}{place}")
    if not check.findings:
        lines.append(f"- {render_markdown(check.summary)}")
    if check.remedy:
        lines += ["", render_markdown(check.remedy)]
    if check.commands:
        lines += ["", *render_commands([*check.commands])]
    return [*lines, ""]


def _quote(text: str) -> list[str]:
    return [f"> {render_markdown(line)}" for line in render_safe_lines(text)]
