from __future__ import annotations

import pytest

from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import ObjectMissingError
from handoff_tui.core.place import Severity
from handoff_tui.decisions.decide import DecideRequest, PreparedDecision, prepare_decision
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.decisions.extra_confirmations import compare_read, find_extra_confirmations
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.open_log import open_log
from tests.support.gates import CODE, HANDOFF, GateDesk

NOTHING = StoredDrafts()
HANDOFF_TEXT = "# Handoff: adding\n\nStatus: COMPLETE\n\n- `src/app.py` adds.\n"
BROKEN_CLAIM = "# Handoff: adding\n\nStatus: COMPLETE\n\n- `src/none.py` is new.\n"


def prepare(desk: GateDesk, verb: DecisionVerb = DecisionVerb.APPROVE) -> PreparedDecision:
    opened = open_session(desk.root)
    return prepare_decision(opened, open_log(opened.repository), DecideRequest(verb, HANDOFF, reason=None))


@pytest.fixture
def desk(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> GateDesk:
    """Bo decides on work that was approved once and has changed since, so that there is a baseline."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert gate_desk.decide(bo, "approve").code == 0
    gate_desk.commit_log()
    gate_desk.change(CODE + "# more\n")
    bo.become(monkeypatch)
    return gate_desk


def list_demands(prepared: PreparedDecision, drafts: StoredDrafts) -> list[tuple[str, str]]:
    demands = find_extra_confirmations(prepared, drafts, compare_read(prepared.examined, drafts))
    return [(demand.text, demand.detail) for demand in demands]


def asks_name(prepared: PreparedDecision, drafts: StoredDrafts, *looked: str) -> bool:
    demands = find_extra_confirmations(prepared, drafts, compare_read(prepared.examined, drafts), looked)
    return any(demand.asks for demand in demands)


def read_all(prepared: PreparedDecision) -> StoredDrafts:
    """Every changed file marked, every document opened."""
    drafts = StoredDrafts()
    for change in compare_read(prepared.examined, drafts).changes:
        drafts = drafts.mark(change, viewed=True)
    for document in prepared.examined.handoff.documents:
        drafts = drafts.note_opened(document.path, document.sha256 or "")
    return drafts


def test_demands_follow_from_what_was_read(desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing when all was read; files and documents by name when not; who turns work back is asked for nothing."""
    prepared = prepare(desk)
    drafts = read_all(prepared)
    assert compare_read(prepared.examined, drafts).viewed == ("HANDOFF.md", "src/app.py")
    assert list_demands(prepared, drafts) == []
    assert list_demands(prepared, NOTHING) == [
        ("2 of 2 changed files are not marked as read", "HANDOFF.md and 1 more"),
        ("its document was not opened", "HANDOFF.md"),
    ]
    for verb in (DecisionVerb.REJECT, DecisionVerb.RETRY, DecisionVerb.HOLD, DecisionVerb.WITHDRAW):
        assert list_demands(replace(prepared, verb=verb), NOTHING) == []
    for verb in (DecisionVerb.CARRY, DecisionVerb.OVERRIDE, DecisionVerb.SKIP):
        assert len(list_demands(replace(prepared, verb=verb), NOTHING)) == 2
    assert list_demands(_lose_a_result(prepared), drafts) == [("1 check has no result", "lost")]
    _lose_the_files(monkeypatch)
    assert list_demands(prepared, drafts) == [("the files could not be compared, so none was read as a change", "gone")]


def test_name_is_typed_to_override_to_skip_and_for_problems_nobody_looked_at(desk: GateDesk) -> None:
    """What was merely not read is said, and signed without it."""
    prepared = prepare(desk)
    assert not asks_name(prepared, NOTHING)
    for verb in (DecisionVerb.OVERRIDE, DecisionVerb.SKIP):
        assert asks_name(replace(prepared, verb=verb), NOTHING)
    assert asks_name(_lose_a_result(prepared), read_all(prepared))
    assert not asks_name(_lose_a_result(prepared), read_all(prepared), "lost")


def test_marks_count_for_the_content_they_were_set_on(desk: GateDesk) -> None:
    """A file that changed after it was read, and a document that changed after it was opened, are unread."""
    drafts = read_all(prepare(desk))
    desk.builder.write("src/app.py", CODE + "# other\n").write("HANDOFF.md", HANDOFF_TEXT).commit("more")
    assert [detail for _, detail in list_demands(prepare(desk), drafts)] == ["HANDOFF.md and 1 more", "HANDOFF.md"]


def _lose_a_result(prepared: PreparedDecision) -> PreparedDecision:
    report = prepared.examined.report
    lost = CheckResult(
        id="lost", outcome=Outcome.TIMEOUT, severity=Severity.LOW, blocking=False, summary="it took too long"
    )
    changed = report.model_copy(update={"results": (*report.results, lost)})
    return replace(prepared, examined=replace(prepared.examined, report=changed))


def _lose_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def miss(*_: object) -> str:
        raise ObjectMissingError("gone")

    monkeypatch.setattr("handoff_tui.decisions.extra_confirmations.write_own_sides", miss)


def test_work_of_others_need_not_be_read(desk: GateDesk) -> None:
    """Only the handoff's own files are part of the decision."""
    drafts = read_all(prepare(desk))
    desk.builder.write("elsewhere.py", "x\n").commit("somebody else")
    assert list_demands(prepare(desk), drafts) == []


def test_file_may_be_read_in_steps(desk: GateDesk) -> None:
    """From the start to the first attempt, then on to the second."""
    (first,) = [one for one in compare_read(prepare(desk).examined, NOTHING).changes if one.path == "src/app.py"]
    desk.builder.write("src/app.py", CODE + "# other\n").commit("more")
    (whole,) = [one for one in compare_read(prepare(desk).examined, NOTHING).changes if one.path == "src/app.py"]
    step = whole._replace(old_id=first.new_id, old_mode=first.new_mode)
    assert not StoredDrafts().mark(step, viewed=True).is_viewed(whole)
    assert StoredDrafts().mark(step, viewed=True).mark(first, viewed=True).is_viewed(whole)


def test_hidden_characters_and_broken_claims_are_told(desk: GateDesk) -> None:
    """A zero-width space in a new line, with its place; a blocking check that an override goes over."""
    desk.builder.write("src/app.py", CODE + "# mo\u200bre\n").write("HANDOFF.md", BROKEN_CLAIM).commit("worse")
    prepared = prepare(desk, DecisionVerb.OVERRIDE)
    demands = list_demands(prepared, read_all(prepared))
    assert demands[0][0] == "1 blocking check does not pass"
    assert demands[1:] == [("1 place with hidden characters", "src/app.py:7")]
