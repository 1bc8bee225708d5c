"""The rejection packet: Markdown for an agent's prompt, JSON for a program."""

from __future__ import annotations

from handoff_tui.core.text.markdown_text import (
    render_block,
    render_code,
    render_commands,
    render_markdown,
    render_quote,
)
from handoff_tui.decisions.threads import Thread
from handoff_tui.decisions.views import Demand, Packet
from handoff_tui.log.review_record import ShownCheck

SCHEMA = "handoff-tui/packet/v1"
_ADDRESSED = {
    True: "Addressed, as far as can be measured.",
    False: "NOT addressed yet.",
    None: "Whether it was addressed cannot be measured: read it again.",
}
_SINCE = {True: ", changed since", False: ", not changed since", None: ", whether it was addressed cannot be measured"}
_MOST_FILES = 100


def build_packet_json(packet: Packet) -> dict[str, object]:
    return {"schema": SCHEMA, **packet.model_dump(mode="json")}


def render_packet(packet: Packet, *, is_stepped: bool = False) -> str:
    """Tells the next attempt what matters, most important first; an agent that we started need not hand it over."""
    title = f"{packet.handoff}: what attempt {packet.attempt} of {packet.phase} must do"
    lines = [f"# {render_markdown(title)}", ""]
    if not packet.demands:
        lines += [render_markdown(f"Nobody has sent this work back. The gate is {packet.state}."), ""]
    for number, demand in enumerate(packet.demands):
        lines += _render_demand(demand, is_last=number == 0)
    if packet.comments:
        lines += ["## Comments on the code", ""]
        for thread in packet.comments:
            lines += _render_comment(thread)
    if packet.failing:
        lines += ["## Checks that do not pass now", ""]
        for check in packet.failing:
            lines += _render_check(check)
    lines += _render_files(packet)
    lines += [line for note in packet.notes for line in (f"Note: {render_markdown(note)}", "")]
    if packet.demands and not is_stepped:
        commands = [f"handoff-tui {verb} {packet.handoff} --phase {packet.phase}" for verb in ("submit", "wait")]
        lines += ["## When it is done", "", "Commit the work, then:", "", *render_commands(commands)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_demand(demand: Demand, *, is_last: bool) -> list[str]:
    decided = render_markdown(f"decided {demand.verb} on attempt {demand.attempt} ({demand.time}):")
    said = f"{render_code(demand.author)} {decided}"
    lines = [f"## {_find_title(demand, is_last=is_last)}", "", said, "", *render_quote(demand.reason), ""]
    if demand.taken_back:
        return [*lines, f"- {render_code(demand.author)} has decided otherwise since.", ""]
    if demand.checks:
        failing = _name(demand.still_failing, demand.checks)
        lines.append(f"- Blocking then: {_name(demand.checks)}. Still failing: {failing}.")
    if demand.commented:
        untouched = _name(demand.untouched, demand.commented)
        lines.append(f"- Comments on: {_name(demand.commented)}. Not changed since: {untouched}.")
    return [*lines, f"- {_ADDRESSED[demand.addressed]}", ""]


def _name(some: tuple[str, ...], of: tuple[str, ...] = ()) -> str:
    """Names each; says none or all in a word."""
    if some == of:
        return "all of them" if some else "none"
    return ", ".join(map(render_code, some)) or "none"


def _find_title(demand: Demand, *, is_last: bool) -> str:
    if demand.verb == "hold":
        return f"Held on attempt {demand.attempt}"
    return "Why it was sent back" if is_last else f"Asked for on attempt {demand.attempt}"


def _render_comment(thread: Thread) -> list[str]:
    comment = thread.comment
    place = render_code(thread.place or comment.place) if comment.path else "In general"
    since = _SINCE[thread.changed] if comment.path else ""
    by = f"{render_markdown(thread.id)}, {render_code(thread.author)} on attempt {thread.attempt}{since}"
    lines = [f"### {place} ({by})", "", *render_quote(comment.text), ""]
    for reply in thread.replies:
        lines += [f"{render_code(reply.author)} replied:", "", *render_quote(reply.text), ""]
    if thread.code:
        moved = f", in {render_code(comment.place)}" if comment.place != thread.place else ""
        lines += [f"The lines as they were then{moved}:", "", *render_block(thread.code), ""]
    return lines


def _render_check(check: ShownCheck) -> list[str]:
    blocking = "blocks" if check.blocking else "does not block"
    judged = render_markdown(f"{check.outcome} ({check.severity}, {blocking})")
    lines = [f"### {render_code(check.id)}: {judged}", ""]
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


def _render_files(packet: Packet) -> list[str]:
    if not packet.changed_files:
        return []
    shown = [f"- {render_code(path)}" for path in packet.changed_files[:_MOST_FILES]]
    left = len(packet.changed_files) - len(shown)
    more = [f"- and {left} more"] if left else []
    return ["## Changed since the attempt that was sent back", "", *shown, *more, ""]
