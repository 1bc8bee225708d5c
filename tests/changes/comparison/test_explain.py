from __future__ import annotations

import time

import pytest

from handoff_tui.changes.comparison.compare_tests import TestSearch
from handoff_tui.changes.comparison.explain import (
    Drop,
    build_explanations,
    find_drops,
    find_named_drops,
)
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Package
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff

_PLACE = Place(path="results.md", line=7)


def build_claim(kind: ClaimKind, subject: str, text: str) -> Handoff:
    return Handoff(id="H-1", dialect="builder", claims=(Claim(text=text, kind=kind, where=_PLACE, subject=subject),))


def test_claim_of_a_deleted_file_explains_it() -> None:
    """At the place of the claim."""
    explanations = build_explanations([build_claim(ClaimKind.FILE_DELETED, "src/a.py", "- src/a.py")], [])
    assert explanations.find(Drop.REMOVED, ["src/a.py"]) == _PLACE
    assert explanations.find(Drop.SKIPPED, ["src/a.py"]) is None


def test_claim_of_a_modified_file_explains_only_what_its_text_says() -> None:
    """That a file was modified says nothing of what is gone from it."""
    said = "tests/x.py: removed test_old"
    explanations = build_explanations([build_claim(ClaimKind.FILE_MODIFIED, "tests/x.py", said)], [])
    assert explanations.find(Drop.REMOVED, ["test_old"]) == _PLACE
    silent = build_explanations([build_claim(ClaimKind.FILE_MODIFIED, "tests/x.py", "tests/x.py: test_old")], [])
    assert silent.find(Drop.REMOVED, ["tests/x.py", "test_old"]) is None


def test_superseded_package_is_explained_by_its_successor() -> None:
    """At the manifest that says so."""
    package = Package(id="PKG-2", where=Place(path="m.json"), supersedes=("PKG-1",))
    explanations = build_explanations([Handoff(id="H-1", dialect="builder", packages=(package,))], [])
    assert str(explanations.find(Drop.REMOVED, ["PKG-1"])) == "m.json"


def test_message_of_a_handoff_is_read() -> None:
    """Its place is the first document."""
    document = Document(path="state.json", role=DocumentRole.STATE)
    handoff = Handoff(id="a", dialect="mosaic", message="Skipped test_slow for now.", documents=(document,))
    assert str(build_explanations([handoff], []).find(Drop.SKIPPED, ["test_slow"])) == "state.json"


def test_plain_word_is_a_name_only_where_it_is_marked() -> None:
    """'Removed the rich output' says nothing of the package rich."""
    plain = build_explanations([], [("a.md", "Removed the rich output.")])
    assert plain.find(Drop.REMOVED, ["rich"]) is None
    assert plain.find_word(Drop.REMOVED, ["rich"]) is not None
    marked = build_explanations([], [("a.md", "Removed `rich`.")])
    assert marked.find(Drop.REMOVED, ["rich"]) is not None


def find(text: str, dropped: list[str], living: tuple[str, ...] = (), drop: Drop = Drop.REMOVED) -> list[bool]:
    search = TestSearch(build_explanations([], [("r.md", text)]), drop, dropped, living)
    return [search.find(name) is not None for name in dropped]


def test_bare_name_explains_the_only_test_that_bears_it() -> None:
    """Of two that are gone, a bare name means neither; with its class or file it means one."""
    assert find("Removed test_a.", ["x.py::test_a"]) == [True]
    assert find("Removed test_a.", ["x.py::test_a", "y.py::test_a"]) == [False, False]
    assert find("Removed y.py::test_a.", ["x.py::test_a", "y.py::test_a"]) == [False, True]
    assert find("Removed TestB.test_a.", ["x.TestA::test_a", "x.TestB::test_a"]) == [False, True]


def test_file_explains_its_tests_when_none_of_them_runs_any_more() -> None:
    """'Removed code from x.py' does not explain one test that is gone from it."""
    gone = ["t/x.py::test_a", "t/x.py::TestK::test_b"]
    assert find("Deleted `t/x.py`.", gone) == [True, True]
    assert find("Deleted x.py.", gone) == [True, True]
    assert find("Deleted `t/x.py`.", gone, ("t/x.py::test_c",)) == [False, False]


def test_class_and_folder_explain_like_a_file() -> None:
    """As long as nothing in them runs."""
    assert find("Removed TestKeys.", ["x.py::TestKeys::test_a"], ("x.py::test_b",)) == [True]
    assert find("Removed TestKeys.", ["x.py::TestKeys::test_a"], ("x.py::TestKeys::test_b",)) == [False]
    assert find("Removed the folder legacy/.", ["legacy/x.py::test_a"], ("new/x.py::test_a",)) == [True]


def test_test_without_parameters_explains_its_cases_when_none_runs() -> None:
    """One case that is gone needs its own name."""
    gone = ["x.py::test_a[1]", "x.py::test_a[2]"]
    assert find("Removed test_a.", gone) == [True, True]
    assert find("Removed x.py::test_a.", gone) == [True, True]
    assert find("Removed test_a.", gone[:1], ("x.py::test_a[2]",)) == [False]
    assert find("Removed `test_a[1]`.", gone[:1], ("x.py::test_a[2]",)) == [True]


def test_name_with_spaces_is_found_in_code_marks() -> None:
    """As other languages name their tests."""
    assert find("Removed `adds two numbers`.", ["adds two numbers", "adds"]) == [True, False]
    assert find("Removed `adds two numbers`.", ["sum.test.ts::adds two numbers"]) == [True]


def test_skip_is_looked_up_among_skips() -> None:
    """A file whose tests are all skipped may be named as a whole."""
    assert find("Skipped x.py on this machine.", ["x.py::test_a"], (), Drop.SKIPPED) == [True]
    assert find("Skipped x.py on this machine.", ["x.py::test_a"], ("x.py::test_b",), Drop.SKIPPED) == [False]
    assert find("Removed x.py.", ["x.py::test_a"], (), Drop.SKIPPED) == [False]


@pytest.mark.parametrize(
    ("words", "drop"),
    [
        ("test_a was removed", Drop.REMOVED),
        ("Deleted: test_a", Drop.REMOVED),
        ("test_a no longer runs", Drop.REMOVED),
        ("test_a was renamed to test_b", Drop.REMOVED),
        ("Since it was not stable, test_a was removed", Drop.REMOVED),
        ("test_a is skipped", Drop.SKIPPED),
        ("test_a is marked xfail", Drop.SKIPPED),
        ("coverage fell", Drop.LOWERED),
    ],
)
def test_word_tells_its_drop(words: str, drop: Drop) -> None:
    """In any of its forms."""
    assert drop in find_drops(words)


@pytest.mark.parametrize(
    "words",
    [
        "test_a was not removed",
        "No test was removed",
        "test_a wasn't removed",
        "None of test_a, test_b were removed",
        "test_a could be removed",
        "0 skipped",
        "added test_removed and src/removed-users.py",
        "see removed.py or mod:removed",
        "test_a works",
        "test_a is no longer patched",
    ],
)
def test_denied_word_or_part_of_a_name_tells_nothing(words: str) -> None:
    """A drop that is denied isn't a drop; a name isn't a word."""
    assert find_drops(words) == frozenset()


def find_statements(text: str, drop: Drop = Drop.REMOVED) -> dict[str, int]:
    """Names with an underscore that are spoken of as dropped, with their lines."""
    found: dict[str, int] = {}
    for named in find_named_drops(text):
        if drop in named.drops and "_" in named.name:
            found.setdefault(named.name, named.line)
    return found


def test_name_and_word_stand_in_one_sentence() -> None:
    """A name in the next sentence is only mentioned."""
    assert find_statements("Removed test_a. The others, such as test_b, are fine.") == {"test_a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "## Removed\n\n- test_a\n",
        "## Removed\n\n### Tests\n\n1. test_a: obsolete\n",
        "**Removed:**\n\n- test_a\n",
        "**Removed**\n- test_a\n",
        "The following were deleted:\n\n* test_a\n",
        "- Removed:\n  - test_a\n",
        "## Deleted\n\n| name | why |\n|---|---|\n| test_a | old |\n",
        "| test_a | removed | old |\n",
        "```\ndeleted: test_a\n```\n",
        "- [x] Removed test_a\n",
        "# Results: remove test_a\n",
        "### Replaced test_a with `another`\n",
    ],
)
def test_list_under_a_word_tells_of_its_items(text: str) -> None:
    """Headings, lines that introduce a list, tables, code blocks, ticked boxes."""
    assert list(find_statements(text)) == ["test_a"]


@pytest.mark.parametrize(
    "text",
    [
        "test_a is there.",
        "## Removed\n\nNothing. See also test_a.\n",
        "## Removed\n\n- old thing\n\n## Tests\n\n- test_a\n",
        "## Removed and added\n\n- test_a\n",
        "## Removed\n\n### Added\n\n- test_a\n",
        "**Removed:**\n\n- old thing\n\nThen we ran:\n\n- test_a\n",
        "- Removed:\n  - old thing\n- test_a\n",
        "- [ ] Remove test_a\n",
        "Should we remove test_a?\n",
        "Removed all but test_a.\n",
        "Removed the old cache, test_a still passes.\n",
        "Added `removed` to test_a.\n",
        "## Removed\n\n- old thing, not test_a\n",
        "# Remove the gate\n\n## Tests\n\n- test_a\n",
        "A shell that replaces the loop. It does three things:\n\n- test_a\n",
        "| test_a | modify (it supersedes others) |\n",
        "Replaced the old loop by test_a.\n",
        "The old loop was moved to `test_a`.\n",
    ],
)
def test_mere_mention_tells_nothing(text: str) -> None:
    """Nor does an intention, a question, or a word in a name."""
    assert find_statements(text) == {}


def test_names_keep_their_brackets_and_lose_their_marks() -> None:
    """Bold, struck out, linked, called."""
    names = find_statements("Removed **test_a**, ~~test_b~~, [test_c](t.py), test_d(), ./test_e, test_f[1], 'test_g'.")
    assert {"test_a", "test_b", "test_c", "test_d", "test_e", "test_f[1]", "test_g"} <= set(names)


def test_marked_names_are_told_apart() -> None:
    """In code marks or quotes, or at the head of an item; only there can a plain word be a name."""
    text = 'Removed `alpha` and beta and "gamma delta".\n\n## Removed\n\n- epsilon zeta\n'
    marked = {named.name for named in find_named_drops(text) if named.marked}
    assert {"alpha", "gamma delta", "epsilon"} <= marked
    assert not {"beta", "zeta", "gamma"} & marked


@pytest.mark.parametrize("text", ["not removed, " * 40_000, "`" * 200_000, "a_b, " * 60_000 + "removed", '"' * 100_000])
def test_long_line_takes_no_long_time(text: str) -> None:
    """The time grows with the length and not with its square."""
    start = time.process_time()
    list(find_named_drops(f"## Removed\n\n- {text}"))
    assert time.process_time() - start < 10
