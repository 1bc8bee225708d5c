"""The output of aider, which has no stream: plain lines, some of which count tokens and cost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.agents.transcript.event import Event, Kind, Usage, plain

_COUNTS = re.compile(
    r"^Tokens: ([\d.,]+)([kM]?) sent(?:, [\d.,]+[kM]? cache \w+)*, ([\d.,]+)([kM]?) received\."
    r"(?: Cost: \$([\d.]+) message, \$([\d.]+) session\.)?"
)
_EDITED = re.compile(r"^Applied edit to (.+)$")
_COMMITTED = re.compile(r"^Commit ([0-9a-f]{7,40}) (.+)$")
_MODEL = re.compile(r"^(?:Main )?[Mm]odel: (\S+)")
_FACTORS = {"": 1, "k": 1_000, "M": 1_000_000}


def read_line(line: str) -> Iterator[Event]:
    """Returns what one line says."""
    if match := _COUNTS.match(line):
        sent, received = _scale(match[1], match[2]), _scale(match[3], match[4])
        cost = _number(match[5]) if match[5] else None
        yield Event(Kind.USED, usage=Usage(sent, received, cost, 1))
    elif match := _EDITED.match(line):
        yield Event(Kind.CALLED, match[1], "edit", edit=(f" edited {match[1]}",))
    elif match := _COMMITTED.match(line):
        yield Event(Kind.CALLED, f"git commit: {match[2]}", "commit")
    elif match := _MODEL.match(line):
        yield Event(Kind.BEGAN, model=match[1])
    else:
        yield plain(line)


def _scale(number: str, factor: str) -> int:
    return round(_number(number) * _FACTORS[factor])


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0
