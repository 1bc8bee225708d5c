from __future__ import annotations

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.views.claims.view import ClaimRows, build_claim_page
from tests.support.reviewed import build_reviewed, list_lines

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


def draw(rows: ClaimRows, index: int, width: int = 120) -> str:
    return "".join(cell.text for cell in rows.build_row(index, width))


def test_contradictions_come_first() -> None:
    """Then what nobody could measure, then what holds; every claim has a row of its own."""
    rows = ClaimRows(SHOWN)
    words = [draw(rows, index).split()[1] for index in range(4)]
    assert words == ["contradicted", "unverified", "holds", "holds"]
    assert len(set(rows.keys)) == 4
    assert rows.counts == {VerdictState.HOLDS: 2, VerdictState.UNVERIFIED: 1, VerdictState.CONTRADICTED: 1}


def test_row_has_the_claim_beside_its_measurement_and_its_line() -> None:
    """A hash by its beginning; at 80 columns the place goes, the measurement stays."""
    row = draw(ClaimRows(SHOWN), 0)
    assert "hash c.py = sha256:aaaaaaaa…" in row
    assert "another file is there" in row
    assert "results.md:12" in row
    narrow = draw(ClaimRows(SHOWN), 0, 77)
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


def test_list_is_narrowed_by_contradiction_and_by_words() -> None:
    """Words are looked for in the claim, the place and the evidence."""
    assert len(ClaimRows(SHOWN, only_contradicted=True).keys) == 1
    assert len(ClaimRows(SHOWN, text="REPORT unverified").keys) == 1
    assert ClaimRows(SHOWN, text="nowhere").keys == []


def test_page_has_the_words_the_place_and_how_it_was_measured() -> None:
    """The hash whole; what could not be measured says so."""
    lines = list_lines(build_claim_page(SHOWN.verdicts[2]))
    assert lines[0] == "✗ contradicted  hash c.py"
    assert "says    - c.py" in lines
    assert "at      handoffs/H-1/results.md:12" in lines
    assert f"claimed {HASH}" in lines
    assert "how     another file is there" in lines
    assert "how     nothing here can measure it" in list_lines(build_claim_page(SHOWN.verdicts[0]))


def test_text_of_a_claim_is_shown_and_never_obeyed() -> None:
    """In the row and on the page."""
    nasty = SHOWN.model_copy(update={"verdicts": (claim(VerdictState.HOLDS, "\x1b]52;c;x\x07[red]"),)})
    assert "␛]52;c;x␇[red]" in draw(ClaimRows(nasty), 0)
