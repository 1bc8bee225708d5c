from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.tdd.lock_not_stale import LOCK_NOT_STALE
from tests.support.cycles import cycle_world, note
from tests.support.world import MemoryWorld, find_subjects, judge

LOCK = ".tdd.lock"
NOW = MemoryWorld().moment


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"agent": "heron", "timestamp": "2026-03-04T05:00:00Z"}),
        json.dumps({"agentId": 7, "timestamp": NOW.timestamp() - 600}),
        json.dumps({"pid": 41, "timestamp": int(NOW.timestamp() * 1000)}),
        "agent: heron\ntimestamp: 2026-03-04T04:50:00+00:00\n",
        "PID = 41\nsince = 2026-03-04 05:01:00\n",
        json.dumps({"owner": "heron", "acquired_at": "2026-03-04T07:00:00+02:00"}),
    ],
)
def test_lock_not_stale_passes_a_young_lock(text: str) -> None:
    """In JSON or in lines, with times in every usual form."""
    assert judge(LOCK_NOT_STALE, MemoryWorld(files={LOCK: text})) == []


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        (json.dumps({"agent": "heron", "timestamp": "2026-03-04T04:30:00Z"}), ["age"]),
        (json.dumps({"agent": "heron", "timestamp": "2026-03-05T04:30:00Z"}), ["age"]),
        (json.dumps({"timestamp": "2026-03-04T05:00:00Z"}), ["owner"]),
        (json.dumps({"agent": "", "timestamp": "2026-03-04T05:00:00Z"}), ["owner"]),
        (json.dumps({"agent": "heron"}), ["time"]),
        (json.dumps({"agent": "heron", "timestamp": "a while ago"}), ["time"]),
        ("locked\n", ["owner", "time"]),
        ("", ["owner", "time"]),
        ("[1, 2]", ["owner", "time"]),
    ],
)
def test_lock_not_stale_names_what_is_wrong(text: str, subjects: list[str]) -> None:
    """Too old, from the future, without an owner, without a time that can be read."""
    found = judge(LOCK_NOT_STALE, MemoryWorld(files={LOCK: text}))
    assert [entry.subject for entry in found] == [f"{LOCK} {subject}" for subject in subjects]


def test_lock_not_stale_reports_broken_json() -> None:
    """A lock that was cut off says nothing reliable."""
    found = judge(LOCK_NOT_STALE, MemoryWorld(files={LOCK: '{"agent": "heron", "timest'}))
    assert f"{LOCK} time" in [entry.subject for entry in found]


def test_lock_not_stale_takes_the_limit_from_the_configuration() -> None:
    """A lock of an hour may be young."""
    world = MemoryWorld(files={LOCK: json.dumps({"agent": "heron", "timestamp": "2026-03-04T04:06:00Z"})})
    assert len(judge(LOCK_NOT_STALE, world)) == 1
    world.overrides["tdd.lock_stale_minutes"] = 90
    assert judge(LOCK_NOT_STALE, world) == []


def test_lock_not_stale_finds_a_lock_in_a_folder() -> None:
    """Beside a cycle, wherever the dialect found it."""
    world = cycle_world([note("RED")], {"kitchen/.tdd.lock": "agent: heron\n"})
    assert find_subjects(LOCK_NOT_STALE, world) == ["kitchen/.tdd.lock time"]


def test_lock_not_stale_needs_a_lock() -> None:
    """Nobody at work is fine; the clock is not asked."""
    with pytest.raises(NotApplicableError):
        judge(LOCK_NOT_STALE, cycle_world([note("RED")]))
