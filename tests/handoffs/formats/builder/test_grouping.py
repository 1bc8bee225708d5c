"""Which files belong to one handoff."""

from __future__ import annotations

from handoff_tui.core.place import ProblemLevel
from handoff_tui.handoffs.formats.builder.grouping import HandoffFiles, group_files
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source, SourceFile


def _group(files: dict[str, str]) -> dict[str, HandoffFiles]:
    groups, _ = group_files(Source.of_text(path, text) for path, text in files.items())
    return {group.id: group for group in groups}


def _paths(group: HandoffFiles, *roles: DocumentRole) -> list[str]:
    return [source.path for source in group.sources(*(roles or tuple(DocumentRole)))]


def test_files_of_one_id_are_one_group() -> None:
    """Whatever layout they lie in; the name of the first file is kept as the original."""
    groups = _group(
        {
            "BUILDER_HANDOFF_7_lamp.md": "# BUILDER HANDOFF 7: Lamp\n",
            "H-7/H-7_RESULTS.md": "# Results: H-7\n",
            "RESULTS_HANDOFF_8.md": "# Results: HANDOFF-8\n",
        }
    )
    assert sorted(groups) == ["H-7", "H-8"]
    assert groups["H-7"].original == "HANDOFF_7"
    assert _paths(groups["H-7"], DocumentRole.SPEC) == ["BUILDER_HANDOFF_7_lamp.md"]
    assert _paths(groups["H-7"], DocumentRole.RESULTS) == ["H-7/H-7_RESULTS.md"]
    assert groups["H-7"].of(DocumentRole.REVIEW) == []


def test_group_knows_the_folders_that_are_its_own() -> None:
    """Each once; a flat file has none."""
    groups = _group(
        {
            "H-7/H-7_RESULTS.md": "# Results: H-7\n",
            "H-7/H-7_BUILDER_HANDOFF.md": "# BUILDER HANDOFF 7\n",
            "BUILDER_HANDOFF_8_lamp.md": "# BUILDER HANDOFF 8\n",
        }
    )
    assert (groups["H-7"].folders, groups["H-8"].folders) == (["H-7"], [])


def test_same_spec_twice_is_one_group() -> None:
    """A copy is no second spec."""
    text = "# BUILDER HANDOFF 7: Lamp\n"
    groups, problems = group_files(
        [Source.of_text("a/BUILDER_HANDOFF_7_lamp.md", text), Source.of_text("b/BUILDER_HANDOFF_7_lamp.md", text)]
    )
    assert ([group.id for group in groups], problems) == (["H-7"], [])


def test_second_spec_is_a_group_of_its_own_and_named() -> None:
    """It takes the name of its file; a problem on its first line names the other."""
    groups, problems = group_files(
        [
            Source.of_text("BUILDER_HANDOFF_7_oil.md", "# BUILDER HANDOFF 7: Oil\n"),
            Source.of_text("BUILDER_HANDOFF_7_lamp.md", "# BUILDER HANDOFF 7: Lamp\n"),
        ]
    )
    assert [group.id for group in groups] == ["H-7", "H-7-oil"]
    [problem] = problems
    assert (problem.path, problem.line, problem.level) == ("BUILDER_HANDOFF_7_oil.md", 1, ProblemLevel.WARNING)
    assert problem.message == "is a second spec for H-7, besides BUILDER_HANDOFF_7_lamp.md; it is shown as H-7-oil"


def test_other_files_go_to_the_nearest_spec() -> None:
    """By the words in the name, then by folder, else to the first."""
    groups = _group(
        {
            "old/BUILDER_HANDOFF_7_lamp.md": "# BUILDER HANDOFF 7: Lamp\n",
            "new/BUILDER_HANDOFF_7_oil.md": "# BUILDER HANDOFF 7: Oil\n",
            "new/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 oil\n",
            "old/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 lamp\n",
            "else/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7\n",
        }
    )
    first, second = groups["H-7"], groups["H-7-lamp"]
    assert _paths(first) == ["new/BUILDER_HANDOFF_7_oil.md", "else/RESULTS_HANDOFF_7.md", "new/RESULTS_HANDOFF_7.md"]
    assert _paths(second) == ["old/BUILDER_HANDOFF_7_lamp.md", "old/RESULTS_HANDOFF_7.md"]


def test_many_specs_of_one_name_have_ids_of_their_own() -> None:
    """A number tells them apart where name and words are the same, however long they are."""
    name = f"BUILDER_HANDOFF_7_{'lamp_' * 40}.md"
    groups, problems = group_files(
        Source.of_text(f"{folder}/{name}", f"# BUILDER HANDOFF 7: {folder}\n") for folder in "abcd"
    )
    assert len({group.id for group in groups}) == 4
    assert len(problems) == 3
    assert all(len(group.id) <= 128 for group in groups)


def test_title_decides_where_the_name_does_not() -> None:
    """`RESULTS.md` says nothing of itself; without a title it goes by its folder."""
    groups = _group({"RESULTS.md": "# Results: HANDOFF-9\n", "lamp/RESULTS.md": "no title\n"})
    assert sorted(groups) == ["H-9", "lamp"]


def test_title_that_names_another_handoff_is_reported() -> None:
    """At the line of the title; the file stays where its name puts it."""
    source = Source.of_text("RESULTS_HANDOFF_7.md", "\n\n# Results: HANDOFF-8\n")
    groups, _ = group_files([source])
    assert [group.id for group in groups] == ["H-7"]
    assert [(problem.line, problem.message) for problem in source.problems()] == [
        (3, "is named for H-7, but its title says H-8")
    ]


def test_unreadable_file_is_grouped_by_its_name() -> None:
    """Nothing of it is looked at."""
    groups, problems = group_files([Source(SourceFile("RESULTS_HANDOFF_7.md", "", readable=False))])
    assert ([group.id for group in groups], problems) == (["H-7"], [])
