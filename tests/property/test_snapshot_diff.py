"""Laws of comparing snapshots."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import Explanations, build_explanations
from handoff_tui.changes.comparison.page import build_snapshot_diff_json, build_snapshot_diff_page
from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    DiffScope,
    ItemChange,
    SnapshotDiff,
)
from handoff_tui.changes.snapshots.snapshot import Snapshot
from handoff_tui.core.text.page import Grid
from handoff_tui.git.file_diff import FileChange
from tests.support.snapshots import snapshots
from tests.support.strategies import line_texts, model_values

_SILENT = Explanations()
_texts = line_texts(
    ["## Removed", "- test_a", "- `six`", "Removed tests/x.py.", "Skipped: test_b", "**Deleted:**", "| a.py | gone |"]
)
_moved = st.sampled_from([(), (("tests/x.py", "tests/y.py"),), (("a.py", "src/a.py"), ("tests/y.py", "tests/x.py"))])
_MIRROR = {
    ItemChange.NEW: {ItemChange.REMOVED, ItemChange.VANISHED, ItemChange.FIXED},
    ItemChange.REMOVED: {ItemChange.NEW},
    ItemChange.VANISHED: {ItemChange.NEW},
    ItemChange.RENAMED: {ItemChange.RENAMED},
    ItemChange.CHANGED: {ItemChange.CHANGED, ItemChange.NEWLY_SKIPPED, ItemChange.NEWLY_FAILING},
    ItemChange.NEWLY_SKIPPED: {ItemChange.CHANGED, ItemChange.NEWLY_FAILING, ItemChange.NEWLY_SKIPPED},
    ItemChange.NEWLY_FAILING: {ItemChange.FIXED, ItemChange.NEWLY_SKIPPED, ItemChange.CHANGED},
    ItemChange.FIXED: {ItemChange.NEWLY_FAILING, ItemChange.NEW},
}


def build_changes(moved: tuple[tuple[str, str], ...]) -> list[FileChange]:
    return [FileChange("R", new, old, "100644", "100644", "1", "2", 90) for old, new in moved]


def mirror_moves(moved: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((new, old) for old, new in moved)


def name_sides(item: ComparedItem) -> tuple[str | None, str | None]:
    """The id before and the id after."""
    before = None if item.before is None else item.old_id or item.id
    return before, None if item.after is None else item.id


@given(snapshots())
def test_snapshot_does_not_differ_from_itself(snapshot: Snapshot) -> None:
    """Compared with itself, nothing is new, lost or changed, and all is counted as unchanged."""
    diff = compare_snapshots(snapshot, snapshot, _SILENT)
    for section in diff.sections.values():
        assert section.items == ()
        assert section.unchanged == section.before_total == section.after_total
    assert all(clash.known for clash in diff.clashes)
    assert diff.claims == ()


@given(snapshots(), snapshots(), _moved)
def test_comparison_mirrors(first: Snapshot, second: Snapshot, moved: tuple[tuple[str, str], ...]) -> None:
    """The other way round, what came has left, what broke is fixed, and the values are exchanged."""
    there = compare_snapshots(first, second, _SILENT, build_changes(moved)).sections
    back = compare_snapshots(second, first, _SILENT, build_changes(mirror_moves(moved))).sections
    for name, section in there.items():
        other = back[name]
        assert (section.before_total, section.after_total) == (other.after_total, other.before_total)
        assert section.unchanged == other.unchanged
        mirrored = {name_sides(item)[::-1]: item for item in other.items}
        assert len(mirrored) == len(section.items)
        for item in section.items:
            twin = mirrored[name_sides(item)]
            assert (item.before, item.after) == (twin.after, twin.before)
            assert twin.change in _MIRROR[item.change]
            if name == "tests" and {item.before, item.after} in ({"pass", "fail"}, {"pass", "error"}):
                assert {item.change, twin.change} == {ItemChange.NEWLY_FAILING, ItemChange.FIXED}


@given(snapshots(), snapshots(), _moved)
def test_counts_add_up(before: Snapshot, after: Snapshot, moved: tuple[tuple[str, str], ...]) -> None:
    """What stayed and what differs make up both sides; no id is told twice."""
    for section in compare_snapshots(before, after, _SILENT, build_changes(moved)).sections.values():
        assert section.unchanged + count_sides(section, 0) == section.before_total
        assert section.unchanged + count_sides(section, 1) == section.after_total


def count_sides(section: ComparedSection, side: int) -> int:
    names = [name_sides(item)[side] for item in section.items]
    present = [name for name in names if name is not None]
    assert len(set(present)) == len(present)
    return len(present)


@given(snapshots(), snapshots(), st.randoms(use_true_random=False), _texts)
def test_order_of_insertion_does_not_matter(before: Snapshot, after: Snapshot, random: Random, text: str) -> None:
    """The same content in another order gives the same diff."""
    explanations = build_explanations([], [("notes.md", text)])
    plain = compare_snapshots(before, after, explanations)
    assert compare_snapshots(shuffle(before, random), shuffle(after, random), explanations) == plain


def shuffle(snapshot: Snapshot, random: Random) -> Snapshot:
    values: dict[str, object] = {}
    for name in ("packages", "tests", "checks", "findings", "files", "measures"):
        pairs = list(getattr(snapshot, name).items())
        random.shuffle(pairs)
        values[name] = dict(pairs)
    return snapshot.model_copy(update=values)


@given(snapshots(), snapshots(), _texts)
def test_explanation_only_marks_drops(before: Snapshot, after: Snapshot, text: str) -> None:
    """Words change whether a drop is explained, and nothing else; what is explained has its place."""
    silent = compare_snapshots(before, after, _SILENT)
    told = compare_snapshots(before, after, build_explanations([], [("notes.md", text)]))
    for name, section in told.sections.items():
        for item, plain in zip(section.items, silent.sections[name].items, strict=True):
            assert name_sides(item) == name_sides(plain)
            assert (item.explained is None) == (plain.explained is None)
            assert (item.explanation is not None) == (item.explained is True)
            assert item.change is not ItemChange.REMOVED or name != "tests" or item.explained
            assert item.change is not ItemChange.VANISHED or item.explained is not True


@given(model_values(Snapshot), model_values(Snapshot), st.booleans())
def test_comparison_of_any_content_is_shown(before: Snapshot, after: Snapshot, everything: bool) -> None:  # noqa: FBT001 - a drawn value
    """Nothing raises, the JSON can be written in ASCII, and no control character reaches a page."""
    diff: SnapshotDiff = compare_snapshots(before, after, _SILENT)
    pair = ComparedPair(scope=DiffScope.BETWEEN, before=BaselineChoice(snapshot="a" * 64, reason="named"))
    read = json.loads(json.dumps(build_snapshot_diff_json(diff, pair)))
    assert read["unexplained"] == len(diff.unexplained)
    page = build_snapshot_diff_page(diff, pair, everything=everything)
    for part in page.parts:
        rows = part.rows if isinstance(part, Grid) else (part.cells,)
        assert all(cell.text.isprintable() for row in rows for cell in row if cell.text.isascii())
