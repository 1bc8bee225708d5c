from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.checks.output.words import describe_duration
from handoff_tui.checks.report import Outcome
from handoff_tui.core.place import Place, Severity
from handoff_tui.core.text.page import Cell
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.live.state.app import ChecksProgress
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.views.evidence.rows import CheckRows, ClaimRows, build_claim_page, build_progress
from tests.support.check_reports import build_report, build_result
from tests.support.desk_states import MOMENT, build_reviewed, list_lines

REPORT = build_report(
    build_result("slow").model_copy(update={"duration": 48.0}),
    build_result("soft", Outcome.FAIL, severity=Severity.LOW, blocking=False),
    build_result("hard", Outcome.FAIL, severity=Severity.HIGH, blocking=True, summary="2 failed of 418"),
    build_result("worst", Outcome.ERROR, severity=Severity.CRITICAL, blocking=True),
    build_result("silent", Outcome.NOT_APPLICABLE),
)


def draw(rows: CheckRows, key: str, width: int = 100) -> str:
    return "".join(cell.text for cell in rows.build_row(rows.keys.index(key), width))


def find_roles(rows: CheckRows, key: str) -> dict[str, str]:
    return {cell.text.strip(): cell.role for cell in rows.build_row(rows.keys.index(key), 100)}


def test_rows_stand_under_headings_worst_first() -> None:
    """What blocks, warnings, what passed, what does not apply; the cursor stands on headings too."""
    rows = CheckRows(REPORT)
    expected = ["group:blocking", "worst", "hard", "group:warnings", "soft", "group:passed", "slow"]
    assert rows.keys == [*expected, "group:silent", "silent"]
    assert draw(rows, "group:blocking") == "BLOCKING 2"
    assert rows.find_result("group:blocking") is None
    group = rows.find_group("group:blocking")
    assert group is not None
    assert [result.id for result in group.results] == ["worst", "hard"]


def test_row_tells_outcome_severity_time_and_age() -> None:
    """Each by a word."""
    rows = CheckRows(REPORT, at=MOMENT, now=MOMENT + timedelta(minutes=3))
    assert all(words in draw(rows, "hard") for words in ("✗ FAIL", "high", "3m", "2 failed of 418"))
    assert all(words in draw(rows, "slow") for words in ("✓ pass", "48s"))
    assert "· n/a" in draw(rows, "silent")


def test_stale_result_is_never_shown_as_passed() -> None:
    """It is marked in every row, and no mark of it is green."""
    rows = CheckRows(REPORT, stale=True)
    assert "? pass" in draw(rows, "slow")
    assert "stale" in draw(rows, "hard")
    assert find_roles(rows, "slow")["? pass"] == "unknown"


def test_only_failing_and_words_narrow_the_list() -> None:
    """Words are looked for in the id, the outcome and the summary."""
    assert CheckRows(REPORT, only_failing=True).keys[-1] == "soft"
    assert CheckRows(REPORT, text="418 HARD").keys == ["group:blocking", "hard"]
    assert CheckRows(REPORT, text="nowhere").keys == []


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, ""), (0.01, ""), (0.25, "0.2s"), (9.14, "9.1s"), (48.2, "48s"), (200.0, "3m")]
)
def test_duration_is_told_in_three_figures(seconds: float | None, words: str) -> None:
    """And not at all where nobody waited."""
    assert describe_duration(seconds) == words


def test_progress_tells_how_far_what_and_how_long() -> None:
    """A bar, and numbers for those who cannot see it."""
    running = ChecksProgress(15, 60, "tests.unit", MOMENT - timedelta(seconds=9))
    text = "".join(cell.text for cell in build_progress(running, 80, MOMENT))
    assert text == "█" * 5 + "░" * 15 + " 15/60 tests.unit 9s"
    empty = build_progress(ChecksProgress(0, 0, "", MOMENT), 80)
    assert empty[0] == Cell("", "accent")


def test_cached_result_has_the_age_of_its_run() -> None:
    """Not that of the report; where that is not known, it is only called cached."""
    old = build_result("old").model_copy(update={"from_cache": True, "ran_at": MOMENT - timedelta(hours=2)})
    older = build_result("older").model_copy(update={"from_cache": True})
    rows = CheckRows(build_report(old, older), at=MOMENT, now=MOMENT)
    assert "2h" in draw(rows, "old")
    assert "cached" in draw(rows, "older")


HASH = "sha256:" + "a" * 64


def claim(
    state: VerdictState, subject: str, value: str | int | None = None, evidence: str = "", line: int = 1
) -> Verdict:
    where = Place(path="handoffs/H-1/results.md", line=line)
    said = Claim(text=f"- {subject}", kind=ClaimKind.HASH, where=where, subject=subject, value=value)
    return Verdict(claim=said, state=state, measured=None, evidence=evidence)


SHOWN = ShownHandoff(
    reviewed=build_reviewed(),
    verdicts=(
        claim(VerdictState.HOLDS, "a.py"),
        claim(VerdictState.UNVERIFIED, "b.py", evidence="no report"),
        claim(VerdictState.CONTRADICTED, "c.py", HASH, "another file is there", 12),
        claim(VerdictState.HOLDS, "a.py"),
    ),
)


def draw_claim(rows: ClaimRows, index: int, width: int = 120) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_contradictions_come_first() -> None:
    """Then what nobody could measure, then what holds; every claim has a row of its own."""
    rows = ClaimRows(SHOWN)
    words = [draw_claim(rows, index).split()[1] for index in range(4)]
    assert words == ["false", "not", "holds", "holds"]
    assert len(set(rows.keys)) == 4


def test_row_has_the_claim_beside_its_measurement_and_its_line() -> None:
    """A hash by its beginning; at 80 columns the place goes, the measurement stays."""
    row = draw_claim(ClaimRows(SHOWN), 0, 150)
    assert "hash of c.py: sha256:aaaaaaaaaaaa…" in row
    assert "another file is there" in row
    assert "results.md:12" in row
    narrow = draw_claim(ClaimRows(SHOWN), 0, 77)
    assert "another file" in narrow
    assert "results.md" not in narrow


def test_keys_stay_when_other_claims_come_and_go() -> None:
    """The cursor holds on to its claim."""
    key = ClaimRows(SHOWN).keys[0]
    fewer = SHOWN.model_copy(update={"verdicts": SHOWN.verdicts[2:3]})
    assert ClaimRows(fewer).keys == [key]
    found = ClaimRows(fewer).find(key)
    assert found is not None
    assert found.claim.subject == "c.py"
    assert ClaimRows(fewer).find("gone") is None


def test_list_is_narrowed_by_words() -> None:
    """Words are looked for in the claim, the place and the evidence."""
    assert len(ClaimRows(SHOWN, text="REPORT not measured").keys) == 1
    assert ClaimRows(SHOWN, text="nowhere").keys == []


def test_page_has_the_words_the_place_and_how_it_was_measured() -> None:
    """The hash in full; what could not be measured says so."""
    lines = list_lines(build_claim_page(SHOWN.verdicts[2]))
    assert lines[0] == "✗ false  hash of c.py: sha256:aaaaaaaaaaaa…"
    assert "says    - c.py" in lines
    assert "at      handoffs/H-1/results.md:12" in lines
    assert f"claimed {HASH}" in lines
    assert "how     another file is there" in lines
    assert "how     nothing here can measure it" in list_lines(build_claim_page(SHOWN.verdicts[0]))
