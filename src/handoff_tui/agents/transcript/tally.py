"""What a run came to by its own stream: cost, tokens, turns, denials, its last word, and what stops it."""

from __future__ import annotations

from handoff_tui.agents.transcript.event import (
    AgentTrouble,
    Event,
    Kind,
    Purpose,
    Usage,
    find_purpose,
    find_trouble,
)
from handoff_tui.core.classes import NamedTuple

_MOST_DENIALS = 50
_MOST_OPEN = 200
_LONGEST = 2_000
_PROGRESS = frozenset({Kind.SAID, Kind.THOUGHT, Kind.CALLED, Kind.RESULT})


class Denial(NamedTuple):
    """Something that the agent was not allowed to do, and didn't do later either."""

    text: str
    purpose: Purpose


class RunLimits(NamedTuple):
    """What one run may use; None means no limit."""

    cost: float | None = None
    tokens: int | None = None
    turns: int | None = None


def _settles(call: Event, purpose: Purpose, denial: Denial) -> bool:
    """Tells whether a call did what was denied before: tests and commits in any words, anything else in the same."""
    if purpose in {Purpose.TESTS, Purpose.COMMIT}:
        return denial.purpose is purpose
    return denial.text == call.text


def _add(first: Usage, other: Usage) -> Usage:
    known = [cost for cost in (first.cost, other.cost) if cost is not None]
    return Usage(
        first.tokens_in + other.tokens_in,
        first.tokens_out + other.tokens_out,
        sum(known) if known else None,
        first.turns + other.turns,
    )


class Tally:
    """Counts a run while its events come."""

    def __init__(self) -> None:
        self.session = self.model = self.last = ""
        self.ended: Event | None = None
        """The program's own verdict, once it has ended."""
        self.trouble: AgentTrouble | None = None
        self.complaint = ""
        """What the program last complained about, if nothing has happened since."""
        self.denials: list[Denial] = []
        self._answers: dict[str, Usage] = {}
        """The counts of the last answers: programs repeat them, and several agents may answer at once."""
        self._folded = Usage()
        self._total: Usage | None = None
        self._turns = 0
        self._listens = True
        """Whether the model is due: what it says or does next begins a turn."""
        self._calls: dict[str, Event] = {}
        self._denied: set[str] = set()

    def add(self, event: Event) -> None:
        """Counts one event."""
        self.session = event.session or self.session
        self.model = event.model or self.model
        if event.usage is not None:
            self._count(event.usage)
            if event.usage.tokens_out:  # the model has answered
                self.trouble, self.complaint = None, ""
        if event.kind in _PROGRESS:
            self.trouble, self.complaint = None, ""
            self._turns += self._listens and event.kind is not Kind.RESULT
            self._listens = event.kind is Kind.RESULT
        match event.kind:
            case Kind.SAID:
                self.last = event.text[-_LONGEST:]
                self.ended = None
            case Kind.CALLED:
                self._calls[event.call] = event._replace(text=event.text[:_LONGEST], edit=event.edit[:1])
                if len(self._calls) > _MOST_OPEN:
                    self._calls.pop(next(iter(self._calls)))
            case Kind.RESULT:
                self._settle(event)
            case Kind.DENIED if event.call not in self._denied:
                self._deny(event)
            case Kind.TROUBLE | Kind.PLAIN:
                self._complain(event)
            case Kind.ENDED:
                self._end(event)

    @property
    def usage(self) -> Usage:
        """What the run used so far: as the program adds it up, or as its answers do."""
        spent = self._folded
        for one in self._answers.values():
            spent = _add(spent, one)
        total = self._total or Usage()
        return Usage(
            max(total.tokens_in, spent.tokens_in),
            max(total.tokens_out, spent.tokens_out),
            total.cost if total.cost is not None else spent.cost,
            max(total.turns, spent.turns) or self._turns,
        )

    def find_excess(self, limits: RunLimits) -> str:
        """Says which limit the run went over; "" if none."""
        usage = self.usage
        if limits.cost is not None and usage.cost is not None and usage.cost > limits.cost:
            return f"it cost ${usage.cost:.2f}; max_cost is ${limits.cost:.2f}"
        tokens = usage.tokens_in + usage.tokens_out
        if limits.tokens is not None and tokens > limits.tokens:
            return f"it used {tokens:,} tokens; max_tokens is {limits.tokens:,}"
        if limits.turns is not None and usage.turns > limits.turns:
            return f"it took {usage.turns:,} turns; max_turns is {limits.turns:,}"
        return ""

    def _count(self, usage: Usage) -> None:
        if usage.total:
            self._total = usage
            return
        self._answers[usage.answer] = usage if usage.answer else _add(self._answers.get("", Usage()), usage)
        if len(self._answers) > _MOST_OPEN:
            self._folded = _add(self._folded, self._answers.pop(next(iter(self._answers))))

    def _settle(self, result: Event) -> None:
        """A denial stands until the same kind of thing was done after all."""
        call = self._calls.pop(result.call, None)
        if call is None:
            return
        purpose = find_purpose(call)
        if result.denied:
            self._deny(call)
        elif not result.failed:
            self.denials = [denial for denial in self.denials if not _settles(call, purpose, denial)]

    def _deny(self, call: Event) -> None:
        if len(self._denied) < _MOST_DENIALS:
            self._denied.add(call.call)
            self.denials.append(Denial(call.text[:_LONGEST] or call.tool, find_purpose(call)))

    def _complain(self, event: Event) -> None:
        trouble = find_trouble(event.text)
        if trouble is not None:
            self.trouble, self.complaint = trouble, event.text[:_LONGEST].strip()

    def _end(self, event: Event) -> None:
        self.ended = event if event.text or event.failed else event._replace(text=self.last)
        if event.failed:
            self.trouble = find_trouble(event.text) or self.trouble
            self.complaint = event.text[:_LONGEST].strip() or self.complaint
        else:
            self.trouble, self.complaint = None, ""
