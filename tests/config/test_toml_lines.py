from __future__ import annotations

from handoff_tui.config.layer import find_lines


def test_lines_of_tables_keys_and_dotted_keys() -> None:
    """Tables, keys below them, and each part of a dotted key."""
    lines = find_lines('top = 1\n\n[limits]  # a comment\ncommits = 2\na.b = 3\n["odd name"]\nx = 1')
    assert lines == {
        "top": 1,
        "limits": 3,
        "limits.commits": 4,
        "limits.a": 5,
        "limits.a.b": 5,
        '"odd name"': 6,
        '"odd name".x': 7,
    }


def test_lines_of_lists_of_tables_are_counted() -> None:
    """Entries of a list have a number, and tables below belong to the last entry."""
    lines = find_lines("[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n[a.b.c]\ny = 3\n")
    assert lines["a.b"] == 1
    assert (lines["a.b.0.x"], lines["a.b.1.x"]) == (2, 4)
    assert (lines["a.b.1.c"], lines["a.b.1.c.y"]) == (5, 6)


def test_lines_are_not_confused_by_values() -> None:
    """Keys and brackets inside texts, lists and comments are none."""
    text = 'a = """\n[not]\nkey = 1 \\"""\n"""\n'
    text += "b = [\n  ']', # ] x = 1\n  \"[\",\n]\n"
    text += "c = '''\nd = 1\n'''\ne = {f = 1}\n"
    assert find_lines(text) == {"a": 1, "b": 5, "c": 9, "e": 12}


def test_lines_of_quoted_keys_are_unquoted_and_escaped_for_display() -> None:
    """A key with a control character is shown escaped."""
    assert find_lines("\"\\u001b\" = 1\n'it' = 2") == {'"\\x1b"': 1, "it": 2}
