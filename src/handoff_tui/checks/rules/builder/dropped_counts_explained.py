"""Where there are fewer tests or packages than before, the results say why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import Finished, find_heading, read_body, require_finished
from handoff_tui.checks.rules.builder.earlier_handoffs import find_earlier
from handoff_tui.checks.rules.builder.numbers import place_claim
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff

_NEGATION = compile_later(r"\b(?:no(?! longer)|not|never|none|nothing|without|neither)\b", re.IGNORECASE)
_CLAUSE_END = compile_later(r"[.;,:()–—]")
_ENTRY = compile_later(r"(?:[-*+|]|[0-9]+[.)])\s")
_NUMBER = compile_later(r"(?<![\w.-])[0-9]{1,9}(?![\w-]|\.[0-9])")


def judge(context: Context) -> Iterator[Found]:
    known = {handoff.id: handoff for handoff in context.every_handoff()}
    compared = False
    without: list[str] = []
    for handoff, results in require_finished(context):
        unreadable = list(find_unreadable(context, {results.path}))
        compared = compared or bool(unreadable)
        yield from unreadable
        for what in () if unreadable else ("tests", "packages"):
            earlier = find_earlier(handoff, known, partial(_has_count, what))
            if earlier and _count(handoff, what) is not None:
                compared = True
                yield from _judge_count(context, (handoff, results), earlier, what)
            elif handoff.id not in without:
                without.append(handoff.id)
    if not compared:
        context.skip(f"no earlier baseline to compare with, so a drop is not known: {', '.join(without)}")


def _count(handoff: Handoff, what: str) -> int | None:
    """Tests or packages of the baseline; tests of the regression where the baseline does not say."""
    baseline = handoff.baseline
    if what == "packages":
        return baseline.packages if baseline else None
    told = baseline.tests if baseline else None
    ran = handoff.regression.total if handoff.regression else None
    return told if told is not None else ran


def _has_count(what: str, handoff: Handoff) -> bool:
    return _count(handoff, what) is not None


def _judge_count(context: Context, finished: Finished, earlier: tuple[Handoff, ...], what: str) -> Iterator[Found]:
    handoff, results = finished
    now = _count(handoff, what) or 0
    other = max(earlier, key=lambda one: _count(one, what) or 0)
    before = _count(other, what) or 0
    if now < before and not _is_explained(context, results, what, before, now):
        yield Found(
            message=f"{handoff.id} has {before - now} {what} fewer than {other.id} had, and does not explain it",
            subject=f"{handoff.id} {what}",
            place=place_claim(handoff, results, ClaimKind.BASELINE, what, "Baseline"),
            expected=f"{before} {what}, or a sentence that names what went and why",
            actual=f"{now} {what}",
        )


def _is_explained(context: Context, results: Document, what: str, before: int, now: int) -> bool:
    names: tuple[str, ...] = context.setting("builder.explanation_sections", tuple)
    sections = [section for name in names if (section := find_heading(results, name))]
    entries: list[str] = []
    for section in sections:
        for number, (_, text) in enumerate(read_body(context, results, section)):
            if number == 0 or _ENTRY.match(text):
                entries.append(text)
            else:
                entries[-1] += f" {text}"
    return any(_explains(context, entry, what, before, now) for entry in entries)


def _explains(context: Context, text: str, what: str, before: int, now: int) -> bool:
    """An entry that speaks of a drop of just this, and names a number of it or the package that went."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    prefix = context.setting("builder.package_prefix", str)
    if not any(_tells_drop(context, clause) for clause in _CLAUSE_END.split(text)):
        return False
    names_it = bool(words & {what, what.removesuffix("s")}) or (what == "packages" and prefix in text)
    numbers = {int(number) for number in _NUMBER.findall(text)}
    return names_it and (prefix in text or bool(numbers & {before, before - now}))


def _tells_drop(context: Context, clause: str) -> bool:
    """«4 tests were removed», but not «no test was removed»."""
    words: tuple[str, ...] = context.setting("builder.drop_words", tuple)
    found = re.search(rf"\b(?:{'|'.join(map(re.escape, words))})\b", clause, re.IGNORECASE)
    return found is not None and _NEGATION.search(clause, 0, found.start()) is None


DROPPED_COUNTS_EXPLAINED = Rule(
    id="dropped-counts-explained",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Wherever results can be compared, fewer tests or packages than before are explained",
    reads="baselines of handoffs and of those they declare to build on; baseline, issues and notes of results",
    remedy="Bring the lost tests back, or say in the notes which tests or packages went, how many, and why.",
    judge=judge,
)
