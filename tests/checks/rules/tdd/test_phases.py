from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, Rule
from handoff_tui.checks.rules.tdd.phases import COMMIT_PREFIX_FITS_PHASE, PHASE_ORDER_LEGAL, RETRY_BUDGET_KEPT
from handoff_tui.checks.world import CommitInfo
from handoff_tui.handoffs.reading.format import CommitFact
from tests.support.cycles import commit_id, cycle_world, note, note_path
from tests.support.memory_files import MemoryFiles
from tests.support.world import MemoryWorld, find_subjects, judge

CYCLE = ("PLAN", "RED", "GREEN", "REFACTOR")


def test_phase_order_legal_passes_two_cycles_and_the_end() -> None:
    """REFACTOR leads to the next PLAN, or to the end."""
    first = [note(phase) for phase in CYCLE]
    second = [note(phase, cycleNumber=2) for phase in CYCLE[:3]]
    last = [note("REFACTOR", cycleNumber=2, nextPhase="COMPLETE"), note("COMPLETE", cycleNumber=2)]
    assert judge(PHASE_ORDER_LEGAL, cycle_world([*first, *second, *last])) == []


def test_phase_order_legal_allows_a_phase_to_be_tried_again() -> None:
    """GREEN that failed may announce GREEN and come again."""
    again = note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=1)
    assert judge(PHASE_ORDER_LEGAL, cycle_world([note("PLAN"), note("RED"), again, again])) == []


@pytest.mark.parametrize(
    ("phases", "subject", "expected", "position"),
    [
        (("PLAN", "GREEN"), "TDD-1 GREEN follows PLAN", "COMPLETE or RED", 1),
        (("PLAN", "RED", "REFACTOR"), "TDD-1 REFACTOR follows RED", "GREEN", 2),
        (("PLAN", "RED", "GREEN", "RED"), "TDD-1 RED follows GREEN", "REFACTOR", 3),
        (("GREEN",), "TDD-1 GREEN comes first", "PLAN", 0),
    ],
)
def test_phase_order_legal_names_a_step_out_of_order(
    phases: tuple[str, ...], subject: str, expected: str, position: int
) -> None:
    """With the note that should not have come, and what should."""
    (found,) = judge(PHASE_ORDER_LEGAL, cycle_world([note(phase) for phase in phases]))
    assert (found.subject, found.expected) == (subject, expected)
    assert found.place is not None
    assert found.place.path == note_path(position)


def test_phase_order_legal_looks_across_cycles() -> None:
    """A cycle that was left in GREEN may not be followed by the RED of the next."""
    notes = [*(note(phase) for phase in CYCLE[:3]), note("RED", cycleNumber=2)]
    assert find_subjects(PHASE_ORDER_LEGAL, cycle_world(notes)) == ["TDD-2 RED follows GREEN"]
    assert judge(PHASE_ORDER_LEGAL, cycle_world(notes), scope="TDD-1") == []


def test_phase_order_legal_does_not_guess_where_history_was_cut() -> None:
    """The first note that is seen need not be the first that was made."""
    world = cycle_world([note("RED"), note("GREEN")])
    assert len(judge(PHASE_ORDER_LEGAL, world)) == 1
    world.repository = world.repository.model_copy(update={"shallow": True})
    assert judge(PHASE_ORDER_LEGAL, world) == []


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        ({"nextPhase": "COMPLETE"}, "TDD-1 COMPLETE is to follow RED"),
        ({"nextPhase": "BLUE"}, "TDD-1 the next phase BLUE is none"),
        ({"phase": "BLUE"}, "TDD-1 BLUE is no phase"),
    ],
)
def test_phase_order_legal_reads_what_is_announced(fields: dict[str, object], subject: str) -> None:
    """A next phase that may not come, and words that are no phase."""
    found = judge(PHASE_ORDER_LEGAL, cycle_world([note("PLAN"), {**note("RED"), **fields}]))
    assert subject in [entry.subject for entry in found]


def test_phase_order_legal_refuses_repetition_without_failure() -> None:
    """GREEN that passed has no reason to announce GREEN."""
    notes = [note("PLAN"), note("RED"), note("GREEN", nextPhase="GREEN")]
    assert [found.actual for found in judge(PHASE_ORDER_LEGAL, cycle_world(notes))] == ["GREEN is to follow GREEN"]


def test_phase_order_legal_follows_the_files_of_the_history() -> None:
    """Without notes the files of the history and the present one form a chain."""
    files: dict[str, str | bytes] = {
        ".handoff/history/001.json": json.dumps(note("PLAN")),
        ".handoff/current.json": json.dumps(note("GREEN")),
    }
    assert find_subjects(PHASE_ORDER_LEGAL, MemoryWorld(files=files)) == ["TDD-1 GREEN follows PLAN"]
    files[".handoff/history/002.json"] = json.dumps(note("RED"))
    assert judge(PHASE_ORDER_LEGAL, MemoryWorld(files=files)) == []


def failed_green(count: int) -> dict[str, object]:
    return note("GREEN", nextPhase="GREEN", testResult="FAIL", retryCount=count)


@pytest.mark.parametrize("count", [0, 3, "2"])
def test_retry_budget_kept_passes_within_the_budget(count: object) -> None:
    """Up to three retries after the first try."""
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("PLAN"), note("RED"), note("GREEN", retryCount=count)])) == []


def test_retry_budget_kept_stops_beyond_it() -> None:
    """The fourth retry is a person's decision."""
    (found,) = judge(RETRY_BUDGET_KEPT, cycle_world([note("RED"), failed_green(4)]))
    assert (found.subject, found.actual) == ("TDD-1 GREEN retries", "4")
    assert "a person must decide" in found.message
    assert found.place is not None
    assert found.place.path == note_path(1)


def test_retry_budget_kept_takes_the_budget_from_the_configuration() -> None:
    """With none, the first retry is one too many."""
    world = cycle_world([note("RED"), failed_green(1)])
    assert judge(RETRY_BUDGET_KEPT, world) == []
    world.overrides["tdd.retry_budget"] = 0
    assert find_subjects(RETRY_BUDGET_KEPT, world) == ["TDD-1 GREEN retries"]


def test_retry_budget_kept_counts_the_steps_themselves() -> None:
    """A count that stays at zero hides neither tries nor failures."""
    world = cycle_world([note("PLAN"), note("RED"), *(failed_green(0) for _ in range(5))])
    assert [(found.subject, found.actual) for found in judge(RETRY_BUDGET_KEPT, world)] == [
        ("TDD-1 GREEN failures", "5"),
        ("TDD-1 GREEN tries", "4"),
    ]


def test_retry_budget_kept_calls_a_person_after_failures_in_a_row() -> None:
    """Three failed tries, though the budget would allow one more."""
    world = cycle_world([note("RED"), *(failed_green(count) for count in range(3))])
    assert find_subjects(RETRY_BUDGET_KEPT, world) == ["TDD-1 GREEN failures"]
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("RED"), failed_green(0), failed_green(1)])) == []


def test_retry_budget_kept_does_not_count_red_as_failure() -> None:
    """A test that is written three times failed three times as it should."""
    assert judge(RETRY_BUDGET_KEPT, cycle_world([note("RED") for _ in range(3)])) == []


def test_retry_budget_kept_refuses_a_count_that_is_none() -> None:
    """Words count nothing, so they do not pass as zero."""
    found = judge(RETRY_BUDGET_KEPT, cycle_world([note("GREEN", retryCount="many")]))
    assert [entry.subject for entry in found] == ["TDD-1 retry count"]


def test_commit_prefix_fits_phase_passes_the_usual_prefixes() -> None:
    """One per phase; the end has none."""
    phases = ("PLAN", "RED", "GREEN", "REFACTOR", "COMPLETE")
    assert judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note(phase) for phase in phases])) == []


@pytest.mark.parametrize("subject", ["feat: whistle", "fix: whistle", "feat(steam): whistle", "fix!: whistle", "feat:"])
def test_commit_prefix_fits_phase_accepts_either_word_and_a_scope(subject: str) -> None:
    """GREEN may be a feature or a fix."""
    assert judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note("GREEN")], subjects=[subject])) == []


@pytest.mark.parametrize("subject", ["test: whistle", "feature: whistle", "Whistle", "refeat: x", "feat whistle", ""])
def test_commit_prefix_fits_phase_names_a_commit_that_does_not(subject: str) -> None:
    """Another word, a longer word, no colon, nothing."""
    (found,) = judge(COMMIT_PREFIX_FITS_PHASE, cycle_world([note("GREEN")], subjects=[subject]))
    assert (found.subject, found.expected, found.actual) == (f"commit {commit_id(0)}", "feat: or fix:", subject)
    assert found.place is not None
    assert found.place.path == note_path(0)


def test_commit_prefix_fits_phase_takes_prefixes_from_the_configuration() -> None:
    """A repository may use words of its own."""
    world = cycle_world([note("GREEN")], subjects=["✨ whistle"])
    world.overrides["tdd.commit_prefixes"] = {"GREEN": ("✨",)}
    assert judge(COMMIT_PREFIX_FITS_PHASE, world) == []


def test_commit_prefix_fits_phase_reads_trailers_too() -> None:
    """A phase told by the commit's own trailer."""
    subject = "add whistle"
    body = f"{subject}\n\nTDD-Phase: GREEN\nTDD-Cycle: 1\n"
    name = commit_id(0)
    world = MemoryWorld(
        shelf=MemoryFiles({}, git_commits=(CommitFact(name, subject, body, "Ada", "2031-01-01"),)),
        log=(CommitInfo(name, (), "Ada", "ada@example.com", "2031-01-01", subject, body),),
    )
    assert find_subjects(COMMIT_PREFIX_FITS_PHASE, world) == [f"commit {name}"]


def test_commit_prefix_fits_phase_needs_an_annotated_commit() -> None:
    """No cycle, or none whose commits are among the newest."""
    old = cycle_world([note("GREEN")])
    old.log = ()
    for world in (MemoryWorld(), old):
        with pytest.raises(NotApplicableError):
            judge(COMMIT_PREFIX_FITS_PHASE, world)


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (PHASE_ORDER_LEGAL, MemoryWorld()),
        (RETRY_BUDGET_KEPT, MemoryWorld()),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)
