"""VR007: files that the next phase writes can be written, scripts that it runs can be run."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.procedure.records import list_named, read_records
from handoff_tui.checks.rules.procedure.transitions import PROCEDURE, TDD, require_transitions
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.handoff import Handoff

_FILES = (ClaimKind.FILE_REFERENCED, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)
_PLANNED = "planned "


def judge(context: Context) -> Iterator[Found]:
    judged = False
    for handoff in require_transitions(context):
        for path, where in _list_written(context, handoff):
            judged = True
            yield from _judge_written(context, handoff, path, where)
        for path, where in _list_scripts(context, handoff):
            judged = True
            yield from _judge_script(context, handoff, path, where)
    if not judged:
        context.skip("no handoff here names a file to write or a script to run")


def _list_written(context: Context, handoff: Handoff) -> Iterator[tuple[str, Place]]:
    """State files, which whoever takes over must update; the files of a TDD cycle; what metadata calls outputs."""
    for document in handoff.documents:
        if document.role is DocumentRole.STATE and context.exists(document.path):
            yield document.path, Place(path=document.path)
    if handoff.dialect == TDD:
        yield from ((claim.subject, claim.where) for claim in handoff.claims if claim.kind in _FILES and claim.subject)
        for fact in handoff.facts:
            if fact.name.startswith(_PLANNED) and fact.where is not None:
                yield fact.value, fact.where
    if handoff.dialect == PROCEDURE:
        for metadata in read_records(context, handoff).metadata():
            for _, path in list_named(metadata.fields, context.setting("procedures.output_fields", tuple)):
                yield path, metadata.where


def _list_scripts(context: Context, handoff: Handoff) -> Iterator[tuple[str, Place]]:
    """Scripts that metadata names, and files named for the next agent that end like scripts."""
    suffixes = context.setting("procedures.script_suffixes", tuple)
    for claim in handoff.claims:
        named = claim.subject if claim.kind in _FILES else None
        if named and named.endswith(suffixes) and (found := context.find(named, claim.where.path)):
            yield found, claim.where
    if handoff.dialect == PROCEDURE:
        for metadata in read_records(context, handoff).metadata():
            for _, path in list_named(metadata.fields, context.setting("procedures.script_fields", tuple)):
                yield context.find(path, metadata.where.path) or path, metadata.where


def _judge_written(context: Context, handoff: Handoff, path: str, where: Place) -> Iterator[Found]:
    place = _find_present(context, path)
    if place is None or context.is_writable(place):
        return
    below = "" if place == path else f", because the folder {place} is closed to it"
    yield Found(
        message=f"VR007: the next phase of {handoff.id} cannot write {path}{below}",
        subject=f"{handoff.id} write {path}",
        place=where,
        expected="writable",
        actual="read-only",
        command=f"chmod u+w -- {quote(place)}",
    )


def _find_present(context: Context, path: str) -> str | None:
    """The file itself, or the nearest folder above it that exists; nothing for the root, which is there."""
    while path:
        if context.exists(path):
            return path
        path = path.rpartition("/")[0]
    return None


def _judge_script(context: Context, handoff: Handoff, path: str, where: Place) -> Iterator[Found]:
    if context.is_executable(path):
        return
    present = context.exists(path)
    yield Found(
        message=f"VR007: the next phase of {handoff.id} cannot run {path}: "
        + ("it is not executable" if present else "it does not exist"),
        subject=f"{handoff.id} run {path}",
        place=where,
        expected="executable",
        actual="not executable" if present else "missing",
        command=f"chmod +x -- {quote(path)}" if present else None,
    )


PERMISSIONS_GRANTED = Rule(
    id="permissions-granted",
    system=System.PROCEDURE,
    severity=Severity.MEDIUM,
    declared="VR007",
    holds="VR007: what the next phase writes is writable, and what it runs is executable",
    reads="permissions of state files, of files of TDD cycles, of outputs and scripts that metadata names",
    remedy="Give the permissions that the next phase needs, or name files that it may use.",
    judge=judge,
)
