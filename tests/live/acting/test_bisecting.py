from __future__ import annotations

import hashlib
from functools import partial

import pytest

from handoff_tui.history.bisect.report import BisectEnd
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.requested import Bisecting
from handoff_tui.live.state.app import AppState, BisectPart
from handoff_tui.live.state_store import StateStore, raise_bug
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.live_desks import build_results, looking
from tests.support.repositories import RepositoryBuilder
from tests.support.view_states import TRIALS


@pytest.fixture
def broken(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A hash that is true, and two commits before and after the one that writes a false one."""
    content = "value = 1\n"
    digest = hashlib.sha256(content.encode()).hexdigest()
    builder.write("src/part.py", content).write("handoffs/H-1/H-1_RESULTS.md", build_results(1, digest=digest))
    builder.commit("the work").write("a").commit("before")
    builder.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, digest="0" * 64)).commit("break it")
    return builder.write("handoff-tui.toml", '[checks.part]\nrun = ["./check.sh"]\n').commit("after")


def is_over(state: AppState, check: str = "hashes-hold") -> bool:
    return state.bisect is not None and state.bisect.is_over and state.bisect.check == check


def test_search_finds_the_commit_and_tells_every_trial(broken: RepositoryBuilder) -> None:
    """With progress on the way; the last trial is told before the answer."""
    with looking(broken.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1")
        onlooker.desk.bisecting.begin("hashes-hold")
        part = onlooker.wait_for(is_over).bisect
        assert part is not None
        assert part.report is not None
        assert part.report.culprit is not None
        assert (part.report.end, part.report.culprit.subject) == (BisectEnd.FOUND, "break it")
        assert part.report.culprit.commit == broken.head("HEAD~1")
        assert len(part.trials) >= len(part.report.trials)
        for check, words in (("no-such-check", "no-such-check"), ("part", "nobody has consented")):
            onlooker.desk.bisecting.begin(check)
            part = onlooker.wait_for(partial(is_over, check=check)).bisect
            assert part is not None
            assert part.trouble is not None
            assert words in part.trouble.message


def test_search_of_another_number_changes_nothing() -> None:
    """What an earlier search says late is dropped; to stop one that is over stops nothing."""
    store = StateStore(lambda _: None)
    bisecting = Bisecting(store, KeyedWorker("bisect", raise_bug))
    bisecting.begin("tests")
    assert store.state.bisect is None  # no handoff is in view
    key = HandoffKey("/desk", "H-1")
    store.change(lambda _: AppState(chosen=key, bisect=BisectPart(3, "tests", "H-1")))
    store.change_part("bisect", 2, trials=TRIALS[:1])
    assert store.state.bisect == BisectPart(3, "tests", "H-1")
    store.change_part("bisect", 3, trials=TRIALS[:1])
    bisecting.cancel()
    assert store.state.bisect == BisectPart(3, "tests", "H-1", TRIALS[:1], cancelling=True)
    bisecting.begin("types")
    assert store.state.bisect == BisectPart(4, "types", "H-1")
