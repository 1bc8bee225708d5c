"""The stream of Codex: `codex exec --json`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from handoff_tui.agents.transcript.event import (
    Event,
    Kind,
    Usage,
    build_call,
    count,
    is_denial,
    is_forbidden_write,
    rows,
    table,
    text_of,
)

_SHELL_WORDS = 3
"""A command is printed as `/bin/bash -lc "…"`."""


def read(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what one object of the stream says."""
    match value.get("type"):
        case "thread.started":
            yield Event(Kind.BEGAN, session=text_of(value.get("thread_id")))
        case "item.started" | "item.completed":
            yield from _read_item(table(value.get("item")), done=value.get("type") == "item.completed")
        case "error":
            yield Event(Kind.TROUBLE, text_of(value.get("message")))
        case "turn.failed":
            yield Event(Kind.ENDED, text_of(value.get("error")), failed=True)
        case "turn.completed":
            counts = table(value.get("usage"))
            spent = Usage(count(counts.get("input_tokens")), count(counts.get("output_tokens")), total=True)
            yield Event(Kind.ENDED, usage=spent)


def _read_item(item: Mapping[str, object], *, done: bool) -> Iterator[Event]:
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
    is_shell = len(words) == _SHELL_WORDS and words[1] in {"-lc", "-c"}
    return words[-1] if is_shell else command
