"""The stream of opencode: `opencode run --format json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handoff_tui.agents.transcript.event import Event, Kind, Usage, build_call, count, is_denial, money, table, text_of


def read(value: Mapping[str, object]) -> Iterator[Event]:
    """Returns what one object of the stream says."""
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
