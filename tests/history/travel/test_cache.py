from __future__ import annotations

import pytest

from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.session import open_desk
from handoff_tui.history.travel.travel import TravelCache
from handoff_tui.history.travel.values import DeskThen, Stop, StopKind
from handoff_tui.status.review_state import ReviewState
from handoff_tui.system.files.cache_files import find_cache_folder
from tests.support.repositories import RepositoryBuilder

STOP = Stop(key="c1", kind=StopKind.COMMIT, commit="c1", time="2026-03-06T14:10:00Z", who="Ada", title="work")
FOUND = DeskThen(stop=STOP, tree="t1", state=ReviewState(repository=RepositoryFacts(root="/r")))


@pytest.fixture
def repository(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.commit()


def open_cache(builder: RepositoryBuilder) -> TravelCache:
    return TravelCache(open_desk(builder.folder))


def test_cache_gives_back_what_was_kept(repository: RepositoryBuilder) -> None:
    """Here and to the next one, marked; not for another commit or another entry."""
    cache = open_cache(repository)
    cache.keep(STOP, FOUND)
    for one in (cache, open_cache(repository)):
        assert one.find(STOP) == FOUND.model_copy(update={"from_cache": True})
        assert one.find(STOP.model_copy(update={"commit": "c2"})) is None
        assert one.find(STOP.model_copy(update={"entry": "e1"})) is None


def test_cache_shows_a_stop_with_its_words_of_now(repository: RepositoryBuilder) -> None:
    """The title is no part of what was found."""
    cache = open_cache(repository)
    cache.keep(STOP, FOUND)
    again = cache.find(STOP.model_copy(update={"title": "other words"}))
    assert again is not None
    assert again.stop.title == "other words"


def test_cache_forgets_when_refs_or_settings_change(repository: RepositoryBuilder) -> None:
    """A tag that was set later may belong to a commit of then."""
    open_cache(repository).keep(STOP, FOUND)
    repository.tag("mark")
    assert open_cache(repository).find(STOP) is None


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 0}', '{"schema": 1, "desk": "{}"}', '{"schema": 1}'])
def test_damaged_cache_is_as_good_as_none(repository: RepositoryBuilder, content: str) -> None:
    """It costs time, never truth."""
    open_cache(repository).keep(STOP, FOUND)
    [place] = (find_cache_folder(repository.folder) / "travel").iterdir()
    place.write_text(content, encoding="utf-8")
    assert open_cache(repository).find(STOP) is None


def test_memory_is_bounded(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was pushed out is still on disk."""
    monkeypatch.setattr("handoff_tui.history.travel.travel._MOST_IN_MEMORY", 1)
    cache = open_cache(repository)
    other = STOP.model_copy(update={"commit": "c2", "key": "c2"})
    cache.keep(STOP, FOUND)
    cache.keep(other, FOUND.model_copy(update={"stop": other}))
    assert len(cache._known) == 1
    assert cache.find(STOP) is not None


def test_disk_is_bounded(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first."""
    monkeypatch.setattr("handoff_tui.history.travel.travel._MOST_ON_DISK", 2)
    cache = open_cache(repository)
    for number in range(4):
        cache.keep(STOP.model_copy(update={"commit": f"c{number}"}), FOUND)
    assert len(list((find_cache_folder(repository.folder) / "travel").iterdir())) == 2
    assert open_cache(repository).find(STOP.model_copy(update={"commit": "c3"})) is not None
