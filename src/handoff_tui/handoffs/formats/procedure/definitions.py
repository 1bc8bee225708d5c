"""Procedures that belong to no single handoff: one handoff lists them, with their steps, timeouts and retries."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.work import Fact
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.procedure.records import Record
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.json_document import JsonNode


def build_definitions(records: Sequence[Record]) -> Handoff:
    sources = {record.source.path: record.source for record in records}
    return Handoff(
        id="procedures",
        dialect="procedure",
        title="Procedures",
        facts=tuple(_describe(record.node) for record in records),
        documents=tuple(source.document(DocumentRole.SPEC) for source in sources.values()),
    )


def _describe(node: JsonNode) -> Fact:
    steps = node.objects("steps")
    parts = [
        f"{len(steps)} steps",
        f"{_sum(steps, 'timeout'):g} s of timeouts",
        f"{_sum(steps, 'retries', 'retry_count', 'max_retries'):g} retries",
        f"{len(node.items('validation_rules'))} rules",
        f"{len(node.items('rollback_procedures'))} rollbacks",
    ]
    duration = node.scalar("estimated_duration")
    if duration is not None:
        parts.append(f"estimated {duration} s")
    return Fact(name=node.scalar("procedure_id") or "procedure", value=", ".join(parts), where=node.where)


def _sum(steps: Sequence[JsonNode], *keys: str) -> float:
    """The sum over the steps; what is no number is reported and adds nothing."""
    total = 0.0
    for step in steps:
        member = next((member for key in keys if (member := step.get(key)) is not None), None)
        if member is None:
            continue
        if isinstance(member.value, int | float) and not isinstance(member.value, bool):
            total += float(member.value)
        else:
            member.report_type("a number")
    return total
