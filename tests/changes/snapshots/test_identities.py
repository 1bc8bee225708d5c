from __future__ import annotations

import pytest

from handoff_tui.changes.snapshots.identities import (
    Identity,
    cut_last,
    list_live_containers,
    list_names,
    list_paths,
    list_scopes,
    parse_test_id,
)


@pytest.mark.parametrize(
    ("identifier", "identity"),
    [
        ("tests/x.py::TestA::test_b", Identity("tests/x.py", ("TestA",), "test_b")),
        ("tests.unit.x.TestA::test_b[1::2]", Identity("tests/x.py", ("TestA",), "test_b", "[1::2]")),
        ("tests.x::test_b", Identity("tests/x.py", (), "test_b")),
        ("x.test.ts::adds", Identity("x.test.ts", (), "adds")),
        ("TestA::test_b", Identity("TestA", (), "test_b")),
        ("adds two numbers", Identity("", (), "adds two numbers")),
        ("", Identity("", (), "")),
    ],
)
def test_id_is_taken_apart(identifier: str, identity: Identity) -> None:
    """Paths, dotted modules, files of other languages, plain names."""
    assert parse_test_id(identifier) == identity


def test_last_part_leaves_parameters_out() -> None:
    """Colons among the parameters do not matter."""
    assert cut_last("a.py::TestA::test_b[x::y]") == ("a.py::TestA", "test_b")


def test_names_are_those_that_mean_one_test() -> None:
    """With the file or the class; never the bare name, which others may bear."""
    names = list_names("t.x.TestA::test_b", parse_test_id("t.x.TestA::test_b"))
    assert names == [
        "t.x.TestA::test_b",
        "t/x.py::TestA::test_b",
        "TestA::test_b",
        "TestA.test_b",
        "t.x.TestA.test_b",
    ]
    assert list_names("a.py::test_b", parse_test_id("a.py::test_b")) == ["a.py::test_b", "a.py::test_b", "a.test_b"]
    assert list_names("adds", parse_test_id("adds")) == ["adds"]


def test_scopes_go_from_class_to_folder() -> None:
    """Smallest first."""
    assert list_scopes("t/x.py", ("A",)) == ["t/x.py::A", "A", "A", "t.x", "t/x.py", "x.py", "t", "t/"]
    assert list_paths("a/b/c") == ["a/b/c", "c", "a/b", "a/b/", "a", "a/"]


def test_containers_live_as_long_as_one_of_their_tests_runs() -> None:
    """A test with parameters is the container of its cases."""
    live = list_live_containers(["t/x.py::A::test_b[1]", "plain"])
    assert {"t/x.py", "t/", "A", "t/x.py::A", "A::test_b", "t/x.py::A::test_b"} <= live
    assert "test_b" not in live
    assert "plain" not in live
