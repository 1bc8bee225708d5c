"""Is a file one of the hub's? Judged by what stands in it."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.formats.hub import layout
from handoff_tui.handoffs.formats.hub.findings import find_finding_lists
from handoff_tui.handoffs.formats.hub.work_cycles import find_cycles
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_HEADER: Final = compile_later(r"^#\s+(?:Handoff|Work\s?Cycle) Context\s*$", re.IGNORECASE)
_RUN_LINE: Final = compile_later(r"^\W*Run ID\W*:", re.IGNORECASE)
_NOT_FOUND: Final = compile_later(r"^Run \S+ not found", re.IGNORECASE)
_HEAD_LINES = 12


def recognise(source: Source) -> float:
    if not source.readable:
        return POSSIBLE if _has_own_name(source.name) else NO
    if source.name.lower().endswith((".md", ".markdown")):
        return _recognise_context(source)
    root = source.json
    if root is None:
        return POSSIBLE if _has_own_name(source.name) else NO
    return _recognise_json(root, source.name)


def is_context(source: Source) -> bool:
    return source.name.lower().endswith((".md", ".markdown"))


def is_report(root: JsonNode) -> bool:
    """An agent's report: a role, a pass or fail, and a summary."""
    if not root.has("status", "summary") or not (root.has("role") or root.has("agent")):
        return False
    value = root.get("status")
    return value is not None and isinstance(value.value, str) and value.value.strip().lower() in {"pass", "fail"}


def judge_todo(root: JsonNode) -> float:
    """A list of tasks with titles, below the name of a project."""
    if root.value == {}:
        return POSSIBLE
    tasks = root.get("tasks")
    if tasks is None or not isinstance(tasks.value, list):
        return NO
    if not tasks.value:
        return LIKELY if root.has("project") else POSSIBLE
    looks_right = any(task.has("title") and (task.has("id") or task.has("status")) for task in tasks.elements())
    if not looks_right:
        return NO
    return CERTAIN if root.has("project") else LIKELY


def _recognise_context(source: Source) -> float:
    head = [line.strip() for line in source.text.lstrip().split("\n", _HEAD_LINES)[:_HEAD_LINES]]
    named = layout.CONTEXT_NAME.match(source.name) is not None
    if not head[0]:
        return POSSIBLE if named else NO
    if not _HEADER.match(head[0]):
        return NO
    if any(_RUN_LINE.match(line) or _NOT_FOUND.match(line) for line in head[1:]):
        return CERTAIN
    return LIKELY if named else NO


def _recognise_json(root: JsonNode, name: str) -> float:
    if find_cycles(root):
        return CERTAIN
    if layout.TODO_NAME.match(name):
        return judge_todo(root)
    if layout.is_findings_name(name):
        return _judge_findings(root)
    return LIKELY if is_report(root) else NO


def _judge_findings(root: JsonNode) -> float:
    if root.value in ({}, []):
        return POSSIBLE
    lists = find_finding_lists(root)
    if not lists:
        return LIKELY if is_report(root) else NO
    elements = [element for found in lists for element in found.elements()]
    if not elements:
        return LIKELY
    return CERTAIN if any(element.has("severity") for element in elements) else LIKELY


def _has_own_name(name: str) -> bool:
    return bool(layout.CONTEXT_NAME.match(name) or layout.TODO_NAME.match(name) or layout.is_findings_name(name))
