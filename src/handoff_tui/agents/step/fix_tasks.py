"""What to fix, from failed checks and reported findings: each once, the most urgent first. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from handoff_tui.agents.step.report import FixTask
from handoff_tui.checks.report import CheckReport, CheckResult, Finding
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import ReportedFinding

_WORDS = re.compile(r"\w+")
_NO_PRIORITY = 0
_MOST_FINDINGS = 50
"""At most so many findings of one check."""
_ID_CHARACTERS = 12


def build_fix_tasks(
    report: CheckReport | None,
    findings: Iterable[ReportedFinding],
    priorities: Mapping[Severity, int],
    closed: Iterable[str] = (),
) -> tuple[FixTask, ...]:
    """Builds one task per problem; two sources that report the same in the same file are one task."""
    done = {word.casefold() for word in closed}
    reported = [finding for finding in findings if (finding.status or "").casefold() not in done]
    found = [_build_reported(finding, priorities) for finding in reported]
    if report is not None:
        checked = [task for result in report.blocking_failures for task in _build_checked(result, priorities)]
        found += [_name_reported(task, reported) for task in checked]
    return _merge(found)


def _build_reported(finding: ReportedFinding, priorities: Mapping[Severity, int]) -> FixTask:
    place = finding.file or ""
    if place and finding.line:
        place = f"{place}:{finding.line}"
    return FixTask(
        id=_build_id(finding.title, finding.file or ""),
        title=finding.title,
        source=finding.where.path,
        severity=finding.severity,
        priority=_find_priority(finding.severity, priorities),
        place=place,
        detail=finding.id,
    )


def _build_checked(result: CheckResult, priorities: Mapping[Severity, int]) -> list[FixTask]:
    findings: tuple[Finding, ...] = result.findings or (Finding(message=result.summary, fingerprint=result.id),)
    tasks: list[FixTask] = []
    for finding in findings[:_MOST_FINDINGS]:
        evidence = next((one for one in finding.evidence if one.path), None)
        path = evidence.path if evidence is not None and evidence.path else ""
        tasks.append(
            FixTask(
                id=_build_id(finding.message, path),
                title=finding.message.split("\n", 1)[0],
                source=f"check:{result.id}",
                severity=result.severity,
                priority=_find_priority(result.severity, priorities),
                place=f"{path}:{evidence.line}" if evidence is not None and evidence.line else path,
                detail=result.remedy.text if result.remedy else "",
            )
        )
    return tasks


def _name_reported(task: FixTask, reported: Iterable[ReportedFinding]) -> FixTask:
    """Gives a check of a report the id of the finding it repeats: same line, same title in its message."""
    words = f" {_list_words(task.title)} "
    for finding in reported:
        where = f"{finding.where.path}:{finding.where.line}"
        if where == task.place and f" {_list_words(finding.title)} " in words:
            return task.model_copy(update={"id": _build_id(finding.title, finding.file or "")})
    return task


def _merge(tasks: Iterable[FixTask]) -> tuple[FixTask, ...]:
    merged: dict[str, FixTask] = {}
    for task in tasks:
        known = merged.get(task.id)
        if known is None:
            merged[task.id] = task
            continue
        first, second = (known, task) if known.priority >= task.priority else (task, known)
        also = dict.fromkeys((*known.also, *task.also, second.source))
        also.pop(first.source, None)
        merged[task.id] = first.model_copy(update={"also": tuple(also)})
    return tuple(sorted(merged.values(), key=lambda task: (-task.priority, task.source, task.place, task.title)))


def _find_priority(severity: Severity | None, priorities: Mapping[Severity, int]) -> int:
    return priorities.get(severity, _NO_PRIORITY) if severity is not None else _NO_PRIORITY


def _build_id(title: str, path: str) -> str:
    """Hashes the words of the title and the file: lines move, and writers differ in capitals and punctuation."""
    return hashlib.sha256(f"{path}\0{_list_words(title)}".encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARACTERS]


def _list_words(title: str) -> str:
    return " ".join(_WORDS.findall(title.casefold()))
