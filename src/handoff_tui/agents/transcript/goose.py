"""The stream of goose: `goose run --output-format stream-json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handoff_tui.agents.transcript.event import Event, Kind, Usage, build_call, count, is_denial, rows, table, text_of


def read(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what one object of the stream says."""
    match value.get("type"):
        case "message":
            message = table(value.get("message"))
            for block in map(table, rows(message.get("content"))):
                yield from _read_block(block, is_agent=message.get("role") == "assistant")
        case "error":
            yield Event(Kind.ENDED, text_of(value.get("error")) or text_of(value), failed=True)
        case "complete":
            read_in, written = count(value.get("input_tokens")), count(value.get("output_tokens"))
            total = count(value.get("total_tokens"))
            spent = Usage(read_in or total - min(written, total), written, total=True)
            yield Event(Kind.ENDED, usage=spent)


def _read_block(block: Mapping[str, object], *, is_agent: bool) -> Iterator[Event]:
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
