from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.git.work_tree.listing import leave_out_folder, list_below, parse_listing, sort_paths

BLOB = "0123456789" * 4
OTHER = "f" * 40


def encode(*lines: str) -> bytes:
    return "".join(f"{line}\0" for line in lines).encode()


def test_listing_of_ordinary_files_has_paths_and_blobs() -> None:
    """Paths come in git's order, whatever characters they hold; a blob is found when it is asked for."""
    listing = encode(f"H 100644 {BLOB} 0\ta 0\tb", f"H 100755 {OTHER} 0\tb\nc", f"H 120000 {BLOB} 0\tlink")
    tracked, submodules, overlooked = parse_listing(listing)
    assert tracked.paths == ["a 0\tb", "b\nc", "link"]
    assert tracked == {"a 0\tb": BLOB, "b\nc": OTHER, "link": BLOB}
    assert (submodules, overlooked) == ((), ())


def test_listing_with_other_lines_keeps_them_apart() -> None:
    """Conflicts have our blob, submodules are no files, hidden changes are told; wherever the lines stand."""
    listing = encode(
        f"S 100644 {BLOB} 0\tfirst",
        f"H 100644 {BLOB} 0\tkept",
        f"M 100644 {OTHER} 1\tpair",
        f"M 100644 {BLOB} 2\tpair",
        f"M 100644 {OTHER} 3\tpair",
        f"H 160000 {OTHER} 0\tsub",
        f"H 100644 {OTHER} 0\tz",
    )
    tracked, submodules, overlooked = parse_listing(listing)
    assert tracked == {"first": BLOB, "kept": BLOB, "pair": BLOB, "z": OTHER}
    assert (submodules, overlooked) == (("sub",), ("first",))


@pytest.mark.parametrize("listing", [b"", encode(f"H 100644 {BLOB}{'a' * 24} 0\ta")])
def test_listing_may_be_empty_or_of_longer_ids(listing: bytes) -> None:
    """A new repository lists nothing; one with SHA-256 has longer ids."""
    tracked, _, _ = parse_listing(listing)
    assert len(tracked) == listing.count(b"\0")
    assert all(len(blob) == 64 for blob in tracked.values())


PATHS = st.lists(st.lists(st.sampled_from(["a", "b", "a.b", "a0", "é", "-"]), min_size=1, max_size=3).map("/".join))


@given(PATHS, PATHS)
def test_paths_are_sorted_and_cut_as_by_looking_at_each(some: Iterable[str], more: Iterable[str]) -> None:
    """Each path once, in order; below a folder are those that begin with it and a slash."""
    paths = sort_paths(some, more)
    assert paths == tuple(sorted({*some, *more}))
    assert list_below(paths, "a") == tuple(path for path in paths if path.startswith("a/"))
    assert leave_out_folder(paths, "a") == tuple(path for path in paths if not path.startswith("a/"))


def test_line_of_one_path_is_found_without_the_others() -> None:
    """Also where another path ends like it after a tab; a path in conflict, or hidden, has no ordinary line."""
    blob = "a" * 40
    lines = [
        f"H 100644 {blob} 0\tsrc/a.py",
        f"H 100755 {'b' * 40} 0\trun.sh",
        f"H 100644 {'c' * 40} 0\todd\ttail.py",
        f"H 100644 {'d' * 40} 0\ttail.py",
        f"M 100644 {blob} 1\tfought.py",
        f"M 100644 {blob} 2\tfought.py",
        f"h 100644 {blob} 0\thidden.py",
    ]
    tracked, _, _ = parse_listing("".join(f"{line}\0" for line in lines).encode())
    assert tracked.find_line("src/a.py") == ("100644", blob)
    assert tracked.find_line("run.sh") == ("100755", "b" * 40)
    assert tracked.find_line("tail.py") == ("100644", "d" * 40)
    assert [tracked.find_line(path) for path in ("fought.py", "hidden.py", "a.py", "absent")] == [None] * 4
