"""The stream of Gemini CLI: `--output-format stream-json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handoff_tui.agents.transcript.event import Event, Kind, Usage, build_call, count, is_denial, table, text_of


def read(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what one object of the stream says."""
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
            yield _read_result(value)


def _read_result(value: Mapping[str, object]) -> Event:
    stats = table(value.get("stats"))
    models = [str(name) for name in table(stats.get("models"))]
    spent = Usage(count(stats.get("input_tokens")), count(stats.get("output_tokens")), total=True)
    failed = value.get("status") != "success"
    return Event(
        Kind.ENDED, text_of(value.get("error")), failed=failed, usage=spent, model=models[-1] if models else ""
    )
