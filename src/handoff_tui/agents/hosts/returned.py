"""Work that was sent back: its packets for an agent, each given to a session once, and the wait for a decision."""

from __future__ import annotations

import hashlib
from pathlib import Path

from handoff_tui.agents.hosts.repository_state import find_root, is_closed, is_governed
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.packet import render_packet
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.gate_state import SENT_BACK
from handoff_tui.log.open_log import open_log
from handoff_tui.status.refresh import refresh
from handoff_tui.status.review_state import ReviewedHandoff
from handoff_tui.system.clock import pause, read_monotonic
from handoff_tui.system.files.cache_files import find_cache_folder, hold_once
from handoff_tui.system.files.sealed_files import load_json, write_json

_DELIVERED = "delivered-packets.json"
_MOST_SESSIONS = 50
_MOST_PACKETS = 3
_MOST_CHARACTERS = 9_000
_EVERY_SECONDS = 2.0


class Delivered:
    """Which decisions a session was told about. A lost file costs a repetition."""

    def __init__(self, root: Path, session: str) -> None:
        self._place = find_cache_folder(root) / _DELIVERED
        self._session = session

    def has(self, mark: str) -> bool:
        return mark in self._load().get(self._session, [])

    def add(self, marks: list[str]) -> None:
        sessions = self._load()
        known = sessions.pop(self._session, [])
        sessions[self._session] = [*known, *marks]
        while len(sessions) > _MOST_SESSIONS:
            sessions.pop(next(iter(sessions)))
        write_json(self._place, sessions)

    def _load(self) -> dict[str, list[str]]:
        value = load_json(self._place)
        if not isinstance(value, dict):
            return {}
        return {name: [str(mark) for mark in marks] for name, marks in value.items() if isinstance(marks, list)}


class Returned(NamedTuple):
    """A handoff that was sent back, and what names the decision."""

    handoff: str
    mark: str


def build_packets(root: Path) -> tuple[str, list[str]]:
    """Builds the packets of all returned work as one text, and what names the decisions."""
    session = open_session(root)
    returned = _select_returned(refresh(session, CheckAgain()).handoffs)
    texts = [_render(session, one.handoff) for one in returned[:_MOST_PACKETS]]
    texts += [
        f"`handoff-tui packet {one.handoff}` prints what {one.handoff} must do." for one in returned[_MOST_PACKETS:]
    ]
    return _shorten("\n".join(texts)), [one.mark for one in returned]


def wait_for_return(start: Path, session: str, wanted: str | None, timeout: float | None) -> str:
    """Waits until work is sent back that this session hasn't heard of, and returns its packet.

    Returns an empty text as soon as nothing waits for a decision, the time is up, or the session waits already.
    """
    root = find_root(str(start.absolute()))
    if root is None or not is_governed(root):
        return ""
    with hold_once(find_cache_folder(root) / f"waiting-{_build_name(session)}.lock") as alone:
        return _wait(root, session, wanted, timeout) if alone else ""


def _wait(root: Path, host_session: str, wanted: str | None, timeout: float | None) -> str:
    begun = read_monotonic()
    session = open_session(root)
    delivered = Delivered(session.repository.root, host_session)
    seen: object = None
    while True:
        verdict = open_log(session.repository).verify()
        now = (verdict.heads, verdict.problems, session.work_tree.facts)
        if now != seen:
            seen = now
            handoffs = [one for one in refresh(session, CheckAgain()).handoffs if wanted in {None, one.handoff.id}]
            new = [one for one in _select_returned(handoffs) if not delivered.has(one.mark)]
            if new:
                delivered.add([new[0].mark])
                return _shorten(_render(session, new[0].handoff))
            if not any(is_closed(one) and one.gate.state not in SENT_BACK for one in handoffs):
                return ""
        left = None if timeout is None else timeout - (read_monotonic() - begun)
        if left is not None and left <= 0:
            return ""
        pause(_EVERY_SECONDS if left is None else min(_EVERY_SECONDS, left))
        session = open_session(root)


def _build_name(session: str) -> str:
    """A session may have any name; a file may not."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _select_returned(handoffs: list[ReviewedHandoff] | tuple[ReviewedHandoff, ...]) -> list[Returned]:
    """The reasons of a closed gate name the entry that closed it."""
    return [
        Returned(one.handoff.id, "\n".join([one.handoff.id, str(one.attempt), *one.gate.blocking[:1]]))
        for one in handoffs
        if one.gate.state in SENT_BACK and not one.past
    ]


def _render(session: Session, handoff: str) -> str:
    try:
        examined = examine(session, open_log(session.repository), handoff, options=WITHOUT_COMMANDS)
    except HandoffError as unread:
        return f"{handoff} was sent back. Its packet can't be read: {unread.message}\n"
    return render_packet(build_packet(examined))


def _shorten(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    cut = text[:_MOST_CHARACTERS].rpartition("\n")[0]
    return f"{cut}\n… cut here; `handoff-tui packet ID` prints everything.\n"
