"""The lists of the evidence: checks, the worst first, and claims beside what was measured here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from handoff_tui.checks.output.words import CheckGroup, describe_duration
from handoff_tui.checks.report import CheckReport, CheckResult, Outcome, is_open, sort_worst_first
from handoff_tui.core.place import Severity
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import describe_span, label_outcome, label_verdict
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.agent_comments import build_comment_verdict
from handoff_tui.handoffs.claim import Verdict, VerdictState, describe_claim, shorten_hashes
from handoff_tui.live.state.app import ChecksProgress
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.widgets.row_list import TableRows, has_words

_ORDER: Final = {
    state: number
    for number, state in enumerate(
        (VerdictState.CONTRADICTED, VerdictState.WAS_TRUE, VerdictState.UNVERIFIED, VerdictState.HOLDS)
    )
}
_FIELDS_OF_CLAIMS: Final = (
    Field("verdict", "VERDICT", 14),
    Field("says", "THE AGENT SAYS", 24, grows=50),
    Field("measured", "MEASURED HERE", 24, rank=5, grows=50),
    Field("when", "WHEN", 16, rank=3),
    Field("where", "WHERE", 18, rank=1, grows=20),
)
"""The list shows the beginning of a hash; the page beside it shows all of it."""
_LONGEST = 240


class ClaimRows(TableRows[Verdict]):
    """One row per claim."""

    fields = _FIELDS_OF_CLAIMS

    def __init__(self, shown: ShownHandoff, *, text: str = "") -> None:
        said = (*shown.verdicts, *map(build_comment_verdict, shown.agent_comments))
        verdicts = [
            verdict
            for verdict in sorted(said, key=lambda verdict: _ORDER[verdict.state])
            if has_words(_build_search_of_claims(verdict), text)
        ]
        super().__init__(zip(_build_keys(verdicts), verdicts, strict=True))

    def describe(self, item: Verdict) -> dict[str, Row]:
        label = label_verdict(item.state)
        return {
            "verdict": (Cell(str(label), label.role),),
            "says": (Cell(_shorten(describe_claim(item.claim))),),
            "measured": (Cell(_shorten(_describe_measured(item)), label.role),),
            "when": (Cell(render_safe(item.moment or "–"), "muted"),),
            "where": (Cell(render_safe(str(item.claim.where)), "path"),),
        }


def build_claim_page(verdict: Verdict) -> Page:
    """Shows a claim in full: its words, where they are, what was measured, and how."""
    page = Page()
    claim, label = verdict.claim, label_verdict(verdict.state)
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(describe_claim(claim)), "heading"), indent=2)
    rows = (
        ("says", claim.text, "text"),
        ("at", str(claim.where), "path"),
        ("claimed", "" if claim.value is None else str(claim.value), "text"),
        ("when", verdict.moment or "", "muted"),
        ("here", "" if verdict.measured is None else str(verdict.measured), label.role),
        ("how", verdict.evidence or "nothing here can measure it", "muted"),
    )
    for name, text, role in rows:
        if text:
            page.line(Cell(f"{name:<8}", "muted"), Cell(render_safe(text), role), indent=8)
    return page


def _describe_measured(verdict: Verdict) -> str:
    if verdict.measured is None or isinstance(verdict.measured, bool):
        return verdict.evidence
    return f"{verdict.measured}: {verdict.evidence}" if verdict.evidence else str(verdict.measured)


def _shorten(text: str) -> str:
    return render_safe(shorten_hashes(text), _LONGEST)


def _build_search_of_claims(verdict: Verdict) -> str:
    claim = verdict.claim
    state = f"{verdict.state} {label_verdict(verdict.state).word}"
    return f"{state} {describe_claim(claim)} {claim.text} {claim.where} {verdict.evidence}"


def _build_keys(verdicts: Sequence[Verdict]) -> list[str]:
    """Builds keys from the claim and its place; a number separates duplicates."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for verdict in verdicts:
        claim = verdict.claim
        name = f"{claim.kind}\0{claim.subject or ''}\0{claim.where.path}\0{claim.text}"
        keys.append(f"{name}\0{seen[name]}")
        seen[name] += 1
    return keys


GROUP: Final = "group:"
"""The prefix of a heading's key. The cursor stops on headings too: an action there applies to every check below."""
_FIELDS: Final = (
    Field("check", "CHECK", 22, grows=12),
    Field("state", "STATE", 10),
    Field("severity", "SEV", 4, rank=3),
    Field("took", "TOOK", 5, rank=1, right=True),
    Field("age", "RAN", 6, rank=2),
    Field("summary", "SUMMARY", 24, rank=4, grows=120),
)
_SEVERITIES: Final = {
    Severity.CRITICAL: "crit",
    Severity.HIGH: "high",
    Severity.MEDIUM: "med",
    Severity.LOW: "low",
}
_LONGEST_SUMMARY = 300
_SHORT_WORDS: Final = {Outcome.NOT_APPLICABLE: "n/a"}


def group_results(results: Iterable[CheckResult], *, only_failing: bool = False) -> tuple[CheckGroup, ...]:
    """Returns the groups that aren't empty, each with the worst first."""
    every = sort_worst_first(results)
    groups = (
        CheckGroup("blocking", "BLOCKING", "fail", tuple(one for one in every if one.blocking and is_open(one))),
        CheckGroup("warnings", "WARNINGS", "warning", tuple(one for one in every if not one.blocking and is_open(one))),
        CheckGroup("passed", "PASSED", "pass", tuple(one for one in every if one.outcome is Outcome.PASS)),
        CheckGroup(
            "silent",
            "NOT APPLICABLE",
            "muted",
            tuple(one for one in every if one.outcome is Outcome.NOT_APPLICABLE),
        ),
    )
    shown = groups[:2] if only_failing else groups
    return tuple(group for group in shown if group.results)


class CheckRows(TableRows[CheckGroup | CheckResult]):
    """The rows of a report from `at`; a result may be older. A stale report never shows a check as passed."""

    fields = _FIELDS

    def __init__(
        self,
        report: CheckReport,
        *,
        only_failing: bool = False,
        text: str = "",
        stale: bool = False,
        at: datetime | None = None,
        now: datetime | None = None,
    ) -> None:
        matching = [result for result in report.results if has_words(_build_search(result), text)]
        self.groups = group_results(matching, only_failing=only_failing)
        self._stale, self._at, self._now = stale, at, now
        rows: list[tuple[str, CheckGroup | CheckResult]] = []
        for group in self.groups:
            rows += [(f"{GROUP}{group.name}", group), *((result.id, result) for result in group.results)]
        super().__init__(rows)

    def find_result(self, key: str) -> CheckResult | None:
        """Returns the result of a row; None for a heading."""
        row = self.find(key)
        return row if isinstance(row, CheckResult) else None

    def find_group(self, key: str) -> CheckGroup | None:
        row = self.find(key)
        return row if isinstance(row, CheckGroup) else None

    def build_row(self, index: int, width: int) -> Row:
        row = self.items[index]
        if isinstance(row, CheckGroup):
            return (Cell(f"{row.title} ", row.role), Cell(str(len(row.results)), "muted"))
        return super().build_row(index, width)

    def describe(self, item: CheckGroup | CheckResult) -> dict[str, Row]:
        if isinstance(item, CheckGroup):
            return {}
        return {
            "check": (Cell(f"  {render_safe(item.id)}"),),
            "state": (_describe_state(item, stale=self._stale),),
            "severity": (Cell(_SEVERITIES[item.severity], item.severity.value if is_open(item) else "muted"),),
            "took": (Cell(describe_duration(item.duration), "muted"),),
            "age": (self._describe_age(item),),
            "summary": (Cell(render_safe(item.summary, _LONGEST_SUMMARY), "text" if is_open(item) else "muted"),),
        }

    def _describe_age(self, result: CheckResult) -> Cell:
        if self._stale:
            return Cell("stale", "warning")
        since = result.ran_at or (None if result.from_cache else self._at)
        return Cell(describe_span(since, self._now) or ("cached" if result.from_cache else "now"), "muted")


def build_progress(running: ChecksProgress, width: int, now: datetime | None = None) -> Row:
    """Draws the progress of a run: how far, what is being checked, and for how long."""
    share = running.done / running.total if running.total else 0.0
    size = max(5, min(30, width // 4))
    full = round(share * size)
    took = describe_span(running.started, now)
    return (
        Cell("█" * full, "accent"),
        Cell("░" * (size - full), "muted"),
        Cell(f" {running.done}/{running.total} ", "accent"),
        Cell(render_safe(running.current), "text"),
        Cell(f" {took}" if took else "", "muted"),
    )


def _describe_state(result: CheckResult, *, stale: bool) -> Cell:
    label = label_outcome(result.outcome)
    word = _SHORT_WORDS.get(result.outcome, label.word)
    if stale and result.outcome is Outcome.PASS:
        return Cell(f"? {word}", "unknown")
    return Cell(f"{label.glyph} {word.upper() if is_open(result) else word}", label.role)


def _build_search(result: CheckResult) -> str:
    return f"{result.id} {result.outcome} {result.severity} {result.summary}"
