"""Reads an agent's stream for its supervisor as it comes, and hands messages to an agent that takes them.

Loaded only for an agent with a stream; imports only the standard library.
"""
# importing pathlib takes longer than everything done before the agent starts
# ruff: noqa: PTH123

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress

from handoff_tui.agents.transcript.event import AgentTrouble, Event
from handoff_tui.agents.transcript.page import render_event
from handoff_tui.agents.transcript.reader import TranscriptReader
from handoff_tui.agents.transcript.tally import RunLimits, Tally
from handoff_tui.core.classes import NamedTuple

_PATIENCE = {AgentTrouble.LOGIN: 5.0, AgentTrouble.NETWORK: 120.0}
"""How many seconds a program may complain of something before it is stopped; it may recover, or end by itself."""

_LONGEST_TRANSCRIPT = 32 * 1024 * 1024


class StopReason(NamedTuple):
    """Why an agent must be stopped."""

    ending: str
    why: str


class StreamListener:
    """What a run came to so far."""

    def __init__(self, stream: str, limits: RunLimits, transcript: str, *, lacks_login: bool = False) -> None:
        self.limits, self._lacks_login = limits, lacks_login
        self.tally = Tally()
        self._transcript = transcript
        self._room = _LONGEST_TRANSCRIPT
        self._reader = TranscriptReader(stream)
        self._since: tuple[AgentTrouble, float] | None = None

    def hear(self, part: bytes) -> None:
        self._note(self._reader.feed(part))

    def _note(self, events: Iterable[Event]) -> None:
        """Counts events, and writes them down for people; the output itself stays the proof."""
        lines: list[str] = []
        for event in events:
            self.tally.add(event)
            if self._room > 0:
                lines += [line.text for line in render_event(event)]
        if not lines:
            return
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        self._room -= len(text)
        if self._room <= 0:
            text += b"(the rest is in output.log)\n"
        with suppress(OSError):  # the agent may have deleted the folder, or the disk is full
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(self._transcript, flags, 0o600), "wb") as file:
                file.write(text)

    @property
    def is_done(self) -> bool:
        """Whether the agent has answered, and waits for another message."""
        return self.tally.ended is not None

    def find_stop(self) -> StopReason | None:
        """Says why the run must not go on; None if it may."""
        excess = self.tally.find_excess(self.limits)
        if excess:
            return StopReason("over-budget", excess)
        trouble = self._trouble
        if trouble not in _PATIENCE:
            self._since = None
        elif self._since is None or self._since[0] is not trouble:
            self._since = (trouble, time.monotonic())
        elif time.monotonic() - self._since[1] > _PATIENCE[trouble]:
            return StopReason("gave-up", self.tally.complaint)
        return None

    @property
    def _trouble(self) -> AgentTrouble | None:
        """What keeps the program back. Without a login there is nobody to wait for, however it words that."""
        trouble = self.tally.trouble
        return AgentTrouble.LOGIN if trouble is AgentTrouble.NETWORK and self._lacks_login else trouble

    def build_usage(self) -> dict[str, object]:
        """Returns what the run came to, for the record of its end."""
        self._note(self._reader.end())
        tally, usage, trouble = self.tally, self.tally.usage, self._trouble
        ended = tally.ended
        return {
            "model": tally.model,
            "session": tally.session,
            "cost": usage.cost,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "turns": usage.turns,
            "denials": [{"text": denial.text, "purpose": denial.purpose.value} for denial in tally.denials],
            "succeeded": None if ended is None else not ended.failed,
            "verdict": (ended.text if ended is not None else tally.complaint or tally.last)[-2000:],
            "trouble": trouble.value if trouble is not None else None,
            "excess": tally.find_excess(self.limits),
        }


class MessagePipe:
    """Messages for an agent, from a file that grows; the agent sees the end of its input once it has answered all."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._sent = 0
        self._left = b""

    def send(self) -> bool:
        """Hands over what is new; tells whether there was anything."""
        with suppress(OSError), open(self.place, "rb") as file:
            file.seek(self._sent)
            new = file.read()
            self._sent += len(new)
            self._left += new
        if self._writing < 0 or not self._left:
            return False
        try:
            self._left = self._left[os.write(self._writing, self._left) :]
        except BlockingIOError:
            return True
        except OSError:  # the agent reads no more
            self.close()
        return True

    def close(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1


def build_message(text: str) -> bytes:
    """Returns a message as Claude Code reads it, one line."""
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}).encode() + b"\n"
