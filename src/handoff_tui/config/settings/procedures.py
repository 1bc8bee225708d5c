"""Smooth procedures: steps, rules, rollbacks."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.config.quantities import Amount, Count, Name, Pause, Quantity, Seconds, Share
from handoff_tui.core.model import Model
from handoff_tui.core.place import Severity


class ReliabilityKind(StrEnum):
    """What a profile tests."""

    RELIABILITY = "reliability"
    PERFORMANCE = "performance"
    STRESS = "stress"
    FAILURE_INJECTION = "failure_injection"
    CONCURRENCY = "concurrency"
    ENDURANCE = "endurance"


class ReliabilityProfile(Model):
    """One way to test the engine."""

    kind: ReliabilityKind
    """What is tested."""
    iterations: Quantity
    """How many handoffs are run."""
    timeout_seconds: Seconds
    """How long one of them may take."""
    concurrent_maximum: Quantity
    """How many of them run at once."""
    stress_factor: Amount = 1.0
    """By how much the load is multiplied."""
    failure_rate: Share = 0.0
    """The share of steps that are made to fail."""


def _profile(kind: ReliabilityKind, iterations: int, timeout: float, concurrent: int) -> ReliabilityProfile:
    return ReliabilityProfile.model_construct(
        kind=kind, iterations=iterations, timeout_seconds=float(timeout), concurrent_maximum=concurrent
    )


STANDARD_PROFILES: dict[Name, ReliabilityProfile] = {
    "RELIABILITY_STANDARD": _profile(ReliabilityKind.RELIABILITY, 100, 30, 5),
    "PERFORMANCE_STANDARD": _profile(ReliabilityKind.PERFORMANCE, 50, 60, 10),
    "STRESS_STANDARD": ReliabilityProfile.model_construct(
        kind=ReliabilityKind.STRESS, iterations=25, timeout_seconds=120.0, concurrent_maximum=20, stress_factor=2.0
    ),
    "FAILURE_INJECTION_STANDARD": ReliabilityProfile.model_construct(
        kind=ReliabilityKind.FAILURE_INJECTION,
        iterations=75,
        timeout_seconds=45.0,
        concurrent_maximum=5,
        failure_rate=0.1,
    ),
    "CONCURRENCY_STANDARD": _profile(ReliabilityKind.CONCURRENCY, 30, 90, 50),
    "ENDURANCE_STANDARD": _profile(ReliabilityKind.ENDURANCE, 200, 180, 3),
}
"""The six standard profiles."""


class ValidationRule(Model):
    """A rule that is validated after steps and at the end."""

    name: Name
    """What holds when the rule passes."""
    severity: Severity
    """How bad a failure is; a critical one fails the procedure."""
    timeout_seconds: Seconds
    """How long one attempt may take."""
    retries: Count = 0
    """Attempts after the first."""


class ProcedureStep(Model):
    """One step of a procedure."""

    name: Name
    """The step's name; a built-in action or one of [agents]."""
    timeout_seconds: Seconds
    """How long one attempt may take."""
    retries: Count = 0
    """Attempts after the first."""
    gate: bool = False
    """Whether the step waits for a signed approval; that may take days."""
    rules: tuple[Name, ...] = ()
    """Rules that are validated after the step; at the end all rules of the procedure are."""


class RollbackStep(Model):
    """What undoes a part when the procedure fails."""

    name: Name
    """The step's name; a built-in action or one of [agents]."""
    timeout_seconds: Seconds
    """How long one attempt may take."""
    retries: Count = 2
    """Attempts after the first."""
    undoes: tuple[Name, ...] = ()
    """The steps it undoes; it is skipped if none of them has begun. Without any, it always runs."""


class Procedure(Model):
    """Steps in order, rules that judge them, and the rollback."""

    description: str = ""
    """What the procedure is for."""
    steps: tuple[ProcedureStep, ...]
    """The steps, in order."""
    rules: tuple[Name, ...] = ()
    """Ids of the rules that are validated."""
    rollback: tuple[RollbackStep, ...] = ()
    """The rollback: the last steps are undone first."""
    depends_on: tuple[Name, ...] = ()
    """Procedures that must have been completed before."""
    required_agents: tuple[Name, ...] = ()
    """Agents that must be ready."""


def _rule(name: str, severity: Severity, timeout: float, retries: int) -> ValidationRule:
    return ValidationRule.model_construct(name=name, severity=severity, timeout_seconds=float(timeout), retries=retries)


def _step(name: str, timeout: float, retries: int, *rules: str, gate: bool = False) -> ProcedureStep:
    return ProcedureStep.model_construct(
        name=name, timeout_seconds=float(timeout), retries=retries, rules=rules, gate=gate
    )


def _undo(name: str, timeout: float, *undoes: str) -> RollbackStep:
    return RollbackStep.model_construct(name=name, timeout_seconds=float(timeout), undoes=undoes)


_RULES = {
    "VR001": _rule("source phase completed", Severity.CRITICAL, 30, 3),
    "VR002": _rule("target resources available", Severity.CRITICAL, 45, 2),
    "VR003": _rule("state consistent", Severity.HIGH, 60, 2),
    "VR004": _rule("target agent ready", Severity.CRITICAL, 20, 3),
    "VR005": _rule("context transfer complete", Severity.CRITICAL, 30, 2),
    "VR006": _rule("connections stable", Severity.HIGH, 15, 3),
    "VR007": _rule("permissions granted", Severity.MEDIUM, 20, 2),
    "VR008": _rule("data integrity maintained", Severity.HIGH, 45, 2),
}

_STANDARD = {
    "PHASE_TRANSITION_STANDARD": Procedure.model_construct(
        description="Passes work from one phase to the next.",
        steps=(
            _step("validate_phase_completion", 30, 3, "VR001"),
            _step("transfer_resources", 45, 2, "VR002"),
            _step("synchronize_state", 60, 2, "VR003"),
            _step("validate_handoff", 30, 3, gate=True),
        ),
        rules=("VR001", "VR002", "VR003"),
        rollback=(
            _undo("rollback_resources", 45, "transfer_resources"),
            _undo("rollback_state", 60, "synchronize_state"),
        ),
    ),
    "AGENT_HANDOFF_STANDARD": Procedure.model_construct(
        description="Passes a task from one agent to another.",
        steps=(
            _step("check_agent_readiness", 20, 3, "VR004"),
            _step("transfer_task_context", 30, 2, "VR005"),
            _step("transfer_knowledge", 45, 2),
            _step("confirm_handoff", 15, 3, gate=True),
        ),
        rules=("VR004", "VR005"),
        rollback=(_undo("rollback_context", 30, "transfer_task_context", "transfer_knowledge"),),
    ),
}


class Procedures(Model):
    """Smooth procedures: steps, rules, rollbacks."""

    handoff_types: tuple[Name, ...] = (
        "phase_transition",
        "agent_handoff",
        "contract_handoff",
        "workflow_handoff",
        "system_handoff",
    )
    """What may be handed over."""
    states: tuple[Name, ...] = ("pending", "in_progress", "validating", "completed", "failed", "rollback")
    """The states of a running procedure."""
    final_states: tuple[Name, ...] = ("completed", "failed", "rollback")
    """The states in which an execution may end."""
    complete_statuses: tuple[Name, ...] = ("COMPLETE", "PASS", "APPROVED", "VALIDATED", "READY", "RESOLVED", "CLOSED")
    """The statuses of a handoff that say its source phase is complete."""
    done_words: tuple[Name, ...] = ("completed", "complete", "done", "passed", "pass", "success", "succeeded")
    """What the result of a step or a rollback may say when it succeeded."""
    path_fields: tuple[Name, ...] = (
        *("file", "files", "folder", "folders", "directory", "directories", "path", "paths", "packages", "workspace"),
        *("inputs", "input_files"),
    )
    """Metadata that names files and folders which the target phase needs."""
    resource_fields: tuple[Name, ...] = ("resource", "resources", "artifact", "artifacts")
    """Metadata that may name files among other things; what looks like a path must exist."""
    context_fields: tuple[Name, ...] = (
        *("prompt", "spec", "results", "previous_results", "report", "reports", "document", "documents"),
        *("context_file", "context_files"),
    )
    """Metadata that names the documents which the next agent is given."""
    output_fields: tuple[Name, ...] = ("output", "outputs", "output_files", "writes")
    """Metadata that names files which the next phase writes."""
    script_fields: tuple[Name, ...] = ("script", "scripts")
    """Metadata that names scripts which the next phase runs."""
    script_suffixes: tuple[Name, ...] = (".sh", ".bash")
    """How the names of scripts end that are run by their own name."""
    checksum_fields: tuple[Name, ...] = ("sha256", "checksum", "checksums", "hash", "hashes")
    """Fields that hold the SHA-256 of the file named beside them, or hashes by path."""
    checksum_files: tuple[Name, ...] = ("SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt", "sha256sum.txt")
    """Names of files with one SHA-256 and one path per line."""
    final_share_minimum: Share = 0.8
    """The share of rules that must pass at the end, when no critical one failed."""
    backoff_seconds: tuple[Pause, ...] = (1.0, 2.0, 4.0)
    """The wait before each further attempt at a step, a rule or a rollback; the last one is used again."""
    gate_timeout_seconds: Seconds = 7 * 24 * 3600.0
    """How long a run waits for a decision; then it expires, which isn't an answer, and is rolled back."""
    gate_check_seconds: Seconds = 300.0
    """How often a waiting run checks the signed log, in case no notification reaches it."""
    concurrent_maximum: Quantity = 50
    """How many handoffs may run at once."""
    success_rate_minimum: Share = 0.95
    """The share of procedures that should succeed under normal conditions."""
    rollback_rate_minimum: Share = 0.9
    """The share of rollbacks that should succeed."""
    rules: dict[Name, ValidationRule] = _RULES
    """Validation rules by id."""
    procedures: dict[Name, Procedure] = _STANDARD
    """Procedures by id: the two standard ones, and your own."""
    profiles: dict[Name, ReliabilityProfile] = STANDARD_PROFILES
    """How the reliability of the engine is tested, by profile."""

    def refuse_contradictions(self) -> None:
        for procedure_id, procedure in self.procedures.items():
            for rule in (*procedure.rules, *(rule for step in procedure.steps for rule in step.rules)):
                if rule not in self.rules:
                    raise ValueError(f"{procedure_id!r} names the rule {rule!r}, which is not among the rules")
            names = [step.name for step in procedure.steps]
            for undone in (undone for undo in procedure.rollback for undone in undo.undoes):
                if undone not in names:
                    raise ValueError(f"{procedure_id!r} undoes {undone!r}, which is not one of its steps")
