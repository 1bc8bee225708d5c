from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.contract import Moment
from handoff_tui.checks.result import Outcome
from handoff_tui.checks.run.baseline import Baseline, choose_usual_baseline
from handoff_tui.checks.run.check import CheckRequest, check
from handoff_tui.core.errors import ConfigError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.past_checks import build_report, choose_baseline_then
from handoff_tui.history.travel.past_session import open_desk_at
from tests.support.histories import clone_at
from tests.support.repositories import RepositoryBuilder

COMMIT = "HEAD~4"
BY_THE_CLOCK = {"briefing-fresh", "lock-not-stale"}
"""Rules that judge by the moment of the commit there, and by now here."""


def test_rules_say_of_a_commit_what_they_say_where_it_is_checked_out(sample_repository: Path, tmp_path: Path) -> None:
    """Outcome, words and findings of every rule that can tell."""
    clone = clone_at(RepositoryBuilder(sample_repository), tmp_path / "clone", COMMIT)
    there = {result.id: result for result in check(open_desk(clone.folder), CheckRequest(run_commands=False)).results}
    past = open_desk_at(open_desk(sample_repository), COMMIT)
    baseline = choose_usual_baseline(open_desk(clone.folder))
    here = {result.id: result for result in build_report(past, baseline, CheckRequest()).results}
    told = [name for name, one in here.items() if "is in no commit" not in one.summary and name not in BY_THE_CLOCK]
    assert len(told) > 50
    assert {name: (here[name].outcome, here[name].summary, here[name].findings) for name in told} == {
        name: (there[name].outcome, there[name].summary, there[name].findings) for name in told
    }


def test_report_counts_what_is_in_no_commit_as_out_of_place(builder: RepositoryBuilder) -> None:
    """It closes no gate of then."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit()
    past = open_desk_at(open_desk(builder.folder), "HEAD")
    report = build_report(past, Baseline(None, "none"), CheckRequest(moment=Moment.PRE))
    unpushed = next(result for result in report.results if result.id == "nothing-unpushed")
    assert (unpushed.outcome, unpushed.remedy) == (Outcome.NOT_APPLICABLE, None)
    assert (report.mode, report.head) == ("pre", builder.head())
    assert Outcome.UNKNOWN not in {result.outcome for result in report.results}


def test_command_that_was_not_run_is_no_pass(builder: RepositoryBuilder) -> None:
    """It is listed as unknown, with the reason, and blocks where it would; one that was not asked for is not listed."""
    builder.write("handoff-tui.toml", "[checks.own]\nrun = ['true']\nseverity = 'critical'\n").commit()
    past = open_desk_at(open_desk(builder.folder), "HEAD")
    report = build_report(past, Baseline(None, "none"), CheckRequest())
    own = next(result for result in report.results if result.id == "own")
    assert (own.outcome, own.blocking, report.verdict) == (Outcome.UNKNOWN, True, "blocked")
    assert "it was not run" in own.summary
    for request in (CheckRequest(excluded=("own",)), CheckRequest(only=("hashes-hold",))):
        other = build_report(past, Baseline(None, "none"), request)
        assert (other.verdict, "own" in {result.id for result in other.results}) == ("pass", False)


def test_report_by_settings_that_cannot_be_used_is_refused(builder: RepositoryBuilder) -> None:
    """Nothing is checked by other settings than those of then."""
    builder.write("handoff-tui.toml", "nonsense = 1\n").commit()
    (builder.folder / "handoff-tui.toml").unlink()
    past = open_desk_at(open_desk(builder.folder), "HEAD")
    with pytest.raises(ConfigError, match=rf"the settings of then, at {builder.head()[:7]}, [^\0]*nonsense"):
        build_report(past, Baseline(None, "none"), CheckRequest())


def test_baseline_of_a_branch_is_where_it_left(builder: RepositoryBuilder) -> None:
    """Without a log, as now."""
    builder.commit("one").step("checkout", "--quiet", "-b", "side").write("a").commit("two").write("b").commit("three")
    past = open_desk_at(open_desk(builder.folder), "HEAD~1")
    assert choose_baseline_then(past, None).commit == builder.head("main")
