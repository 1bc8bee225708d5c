"""Every past approval judged again: by the rules and people of today, by its evidence, by the configuration of then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from handoff_tui.git.history.work_commits import find_ancestors
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.history.metrics.rounds import PASSING, sort_key
from handoff_tui.history.replay.configuration import ConfigurationJudge
from handoff_tui.history.replay.evidence import EvidenceJudge
from handoff_tui.history.replay.people import judge_people
from handoff_tui.history.replay.report import OtherDecision, ReplayedApproval, ReplayReport, Standing
from handoff_tui.history.replay.rules import RuleJudge
from handoff_tui.history.travel.past_session import TravelMemory
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.index import LogIndex, Vote, build_log_index
from handoff_tui.log.open_log import OpenLog, find_policy, open_log
from handoff_tui.log.record import LogProblem, LogVerdict, ProblemLevel
from handoff_tui.log.show.entries import RowBuilder
from handoff_tui.log.show.view import LogRow
from handoff_tui.system.clock import read_now

Progress = Callable[[int, int], None]
"""Told after each approval: how many are done, and how many there are."""


def replay_at(start: Path, on_progress: Progress | None = None) -> ReplayReport:
    """The approvals of the repository around a folder."""
    desk = open_desk(start)
    return replay(desk, open_log(desk.repository), on_progress)


def replay(
    desk: Desk, log: OpenLog, on_progress: Progress | None = None, now: Callable[[], datetime] = read_now
) -> ReplayReport:
    """Nothing is written, and no command is run: only rules, on trees. Of a log that is not sound nothing is judged."""
    verdict = log.verify()
    rows = RowBuilder(verdict, log.find_candidates()).build_all()
    index = build_log_index(verdict)
    approvals = () if verdict.fatal else _judge_all(desk, log, index, on_progress)
    return ReplayReport(
        repo=str(desk.repository.root),
        head=desk.work_tree.facts.head,
        log=verdict.log,
        policy=verdict.policy,
        made_at=build_time(now()),
        fatal=verdict.fatal,
        approvals=approvals,
        others=() if verdict.fatal else _list_others(index),
        entries=_sort_rows(rows),
        problems=verdict.problems,
        notes=(*_list_notes(desk, verdict), *_count_unjudged(approvals)),
    )


def list_approvals(index: LogIndex) -> list[Vote]:
    """Every decision by which work passed, void and withdrawn ones too, oldest first."""
    votes = (vote for vote in index.votes.values() if vote.decision.verb in PASSING)
    return sorted(votes, key=lambda vote: sort_key(vote.entry))


def _judge_all(desk: Desk, log: OpenLog, index: LogIndex, on_progress: Progress | None) -> tuple[ReplayedApproval, ...]:
    approvals = list_approvals(index)
    withdrawn = index.find_withdrawn()
    votes = [vote for vote in approvals if vote.entry.id not in withdrawn]
    policy = find_policy(index.verdict)
    head = desk.work_tree.facts.head
    commits = [vote.work.subject.commit for vote in votes]
    behind = find_ancestors(desk.repository.git, commits) if head is not None else frozenset()
    memory = TravelMemory(desk.repository)
    rules, configuration = RuleJudge(desk, memory), ConfigurationJudge(desk, memory.store)
    evidence = EvidenceJudge(desk, log, memory.store, behind)
    judged = {
        vote.entry.id: _build_approval(vote).model_copy(update={"withdrawn": withdrawn[vote.entry.id]})
        for vote in approvals
        if vote.entry.id in withdrawn
    }
    try:
        # by commit, so that what is read of one is read once
        for number, vote in enumerate(sorted(votes, key=lambda vote: vote.work.subject.commit), start=1):
            gathered = evidence.gather(vote)
            answers = (
                rules.judge(vote, gathered.record),
                judge_people(index, policy, vote),
                evidence.judge(vote, gathered),
                configuration.judge(vote),
            )
            void = index.verdict.void.get(vote.entry.id, "")
            judged[vote.entry.id] = _build_approval(vote).model_copy(update={"answers": answers, "void": void})
            if on_progress is not None:
                on_progress(number, len(votes))
    finally:
        memory.close()
    return tuple(judged[vote.entry.id] for vote in approvals)


def _list_others(index: LogIndex) -> tuple[OtherDecision, ...]:
    votes = [
        one for one in index.votes.values() if one.decision.verb not in PASSING and not index.is_void(one.entry.id)
    ]
    return tuple(
        OtherDecision(
            entry=vote.entry.id,
            verb=vote.decision.verb.value,
            actor=vote.entry.actor,
            time=vote.entry.time,
            handoff=vote.work.handoff,
            phase=vote.work.phase,
            attempt=vote.work.attempt,
            reason=vote.decision.reason,
        )
        for vote in sorted(votes, key=lambda vote: sort_key(vote.entry))
    )


def _count_unjudged(approvals: Sequence[ReplayedApproval]) -> tuple[str, ...]:
    number = sum(one.standing is Standing.UNKNOWN for one in approvals)
    if not number:
        return ()
    what = "1 approval cannot" if number == 1 else f"{number:,} approvals cannot"
    return (f"{what} be judged here, which speaks neither for nor against; the answers say what is missing",)


def _sort_rows(rows: list[LogRow]) -> tuple[LogRow, ...]:
    """Oldest first; what could not be read has no time, and stays last."""
    unread = [row for row in rows if row.time is None]
    return (*reversed(rows[: len(rows) - len(unread)]), *unread)


def _build_approval(vote: Vote) -> ReplayedApproval:
    work = vote.work
    return ReplayedApproval(
        entry=vote.entry.id,
        verb=vote.decision.verb.value,
        actor=vote.entry.actor,
        time=vote.entry.time,
        handoff=work.handoff,
        phase=work.phase,
        attempt=work.attempt,
        reason=vote.decision.reason,
        commit=work.subject.commit,
        tree=work.subject.tree,
        snapshot=work.subject.snapshot,
        review=vote.decision.review,
        answers=(),
    )


def _list_notes(desk: Desk, verdict: LogVerdict) -> tuple[str, ...]:
    notes: list[str] = []
    if verdict.log is None and not verdict.fatal:
        notes.append("there is no signed log here yet; `handoff-tui init` begins one")
    if verdict.fatal:
        notes += [f"the log is not sound, so nothing is judged: {one.text}" for one in _list_fatal(verdict)]
    if desk.repository.shallow:
        notes.append(
            "this clone is shallow: approvals of commits that it lacks cannot be judged (git fetch --unshallow)"
        )
    return tuple(notes)


def _list_fatal(verdict: LogVerdict) -> list[LogProblem]:
    return [problem for problem in verdict.problems if problem.level is ProblemLevel.FATAL]
