"""TDD agents over git."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Count, Name, Pause, Quantity
from handoff_tui.core.model import Model


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
    """Tries after the first before the work stops."""
    backoff_seconds: tuple[Pause, ...] = (1, 2, 4)
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
