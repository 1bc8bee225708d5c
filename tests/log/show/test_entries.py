"""The list of entries: order, roles, states, choices."""

from __future__ import annotations

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import EntryFilter, list_log
from handoff_tui.log.show.view import EntryState, LogView
from tests.support.logs import build_policy_toml
from tests.support.real_log import RealLog, build_signers
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy, a submission, an approval and a rejection."""
    real = RealLog(builder)
    real.begin()
    real.submit(handoff="H-1")
    real.decide("alice", handoff="H-1")
    real.decide("bob", "reject", handoff="H-2", phase="release", attempt=3)
    return real


def read(log: RealLog, **choice: str) -> LogView:
    return list_log(open_log(open_repository(log.folder)), EntryFilter(**choice))


def test_list_is_newest_first_with_every_fact(log: RealLog) -> None:
    """Who, in which role, did what, on which work, and whether it is a head."""
    rows = read(log).rows
    assert [(row.kind, row.what, row.actor, row.roles) for row in rows] == [
        ("decision", "reject", "bob", ("reviewer",)),
        ("decision", "approve", "alice", ("reviewer", "root")),
        ("submission", "submit", "claude", ("agent",)),
        ("policy", "policy 1", "alice", ("reviewer", "root")),
    ]
    assert (rows[0].handoff, rows[0].phase, rows[0].attempt, rows[0].seq) == ("H-2", "release", 3, 4)
    assert [row.head for row in rows] == [True, False, False, False]
    assert {row.state for row in rows} == {EntryState.VALID}
    assert rows[3].handoff is None


def test_entries_beside_each_other_are_ordered_by_time(log: RealLog) -> None:
    """No entry stands above one that follows it."""
    branch = log.decide("alice", parents=(log.genesis,), time="2026-01-01T12:00:00Z", handoff="H-9")
    rows = read(log).rows
    assert rows[0].id == branch
    places = {row.id: number for number, row in enumerate(rows)}
    for one, entry in log.entries.items():
        assert all(places[one] < places[parent] for parent in entry.parents)
    assert sum(row.head for row in rows) == 2


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ({"handoff": "H-1"}, ["approve", "submit"]),
        ({"person": "bob"}, ["reject"]),
        ({"verb": "approve"}, ["approve"]),
        ({"verb": "policy"}, ["policy 1"]),
        ({"verb": "submit", "person": "claude"}, ["submit"]),
        ({"verb": "submit", "person": "alice"}, []),
        ({"handoff": "H-77"}, []),
    ],
)
def test_choice_narrows_the_list(log: RealLog, choice: dict[str, str], found: list[str]) -> None:
    """All that was asked for must fit; the total stays."""
    view = read(log, **choice)
    assert [row.what for row in view.rows] == found
    assert view.total == 4


def test_refused_entries_are_listed_with_their_reason(log: RealLog) -> None:
    """Those that can be read with their fields, those that cannot last, with nothing but the reason."""
    stranger = log.decide("mallory")
    garbage = log.store(b"{}\n")
    view = read(log)
    rows = {row.id: row for row in view.rows}
    assert (rows[stranger].state, rows[stranger].code, rows[stranger].actor) == (
        EntryState.REFUSED,
        "unknown-key",
        "mallory",
    )
    assert "not in the policy" in rows[stranger].why
    assert (view.rows[-1].id, view.rows[-1].code, view.rows[-1].time) == (garbage, "bad-envelope", None)
    assert rows[stranger].roles == ()


def test_void_entries_are_listed_with_their_reason(log: RealLog) -> None:
    """What a dropped key signed beside the policy that dropped it."""
    parents = log.heads()
    log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"))
    hidden = log.decide("bob", parents=parents, policy_id=log.genesis)
    (row,) = (row for row in read(log).rows if row.state is EntryState.VOID)
    assert row.id == hidden
    assert log.policy in row.why


def test_orphan_is_refused_and_the_log_fatal(log: RealLog) -> None:
    """An entry whose parent is gone says so itself."""
    submission = next(one for one, entry in log.entries.items() if entry.actor == "claude")
    log.place(submission).unlink()
    view = read(log)
    assert view.fatal
    assert [row.code for row in view.rows] == ["parent-refused", "missing-parent", None]


def test_entry_by_a_policy_without_sense_has_no_roles(log: RealLog) -> None:
    """A policy that cannot be read gives nobody a role, and stops nothing."""
    log.add_policy("nonsense")
    row = read(log, verb="policy").rows[0]
    assert (row.code, row.roles) == ("bad-policy", ())


def test_repository_without_a_log_has_an_empty_list(builder: RepositoryBuilder) -> None:
    """Nothing is no fault."""
    view = read(RealLog(builder))
    assert (view.total, view.rows, view.log, view.fatal) == (0, (), None, False)
