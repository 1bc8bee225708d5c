"""The model APIs of agents' programs on 127.0.0.1, enough of them for whole turns: a script says what the model does.

The script is a list of moves, one per answer; which answer is due is counted in the request, so nothing is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple


class Move(NamedTuple):
    """What the model does next: it says something, and may run a command or write a file."""

    says: str
    command: str = ""
    path: str = ""
    content: str = ""


class Fault(NamedTuple):
    """How every request is refused instead; `seconds` waits before the answer."""

    status: int = 0
    body: Mapping[str, object] = {}
    seconds: float = 0.0


_USAGE = {"input_tokens": 1200, "output_tokens": 80}
_SHELLS = ("Bash", "exec_command", "shell_command", "run_shell_command", "bash", "developer__shell", "shell")
_WRITERS = ("Write", "write_file", "write", "developer__write", "developer__text_editor")


class ModelApi:
    """A server with a script."""

    def __init__(self, moves: list[Move], fault: Fault | None = None) -> None:
        self.moves, self.fault = moves, fault
        self.requests: list[dict[str, Any]] = []
        self.gate = Event()
        self.gate.set()
        """Cleared, every answer waits: for what happens while an agent thinks."""

    def find_move(self, answers: int) -> Move:
        return self.moves[min(answers, len(self.moves) - 1)]


def _pick(tools: list[str], known: tuple[str, ...]) -> str:
    return next((name for name in known if name in tools), known[0])


def _build_call(move: Move, tools: list[str]) -> tuple[str, dict[str, object]] | None:
    """The tool call of a move, in the words of the program that asks."""
    if move.command:
        name = _pick(tools, _SHELLS)
        if name == "exec_command":
            return name, {"cmd": move.command}
        return name, {"command": move.command, "description": "run a command"}
    if move.path:
        name = _pick(tools, _WRITERS)
        if name not in tools:
            return _build_call(Move(move.says, f"cat > {move.path} <<'EOF'\n{move.content}\nEOF"), tools)
        field = {"write": "filePath", "developer__write": "path", "developer__text_editor": "path"}.get(
            name, "file_path"
        )
        if name == "write" and "edit" in tools and "shell" in tools:
            field = "path"
        return name, {field: move.path, "content": move.content}
    return None


def _anthropic(api: ModelApi, request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    tools = [tool.get("name", "") for tool in request.get("tools", [])]
    answers = sum(message["role"] == "assistant" for message in request["messages"])
    move = api.find_move(answers) if tools else Move("A title")
    call = _build_call(move, tools) if tools else None
    head = {"id": f"msg_{answers}", "type": "message", "role": "assistant", "model": request["model"], "content": []}
    yield "message_start", {"message": {**head, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": move.says}}
    yield "content_block_stop", {"index": 0}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{answers}", "name": call[0], "input": {}}
        yield "content_block_start", {"index": 1, "content_block": block}
        yield "content_block_delta", {
            "index": 1, "delta": {"type": "input_json_delta", "partial_json": json.dumps(call[1])},
        }  # fmt: skip
        yield "content_block_stop", {"index": 1}
    yield "message_delta", {
        "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}, "usage": _USAGE,
    }  # fmt: skip
    yield "message_stop", {}


def _responses(api: ModelApi, request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    tools = [tool.get("name") or tool.get("type", "") for tool in request.get("tools", [])]
    given = request.get("input", [])
    answers = sum(item.get("type") in {"function_call_output", "custom_tool_call_output"} for item in given)
    move = api.find_move(answers)
    call = _build_call(move, tools)
    said = {
        "type": "message", "role": "assistant", "id": f"m{answers}",
        "content": [{"type": "output_text", "text": move.says}],
    }  # fmt: skip
    yield "response.created", {"response": {"id": f"r{answers}"}}
    yield "response.output_item.done", {"output_index": 0, "item": said}
    if call:
        item = {
            "type": "function_call", "id": f"f{answers}", "call_id": f"c{answers}",
            "name": call[0], "arguments": json.dumps(call[1]),
        }  # fmt: skip
        yield "response.output_item.done", {"output_index": 1, "item": item}
    usage = {
        **_USAGE, "total_tokens": 1280, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    yield "response.completed", {"response": {"id": f"r{answers}", "usage": usage}}


def _chat(api: ModelApi, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tools = [tool["function"]["name"] for tool in request.get("tools", [])]
    answers = sum(message["role"] == "tool" for message in request["messages"])
    move = Move("A title") if "title" in str(request["messages"][0])[:2000] else api.find_move(answers)
    call = _build_call(move, tools) if tools else None
    head = {"id": f"chat{answers}", "object": "chat.completion.chunk", "created": 1, "model": request["model"]}

    def chunk(delta: dict[str, object], reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": move.says})
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        yield chunk({"tool_calls": [{"index": 0, "id": f"call{answers}", "type": "function", "function": function}]})
    yield chunk({}, "tool_calls" if call else "stop")
    usage = {"prompt_tokens": 1200, "completion_tokens": 80, "total_tokens": 1280}
    yield {**head, "choices": [], "usage": usage}


def _gemini(api: ModelApi, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    declared = [one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
    tools = [one["name"] for one in declared]
    answers = sum(content.get("role") == "model" for content in request["contents"])
    answers -= sum("environment" in str(content)[:400] for content in request["contents"] if content["role"] == "model")
    move = api.find_move(answers) if tools else Move('{"complexity_reasoning": "x", "complexity_score": 1}')
    parts: list[dict[str, object]] = [{"text": move.says}]
    if tools and (call := _build_call(move, tools)):
        parts.append({"functionCall": {"name": call[0], "args": call[1]}})
    yield {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1200, "candidatesTokenCount": 80, "totalTokenCount": 1280},
        "modelVersion": "gemini-x",
    }


class _Handler(BaseHTTPRequestHandler):
    """Answers one program."""

    api: ModelApi
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def do_GET(self) -> None:
        self._answer_json(200, {"data": [], "models": []})

    def do_HEAD(self) -> None:
        self._answer_json(200, {})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        try:
            request = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            request = {}
        self.api.requests.append({"path": self.path, **request} if isinstance(request, dict) else {"path": self.path})
        self.api.gate.wait(60)
        fault = self.api.fault
        if fault is not None and fault.status:
            self._answer_json(fault.status, fault.body)
        elif "count_tokens" in self.path:
            self._answer_json(200, {"input_tokens": 10})
        elif "/messages" in self.path:
            self._stream(f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n"
                         for name, value in _anthropic(self.api, request))  # fmt: skip
        elif "/responses" in self.path:
            self._stream(f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n"
                         for name, value in _responses(self.api, request))  # fmt: skip
        elif "/chat/completions" in self.path:
            self._answer_chat(request)
        elif "enerateContent" in self.path:
            self._answer_gemini(request)
        else:
            self._answer_json(200, {})

    def _answer_chat(self, request: dict[str, Any]) -> None:
        chunks = list(_chat(self.api, request))
        if request.get("stream"):
            self._stream([*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"])
            return
        message: dict[str, object] = {"role": "assistant", "content": chunks[0]["choices"][0]["delta"]["content"]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._answer_json(200, {**chunks[-1], "object": "chat.completion", "choices": [choice]})

    def _answer_gemini(self, request: dict[str, Any]) -> None:
        answers = list(_gemini(self.api, request))
        if "stream" in self.path:
            self._stream(f"data: {json.dumps(answer)}\n\n" for answer in answers)
        else:
            self._answer_json(200, answers[0])

    def _stream(self, parts: Iterable[str]) -> None:
        content = "".join(parts).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer_json(self, status: int, value: Mapping[str, object]) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serve_models(moves: list[Move], fault: Fault | None = None, port: int = 0) -> Iterator[tuple[ModelApi, str]]:
    """Serves until the block ends; gives the API and its address."""
    api = ModelApi(moves, fault)
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"api": api}))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield api, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        api.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
