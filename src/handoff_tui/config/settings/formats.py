"""Formats with few settings: session enforcement, TDD over git, and the conventions of public repositories."""

from __future__ import annotations

from handoff_tui.config.quantities import Amount, Count, Name, Pause, Quantity, Seconds, Share
from handoff_tui.core.model import Model


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
