"""Problems as a reviewer sees them: everything that goes back to one cause is one problem. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from handoff_tui.checks.report import (
    NOT_RUN,
    UNCONSENTED,
    CheckReport,
    CheckResult,
    Finding,
    Outcome,
    is_open,
    sort_worst_first,
)
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import HASHES, ClaimKind, Verdict, VerdictState, describe_false, shorten_hashes
from handoff_tui.status.inbox_item import CauseCommit, MeasuredGate, ReviewProblem, Unmeasured

FindCause = Callable[[str], CauseCommit | None]
"""The commit that last changed a path."""
_HEX = compile_later(r"\b[0-9a-f]{12,64}\b")
_RULE_NUMBER = compile_later(r"^[A-Z]{2}\d{3}: ")
_PATH = compile_later(r"[\w.@+-]+(?:/[\w.@+-]*\w)+")
_PLAIN_WORD = compile_later(r"[a-z]+(?: |$)")
_LEAST_TAIL = 12
_SHORT_HEX = 12
_PATHS = frozenset({*HASHES, ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.UNCOMMITTED})

_Key = tuple[object, ...]


class _Fact(NamedTuple):
    """One thing that is wrong, and what ties it to others."""

    title: str
    keys: frozenset[_Key]
    blocks: bool
    place: Place | None = None
    measured: str = ""
    check: str = ""
    subject: str = ""
    """The file it is about."""
    words: str = ""
    """The message in full."""
    unmeasured: Unmeasured | None = None


def measure_gate(
    report: CheckReport, verdicts: Iterable[Verdict] = (), find_cause: FindCause = lambda _: None
) -> MeasuredGate:
    """What the checks of a gate say, and the problems behind it."""
    problems = find_problems(report, verdicts, find_cause)
    return MeasuredGate(report.passed, report.total, problems, len(report.blocking_failures))


def find_problems(
    report: CheckReport, verdicts: Iterable[Verdict] = (), find_cause: FindCause = lambda _: None
) -> tuple[ReviewProblem, ...]:
    """Joins false claims and findings that share a place, a hash or their words; what blocks comes first."""
    results = sort_worst_first(result for result in report.results if is_open(result))
    claims = [*_list_claims(verdicts)]
    claimed = {fact.place for fact in claims}
    findings = [fact for result in results for fact in _list_findings(result, report.handoff or "", claimed)]
    problems = [_build(group, find_cause) for group in _join([*claims, *findings])]
    return tuple(sorted(problems, key=lambda problem: (not problem.fails, not problem.blocks)))


def _list_claims(verdicts: Iterable[Verdict]) -> Iterator[_Fact]:
    for verdict in verdicts:
        if verdict.state is VerdictState.CONTRADICTED:
            claim = verdict.claim
            subject = claim.subject or "" if claim.kind in _PATHS else ""
            words = f"{claim.value} {verdict.measured}"
            keys = {*_tie_place(claim.where), *_tie_hashes(words), *_tie_words(claim.text)}
            blocks = False  # the check that fails over it says whether it does
            yield _Fact(describe_false(claim), frozenset(keys), blocks, claim.where, verdict.evidence, subject=subject)


def _list_findings(result: CheckResult, handoff: str, claimed: set[Place | None]) -> Iterator[_Fact]:
    """What one rule says about one file is one problem; about false claims, as many as there are claims."""
    if not result.findings:
        yield _Fact(
            name_finding(result.summary, handoff),
            frozenset(_tie_words(result.summary)),
            result.blocking,
            check=result.id,
            unmeasured=_find_unmeasured(result),
        )
    for finding in result.findings:
        places = [Place(path=one.path, line=one.line) for one in finding.evidence if one.path]
        keys = {key for place in places for key in _tie_place(place)}
        keys |= {
            key for one in finding.evidence if one.expected and one.actual
            for key in _tie_hashes(f"{one.expected} {one.actual}")
        }  # fmt: skip
        keys |= set(_tie_words(finding.message))
        place = places[0] if places else None
        measured = _describe_measured(finding)
        subject = places[0].path if places else ""
        keys |= {("check", result.id, subject)} if subject and claimed.isdisjoint(places) else set()
        title = name_finding(finding.message, handoff)
        yield _Fact(title, frozenset(keys), result.blocking, place, measured, result.id, subject, finding.message)


def _find_unmeasured(result: CheckResult) -> Unmeasured | None:
    if result.summary.endswith(UNCONSENTED):
        return Unmeasured.NO_CONSENT
    if result.outcome is not Outcome.UNKNOWN:
        return None
    return Unmeasured.NOT_RUN if NOT_RUN in result.summary else Unmeasured.UNKNOWN


def _describe_measured(finding: Finding) -> str:
    one = next((one for one in finding.evidence if one.expected and one.actual), None)
    return (
        shorten_hashes(f"expected {one.expected}; found {one.actual}").replace("sha256:", "") if one is not None else ""
    )


def name_finding(message: str, handoff: str) -> str:
    """The message as a sentence of its own: without the rule's number and the handoff, which everybody knows here."""
    words = shorten_hashes(_RULE_NUMBER.sub("", message)).removeprefix(f"{handoff}: ")
    return words[:1].upper() + words[1:] if _PLAIN_WORD.match(words) else words


def _tie_place(place: Place) -> Iterator[_Key]:
    if place.line is not None:
        yield ("at", place.path, place.line)


def _tie_hashes(words: str) -> Iterator[_Key]:
    """Two different digests side by side: what is claimed, and what is there."""
    found = sorted({digest[:_SHORT_HEX] for digest in _HEX.findall(words)})
    if len(found) > 1:
        yield ("hashes", *found)


def _tie_words(message: str) -> Iterator[_Key]:
    """The end of a sentence, which rules quote from the same source."""
    tail = message.rpartition(": ")[2].strip().removesuffix(")")
    if len(tail) >= _LEAST_TAIL and ": " in message:
        yield ("words", tail)


def _join(facts: Sequence[_Fact]) -> list[list[_Fact]]:
    """Groups of facts that are tied together, directly or through others, in the order of their first fact."""
    roots = list(range(len(facts)))
    holders: dict[_Key, int] = {}

    def find(index: int) -> int:
        while roots[index] != index:
            roots[index] = index = roots[roots[index]]
        return index

    for index, fact in enumerate(facts):
        for key in fact.keys:
            other, own = find(holders.setdefault(key, index)), find(index)
            roots[max(other, own)] = min(other, own)
    groups: dict[int, list[_Fact]] = {}
    for index, fact in enumerate(facts):
        groups.setdefault(find(index), []).append(fact)
    return list(groups.values())


def _build(group: Sequence[_Fact], find_cause: FindCause) -> ReviewProblem:
    first = group[0]
    places = dict.fromkeys(fact.place for fact in group if fact.place is not None)
    told = dict.fromkeys(fact.measured for fact in group if fact.measured)
    others = dict.fromkeys(fact.title for fact in group[1:] if fact.title != first.title)
    alike = len({fact.title for fact in group[1:] if fact.check == first.check != ""} & others.keys())
    return ReviewProblem(
        key="\0".join((first.title, *map(str, places))),
        title=f"{first.title} ({alike} more like it)" if alike else first.title,
        blocks=any(fact.blocks for fact in group),
        place=first.place or next(iter(places), None),
        facts=(*told, *others),
        checks=tuple(dict.fromkeys(fact.check for fact in group if fact.check)),
        places=tuple(place for place in places if place != first.place),
        cause=_find_cause_of(group, find_cause),
        unmeasured=first.unmeasured if all(fact.unmeasured for fact in group) else None,
    )


def _find_cause_of(group: Sequence[_Fact], find_cause: FindCause) -> CauseCommit | None:
    """The commit that last changed what is wrong: a file that the words name, before the document that names it."""
    told = {fact.place.path for fact in group if fact.place is not None}
    named = [path for fact in group for path in _PATH.findall(f"{fact.title} {fact.words}") if path not in told]
    paths = dict.fromkeys((*named, *(fact.subject for fact in group if fact.subject)))
    return next((cause for path in paths if (cause := find_cause(path)) is not None), None)
