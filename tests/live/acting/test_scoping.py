"""Correcting a scope in the app: shown first, written where the command line writes it, and undone."""

from __future__ import annotations

from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.live.state.app import CorrectionPart, CorrectionStage
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.live_desks import Onlooker, looking
from tests.support.repositories import RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"
TEXT = "# Handoff: b\n\nStatus: complete\n\nAll done.\n"


def build(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Two commits before a report, which can only be guessed to be its work, and one after it."""
    builder.write("README.md").commit("before").write("a.py", "1").commit("a")
    builder.write("b.py", "1").commit("b").write("HANDOFF.md", TEXT).commit("report")
    return builder.write("c.py", "1").commit("c")


def wait(onlooker: Onlooker, stage: CorrectionStage = CorrectionStage.READY) -> CorrectionPart:
    state = onlooker.wait_for(lambda state: state.correction is not None and state.correction.stage is stage)
    assert state.correction is not None
    return state.correction


def begin(onlooker: Onlooker, *claimed: str) -> CorrectionPart:
    state = onlooker.wait_until_live()
    key = HandoffKey(state.repositories[0].root, HANDOFF)
    onlooker.desk.scoping.begin(key, claimed)
    return wait(onlooker)


def test_files_are_listed_with_their_evidence(builder: RepositoryBuilder) -> None:
    """A guess is called a span; what nobody claims can be taken."""
    build(builder)
    with looking(builder.folder) as onlooker:
        part = begin(onlooker)
        assert [(row.path, row.source) for row in part.rows] == [
            ("HANDOFF.md", "declared"),
            ("a.py", "span"),
            ("b.py", "span"),
            ("c.py", ""),
        ]
        assert part.preview is None
        assert set(part.wanted) == {"HANDOFF.md", "a.py", "b.py"}


def test_claim_and_release_are_shown_then_written_then_undone(builder: RepositoryBuilder) -> None:
    """The queue follows each; the file is as before in the end: there was none."""
    build(builder)
    with looking(builder.folder) as onlooker:
        begin(onlooker)
        onlooker.desk.scoping.preview(("HANDOFF.md", "b.py", "c.py"), None)
        part = onlooker.wait_for(lambda state: state.correction is not None and state.correction.preview is not None)
        assert part.correction is not None
        assert part.correction.preview is not None
        moves = {move.handoff: (move.gains, move.loses) for move in part.correction.preview.moves}
        assert moves == {HANDOFF: (("c.py",), ("a.py",)), "": (("a.py",), ("c.py",))}
        assert not builder.place(REPOSITORY_FILE).exists()
        onlooker.desk.scoping.write()
        wait(onlooker, CorrectionStage.DONE)
        onlooker.wait_for(lambda state: _list_unclaimed(state) == ("a.py",))
        assert 'paths = ["HANDOFF.md", "b.py", "c.py"]' in builder.place(REPOSITORY_FILE).read_text()
        onlooker.desk.scoping.leave()
        assert begin(onlooker).undoable == HANDOFF
        onlooker.desk.scoping.undo()
        wait(onlooker, CorrectionStage.DONE)
        onlooker.wait_for(lambda state: _list_unclaimed(state) == ("c.py",))
        assert not builder.place(REPOSITORY_FILE).exists()


def test_claimed_file_older_than_the_handoff_moves_its_start(builder: RepositoryBuilder) -> None:
    """The unclaimed change is meant, so the statement begins before it."""
    builder.write("README.md").commit("before").write("one/HANDOFF.md", TEXT).commit("report")
    builder.write("loose.py", "1").commit("loose")
    builder.write("two/HANDOFF.md", TEXT).write("new.py", "1").step("add", "new.py", "two")
    with looking(builder.folder) as onlooker:
        state = onlooker.wait_until_live()
        assert _list_unclaimed(state) == ("loose.py",)
        key = next(item.key for item in state.inbox if "two" in item.key.handoff)
        onlooker.desk.scoping.begin(key, ("loose.py",))
        part = wait(onlooker)
        assert part.preview is not None
        assert "loose.py" in part.preview.after.results
        assert part.preview.correction.scope.since == builder.git("rev-parse", "HEAD~1").strip()


def test_correction_that_means_nothing_is_refused(builder: RepositoryBuilder) -> None:
    """A start that isn't a commit; nothing is written, and another choice is shown as usual."""
    build(builder)
    with looking(builder.folder) as onlooker:
        begin(onlooker)
        onlooker.desk.scoping.preview(("HANDOFF.md", "b.py"), "nowhere")
        refused = wait(onlooker, CorrectionStage.REFUSED)
        assert refused.trouble is not None
        assert "nowhere" in refused.trouble.message
        onlooker.desk.scoping.write()
        onlooker.desk.scoping.preview(("HANDOFF.md", "b.py"), None)
        assert wait(onlooker).preview is not None
        assert not builder.place(REPOSITORY_FILE).exists()


def test_undo_refuses_if_the_file_was_changed_since(builder: RepositoryBuilder) -> None:
    """Somebody else's edit is never lost."""
    build(builder)
    with looking(builder.folder) as onlooker:
        begin(onlooker, "c.py")
        onlooker.wait_for(lambda state: state.correction is not None and state.correction.preview is not None)
        onlooker.desk.scoping.write()
        wait(onlooker, CorrectionStage.DONE)
        text = builder.place(REPOSITORY_FILE).read_text() + "# by hand\n"
        builder.write(REPOSITORY_FILE, text)
        begin(onlooker)
        onlooker.desk.scoping.undo()
        refused = wait(onlooker, CorrectionStage.REFUSED)
        assert refused.trouble is not None
        assert "has changed since" in refused.trouble.message
        assert builder.place(REPOSITORY_FILE).read_text() == text


def _list_unclaimed(state: object) -> tuple[str, ...]:
    value = state.repositories[0].state.value  # type: ignore[attr-defined]
    return value.unclaimed if value is not None else ()
