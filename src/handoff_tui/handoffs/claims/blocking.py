"""What blocks the approval of a handoff, each reason in words. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Problem, ProblemLevel, Severity
from handoff_tui.core.tasks import Attempt, TestCounts
from handoff_tui.core.text.labels import plural
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState, describe_false
from handoff_tui.handoffs.formats.hub.layout import is_earlier_report
from handoff_tui.handoffs.grammar.author_words import sort_words
from handoff_tui.handoffs.handoff import (
    CONTRADICTION,
    AuthorWord,
    Document,
    DocumentRole,
    Handoff,
    RegistryState,
    WordSort,
)
from handoff_tui.handoffs.reading.claim_words import parse_status

LEAST: Final = 0.9
FEWEST: Final = 20
"""So many claims must have been found in blind samples, so that the share says something."""
FEWEST_FALSE: Final = 10
"""So many of them must have been called false."""
_SAYS_GOOD = frozenset({"PASS", "COMPLETE", "APPROVED", "VALIDATED", "RESOLVED"})
_FAILED = frozenset({"FAIL", "FAILED", "REJECTED", "RETRY", "ROLLBACK", "ROLLED_BACK", "ERROR", "ABORTED", "CANCELLED"})
_UNDERWAY = frozenset(
    {
        *("IN_PROGRESS", "INPROGRESS", "PAUSED", "PENDING", "BLOCKED", "NOT_STARTED", "PARTIAL", "VALIDATING"),
        *("DRAFT", "WAITING", "ACTIVE", "INCOMPLETE", "UNFINISHED"),
    }
)
_ACCEPTED_BLOCKERS = frozenset({RegistryState.VALIDATED, RegistryState.SUPERSEDED})
_SPOKEN_OF_ELSEWHERE = frozenset({ClaimKind.STATUS, ClaimKind.CHECK})
_HEAVY = frozenset({Severity.CRITICAL, Severity.HIGH})
_CLOSED = frozenset({"fixed", "closed", "resolved", "wont-fix", "wontfix", "false-positive", "done"})
_BEFORE_RESULTS = frozenset({"spec", "questions"})
_BAD_CHECKS = frozenset({"fail", "failed", "false", "error"})


class Precision(NamedTuple):
    """Of so many claims that were read, how many were right; and the share of right verdicts in generated documents.

    `blind` pools the first looks at samples by people who had not read the grammar, before anything was changed for
    them: of so many claims found, so many are claimed. `blind_false`: of so many that were called false there, so many
    are. None if these samples have none of the kind that can be measured.
    """

    right: int
    read: int
    generated: float | None
    blind: tuple[int, int] | None = None
    blind_false: tuple[int, int] | None = None

    def may_block(self, *, in_field: bool = False) -> bool:
        """Whether enough was right; `in_field`: whether no sentence had to be read, which alone went wrong unseen."""
        shares = [self.right / self.read if self.read else 0, self.generated or 0]
        for looks, fewest in () if in_field else ((self.blind, FEWEST), (self.blind_false, FEWEST_FALSE)):
            if looks is not None:
                shares.append(looks[0] / looks[1] if looks[1] >= fewest else 0)
        return min(shares) >= LEAST


MEASURED: Final[Mapping[ClaimKind, Precision]] = {
    ClaimKind.FILE_CREATED: Precision(35, 36, 1.0, (363, 384), (90, 100)),
    ClaimKind.FILE_MODIFIED: Precision(30, 30, 1.0, (367, 386), (109, 111)),
    ClaimKind.FILE_DELETED: Precision(9, 9, 1.0, (142, 146), (29, 30)),
    ClaimKind.FILE_REFERENCED: Precision(23, 24, 1.0, (45, 57), (4, 12)),
    ClaimKind.HASH: Precision(30, 30, 1.0, (85, 87), (14, 14)),
    ClaimKind.COMMIT: Precision(32, 32, 1.0, (158, 161), (34, 36)),
    ClaimKind.BRANCH: Precision(17, 18, 1.0, (49, 53), (3, 3)),
    ClaimKind.UNCOMMITTED: Precision(29, 29, 1.0, (54, 58), (16, 17)),
    ClaimKind.COUNT: Precision(44, 44, 1.0, (105, 113)),
    ClaimKind.BASELINE: Precision(8, 8, 1.0),
}
"""Kinds that aren't here are never false by measurement, or have rules of their own."""


_FIELDS: Final = (".json", ".jsonl", ".yaml", ".yml")


def may_block(kind: ClaimKind, document: str = "") -> bool:
    """Whether a false claim of this kind in a document is a reason against an approval, and no mere hint."""
    return kind not in MEASURED or MEASURED[kind].may_block(in_field=document.endswith(_FIELDS))


class ProblemIndex:
    """Problems by the files they are about: those of a handoff's documents, and of files missing beside its state."""

    def __init__(self, problems: Iterable[Problem], handoffs: Iterable[Handoff]) -> None:
        owned = {document.path for handoff in handoffs for document in handoff.documents}
        self._by_path: dict[str, list[Problem]] = defaultdict(list)
        self._beside: dict[str, list[Problem]] = defaultdict(list)
        for problem in problems:
            self._by_path[problem.path].append(problem)
            folder = problem.path.rpartition("/")[0]
            if folder and problem.path not in owned:
                self._beside[folder].append(problem)

    def of(self, handoff: Handoff) -> tuple[Problem, ...]:
        """In the order of the handoff's documents; what is wrong beside them comes last."""
        paths = dict.fromkeys(document.path for document in handoff.documents)
        folders = dict.fromkeys(
            document.path.rpartition("/")[0] for document in handoff.documents if document.role is DocumentRole.STATE
        )
        aside = {document.path for document in handoff.documents if document.role is DocumentRole.OTHER}
        found = [
            _soften(problem) if path in aside else problem for path in paths for problem in self._by_path.get(path, ())
        ]
        found.extend(problem for folder in folders for problem in self._beside.get(folder, ()))
        return tuple(found)


def _soften(problem: Problem) -> Problem:
    """What is wrong with a file that only lies beside the work closes no gate."""
    return (
        problem.model_copy(update={"level": ProblemLevel.WARNING}) if problem.level is ProblemLevel.ERROR else problem
    )


def describe_wait(required: str) -> str:
    return f"waits for {required}, which is not validated"


def find_blocking(
    handoff: Handoff, by_id: Mapping[str, Handoff], verdicts: tuple[Verdict, ...], problems: tuple[Problem, ...]
) -> Iterator[str]:
    """Every reason against an approval, unreadable documents first."""
    yield from _find_unread(problems)
    yield from _find_contradictions(verdicts)
    yield from find_own_reasons(handoff)
    yield from find_open_findings(handoff)
    yield from map(describe_wait, find_unmet(handoff, by_id))
    yield from _find_missing(handoff)


def find_own_reasons(handoff: Handoff) -> Iterator[str]:
    """What its documents say against an approval themselves: open blockers, failures, bad conclusions."""
    yield from _find_open(handoff)
    yield from _find_own_numbers(handoff)
    yield from (f"{fact.name}: {fact.value}" for fact in handoff.facts if fact.name == CONTRADICTION)
    yield from _find_own_word(handoff)


def says_good(handoff: Handoff) -> bool:
    """Whether the handoff says that all is well, and nothing bad beside it."""
    return status_token(handoff) in _SAYS_GOOD and not _list_bad_words(handoff)


def says_failed(handoff: Handoff) -> bool:
    """By its own word the work did not succeed. A new test that fails is what the RED phase is for."""
    token = status_token(handoff)
    says_so = token in _FAILED or (token not in _UNDERWAY and bool(_list_bad_words(handoff)))
    return says_so and not is_red(handoff)


def says_underway(handoff: Handoff) -> bool:
    """By its own word there is work left."""
    token = status_token(handoff)
    waits = token not in _SAYS_GOOD and bool(_list_words(handoff, WordSort.UNDER_WAY))
    return token in _UNDERWAY or (waits and not says_failed(handoff))


def _list_bad_words(handoff: Handoff) -> list[AuthorWord]:
    return _list_words(handoff, WordSort.BAD)


def _list_words(handoff: Handoff, sort: WordSort) -> list[AuthorWord]:
    """The words of one sort, without those of documents that a run has moved it on from."""
    stating = (claim.where.path for claim in handoff.claims if claim.kind is ClaimKind.STATUS)
    overtaken = frozenset(stating if handoff.ran else ())
    return [word for word in handoff.words if word.sort is sort and word.where.path not in overtaken]


def status_token(handoff: Handoff) -> str:
    """What it says of its work; empty if a run has moved it on since."""
    return "" if handoff.ran else (handoff.status or "").upper().replace("-", "_").replace(" ", "_")


def is_red(handoff: Handoff) -> bool:
    """The phase of test-driven work in which the new test must fail."""
    return handoff.dialect == "tdd" and handoff.source_phase == "RED"


def describe_failures(counts: TestCounts | None, name: str) -> str | None:
    """The failures that a handoff reports: `its own regression run reports 26 failed`."""
    if counts is None or not counts.failed:
        return None
    return f"its own {name} run reports {counts.failed} failed"


def list_runs(handoff: Handoff) -> tuple[tuple[TestCounts | None, str], ...]:
    """The test runs it reports, with their names; only the builder separates package and regression runs."""
    own = "package test" if handoff.dialect == "builder" else "test"
    return (handoff.tests, own), (handoff.regression, "regression")


def find_unmet(handoff: Handoff, by_id: Mapping[str, Handoff]) -> Iterator[str]:
    """Handoffs that must be validated before this one, and are not."""
    for required in handoff.blocked_by:
        other = by_id.get(required)
        if other is not None and other.registry not in _ACCEPTED_BLOCKERS:
            yield required


def find_bad_verdicts(handoff: Handoff) -> list[Claim]:
    """The last verdict of each reviewer, if it is bad. A good one doesn't approve anything."""
    last = {claim.subject: claim for claim in handoff.claims if claim.kind is ClaimKind.VERDICT}
    return [claim for claim in last.values() if sort_words(str(claim.value).replace("_", " ")) is WordSort.BAD]


def list_doubtful(handoff: Handoff) -> list[Attempt]:
    """Passes of all attempts that their own output refutes; a later pass of the same stage that holds settles them."""
    found: list[Attempt] = []
    for attempt in handoff.attempts:
        if (attempt.status or "").lower() == "pass":
            found = found if attempt.warning else [one for one in found if one.phase != attempt.phase]
            found.extend([attempt] if attempt.warning else [])
    return found


def is_before_results(handoff: Handoff) -> bool:
    """Whether a builder handoff is being specified or asked about: nothing is built yet."""
    return handoff.dialect == "builder" and (handoff.source_phase or "").casefold() in _BEFORE_RESULTS


def owes_results(handoff: Handoff) -> bool:
    """Whether results are due: a registry promises them for each specification, a hub for each context it gives out."""
    roles = {document.role for document in handoff.documents}
    is_given = handoff.dialect == "hub" and handoff.status is None and not handoff.attempts
    return (handoff.registry is not None and DocumentRole.SPEC in roles) or (
        is_given and roles == {DocumentRole.CONTEXT}
    )


def has_results(handoff: Handoff) -> bool:
    return any(document.role is DocumentRole.RESULTS for document in handoff.documents)


def _find_unread(problems: tuple[Problem, ...]) -> Iterator[str]:
    """Documents that could not be read: nobody can approve what nobody can read."""
    return (f"{problem.path} {problem.message}" for problem in problems if problem.level is ProblemLevel.ERROR)


def _find_contradictions(verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    """How many claims are not true here, with the first of them; a status is spoken of on its own."""
    false = [
        verdict
        for verdict in verdicts
        if verdict.state is VerdictState.CONTRADICTED
        and verdict.claim.kind not in _SPOKEN_OF_ELSEWHERE
        and may_block(verdict.claim.kind, verdict.claim.where.path)
    ]
    if false:
        first = false[0].claim
        more = f", and {plural(len(false) - 1, 'more false claim')}" if len(false) > 1 else ""
        yield f"{describe_false(first)} ({first.where}){more}"


def _find_open(handoff: Handoff) -> Iterator[str]:
    for blocker in handoff.blockers:
        if blocker.open and blocker.blocking:
            who = "a human must act" if blocker.needs_human else "open blocker"
            yield f"{who}: {blocker.title}"


def _find_own_numbers(handoff: Handoff) -> Iterator[str]:
    for counts, name in list_runs(handoff):
        failures = describe_failures(counts, name)
        if failures:
            yield f"says {handoff.status}, but {failures}" if says_good(handoff) else failures


def _find_own_word(handoff: Handoff) -> Iterator[str]:
    """Its status, the verdicts and checks it carries, and reports that their own output refutes."""
    token = status_token(handoff)
    if (token in _FAILED and not is_red(handoff)) or token in _UNDERWAY or token == "SKIPPED":
        yield f"says {handoff.status}"
    elif says_underway(handoff):
        yield f"says {handoff.said}"
    checks = {claim.subject: claim for claim in handoff.claims if claim.kind is ClaimKind.CHECK}
    failed = [claim for claim in checks.values() if str(claim.value).lower() in _BAD_CHECKS]
    spoken_of = {claim.where for claim in failed}
    for word in () if is_red(handoff) else _list_bad_words(handoff):
        is_said = parse_status(word.text) == handoff.status and token in _FAILED | _UNDERWAY
        if not is_said and word.where not in spoken_of:
            yield f"its {word.name} says {word.text} ({word.where})"
    if is_red(handoff) and status_token(handoff) == "PASS":
        yield "is RED, but its new test passes: it proves nothing"
    stated = {claim.where for claim in handoff.claims if claim.kind is ClaimKind.STATUS}
    for claim in find_bad_verdicts(handoff):
        if claim.where in stated and token in _FAILED | _UNDERWAY:
            continue  # the decision is its status, which was said
        yield f"{claim.subject or 'its own verdict'} says {claim.value} ({claim.where})"
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        yield f"says itself that a check failed: {failed[0].subject}{more} ({failed[0].where})"
    yield from dict.fromkeys(f"{one.agent or 'an agent'}: {one.warning}" for one in list_doubtful(handoff))


def find_open_findings(handoff: Handoff) -> Iterator[str]:
    """The findings of its reports that close its gate, each with its severity."""
    for finding in handoff.findings:
        if is_earlier_report(finding.where.path, handoff):
            continue
        light = finding.severity is not None and finding.severity not in _HEAVY
        if not light and (finding.status or "open").lower().replace("_", "-") not in _CLOSED:
            yield f"{finding.severity or 'unrated'} finding: {finding.title}"


def _find_missing(handoff: Handoff) -> Iterator[str]:
    if owes_results(handoff) and not has_results(handoff) and not is_before_results(handoff):
        yield "no results yet"
    newest = _find_newest_results(handoff)
    if newest is not None and newest.missing:
        yield f"results lack: {', '.join(newest.missing)}"
    yield from _find_gate_gaps(handoff)


def _find_newest_results(handoff: Handoff) -> Document | None:
    """The results of the last attempt; the last results if no attempt names its document."""
    results = [document for document in handoff.documents if document.role is DocumentRole.RESULTS]
    place = handoff.attempts[-1].where if handoff.attempts else None
    of_attempt = [document for document in results if place is not None and document.path == place.path]
    return next(reversed(of_attempt or results), None)


def _find_gate_gaps(handoff: Handoff) -> Iterator[str]:
    """Questions without an answer, if others have one, and a gate that nobody opened."""
    open_numbers = [str(question.number) for question in handoff.questions if question.answered is False]
    if open_numbers and len(open_numbers) < len(handoff.questions):
        noun = "question" if len(open_numbers) == 1 else "questions"
        yield f"{noun} without an answer: {', '.join(open_numbers)}"
    if handoff.questions and handoff.greenlit is False and not is_before_results(handoff):
        yield "the question gate has no greenlight"
