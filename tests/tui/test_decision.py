from __future__ import annotations

from datetime import UTC, datetime

import pytest

from handoff_tui.core.classes import replace
from handoff_tui.decisions.views import ExtraConfirmation
from handoff_tui.live.state.app import ChecksProgress, DecisionPart, DecisionStage, Trouble
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.review_record import ScopeManifest
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, ReviewProblem
from handoff_tui.tui.dialogs.decision.rows import (
    build_dialog_page,
    build_dialog_title,
    build_progress,
    describe_dropped,
    describe_key_wait,
    describe_watch,
    find_following,
    find_obstacle,
)
from tests.support.desk_states import build_reviewed, list_lines
from tests.support.gate_views import POLICY, SUBJECT, build_decision_view, build_gate_view

KEY = HandoffKey("/lamp", "H-1")
PREPARING = DecisionPart("reject", KEY, DecisionStage.PREPARING)
VIEW = build_decision_view(reason="")
READY = replace(PREPARING, stage=DecisionStage.READY, view=VIEW)
DEMANDING = replace(
    READY,
    verb="override",
    view=build_decision_view(verb="override"),
    demands=(ExtraConfirmation("3 files are unread", "a.py"),),
)


def read_page(part: DecisionPart, following: InboxItem | None = None, *, digests: bool = True) -> str:
    return "\n".join(list_lines(build_dialog_page(part, following, digests=digests)))


def build_item(handoff: str, *, waits: bool = True) -> InboxItem:
    return InboxItem(HandoffKey("/lamp", handoff), "lamp", build_reviewed(), waits, "build")


def test_ready_page_shows_everything_that_is_signed() -> None:
    """The subject in full, policy and threshold, the key, the comments and the files that were read."""
    text = read_page(READY)
    for value in (*SUBJECT.model_dump().values(), POLICY, "SHA256:abc", "cy@x", "needs 2 reviewers", "a.py, b.py"):
        assert value in text
    for words in ("a.py:3-5: first", "all in all", "7 of 9 pass, 1 warning", "12 tests (RESULTS.md:4)", "a" * 64):
        assert words in text
    assert "there is uncommitted work" in text


def test_first_line_says_what_signing_does_and_digests_wait() -> None:
    """By the handoff's name and the phase that comes next; the facts in short form, without a digest."""
    text = read_page(replace(READY, verb="approve", onward="review"), digests=False)
    assert text.startswith("Lets H-1 go on to review. It can be withdrawn, never deleted.")
    assert "signs    H-1 · build · attempt 2" in text
    assert "1" * 40 not in text


def test_files_are_counted_as_the_overview_counts_them() -> None:
    """It says why the signature covers fewer: reviews and registries record decisions."""
    record = VIEW.record.model_copy(update={"scope": ScopeManifest(files=({"path": "a.py"},))})
    signed = VIEW.model_copy(update={"record": record})
    assert "attempt 2 · 1 file" in read_page(replace(READY, view=signed), digests=False)
    wider = replace(READY, view=signed.model_copy(update={"unbound": 2}))
    assert "attempt 2 · 1 of 3 files; reviews and registries may still change" in read_page(wider, digests=False)


def test_title_asks_about_one_attempt() -> None:
    """By its id alone until the rest is known."""
    assert "".join(cell.text for cell in build_dialog_title(READY)) == "Send back?  H-1 · build · attempt 2"
    assert "".join(cell.text for cell in build_dialog_title(PREPARING)) == "Send back?  H-1"


def test_override_says_what_it_goes_over() -> None:
    """Each failing check by name, and that it stays a debt."""
    text = read_page(DEMANDING)
    assert "tests fails (overridden)" in text
    assert "stays on record" in text
    assert "3 files are unread  a.py" in text


def test_first_lines_are_what_is_unusual() -> None:
    """Demands and trouble stand above the facts, so that no scrolling hides them."""
    lines = read_page(replace(DEMANDING, trouble=Trouble("the key is gone", "Plug it in."))).splitlines()
    facts = next(number for number, line in enumerate(lines) if line.startswith("signs"))
    above = "\n".join(lines[:facts])
    assert all(words in above for words in ("Not signed: the key is gone", "Plug it in.", "3 files are unread"))


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (DecisionStage.REFUSED, "Refused: nobody may"),
        (DecisionStage.MOVED, "Not signed, something changed: nobody may"),
        (DecisionStage.SIGNING, "Signing"),
    ],
)
def test_every_stage_says_what_it_is(stage: DecisionStage, words: str) -> None:
    """In words, at the top."""
    text = read_page(replace(READY, stage=stage, trouble=Trouble("nobody may", "Ask somebody.")))
    assert words in text.splitlines()[0]


def test_stage_without_a_reason_still_says_itself() -> None:
    """Nothing is left blank."""
    assert "Refused" in read_page(replace(PREPARING, stage=DecisionStage.REFUSED))


def test_refusal_over_checks_says_what_is_wrong() -> None:
    """The problems behind them, not the names of checks; a refusal for another reason stays as it is."""
    trouble = Trouble("2 blocking checks do not pass: claims-hold, unit", "")
    part = replace(PREPARING, stage=DecisionStage.REFUSED, trouble=trouble)
    problems = (ReviewProblem("a", "The hash is wrong", checks=("claims-hold", "unit")), ReviewProblem("b", "A note"))
    assert list_lines(build_dialog_page(part, problems=problems)) == [
        "✗ Refused: 1 problem blocks it",
        "  The hash is wrong",
    ]
    assert read_page(part) == f"✗ Refused: {trouble.message}"


def test_preparing_says_that_nothing_is_decided() -> None:
    """With the progress of the checks."""
    progress = ChecksProgress(6, 12, "tests\x1b[2J", datetime(2026, 1, 1, tzinfo=UTC))
    text = read_page(replace(PREPARING, progress=progress))
    assert "Nothing is decided yet" in text
    assert "6 of 12" in text
    assert "\x1b" not in text
    half = build_progress(replace(PREPARING, progress=progress))[0].text
    assert half.count("█") == half.count("░")
    assert "Reading" in build_progress(PREPARING)[0].text


def test_receipt_echoes_the_entry_and_what_comes_next() -> None:
    """In short and in full, the gate's new state, how to withdraw it, and what waits."""
    gate = build_gate_view({"state": GateName.REJECTED, "why": ("cy@x: no tests",)})
    part = replace(READY, stage=DecisionStage.STORED, entry="sha256:" + "b" * 64, gate=gate)
    lines = read_page(part, build_item("H-2")).splitlines()
    assert lines[:2] == ["✓ Signed  send back, H-1", "sha256:" + "b" * 64]
    text = "\n".join(lines)
    assert all(words in text for words in ("✗ rejected", "u withdraws it", "H-2 in build needs you"))
    assert "Nothing else needs you" in read_page(part)


@pytest.mark.parametrize(
    ("part", "reason", "name", "words"),
    [
        (None, "", "", "still running"),
        (PREPARING, "why", "H-1", "still running"),
        (replace(READY, stage=DecisionStage.REFUSED), "why", "H-1", "refused"),
        (replace(READY, stage=DecisionStage.MOVED), "why", "H-1", "look again"),
        (replace(READY, stage=DecisionStage.SIGNING), "why", "H-1", "being signed"),
        (replace(READY, stage=DecisionStage.STORED), "why", "H-1", "already"),
        (READY, " \n", "", "give a reason"),
        (READY, "x" * 4_001, "", "the reason has 4,001 characters; the log holds 4,000"),
        (DEMANDING, "why", "H-", "type H-1 first"),
        (DEMANDING, "why", "h-1", "type H-1 first"),
    ],
)
def test_obstacle_is_named(part: DecisionPart | None, reason: str, name: str, words: str) -> None:
    """What keeps it from being signed."""
    assert words in find_obstacle(part, reason, name)


def test_nothing_stands_in_the_way_when_all_is_given() -> None:
    """A reason where one is needed, the name where it is asked for."""
    assert find_obstacle(READY, "no tests", "") == ""
    assert find_obstacle(replace(READY, verb="approve", needs_reason=False), "", "") == ""
    assert find_obstacle(DEMANDING, "known", " H-1 ") == ""


def test_key_that_waits_is_announced() -> None:
    """For its passphrase, or to be touched."""
    assert "passphrase" in describe_key_wait(replace(READY, needs_terminal=True))
    assert "touch the key" in describe_key_wait(replace(READY, view=build_decision_view(touch=True)))
    assert describe_key_wait(READY) == ""
    assert "touch the key when it blinks" in read_page(replace(READY, view=build_decision_view(touch=True)))


def test_dropped_keys_are_counted_and_changes_announced() -> None:
    """In the words of the box."""
    assert describe_dropped(3) == "Ignored keys typed before this box appeared (3)"
    assert "can't sign until you look again" in describe_watch(replace(READY, verb="approve"))
    assert "as you opened it, whatever is saved meanwhile" in describe_watch(replace(READY, verb="reject"))
    assert describe_watch(None) == ""


def test_following_is_the_next_that_waits_on_me() -> None:
    """Not the one that was decided, and not one that waits on others."""
    second = build_item("H-3")
    inbox = (build_item("H-1"), build_item("H-2", waits=False), second)
    assert find_following(inbox, KEY) is second
    assert find_following(inbox[:2], KEY) is None


def test_work_without_a_baseline_says_so() -> None:
    """And why there is none."""
    gate = build_gate_view(
        subject=SUBJECT.model_copy(update={"baseline": "0" * 64}),
        baseline_reason="no baseline: nothing was approved",
    )
    assert "baseline none: nothing was approved" in read_page(replace(READY, view=build_decision_view(gate=gate)))
