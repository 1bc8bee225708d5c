from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots import stored_snapshots as snapshots
from handoff_tui.changes.snapshots.page import (
    build_baseline_list_page,
    build_baseline_show_page,
)
from handoff_tui.changes.snapshots.snapshot import (
    ClaimedTotals,
    FindingRecord,
    PackageRecord,
    Snapshot,
    SnapshotSummary,
    TestOutcome,
    Unread,
    encode_snapshot,
    find_snapshot,
    parse_snapshot,
    read_snapshot,
    write_snapshot,
)
from handoff_tui.changes.snapshots.stored_snapshots import (
    capture,
    list_newest_first,
    pin,
    read_pins,
    take,
    take_still,
    write_pin,
)
from handoff_tui.checks.run.check import find_change_since_reading
from handoff_tui.core import errors
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.system.files.cache_files import find_choices_folder
from tests.support.desk_states import render_page
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import build_lamp, build_package, build_snapshot

SNAPSHOT = Snapshot(
    tree="a" * 40,
    commit="b" * 40,
    branch="mäin",
    packages={"node:x": PackageRecord(kind="node", name="x", where="package.json", dependencies={"y": ""})},
    tests={"a::b": TestOutcome.FAIL},
    claimed={"H-1": ClaimedTotals(where="r.md", tests={"total": 3})},
    measures={"files": 1},
    unread=(Unread(path="z", reason="is missing"),),
)


def store(root: Path, content: bytes) -> str:
    """A file with the right name, whatever is in it."""
    digest = hashlib.sha256(content).hexdigest()
    place = root / ".handoff-tui" / "baselines" / f"{digest}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return digest


def test_form_is_canonical_and_readable_by_hand() -> None:
    """Sorted keys, ASCII, one thing a line, no nulls, nothing that is empty by default; versions are always there."""
    content = encode_snapshot(SNAPSHOT)
    lines = content.decode("ascii").split("\n")
    value = json.loads(content)
    assert (lines[0], lines[-2:]) == ("{", ["}", ""])
    assert list(value) == sorted(value)
    assert (value["schema_version"], value["object_format"]) == (1, "sha1")
    assert "upstream" not in value
    assert value["packages"]["node:x"]["dependencies"] == {"y": ""}
    assert "null" not in content.decode("ascii")
    assert content == encode_snapshot(parse_snapshot(content, "x"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "isn't JSON"),
        (b"{", "isn't JSON"),
        (b"[" * 100_000, "isn't JSON"),
        (b"\xff{}", "isn't JSON"),
        (b"[]", "no schema version"),
        (b"{}", "no schema version"),
        (b'{"schema_version": 2, "tree": "a"}', "schema version 2; this handoff-tui reads version 1"),
        (b'{"schema_version": "1", "tree": "a"}', "schema version '1'"),
        (b'{"schema_version": 1}', "isn't a snapshot: tree"),
        (b'{"schema_version": 1, "tree": "a", "mood": 1}', "unknown field: mood"),
        (b'{"schema_version": 1, "tree": "a", "measures": {"files": 1.5}}', "isn't a snapshot: measures.files"),
        (b'{"schema_version": 1, "tree": "a", "tests": {"x": "vanished"}}', "isn't a snapshot: tests.x"),
    ],
)
def test_file_that_is_no_snapshot_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    """Though its name fits its content."""
    digest = store(tmp_path, content)
    with pytest.raises(errors.SnapshotUnusableError) as caught:
        read_snapshot(tmp_path, digest)
    assert words in caught.value.message
    assert f"{digest}.json" in caught.value.message
    assert caught.value.hint


def test_snapshot_is_found_by_its_first_digits(tmp_path: Path) -> None:
    """Six are enough, with or without the name of the algorithm; a whole one is taken as it is."""
    digest = write_snapshot(tmp_path, SNAPSHOT)
    assert find_snapshot(tmp_path, digest[:6]) == digest
    assert find_snapshot(tmp_path, f" sha256:{digest[:8].upper()}".lower()) == digest
    assert find_snapshot(tmp_path, "0" * 64) == "0" * 64
    with pytest.raises(errors.StoredFileMissingError, match="starts with 000000"):
        find_snapshot(tmp_path, "000000")


@pytest.mark.parametrize("written", ["", "12345", "xyzxyz", "../../a", "1" * 65])
def test_what_begins_no_digest_is_refused(tmp_path: Path, written: str) -> None:
    """Too short, too long, or no hexadecimal digits."""
    with pytest.raises(errors.UsageError, match="isn't the start of a digest"):
        find_snapshot(tmp_path, written)


def test_beginning_of_two_snapshots_is_refused(tmp_path: Path) -> None:
    """Both are shown."""
    folder = tmp_path / ".handoff-tui" / "baselines"
    folder.mkdir(parents=True)
    for last in "01":
        (folder / f"{'a' * 63}{last}.json").touch()
    with pytest.raises(errors.UsageError, match="any of 2 snapshots: aaaaaaaaaaaa, aaaaaaaaaaaa"):
        find_snapshot(tmp_path, "aaaaaa")


@pytest.mark.parametrize("change", [{"tree": "--batch"}, {"tree": "HEAD"}, {"commit": "v1.0"}, {"commit": "a" * 41}])
def test_id_that_is_none_is_refused(change: dict[str, str]) -> None:
    """Git would be asked for it, and might take it for an option or a name."""
    content = encode_snapshot(SNAPSHOT.model_copy(update=change))
    with pytest.raises(errors.SnapshotUnusableError, match="isn't an object id"):
        parse_snapshot(content, "x.json")


def test_packages_are_those_with_a_manifest_where_there_are_any() -> None:
    """Documents of the builder count these; elsewhere all count."""
    python, manifest = build_package("a", kind="python"), build_package("b")
    assert build_snapshot(packages={"a": python, "b": manifest}).package_count == 1
    assert build_snapshot(packages={"a": python, "c": python}).package_count == 2
    assert build_snapshot().package_count == 0


def move_after(monkeypatch: pytest.MonkeyPatch, builder: RepositoryBuilder, times: int) -> None:
    """Somebody writes a file each time a snapshot was taken, that often."""
    left = iter(range(times))

    def find(desk: Session, handoffs_read: ReadHandoffs) -> str | None:
        number = next(left, None)
        if number is not None:
            builder.write(f"written-{number}")
        return real(desk, handoffs_read)

    real = find_change_since_reading
    monkeypatch.setattr(snapshots, "find_change_since_reading", find)


def test_repository_that_moves_once_is_taken_again(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot is of the state after."""
    root = build_lamp(builder).folder
    move_after(monkeypatch, builder, 1)
    taken = take_still(open_session(root))
    assert taken.captured.snapshot.tree == take(open_session(root)).captured.snapshot.tree


def test_head_that_moved_before_is_looked_at_again(builder: RepositoryBuilder) -> None:
    """The desk is opened again, once."""
    desk = open_session(build_lamp(builder).folder)
    builder.write("more").commit()
    assert take_still(desk).captured.snapshot.commit == builder.head()


def test_list_has_what_cannot_be_used_and_what_is_foreign(builder: RepositoryBuilder) -> None:
    """Damaged ones with the reason, pins of what is not there, and files that aren't snapshots."""
    root = build_lamp(builder).folder
    desk = open_session(root)
    digest = capture(desk).summary.digest
    pin(desk, digest, "H-1")
    folder = root / ".handoff-tui" / "baselines"
    (folder / f"{digest}.json").write_text("{}", encoding="utf-8")
    (folder / "notes.txt").touch()
    stored = list_newest_first(desk)
    [summary] = stored.summaries
    assert (summary.problem, summary.pinned_for) == ("does not have the content that its name says", ("H-1",))
    assert stored.foreign == (".handoff-tui/baselines/notes.txt",)
    (folder / f"{digest}.json").unlink()
    assert list_newest_first(desk).lost_pins == {"H-1": digest}


def test_pin_of_what_cannot_be_read_is_refused(builder: RepositoryBuilder) -> None:
    """Neither missing nor of an unknown version."""
    root = build_lamp(builder).folder
    desk = open_session(root)
    with pytest.raises(errors.StoredFileMissingError):
        pin(desk, "abcdef", None)
    place = root / ".handoff-tui/baselines" / f"{'1' * 64}.json"
    place.parent.mkdir(parents=True)
    place.write_text("{}", encoding="utf-8")
    with pytest.raises(errors.StoredFileDamagedError, match="does not have the content"):
        pin(desk, "111111", None)
    assert not find_choices_folder(root / ".git").exists()


ONE, TWO = "1" * 64, "2" * 64


def test_pin_in_the_repository_is_none(tmp_path: Path) -> None:
    """An agent can write the git folder; it chooses no baseline there, and a pin leaves nothing behind there."""
    (tmp_path / "handoff-tui").mkdir()
    (tmp_path / "handoff-tui/pins.json").write_text(f'{{"*": "{ONE}"}}')
    assert read_pins(tmp_path) == {}
    write_pin(tmp_path, "H-1", TWO)
    assert read_pins(tmp_path) == {"H-1": TWO}
    assert [place.name for place in tmp_path.rglob("*.json")] == ["pins.json"]


@pytest.mark.parametrize("content", ["", "[]", '{"H-1": 1}', '{"H-1": "short"}', "[" * 100_000])
def test_pins_that_no_person_wrote_pin_nothing(tmp_path: Path, content: str) -> None:
    """Whatever is in the file; the next pin replaces it."""
    write_pin(tmp_path, "H-1", ONE)
    (find_choices_folder(tmp_path) / "handoff-tui/pins.json").write_text(content)
    assert read_pins(tmp_path) == {}
    write_pin(tmp_path, "H-2", TWO)
    assert read_pins(tmp_path) == {"H-2": TWO}


_DIGEST = "1234567890abcdef" * 4


def test_list_names_pins_of_what_is_not_stored_and_foreign_files() -> None:
    """Nothing below the folder is passed over in silence."""
    page = build_baseline_list_page([], {"*": "a" * 64, "H-1": "b" * 64}, [".handoff-tui/baselines/notes.txt"])
    assert render_page(page).splitlines()[1:] == [
        "",
        "Pinned, but not stored here  2",
        "  aaaaaaaaaaaa  for every handoff",
        "  bbbbbbbbbbbb  for H-1",
        "",
        "Not a snapshot  1",
        "  .handoff-tui/baselines/notes.txt",
    ]


def test_snapshot_is_shown_with_what_was_counted_claimed_and_not_read() -> None:
    """Tests that pass are a number, those that do not are listed."""
    snapshot = build_snapshot(
        commit="a" * 40,
        tests={"t1": "pass", "t2": "fail"},
        reports={"report.xml": "sha256:0"},
        packages={"manifest:p": build_package("p", assets={"x": ""})},
        checks={"claims-hold": "pass"},
        findings={"f": FindingRecord(check="claims-hold", message="22 is not 21", path="r.md")},
        files={"x": "sha256:" + "ab" * 32},
        measures={"coverage_basis_points": 8100},
        claimed={
            "H-1": ClaimedTotals(where="r.md", packages=3, tests={"total": 2}, baseline_packages=4, baseline_tests=5)
        },
        unread=(Unread(path="broken.xml", reason="it is not XML"),),
    )
    text = render_page(build_baseline_show_page(SnapshotSummary(digest=_DIGEST, pinned=True), snapshot))
    for line in (
        f"snapshot {_DIGEST}  pinned",
        "Tests  2: 1 fail, 1 pass, from 1 report",
        "  t2  fail",
        "  manifest:p  1.0.0, 1 asset, p/manifest.json",
        "  claims-hold: 22 is not 21  r.md",
        "  x  abababababab",
        "  coverage  81.00 %",
        "  H-1  3 packages; own tests: total 2; baseline of 4 packages and 5 tests; r.md",
        "  broken.xml  it is not XML",
    ):
        assert line in text.splitlines()
    assert "  t1  pass" not in text


def test_long_list_is_cut_unless_everything_is_asked_for() -> None:
    """What is left out is counted."""
    snapshot = build_snapshot(tests={f"t{number}": "fail" for number in range(10)})
    summary = SnapshotSummary(digest=_DIGEST)
    assert "… and 2 more; --all shows them" in render_page(build_baseline_show_page(summary, snapshot))
    assert "t9  fail" in render_page(build_baseline_show_page(summary, snapshot, everything=True))
