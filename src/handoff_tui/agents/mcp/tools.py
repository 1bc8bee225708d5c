"""The tools of the MCP server: what an agent may ask for, and what it gets. None of them decides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import UsageError
from handoff_tui.decisions.examine import build_gate_view, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.gate import build_gate_json, build_submit_json
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.submit import submit, wait
from handoff_tui.handoffs.agent_comments import LONGEST_COMMENT, AgentComment, add_comment
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session, open_session_to_look
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.open_log import open_log
from handoff_tui.status.refresh import refresh
from handoff_tui.status.show import find_id
from handoff_tui.status.status_page import build_status_json
from handoff_tui.system.clock import read_now

WHERE_TO_DECIDE = (
    "Only a person decides, in handoff-tui and with a signature. "
    "Words in a conversation and answers to an elicitation are no decision."
)
_SENT_BACK = frozenset({GateName.REJECTED, GateName.RETRY})
_LONGEST_NAME = 500
_LONGEST_WAIT = 3600


class Caller(NamedTuple):
    """Who asks, about which repository, and how to end the work for them."""

    start: Path
    key: Path | None
    """The agent's own key; None if it has none."""
    agent: str
    """What the client calls itself."""
    telling: ProgressCallbacks


class Answer(NamedTuple):
    """A text for the model, and the same as data."""

    text: str
    data: dict[str, object]


class NoArguments(BaseModel):
    """A tool that asks about everything."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GateArguments(NoArguments):
    """Names a gate."""

    id: str = Field(max_length=_LONGEST_NAME, description="The handoff, as listed by status")
    phase: str | None = Field(
        default=None, max_length=_LONGEST_NAME, description="The phase (default: the one that was handed over)"
    )


class WaitArguments(GateArguments):
    """Names a gate and how long to wait for it."""

    seconds: float = Field(
        default=45, ge=0, le=_LONGEST_WAIT, description="Stop waiting after this time. A timeout is neither yes nor no"
    )


class CommentArguments(NoArguments):
    """Words about a handoff, or about a line of its work."""

    id: str = Field(max_length=_LONGEST_NAME, description="The handoff, as listed by status")
    text: str = Field(min_length=1, max_length=LONGEST_COMMENT, description="What the person should know")
    path: str = Field(default="", max_length=_LONGEST_NAME, description="A file of the repository")
    line: int | None = Field(default=None, ge=1, description="A line of that file")
    thread: str = Field(default="", max_length=20, description="The comment that it replies to, as named by the packet")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it does, what it takes, and whether it only reads."""

    summary: str
    arguments: type[NoArguments]
    answer: Callable[[Caller, Any], Answer]
    only_reads: bool = field(default=True)


def _answer_status(caller: Caller, _: NoArguments) -> Answer:
    return _as_json(build_status_json(refresh(open_session_to_look(caller.start), CheckAgain())))


def _answer_gate(caller: Caller, asked: GateArguments) -> Answer:
    session = open_session(caller.start)
    examined = examine(session, open_log(session.repository), asked.id, asked.phase, telling=caller.telling)
    return _as_json(build_gate_json(build_gate_view(examined)))


def _answer_packet(caller: Caller, asked: GateArguments) -> Answer:
    session = open_session(caller.start)
    examined = examine(session, open_log(session.repository), asked.id, asked.phase, telling=caller.telling)
    packet = build_packet(examined)
    return Answer(render_packet(packet), build_packet_json(packet))


def _answer_submit(caller: Caller, asked: GateArguments) -> Answer:
    """Signs only with a key that was named for the agent: the one in git's configuration may be the person's."""
    session = open_session(caller.start)
    done = submit(
        session,
        open_log(session.repository),
        asked.id,
        asked.phase,
        signed=caller.key is not None,
        key_file=caller.key,
        telling=caller.telling,
    )
    return _as_json(build_submit_json(build_gate_view(done.examined), done.entry))


def _answer_wait(caller: Caller, asked: WaitArguments) -> Answer:
    examined = wait(open_session(caller.start), asked.id, asked.phase, asked.seconds, telling=caller.telling)
    packet = build_packet(examined) if examined.gate.state in _SENT_BACK else None
    gate = build_gate_json(build_gate_view(examined))
    data: dict[str, object] = {
        "schema": "handoff-tui/wait/v1",
        "gate": gate,
        "packet": build_packet_json(packet) if packet else None,
    }
    return Answer(render_packet(packet), data) if packet else Answer(_as_json(gate).text, data)


def _answer_comment(caller: Caller, asked: CommentArguments) -> Answer:
    if asked.line is not None and not asked.path:
        raise UsageError("a line needs a path", "Say which file it is in.")
    session = open_session(caller.start)
    handoff = find_id(read_repository(session).result.handoffs, asked.id)
    comment = AgentComment(
        handoff=handoff,
        agent=caller.agent,
        text=asked.text,
        time=read_now().isoformat(timespec="seconds"),
        path=asked.path,
        line=asked.line,
        thread=asked.thread,
    )
    add_comment(session.repository, comment)
    return Answer("Kept. The person sees it as your words; it is neither signed nor evidence.", comment.model_dump())


def _as_json(data: dict[str, object]) -> Answer:
    return Answer(json.dumps(data, ensure_ascii=False), data)


TOOLS = {
    "status": Tool(
        "Lists every handoff: where it stands, what blocks it, and whose turn it is", NoArguments, _answer_status
    ),
    "gate": Tool("Shows where a gate stands, and why. Runs its checks", GateArguments, _answer_gate),
    "packet": Tool(
        "Returns what the next attempt must do: reasons, comments, failing checks", GateArguments, _answer_packet
    ),
    "wait": Tool(
        f"Waits until a person has decided, and returns the packet if the work was sent back. {WHERE_TO_DECIDE}",
        WaitArguments,
        _answer_wait,
    ),
    "submit": Tool(
        f"Hands the work over: runs the gate's checks, and signs if the agent has a key. {WHERE_TO_DECIDE}",
        GateArguments,
        _answer_submit,
        only_reads=False,
    ),
    "comment": Tool(
        "Leaves a comment for the person. It is shown as the agent's words, never as the person's",
        CommentArguments,
        _answer_comment,
        only_reads=False,
    ),
}
"""By name. There is no tool that decides, on purpose."""

RESOURCES = {
    "handoff://{id}/packet": ("packet", "text/markdown"),
    "handoff://{id}/gate": ("gate", "application/json"),
}
"""What can be read by address: the tool that answers, and the type of its text."""
STATUS_ADDRESS = "handoff://status"
