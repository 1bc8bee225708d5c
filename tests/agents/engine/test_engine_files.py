"""The engine's files, trials and profiles."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.engine import files
from handoff_tui.agents.engine.engine import AgentOrder
from handoff_tui.agents.engine.profile import (
    ProfileReport,
    ProfileRun,
    ProfileTarget,
    build_latency,
    build_profile_page,
    run_profile,
)
from handoff_tui.agents.engine.trial import (
    RecordedActions,
    Trial,
    append_record,
    count_repeated,
    has_made_to_fail,
    read_records,
)
from handoff_tui.agents.procedures.plan import build_plan
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, RunRequest, TryKind
from handoff_tui.config.settings.procedures import Procedures, ReliabilityKind, ReliabilityProfile
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import HandoffError, ProcedureError, WorkerPresentError
from tests.support import procedure_runs
from tests.support.desk_states import list_lines
from tests.support.procedure_runs import REQUEST, build_report


def test_database_is_its_owners_alone_and_writes_ahead(tmp_path: Path) -> None:
    """It is made once, where git keeps its own files."""
    assert not files.has_database(tmp_path)
    place = files.prepare_database(tmp_path)
    assert place == tmp_path / "handoff-tui" / "engine.sqlite"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert (files.prepare_database(tmp_path), files.has_database(tmp_path)) == (place, True)


def test_link_in_the_place_of_the_database_is_refused(tmp_path: Path) -> None:
    """What it leads to is neither read nor written."""
    target = tmp_path / "elsewhere"
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui" / "engine.sqlite").symlink_to(target)
    with pytest.raises(HandoffError):
        files.prepare_database(tmp_path)
    assert not target.exists()


def test_worker_holds_its_place_alone(tmp_path: Path) -> None:
    """A second one is refused with the process that holds it; afterwards the place is free."""
    assert not files.has_worker(tmp_path)
    with files.hold_worker_lock(tmp_path):
        assert files.has_worker(tmp_path)
        assert not files.has_worker(tmp_path, files.ON_DEMAND_LOCK)
        with (
            pytest.raises(WorkerPresentError, match=r"already has a worker \(process \d+\)"),
            files.hold_worker_lock(tmp_path),
        ):
            pass
    with files.hold_worker_lock(tmp_path):
        pass


NOTHING = Event()


def build_trial(rate: float) -> Trial:
    return Trial(plan=procedure_runs.build_plan(), failure_rate=rate, application="x", address="sqlite://")


def test_every_piece_of_work_leaves_its_beginning_and_its_end(tmp_path: Path) -> None:
    """Steps and rollbacks alike, with whether they passed."""
    actions = RecordedActions(tmp_path, build_trial(0.0))
    assert actions.act(REQUEST, "one", NOTHING).passed
    assert actions.undo(REQUEST, "back", NOTHING).passed
    moments = [(record["name"], record["moment"], record.get("passed")) for record in read_records(tmp_path)]
    assert moments == [("one", "begin", None), ("one", "end", True), ("back", "begin", None), ("back", "end", True)]


def test_step_that_is_made_to_fail_fails_in_every_try(tmp_path: Path) -> None:
    """Otherwise its retries would hide it."""
    actions = RecordedActions(tmp_path, build_trial(1.0))
    assert [actions.act(REQUEST, "one", NOTHING).passed for _ in range(3)] == [False] * 3
    assert not actions.run_agent(REQUEST, AgentOrder(TryKind.STEP, "one", 1, 1.0), NOTHING).passed


def test_finished_work_that_is_begun_again_is_counted() -> None:
    """A failed one may be begun again; so may one that was cut short."""
    begin = {"run": "r", "kind": "step", "name": "one", "moment": "begin"}
    passed, failed = ({**begin, "moment": "end", "passed": word} for word in (True, False))
    assert count_repeated([begin, failed, begin, begin, passed]) == 0
    assert count_repeated([begin, passed, begin, passed]) == 1


def test_records_are_those_that_were_written_whole(tmp_path: Path) -> None:
    """The last line of a process that was killed while it wrote is none."""
    assert read_records(tmp_path) == []
    append_record(tmp_path, {"name": "one"})
    append_record(tmp_path, {"name": "two"})
    with (tmp_path / "record.jsonl").open("ab") as file:
        file.write(b'{"name": "thr')
    assert [record["name"] for record in read_records(tmp_path)] == ["one", "two"]


SETTINGS = Procedures()


@dataclass
class CountingEngine:
    """Ends every run at the second look; those that are made to fail are undone, stopped ones hang for ever."""

    trial: Trial
    hanging: frozenset[str] = frozenset()
    looks: dict[str, int] = field(default_factory=dict)
    requests: dict[str, RunRequest] = field(default_factory=dict)
    most: int = 0
    cancelled: list[str] = field(default_factory=list)

    def submit(self, request: RunRequest) -> str:
        self.requests[request.run_id] = request
        self.looks[request.run_id] = 0
        self.most = max(self.most, sum(look < 2 for look in self.looks.values()))
        return request.run_id

    def wake(self, run: str) -> None:
        raise AssertionError(run)

    def cancel(self, run: str) -> None:
        self.cancelled.append(run)

    def view(self, run: str) -> ProcedureRun | None:
        request = self.requests[run]
        finished = self.looks[run] >= 2 and request.handoff not in self.hanging
        failed = has_made_to_fail(request, self.trial)
        state = ProcedureState.ROLLBACK if failed else ProcedureState.COMPLETED
        asked = request.asked or 0.0
        return ProcedureRun(
            id=run,
            request=request,
            state=state,
            finished=finished,
            created=asked,
            ended=asked + 1.0 if finished else None,
        )

    def list(self, limit: int = 100) -> tuple[ProcedureRun, ...]:
        for run in self.looks:
            self.looks[run] += 1
        return tuple(found for run in self.requests if (found := self.view(run)) is not None)[-limit:]

    def close(self) -> None: ...


def run_counted(
    profile: ReliabilityProfile, hanging: frozenset[str] = frozenset()
) -> tuple[ProfileRun, CountingEngine]:
    trial = Trial(
        plan=procedure_runs.build_plan(), failure_rate=profile.failure_rate, application="x", address="sqlite://"
    )
    engine = CountingEngine(trial, hanging)
    run = ProfileRun(engine, ProfileTarget("NAME", "P", profile, "memory"), trial)
    run.run()
    return run, engine


def build_profile(**changes: float) -> ReliabilityProfile:
    values: dict[str, object] = {
        "kind": ReliabilityKind.RELIABILITY,
        "iterations": 20,
        "timeout_seconds": 30.0,
        "concurrent_maximum": 4,
        **changes,
    }
    return ReliabilityProfile.model_validate(values)


def test_no_more_runs_than_allowed_are_under_way() -> None:
    """The rest follows when some have ended, until all are done."""
    run, engine = run_counted(build_profile())
    report = run.build_report(SETTINGS, 1.0, 0)
    assert (engine.most, report.completed, report.success_rate, report.as_expected) == (4, 20, 1.0, 20)
    assert (report.latency and report.latency.median) == pytest.approx(1.0)


def test_runs_that_were_made_to_fail_are_expected_to_be_undone() -> None:
    """Success and rollback are counted apart, and together they are all runs."""
    run, _ = run_counted(build_profile(failure_rate=0.2))
    report = run.build_report(SETTINGS, 1.0, 0)
    assert report.injected == report.rolled_back > 0
    assert (report.completed + report.rolled_back, report.as_expected, report.rollback_rate) == (20, 20, 1.0)


def test_run_that_takes_too_long_is_given_up_and_told_to_end() -> None:
    """It is counted as out of time, and the others come to their end."""
    run, engine = run_counted(build_profile(timeout_seconds=0.3, iterations=5), hanging=frozenset({"trial-2"}))
    report = run.build_report(SETTINGS, 1.0, 0)
    assert (report.completed, report.timed_out) == (4, 1)
    assert engine.cancelled == ["trial-2:trial:1:P:1"]


@pytest.mark.parametrize(
    ("procedure", "seconds", "gate"),
    [("PHASE_TRANSITION_STANDARD", 165, "validate_handoff"), ("AGENT_HANDOFF_STANDARD", 110, "confirm_handoff")],
)
def test_standard_procedures_are_planned_as_declared(procedure: str, seconds: float, gate: str) -> None:
    """Four steps whose times come to the declared sum, and a person before the last of them."""
    plan = build_plan(SETTINGS, procedure)
    assert (len(plan.steps), sum(step.timeout_seconds for step in plan.steps)) == (4, seconds)
    assert [step.name for step in plan.steps if step.gate] == [gate] == [plan.steps[-1].name]
    assert {rule.id for rule in plan.rules} == set(SETTINGS.procedures[procedure].rules)


@given(st.lists(st.floats(min_value=0, max_value=1e6), min_size=1, max_size=60))
def test_percentiles_are_measured_figures_in_order(seconds: list[float]) -> None:
    """Each is one of the metrics, none is below the one before, and the last is the longest."""
    latency = build_latency(seconds)
    assert latency is not None
    figures = [latency.median, latency.p90, latency.p95, latency.p99, latency.longest]
    assert set(figures) <= set(seconds)
    assert figures == sorted(figures)
    assert latency.longest == max(seconds)


SHORT = {"iterations": 6, "concurrent_maximum": 3}


def build_settings(**changes: object) -> Settings:
    """The usual settings with every profile cut short."""
    usual = Settings()
    profiles = {
        name: profile.model_copy(update={**SHORT, **changes}) for name, profile in usual.procedures.profiles.items()
    }
    return usual.model_copy(update={"procedures": usual.procedures.model_copy(update={"profiles": profiles})})


def check_report(report: ProfileReport, runs: int) -> None:
    assert (report.iterations, report.as_expected, report.repeated, report.timed_out) == (runs, runs, 0, 0)
    assert report.latency is not None
    assert 0 < report.latency.median <= report.latency.longest
    assert report.held


def test_profile_with_failures_holds_on_the_real_engine() -> None:
    """Some runs are made to fail, and every one of them is undone; the others complete."""
    seen: list[tuple[int, int]] = []
    settings = build_settings(failure_rate=0.2)
    report = run_profile(settings, "FAILURE_INJECTION_STANDARD", None, lambda done, total: seen.append((done, total)))
    check_report(report, 6)
    assert report.completed + report.rolled_back + report.failed == 6
    assert report.injected == 6 - report.completed > 0
    assert seen[-1] == (6, 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(Settings().procedures.profiles))
def test_every_standard_profile_holds(name: str) -> None:
    """All six, as they are declared, both procedures in turn."""
    settings = Settings()
    procedure = "AGENT_HANDOFF_STANDARD" if name.startswith("PERF") else None
    profile = settings.procedures.profiles[name]
    check_report(run_profile(settings, name, procedure), int(profile.iterations * profile.stress_factor))


@pytest.mark.short
@pytest.mark.parametrize(
    ("name", "procedure", "words"),
    [("RELIABILITY", None, "no profile 'RELIABILITY'"), ("RELIABILITY_STANDARD", "OWN", "no procedure 'OWN'")],
)
def test_unknown_names_are_refused_with_the_known_ones(name: str, procedure: str | None, words: str) -> None:
    """Nothing is started for them."""
    with pytest.raises(ProcedureError, match=words) as refused:
        run_profile(Settings(), name, procedure)
    assert "STANDARD" in refused.value.message


def test_page_of_a_profile_that_did_not_hold_says_so() -> None:
    """With what spoke against it."""
    lines = list_lines(build_profile_page(build_report(repeated=2, timed_out=3, latency=None)))
    assert lines[0].startswith("✗ did not hold")
    assert any(line.endswith("2 passed steps") for line in lines)
    assert any(line.endswith("3 runs") for line in lines)
