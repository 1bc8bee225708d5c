"""VR002: what the target phase needs is there: the phase itself, its agent, and every file and folder named for it."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.pipelines import find_phase, list_commands, list_pipelines
from handoff_tui.checks.rules.procedure.records import Record, is_path_like, list_named, read_records
from handoff_tui.checks.rules.procedure.transitions import PROCEDURE, TDD, find_broken, find_place, require_transitions
from handoff_tui.config.pipeline import Pipeline
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.pipelines import find_own_pipelines, names_roles

_PRESENT = (ClaimKind.FILE_REFERENCED, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED)


def judge(context: Context) -> Iterator[Found]:
    pipelines = list_pipelines(context)
    for handoff in require_transitions(context):
        yield from find_broken(context, handoff, "VR002")
        yield from _judge_phase(handoff, find_own_pipelines(pipelines, handoff))
        yield from _judge_agent(context, handoff, pipelines)
        if handoff.dialect in {PROCEDURE, TDD}:
            yield from _judge_claimed_files(context, handoff)
        if handoff.dialect == PROCEDURE:
            for metadata in read_records(context, handoff).metadata():
                yield from _judge_metadata(context, handoff, metadata)


def _judge_phase(handoff: Handoff, pipelines: list[Pipeline]) -> Iterator[Found]:
    """A pipeline of roles fits any phase; a pipeline of the user's own speaks of those handoffs whose source it has."""
    deciding = [
        pipeline
        for pipeline in pipelines
        if not names_roles(pipeline)
        and (pipeline.name == handoff.dialect or find_phase(pipeline, handoff.source_phase) is not None)
    ]
    target = handoff.target_phase
    if target is None or not deciding or any(find_phase(pipeline, target) is not None for pipeline in pipelines):
        return
    names = [phase.name for phase in deciding[0].phases]
    yield Found(
        message=f"VR002: {handoff.id} goes to the phase {target}, which the pipeline {deciding[0].name} does not have",
        subject=f"{handoff.id} phase {target}",
        place=find_place(handoff),
        expected=f"one of {', '.join(names)}",
        actual=target,
    )


def _judge_agent(context: Context, handoff: Handoff, pipelines: dict[str, Pipeline]) -> Iterator[Found]:
    """Only a repository that names its agents in its configuration can lack one there."""
    configured = set(list_commands(context))
    if not configured or handoff.target_agent is None:
        return
    in_phases = {(phase.agent or phase.name).casefold() for pipeline in pipelines.values() for phase in pipeline.phases}
    if handoff.target_agent.casefold() not in configured | in_phases:
        yield Found(
            message=f"VR002: {handoff.id} goes to {handoff.target_agent}, whom the configuration does not know",
            subject=f"{handoff.id} agent {handoff.target_agent}",
            place=find_place(handoff),
            expected=f"one of {', '.join(sorted(configured))}",
            actual=handoff.target_agent,
        )


def _judge_claimed_files(context: Context, handoff: Handoff) -> Iterator[Found]:
    for claim in handoff.claims:
        if claim.kind in _PRESENT and claim.subject and context.find(claim.subject, claim.where.path) is None:
            yield _build_missing(handoff, claim.subject, claim.where)


def _judge_metadata(context: Context, handoff: Handoff, metadata: Record) -> Iterator[Found]:
    paths = [path for _, path in list_named(metadata.fields, context.setting("procedures.path_fields", tuple))]
    resources = list_named(metadata.fields, context.setting("procedures.resource_fields", tuple))
    paths.extend(text for _, text in resources if is_path_like(text))
    for path in dict.fromkeys(paths):
        if context.find(path, metadata.where.path) is None:
            yield _build_missing(handoff, path, metadata.where)


def _build_missing(handoff: Handoff, path: str, where: Place) -> Found:
    outside = path.startswith(("/", "~", "../"))
    reason = "lies outside the repository" if outside else "does not exist"
    return Found(
        message=f"VR002: {handoff.id} names {path} for the target phase, which {reason}",
        subject=f"{handoff.id} {path}",
        place=where,
        expected="a path of this repository",
        actual="outside" if outside else "missing",
    )


TARGET_RESOURCES_PRESENT = Rule(
    id="target-resources-present",
    system=System.PROCEDURE,
    severity=Severity.CRITICAL,
    declared="VR002",
    holds="VR002: the target phase, its agent, and every file and folder named for it exist",
    reads="pipelines and agents of the configuration, files named in claims and metadata",
    remedy="Add what is missing to the repository or the configuration, or correct the handoff that names it.",
    judge=judge,
)
