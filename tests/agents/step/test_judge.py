"""What counts against a run, and where the work goes next."""

from __future__ import annotations

import pytest

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.runs.run import RunEnd, RunEnding
from handoff_tui.agents.step.judge import MeasuredRun, add_budget, can_retry, find_notices, judge_run
from handoff_tui.agents.step.report import Budget, Direction, Notice, Route, Sign, StepOutcome, TrailEntry
from handoff_tui.agents.step.route import (
    HandoffProgress,
    find_enterable,
    find_failure_target,
    find_next,
    find_passed,
    find_phase,
    find_source,
)
from handoff_tui.agents.step.trail import find_failed_target
from handoff_tui.config.pipeline import EVERYTHING, Passing, Phase, Pipeline
from handoff_tui.config.settings.formats import Hub
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES, PipelineSettings
from handoff_tui.core.errors import AgentRunError, PipelineDoneError, UsageError
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import find_pipeline

BEFORE = Observation(head="a", branch="refs/heads/main", refs={"refs/heads/main": "a"}, tree="t1")

AFTER = BEFORE.model_copy(update={"head": "b", "tree": "t2", "refs": {"refs/heads/main": "b"}})

GOOD = RunEnd(ending=RunEnding.EXITED, code=0)


def find(
    end: RunEnd = GOOD, before: Observation = BEFORE, after: Observation = AFTER, output: str = ""
) -> dict[Sign, Notice]:
    patterns = tuple(Hub().suspicious_output)
    return {notice.sign: notice for notice in find_notices(MeasuredRun(end, before, after, output, patterns))}


@pytest.mark.parametrize(
    ("end", "signs"),
    [
        (GOOD, []),
        (RunEnd(ending=RunEnding.NOT_STARTED, failure="x: gone"), [Sign.NOT_STARTED]),
        (RunEnd(ending=RunEnding.EXITED, code=2), [Sign.FAILED]),
        (RunEnd(ending=RunEnding.SIGNALLED, signal=11), [Sign.FAILED]),
        (RunEnd(ending=RunEnding.TIMED_OUT, signal=15), [Sign.TIMED_OUT]),
        (RunEnd(ending=RunEnding.STOPPED, code=0), [Sign.STOPPED]),
        (RunEnd(ending=RunEnding.FLOODED, signal=15), [Sign.FLOODED]),
        (RunEnd(ending=RunEnding.LOST), [Sign.LOST]),
        (RunEnd(ending=RunEnding.EXITED, code=0, left_running=2), [Sign.LEFT_RUNNING]),
        (RunEnd(ending=RunEnding.EXITED, code=0, output_rewritten=True), [Sign.OUTPUT_REWRITTEN]),
    ],
)
def test_every_bad_end_is_noticed(end: RunEnd, signs: list[Sign]) -> None:
    """A commit on its own branch counts against nobody."""
    assert list(find(end)) == signs


def test_exit_code_of_zero_without_work_is_noticed() -> None:
    """A failed run without work has failed already."""
    assert list(find(after=BEFORE)) == [Sign.DID_NOTHING]
    assert list(find(RunEnd(ending=RunEnding.EXITED, code=1), after=BEFORE)) == [Sign.FAILED]
    assert find_notices(MeasuredRun(GOOD, BEFORE, BEFORE, may_change_nothing=True)) == []


def test_traceback_in_the_output_is_mentioned_only() -> None:
    """Tools print them all the time. What the agent ends with counts, as do its exit code and what it left behind."""
    trace = "Traceback (most recent call last):\nAssertionError\n"
    assert find(output=f"{trace}1 failed\nfixed\n3 passed\n")[Sign.ERROR_IN_OUTPUT].severity is Severity.LOW
    assert find(output=trace)[Sign.ERROR_IN_OUTPUT].severity is Severity.LOW
    assert find(output="HTTP 500\n" + "line\n" * 9)[Sign.ERROR_IN_OUTPUT].severity is Severity.LOW
    assert find(output="line\nHTTP 500 from the model\n")[Sign.ERROR_IN_OUTPUT].severity is Severity.MEDIUM
    notices = find_notices(MeasuredRun(GOOD, BEFORE, AFTER, trace, tuple(Hub().suspicious_output)))
    assert judge_run(GOOD, notices, (), None, has_gate=False).outcome is StepOutcome.READY


@pytest.mark.parametrize(
    ("change", "sign", "severity"),
    [
        ({"refs": {}, "branch": "refs/heads/main"}, Sign.BRANCH_DELETED, Severity.CRITICAL),
        ({"branch": "refs/heads/other"}, Sign.BRANCH_MOVED, Severity.HIGH),
        ({"branch": None}, Sign.BRANCH_MOVED, Severity.HIGH),
        ({"problem": "gone"}, Sign.UNREADABLE, Severity.CRITICAL),
        ({"own": {".handoff-tui/x": "1"}}, Sign.OWN_FOLDER_EDITED, Severity.HIGH),
        ({"own": {".handoff-tui/log/aa/x": "1"}}, Sign.OWN_FOLDER_EDITED, Severity.MEDIUM),
        ({"rules": {"handoff-tui.toml": "1"}}, Sign.CHECKS_EDITED, Severity.CRITICAL),
        ({"git_files": {"config": "2"}}, Sign.GIT_EDITED, Severity.HIGH),
        ({"guarded": {"~/.ssh": "2"}}, Sign.WROTE_OUTSIDE, Severity.HIGH),
        ({"neighbours": {"/x": "2"}}, Sign.WROTE_OUTSIDE, Severity.MEDIUM),
        ({"repository_tree": "t9"}, Sign.WROTE_OUTSIDE, Severity.HIGH),
    ],
)
def test_every_trespass_is_noticed(change: dict[str, object], sign: Sign, severity: Severity) -> None:
    """With how bad it is."""
    assert find(after=AFTER.model_copy(update=change))[sign].severity is severity


def test_deleted_and_changed_decisions_are_critical() -> None:
    """Both are named."""
    before = BEFORE.model_copy(update={"own": {"a": "1", "b": "1", "c": "1"}})
    after = AFTER.model_copy(update={"own": {"a": "2", "c": "1"}})
    notice = find(before=before, after=after)[Sign.OWN_FOLDER_EDITED]
    assert (notice.severity, notice.places) == (Severity.CRITICAL, ("a", "b"))


def test_folder_that_is_gone_is_one_notice() -> None:
    """Everything in it is gone with it."""
    before = BEFORE.model_copy(update={"own": {"a": "1"}, "rules": {"handoff-tui.toml": "1"}})
    after = Observation(problem="it is not a folder")
    assert {Sign.OWN_FOLDER_EDITED, Sign.CHECKS_EDITED}.isdisjoint(found := find(before=before, after=after))
    assert found[Sign.UNREADABLE].severity is Severity.CRITICAL


def test_moved_branch_of_somebody_else_is_noticed() -> None:
    """New branches are not."""
    before = BEFORE.model_copy(update={"refs": {**BEFORE.refs, "refs/heads/theirs": "x"}})
    after = AFTER.model_copy(update={"refs": {**AFTER.refs, "refs/heads/theirs": "y", "refs/heads/new": "b"}})
    assert find(before=before, after=after)[Sign.BRANCH_MOVED].places == ("refs/heads/theirs",)


@pytest.mark.parametrize(
    "line",
    ["HTTP 500 from upstream", "Traceback (most recent call last):", "sh: claude: command not found", "panic: oh"],
)
def test_errors_in_the_output_of_a_good_run_are_quoted(line: str) -> None:
    """A failed run has failed already, and says so itself."""
    output = f"all is well\n  {line}\nbye\n"
    assert find(output=output)[Sign.ERROR_IN_OUTPUT].places == (line,)
    assert Sign.ERROR_IN_OUTPUT not in find(RunEnd(ending=RunEnding.EXITED, code=1), output=output)


def test_worst_notice_comes_first_and_places_are_bounded() -> None:
    """The rest is a number."""
    many = {f"/n/{number}": "2" for number in range(50)}
    after = AFTER.model_copy(update={"neighbours": many, "problem": "gone"})
    worst, other = find_notices(MeasuredRun(GOOD, BEFORE, after))
    assert [worst.severity, other.severity] == [Severity.CRITICAL, Severity.MEDIUM]
    assert other.places[-1] == "and 30 more"


def test_folder_beside_is_only_mentioned() -> None:
    """Others write there all the time; a file beside, or a new folder, is another matter."""
    before = BEFORE.model_copy(update={"neighbours": {"/w/other": "40755 9 1 7", "/w/a.txt": "100644 9 1 8"}})

    def find_beside(change: dict[str, str]) -> Notice:
        after = AFTER.model_copy(update={"neighbours": before.neighbours | change})
        return find(before=before, after=after)[Sign.WROTE_OUTSIDE]

    touched = find_beside({"/w/other": "40755 9 2 7"})
    assert (touched.severity, touched.places) == (Severity.LOW, ("/w/other",))
    for change in ({"/w/a.txt": "100644 9 2 8"}, {"/w/new": "40755 9 2 9"}, {"/w/other": "100644 9 2 7"}):
        assert find_beside(change).severity is Severity.MEDIUM


CRITICAL = Notice(sign=Sign.CHECKS_EDITED, severity=Severity.CRITICAL, text="edited")

WORRY = Notice(sign=Sign.ERROR_IN_OUTPUT, severity=Severity.MEDIUM, text="errors")

STOPPED = RunEnd(ending=RunEnding.STOPPED)


@pytest.mark.parametrize(
    ("end", "notices", "gate", "outcome"),
    [
        (GOOD, [], True, StepOutcome.READY),
        (GOOD, [CRITICAL], True, StepOutcome.NEEDS_HUMAN),
        (STOPPED, [CRITICAL], True, StepOutcome.NEEDS_HUMAN),
        (STOPPED, [], True, StepOutcome.STOPPED),
        (GOOD, [WORRY], True, StepOutcome.READY),
        (GOOD, [WORRY], False, StepOutcome.NEEDS_HUMAN),
    ],
)
def test_outcome_follows_from_the_worst(
    end: RunEnd, notices: list[Notice], outcome: StepOutcome, *, gate: bool
) -> None:
    """Tampering always needs a person; a worry only where no gate has one look anyway."""
    assert judge_run(end, notices, (), None, has_gate=gate).outcome is outcome


def test_failure_names_checks_and_problem_and_asks_for_a_person_when_the_budget_is_used_up() -> None:
    """Only a failure does, and only after the last run."""
    failed = judge_run(GOOD, [], ("a", "b"), "no such handoff", has_gate=True)
    assert tuple(failed) == (StepOutcome.FAILED, ("no such handoff", "blocking checks do not pass: a, b"))
    assert add_budget(failed, Budget(used=3, allowed=3)) == failed
    spent = add_budget(failed, Budget(used=4, allowed=3))
    assert (spent.outcome, spent.why[-1]) == (StepOutcome.NEEDS_HUMAN, "the retry budget of 4 runs is used up")
    ready = judge_run(GOOD, [], (), None, has_gate=True)
    assert add_budget(ready, Budget(used=9, allowed=3)) == ready


@pytest.mark.parametrize(
    ("end", "outcome", "expected"),
    [
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.TIMED_OUT), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.LOST), StepOutcome.FAILED, True),
        (RunEnd(ending=RunEnding.NOT_STARTED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.FLOODED), StepOutcome.FAILED, False),
        (RunEnd(ending=RunEnding.EXITED, code=1), StepOutcome.NEEDS_HUMAN, False),
        (GOOD, StepOutcome.FAILED, False),
    ],
)
def test_only_what_failed_by_itself_is_retried(end: RunEnd, outcome: StepOutcome, *, expected: bool) -> None:
    """A missing program stays missing; failing checks send the work back instead."""
    assert can_retry(end, outcome) is expected


DEV, FREE = Phase(name="DEV", gate=True), Phase(name="DEV", gate=False)

QA, DEPLOY = Phase(name="QA"), Phase(name="DEPLOY", human_only=True)


TDD = DEFAULT_PIPELINES["tdd"].build("tdd")

HUB = DEFAULT_PIPELINES["hub"].build("hub")


def build_handoff(source: str | None, target: str | None = None, dialect: str = "tdd") -> Handoff:
    return Handoff(id="X-1", dialect=dialect, source_phase=source, target_phase=target)


def route(
    pipeline: Pipeline, handoff: Handoff, gate: GateName, wanted: str | None = None, failed: str | None = None
) -> Route:
    """With every gate before the work opened."""
    source = pipeline.find(handoff.source_phase) or pipeline.phases[0]
    passed = frozenset(phase.name for phase in pipeline.phases[: pipeline.phases.index(source)])
    return HandoffProgress(pipeline, handoff, source, gate, passed, failed=failed).build_route(wanted)


def entry(phase: str, outcome: StepOutcome, *, counted: bool = True) -> TrailEntry:
    return TrailEntry(phase=phase, attempt=1, number=1, outcome=outcome, why="", counted=counted)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("PLAN", None, "RED"),
        ("RED", None, "GREEN"),
        ("GREEN", None, "REFACTOR"),
        ("green", None, "REFACTOR"),
    ],
)
def test_open_gate_leads_to_the_next_phase(source: str, target: str | None, expected: str) -> None:
    """Along the edge that the handoff names, else along the first."""
    found = route(TDD, build_handoff(source, target), GateName.APPROVED)
    assert (found.phase, found.direction) == (expected, Direction.FORWARD)


def test_next_cycle_is_another_handoff() -> None:
    """Where each cycle has an id of its own, the edge back to the first phase ends this one."""
    with pytest.raises(PipelineDoneError, match="REFACTOR is the last phase"):
        route(TDD, build_handoff("REFACTOR", "PLAN"), GateName.APPROVED)


@pytest.mark.parametrize("gate", [GateName.REJECTED, GateName.RETRY])
def test_work_that_was_sent_back_is_done_again(gate: GateName) -> None:
    """In the same phase."""
    found = route(TDD, build_handoff("GREEN"), gate)
    assert (found.phase, found.direction) == ("GREEN", Direction.AGAIN)


@pytest.mark.parametrize("gate", sorted(set(GateName) - {"approved", "overridden", "skipped", "rejected", "retry"}))
def test_closed_gate_starts_nobody(gate: GateName) -> None:
    """Neither by itself, nor when the next phase is named."""
    with pytest.raises(AgentRunError, match="waits at the gate of GREEN"):
        route(TDD, build_handoff("GREEN"), gate)
    with pytest.raises(AgentRunError, match="gate of DEV is not open"):
        route(HUB, build_handoff("DEV", dialect="hub"), gate, "QA")


def test_phase_can_be_done_again_or_gone_back_to() -> None:
    """Whatever the gate says; a phase further on cannot be reached by leaving one out."""
    assert route(HUB, build_handoff("SEC"), GateName.PENDING, "sec").direction is Direction.AGAIN
    assert route(HUB, build_handoff("SEC"), GateName.PENDING, "DEV").direction is Direction.BACK
    with pytest.raises(AgentRunError, match="does not follow") as refused:
        route(HUB, build_handoff("DEV"), GateName.APPROVED, "SEC")
    assert "decide skip" in refused.value.hint


def test_failed_work_goes_where_the_pipeline_says() -> None:
    """DEV for all but DOCS; where nothing is said, to the same phase."""
    assert find_failure_target(HUB, find_phase(HUB, "QA")).name == "DEV"
    assert find_failure_target(HUB, find_phase(HUB, "DOCS")).name == "DOCS"
    assert find_failure_target(TDD, find_phase(TDD, "GREEN")).name == "GREEN"
    trail = (entry("QA", StepOutcome.FAILED),)
    failed = find_failed_target(HUB, trail)
    found = route(HUB, build_handoff("QA"), GateName.PENDING, failed=failed)
    assert (found.phase, found.direction) == ("DEV", Direction.FAILED)
    assert route(HUB, build_handoff("QA"), GateName.PENDING, "DEV", failed).direction is Direction.FAILED


_OWN = PipelineSettings(phases=(Phase(name="patch"),))


def test_pipeline_is_the_dialects_or_that_of_the_phase() -> None:
    """Or the one that a run began in, whatever the documents say now; None if none fits."""
    pipelines = {"tdd": DEFAULT_PIPELINES["tdd"], "team": DEFAULT_PIPELINES["hub"], "own": _OWN}
    assert find_pipeline(build_handoff("RED"), pipelines) == TDD
    relayed = build_handoff("qa", dialect="relay")
    assert [getattr(find_pipeline(relayed, pipelines, begun=begun), "name", "") for begun in (None, "own", "gone")] == [
        "team",
        "own",
        "team",
    ]
    assert find_pipeline(build_handoff("other", dialect="relay"), pipelines) is None


@pytest.mark.parametrize("names", [("QA 1", "qa-1"), ("ship", "Ship"), ("a", "a")])
def test_phases_that_the_log_cannot_tell_apart_are_refused(names: tuple[str, str]) -> None:
    """A decision on one would open the other."""
    with pytest.raises(ValueError, match=r"twice|can't tell apart"):
        PipelineSettings.model_validate({"phases": [{"name": name} for name in names]})


def test_phase_whose_work_is_there_is_found() -> None:
    """As said, as people decided since, and never behind a closed gate; else the first."""
    assert find_source(TDD, "GREEN", (), find_enterable(TDD, {"RED"})).name == "GREEN"
    assert find_source(TDD, "GREEN", (), find_enterable(TDD, {"PLAN"})).name == "RED"
    assert find_source(TDD, "GREEN", [("PLAN", True)], find_enterable(TDD, {"RED"})).name == "PLAN"
    assert find_source(TDD, "PLAN", [("red", False)], find_enterable(TDD, {"PLAN", "RED"})).name == "RED"
    assert find_source(TDD, "GREEN", [("PLAN", False)], find_enterable(TDD, {"PLAN", "RED"})).name == "GREEN"
    assert find_source(TDD, None, (), find_enterable(TDD, ())).name == "PLAN"
    with pytest.raises(AgentRunError, match="no phases"):
        find_source(Pipeline(name="x", phases=(), edges=()), None, (), ())


def test_unknown_phase_is_refused_with_the_known_ones() -> None:
    """In any letters it is known."""
    assert TDD.find("pLaN") is not None
    with pytest.raises(UsageError, match="no phase 'BLUE'") as refused:
        find_phase(TDD, "BLUE")
    assert "PLAN, RED, GREEN" in refused.value.hint


def test_last_phase_has_nothing_behind_it() -> None:
    """It is said, not guessed."""
    with pytest.raises(AgentRunError, match="last phase"):
        route(TDD, build_handoff("COMPLETE"), GateName.APPROVED)
    assert find_next(TDD, find_phase(TDD, "COMPLETE")) is None


def test_phase_without_a_gate_is_open_to_work_that_did_not_fail() -> None:
    """Nobody has to decide behind it; but work that failed does not pass."""
    pipeline = TDD.model_copy(
        update={"phases": tuple(phase.model_copy(update={"gate": False}) for phase in TDD.phases)}
    )
    assert route(pipeline, build_handoff("RED"), GateName.PENDING).phase == "GREEN"
    with pytest.raises(AgentRunError, match="not open"):
        route(pipeline, build_handoff("PLAN"), GateName.PENDING, "COMPLETE", failed="PLAN")


def test_edge_says_what_is_passed_on() -> None:
    """Work that comes back, or is done again, brings everything."""
    forward = Route(pipeline="tdd", phase="RED", source="PLAN", direction=Direction.FORWARD)
    assert find_passed(TDD, forward) == (Passing.DOCUMENTS, Passing.TASKS)
    assert find_passed(TDD, forward.model_copy(update={"direction": Direction.BACK})) == EVERYTHING
    assert find_passed(TDD, forward.model_copy(update={"source": "GREEN"})) == EVERYTHING
