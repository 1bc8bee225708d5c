from __future__ import annotations

import pytest

from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.live.state.app import BisectPart, Trouble
from handoff_tui.tui.dialogs.bisect import build_bisect_box, describe_search
from tests.support.debug_states import REPORT, TRIALS

PART = BisectPart(1, "tests-unit", "H-1")


def render(part: BisectPart | None) -> str:
    rows = lay_out(build_bisect_box(part), 100)
    return "\n".join("".join(cell.text for cell in row) for row in rows)


def test_box_shows_the_range_and_every_trial_while_it_searches() -> None:
    """What cannot be tested is named as that, and moves neither end."""
    words = render(BisectPart(1, "tests-unit", "H-1", TRIALS))
    assert "good a1a1a1a … bad fffffff" in words
    assert "3  ? can't tell  c3c3c3c" in words
    assert words.index("3  ? can't") < words.index("1  ✗ fails")


def test_box_shows_the_commit_its_author_and_its_diff_at_the_end() -> None:
    """The answer comes first."""
    words = render(BisectPart(1, "tests-unit", "H-1", TRIALS, REPORT))
    assert words.startswith("b2b2b2b broke tests-unit of H-1")
    assert "heron <heron@example.org>" in words
    assert "+bad" in words


def test_box_says_why_nothing_could_be_searched() -> None:
    """With what to do about it, and nothing of it reaches the terminal as it is."""
    words = render(BisectPart(1, "t", "H-1", trouble=Trouble("nobody trusted \x1b[2J", "Read it first.")))
    assert "✗ nobody trusted ␛[2J" in words
    assert "Read it first." in words


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (None, "Checking the newest commit"),
        (BisectPart(1, "t", "H-1", TRIALS[:1]), "step 1 · looking for a commit that passes"),
        (BisectPart(1, "t", "H-1", TRIALS), "step 3 of about 6 · 5 commits left"),
        (BisectPart(1, "t", "H-1", TRIALS, cancelling=True), "stopping…"),
        (BisectPart(1, "t", "H-1", trouble=Trouble("no")), "The search failed"),
        (BisectPart(1, "t", "H-1", TRIALS, REPORT), "1 commit tried"),
    ],
)
def test_progress_is_said_in_one_line(part: BisectPart | None, words: str) -> None:
    """From the first trial to the answer."""
    assert words in "".join(cell.text for cell in describe_search(part))
