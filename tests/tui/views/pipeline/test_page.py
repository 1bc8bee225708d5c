from __future__ import annotations

import dataclasses

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.checks.result import Outcome
from handoff_tui.git.file_diff import ChangedFile, FileChange, FileKind
from handoff_tui.live.state.app import AppState, Drafts, FilesView, Loaded, RepositoryPart
from handoff_tui.log.show.view import LogView
from handoff_tui.status.pipeline import AttemptView, PipelineView
from handoff_tui.tui.views.pipeline.page import build_pipeline_page
from tests.support.check_reports import build_report, build_result
from tests.support.desk_states import make_state
from tests.support.reviewed import list_lines


def read(state: AppState, phase: str | None = None) -> list[str]:
    return list_lines(build_pipeline_page(state, phase))


def test_page_of_no_handoff_is_empty() -> None:
    """Nothing is chosen, nothing is said."""
    assert read(AppState()) == []


def test_page_tells_the_next_move_and_what_is_not_run() -> None:
    """Checks that did not run are not called passed."""
    lines = read(make_state())
    assert lines[0] == "next    you: review and decide"
    assert "checks  not run yet" in lines


def test_page_names_the_checks_that_block() -> None:
    """The first few, with what they found."""
    results = [build_result(f"check-{number}", Outcome.FAIL, blocking=True) for number in range(6)]
    state = dataclasses.replace(make_state(), checks=Loaded(build_report(*results)))
    lines = read(state)
    assert any(line.startswith("checks  ■ blocked") for line in lines)
    assert sum("✗ fail  check-" in line for line in lines) == 4
    assert "        … and 2 more" in lines


def test_page_tells_how_much_was_read_and_whether_the_log_is_sound() -> None:
    """Files by their marks; a log that is not intact before all others."""
    files = tuple(ChangedFile(FileChange("M", name, None, "", "", "", ""), FileKind.TEXT) for name in ("a", "b"))
    pair = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="x"))
    log = LogView(fatal=False, log=None, policy=None, heads=(), total=41, rows=(), problems=())
    state = dataclasses.replace(
        make_state(),
        files=Loaded(FilesView(pair, files, counted=True)),
        drafts=Drafts(viewed=frozenset({"a"})),
        log=Loaded(log),
    )
    lines = read(state)
    assert "read    1 of 2 changed files read" in lines
    assert "log     ✓ intact  41 signed entries" in lines
    broken = dataclasses.replace(state, repositories=(RepositoryPart("/desk", "desk", fatal=("an entry is gone",)),))
    assert "log     ✗ not intact: an entry is gone" in read(broken)


def test_page_lists_tries_and_says_which_are_signed() -> None:
    """What a file tells is not what was signed; one phase alone where it is named."""
    tries = (
        AttemptView(phase="build", number=1, outcome="PASS", who="heron"),
        AttemptView(phase="build", number=1, outcome="reject", who="nika", reason="no tests", entry="sha256:1"),
        AttemptView(phase="plan", number=1, outcome="approve", who="nika", entry="sha256:2"),
    )
    view = PipelineView(attempts=tries, retry_budget=1, spent=1, failure_target="build")
    state = dataclasses.replace(make_state(), pipeline=Loaded(view))
    text = "\n".join(read(state))
    assert "PASS (claimed)  build · heron" in text
    assert "reject (signed)  build · nika  no tests" in text
    assert "1 of 1 used; a person must decide now; failed work goes back to build" in text
    assert "approve" not in "\n".join(read(state, "BUILD"))
