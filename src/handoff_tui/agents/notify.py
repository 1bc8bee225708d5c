"""Notifies a person once that something needs them."""

from __future__ import annotations

import hashlib
import os

from handoff_tui.agents.command import fill
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.config.settings.user import DesktopForm, NotificationEvent, Notifications
from handoff_tui.core.model import Model
from handoff_tui.core.text.safe_text import HIDDEN
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.sealed_files import load_json, write_json
from handoff_tui.system.processes.run import Bounds, run_command
from handoff_tui.system.processes.terminal import write_sequence


class Notification(Model):
    """What to tell. `key` names the occasion: nobody is notified twice of the same."""

    event: str
    handoff: str
    text: str
    key: str


class Told(Model):
    """What came of a notification."""

    told: bool
    """False if it was told before, or nobody wants to know."""
    sequence: str = ""
    """What to send to the terminal: bell and notification."""
    problem: str = ""
    """Why the user's own command failed."""


_FILE = "told.json"
_MOST_REMEMBERED = 500
_KEPT_BYTES = 4096
_LONGEST = 200
_BELL = "\a"
_TITLE = "handoff-tui"


def build_notification(report: StepReport) -> Notification:
    """Builds the notification for the end of a step."""
    if report.outcome is StepOutcome.NEEDS_HUMAN or (report.outcome is StepOutcome.READY and report.has_gate):
        event = NotificationEvent.NEEDS_YOU
    elif report.outcome is StepOutcome.FAILED and report.failing:
        event = NotificationEvent.CHECKS_FAILED
    else:
        event = NotificationEvent.AGENT_ENDED
    key = report.key
    occasion = (event.value, key.model_dump_json(), report.outcome.value, report.head_after or "")
    return Notification(
        event=event.value,
        handoff=key.handoff,
        text=f"{key.handoff} · {key.phase}: {report.next_move}",
        key=hashlib.sha256("\0".join(occasion).encode("utf-8", "surrogatepass")).hexdigest(),
    )


def build_foreign_notification(texts: tuple[str, ...]) -> Notification:
    """Builds the notification for entries that carry the user's signature and were not made on this machine."""
    return Notification(
        event=NotificationEvent.FOREIGN_ENTRY.value,
        handoff="",
        text=texts[0],
        key=hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest(),
    )


def notify(session: Session, notification: Notification) -> Told:
    """Runs the user's command and returns what to send to the terminal; does nothing the second time."""
    settings = session.loaded.settings.notifications
    is_wanted = notification.event in {event.value for event in settings.events}
    if not is_wanted or not _remember(session, notification.key):
        return Told(told=False)
    return Told(
        told=True, sequence=build_sequence(settings, notification), problem=_run_hook(session, settings, notification)
    )


def send_to_terminal(told: Told) -> None:
    """Sends the sequence, for a front end that does not draw the terminal itself."""
    if told.sequence:
        write_sequence(told.sequence)


def build_sequence(settings: Notifications, notification: Notification) -> str:
    """Builds bell and terminal notification; nothing in the text can end the sequence or begin another."""
    text = HIDDEN.sub(" ", notification.text).replace(";", ",")[:_LONGEST]
    desktop = {
        DesktopForm.NONE: "",
        DesktopForm.OSC_9: f"\x1b]9;{text}{_BELL}",
        DesktopForm.OSC_777: f"\x1b]777;notify;{_TITLE};{text}{_BELL}",
    }
    return (_BELL if settings.bell else "") + desktop[settings.desktop]


def _run_hook(session: Session, settings: Notifications, notification: Notification) -> str:
    if not settings.command:
        return ""
    values = {"event": notification.event, "handoff": notification.handoff, "text": notification.text}
    argv = [fill(word, values) for word in settings.command]
    bounds = Bounds(settings.timeout_seconds, 1.0, _KEPT_BYTES)
    end = run_command(argv, session.repository.root, dict(os.environ), bounds)
    if end.failure is not None:
        return f"your notification command could not be started: {end.failure}"
    if end.timed_out:
        return "your notification command ran out of time"
    return f"your notification command exited with {end.code}" if end.code else ""


def _remember(session: Session, key: str) -> bool:
    """Tells whether it is the first time; also yes if nothing can be stored."""
    place = find_choices_folder(session.repository.common_dir) / _FILE
    known = load_json(place)
    told = [str(one) for one in known] if isinstance(known, list) else []
    if key in told:
        return False
    write_json(place, [*told, key][-_MOST_REMEMBERED:])
    return True
