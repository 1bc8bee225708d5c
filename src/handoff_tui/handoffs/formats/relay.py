"""HANDOFF.json of a relay: who did what, and which role is next."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar.author_words import word_of
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Confidence, FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_FIELDS: Final = ("task", "status", "actor", "changed_files", "checks", "open_points", "next_role")
_OWN_FIELDS: Final = ("changed_files", "checks", "open_points", "next_role", "actor")
_NAME: Final = compile_later(r"handoff[^/]*\.json$", re.IGNORECASE)
_STATUSES: Final = frozenset({"not_started", "implemented", "refined", "pass", "pass_with_notes", "fail"})
_RESULTS: Final = frozenset({"pass", "fail", "not_run"})
_NOBODY: Final = "none"
_ENOUGH_OWN_FIELDS = 3


def may_own(path: str) -> bool:
    return bool(_NAME.search(path)) and not path.lower().endswith(".schema.json")


def recognise(source: Source) -> float:
    root = source.json
    if root is None:
        return Confidence.POSSIBLE if source.path == "HANDOFF.json" else Confidence.NO
    if root.has(*_FIELDS):
        return Confidence.CERTAIN
    own = sum(root.has(field) for field in _OWN_FIELDS)
    return Confidence.LIKELY if root.has("task", "status") and own >= _ENOUGH_OWN_FIELDS else Confidence.NO


def read(owned: list[Source], files: FormatFiles) -> FormatReading:  # noqa: ARG001 - every format is given the files
    return claim_words.read_each(owned, _build_handoff)


def _build_handoff(source: Source, taken: dict[str, str]) -> Handoff:
    root = source.json
    document = source.document(DocumentRole.STATE, confidence=recognise(source))
    if root is None or not isinstance(root.value, dict):
        return claim_words.build_unread(source, "relay", taken, document)
    _report_fields(root)
    task, status, actor, next_role = (root.scalar(key) for key in ("task", "status", "actor", "next_role"))
    return Handoff(
        id=claim_words.build_unique_id(taken, source, task or "relay", "" if task else source.path),
        dialect="relay",
        title=task,
        original_name=task,
        source_agent=actor,
        target_agent=None if next_role == _NOBODY else next_role,
        status=claim_words.normalise_status(status) if status else None,
        words=word_of(root, "status"),
        producers=(actor,) if actor else (),
        claims=(
            *claim_words.claim_status(root, "status"),
            *claim_words.claim_paths(root.items("changed_files"), ClaimKind.FILE_MODIFIED),
            *_claim_checks(root),
        ),
        documents=(document,),
        blockers=_build_blockers(root),
    )


def _claim_checks(root: JsonNode) -> list[Claim]:
    claims: list[Claim] = []
    for check in root.objects("checks"):
        name, result = check.scalar("name"), check.scalar("result")
        _report_missing(check, ("name", "result"))
        if name is not None:
            claims.append(build_claim(ClaimKind.CHECK, check.where, f"{name}: {result}", subject=name, value=result))
        if result is not None and result not in _RESULTS:
            check.report(f"{check.name}.result is not one of {_listed(_RESULTS)}", "result")
    return claims


def _build_blockers(root: JsonNode) -> tuple[Blocker, ...]:
    blockers: list[Blocker] = []
    for number, point in enumerate(root.items("open_points"), start=1):
        text = point.as_text()
        if text is not None:
            blockers.append(Blocker(id=f"open-point-{number}", title=text, where=point.where))
    return tuple(blockers)


def _report_fields(root: JsonNode) -> None:
    """What every relay needs; who its actors are and how long its lists may be is each project's own affair."""
    _report_missing(root, _FIELDS)
    status = root.scalar("status")
    if status is not None and status not in _STATUSES:
        root.report(f"status is not one of {_listed(_STATUSES)}", "status")
    files = [text for node in root.items("changed_files") if (text := node.as_text()) is not None]
    if len(set(files)) != len(files):
        root.report("changed_files names a file twice", "changed_files")


def _report_missing(node: JsonNode, fields: tuple[str, ...]) -> None:
    for field in fields:
        if not node.has(field):
            prefix = f"{node.name}." if node.name else ""
            node.report(f"{prefix}{field} is missing")


def _listed(allowed: frozenset[str]) -> str:
    return ", ".join(sorted(allowed))


RELAY: Final = HandoffFormat(id="relay", may_own=may_own, recognise=recognise, read=read)
