"""An entry beside how things are now."""

from __future__ import annotations

from handoff_tui.decisions.views import GateView
from handoff_tui.log.entries.statement import parse_entry
from handoff_tui.log.show.view import EntryState, EntryView, EvidenceView, LogRow
from handoff_tui.tui.views.log.view import build_entry_detail, build_row_detail, find_changes, has_no_human
from tests.support.gate_views import build_gate_view
from tests.support.log_entries import build_statement, sign_statement
from tests.support.reviewed import list_lines

WORK = {"handoff": "H-1", "phase": "build", "attempt": 1}
SUBMITTED = LogRow(id="sha256:" + "a" * 64, state=EntryState.VALID, kind="submission", what="submit", **WORK)
DECIDED = LogRow(id="sha256:" + "b" * 64, state=EntryState.VALID, kind="decision", what="approve", **WORK)


def build_view(kind: str = "decision") -> EntryView:
    entry = parse_entry(sign_statement(build_statement(kind))).entry
    work = entry.work
    row = LogRow(
        id=entry.id,
        state=EntryState.VALID,
        kind=kind,
        what="approve",
        handoff=work.handoff if work else None,
        phase=work.phase if work else None,
        attempt=work.attempt if work else None,
    )
    evidence = tuple(EvidenceView(name=name, digest="0" * 64, present=True) for name in ("snapshot", "review"))
    return EntryView(row=row, entry=entry, size=9, places=("work tree",), policy=entry.id, evidence=evidence)


def build_gate(view: EntryView, **changes: str) -> GateView:
    assert view.entry is not None
    assert view.entry.work is not None
    work = view.entry.work
    subject = work.subject.model_copy(update=changes)
    report = {"handoff": work.handoff, "phase": work.phase, "policy": work.policy}
    return build_gate_view(report, subject=subject)


def test_entry_that_still_holds_says_so() -> None:
    """Everything it was bound to is compared with the gate as it is now."""
    view = build_view()
    text = "\n".join(list_lines(build_entry_detail(view, build_gate(view), (view.row,))))
    assert "✓ Everything it was bound to is unchanged." in text
    assert "Then and now" in text
    assert find_changes(view, build_gate(view)) == ()


def test_entry_that_was_outrun_names_what_changed() -> None:
    """Commit and tree, with what they are now; a policy that was replaced counts too."""
    view = build_view()
    gate = build_gate(view, commit="9" * 40, tree="8" * 40)
    text = "\n".join(list_lines(build_entry_detail(view, gate, (view.row,))))
    assert "≠ Changed since it was signed: commit, tree." in text
    assert "→ 999999999999" in text
    newer = gate.model_copy(update={"report": gate.report.model_copy(update={"policy": "sha256:" + "7" * 64})})
    assert find_changes(view, newer) == ("commit", "tree", "policy")


def test_entry_of_other_work_is_not_compared() -> None:
    """Nor one that is a policy, nor one whose gate was not read: nothing is guessed."""
    view = build_view()
    assert find_changes(view, build_gate_view({"handoff": "H-99"})) is None
    assert find_changes(build_view("policy"), build_gate(view)) is None
    text = "\n".join(list_lines(build_entry_detail(view, None, (view.row,))))
    assert "? Open its handoff (o) to see whether it still holds." in text


def test_missing_human_input_is_said() -> None:
    """A submission that nobody has decided about; a refused decision is no input either."""
    refused = DECIDED.model_copy(update={"state": EntryState.REFUSED})
    other = DECIDED.model_copy(update={"attempt": 2})
    assert has_no_human(SUBMITTED, (SUBMITTED, refused, other))
    assert has_no_human(refused, (SUBMITTED, refused))
    assert not has_no_human(SUBMITTED, (SUBMITTED, DECIDED))
    assert not has_no_human(DECIDED, (DECIDED,))
    lines = list_lines(build_row_detail(SUBMITTED, (SUBMITTED,)))
    assert "No human input is recorded for build of H-1, attempt 1." in "\n".join(lines)


def test_refused_row_says_why_before_it_was_read() -> None:
    """From the list alone, and safely."""
    row = LogRow(id="sha256:" + "c" * 64, state=EntryState.REFUSED, why="cut off\x1b[2K")
    assert "cut off␛[2K" in "\n".join(list_lines(build_row_detail(row, (row,))))
