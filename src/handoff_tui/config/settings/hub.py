"""The workflow hub."""

from __future__ import annotations

from handoff_tui.config.quantities import Count, Name
from handoff_tui.core.model import Model
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import ProofKind


class HubRole(Model):
    """A role of the hub and what it is told."""

    title: Name
    """What the role is called."""
    stage: Name | None = None
    """The stage it works in; a role without one supervises."""
    prompt: str = ""
    """The words the role is given, before the task."""
    standards: tuple[str, ...] = ()
    """Rules that a supervising role holds others to."""


_ROLES = {
    "director": HubRole.model_construct(
        title="Director",
        standards=(
            "Tests are written first.",
            "Nothing is said twice in code.",
            "Data is reached through the model layer.",
            "Schema changes come as migrations.",
        ),
    ),
    "pm": HubRole.model_construct(title="Project manager", stage="PM"),
    "dev": HubRole.model_construct(title="Developer", stage="DEV"),
    "qa": HubRole.model_construct(title="Tester", stage="QA"),
    "security": HubRole.model_construct(title="Security reviewer", stage="SEC"),
    "docs": HubRole.model_construct(title="Writer", stage="DOCS"),
    "cicd": HubRole.model_construct(title="Deployer", stage="DEPLOY"),
}

_RUN_FAILURE_TARGETS = {"qa_failed": "dev", "sec_failed": "dev", "testing_failed": "dev", "docs_failed": "docs"}

_SUSPICIOUS_OUTPUT = (
    r"\bHTTP[/ ]?(?:\d\.\d )?5\d\d\b",
    r"\b(?:status|code|error)[ :=]+5\d\d\b",
    r"\b500 Internal Server Error\b",
    r"\bTraceback \(most recent call last\)",
    r"\b(?:Connection refused|connection reset|timed out)\b",
    r"\b(?:rate limit|quota) exceeded\b",
    r"\b(?:command not found|No such file or directory)\b",
    r"\bpanic:",
    r"\bSegmentation fault\b",
)


class Hub(Model):
    """The workflow hub."""

    stages: tuple[Name, ...] = ("DEV", "QA", "SEC", "DOCS", "COMPLETE")
    """The stages of a task, in order."""
    failure_stage: Name = "DEV"
    """Where a task goes back to when a stage fails."""
    run_states: tuple[Name, ...] = (
        "pm",
        "dev",
        "qa",
        "qa_failed",
        "sec",
        "sec_failed",
        "docs",
        "docs_failed",
        "ready_for_commit",
        "merged",
        "ready_for_deploy",
        "testing",
        "testing_failed",
        "deployed",
    )
    """The states of a run."""
    run_failure_targets: dict[Name, Name] = _RUN_FAILURE_TARGETS
    """Where each failed run state leads."""
    statuses: tuple[Name, ...] = ("pending", "in_progress", "completed", "failed", "skipped")
    """The statuses of a handoff; completed is not passed."""
    accept_from: tuple[Name, ...] = ("pending",)
    """Statuses from which a handoff can be accepted."""
    complete_from: tuple[Name, ...] = ("in_progress",)
    """Statuses from which a handoff can be completed."""
    report_statuses: tuple[Name, ...] = ("pass", "fail")
    """What a report may say."""
    claim_states: tuple[Name, ...] = ("pending", "validated", "falsified", "skipped", "inconclusive")
    """The states of a falsifiable claim."""
    roles: dict[Name, HubRole] = _ROLES
    """Roles by id."""
    human_only_states: tuple[Name, ...] = ("deployed",)
    """Run states that only a person may start."""
    deploy_states: tuple[Name, ...] = ("deploy", "ready_for_deploy", "deployed")
    """Stages and run states that need the approval of a named person."""
    complete_states: tuple[Name, ...] = (
        "complete",
        "ready_for_commit",
        "merged",
        "ready_for_deploy",
        "testing",
        "deployed",
    )
    """Run states that say all tasks of the run are complete."""
    reports: dict[Name, Name] = {"SEC": "security_report.json", "QA": "bugs.json"}
    """The report whose findings decide, by stage."""
    failing_severities: tuple[Severity, ...] = (Severity.CRITICAL, Severity.HIGH)
    """Findings of these severities fail the stage, whatever the agent says."""
    closed_finding_statuses: tuple[Name, ...] = ("fixed", "resolved", "closed", "done", "verified")
    """Statuses of a finding that is no longer open; an accepted but unfixed one stays open."""
    harmless_severities: tuple[Name, ...] = ("info", "informational", "note", "none")
    """Words for a severity below low."""
    task_priorities: dict[Severity, Count] = {
        Severity.CRITICAL: 10,
        Severity.HIGH: 10,
        Severity.MEDIUM: 7,
        Severity.LOW: 5,
    }
    """The priority of a fix task, by the severity of its finding."""
    proof_folders: tuple[Name, ...] = ("proofs", "proof", "workspace/proofs")
    """Folders of proofs of work."""
    proof_kinds: dict[ProofKind, tuple[Name, ...]] = {
        ProofKind.SCREENSHOT: (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"),
        ProofKind.LOG: (".log", ".txt", ".out"),
        ProofKind.TEST_RESULT: (".xml", ".tap"),
        ProofKind.DIFF: (".diff", ".patch"),
        ProofKind.REPORT: (".md", ".html", ".json", ".pdf"),
    }
    """What a proof is, by how its name ends; anything else is `other`."""
    proof_keys: tuple[Name, ...] = ("proof", "proofs", "proof_path", "proof_paths", "screenshot", "screenshots")
    """Keys of a report under which proofs are named."""
    suspicious_output: tuple[Name, ...] = _SUSPICIOUS_OUTPUT
    """Patterns in the raw output of a passed stage that contradict it."""
    todo_file: Name = "todo.json"
    """The list of tasks."""
