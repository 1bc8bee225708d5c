"""Speaks MCP over standard input and output; the protocol itself is the work of the Python SDK, an extra."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from pydantic import ValidationError

from handoff_tui import __version__
from handoff_tui.agents.mcp.tools import RESOURCES, STATUS_ADDRESS, TOOLS, WHERE_TO_DECIDE, Answer, Caller
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import HandoffError, McpMissingError, UsageError

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext

_INSTRUCTIONS = f"handoff-tui is where a person reviews your work. {WHERE_TO_DECIDE}"
_NAMELESS = "an agent"
_LONGEST_CLIENT = 80
_MOST_FAULTS = 5
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

    async def _answer(self, context: ServerRequestContext[Any], name: str, given: dict[str, Any]) -> Answer:
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
            raise UsageError(f"{name} failed because of a bug in handoff-tui", "The person finds a report.") from fault


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
