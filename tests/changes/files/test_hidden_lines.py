from __future__ import annotations

from handoff_tui.changes.files.hidden_lines import find_hidden_lines
from handoff_tui.git.objects.tree_diff import read_tree_changes
from handoff_tui.handoffs.session import open_desk
from handoff_tui.status.inbox_item import RiskFact
from tests.support.repositories import RepositoryBuilder


def find(builder: RepositoryBuilder) -> list[RiskFact]:
    """In what the last commit changed."""
    desk = open_desk(builder.folder)
    changes = read_tree_changes(desk.repository.git, builder.head("HEAD~1^{tree}"), builder.head("HEAD^{tree}")).changes
    return list(find_hidden_lines(desk, changes, {}))


def test_hidden_characters_of_new_lines_are_told_by_line(builder: RepositoryBuilder) -> None:
    """An override that turns the text around, an escape sequence, a zero-width joint."""
    builder.write("a.py", "one\n").commit()
    builder.write("a.py", 'one\nrole = "admin\u202e"\nplain\nx = "\x1b[2J"\ny = "a\u200bb"\n').commit()
    [fact] = find(builder)
    assert fact.text == "3 places with hidden characters"
    assert [place.line for place in fact.places] == [2, 4, 5]


def test_what_was_there_before_is_not_told(builder: RepositoryBuilder) -> None:
    """Only what this work brought."""
    builder.write("a.py", "old \u202e\n").commit()
    builder.write("a.py", "old \u202e\nnew\n").commit()
    assert find(builder) == []


def test_line_ends_tabs_and_a_mark_at_the_beginning_are_harmless(builder: RepositoryBuilder) -> None:
    """A file from another system hides nothing; neither does what is binary."""
    builder.write("a.py", "one\n").commit()
    builder.write("a.py", b"\xef\xbb\xbfone\r\n\ttwo \xc3\xa9\r\n").write("b.bin", b"\0\x1b\xe2\x80\xae").commit()
    assert find(builder) == []


def test_hidden_character_in_a_name_is_told(builder: RepositoryBuilder) -> None:
    """A name is read too."""
    builder.write("a.py").commit()
    builder.write("safe\u202ecod.exe").commit()
    [fact] = find(builder)
    assert [place.line for place in fact.places] == [None]


def test_files_beyond_the_limit_are_counted_as_not_searched(builder: RepositoryBuilder) -> None:
    """What was not looked at is said, where something was found."""
    builder.write("handoff-tui.toml", "[risk]\nscanned_files_maximum = 1\n").commit()
    builder.write("a.py", "\u202e\n").write("b.py", "\u202e\n").commit()
    [fact] = find(builder)
    assert fact.text == "1 place with hidden characters; 1 files not searched"
