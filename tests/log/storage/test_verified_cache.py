from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.log.storage.verified_cache import VerifiedCache, build_block
from handoff_tui.system.files.git_private_files import GitPrivateFolder

SECRET = b"s" * 32
FIRST, SECOND = (f"sha256:{digit * 64}" for digit in "12")


def open_cache(folder: Path, secret: bytes | None = SECRET, version: str = "1") -> VerifiedCache:
    return VerifiedCache(GitPrivateFolder(folder), secret, version)


def place_of(folder: Path) -> Path:
    return folder / "handoff-tui/verified-cache"


def test_facts_are_found_again(tmp_path: Path) -> None:
    """By the same object and by the next run; what is added later comes to it."""
    cache = open_cache(tmp_path)
    assert cache.load() == {}
    cache.record({FIRST: '{"a":1}'})
    cache.record({SECOND: ""})
    assert cache.load() == open_cache(tmp_path).load() == {FIRST: '{"a":1}', SECOND: ""}


def test_known_facts_are_not_written_again(tmp_path: Path) -> None:
    """The file grows by what is new only."""
    cache = open_cache(tmp_path)
    cache.record({FIRST: "facts"})
    before = place_of(tmp_path).read_bytes()
    cache.record({FIRST: "facts"})
    open_cache(tmp_path).record({FIRST: "facts"})
    assert place_of(tmp_path).read_bytes() == before


@pytest.mark.parametrize("change", ["torn", "flipped", "garbage", "grown", "header", "other-secret"])
def test_damaged_cache_counts_as_empty_and_is_replaced(tmp_path: Path, change: str) -> None:
    """Torn, changed, or sealed with another secret: nothing of it is believed, and the next record begins anew."""
    cache = open_cache(tmp_path)
    cache.record({FIRST: "one"})
    cache.record({SECOND: "two"})
    place = place_of(tmp_path)
    content = place.read_bytes()
    place.write_bytes(
        {
            "torn": content[:-3],
            "flipped": content.replace(b"one", b"on3"),
            "garbage": b"\xff\x00\n" * 9,
            "grown": content + b"more",
            "header": b"9" * 30 + content,
            "other-secret": content + build_block({FIRST: "forged"}, b"x" * 32, "1"),
        }[change]
    )
    cache = open_cache(tmp_path)
    assert cache.load() == {}
    cache.record({FIRST: "one"})
    assert open_cache(tmp_path).load() == {FIRST: "one"}


def test_cache_of_another_verification_counts_as_empty(tmp_path: Path) -> None:
    """What an older version accepted is checked again by a stricter one."""
    open_cache(tmp_path).record({FIRST: "facts"})
    assert open_cache(tmp_path, version="2").load() == {}


def test_without_a_secret_nothing_is_kept(tmp_path: Path) -> None:
    """Where no seal can be made, every run verifies everything."""
    open_cache(tmp_path).record({FIRST: "facts"})
    cache = open_cache(tmp_path, secret=None)
    cache.record({SECOND: "facts"})
    assert cache.load() == {}
    assert open_cache(tmp_path).load() == {FIRST: "facts"}


@pytest.mark.parametrize("what", ["folder", "link"])
def test_cache_that_cannot_be_written_costs_only_time(tmp_path: Path, what: str) -> None:
    """A folder or a link in its place: empty, and no error."""
    place_of(tmp_path).parent.mkdir()
    if what == "folder":
        place_of(tmp_path).mkdir()
    else:
        place_of(tmp_path).symlink_to(tmp_path / "away")
    cache = open_cache(tmp_path)
    assert cache.load() == {}
    cache.record({FIRST: "facts"})
    assert not (tmp_path / "away").exists()


@pytest.mark.parametrize("facts", [{"sha256:1": "x"}, {FIRST: "two\nlines"}, {FIRST: "ä"}])
def test_facts_that_are_no_line_are_a_mistake(facts: dict[str, str]) -> None:
    """The caller hears of it; nothing ambiguous is written."""
    with pytest.raises(ValueError, match="not a line of facts"):
        build_block(facts, SECRET, "1")
