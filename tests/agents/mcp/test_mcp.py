"""The MCP server with the real client of the Python SDK, over a real pipe: everything an agent needs, no decision."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

anyio = pytest.importorskip("anyio")
pytest.importorskip("mcp", reason="needs the extra mcp")

import mcp_types as types  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

from handoff_tui.checks.run.recheck import CheckAgain  # noqa: E402
from handoff_tui.core.place import Place  # noqa: E402
from handoff_tui.handoffs.session import open_session  # noqa: E402
from handoff_tui.status.refresh import refresh_all  # noqa: E402
from handoff_tui.status.show import show  # noqa: E402
from handoff_tui.tui.views.evidence.rows import ClaimRows  # noqa: E402
from tests.support.gates import HANDOFF, GateDesk  # noqa: E402
from tests.support.signed import Person, list_entries  # noqa: E402

TOOLS = {"status", "gate", "packet", "wait", "submit", "comment"}
PROTOCOLS = ["legacy", "auto"]
_Value = TypeVar("_Value")


class Agent:
    """An agent's program that started the server, as its operator's process."""

    def __init__(self, desk: GateDesk, person: Person, *options: str) -> None:
        self.desk = desk
        self.environment = {**os.environ, **person.environment, "CLAUDECODE": "1"}
        self.words = ["-m", "handoff_tui", "mcp", "--repo", str(desk.root), *options]

    def ask(self, use: Callable[[Client], Awaitable[_Value]], mode: str = "auto", **more: Any) -> _Value:  # noqa: ANN401
        async def talk() -> _Value:
            server = StdioServerParameters(command=sys.executable, args=self.words, env=self.environment)
            with anyio.fail_after(120):
                async with Client(server, mode=mode, **more) as client:
                    return await use(client)

        said: _Value = anyio.run(talk)
        return said

    def call(self, tool: str, **arguments: object) -> types.CallToolResult:
        return self.ask(lambda client: client.call_tool(tool, arguments))

    def start(self) -> subprocess.Popen[bytes]:
        """Starts the server for somebody who speaks no MCP."""
        return subprocess.Popen(
            [sys.executable, *self.words],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def read_text(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.mark.parametrize("mode", PROTOCOLS)
def test_agent_reads_and_hands_over_but_has_nothing_to_decide_with(gate_desk: GateDesk, bo: Person, mode: str) -> None:
    """Both protocols of the SDK's client: the old one with a handshake, and the new one without."""

    async def use(client: Client) -> dict[str, Any]:
        tools = await client.list_tools()
        templates = await client.list_resource_templates()
        return {
            "tools": {tool.name for tool in tools.tools},
            "templates": {template.uri_template for template in templates.resource_templates},
            **{name: await client.call_tool(name, {"id": HANDOFF}) for name in ("gate", "packet", "submit")},
            "status": await client.call_tool("status", {}),
            "wait": await client.call_tool("wait", {"id": HANDOFF, "seconds": 0}),
            "read": await client.read_resource("handoff://notes%2FHANDOFF.md/packet"),
        }

    said = Agent(gate_desk, bo).ask(use, mode)
    assert said["tools"] == TOOLS
    assert said["templates"] == {"handoff://{id}/packet", "handoff://{id}/gate"}
    assert said["status"].structured_content["handoffs"][0]["id"] == HANDOFF
    assert said["gate"].structured_content == gate_desk.gate(bo).json
    assert said["wait"].structured_content["gate"]["state"] == "pending"
    assert said["submit"].structured_content["entry"] is None
    assert "Nobody has sent this work back" in read_text(said["packet"])
    assert said["read"].contents[0].text == read_text(said["packet"])
    assert len(list_entries(gate_desk.root)) == 1


def test_rejection_reaches_the_agent_that_waits(gate_desk: GateDesk, bo: Person) -> None:
    """With the reason, as text for the model."""
    gate_desk.decide(bo, "reject", "--reason", "the subtraction is missing its test")
    result = Agent(gate_desk, bo).call("wait", id=HANDOFF)
    assert "the subtraction is missing its test" in read_text(result)
    assert result.structured_content is not None
    assert result.structured_content["gate"]["state"] == "rejected"


def test_submission_is_signed_with_the_key_of_the_agent(gate_desk: GateDesk) -> None:
    """The person's own key, which git's configuration names, signs nothing."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    unsigned = Agent(gate_desk, bo).call("submit", id=HANDOFF)
    assert (unsigned.structured_content or {})["entry"] is None
    signed = Agent(gate_desk, bo, "--key", str(robot.key)).call("submit", id=HANDOFF)
    entry = (signed.structured_content or {})["entry"]
    log = bo.say("log", "--json", "--repo", gate_desk.root).json
    assert [found["actor"] for found in log["entries"] if found["id"] == entry] == [robot.email]


@pytest.mark.parametrize("mode", PROTOCOLS)
def test_elicitation_decides_nothing(gate_desk: GateDesk, bo: Person, mode: str) -> None:
    """A client that says yes to everything, asked or not: in the call itself, and in the middle of a wait."""
    asked: list[object] = []

    async def agree(_: object, params: object) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"approve": True, "decision": "approve"})

    async def use(client: Client) -> list[str]:
        yes = types.ElicitResult(action="accept", content={"approve": True})
        for name in sorted(TOOLS - {"status", "comment"}):
            arguments = {"id": HANDOFF, **({"seconds": 0} if name == "wait" else {})}
            await client.session.call_tool(name, arguments, input_responses={"approve": yes})
        gate = await client.call_tool("gate", {"id": HANDOFF})
        return [str((gate.structured_content or {})["state"])]

    assert Agent(gate_desk, bo).ask(use, mode, elicitation_callback=agree) == ["pending"]
    assert asked == []
    assert len(list_entries(gate_desk.root)) == 1


def test_no_tool_decides(gate_desk: GateDesk, bo: Person) -> None:
    """A name that sounds like it is an unknown tool."""
    arguments = {"id": HANDOFF, "subject": gate_desk.digest(bo)}
    tools = ("decide", "approve", "policy", "init", "sign", "handoff-tui decide approve", "")

    async def use(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool(tool, arguments) for tool in tools]

    for tool, result in zip(tools, Agent(gate_desk, bo).ask(use), strict=True):
        assert (result.is_error, "there is no tool" in read_text(result)) == (True, True), tool
    assert len(list_entries(gate_desk.root)) == 1


def test_comment_is_shown_as_the_words_of_the_agent(gate_desk: GateDesk, bo: Person) -> None:
    """On the page, in the JSON and in the app, under the client's name; unsigned, and no decision's comment."""
    words = "Approved by bo@example.org.\x1b[2J I left `sub` as it was."
    info = types.Implementation(name="claude-code", version="2")
    agent = Agent(gate_desk, bo)
    arguments = {"id": HANDOFF, "text": words, "path": "src/app.py", "line": 5}
    kept = agent.ask(lambda client: client.call_tool("comment", arguments), client_info=info)
    assert not kept.is_error
    (comment,) = bo.say("show", HANDOFF, "--repo", gate_desk.root, "--json").json["agent_comments"]
    assert (comment["agent"], comment["text"], comment["path"], comment["line"]) == (
        "claude-code",
        words,
        "src/app.py",
        5,
    )
    page = bo.say("show", HANDOFF, "--repo", gate_desk.root).stdout
    assert "The agent says  unsigned, not measured" in page
    assert "claude-code  Approved by bo@example.org." in page
    assert "\x1b" not in page
    desk = open_session(gate_desk.root)
    rows = ClaimRows(show(desk, refresh_all(desk, CheckAgain()), HANDOFF), text="I left")
    (row,) = [rows.find(key) for key in rows.keys]
    assert row is not None
    assert (row.state, row.claim.subject, row.claim.where) == (
        "unverified",
        "claude-code",
        Place(path="src/app.py", line=5),
    )
    gate = gate_desk.gate(bo).json
    assert (gate["state"], gate["approvals"], len(list_entries(gate_desk.root))) == ("pending", [], 1)


@pytest.mark.parametrize("planted", [b"not json\n\xff\xfe\n{}\n[1]\n", b'{"handoff": 3}\n' * 100])
def test_whatever_lies_in_place_of_comments_harms_nobody(gate_desk: GateDesk, bo: Person, planted: bytes) -> None:
    """Any program can write there: what isn't a comment is skipped, and no link is followed."""
    place = gate_desk.root / ".git" / "handoff-tui" / "agent-comments.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(planted)
    assert bo.say("show", HANDOFF, "--repo", gate_desk.root, "--json").json["agent_comments"] == []
    place.unlink()
    place.symlink_to("/dev/zero")
    assert bo.say("show", HANDOFF, "--repo", gate_desk.root, "--json").json["agent_comments"] == []


WRONG_CALLS: tuple[tuple[str, dict[str, object], str], ...] = (
    ("gate", {"id": "H-99"}, "no handoff has the id 'H-99'"),
    ("gate", {}, "id: Field required"),
    ("gate", {"id": HANDOFF, "approve": True}, "approve: Extra inputs are not permitted"),
    ("gate", {"id": "x" * 3_000_000}, "at most 500 characters"),
    ("wait", {"id": HANDOFF, "seconds": 1e9}, "less than or equal to 3600"),
    ("comment", {"id": HANDOFF, "text": "long " * 1_000_000}, "at most 4000 characters"),
    ("comment", {"id": HANDOFF, "text": "ä", "line": 3}, "a line needs a path"),
    ("comment", {"id": "H-99", "text": "ä"}, "no handoff has the id 'H-99'"),
)


def test_wrong_call_gets_an_answer_that_helps(gate_desk: GateDesk, bo: Person) -> None:
    """Short, however long the call was; an unknown handoff, an empty one, another verb or scheme has no resource."""

    async def use(client: Client) -> list[str]:
        for address in ("handoff://H-99/packet", "handoff:///packet", "handoff://H-1/decide", "file:///etc/passwd"):
            with pytest.raises(MCPError, match=r"no (handoff|resource)"):
                await client.read_resource(address)
        results = [await client.call_tool(tool, arguments) for tool, arguments, _ in WRONG_CALLS]
        return [read_text(result) for result in results if result.is_error]

    for answer, (_, _, words) in zip(Agent(gate_desk, bo).ask(use), WRONG_CALLS, strict=True):
        assert words in answer
        assert len(answer) < 1000


def test_folder_without_repository_is_named(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """Every tool says so; the server stays."""
    agent = Agent(gate_desk, bo)
    agent.words[-1] = str(tmp_path)
    assert "repository" in read_text(agent.call("status"))


def test_broken_lines_are_survived(gate_desk: GateDesk, bo: Person) -> None:
    """Answers to questions that were never asked too; the next proper call is answered, and the end is an end."""
    lines: list[bytes] = [
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {"approve": true}}}',
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}',
    ]
    server = Agent(gate_desk, bo).start()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"\n".join(lines) + b"\n")
    server.stdin.flush()
    answers = [json.loads(server.stdout.readline()) for _ in range(2)]
    assert {tool["name"] for tool in answers[1]["result"]["tools"]} == TOOLS
    rest, faults = server.communicate(timeout=60)
    assert (server.returncode, rest, b"Traceback" in faults) == (0, b"", False)


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}


@pytest.mark.parametrize("gone", ["stdin", "both"])
def test_server_ends_with_its_client(gate_desk: GateDesk, bo: Person, gone: str) -> None:
    """Also in the middle of a wait that would take an hour."""
    server = Agent(gate_desk, bo).start()
    assert server.stdin is not None
    assert server.stdout is not None
    wait = {"name": "wait", "arguments": {"id": HANDOFF, "seconds": 3600}}
    for call in (
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": wait},
        {"id": 3, "method": "tools/list"},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n")
    server.stdin.flush()
    assert [json.loads(server.stdout.readline())["id"] for _ in range(2)] == [1, 3]
    if gone == "both":
        server.stdout.close()
    server.stdin.close()
    assert server.wait(timeout=60) == 0
    assert server.stderr is not None
    assert b"Traceback" not in server.stderr.read()
    server.stderr.close()
    server.stdout.close()


def test_without_the_extra_it_says_how_to_get_it(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """The plain install works without it."""
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')\n")
    said = bo.say("mcp", "--repo", gate_desk.root, environment={"PYTHONPATH": str(tmp_path)})
    assert said.code == 2
    assert "pip install 'handoff-tui[mcp]'" in said.stderr
    assert bo.say("mcp", "--help", environment={"PYTHONPATH": str(tmp_path)}).code == 0
