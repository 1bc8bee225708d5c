"""The single values behind each figure about attempts and decisions, with the entries that say so. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from handoff_tui.history.metrics.facts import MetricsFacts
from handoff_tui.history.metrics.figures import Observation, Observed
from handoff_tui.history.metrics.rounds import APPROVING, PASSING, Round, RoundEnd, parse_seconds, sort_key
from handoff_tui.log.index import Vote
from handoff_tui.log.record import DecisionVerb, Entry

RUBBER_STAMP_SECONDS = 60
_JUDGED = {RoundEnd.PASSED: 0.0, RoundEnd.SENT_BACK: 1.0, RoundEnd.OVERRIDDEN: 1.0}
_NOT_HERE = "not here any more"
_BACKWARDS = "the work is dated after the decision on it"
_NO_START = "nothing was submitted, and the commit is not in this repository"
_NO_RECORD = "the review record is not here"


def observe_failures(facts: MetricsFacts) -> Observed:
    """One value an attempt that was decided: 1 where it was sent back or let past over failing checks."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for one, vote in _list_ended(facts):
        if one.end is RoundEnd.SKIPPED:
            left_out["the phase was skipped"].append(vote.entry.id)
            continue
        found.append(Observation(vote.entry.time, _JUDGED[one.end], (vote.entry.id,)))
    return Observed(_sort(found), left_out, "no attempt has been decided yet")


def observe_compliance(facts: MetricsFacts) -> Observed:
    """One value an attempt that was decided: 1 where the same files had been submitted, which runs the checks."""
    if not any(one.submissions for one in facts.rounds):
        return Observed((), why="no submission is in the log, and one that is not signed leaves no trace")
    found: list[Observation] = []
    for one, _ in _list_ended(facts):
        vote = one.find_first_ending()
        if vote is None:
            continue
        before = [
            made.entry.id
            for made in one.submissions
            if made.entry.time <= vote.entry.time and made.work.subject.tree == vote.work.subject.tree
        ]
        found.append(Observation(vote.entry.time, float(bool(before)), (*before, vote.entry.id)))
    return Observed(_sort(found), why="no attempt has been decided yet")


def observe_resumption(facts: MetricsFacts) -> Observed:
    """Seconds from the decision that ended an attempt to the first commit before the handoff's next entry."""
    following_work = _find_following_work(facts)
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for _, vote in _list_ended(facts):
        ended = vote.entry
        following = following_work[ended.id]
        if following is None:
            left_out["nothing was handed over or decided after it yet"].append(ended.id)
        elif vote.work.subject.commit not in facts.behind:
            left_out["its commit is not in the history of HEAD"].append(ended.id)
        else:
            begun = parse_seconds(ended.time)
            first = facts.find_first_work(begun, parse_seconds(following.time))
            if first is None:
                left_out["no commit lies between it and the next entry"].append(ended.id)
            else:
                found.append(Observation(ended.time, first - begun, (ended.id, following.id)))
    return Observed(_sort(found), left_out, "no session can be told from the log and the history of HEAD")


def observe_rediscovery(facts: MetricsFacts) -> Observed:
    """One value a further attempt: how many findings in its record had been shown at an earlier attempt already."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for rounds in facts.places.values():
        told: dict[str, str] = {}
        last = ""
        for one in rounds:
            records = [(vote, record) for vote in one.votes if (record := facts.find_record(vote)) is not None]
            left_out[_NO_RECORD] += [vote.entry.id for vote in one.votes if facts.find_record(vote) is None]
            if not records:
                continue
            here = {finding: vote.entry.id for vote, record in records for finding in record.findings}
            again = sorted({told[finding] for finding in here if finding in told})
            if last:
                sources = (*(again or [last]), *(vote.entry.id for vote, _ in records))
                number = sum(finding in told for finding in here)
                found.append(Observation(records[-1][0].entry.time, float(number), sources))
            told = {**here, **told}
            last = records[-1][0].entry.id
    return Observed(_sort(found), left_out, "no attempt has followed one whose record is here")


def observe_success(facts: MetricsFacts) -> Observed:
    """One value a phase of a handoff: 1 where its last attempt was approved."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for rounds in facts.places.values():
        ended = [one for one in rounds if one.ended_by is not None]
        if not ended or ended[-1].ended_by is None:
            continue
        vote = ended[-1].ended_by
        if ended[-1].end is RoundEnd.SKIPPED:
            left_out["the phase was skipped"].append(vote.entry.id)
            continue
        sources = tuple(one.ended_by.entry.id for one in ended if one.ended_by is not None)
        value = 1.0 - _JUDGED[ended[-1].end]
        found.append(Observation(vote.entry.time, value, sources, _find_type(facts, ended[-1])))
    return Observed(_sort(found), left_out, "no handoff has been decided yet")


def observe_duration(facts: MetricsFacts) -> Observed:
    """Seconds from the first work at a phase to the approval of its last attempt."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for rounds in facts.places.values():
        last = rounds[-1]
        if last.end is not RoundEnd.PASSED or last.ended_by is None:
            continue
        start = facts.find_beginning(rounds)
        ended = last.ended_by.entry
        if start is None:
            left_out[_NO_START].append(ended.id)
        elif start.seconds > parse_seconds(ended.time):
            left_out[_BACKWARDS].append(ended.id)
        else:
            took = parse_seconds(ended.time) - start.seconds
            sources = (*start.sources, ended.id)
            found.append(Observation(ended.time, took, sources, _find_type(facts, last)))
    return Observed(_sort(found), left_out, "no handoff has been approved yet")


def observe_decision_time(facts: MetricsFacts) -> Observed:
    """Seconds from the moment the work was there to the first decision on it, a hold apart."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for one in facts.rounds:
        vote = one.find_first_ending()
        if vote is None:
            continue
        start = facts.find_start(one, vote)
        if start is None:
            left_out[_NO_START].append(vote.entry.id)
            continue
        took = parse_seconds(vote.entry.time) - start.seconds
        if took < 0:
            left_out[_BACKWARDS].append(vote.entry.id)
            continue
        found.append(Observation(vote.entry.time, took, (*start.sources, vote.entry.id), start.by))
    return Observed(_sort(found), left_out, "nothing has been decided yet")


def observe_loops(facts: MetricsFacts) -> Observed:
    """One value a phase of a handoff that was decided on: how often it was sent back."""
    found: list[Observation] = []
    for (_, phase), rounds in facts.places.items():
        votes = [one.ended_by for one in rounds if one.ended_by is not None]
        if votes:
            back = sum(one.end is RoundEnd.SENT_BACK for one in rounds)
            sources = tuple(vote.entry.id for vote in votes)
            found.append(Observation(votes[-1].entry.time, float(back), sources, phase))
    return Observed(_sort(found), why="nothing has been decided yet")


def observe_staleness(facts: MetricsFacts) -> Observed:
    """One value a decision by which work passed: 1 where the phase had to be looked at again with other files."""
    found: list[Observation] = []
    for rounds in facts.places.values():
        entries = sorted((entry for one in rounds for entry in one.list_entries()), key=sort_key)
        votes = {vote.entry.id: vote for one in rounds for vote in one.votes if vote.decision.verb in PASSING}
        newest: dict[str, Entry] = {}
        for entry in reversed(entries):
            tree = _find_tree(entry)
            if entry.id in votes:
                later = next((other for seen, other in newest.items() if seen != tree), None)
                sources = (entry.id,) if later is None else (entry.id, later.id)
                found.append(Observation(entry.time, float(later is not None), sources))
            newest.setdefault(tree, entry)
    return Observed(_sort(found), why="nothing has been approved yet")


def observe_debts(facts: MetricsFacts, until: str | None = None) -> Observed:
    """One value an override that is not settled, now or at the end of a day: its age in seconds then."""
    now = parse_seconds(facts.now)
    if until is not None:
        now = min(now, parse_seconds(f"{until}T23:59:59Z"))
    found = [
        Observation(vote.entry.time, max(0.0, now - parse_seconds(vote.entry.time)), (identifier,), vote.work.handoff)
        for identifier, vote in facts.index.find_debts(until).items()
    ]
    return Observed(_sort(found))


def observe_rubber_stamps(facts: MetricsFacts) -> Observed:
    """One value an approval: 1 where it came within seconds of the work, and no file was marked or remarked on."""
    found: list[Observation] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for one in facts.rounds:
        for vote in one.votes:
            if vote.decision.verb not in APPROVING | {DecisionVerb.OVERRIDE}:
                continue
            record, start = facts.find_record(vote), facts.find_start(one, vote)
            if record is None:
                left_out[_NO_RECORD].append(vote.entry.id)
            elif start is None and not record.looked:
                left_out[_NO_START].append(vote.entry.id)
            else:
                took = RUBBER_STAMP_SECONDS if start is None else parse_seconds(vote.entry.time) - start.seconds
                quick = not record.looked and took < RUBBER_STAMP_SECONDS
                sources = (*(start.sources if start is not None else ()), vote.entry.id)
                whose = "you" if vote.entry.actor == facts.reviewer else "others"
                found.append(Observation(vote.entry.time, float(quick), sources, whose))
    return Observed(_sort(found), left_out, "nothing has been approved yet")


def _list_ended(facts: MetricsFacts) -> Iterator[tuple[Round, Vote]]:
    for one in facts.rounds:
        if one.ended_by is not None:
            yield one, one.ended_by


def _find_following_work(facts: MetricsFacts) -> dict[str, Entry | None]:
    """For every entry the next one on the same handoff that is about other files: between the two lies a session."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for one in facts.rounds:
        entries[one.handoff] += one.list_entries()
    following: dict[str, Entry | None] = {}
    for found in entries.values():
        after: Entry | None = None
        for entry in sorted(found, key=sort_key, reverse=True):
            other = after is not None and _find_tree(after) != _find_tree(entry)
            following[entry.id] = after if other or after is None else following[after.id]
            after = entry
    return following


def _find_tree(entry: Entry) -> str:
    return "" if entry.work is None else entry.work.subject.tree


def _find_type(facts: MetricsFacts, one: Round) -> str:
    return facts.types.get(one.handoff, _NOT_HERE)


def _sort(observations: list[Observation]) -> list[Observation]:
    return sorted(observations, key=lambda one: (one.time, one.sources))
