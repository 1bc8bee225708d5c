"""The log: rows, the graph beside them, an entry beside how things are now."""

from __future__ import annotations

from typing import Any

import pytest

from handoff_tui.decisions.views import GateView
from handoff_tui.log.entries.statement import parse_entry
from handoff_tui.log.show.view import EntryState, EntryView, LogRow, ShownEvidence, ShownLog
from handoff_tui.tui.views.log.rows import MOST_LANES, LogRows, build_graph, filter_log
from handoff_tui.tui.views.log.view import build_entry_detail, build_row_detail, find_changes, has_no_human
from tests.support.desk_states import list_lines
from tests.support.gate_views import build_gate_view
from tests.support.log_keys import build_statement, sign_statement


def build_row(name: str, **changes: Any) -> LogRow:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {
        "id": f"sha256:{name * 64}"[:71],
        "state": EntryState.VALID,
        "kind": "decision",
        "what": "approve",
        "time": "2026-01-02T03:04:05Z",
        "actor": "ada@example.org",
        "roles": ("reviewer",),
        "handoff": "H-1",
        "phase": "build",
        "attempt": 2,
    }
    return LogRow(**{**fields, **changes})


ROWS = (
    build_row("c", head=True, parents=("sha256:" + "b" * 64,)),
    build_row("b", what="submit", kind="submission", actor="claude", roles=("agent",), parents=("sha256:" + "a" * 64,)),
    build_row("a", what="policy 1", kind="policy", handoff=None, phase=None, attempt=None, state=EntryState.VOID),
    LogRow(id="sha256:" + "d" * 64, state=EntryState.REFUSED, code="bad-envelope", why="cut off\x1b[2K"),
)


def build_view(rows: tuple[LogRow, ...] = ROWS) -> ShownLog:
    return ShownLog(fatal=False, log=None, policy=None, heads=(), total=len(rows), rows=rows, problems=())


def read_rows(rows: LogRows, width: int) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(n, width)).rstrip() for n in range(len(rows.keys))]


def test_rows_tell_state_act_person_and_work() -> None:
    """Where there is room, when and in what role; what could not be read says why, and cannot repaint anything."""
    assert [" ".join(row.split()) for row in read_rows(LogRows(build_view()), 78)] == [
        "● ✓ valid approve ada@example.org H-1 2026-01-02 03:04",
        "● ✓ valid submit claude H-1 2026-01-02 03:04",
        "● ⊘ void policy 1 ada@example.org 2026-01-02 03:04",
        "● ✗ refused cut off␛[2K",
    ]
    wide = LogRows(build_view())
    assert "2026-01-02 03:04" in read_rows(wide, 140)[0]
    assert "reviewer" in read_rows(wide, 140)[0]
    assert "STATE" in "".join(cell.text for cell in wide.build_heading(78))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "cbad"),
        ("who:ada", "ca"),
        ("who:claude verb:submit", "b"),
        ("handoff:h-1", "cb"),
        ("verb:policy", "a"),
        ("phase:build state:valid", "cb"),
        ("role:agent", "b"),
        ("kind:decision", "c"),
        ("id:ddd", "d"),
        ("cut", "d"),
        ("CLAUDE build", "b"),
        ("odd:thing", ""),
    ],
)
def test_filter_takes_words_and_fields(text: str, found: str) -> None:
    """Every word must fit; a field asks for one thing only."""
    assert "".join(row.id[7] for row in filter_log(ROWS, text)) == found


def test_filtered_rows_have_no_graph() -> None:
    """Lines between entries that are not there would lie."""
    rows = LogRows(build_view(), "who:ada")
    assert [row[0] for row in read_rows(rows, 78)] == ["●", "●"]
    assert rows.find(ROWS[0].id) is ROWS[0]
    assert rows.find("") is None


def build_rows(text: str) -> list[LogRow]:
    """`c:b b:a a`: entries newest first, each with its parents after the colon."""
    pairs = (word.partition(":") for word in text.split())
    return [
        LogRow(id=name, state=EntryState.VALID, parents=tuple(parents.split(",")) if parents else ())
        for name, _, parents in pairs
    ]


@pytest.mark.parametrize(
    ("entries", "graph"),
    [
        ("", []),
        ("c:b b:a a", ["●", "●", "●"]),
        ("d:c,b c:a b:a a", ["●─╮", "● │", "├─●", "●"]),
        ("one:a two:a a", ["●", "├─●", "●"]),
        ("m:x,y,z x:a y:a z:a a", ["●─┬─╮", "● │ │", "├─● │", "├───●", "●"]),
        ("p:q lost q:gone r", ["●", "│ ●", "●", "●"]),
        ("a:b b:a", ["●", "●"]),
    ],
)
def test_graph_shows_what_follows_what(entries: str, graph: list[str]) -> None:
    """Straight, forked, merged, without a parent, and in a circle that no log can have."""
    assert build_graph(build_rows(entries)) == graph


def test_graph_stays_narrow() -> None:
    """A log with fifty heads is drawn in as many columns as there is room for."""
    graph = build_graph(build_rows(" ".join([*(f"h{n}:a{n}" for n in range(50)), *(f"a{n}" for n in range(50))])))
    assert len(graph) == 100
    assert max(map(len, graph)) <= 2 * MOST_LANES


WORK: dict[str, Any] = {"handoff": "H-1", "phase": "build", "attempt": 1}
SUBMITTED = LogRow(id="sha256:" + "a" * 64, state=EntryState.VALID, kind="submission", what="submit", **WORK)
DECIDED = LogRow(id="sha256:" + "b" * 64, state=EntryState.VALID, kind="decision", what="approve", **WORK)


def build_entry_view(kind: str = "decision") -> EntryView:
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
    evidence = tuple(ShownEvidence(name=name, digest="0" * 64, present=True) for name in ("snapshot", "review"))
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
    view = build_entry_view()
    text = "\n".join(list_lines(build_entry_detail(view, build_gate(view), (view.row,))))
    assert "✓ Everything it was bound to is unchanged." in text
    assert "Then and now" in text
    assert find_changes(view, build_gate(view)) == ()


def test_entry_that_was_outrun_names_what_changed() -> None:
    """Commit and tree, with what they are now; a policy that was replaced counts too."""
    view = build_entry_view()
    gate = build_gate(view, commit="9" * 40, tree="8" * 40)
    text = "\n".join(list_lines(build_entry_detail(view, gate, (view.row,))))
    assert "≠ Changed since it was signed: commit, tree." in text
    assert "→ 999999999999" in text
    newer = gate.model_copy(update={"report": gate.report.model_copy(update={"policy": "sha256:" + "7" * 64})})
    assert find_changes(view, newer) == ("commit", "tree", "policy")


def test_entry_of_other_work_is_not_compared() -> None:
    """Nor one that is a policy, nor one whose gate was not read: nothing is guessed."""
    view = build_entry_view()
    assert find_changes(view, build_gate_view({"handoff": "H-99"})) is None
    assert find_changes(build_entry_view("policy"), build_gate(view)) is None
    text = "\n".join(list_lines(build_entry_detail(view, None, (view.row,))))
    assert "? Enter opens its handoff and says whether it still holds." in text


def test_missing_human_input_is_said() -> None:
    """A submission that nobody has decided about; a refused decision isn't input either."""
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
