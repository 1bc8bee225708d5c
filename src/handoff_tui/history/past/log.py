"""The signed log as of one of its entries: that entry and everything it follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from handoff_tui.core.errors import EntryNotFoundError
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.history.past.repository import PastRepository
from handoff_tui.log.chain import Candidate, Chain, Known
from handoff_tui.log.entry import Entry, LogVerdict, ProblemLevel
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.show.entries import build_log_view
from handoff_tui.log.show.view import LogView

ENTRY_PREFIX = "sha256:"
_SHORTEST = len(ENTRY_PREFIX) + 6
"""A shorter prefix is more likely something else."""


@dataclass(frozen=True)
class CurrentLog:
    """The log as it is now; every earlier state follows from it."""

    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.verdict.entries}

    def find_entry(self, name: str) -> Entry | None:
        """The entry with this id, or the only one whose id starts with it."""
        wanted = name if name.startswith(ENTRY_PREFIX) else ENTRY_PREFIX + name
        found = [entry for entry in self.verdict.entries if entry.id.startswith(wanted)]
        return found[0] if len(found) == 1 and len(wanted) >= _SHORTEST else None

    @cached_property
    def _chain(self) -> Chain:
        """Kept between calls: moving to a later entry only costs the entries in between."""
        return Chain()

    def _find_followed(self, entry: str) -> set[str]:
        """An entry and everything it follows: by its own parents, and by those that count instead of them."""
        seen = {entry}
        waiting = [entry]
        while waiting:
            one = waiting.pop()
            counted = self.entries[one].parents if one in self.entries else ()
            for parent in (*self.candidates[one].entry.parents, *counted):
                if parent not in seen and parent in self.candidates:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def build_at(self, entry: str) -> PastLog:
        """The log as of an entry. What is fatal now was fatal then, as far as anyone can tell."""
        if entry not in self.entries:
            raise EntryNotFoundError(f"no valid entry of the log has the id {entry}", "`handoff-tui log` lists them.")
        candidates = {one: self.candidates[one] for one in self._find_followed(entry)}
        moment = self.entries[entry].time
        verdict = self._chain.judge(candidates, Known(now=moment, pin=self.verdict.log))
        fatal = tuple(problem for problem in self.verdict.problems if problem.level is ProblemLevel.FATAL)
        verdict = verdict.model_copy(update={"problems": (*verdict.problems, *fatal)})
        return PastLog(entry, moment, verdict, candidates)


@dataclass(frozen=True)
class PastLog:
    """The log up to one entry."""

    entry: str
    moment: str
    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def index(self) -> LogIndex:
        return build_log_index(self.verdict)

    def build_view(self) -> LogView:
        return build_log_view(self.verdict, self.candidates)


class PastGates(LogGates):
    """The state of the gates, by the log and files of the past."""

    def __init__(self, past: PastRepository, log: PastLog) -> None:
        super().__init__(past.session, past.reading.result.handoffs)
        self._past = past
        self._log = log

    @cached_property
    def index(self) -> LogIndex:
        return self._log.index

    @cached_property
    def tree(self) -> str:
        return self._past.store.build_work_tree(self._past.commit.tree)

    @cached_property
    def _now(self) -> str:
        return self._log.moment


def read_current_log(session: Session) -> CurrentLog | None:
    """The log as it is now; None if there is none."""
    if not has_log(session):
        return None
    log: OpenLog = open_log(session.repository)
    verdict = log.verify()
    return CurrentLog(verdict, dict(log.find_candidates()))


def list_limits(session: Session, verdict: LogVerdict, broken: str, shallow: str) -> Iterator[str]:
    """What limits everything that is read from a log; `broken` and `shallow` say what that means for the reader."""
    if verdict.log is None and not verdict.fatal:
        yield "no signed log here yet; `handoff-tui init` creates one"
    for problem in verdict.problems:
        if problem.level is ProblemLevel.FATAL:
            yield f"the log is not intact{broken}: {problem.text}"
    if session.repository.shallow:
        yield f"this clone is shallow: {shallow} (git fetch --unshallow)"
