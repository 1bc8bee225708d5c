"""Bytes of an agent's output, as they come, to events: the streams of the programs that have a preset."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from handoff_tui.agents.transcript.event import (
    Event,
    Kind,
    Usage,
    build_call,
    count,
    is_denial,
    is_forbidden_write,
    money,
    plain,
    rows,
    table,
    text_of,
)
from handoff_tui.core.lazy_pattern import compile_later

_CLAUDE_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_CLAUDE_STOPS = {
    "error_max_turns": "it reached its limit of turns",
    "error_max_budget_usd": "it reached its limit of cost",
    "error_during_execution": "it failed while it worked",
}


def _read_claude(value: Mapping[str, object]) -> Iterator[Event]:
    """Reads the stream of Claude Code: `--output-format stream-json`."""
    session = text_of(value.get("session_id"))
    match value.get("type"):
        case "system":
            yield from _read_claude_system(value, session)
        case "assistant":
            yield from _read_claude_answer(table(value.get("message")), session)
        case "user":
            content = table(value.get("message")).get("content")
            if isinstance(content, str):
                yield Event(Kind.TOLD, text_of(content))
            for block in rows(content):
                yield from _read_claude_told(table(block))
        case "result":
            yield from _read_claude_denials(value)
            yield _read_claude_result(value, session)


def _read_claude_system(value: Mapping[str, object], session: str) -> Iterator[Event]:
    if value.get("subtype") == "init":
        yield Event(Kind.BEGAN, model=text_of(value.get("model")), session=session)
    elif value.get("subtype") == "api_retry":
        status = count(value.get("error_status"))
        why = text_of(value.get("error")).replace("_", " ")
        if not status and why in {"", "unknown"}:
            why = "connection failed"
        number, most = count(value.get("attempt")), count(value.get("max_retries"))
        yield Event(Kind.TROUBLE, f"{why}{f' ({status})' if status else ''}; retry {number} of {most}")


def _read_claude_answer(message: Mapping[str, object], session: str) -> Iterator[Event]:
    model = text_of(message.get("model"))
    for block in map(table, rows(message.get("content"))):
        match block.get("type"):
            case "text":
                yield Event(Kind.SAID, text_of(block.get("text")))
            case "thinking":
                yield Event(Kind.THOUGHT, text_of(block.get("thinking")))
            case "tool_use":
                yield build_call(text_of(block.get("name")), block.get("input"), text_of(block.get("id")))
    if message.get("stop_reason") == "refusal":
        yield Event(Kind.TROUBLE, "the model refused to answer", failed=True)
    if not model.startswith("<"):  # the program itself speaks
        counts = table(message.get("usage"))
        spent = Usage(
            sum(count(counts.get(name)) for name in _CLAUDE_INPUT),
            count(counts.get("output_tokens")),
            turns=1,
            answer=text_of(message.get("id")),
        )
        yield Event(Kind.USED, usage=spent, model=model, session=session)


def _read_claude_told(block: Mapping[str, object]) -> Iterator[Event]:
    if block.get("type") == "tool_result":
        text, failed = text_of(block.get("content")), block.get("is_error") is True
        denied = is_denial(text, failed=failed)
        yield Event(Kind.RESULT, text, call=text_of(block.get("tool_use_id")), failed=failed, denied=denied)
    elif block.get("type") == "text":
        yield Event(Kind.TOLD, text_of(block.get("text")))


def _read_claude_denials(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what was denied by the program's own account; most of it was seen before."""
    for denial in map(table, rows(value.get("permission_denials"))):
        call = build_call(
            text_of(denial.get("tool_name")), denial.get("tool_input"), text_of(denial.get("tool_use_id"))
        )
        yield call._replace(kind=Kind.DENIED, denied=True)


def _read_claude_result(value: Mapping[str, object], session: str) -> Event:
    counts = table(value.get("usage"))
    spent = Usage(
        sum(count(counts.get(name)) for name in _CLAUDE_INPUT),
        count(counts.get("output_tokens")),
        money(value.get("total_cost_usd")),
        count(value.get("num_turns")),
        total=True,
    )
    kind = text_of(value.get("subtype"))
    failed = value.get("is_error") is True or kind.startswith("error") or value.get("stop_reason") == "refusal"
    said = text_of(value.get("result")) or text_of(value.get("errors"))
    text = _CLAUDE_STOPS.get(kind, "") if kind in _CLAUDE_STOPS and not said else said
    if value.get("stop_reason") == "refusal":
        text = f"the model refused to answer: {text}" if text else "the model refused to answer"
    return Event(Kind.ENDED, text, failed=failed, usage=spent, session=session)


_CODEX_SHELL_WORDS = 3
"""A command is printed as `/bin/bash -lc "…"`."""


def _read_codex(value: Mapping[str, object]) -> Iterator[Event]:
    """Reads the stream of Codex: `codex exec --json`."""
    match value.get("type"):
        case "thread.started":
            yield Event(Kind.BEGAN, session=text_of(value.get("thread_id")))
        case "item.started" | "item.completed":
            yield from _read_codex_item(table(value.get("item")), done=value.get("type") == "item.completed")
        case "error":
            yield Event(Kind.TROUBLE, text_of(value.get("message")))
        case "turn.failed":
            yield Event(Kind.ENDED, text_of(value.get("error")), failed=True)
        case "turn.completed":
            counts = table(value.get("usage"))
            spent = Usage(count(counts.get("input_tokens")), count(counts.get("output_tokens")), total=True)
            yield Event(Kind.ENDED, usage=spent)


def _read_codex_item(item: Mapping[str, object], *, done: bool) -> Iterator[Event]:
    call = text_of(item.get("id"))
    match item.get("type"):
        case "agent_message" if done:
            yield Event(Kind.SAID, text_of(item.get("text")))
        case "reasoning" if done:
            yield Event(Kind.THOUGHT, text_of(item.get("text")))
        case "error" if done:
            yield Event(Kind.PLAIN, text_of(item.get("message")))
        case "command_execution" if not done:
            yield Event(Kind.CALLED, _unwrap(text_of(item.get("command"))), "shell", call)
        case "command_execution":
            text, status = text_of(item.get("aggregated_output")), text_of(item.get("status"))
            failed = status in {"failed", "declined"} or bool(count(item.get("exit_code")))
            denied = status == "declined" or is_forbidden_write(text) or is_denial(text, failed=failed)
            yield Event(Kind.RESULT, text, call=call, failed=failed, denied=failed and denied)
        case "file_change" if done:
            failed = item.get("status") == "failed"
            for change in map(table, rows(item.get("changes"))):
                diff = tuple(text_of(change.get("diff")).splitlines())
                path, kind = text_of(change.get("path")), text_of(change.get("kind")) or "edit"
                yield Event(Kind.CALLED, path, kind, call, edit=diff or (f" {kind} {path}",))
            yield Event(Kind.RESULT, call=call, failed=failed, denied=failed)
        case "mcp_tool_call" if done:
            name = f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"
            yield build_call(name, item.get("arguments"), call)
            failed = item.get("status") == "failed"
            text = text_of(item.get("error")) or text_of(item.get("result"))
            yield Event(Kind.RESULT, text, call=call, failed=failed)
        case "web_search" if done:
            yield Event(Kind.CALLED, text_of(item.get("query")), "web search", call)


def _unwrap(command: str) -> str:
    """Returns what the shell was asked to do."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_shell = len(words) == _CODEX_SHELL_WORDS and words[1] in {"-lc", "-c"}
    return words[-1] if is_shell else command


def _read_gemini(value: Mapping[str, object]) -> Iterator[Event]:
    """Reads the stream of Gemini CLI: `--output-format stream-json`."""
    match value.get("type"):
        case "init":
            model, session = text_of(value.get("model")), text_of(value.get("session_id"))
            yield Event(Kind.BEGAN, model="" if model == "auto" else model, session=session)
        case "message":
            is_agent = value.get("role") == "assistant"
            yield Event(Kind.SAID if is_agent else Kind.TOLD, text_of(value.get("content")))
        case "tool_use":
            yield build_call(text_of(value.get("tool_name")), value.get("parameters"), text_of(value.get("tool_id")))
        case "tool_result":
            error, failed = table(value.get("error")), value.get("status") == "error"
            text = text_of(value.get("output")) or text_of(error)
            denied = is_denial(f"{text_of(error.get('type'))} {text_of(error)} {text}", failed=failed)
            call = text_of(value.get("tool_id"))
            yield Event(Kind.RESULT, text, call=call, failed=failed, denied=denied)
        case "error":
            yield Event(Kind.TROUBLE, text_of(value.get("message")) or text_of(value.get("error")))
        case "result":
            yield _read_gemini_result(value)


def _read_gemini_result(value: Mapping[str, object]) -> Event:
    stats = table(value.get("stats"))
    models = [str(name) for name in table(stats.get("models"))]
    spent = Usage(count(stats.get("input_tokens")), count(stats.get("output_tokens")), total=True)
    failed = value.get("status") != "success"
    return Event(
        Kind.ENDED, text_of(value.get("error")), failed=failed, usage=spent, model=models[-1] if models else ""
    )


def _read_goose(value: Mapping[str, object]) -> Iterator[Event]:
    """Reads the stream of goose: `goose run --output-format stream-json`."""
    match value.get("type"):
        case "message":
            message = table(value.get("message"))
            for block in map(table, rows(message.get("content"))):
                yield from _read_goose_block(block, is_agent=message.get("role") == "assistant")
        case "error":
            yield Event(Kind.ENDED, text_of(value.get("error")) or text_of(value), failed=True)
        case "complete":
            read_in, written = count(value.get("input_tokens")), count(value.get("output_tokens"))
            total = count(value.get("total_tokens"))
            spent = Usage(read_in or total - min(written, total), written, total=True)
            yield Event(Kind.ENDED, usage=spent)


def _read_goose_block(block: Mapping[str, object], *, is_agent: bool) -> Iterator[Event]:
    match block.get("type"):
        case "text":
            yield Event(Kind.SAID if is_agent else Kind.TOLD, text_of(block.get("text")))
        case "thinking":
            yield Event(Kind.THOUGHT, text_of(block.get("thinking")))
        case "toolRequest":
            wanted = table(table(block.get("toolCall")).get("value"))
            yield build_call(text_of(wanted.get("name")), wanted.get("arguments"), text_of(block.get("id")))
        case "toolResponse":
            result = table(block.get("toolResult"))
            given = table(result.get("value"))
            failed = result.get("status") == "error" or given.get("isError") is True
            text = text_of(given) or text_of(result.get("error"))
            denied = is_denial(text, failed=failed)
            yield Event(Kind.RESULT, text, call=text_of(block.get("id")), failed=failed, denied=denied)


def _read_opencode(value: Mapping[str, object]) -> Iterator[Event]:
    """Reads the stream of opencode: `opencode run --format json`."""
    part, session = table(value.get("part")), text_of(value.get("sessionID"))
    match value.get("type"):
        case "step_start":
            yield Event(Kind.BEGAN, session=session)
        case "text":
            yield Event(Kind.SAID, text_of(part.get("text")))
        case "reasoning":
            yield Event(Kind.THOUGHT, text_of(part.get("text")))
        case "tool_use":
            call, state = text_of(part.get("callID")), table(part.get("state"))
            yield build_call(text_of(part.get("tool")), state.get("input"), call)
            failed = state.get("status") == "error" or bool(count(table(state.get("metadata")).get("exit")))
            text = text_of(state.get("output")) or text_of(state.get("error"))
            denied = is_denial(f"{text_of(state.get('error'))} {text}", failed=failed)
            yield Event(Kind.RESULT, text, call=call, failed=failed, denied=denied)
        case "step_finish":
            tokens = table(part.get("tokens"))
            cached = sum(count(number) for number in table(tokens.get("cache")).values())
            written = count(tokens.get("output")) + count(tokens.get("reasoning"))
            spent = Usage(
                *(count(tokens.get("input")) + cached, written, money(part.get("cost")), 1),
                answer=text_of(part.get("messageID")),
            )
            yield Event(Kind.USED, usage=spent, session=session)
            reason = text_of(part.get("reason"))
            if reason not in {"", "tool-calls"}:
                yield Event(Kind.ENDED, "" if reason == "stop" else reason, failed=reason != "stop")
        case "error":
            error = table(value.get("error"))
            text = text_of(error.get("data")) or text_of(error) or text_of(error.get("name"))
            yield Event(Kind.ENDED, f"{text_of(error.get('name'))}: {text}", failed=True, session=session)


_AIDER_COUNTS = compile_later(
    r"^Tokens: ([\d.,]+)([kM]?) sent(?:, [\d.,]+[kM]? cache \w+)*, ([\d.,]+)([kM]?) received\."
    r"(?: Cost: \$([\d.]+) message, \$([\d.]+) session\.)?"
)
_AIDER_EDITED = compile_later(r"^Applied edit to (.+)$")
_AIDER_COMMITTED = compile_later(r"^Commit ([0-9a-f]{7,40}) (.+)$")
_AIDER_MODEL = compile_later(r"^(?:Main )?[Mm]odel: (\S+)")
_AIDER_FACTORS = {"": 1, "k": 1_000, "M": 1_000_000}


def _read_aider(line: str) -> Iterator[Event]:
    """Reads a line of aider, which has no stream; some lines count tokens and cost."""
    if match := _AIDER_COUNTS.match(line):
        sent, received = _scale(match[1], match[2]), _scale(match[3], match[4])
        cost = _number(match[5]) if match[5] else None
        yield Event(Kind.USED, usage=Usage(sent, received, cost, 1))
    elif match := _AIDER_EDITED.match(line):
        yield Event(Kind.CALLED, match[1], "edit", edit=(f" edited {match[1]}",))
    elif match := _AIDER_COMMITTED.match(line):
        yield Event(Kind.CALLED, f"git commit: {match[2]}", "commit")
    elif match := _AIDER_MODEL.match(line):
        yield Event(Kind.BEGAN, model=match[1])
    else:
        yield plain(line)


def _scale(number: str, factor: str) -> int:
    return round(_number(number) * _AIDER_FACTORS[factor])


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


_READERS: Final[Mapping[str, Callable[[Mapping[str, object]], Iterator[Event]]]] = {
    "claude": _read_claude,
    "codex": _read_codex,
    "gemini": _read_gemini,
    "goose": _read_goose,
    "opencode": _read_opencode,
}
LONGEST_LINE: Final = 4 * 1024 * 1024
"""A longer line is skipped: no event needs that much."""


class TranscriptReader:
    """The events of one output, fed in parts of any size."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self._rest = b""
        self._skipped = 0

    def feed(self, part: bytes) -> Iterator[Event]:
        """Returns the events of the lines that are complete now."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            whole, self._rest = self._rest + line, b""
            if self._skipped or len(whole) > LONGEST_LINE:
                yield plain(f"(a line of {self._skipped + len(whole):,} bytes)")
                self._skipped = 0
            else:
                yield from self._read(whole)
        self._rest += rest
        if len(self._rest) > LONGEST_LINE:
            self._skipped += len(self._rest)
            self._rest = b""

    def end(self) -> Iterator[Event]:
        """Returns the events of a last line without an end."""
        if self._skipped or self._rest:
            yield from self.feed(b"\n")

    def _read(self, line: bytes) -> Iterator[Event]:
        text = line.decode("utf-8", "replace").rstrip("\r")
        if not text.strip():
            return
        reader = _READERS.get(self.stream)
        if reader is None:
            yield from _read_aider(text) if self.stream == "aider" else [plain(text)]
            return
        try:
            value = json.loads(text) if text.startswith("{") else None
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield from reader(value)
        else:
            yield plain(text)
