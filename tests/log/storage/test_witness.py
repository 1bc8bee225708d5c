"""What a clone remembers: entries once seen valid, and entries verified before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.core.errors import HandoffError, LogBrokenError, WitnessDamagedError
from handoff_tui.log.storage.memory import (
    SeenEntries,
    VerifiedCache,
    Witness,
    build_block,
    build_witness,
    parse_witness,
)
from handoff_tui.system.files.git_private_files import GitPrivateFolder

FIRST, SECOND, THIRD = (f"sha256:{digit * 64}" for digit in "123")


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(GitPrivateFolder(tmp_path))


def test_nothing_was_seen_before_the_first_time(witness: Witness) -> None:
    """A new clone has no record, which isn't damage."""
    assert witness.load() == SeenEntries()


def test_record_only_grows(witness: Witness) -> None:
    """What was seen once stays, also when a later look sees less."""
    witness.record(FIRST, [FIRST, SECOND])
    assert witness.record(FIRST, [FIRST, THIRD]) == SeenEntries(FIRST, frozenset({FIRST, SECOND, THIRD}))
    assert witness.record(FIRST, []) == witness.load() == SeenEntries(FIRST, frozenset({FIRST, SECOND, THIRD}))


def test_record_that_would_change_nothing_is_not_written(witness: Witness, tmp_path: Path) -> None:
    """Looking again leaves the file as it is."""
    witness.record(FIRST, [FIRST])
    place = tmp_path / "handoff-tui/witness.json"
    before = place.stat()
    witness.record(FIRST, [FIRST])
    after = place.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_other_first_entry_is_told(witness: Witness) -> None:
    """A log that was replaced by another one is not taken for the old one."""
    witness.record(FIRST, [FIRST])
    with pytest.raises(LogBrokenError, match="begins with"):
        witness.record(SECOND, [SECOND])
    assert witness.load() == SeenEntries(FIRST, frozenset({FIRST}))


GOOD = {"version": 1, "genesis": FIRST, "entries": [FIRST]}
DAMAGED = [
    b"",
    b"{",
    b"[" * 100_000,
    b"\xff\xfe",
    b"null",
    json.dumps({**GOOD, "version": 2}).encode(),
    json.dumps({**GOOD, "genesis": None}).encode(),
    json.dumps({**GOOD, "entries": ["sha256:1"]}).encode(),
    json.dumps({**GOOD, "entries": [1]}).encode(),
    json.dumps({**GOOD, "entries": {}}).encode(),
    json.dumps({**GOOD, "more": 1}).encode(),
    build_witness(FIRST, [FIRST])[:-5],
]


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_record_is_told_and_never_begun_anew(witness: Witness, tmp_path: Path, content: bytes) -> None:
    """Neither reading nor recording replaces it."""
    (tmp_path / "handoff-tui").mkdir()
    place = tmp_path / "handoff-tui/witness.json"
    place.write_bytes(content)
    with pytest.raises(WitnessDamagedError):
        witness.load()
    with pytest.raises(WitnessDamagedError):
        witness.record(FIRST, [FIRST])
    assert place.read_bytes() == content


def test_linked_record_is_told(witness: Witness, tmp_path: Path) -> None:
    """A link is not followed, and not taken for a missing record."""
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui/witness.json").symlink_to("/dev/null")
    with pytest.raises(HandoffError, match="is a link"):
        witness.load()


def test_written_form_is_read_back() -> None:
    """JSON with a line for each entry."""
    content = build_witness(FIRST, [THIRD, FIRST])
    assert parse_witness(content) == SeenEntries(FIRST, frozenset({FIRST, THIRD}))
    assert json.loads(content)["entries"] == [FIRST, THIRD]
    assert len(content.splitlines()) == 4


@pytest.mark.parametrize("form", ["own", "compact", "no-entries"])
def test_new_entries_come_to_any_old_form(form: str) -> None:
    """A record that somebody has formatted otherwise loses nothing."""
    known = [] if form == "no-entries" else [FIRST]
    value = {"version": 1, "genesis": FIRST, "entries": known}
    old = build_witness(FIRST, [FIRST]) if form == "own" else json.dumps(value).encode()
    grown = parse_witness(build_witness(FIRST, [SECOND, THIRD], old))
    assert grown == SeenEntries(FIRST, frozenset({SECOND, THIRD, *known}))


def test_record_of_another_process_is_seen(tmp_path: Path) -> None:
    """What is remembered is not believed when the file says something else."""
    one, other = Witness(GitPrivateFolder(tmp_path)), Witness(GitPrivateFolder(tmp_path))
    one.record(FIRST, [FIRST])
    other.record(FIRST, [SECOND])
    assert one.record(FIRST, [THIRD]).entries == {FIRST, SECOND, THIRD}
    assert other.load().entries == {FIRST, SECOND, THIRD}


def test_record_lets_go_of_what_is_followed(witness: Witness) -> None:
    """An entry that stands on others vouches for them: the record stays as small as the number of heads."""
    witness.record(FIRST, [FIRST])
    witness.record(FIRST, [SECOND], followed=[FIRST])
    assert witness.record(FIRST, [THIRD], followed=[SECOND]) == witness.load() == SeenEntries(FIRST, frozenset({THIRD}))


SECRET = b"s" * 32


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
    """Torn, changed, or sealed with another secret: nothing of it is believed, and the next record begins again."""
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
