"""The public JSON shapes of the log."""

from __future__ import annotations

from handoff_tui.log.entry import LogProblem, ProblemLevel
from handoff_tui.log.show.page import (
    build_bundle_json,
    build_entry_json,
    build_log_json,
    build_report_json,
    name_verdict,
)
from handoff_tui.log.show.view import EntryState, EntryView, LogReport, LogRow, LogView

ID = "sha256:" + "a" * 64
ROW = LogRow(id=ID, state=EntryState.REFUSED, code="bad-envelope", why="cut off")
PROBLEM = LogProblem(level=ProblemLevel.FATAL, code="rollback", entry=ID, text="is gone")


def test_verification_has_the_promised_shape() -> None:
    """verdict, entries, heads, log, problems with level, code, entry and text."""
    report = LogReport(fatal=True, entries=3, heads=(ID,), log=ID, anchor="none", problems=(PROBLEM,))
    value = build_report_json(report)
    assert value["schema"] == "handoff-tui/log-verify/v1"
    assert {name: value[name] for name in ("verdict", "entries", "heads", "log")} == {
        "verdict": "fatal",
        "entries": 3,
        "heads": [ID],
        "log": ID,
    }
    assert value["problems"] == [{"level": "FATAL", "code": "rollback", "entry": ID, "text": "is gone"}]
    assert value["second_opinions"] is None


def test_list_has_a_row_for_each_entry() -> None:
    """What could not be read is null, and an empty reason too."""
    good = LogRow(id=ID, state=EntryState.VALID, what="approve")
    view = LogView(fatal=False, log=ID, policy=ID, heads=(ID,), total=2, rows=(ROW, good), problems=(PROBLEM,))
    value = build_log_json(view)
    assert (value["schema"], value["verdict"], value["total"]) == ("handoff-tui/log/v1", "clean", 2)
    entries = value["entries"]
    assert isinstance(entries, list)
    assert (entries[0]["state"], entries[0]["why"], entries[0]["time"]) == ("refused", "cut off", None)
    assert (entries[1]["why"], entries[1]["what"]) == (None, "approve")


def test_entry_has_its_row_and_all_else() -> None:
    """An entry that is none has null in its place."""
    value = build_entry_json(EntryView(row=ROW, entry=None, size=3, places=("work tree",)), ("README.md",))
    assert (value["schema"], value["id"], value["entry"]) == ("handoff-tui/log-show/v1", ID, None)
    assert (value["places"], value["extracted"], value["followers"]) == (["work tree"], ["README.md"], [])


def test_bundle_tells_where_it_is() -> None:
    """The file and its size."""
    value = build_bundle_json("log.tar", 10240)
    assert value == {"schema": "handoff-tui/log-bundle/v1", "file": "log.tar", "bytes": 10240}
    assert (name_verdict(fatal=True), name_verdict(fatal=False)) == ("fatal", "clean")
