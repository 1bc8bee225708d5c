"""The stream of Claude Code: `--output-format stream-json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handoff_tui.agents.transcript.event import (
    Event,
    Kind,
    Usage,
    build_call,
    count,
    is_denial,
    money,
    rows,
    table,
    text_of,
)

_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_STOPS = {
    "error_max_turns": "it reached its limit of turns",
    "error_max_budget_usd": "it reached its limit of cost",
    "error_during_execution": "it failed while it worked",
}


def read(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what one object of the stream says."""
    session = text_of(value.get("session_id"))
    match value.get("type"):
        case "system":
            yield from _read_system(value, session)
        case "assistant":
            yield from _read_answer(table(value.get("message")), session)
        case "user":
            content = table(value.get("message")).get("content")
            if isinstance(content, str):
                yield Event(Kind.TOLD, text_of(content))
            for block in rows(content):
                yield from _read_told(table(block))
        case "result":
            yield from _read_denials(value)
            yield _read_result(value, session)


def _read_system(value: Mapping[str, object], session: str) -> Iterator[Event]:
    if value.get("subtype") == "init":
        yield Event(Kind.BEGAN, model=text_of(value.get("model")), session=session)
    elif value.get("subtype") == "api_retry":
        status = count(value.get("error_status"))
        why = text_of(value.get("error")).replace("_", " ")
        if not status and why in {"", "unknown"}:
            why = "connection failed"
        number, most = count(value.get("attempt")), count(value.get("max_retries"))
        yield Event(Kind.TROUBLE, f"{why}{f' ({status})' if status else ''}; retry {number} of {most}")


def _read_answer(message: Mapping[str, object], session: str) -> Iterator[Event]:
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
            sum(count(counts.get(name)) for name in _INPUT),
            count(counts.get("output_tokens")),
            turns=1,
            answer=text_of(message.get("id")),
        )
        yield Event(Kind.USED, usage=spent, model=model, session=session)


def _read_told(block: Mapping[str, object]) -> Iterator[Event]:
    if block.get("type") == "tool_result":
        text, failed = text_of(block.get("content")), block.get("is_error") is True
        denied = is_denial(text, failed=failed)
        yield Event(Kind.RESULT, text, call=text_of(block.get("tool_use_id")), failed=failed, denied=denied)
    elif block.get("type") == "text":
        yield Event(Kind.TOLD, text_of(block.get("text")))


def _read_denials(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what was denied by the program's own account; most of it was seen before."""
    for denial in map(table, rows(value.get("permission_denials"))):
        call = build_call(
            text_of(denial.get("tool_name")), denial.get("tool_input"), text_of(denial.get("tool_use_id"))
        )
        yield call._replace(kind=Kind.DENIED, denied=True)


def _read_result(value: Mapping[str, object], session: str) -> Event:
    counts = table(value.get("usage"))
    spent = Usage(
        sum(count(counts.get(name)) for name in _INPUT),
        count(counts.get("output_tokens")),
        money(value.get("total_cost_usd")),
        count(value.get("num_turns")),
        total=True,
    )
    kind = text_of(value.get("subtype"))
    failed = value.get("is_error") is True or kind.startswith("error") or value.get("stop_reason") == "refusal"
    said = text_of(value.get("result")) or text_of(value.get("errors"))
    text = _STOPS.get(kind, "") if kind in _STOPS and not said else said
    if value.get("stop_reason") == "refusal":
        text = f"the model refused to answer: {text}" if text else "the model refused to answer"
    return Event(Kind.ENDED, text, failed=failed, usage=spent, session=session)
