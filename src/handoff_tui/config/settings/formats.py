"""Settings of the formats: builder standard, hub, session enforcement, TDD over git, public conventions."""

from __future__ import annotations

from handoff_tui.config.quantities import Amount, Count, Name, Pause, Quantity, Seconds, Share
from handoff_tui.core.model import Model
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import ProofKind

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


class Public(Model):
    """The conventions that most public repositories use."""

    planning_files: tuple[Name, ...] = (".planning/HANDOFF.json",)
    """Planning state as JSON."""
    continue_files: tuple[Name, ...] = (".continue-here.md",)
    """The companion of the planning state, looked for in any folder below `.planning/`."""
    checkpoint_files: tuple[Name, ...] = (".claude/handoff.json",)
    """State that may wait for a person."""
    note_names: tuple[Name, ...] = (
        "HANDOFF.md",
        "HANDOVER.md",
        "SESSION_HANDOFF.md",
        "AGENT_HANDOFF.md",
        "HANDOFF_NOTES.md",
    )
    """Names of handoff notes, in any folder and any case."""
    note_patterns: tuple[Name, ...] = ("docs/handoffs/*.md", ".claude/handoff*", ".claude/handoffs/*.md")
    """Places of handoff notes of any name."""
    foreign_folders: tuple[Name, ...] = (".handoff",)
    """Folders that may belong to another tool; they are read and never written."""


class Tdd(Model):
    """TDD agents over git."""

    notes_ref: Name = "refs/notes/tdd-handoffs"
    """The notes that carry one handoff per phase commit."""
    phases: tuple[Name, ...] = ("PLAN", "RED", "GREEN", "REFACTOR", "COMPLETE")
    """The phases; the edges between them are those of the pipeline `tdd`."""
    commit_prefixes: dict[Name, tuple[Name, ...]] = {
        "PLAN": ("plan:",),
        "RED": ("test:",),
        "GREEN": ("feat:", "fix:"),
        "REFACTOR": ("refactor:",),
    }
    """How the subject of a commit begins, by phase."""
    trailer_prefixes: tuple[Name, ...] = ("Handoff-", "TDD-")
    """How commit trailers that carry a handoff begin."""
    tag_prefixes: tuple[Name, ...] = ("handoff/", "tdd/")
    """How tags and refs that mark a handoff begin."""
    state_file: Name = ".handoff.json"
    """The state file at the root of the repository."""
    state_folder: Name = ".handoff"
    """The folder of handoff state; it may belong to another tool."""
    test_list: Name = "test-list.md"
    """The list of tests with check boxes."""
    retry_budget: Count = 3
    """Attempts after the first before the work stops."""
    backoff_seconds: tuple[Pause, ...] = (1.0, 2.0, 4.0)
    """The wait before each retry; the last one is used again when there are more retries."""
    failures_before_human: Quantity = 3
    """After how many failures in a row a person must decide."""
    test_patterns: tuple[Name, ...] = (
        r"^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(",
        r"^[ \t]*(?:it|test)(?:\.\w+)*[ \t]*\([ \t]*[\"'`](.+?)[\"'`][ \t]*,",
        r"^func[ \t]+(Test\w+)[ \t]*\(",
        r"#\[(?:\w+::)?test\]\s*(?:async[ \t]+)?fn[ \t]+(\w+)",
        r"@Test\b\s*(?:\w+\s+)*?(\w+)[ \t]*\(",
    )
    """How a test begins in source files; the group is its name."""
    lock_owner_fields: tuple[Name, ...] = ("agent", "agentId", "agent_id", "owner", "holder", "pid")
    """Fields of the lock that say who holds it."""
    lock_time_fields: tuple[Name, ...] = ("timestamp", "acquired_at", "acquiredAt", "created_at", "since", "time")
    """Fields of the lock that say since when."""
    lock_file: Name = ".tdd.lock"
    """The file that says an agent is at work."""
    lock_stale_minutes: Quantity = 30
    """After how many minutes a lock whose owner is gone counts as left behind."""


class HealthCheck(Model):
    """Asking a deployment that is said to be live whether it is."""

    enabled: bool = False
    """Whether a claimed deployment is asked at all; reading must not use the network unasked."""
    path: str = "/health"
    """What is added to the claimed address."""
    timeout_seconds: Seconds = 5.0
    """How long an answer may take."""
    expected_status: Count = 200
    """The HTTP status of a healthy deployment."""
    live_words: tuple[str, ...] = ("live", "deployed", "running")
    """The deployment states that claim to be reachable."""


class MetricTargets(Model):
    """Targets for the metrics of session enforcement."""

    failure_rate_maximum: Share = 0.05
    """The share of attempts that are sent back or overridden must stay below this."""
    compliance_minimum: Share = 1.0
    """The least share of decisions on work that was submitted, and so checked, before."""
    resume_minutes_maximum: Amount = 5.0
    """The median minutes from a decision to the next commit must stay below this."""
    rediscovery_maximum: Count = 0
    """How many known findings a further attempt may show again, on average."""


class Mosaic(Model):
    """Session enforcement (`.mosaic/`)."""

    folder: Name = ".mosaic"
    """The folder of the state files."""
    state_files: tuple[Name, ...] = ("agent_state.json", "blockers.json", "current_task.json")
    """State files that must exist and be JSON."""
    optional_state_files: tuple[Name, ...] = ("project_state.json", "session_log.jsonl", "gemini_approval.json")
    """State files that are checked when they exist."""
    latest_handoff: Name = "LATEST_HANDOFF.md"
    """The file, or link, that names the newest session document."""
    session_documents: Name = "SESSION_HANDOFF_*.md"
    """The pattern of session documents."""
    agents_folder: Name = ".ai-agents"
    """The folder of handoff files that hooks and agents write."""
    agents_documents: Name = "handoff_*.json"
    """The pattern of the handoff files in that folder."""
    emergency_file: Name = ".ai-agents/emergency_handoff.txt"
    """A file written by a person that forces a conservative next agent."""
    required_fields: tuple[Name, ...] = ("last_agent", "implementation_progress")
    """Fields that the agent state must have."""
    blocker_fields: tuple[Name, ...] = ("id", "title", "severity", "status")
    """Fields that every blocker must have."""
    task_fields: tuple[Name, ...] = ("task_id", "objective", "status")
    """Fields that the current task must have."""
    handoff_message_minimum: Count = 50
    """The fewest characters of a handoff message that says something."""
    briefing_max_age_hours: Amount = 24.0
    """How old the acknowledgment of the briefing may be."""
    clock_tolerance_minutes: Amount = 10.0
    """How far in the future a time may be before it can't be true."""
    commit_lag_tolerated: Count = 1
    """How many commits HEAD may be ahead of the commit in the state; the one that stores the state is always ahead."""
    state_only_commits_tolerated: bool = True
    """Whether commits that touch nothing but state files are left out of the lag."""
    severities: tuple[Name, ...] = ("critical", "high", "medium", "low")
    """Severities a blocker may have, worst first."""
    open_statuses: tuple[Name, ...] = ("open", "resolving")
    """Statuses of a blocker that still blocks."""
    closed_statuses: tuple[Name, ...] = ("resolved", "wont-fix")
    """Statuses of a blocker that no longer blocks; a resolved one needs evidence."""
    evidence_fields: tuple[Name, ...] = ("resolution", "evidence", "commit")
    """Fields of a resolved blocker that count as its evidence."""
    evidence_names_proof: bool = True
    """Whether that evidence must name a commit or a file that exists; otherwise words are enough."""
    undetermined_words: tuple[Name, ...] = (
        "unknown",
        "unclear",
        "undetermined",
        "unverified",
        "tbd",
        "todo",
        "pending",
    )
    """Words a deployment state may begin with that do not say what is live."""
    session_gate_script: Name = ".mosaic/enforcement/session-gate.sh"
    """The script that must exit with 0 at the start of a session."""
    session_gate_timeout_seconds: Seconds = 60.0
    """How long the session gate may take."""
    validation_script: Name = ".mosaic/enforcement/handoff_validation_tests.py"
    """The repository's own validation; enforcement is wired in when a hook or a prompt calls it."""
    wiring_places: tuple[Name, ...] = (
        *("AI_AGENT_PROMPT.md", ".ai-agents/AI_AGENT_PROMPT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"),
        *(".git/hooks/pre-commit", ".git/hooks/pre-push"),
    )
    """Where to look for a call of the validation: prompts of agents, and git hooks."""
    wiring_files: tuple[Name, ...] = (
        *(".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", "Jenkinsfile"),
        ".pre-commit-config.yaml",
    )
    """Patterns of the CI files to look for such a call as well."""
    simulation_words: tuple[Name, ...] = ("simulated", "simulation", "backfilled", "auto-closed")
    """Words beside an approval that say nobody gave it."""
    health: HealthCheck = HealthCheck.model_construct()
    """Asking a claimed deployment whether it is live."""
    targets: MetricTargets = MetricTargets.model_construct()
    """Targets for its metrics."""


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


class SizeClass(Model):
    """Packages up to a size, and the tests they need."""

    name: Name
    """What the class is called."""
    source_files_maximum: Quantity | None = None
    """The most source files of a package in this class; the last class has no limit."""
    tests_minimum: Count
    """The fewest tests of such a package."""


class QuestionGroup(Model):
    """Questions of the gate that belong together."""

    name: Name
    """What they are about."""
    first: Quantity
    """The number of the first question."""
    last: Quantity
    """The number of the last question."""


class QuestionGate(Model):
    """The questions an agent answers before a person gives the greenlight."""

    count: Quantity = 13
    """How many questions there are."""
    groups: tuple[QuestionGroup, ...] = (
        QuestionGroup.model_construct(name="scope", first=1, last=3),
        QuestionGroup.model_construct(name="technical", first=4, last=6),
        QuestionGroup.model_construct(name="packaging", first=7, last=8),
        QuestionGroup.model_construct(name="tests", first=9, last=9),
        QuestionGroup.model_construct(name="integration", first=10, last=10),
        QuestionGroup.model_construct(name="adversarial", first=11, last=13),
    )
    """Which questions are about what."""
    adversarial_genesis: tuple[Name, ...] = ("dependency trap", "scope creep", "semantic audit")
    """The adversarial questions of a genesis handoff."""
    adversarial_infrastructure: tuple[Name, ...] = ("failure mode", "shortcut check", "semantic audit")
    """The adversarial questions of an infrastructure handoff."""
    contract: Name = "BUILDER_PROMPT_CONTRACT.md"
    """The prompt contract whose version a prompt must carry."""
    greenlight_needed: bool = True
    """Whether work may start only after a person's greenlight."""
    greenlight_words: tuple[Name, ...] = ("granted", "given", "approved", "yes", "go", "proceed")
    """Words that say the greenlight was given."""
    greenlight_fields: tuple[Name, ...] = ("by", "granted by", "given by", "approved by", "greenlit by", "reviewer")
    """Fields below a greenlight that say who gave it."""


class Builder(Model):
    """The builder standard (`handoffs/<ID>/`)."""

    staging_folders: tuple[Name, ...] = ("_reboot/_staging", "_staging")
    """Folders where packages are staged."""
    handoff_folders: tuple[Name, ...] = ("_reboot/_staging/handoffs", "_staging/handoffs", "handoffs")
    """Folders of handoffs, flat or one folder each."""
    id_patterns: tuple[Name, ...] = (r"^H-\d+[A-Z]?$", r"^CLEANUP-\d+$")
    """What a canonical id looks like."""
    file_names: dict[Name, Name] = {"spec": "BUILDER_HANDOFF", "results": "RESULTS", "prompt": "AGENT_PROMPT"}
    """What a document is called after the id of its handoff, by what it is for."""
    spec_sections: tuple[str, ...] = (
        "Mission",
        "Critical Constraints",
        "Architecture / Design",
        "Implementation Steps",
        "Package Plan",
        "Test Plan",
        "Existing Code to Reference",
        "End-to-End Verification",
        "Files Summary",
        "Design Principles",
    )
    """The sections of a spec, in order."""
    results_sections: tuple[str, ...] = (
        "Status",
        "Files Created",
        "Files Modified",
        "Archives Built",
        "Test Results",
        "Full Regression Test",
        "Baseline Snapshot",
        "Clean-Room Verification",
        "Issues Encountered",
        "Notes for Reviewer",
    )
    """The sections of a results file."""
    checklist_sections: tuple[str, ...] = (
        "Files Created",
        "Test Results",
        "Full Regression Test",
        "Clean-Room Verification",
        "Baseline Snapshot",
    )
    """The results sections without which the reviewer's checklist fails."""
    results_statuses: tuple[Name, ...] = ("PASS", "FAIL", "PARTIAL")
    """The status tokens of a results file."""
    passing_statuses: tuple[Name, ...] = ("PASS",)
    """The status tokens that claim success."""
    nothing_words: tuple[Name, ...] = ("none", "no", "nothing", "zero", "0")
    """Words that say there was nothing."""
    yes_words: tuple[Name, ...] = ("yes", "pass", "passed", "true")
    """Words that say it was so."""
    exception_words: tuple[Name, ...] = (
        *("except", "excepting", "exception", "exceptions", "but", "apart", "aside", "besides", "however", "unless"),
    )
    """Words after a yes or a none that take it back."""
    constraints_minimum: Count = 10
    """The fewest critical constraints of a spec."""
    package_prefix: Name = "PKG-"
    """How the folder of a package begins."""
    manifest_name: Name = "manifest.json"
    """The manifest of a package."""
    manifest_fields: tuple[Name, ...] = (
        "package_id",
        "version",
        "schema_version",
        "spec_id",
        "framework_id",
        "plane_id",
        "assets",
        "dependencies",
    )
    """Fields that a manifest must have."""
    manifest_replaced_fields: dict[str, str] = {"files": "assets", "depends_on": "dependencies"}
    """Field names that a manifest must not use, and what to use instead."""
    hash_pattern: Name = r"^sha256:[0-9a-f]{64}$"
    """What a hash in a manifest looks like."""
    archive_suffix: Name = ".tar.gz"
    """How the name of a package archive ends."""
    packages_minimum: Count = 1
    """The fewest packages that a baseline or a clean room must hold to mean something."""
    integration_packages_minimum: Quantity = 2
    """From how many packages in parallel waves an integration handoff is required."""
    source_suffixes: tuple[Name, ...] = (".py", ".sh", ".js", ".ts", ".go", ".rs")
    """Files that count as source when a package's size is taken."""
    size_classes: tuple[SizeClass, ...] = (
        SizeClass.model_construct(name="small", source_files_maximum=2, tests_minimum=10),
        SizeClass.model_construct(name="medium", source_files_maximum=5, tests_minimum=25),
        SizeClass.model_construct(name="large", tests_minimum=40),
    )
    """Sizes of packages, smallest first, and the tests each needs."""
    test_files: tuple[Name, ...] = (
        *("test_*", "*_test.*", "*.test.*", "*.spec.*", "conftest.py", "test/*", "tests/*", "*/test/*", "*/tests/*"),
    )
    """Assets that are tests and no source: patterns of names, or, with a slash, of paths in the package."""
    unwanted_files: tuple[Name, ...] = ("__pycache__", "*.pyc", "*.pyo", ".DS_Store")
    """Names of files and folders that no package may hold."""
    archive_member_time: Count = 0
    """The time that every member of a reproducible archive carries, in seconds since 1970."""
    archive_owner_names: tuple[str, ...] = ("", "root")
    """Owners and groups that the members of a reproducible archive may name."""
    explanation_sections: tuple[Name, ...] = ("Baseline", "Issues", "Notes")
    """How the results sections begin that may explain why there are fewer tests or packages."""
    drop_words: tuple[Name, ...] = (
        *("drop", "dropped", "drops", "fewer", "less", "removed", "removes", "removal", "remove", "deleted", "deletes"),
        *("retired", "superseded", "supersedes", "merged", "consolidated", "gone", "reduced"),
    )
    """Words for fewer tests or packages."""
    released_states: tuple[Name, ...] = ("VALIDATED",)
    """Registry states in which a handoff no longer blocks those that wait for it."""
    review_verdicts: tuple[Name, ...] = ("PASS", "RETRY", "ESCALATE")
    """The closing verdicts of a review report."""
    evaluation_verdicts: tuple[Name, ...] = ("PASS", "FAIL")
    """The closing verdicts of an evaluation report."""
    questions: QuestionGate = QuestionGate.model_construct()
    """The questions before work starts."""
