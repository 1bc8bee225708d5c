"""The documents of a handoff, driven as a person would."""

from __future__ import annotations

import pytest
from textual import events
from textual.pilot import Pilot

from handoff_tui.core.classes import replace
from handoff_tui.core.place import Place
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Document, DocumentRole, Heading
from handoff_tui.live.state.app import PACKET, AppState, Loaded, OpenDocument, RepositoryPart, Trouble
from handoff_tui.log.review_record import Comment
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.dialogs.comment import CommentScreen
from handoff_tui.tui.messages import (
    CommentRemoved,
    CommentWanted,
    CommentWritten,
    CopyWanted,
    DocumentWanted,
    EditorWanted,
)
from handoff_tui.tui.views.documents.panel import DocumentLines
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import ROOT, build_state, make_item
from tests.support.screens import at_desk, compare_looks, get_app, list_asked, settle

SPEC, RESULTS = "handoffs/H-1/SPEC.md", "handoffs/H-1/RESULTS.md"
TEXT = """# H-1: A lamp

## Mission

Build a lamp that can be **switched**, see [the plan](https://example.org/plan).
12 tests pass.

## Files

| file | what |
|------|------|
| `lamp.py` | the lamp |

- it is lit
- it is not

```sh
make lamp
```

## Risks

> It may be dark.
"""
SPEC_DOCUMENT = Document(
    path=SPEC,
    role=DocumentRole.SPEC,
    sections=(
        Heading(title="H-1: A lamp", line=1, level=1),
        Heading(title="Mission", line=3),
        Heading(title="Files", line=8),
        Heading(title="Risks", line=21),
    ),
    missing=("Test plan",),
    out_of_order=("Files",),
)
WRONG = Verdict(
    claim=Claim(text="12 tests", kind=ClaimKind.COUNT, where=Place(path=SPEC, line=6)),
    state=VerdictState.CONTRADICTED,
    measured=11,
    evidence="counted",
)


def build_desk(document: OpenDocument | None, **changes: object) -> AppState:
    item = make_item("H-1")
    documents = (SPEC_DOCUMENT, Document(path=RESULTS, role=DocumentRole.RESULTS))
    handoff = item.reviewed.handoff.model_copy(update={"documents": documents})
    reviewed = item.reviewed.model_copy(update={"handoff": handoff})
    item = item._replace(reviewed=reviewed)
    desk = AppState(
        repositories=(RepositoryPart(ROOT, "lamp", Loaded(build_state()), Watching.LIVE),),
        inbox=(item,),
        chosen=item.key,
        shown=Loaded(ShownHandoff(reviewed=reviewed, verdicts=(WRONG,))),
        open_document=document.path if document else None,
        document=Loaded(document),
    )
    return replace(desk, **changes)  # type: ignore[arg-type]


DESK = build_desk(OpenDocument(SPEC, TEXT, SPEC_DOCUMENT))


def get_line(pilot: Pilot[None]) -> int:
    return get_app(pilot).main_screen.view.query_one(DocumentLines).place


@pytest.mark.usefixtures("still_clock")
@at_desk(DESK)
async def test_document_looks_as_committed(pilot: Pilot[None]) -> None:
    """Rendered beside its outline."""
    await settle(pilot, "enter", "4")
    await compare_looks(pilot, "documents")


@at_desk(build_desk(None), size=(100, 30))
async def test_first_document_is_asked_for_once(pilot: Pilot[None], app: StillApp) -> None:
    """Whoever opens the view sees the agent's own document; brackets step through the others and the packet."""
    screen = await settle(pilot, "enter", "4")
    assert "✗ Test plan missing" not in screen
    app.give(replace(build_desk(None), generation=2))
    await settle(pilot)
    wanted = [one.path for one in list_asked(pilot, DocumentWanted)]
    assert wanted == [RESULTS]
    app.give(DESK)
    screen = await settle(pilot, "right_curly_bracket", "left_curly_bracket")
    wanted = [one.path for one in list_asked(pilot, DocumentWanted)]
    assert wanted[1:] == [RESULTS, PACKET]
    assert "✗ Test plan missing" in screen
    assert "Files ≠ out of order" in screen


@at_desk(DESK)
async def test_sections_are_stepped_through_and_jumped_to(pilot: Pilot[None]) -> None:
    """From the text by brackets, from the outline by Enter."""
    await settle(pilot, "enter", "4", "right_square_bracket", "right_square_bracket")
    assert get_line(pilot) == 8
    await settle(pilot, "left_square_bracket")
    assert get_line(pilot) == 3
    await settle(pilot, "shift+tab", "j", "j", "j", "j", "enter")
    assert get_line(pilot) == 21
    assert isinstance(get_app(pilot).focused, DocumentLines)


@at_desk(DESK, size=(100, 40))
async def test_raw_text_keeps_the_place(pilot: Pilot[None]) -> None:
    """The line under the cursor is the same rendered and raw; numbers stand in front."""
    await settle(pilot, "enter", "4", "right_square_bracket", "right_square_bracket", "right_square_bracket")
    screen = await settle(pilot, "V")
    assert get_line(pilot) == 21
    assert "21 │## Risks" in screen
    assert "**switched**" in screen
    assert "✗ false: measured 11 (counted)" in screen
    assert "**switched**" not in await settle(pilot, "V")


@at_desk(DESK)
async def test_line_of_a_claim_is_told_in_the_status_line(pilot: Pilot[None]) -> None:
    """With what was measured."""
    screen = await settle(pilot, "enter", "4", "V", *["j"] * 5)
    assert get_line(pilot) == 6
    assert "✗ false: measured 11 (counted)" in screen.splitlines()[-2]


@at_desk(DESK)
async def test_remark_is_written_on_a_range(pilot: Pilot[None], app: StillApp) -> None:
    """V begins the range, c asks for the words, Enter keeps them; c on such a line edits its comment."""
    screen = await settle(pilot, "enter", "4", "V", "j", "j", "v", "j", "j")
    assert "lines 3 to 5" in screen
    await settle(pilot, "c")
    assert [(one.line, one.end_line) for one in list_asked(pilot, CommentWanted)] == [(3, 5)]
    assert isinstance(app.screen, CommentScreen)
    await settle(pilot, *"why?", "ctrl+j", *"tell", "enter")
    (written,) = [one.comment for one in list_asked(pilot, CommentWritten)]
    assert written == Comment(text="why?\ntell", path=SPEC, line=3, end_line=5)
    app.give(replace(DESK, drafts=replace(DESK.drafts, comments=(written,))))
    assert "┊ you  lines 3-5: why?" in await settle(pilot)
    await settle(pilot, "g", "j", "j", "j", "c", "end", *" now", "enter")
    again = list_asked(pilot, CommentWanted)[-1]
    assert (again.line, again.end_line, again.instead_of) == (3, 5, written)
    assert [one.comment for one in list_asked(pilot, CommentRemoved)] == [written]


@at_desk(DESK)
async def test_remark_that_is_left_is_not_written(pilot: Pilot[None], app: StillApp) -> None:
    """Escape leaves the box, an empty one writes nothing, and the desk's keys are letters in it."""
    await settle(pilot, "enter", "4", "c", "a", "x", "escape", "c", "enter")
    assert not isinstance(app.screen, CommentScreen)
    assert not any(isinstance(one, CommentWritten) for one in app.asked)


@at_desk(DESK)
async def test_paste_into_a_comment_keeps_its_lines_and_ends_nothing(pilot: Pilot[None], app: StillApp) -> None:
    """A line end in it is no Enter; the box stays open until somebody presses that."""
    await settle(pilot, "enter", "4", "c")
    app.post_message(events.Paste("why\n\tlike this?\x1b[2J\r\n"))
    await settle(pilot)
    assert isinstance(app.screen, CommentScreen)
    await settle(pilot, "enter")
    [written] = [one.comment.text for one in list_asked(pilot, CommentWritten)]
    assert written == "why\n    like this?␛[2J"


@at_desk(DESK)
async def test_editor_and_clipboard_get_the_line(
    pilot: Pilot[None], app: StillApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`e` opens the file at the line, `y` copies it as it is written, `Y` its path."""
    monkeypatch.setattr(StillApp, "run_outside", lambda *_: None)
    await settle(pilot, "enter", "4", "V", *["j"] * 5, "y", "Y")
    copied = [one.text for one in list_asked(pilot, CopyWanted)]
    assert copied == ["12 tests pass.", SPEC]
    await settle(pilot, "o")
    assert [(one.path, one.line) for one in list_asked(pilot, EditorWanted)] == [(SPEC, 6)]


@at_desk(DESK)
async def test_find_goes_from_hit_to_hit(pilot: Pilot[None]) -> None:
    """And says when there is none."""
    await settle(pilot, "enter", "4", "V", "slash", *"lamp", "enter")
    assert get_line(pilot) == 1
    await settle(pilot, "n")
    assert get_line(pilot) == 5
    await settle(pilot, "N", "N")
    assert get_line(pilot) == 18
    assert 'No matches for "kettle" in this document' in await settle(pilot, "slash", *"kettle")


@at_desk(DESK)
async def test_pane_is_zoomed_and_back(pilot: Pilot[None]) -> None:
    """`z` gives the whole width to the text, and takes it back."""
    assert "─ Documents" in await settle(pilot, "enter", "4")
    assert "─ Documents" not in await settle(pilot, "z")
    assert "─ Documents" in await settle(pilot, "z")


def test_long_document_is_rendered_without_waiting_for_it() -> None:
    """On a thread; its sections come with it. One that is too long is raw, and says so."""
    long = OpenDocument(RESULTS, "".join(f"## Section {n}\n\nwords **{n}**\n\n" for n in range(1_000)))
    longer = OpenDocument(RESULTS, long.text * 10)

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "enter", "4")
        await app.workers.wait_for_complete()
        screen = await settle(pilot)
        assert "Section 3" in screen
        assert "1000 sections" in screen
        app.give(build_desk(longer))
        screen = await settle(pilot)
        assert "Too long to render" in screen
        assert "line 1 of 40,000 lines" in screen

    drive(StillApp(build_desk(long)), script, (100, 30))


@at_desk(build_desk(OpenDocument("state.json", "x" * 10_000_000)))
async def test_huge_lines_stay_usable(pilot: Pilot[None]) -> None:
    """Ten million characters without a line end: cut, said so, and every key is answered."""
    screen = await settle(pilot, "enter", "4")
    assert "(10,000,000 characters)" in screen
    screen = await settle(pilot, *["l"] * 5, "G", "g", "j")
    assert "Other form: it isn't Markdown" in await settle(pilot, "V")


@pytest.mark.parametrize(
    ("desk", "words"),
    [
        (replace(DESK, document=Loaded()), "reading…"),
        (replace(DESK, document=Loaded(trouble=Trouble("it is gone", "Look again."))), "✗ it is gone Look again."),
        (build_desk(OpenDocument(SPEC, "cut", truncated=True)), "Only the beginning is shown"),
    ],
)
def test_missing_document_says_why(desk: AppState, words: str) -> None:
    """Nothing chosen, not read yet, not readable, cut."""

    async def script(pilot: Pilot[None]) -> None:
        assert words in await settle(pilot, "enter", "4")

    drive(StillApp(desk), script)
