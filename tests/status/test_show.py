from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.handoffs.session import open_desk
from handoff_tui.status.refresh import refresh
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.show import show, show_again
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff\n\n**Status**: done\n**Agent**: heron\n\n## Files created\n\n- `a.py`\n\n## Next steps\n\n- go\n"


@pytest.fixture
def noted(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("HANDOFF.md", NOTE).commit("first").write("HANDOFF.md", NOTE + "- on\n").commit("second")


def shown_in(folder: Path, wanted: str = "notes/HANDOFF.md") -> ShownHandoff:
    desk = open_desk(folder)
    return show(desk, refresh(desk), wanted)


def test_history_of_the_documents_is_told_newest_first(noted: RepositoryBuilder) -> None:
    """The commits that touched them."""
    assert [revision.subject for revision in shown_in(noted.folder).history] == ["second", "first"]


def test_claims_are_measured(noted: RepositoryBuilder) -> None:
    """The file that was never written contradicts."""
    states = {verdict.claim.subject: verdict.state.value for verdict in shown_in(noted.folder).verdicts}
    assert states["a.py"] == "contradicted"


@pytest.mark.parametrize(("name", "produced"), [("Heron", True), ("Ada", False)])
def test_reviewer_who_produced_it_is_told(
    noted: RepositoryBuilder,
    isolated_user: Path,
    name: str,
    produced: bool,  # noqa: FBT001
) -> None:
    """The name in the user's own configuration, whatever the repository says of it."""
    (isolated_user / "gitconfig").write_text(f"[user]\n\tname = {name}\n", encoding="utf-8")
    noted.config("user.name", "Somebody Else")
    reviewer = shown_in(noted.folder).reviewer
    assert reviewer is not None
    assert (reviewer.name, reviewer.produced_this) == (name, produced)


def test_nobody_configured_is_nobody(noted: RepositoryBuilder) -> None:
    """Without a user's name there is no reviewer, even if the repository offers one."""
    noted.config("user.name", "Somebody Else")
    assert shown_in(noted.folder).reviewer is None


@pytest.mark.parametrize(("wanted", "hint"), [("notes/HANDOF.md", "notes/HANDOFF.md"), ("zzz", "lists the ids")])
def test_unknown_id_is_refused_with_what_was_meant(noted: RepositoryBuilder, wanted: str, hint: str) -> None:
    """Near ids are named, otherwise the way to the list."""
    with pytest.raises(HandoffNotFoundError) as refused:
        shown_in(noted.folder, wanted)
    assert hint in refused.value.hint


def test_empty_repository_says_so(builder: RepositoryBuilder) -> None:
    """Where there are no handoffs at all, no id can be right."""
    with pytest.raises(HandoffNotFoundError) as refused:
        shown_in(builder.folder, "H-1")
    assert "no handoffs" in refused.value.hint


@pytest.mark.parametrize("wanted", ["h_29_1a", "29.1a", "HANDOFF 29.1A", "./handoffs/RESULTS_HANDOFF_29_1A.md"])
def test_handoff_is_found_however_its_name_is_written(builder: RepositoryBuilder, wanted: str) -> None:
    """Separators, case and the kind of a number do not matter; a document leads to its handoff."""
    results = "# RESULTS: HANDOFF_29.1A\n\n## Status: PASS\n\n## Files Created\n\n- none\n"
    builder.write("handoffs/RESULTS_HANDOFF_29_1A.md", results).commit("one")
    assert shown_in(builder.folder, wanted).reviewed.handoff.id == "H-29.1A"


def test_gate_counts_what_only_a_close_look_finds(builder: RepositoryBuilder) -> None:
    """The number of false claims above is that of the list below."""
    baseline = "## Baseline Snapshot\n\n- Packages installed: 7\n"
    results = f"# RESULTS: HANDOFF_4\n\n## Status: PASS\n\n## Files Created\n\n- none\n\n{baseline}"
    builder.write("RESULTS_HANDOFF_4.md", results).write("PKG-A-001/manifest.json", "{}").commit("one")
    shown = shown_in(builder.folder, "H-4")
    assert shown.reviewed.claims.contradicted == 1
    assert "1 claim is false: baseline packages (RESULTS_HANDOFF_4.md:11)" in shown.reviewed.gate.blocking


def test_missing_state_file_is_told_and_blocks(builder: RepositoryBuilder) -> None:
    """A session cannot be taken over without its blockers."""
    builder.write(".mosaic/agent_state.json", '{"last_agent": "wren", "next_agent": "owl"}')
    builder.write(".mosaic/current_task.json", '{"task_id": "T1", "status": "complete"}').commit("one")
    shown = shown_in(builder.folder, "mosaic")
    assert [problem.path for problem in shown.problems] == [".mosaic/blockers.json"]
    assert ".mosaic/blockers.json is missing" in shown.reviewed.gate.blocking


def test_shown_again_after_a_save_is_what_would_be_shown(builder: RepositoryBuilder) -> None:
    """History and reviewer are taken over; claims, problems and the gate are as of now."""
    build_work(builder, handoffs=1)
    desk = open_desk(builder.folder)
    before = show(desk, refresh(desk), "H-1")
    builder.write("src/part.py", "value = 3\n")
    desk = open_desk(builder.folder)
    state = refresh(desk)
    now = show(desk, state, "H-1")
    assert now != before
    assert show_again(before, state, now.verdicts, None) == now
