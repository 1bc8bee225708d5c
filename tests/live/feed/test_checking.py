from __future__ import annotations

from threading import Event

from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.live.feed.checking import build_request, merge_reports, merge_results, run_asked
from handoff_tui.live.feed.snapshot import read_scene
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder


def test_checks_are_those_of_the_gate(builder: RepositoryBuilder) -> None:
    """For the handoff and its phase; before the first commit without a baseline."""
    builder.write("handoffs/H-1/H-1_RESULTS.md", "# Results: H-1\n\n## Status: PASS\n")
    request = build_request(read_scene(builder.folder, 1), "H-1", None)
    assert (request.handoff, request.baseline) == ("H-1", None)
    builder.commit()
    request = build_request(read_scene(builder.folder, 1), "h_1", "release")
    assert (request.handoff, request.phase) == ("H-1", "release")


def test_asked_checks_are_told_one_by_one(builder: RepositoryBuilder) -> None:
    """Some of them, or all."""
    scene = read_scene(build_work(builder).folder, 1)
    told: list[tuple[str, int, int]] = []

    def tell(result: CheckResult | None, done: int, total: int) -> None:
        told.append((result.id if result else "", done, total))

    report, commands = run_asked(scene, ("H-1", None, ("hashes-hold",)), tell, Event(), fresh=True)
    assert [result.id for result in report.results] == ["hashes-hold"]
    assert told == [("hashes-hold", 1, 1)]
    assert commands == ()


def test_results_of_some_take_their_places_among_all(builder: RepositoryBuilder) -> None:
    """The verdict follows from all of them."""
    scene = read_scene(build_work(builder).folder, 1)
    whole, _ = run_asked(scene, ("H-1", None, ()), lambda *_: None, Event(), fresh=False)
    some, _ = run_asked(scene, ("H-1", None, ("hashes-hold",)), lambda *_: None, Event(), fresh=True)
    merged = merge_reports(whole, some)
    assert [result.id for result in merged.results] == [result.id for result in whole.results]
    passed = [one.model_copy(update={"outcome": Outcome.PASS}) for one in whole.results]
    assert merge_results(whole, tuple(passed)).verdict == "pass"
    failed = [one.model_copy(update={"outcome": Outcome.FAIL, "blocking": True}) for one in whole.results]
    assert merge_results(whole, tuple(failed)).verdict == "blocked"
