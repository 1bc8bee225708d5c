"""The evidence, driven as a person would: problems, claims, checks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import (
    ConsentState,
    Evidence,
    Finding,
    Outcome,
    Remedy,
    RequestedCommand,
    RequestedCommands,
)
from handoff_tui.core.classes import replace
from handoff_tui.core.place import Severity
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.agents import AgentProposal, ProposalKind, ProposalStage
from handoff_tui.live.state.app import ChecksProgress, Loaded
from handoff_tui.tui.messages import (
    ChecksCancelled,
    ChecksWanted,
    CopyWanted,
    EditorWanted,
    ProposalConfirmed,
    ProposalWanted,
)
from tests.support.check_reports import build_report, build_result
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import MOMENT, make_state, read_desk
from tests.support.screens import at_desk, compare_looks, cut_view, get_app, list_asked, settle

pytestmark = pytest.mark.usefixtures("still_clock")
_PLAIN = {"duration": None, "from_cache": False, "ran_at": None}
FINDING = Finding(
    message="2 failed of 418",
    fingerprint="1",
    evidence=(Evidence(path="tests/test_a.py", line=88, expected="0", actual="2"), Evidence(path="src/a.py")),
)
REPORT = build_report(
    build_result("tests-unit", Outcome.FAIL, FINDING, remedy=Remedy(text="Mend it.", commands=("make test",))),
    build_result("tests-slow", Outcome.TIMEOUT),
    build_result("style", Outcome.FAIL, severity=Severity.LOW),
    build_result("types"),
)
AT = MOMENT - timedelta(minutes=3)
DESK = replace(
    make_state(watching=Watching.LIVE), checks=Loaded(REPORT, at=AT), problems=Loaded(measure_gate(REPORT), at=AT)
)
CHECKS = ("enter", "3", "f", "f")
"""The keys that lead to the list of checks."""


def list_wanted(pilot: Pilot[None]) -> list[tuple[str, ...]]:
    return [one.only for one in list_asked(pilot, ChecksWanted)]


@at_desk(DESK)
async def test_first_failing_check_is_chosen_and_its_finding_shown(pilot: Pilot[None]) -> None:
    """With evidence, what was expected, and what to do."""
    screen = await settle(pilot, *CHECKS)
    assert "BLOCKING 2" in screen
    assert "▸   tests-unit" in screen
    assert "2 failed of 418" in screen
    assert "tests/test_a.py:88" in screen
    assert "■ 2 of 4 checks block" in screen


@at_desk(DESK)
async def test_problems_come_first_with_everything_beneath(pilot: Pilot[None]) -> None:
    """One row per root cause; the page has the finding, the check and what to do. `f` goes through the three lists."""
    screen = await settle(pilot, "enter", "3")
    assert "▸ ✗  2 failed of 418" in screen
    assert "fails tests-unit" in screen
    assert "make test" in await settle(pilot, "tab", "G")
    assert "PROBLEMS · claims · checks" in screen
    assert "problems · CLAIMS · checks" in await settle(pilot, "f")
    assert "problems · claims · CHECKS" in await settle(pilot, "f")
    assert "PROBLEMS · claims · checks" in await settle(pilot, "f")


@at_desk(DESK)
async def test_problem_one_check_or_all_under_a_heading_are_run_again(pilot: Pilot[None]) -> None:
    """R on a problem runs what fails over it; on a check that one; on its heading all below it."""
    await settle(pilot, "enter", "3", "R", "f", "f", "R", "k", "R")
    assert list_wanted(pilot) == [("tests-unit",), ("tests-unit",), ("tests-unit", "tests-slow")]


@at_desk(DESK)
async def test_run_shows_its_progress_and_can_be_cancelled(pilot: Pilot[None]) -> None:
    """A bar with numbers; what cannot be done meanwhile says why."""
    assert "Cancel the checks: no checks are running" in await settle(pilot, *CHECKS, "X")
    progress = ChecksProgress(1, 4, "tests-unit", MOMENT - timedelta(seconds=9))
    get_app(pilot).give(replace(DESK, running=progress))
    screen = await settle(pilot)
    assert "█████░░░" in screen
    assert "1/4 tests-unit 9s" in screen
    assert "Run again: checks are running" in await settle(pilot, "R")
    await settle(pilot, "X")
    assert any(isinstance(one, ChecksCancelled) for one in get_app(pilot).asked)


@at_desk(DESK)
async def test_places_are_opened_one_after_another_and_commands_copied(pilot: Pilot[None]) -> None:
    """The first place, then the second; the command of the remedy."""
    await settle(pilot, *CHECKS, "o", "enter", "enter", "y")
    app = get_app(pilot)
    assert [(one.path, one.line) for one in list_asked(pilot, EditorWanted)] == [
        ("tests/test_a.py", 88),
        ("tests/test_a.py", 88),
        ("src/a.py", None),
    ]
    assert CopyWanted("make test", "the command") in app.asked
    screen = await settle(pilot, "j", "o")
    assert "it names no place in a file" in screen


@at_desk(DESK)
async def test_list_is_narrowed_by_words(pilot: Pilot[None]) -> None:
    """Every word of it."""
    await settle(pilot, *CHECKS)
    screen = await settle(pilot, "slash", *"slow")
    assert "2 checks match" in screen
    assert "tests-unit" not in cut_view(pilot, screen)


def test_stale_results_are_shown_as_stale() -> None:
    """Nothing that has moved since is shown as passed."""
    stale = replace(DESK, checks=Loaded(REPORT, at=MOMENT - timedelta(minutes=3), stale=True))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, *CHECKS)
        assert "? pass" in screen
        assert "✓ pass" not in cut_view(pilot, screen)
        assert "stale, read 3 min ago" in screen

    drive(StillApp(stale), script, size=(120, 40))


def test_commands_that_wait_for_trust_are_shown_before_they_are_trusted() -> None:
    """The key opens a box with each command; only its own key confirms."""
    report = REPORT.model_copy(update={"trust": ConsentState(digest="sha256:12", trusted=False)})

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, *CHECKS, "ctrl+p", *"consent", "enter")
        app = get_app(pilot)
        assert [one.kind for one in list_asked(pilot, ProposalWanted)] == [ProposalKind.TRUST]
        plan = RequestedCommands(
            "sha256:12", (RequestedCommand("lint", ("sh", "lint.sh"), (("lint.sh", "sha256:34"),)),)
        )
        app.give(replace(state, proposal=AgentProposal(1, ProposalKind.TRUST, ProposalStage.READY, trust=plan)))
        screen = await settle(pilot, "enter", "y")
        assert "Consent to run this repository's commands" in screen
        assert "lint.sh  sha256:34" in screen
        assert not any(isinstance(one, ProposalConfirmed) for one in app.asked)

    state = replace(DESK, checks=Loaded(report))
    drive(StillApp(state), script)


@at_desk(DESK)
async def test_news_never_move_the_cursor(pilot: Pilot[None]) -> None:
    """A check that begins to fail comes before it."""
    await settle(pilot, *CHECKS, "j")
    worse = build_report(build_result("a-new-one", Outcome.ERROR, severity=Severity.CRITICAL), *REPORT.results)
    get_app(pilot).give(replace(DESK, checks=Loaded(worse, at=MOMENT)))
    assert "▸   tests-slow" in await settle(pilot)


def test_overview_and_evidence_of_the_sample_look_as_committed(sample_repository: Path) -> None:
    """Facts, problems as cards, pipeline; and every problem with all that is beneath it."""
    state = read_desk(sample_repository, "H-3", MOMENT)
    assert state.checks.value is not None
    plain = [one.model_copy(update=_PLAIN) for one in state.checks.value.results]
    report = state.checks.value.model_copy(update={"results": tuple(plain)})
    state = replace(state, checks=Loaded(report, at=MOMENT))

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "slash", *"h-3", "enter", "enter")
        await compare_looks(pilot, "overview")
        await settle(pilot, "3")
        await compare_looks(pilot, "evidence")

    drive(StillApp(state), script)
