from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.notify import Told, build_notification, build_sequence, notify, send_to_terminal
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.config.settings.user import DesktopForm, Notifications
from handoff_tui.handoffs.session import Desk, open_desk
from tests.support.repositories import RepositoryBuilder
from tests.support.step_reports import build_report


def open_with(builder: RepositoryBuilder, home: Path, text: str) -> Desk:
    folder = home / "config" / "handoff-tui"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(f"[notifications]\n{text}", encoding="utf-8")
    return open_desk(builder.write("a").commit().folder)


@pytest.mark.parametrize(
    ("outcome", "gate", "event"),
    [
        (StepOutcome.READY, True, "needs-you"),
        (StepOutcome.READY, False, "agent-ended"),
        (StepOutcome.NEEDS_HUMAN, False, "needs-you"),
        (StepOutcome.FAILED, True, "checks-failed"),
        (StepOutcome.STOPPED, True, "agent-ended"),
    ],
)
def test_person_is_needed_or_not(outcome: StepOutcome, event: str, *, gate: bool) -> None:
    """A gate without a guard needs nobody."""
    assert build_notification(build_report(outcome, has_gate=gate)).event == event


def test_same_is_told_once(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Another run, or another outcome of it, is another occasion."""
    desk = open_with(builder, isolated_user, "bell = true\n")
    notification = build_notification(build_report(StepOutcome.NEEDS_HUMAN))
    assert notify(desk, notification) == Told(told=True, sequence="\a")
    assert notify(desk, notification) == Told(told=False)
    assert notify(desk, build_notification(build_report(StepOutcome.READY))).told
    assert not notify(desk, build_notification(build_report(StepOutcome.FAILED))).told


def test_unwanted_event_is_not_told(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Nor remembered: who wants it later is told."""
    notification = build_notification(build_report(StepOutcome.STOPPED))
    assert not notify(open_with(builder, isolated_user, "bell = true\n"), notification).told
    desk = open_with(builder, isolated_user, 'bell = true\nevents = ["agent-ended"]\n')
    assert notify(desk, notification).told


def test_command_of_the_user_is_run_with_the_words(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Each value is one word, whatever is in it."""
    place = isolated_user / "told"
    text = f'command = ["sh", "-c", "printf %s \\"$1|$2\\" > {place}", "x", "{{event}}", "{{text}}"]\n'
    told = notify(open_with(builder, isolated_user, text), build_notification(build_report(StepOutcome.NEEDS_HUMAN)))
    assert (told.problem, told.sequence) == ("", "")
    assert place.read_text(encoding="utf-8") == "needs-you|H-1 · QA: the work goes back to DEV; 2 of 4 tries left"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ('["no-such-command"]', "could not be started"),
        ('["false"]', "exited with 1"),
        ('["sleep", "9"]', "ran out of time"),
    ],
)
def test_command_that_fails_is_told(builder: RepositoryBuilder, isolated_user: Path, command: str, words: str) -> None:
    """And loses nothing else."""
    desk = open_with(builder, isolated_user, f"command = {command}\ntimeout_seconds = 0.3\nbell = true\n")
    told = notify(desk, build_notification(build_report(StepOutcome.NEEDS_HUMAN)))
    assert words in told.problem
    assert told.sequence == "\a"


@pytest.mark.parametrize("form", list(DesktopForm))
def test_text_cannot_break_out_of_its_sequence(form: DesktopForm) -> None:
    """No escape, no bell, no further field."""
    notification = build_notification(build_report(next_move="a;b\a\x1b]0;x\x9c"))
    sequence = build_sequence(Notifications(desktop=form), notification)
    inner = sequence.removeprefix("\x1b]").removesuffix("\a")
    assert not any(character in inner for character in "\a\x1b\x9c")
    assert inner.count(";") == {DesktopForm.NONE: 0, DesktopForm.OSC_9: 1, DesktopForm.OSC_777: 3}[form]


def test_terminal_that_is_not_there_is_no_trouble() -> None:
    """Nothing is sent, nothing is raised."""
    send_to_terminal(Told(told=True, sequence="\a"))
    send_to_terminal(Told(told=False))
