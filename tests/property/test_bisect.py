"""Where a check began to fail: the same commit as `git bisect run` finds, on histories with merges."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.git.command import Git
from handoff_tui.history.bisect.bisect import Candidates
from handoff_tui.history.bisect.report import TrialVerdict
from tests.support.histories import History, Told, ask_git, build_history

VERDICTS = {"good": TrialVerdict.GOOD, "bad": TrialVerdict.BAD, "skip": TrialVerdict.UNTESTABLE}
NUMBERS = itertools.count()


@st.composite
def draw_histories(draw: st.DrawFn) -> list[Told]:
    """The first commit is good, the last is bad and follows everything; between them anything, or one beginning."""
    size = draw(st.integers(1, 14))
    told = [Told((), "good")]
    for number in range(1, size + 1):
        near = st.integers(max(0, number - 4), number - 1)
        parents = tuple(dict.fromkeys(draw(st.lists(near, min_size=1, max_size=3))))
        told.append(Told(parents, "good", draw(st.sampled_from([0, 0, 60, 60, 3600]))))
    inner = {parent for one in told for parent in one.parents}
    told.append(Told(tuple(number for number in range(size + 1) if number not in inner), "bad"))
    if draw(st.booleans()):
        return _break_at(told, draw(st.integers(1, size)), draw(st.sets(st.integers(1, size), max_size=3)))
    words = st.sampled_from(["good", "bad", "bad", "good", "skip"])
    return [told[0], *(one._replace(verdict=draw(words)) for one in told[1:-1]), told[-1]]


def _break_at(told: list[Told], culprit: int, skipped: set[int]) -> list[Told]:
    """What follows the culprit is bad, and some of all that cannot be told."""
    bad = {culprit}
    for number, one in enumerate(told):
        if bad & set(one.parents):
            bad.add(number)
    verdicts = ["skip" if number in skipped else "bad" if number in bad else "good" for number in range(len(told))]
    verdicts[-1] = "bad"
    return [one._replace(verdict=verdict) for one, verdict in zip(told, verdicts, strict=True)]


def search(history: History, told: list[Told]) -> set[str]:
    verdicts = {commit: one.verdict for commit, one in zip(history.commits, told, strict=True)}
    good, bad = history.commits[0], history.commits[-1]
    candidates = Candidates(Git(history.builder.folder), bad, good)
    while (chosen := candidates.choose()) is not None:
        candidates.note(chosen, VERDICTS[verdicts[chosen]])
    return set(candidates.ranked)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("histories")


def check_agreement(folder: Path, told: list[Told]) -> None:
    history = build_history(folder / str(next(NUMBERS)), told)
    assert search(history, told) == ask_git(history, history.commits[0], history.commits[-1])


@settings(max_examples=5)
@given(told=draw_histories())
def test_search_ends_where_git_bisect_ends(folder: Path, told: list[Told]) -> None:
    """Merges, equal dates, untestable commits, and checks that fail, pass and fail again."""
    check_agreement(folder, told)


@pytest.mark.slow  # each example is a whole run of git bisect
@given(told=draw_histories())
def test_search_ends_where_git_bisect_ends_at_length(folder: Path, told: list[Told]) -> None:
    """The same, many times."""
    check_agreement(folder, told)
