"""Laws of the rows of a diff: nothing is lost, nothing shown twice, and a line is found where it is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.tui.views.changes.row_map import NO_LINE, FixedRows, Folding, RowKind, RowMap
from handoff_tui.tui.views.changes.rows import find_language, find_words, split_words
from tests.support.diffs import parse_patch, render_patch

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "@@ -1 +1 @@"]), max_size=30)
SAID = st.lists(st.builds(FixedRows, st.integers(-1, 40), st.integers(1, 3)), max_size=4)


@given(TEXTS, TEXTS, st.integers(0, 3), st.booleans(), SAID)
def test_every_line_is_on_one_row_or_in_one_gap(
    old: list[str],
    new: list[str],
    context: int,
    split: bool,  # noqa: FBT001 - drawn
    said: list[FixedRows],
) -> None:
    """Rows and gaps together are the file; both texts can be read from them; each line is found on its row."""
    lines = parse_patch(render_patch(old, new)) if old != new else parse_patch(b"")
    found = RowMap(lines, Folding(context), tuple(said), split=split)
    shown: dict[int, int] = {}
    hidden = fixed = 0
    for index in range(found.count):
        row = found.find_row(index)
        if row.kind is RowKind.FIXED:
            fixed += 1
        elif row.kind is RowKind.GAP:
            hidden += row.part
            assert all(found.find_line(line) == index for line in range(row.left, row.left + row.part))
        else:
            for line in {row.left, row.right} - {NO_LINE}:
                assert line not in shown
                shown[line] = index
                assert found.find_line(line) == index
    assert len(shown) + hidden == len(lines)
    assert fixed == sum(one.rows for one in said if one.after < len(lines))
    read = [lines.read_line(line) for line in range(len(lines))]
    if old != new:
        assert [line.text for line in read if line.mark != "+"] == old
        assert [line.text for line in read if line.mark != "-"] == new


@given(TEXTS, TEXTS, st.integers(1, 50))
def test_patch_is_the_same_in_any_pieces(old: list[str], new: list[str], piece: int) -> None:
    """Lines, numbers and changes do not depend on how the bytes arrive."""
    patch = render_patch(old, new)
    whole, pieces = parse_patch(patch), parse_patch(patch, piece)
    assert whole.marks == pieces.marks
    assert whole.runs == pieces.runs
    assert [whole.read_line(line) for line in range(len(whole))] == [
        pieces.read_line(line) for line in range(len(whole))
    ]


@given(st.sampled_from(["a.py", "a.ts", "a.c", "a.yml", "a.html", "a.md", "a.sql", "a.sh"]), st.text(max_size=200))
def test_words_lie_in_their_lines(path: str, text: str) -> None:
    """Whatever the text, words are in order, inside their line, and never over one another."""
    language = find_language(path)
    assert language is not None
    texts = text.split("\n")
    for line, words in zip(texts, split_words(find_words(language, text), texts), strict=True):
        end = 0
        for start, stop, _ in words:
            assert end <= start < stop <= len(line)
            end = stop
