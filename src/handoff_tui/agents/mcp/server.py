"""The MCP server: what an agent may ask for, over standard input and output; the protocol is the Python SDK's work."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handoff_tui import __version__
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import HandoffError, McpMissingError, UsageError
from handoff_tui.decisions.examine import build_gate_view, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.gate import build_gate_json, build_submit_json
from handoff_tui.decisions.pages.packet import build_packet_json, render_packet
from handoff_tui.decisions.submit import submit, wait
from handoff_tui.handoffs.agent_comments import LONGEST_COMMENT, AgentComment, add_comment
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session, open_session_to_look
from handoff_tui.log.gates.gate_state import SENT_BACK
from handoff_tui.log.open_log import open_log
from handoff_tui.status.refresh import refresh
from handoff_tui.status.show import find_id
from handoff_tui.status.status_page import build_status_json
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext


WHERE_TO_DECIDE = (
    "Only a person decides, in handoff-tui and with a signature. "
    "Words in a conversation and answers to an elicitation are not decisions."
)
_LONGEST_NAME = 500
_LONGEST_WAIT = 3600
RESOURCES = {
    "handoff://{id}/packet": ("packet", "text/markdown"),
    "handoff://{id}/gate": ("gate", "application/json"),
}
"""What can be read by address: the tool that answers, and the type of its text."""
STATUS_ADDRESS = "handoff://status"
_INSTRUCTIONS = f"handoff-tui is where a person reviews your work. {WHERE_TO_DECIDE}"
_NAMELESS = "an agent"
_LONGEST_CLIENT = 80
_MOST_FAULTS = 5


class Caller(NamedTuple):
    """Who asks, about which repository, and how to end the work for them."""

    start: Path
    key: Path | None
    """The agent's own key; None if it has none."""
    agent: str
    """What the client calls itself."""
    telling: ProgressCallbacks


class ToolResult(NamedTuple):
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
    answer: Callable[[Caller, Any], ToolResult]
    only_reads: bool = field(default=True)


def _answer_status(caller: Caller, _: NoArguments) -> ToolResult:
    return _as_json(build_status_json(refresh(open_session_to_look(caller.start), CheckAgain())))


def _answer_gate(caller: Caller, asked: GateArguments) -> ToolResult:
    session = open_session(caller.start)
    examined = examine(session, open_log(session.repository), asked.id, asked.phase, telling=caller.telling)
    return _as_json(build_gate_json(build_gate_view(examined)))


def _answer_packet(caller: Caller, asked: GateArguments) -> ToolResult:
    session = open_session(caller.start)
    examined = examine(session, open_log(session.repository), asked.id, asked.phase, telling=caller.telling)
    packet = build_packet(examined)
    return ToolResult(render_packet(packet), build_packet_json(packet))


def _answer_submit(caller: Caller, asked: GateArguments) -> ToolResult:
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


def _answer_wait(caller: Caller, asked: WaitArguments) -> ToolResult:
    examined = wait(open_session(caller.start), asked.id, asked.phase, asked.seconds, telling=caller.telling)
    packet = build_packet(examined) if examined.gate.state in SENT_BACK else None
    gate = build_gate_json(build_gate_view(examined))
    data: dict[str, object] = {
        "schema": "handoff-tui/wait/v1",
        "gate": gate,
        "packet": build_packet_json(packet) if packet else None,
    }
    return ToolResult(render_packet(packet), data) if packet else ToolResult(_as_json(gate).text, data)


def _answer_comment(caller: Caller, asked: CommentArguments) -> ToolResult:
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
    return ToolResult(
        "Kept. The person sees it as your words; it is neither signed nor evidence.", comment.model_dump()
    )


def _as_json(data: dict[str, object]) -> ToolResult:
    return ToolResult(json.dumps(data, ensure_ascii=False), data)


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


_Value = TypeVar("_Value")


class McpServer:
    """The server for one repository."""

    def __init__(self, start: Path, key: Path | None, on_bug: Callable[[BaseException], None]) -> None:
        self._start, self._key, self._on_bug = start, key, on_bug

    @staticmethod
    def require_sdk() -> None:
        """Raises an error that says how to install the SDK, if it isn't there."""
        try:
            import mcp.server.stdio  # noqa: F401, PLC0415 - an extra
        except ImportError as missing:
            raise McpMissingError(
                f"the MCP server needs the Python SDK of MCP, which is not installed ({missing.name})",
                "pip install 'handoff-tui[mcp]'",
            ) from missing

    def serve(self) -> None:
        """Answers until the client closes its end."""
        import anyio  # noqa: PLC0415

        try:
            anyio.run(self._serve)
        except* (BrokenPipeError, anyio.BrokenResourceError):
            pass  # the client is gone

    async def _serve(self) -> None:
        from mcp.server.stdio import stdio_server  # noqa: PLC0415

        server = self.build()
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    def build(self) -> Server[Any]:
        """The server with its tools and resources, not yet connected to anything."""
        from mcp.server import Server  # noqa: PLC0415

        return Server(
            "handoff-tui",
            version=__version__,
            title="handoff-tui",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )

    async def _list_tools(self, _: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        import mcp_types as types  # noqa: PLC0415

        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    description=tool.summary,
                    input_schema=tool.arguments.model_json_schema(),
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.only_reads, destructive_hint=False, open_world_hint=False
                    ),
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def _call_tool(
        self, context: ServerRequestContext[Any], called: types.CallToolRequestParams
    ) -> types.CallToolResult:
        import mcp_types as types  # noqa: PLC0415

        try:
            answer = await self._answer(context, called.name, called.arguments or {})
        except HandoffError as refused:
            text = f"{refused.message}\n{refused.hint}".rstrip("\n")
            return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=answer.data)

    async def _list_resources(self, _: ServerRequestContext[Any], __: object) -> types.ListResourcesResult:
        import mcp_types as types  # noqa: PLC0415

        status = types.Resource(
            uri=STATUS_ADDRESS, name="status", description=TOOLS["status"].summary, mime_type="application/json"
        )
        return types.ListResourcesResult(resources=[status])

    async def _list_templates(self, _: ServerRequestContext[Any], __: object) -> types.ListResourceTemplatesResult:
        import mcp_types as types  # noqa: PLC0415

        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=address, name=name, description=TOOLS[name].summary, mime_type=mime_type
                )
                for address, (name, mime_type) in RESOURCES.items()
            ]
        )

    async def _read_resource(
        self, context: ServerRequestContext[Any], asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        import mcp_types as types  # noqa: PLC0415
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415

        try:
            name, arguments, mime_type = _parse_address(str(asked.uri))
            answer = await self._answer(context, name, arguments)
        except HandoffError as refused:
            raise MCPError(types.INVALID_PARAMS, f"{refused.message}. {refused.hint}".strip()) from refused
        content = types.TextResourceContents(uri=asked.uri, text=answer.text, mime_type=mime_type)
        return types.ReadResourceResult(contents=[content])

    async def _answer(self, context: ServerRequestContext[Any], name: str, given: dict[str, Any]) -> ToolResult:
        tool = TOOLS.get(name)
        if tool is None:
            raise UsageError(f"there is no tool {name[:_LONGEST_CLIENT]!r}", f"There are {', '.join(TOOLS)}.")
        try:
            arguments = tool.arguments.model_validate(given)
        except ValidationError as wrong:
            raise UsageError(f"{name} can't be called like this: {_describe(wrong)}") from wrong
        telling = ProgressCallbacks()
        caller = Caller(self._start, self._key, _find_client(context), telling)
        try:
            return await _run_in_thread(partial(tool.answer, caller, arguments), telling.cancel)
        except HandoffError:
            raise
        except Exception as fault:  # one call fails; the server goes on
            self._on_bug(fault)
            raise UsageError(
                f"{name} failed because of a bug in handoff-tui", "A report was written for the person at this machine."
            ) from fault


async def _run_in_thread(work: Callable[[], _Value], cancel: threading.Event) -> _Value:
    """Runs something that blocks. If the client leaves, it is told to end, and has ended when this returns."""
    import anyio  # noqa: PLC0415

    ended = threading.Event()

    def run() -> _Value:
        try:
            return work()
        finally:
            ended.set()

    try:
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        cancel.set()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(ended.wait)
        raise


def _parse_address(address: str) -> tuple[str, dict[str, Any], str]:
    """The tool behind an address, its arguments, and the type of the text."""
    if address == STATUS_ADDRESS:
        return "status", {}, "application/json"
    for template, (name, mime_type) in RESOURCES.items():
        before, after = template.split("{id}")
        if address.startswith(before) and address.endswith(after) and len(address) > len(before) + len(after):
            return name, {"id": unquote(address[len(before) : -len(after)])}, mime_type
    shown = ", ".join([STATUS_ADDRESS, *RESOURCES])
    raise UsageError(f"there is no resource {address[:_LONGEST_CLIENT]!r}", f"There are {shown}.")


def _find_client(context: ServerRequestContext[Any]) -> str:
    params = context.session.client_params
    name = params.client_info.name if params is not None else ""
    return " ".join(name.split())[:_LONGEST_CLIENT] or _NAMELESS


def _describe(wrong: ValidationError) -> str:
    """What is wrong with which argument; never the argument itself, which may be huge."""
    faults = [
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
        for fault in wrong.errors(include_input=False, include_url=False, include_context=False)
    ]
    return "; ".join(faults[:_MOST_FAULTS])
