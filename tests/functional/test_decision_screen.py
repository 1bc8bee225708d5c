"""The decision dialog under somebody's hands: which keys sign, which do not, and what is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import replace
from handoff_tui.decisions.views import ExtraConfirmation
from handoff_tui.live.state.app import AppState, DecisionPart, DecisionStage, DiffRange, Drafts, RepositoryPart, Trouble
from handoff_tui.status.inbox_item import HandoffKey, InboxItem
from handoff_tui.tui import messages
from handoff_tui.tui.dialogs.box import PAUSE_SECONDS, read_time
from handoff_tui.tui.dialogs.decision.screen import DecisionScreen, is_same_to_sign
from handoff_tui.tui.widgets.bars import Bar
from handoff_tui.tui.widgets.page_view import PageView, join
from tests.support.desk_app import StillApp, drive, read_screen
from tests.support.desk_states import build_reviewed
from tests.support.gate_views import build_decision_view, build_gate_view
from tests.support.screens import at_desk, compare_screen, get_app, list_asked, settle
from tests.support.waiting import LONGEST_SECONDS

KEY = HandoffKey("/lamp", "H-1")
ITEM = InboxItem(KEY, "lamp", build_reviewed(), True, "build")  # noqa: FBT003 - it waits on whoever sits here
NEXT = ITEM._replace(key=HandoffKey("/lamp", "H-2"))
DESK = AppState(repositories=(RepositoryPart("/lamp", "lamp", reviewer="cy@x"),), inbox=(ITEM, NEXT), chosen=KEY)
VIEW = build_decision_view(reason="")
PREPARING = DecisionPart("approve", KEY, DecisionStage.PREPARING, needs_reason=False)
READY = replace(PREPARING, stage=DecisionStage.READY, view=VIEW)
REJECTING = replace(READY, verb="reject", needs_reason=True)
OVERRIDING = replace(
    REJECTING, verb="override", demands=(ExtraConfirmation("1 blocking check does not pass", "tests"),)
)
CHARACTERS = {"enter": "\r", "space": " ", "tab": "\t"}
SOON = PAUSE_SECONDS / 2


class Hands:
    """Somebody at the dialog. Keys carry the times that are given to them: nothing here depends on a fast machine."""

    def __init__(self, app: StillApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self._clock = read_time() + 1_000

    @property
    def dialog(self) -> DecisionScreen:
        return cast("DecisionScreen", self.app.screen)

    @property
    def text(self) -> str:
        return read_screen(self.app)

    @property
    def confirmed(self) -> list[messages.DecisionConfirmed]:
        return [one for one in self.app.asked if isinstance(one, messages.DecisionConfirmed)]

    async def press(self, *keys: str, apart: float = 1.0) -> None:
        """Keys one after the other, so many seconds apart."""
        for key in keys:
            self._clock += apart
            await self.press_at(self._clock, key)

    async def press_at(self, when: float, *keys: str) -> None:
        """Keys that were pressed at that time."""
        for key in keys:
            event = events.Key(key, key if len(key) == 1 else CHARACTERS.get(key))
            event.time = when
            self.app.post_message(event)
            await self.pilot.pause()

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        deadline = read_time() + LONGEST_SECONDS
        while not holds():
            assert read_time() < deadline, self.text
            await self.pilot.pause(0.02)

    async def wait_for(self, words: str) -> None:
        await self.wait_until(lambda: words in self.text)

    async def settle(self) -> None:
        """Until the box listens: something in it has the focus."""
        await self.wait_until(lambda: self.app.focused is not None and self.app.screen is self.dialog)

    async def give(self, part: DecisionPart | None) -> None:
        """The decision stands elsewhere now."""
        self.app.give(replace(DESK, decision=part))
        await self.pilot.pause()


def deciding(
    part: DecisionPart, *, settled: bool = True, size: tuple[int, int] = (80, 24)
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Makes a test of what somebody does at the dialog on a part, once it listens."""

    async def meet(pilot: Pilot[None], given: dict[str, Any]) -> dict[str, Any]:
        hands, shown = Hands(get_app(pilot), pilot), given.get("part", part)
        hands.app.post_message(messages.DecisionWanted(shown.verb))
        await pilot.pause()
        await hands.give(shown)
        if settled:
            await hands.settle()
        return {"hands": hands}

    return at_desk(DESK, size=size, meet=meet)


@deciding(READY)
async def test_confirm_signs_what_is_shown_once_it_is_armed(hands: Hands) -> None:
    """One press of its own key, and the very part that is on the screen goes along."""
    await hands.wait_for("Ready: ^s signs as cy@x")
    await hands.press("ctrl+s")
    assert [one.part for one in hands.confirmed] == [READY]
    await hands.press("ctrl+s")
    assert len(hands.confirmed) == 1


@deciding(READY)
async def test_no_other_key_signs(hands: Hands) -> None:
    """Neither Enter, nor Space, nor a letter or a digit, however often."""
    for key in ("enter", "space", "y", "a", "1", "ctrl+j", "ctrl+m", "tab", "ctrl+enter", "S", "enter", "enter"):
        await hands.press(key)
    assert hands.confirmed == []
    assert isinstance(hands.app.screen, DecisionScreen)


@deciding(READY, settled=False)
async def test_typed_ahead_keys_are_dropped_and_counted(hands: Hands) -> None:
    """Keys that were on their way before the box could be read mean nothing, and it says how many there were."""
    painted = read_time()  # it cannot have been painted later
    await hands.press_at(painted + SOON - 60, "ctrl+s", "y", "enter")
    assert hands.confirmed == []
    await hands.wait_for("Ignored keys typed before this box appeared (3)")
    await hands.press("ctrl+s")
    assert len(hands.confirmed) == 1


def test_keys_typed_before_the_box_opened_open_no_second_one() -> None:
    """`a x r` in one go: one dialog, for the first of them."""
    app = StillApp(DESK)

    async def script(pilot: Pilot[None]) -> None:
        for verb in ("approve", "reject", "retry"):
            app.post_message(messages.DecisionWanted(verb))
        await pilot.pause()
        app.give(replace(DESK, decision=PREPARING))
        await Hands(app, pilot).settle()
        assert [isinstance(screen, DecisionScreen) for screen in app.screen_stack].count(True) == 1
        assert "Approve?" in read_screen(app)

    drive(app, script)


@deciding(PREPARING)
async def test_nothing_signs_while_it_is_prepared(hands: Hands) -> None:
    """The checks run; the key says so. When it is ready, the pause begins again."""
    await hands.press("ctrl+s")
    assert "Not signed: the checks are still running" in hands.text
    shown = read_time()
    await hands.give(READY)
    await hands.press_at(shown + SOON, "ctrl+s")
    assert hands.confirmed == []
    await hands.wait_for("Too fast")
    await hands.press("ctrl+s")
    assert len(hands.confirmed) == 1


@deciding(REJECTING)
async def test_reason_is_asked_for_first(hands: Hands) -> None:
    """The field has the focus; without a reason the key says what is missing."""
    assert isinstance(hands.app.focused, TextArea)
    await hands.press("ctrl+s")
    assert "Not signed: give a reason" in hands.text
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_key_leaves_the_field_and_signs_pressed_twice_at_typing_speed(hands: Hands) -> None:
    """The first press says so; the second signs what was written, however soon a person presses it."""
    await hands.press("n", "o", "enter", "y")
    await hands.press("ctrl+s", apart=0.12)
    assert "Press ^s again to sign" in hands.text
    assert hands.confirmed == []
    await hands.press("ctrl+s", apart=0.12)
    assert [one.reason for one in hands.confirmed] == ["no\ny"]


@deciding(REJECTING)
async def test_text_that_arrives_as_keys_signs_nothing_even_with_the_key_twice(hands: Hands) -> None:
    """Pasted where nothing brackets it: too fast for a person, before the key or between the two."""
    await hands.press("n", "o")
    await hands.press("ctrl+s", apart=0.002)
    await hands.press("ctrl+s", apart=0.12)
    assert hands.confirmed == []
    await hands.press("tab", "y")
    await hands.press("ctrl+s", apart=0.12)
    await hands.press("ctrl+s", apart=0.002)
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_another_key_in_between_begins_again(hands: Hands) -> None:
    """The second press must follow the first."""
    await hands.press("n", "o")
    await hands.press("ctrl+s", apart=0.12)
    await hands.press("j", apart=0.12)
    await hands.press("ctrl+s", apart=0.12)
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_what_moved_between_the_two_presses_is_not_signed(hands: Hands) -> None:
    """Other content must be seen first."""
    await hands.press("n", "o")
    await hands.press("ctrl+s", apart=0.12)
    await hands.give(replace(REJECTING, view=build_decision_view(reason="")))
    await hands.press_at(read_time() + 0.12, "ctrl+s")
    assert hands.confirmed == []


@deciding(READY)
async def test_digests_come_on_request(hands: Hands) -> None:
    """What is signed stands in short form first; `d` shows every digest."""
    page = hands.dialog.query_one(PageView)
    assert not any("Digests" in join(row) for row in page.rows)
    await hands.press("d")
    assert any("Digests" in join(row) for row in page.rows)


@pytest.mark.parametrize("part", [READY, REJECTING])
@deciding(READY)
async def test_pasted_text_never_signs(hands: Hands, part: DecisionPart) -> None:
    """Neither with line ends nor with the very key in it; in a field it is text, elsewhere it is nothing."""
    hands.app.post_message(events.Paste("fine\n\x13\ny\n\x13"))
    await hands.pilot.pause()
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_paste_into_the_reason_is_plain_text_that_the_log_can_hold(hands: Hands) -> None:
    """Lines stay lines, tabs are blanks, control characters are shown; too much of it is said in time."""
    hands.app.post_message(events.Paste("one\r\n\ttwo \x1b[31m\x07\rthree"))
    await hands.pilot.pause()
    field = hands.app.screen.query_one(TextArea)
    assert field.text == "one\n    two ␛[31m␇\nthree"
    hands.app.post_message(events.Paste("x" * 100_000))
    await hands.wait_for("the reason has 100,02")
    await hands.press("ctrl+s")
    await hands.press("ctrl+s")
    assert hands.confirmed == []


@deciding(READY)
async def test_paste_that_arrives_as_keys_never_signs(hands: Hands) -> None:
    """A terminal that does not bracket pasted text: letters, then at once the key."""
    await hands.press("f", "i", "n", "e")
    await hands.press("ctrl+s", apart=0.001)
    assert hands.confirmed == []
    await hands.wait_for("Too fast")


@deciding(OVERRIDING)
async def test_name_must_be_typed_where_something_is_unusual(hands: Hands) -> None:
    """Going over a failing check: the reason, and the handoff's name, letter by letter."""
    assert "Type H-1 to continue:" in hands.text
    assert "1 blocking check does not pass" in hands.text
    await hands.press("w", "h", "y", "ctrl+s")
    assert "Not signed: type H-1 first" in hands.text
    await hands.press("tab")
    assert isinstance(hands.app.focused, Input)
    await hands.press("H", "-", "1", "enter", "tab", "ctrl+s")
    assert [one.reason for one in hands.confirmed] == ["why"]


@deciding(OVERRIDING)
async def test_change_underneath_disarms_and_can_be_looked_at_again(hands: Hands) -> None:
    """It says what has changed; what was written stays, the typed name does not."""
    await hands.press("w", "h", "y", "tab", "H", "-", "1", "tab")
    moved = replace(OVERRIDING, stage=DecisionStage.MOVED, trouble=Trouble("1 file changed: a.py", "Look again."))
    await hands.give(moved)
    await hands.wait_for("something changed: 1 file changed: a.py")
    await hands.press("ctrl+s")
    assert hands.confirmed == []
    await hands.press("ctrl+r")
    again = [one.verb for one in list_asked(hands.pilot, messages.DecisionAgainWanted)]
    assert again == ["override"]
    await hands.give(replace(OVERRIDING, view=build_decision_view(reason="")))
    assert hands.dialog.query_one(TextArea).text == "why"
    assert hands.dialog.query_one(Input).value == ""


@deciding(READY, size=(100, 30))
async def test_what_moved_underneath_can_be_shown(hands: Hands) -> None:
    """The box is left undecided, and the diff shows what differs from what it showed; not before something moved."""
    await hands.press("ctrl+f")
    assert isinstance(hands.app.screen, DecisionScreen)
    await hands.give(replace(READY, stage=DecisionStage.MOVED, trouble=Trouble("a.py changed"), shown_tree="ab12"))
    await hands.wait_for("show changes")
    await hands.press("ctrl+f")
    await hands.wait_until(lambda: not isinstance(hands.app.screen, DecisionScreen))
    await hands.wait_until(lambda: hands.app.main_screen.view_name == "changes")
    wanted = [one.scope for one in list_asked(hands.pilot, messages.ScopeWanted)]
    assert wanted == [DiffRange(DiffScope.SINCE_SHOWN, "ab12")]
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_refusal_takes_the_fields_away(hands: Hands) -> None:
    """One small box: the reason, and the keys that lead on."""
    refused = replace(REJECTING, stage=DecisionStage.REFUSED, trouble=Trouble("nobody may", "Ask Ada."), view=None)
    await hands.give(refused)
    await hands.wait_for("Refused: nobody may")
    assert "Reason" not in hands.text
    assert "r retry" in hands.text
    assert hands.dialog.query_one("#decision").region.height < 12
    await hands.press("ctrl+s")
    assert hands.confirmed == []
    await hands.press("3")
    await hands.wait_until(lambda: not isinstance(hands.app.screen, DecisionScreen))
    await hands.wait_until(lambda: hands.app.main_screen.view_name == "evidence")


@deciding(REJECTING)
async def test_failed_signing_says_why_and_keeps_the_reason(hands: Hands) -> None:
    """A key that is gone: the words stand at the top, and the same can be confirmed again."""
    await hands.press("n", "o", "tab", "ctrl+s")
    await hands.give(replace(REJECTING, stage=DecisionStage.SIGNING))
    await hands.press("escape")
    assert isinstance(hands.app.screen, DecisionScreen)
    await hands.wait_for("Signing; wait for the key")
    await hands.give(replace(REJECTING, trouble=Trouble("the key is not there", "Plug it in.")))
    await hands.wait_for("Not signed: the key is not there")
    await hands.press("ctrl+s")
    assert [one.reason for one in hands.confirmed] == ["no", "no"]


@deciding(READY)
async def test_receipt_offers_the_id_and_the_next_handoff(hands: Hands) -> None:
    """The whole id is copied with `y`; Enter goes on to what waits next, and the status line names the entry."""
    stored = replace(READY, stage=DecisionStage.STORED, entry="sha256:" + "b" * 64, gate=build_gate_view())
    await hands.give(stored)
    await hands.wait_for("sha256:bbbbbbbbbbbb")
    await hands.press("y")
    copied = list_asked(hands.pilot, messages.CopyWanted)
    assert [one.text for one in copied] == ["sha256:" + "b" * 64]
    await hands.press("ctrl+s")
    assert hands.confirmed == []
    await hands.press("enter")
    await hands.wait_for("Approve H-1: signed as sha256:bbbbbbbbbbbb")
    chosen = [one.key for one in list_asked(hands.pilot, messages.HandoffChosen)]
    assert chosen[-1:] == [NEXT.key]


def test_reason_is_kept_as_it_is_written_and_found_again() -> None:
    """A moment after the last letter, and when the box is left; a draft from before stands in the field."""
    app = StillApp(DESK)

    async def script(pilot: Pilot[None]) -> None:
        hands = Hands(app, pilot)
        app.post_message(messages.DecisionWanted("reject"))
        await pilot.pause()
        app.give(replace(DESK, decision=REJECTING, drafts=Drafts(reasons={"reject": "too thin"})))
        await hands.settle()
        assert hands.dialog.query_one(TextArea).text == "too thin"

        def list_kept() -> list[tuple[str, str]]:
            return [(one.verb, one.text) for one in app.asked if isinstance(one, messages.ReasonKept)]

        await hands.press("!")
        await hands.wait_until(lambda: list_kept() == [("reject", "too thin!")])
        await hands.press("?", "escape")
        await hands.wait_until(lambda: list_kept()[1:] == [("reject", "too thin!?")])

    drive(app, script)


@deciding(REJECTING)
async def test_templates_begin_a_reason(hands: Hands) -> None:
    """One is chosen from a list, added to what is there, and can be changed; nothing is signed by it."""
    await hands.press("s", "o", "ctrl+t")
    await hands.wait_for("Reasons to send back")
    await hands.press("t", "e", "s", "t", "s", "enter")
    await hands.wait_until(lambda: isinstance(hands.app.focused, TextArea))
    assert hands.dialog.query_one(TextArea).text == "so\ntests are missing for: "
    assert hands.confirmed == []


@deciding(REJECTING)
async def test_editor_is_asked_for_with_what_is_written(hands: Hands) -> None:
    """Its text comes back into the field."""
    hands.app.give_terminal = lambda _: "there is no editor"  # type: ignore[method-assign, assignment]  # no terminal here
    await hands.press("s", "o", "ctrl+e")
    assert [one.text for one in list_asked(hands.pilot, messages.ReasonEditWanted)] == ["so"]
    await hands.wait_for("there is no editor")
    hands.dialog.set_reason("so it is")
    assert hands.dialog.query_one(TextArea).text == "so it is"


@deciding(READY)
async def test_click_never_signs(hands: Hands) -> None:
    """On the very words in the key bar; a click on another hint does what it says."""
    await hands.pilot.click("#decision-keys", offset=(2, 0))
    await hands.wait_for("A click never signs")
    assert hands.confirmed == []


@deciding(READY)
async def test_click_that_brings_the_window_back_means_nothing(hands: Hands) -> None:
    """The terminal gets the focus and passes the click on: it is dropped."""
    hands.app.post_message(events.AppFocus())
    await hands.pilot.pause()
    click = Bar.Pressed("decision.cancel")
    click.time = read_time() - SOON
    hands.dialog.post_message(click)
    await hands.wait_for("appeared (1)")
    later = Bar.Pressed("decision.cancel")
    later.time = read_time() + 10
    hands.dialog.post_message(later)
    await hands.wait_until(lambda: not isinstance(hands.app.screen, DecisionScreen))


@deciding(READY)
async def test_desk_behind_stands_still_until_the_box_is_left(hands: Hands) -> None:
    """Nothing moves under the eyes of who decides; afterwards the desk is up to date."""
    other = replace(DESK, decision=READY, inbox=(ITEM,))
    hands.app.give(other)
    await hands.pilot.pause()
    assert len(hands.app.main_screen.state.inbox) == 2
    await hands.press("escape")
    await hands.wait_until(lambda: len(hands.app.main_screen.state.inbox) == 1)


@pytest.mark.parametrize("size", [(60, 16), (160, 50)])
@deciding(OVERRIDING)
async def test_keys_and_fields_stay_on_the_screen(hands: Hands, size: tuple[int, int]) -> None:
    """What signs and what is asked for is never cut off, and what is written survives another size."""
    await hands.press("w", "h", "y")
    for shown in ("Type H-1 to continue:", "^s", "Can't sign yet"):
        assert shown in hands.text
    await hands.pilot.resize_terminal(100, 30)
    await hands.pilot.pause()
    assert hands.dialog.query_one(TextArea).text == "why"


def test_progress_is_not_something_to_read_again() -> None:
    """Only stage, trouble and what is signed count."""
    assert is_same_to_sign(READY, replace(READY, needs_terminal=True))
    assert not is_same_to_sign(READY, replace(READY, trouble=Trouble("no")))
    assert not is_same_to_sign(None, READY)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
@deciding(OVERRIDING)
async def test_box_looks_as_committed(hands: Hands, size: tuple[int, int], theme: str) -> None:
    """Before and after it is signed, at both sizes and in two themes: every meaning is in words."""
    stored = replace(OVERRIDING, stage=DecisionStage.STORED, entry="sha256:" + "b" * 64, gate=build_gate_view())
    moved = replace(OVERRIDING, stage=DecisionStage.MOVED, trouble=Trouble("1 file changed: a.py", "Look again."))
    for name, part in (("ready", OVERRIDING), ("moved", moved), ("stored", stored)):
        await hands.give(part)
        screen = await settle(hands.pilot)
        region = hands.dialog.query_one("#decision").region
        lines = [line.ljust(region.right)[region.x : region.right] for line in screen.splitlines()]
        box = "\n".join(lines[region.y : region.bottom])
        compare_screen(f"decision-{name}-{size[0]}x{size[1]}", box)


def test_decision_is_about_the_handoff_under_the_cursor() -> None:
    """However fast somebody moves and presses: the key goes along, and a choice that comes late changes nothing."""
    app = StillApp(DESK)

    async def script(pilot: Pilot[None]) -> None:
        for key in ("j", "x"):
            app.post_message(events.Key(key, key))
        await Hands(app, pilot).wait_until(lambda: isinstance(app.screen, DecisionScreen))
        wanted = [one for one in app.asked if isinstance(one, messages.DecisionWanted)]
        assert [(one.verb, one.key) for one in wanted] == [("reject", NEXT.key)]

    drive(app, script)
