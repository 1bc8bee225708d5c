"""Compares numbers that documents claim with what is here, the baseline, and the previous document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from handoff_tui.changes.comparison.snapshot_diff import ClaimCheck
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, Snapshot, TestOutcome
from handoff_tui.core.model import dataclass

_RUN_PARTS: Final = ("total", "passed", "failed", "skipped")
_NOUNS: Final = {
    "total": "tests",
    "passed": "passed tests",
    "failed": "failed tests",
    "skipped": "skipped tests",
}


@dataclass(frozen=True, slots=True)
class _Number:
    """One claimed number: what it counts, and the noun for it."""

    what: str
    """`packages`, `tests.total`, `regression.failed`, `baseline.packages`, …"""
    noun: str
    claimed: int
    counts_all: bool = True
    """Whether it counts everything; the work's own tests are only a part."""


def compare_claims(before: Snapshot | None, after: Snapshot, handoff: str | None = None) -> tuple[ClaimCheck, ...]:
    """Checks each number of the handoff under review, or of every document that is new or changed."""
    chosen = _choose_documents(before, after, handoff)
    # without a baseline, which document is the latest is unknown, and an old one needn't match
    certain = before is not None or handoff is not None or len(chosen) == 1
    here, there = _measure(after), _measure(before) if before else {}
    checks: list[ClaimCheck] = []
    for name, totals in chosen.items():
        previous = _find_previous(before, name)
        for number in _list_numbers(totals):
            check = _judge(name, totals.where, number, (here, there), before)
            if not certain and check.agrees is False:
                check = _doubt(check, len(chosen))
            checks.append(_add_previous(check, previous))
    return tuple(checks)


def _choose_documents(before: Snapshot | None, after: Snapshot, handoff: str | None) -> dict[str, ClaimedTotals]:
    if handoff is not None:
        return {handoff: after.claimed[handoff]} if handoff in after.claimed else {}
    known: Mapping[str, ClaimedTotals] = before.claimed if before else {}
    return {name: after.claimed[name] for name in sorted(after.claimed) if known.get(name) != after.claimed[name]}


def _list_numbers(totals: ClaimedTotals) -> Iterator[_Number]:
    if totals.packages is not None:
        yield _Number("packages", "packages", totals.packages)
    for part in _RUN_PARTS:
        if part in totals.tests:
            yield _Number(f"tests.{part}", f"{_NOUNS[part]} of its own", totals.tests[part], counts_all=False)
    for part in _RUN_PARTS:
        if part in totals.regression:
            yield _Number(f"regression.{part}", f"{_NOUNS[part]} in the full regression", totals.regression[part])
    if totals.baseline_packages is not None:
        yield _Number("baseline.packages", "packages", totals.baseline_packages)
    if totals.baseline_tests is not None:
        yield _Number("baseline.tests", "tests in all", totals.baseline_tests)


def _measure(snapshot: Snapshot) -> dict[str, int]:
    """What can be counted; anything else is left out, since unread isn't the same as zero."""
    measured: dict[str, int] = {}
    packages = snapshot.package_count
    if packages:
        measured |= {"packages": packages, "baseline.packages": packages}
    if snapshot.tests:
        outcomes = list(snapshot.tests.values())
        total = len(outcomes)
        measured |= {
            "regression.total": total,
            "regression.passed": outcomes.count(TestOutcome.PASS),
            "regression.failed": outcomes.count(TestOutcome.FAIL) + outcomes.count(TestOutcome.ERROR),
            "regression.skipped": outcomes.count(TestOutcome.SKIPPED),
            "baseline.tests": total,
        }
        measured |= {f"tests.{part}": measured[f"regression.{part}"] for part in _RUN_PARTS}
    return measured


def _judge(
    name: str,
    where: str,
    number: _Number,
    counted: tuple[Mapping[str, int], Mapping[str, int]],
    before: Snapshot | None,
) -> ClaimCheck:
    here, there = counted
    measured, earlier = here.get(number.what), there.get(number.what)
    text = f"says {number.claimed:,} {_inflect(number)}"
    if number.counts_all:
        agrees = None if measured is None else number.claimed == measured
        text += f", {_describe_before(before, earlier)}, {_describe_here(measured)}"
    else:
        agrees = False if measured is not None and number.claimed > measured else None
        if measured is None:
            text += ", here are no test reports to count them"
        else:
            text += f", here are {measured:,} in all" + (", fewer than that" if agrees is False else "")
    return ClaimCheck(
        handoff=name,
        what=number.what,
        claimed=number.claimed,
        measured=measured if number.counts_all else None,
        before=earlier if number.counts_all else None,
        where=where,
        agrees=agrees,
        text=text,
    )


def _describe_before(before: Snapshot | None, earlier: int | None) -> str:
    if before is None:
        return "no snapshot to compare with"
    return "the baseline has no count of them" if earlier is None else f"baseline had {earlier:,}"


def _describe_here(measured: int | None) -> str:
    if measured is None:
        return "here they could not be counted"
    return f"here {'is' if measured == 1 else 'are'} {measured:,}"


def _inflect(number: _Number) -> str:
    return re.sub(r"\b(package|test)s\b", r"\1", number.noun) if number.claimed == 1 else number.noun


def _doubt(check: ClaimCheck, documents: int) -> ClaimCheck:
    text = f"{check.text}; which of {documents} documents is the latest is not known"
    return check.model_copy(update={"agrees": None, "text": text})


def _find_previous(before: Snapshot | None, name: str) -> dict[str, tuple[int, str]]:
    """What was claimed before and by whom: by this document, else the highest number of any other."""
    if before is None:
        return {}
    own = before.claimed.get(name)
    claimed = {name: own} if own is not None else before.claimed
    found: dict[str, tuple[int, str]] = {}
    for other in sorted(claimed):
        for number in _list_numbers(claimed[other]):
            if number.counts_all and number.claimed > found.get(number.what, (-1, ""))[0]:
                found[number.what] = number.claimed, other
    return found


def _add_previous(check: ClaimCheck, previous: Mapping[str, tuple[int, str]]) -> ClaimCheck:
    if check.what not in previous:
        return check
    number, who = previous[check.what]
    said = f"{'it' if who == check.handoff else who} said {number:,} before"
    if number > check.claimed and not check.what.endswith((".failed", ".skipped")):
        said += f": {number - check.claimed:,} fewer"
    return check.model_copy(update={"previous": number, "text": f"{check.text}; {said}"})
