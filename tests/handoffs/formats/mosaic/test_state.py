from __future__ import annotations

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.state import build_live_handoff, find_missing, is_live
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source, SourceFile


def _source(path: str, text: str) -> Source:
    return Source.of_text(f".mosaic/{path}", text)


def test_latest_document_that_equals_a_session_document_says_nothing_twice() -> None:
    """A link and its target are two documents, but their claims count once."""
    text = "# Session handoff\n\nCommit `aaa1111`\n"
    names = ("LATEST_HANDOFF.md", "SESSION_HANDOFF_1.md")
    handoff = build_live_handoff(".mosaic", {name: _source(name, text) for name in names}, "mosaic").build()
    assert [document.path for document in handoff.documents] == [
        ".mosaic/SESSION_HANDOFF_1.md",
        ".mosaic/LATEST_HANDOFF.md",
    ]
    assert len([claim for claim in handoff.claims if claim.kind is ClaimKind.COMMIT]) == 1
    assert [(fact.name, fact.value) for fact in handoff.facts] == [
        ("latest session document", ".mosaic/SESSION_HANDOFF_1.md")
    ]


def test_dangling_latest_document_is_listed_without_a_hash() -> None:
    """A link to nothing is a document of the live handoff; its own problem says why."""
    problem = Problem(path=".mosaic/LATEST_HANDOFF.md", message="is a link to nothing")
    source = Source(SourceFile(".mosaic/LATEST_HANDOFF.md", "", readable=False, problems=[problem]))
    handoff = build_live_handoff(".mosaic", {"LATEST_HANDOFF.md": source}, "mosaic").build()
    assert [(document.path, document.sha256) for document in handoff.documents] == [(".mosaic/LATEST_HANDOFF.md", None)]
    assert source.problems() == [problem]


def test_other_files_of_the_state_are_listed_and_broken_ones_named() -> None:
    """Further JSON is a document; what cannot be parsed is said."""
    sources = {
        "agent_state.json": _source("agent_state.json", '{"last_agent": "robin"}'),
        "schemas/a.json": _source("schemas/a.json", "{}"),
        "schemas/b.json": _source("schemas/b.json", "{"),
        "thoughts.md": _source("thoughts.md", "# Recipes"),
    }
    handoff = build_live_handoff(".mosaic", sources, "mosaic").build()
    assert [(document.path, document.role) for document in handoff.documents] == [
        (".mosaic/agent_state.json", DocumentRole.STATE),
        (".mosaic/schemas/a.json", DocumentRole.OTHER),
        (".mosaic/schemas/b.json", DocumentRole.OTHER),
        (".mosaic/thoughts.md", DocumentRole.NOTE),
    ]
    assert [fact.value for fact in handoff.facts] == [".mosaic/schemas/b.json"]
    assert len(sources["schemas/b.json"].problems()) == 1


def test_missing_state_files_are_named() -> None:
    """Each required file that is absent, or is something else, is a problem of the whole."""
    sources = {"agent_state.json": _source("agent_state.json", '{"last_agent": "robin"}')}
    paths = (".mosaic/agent_state.json", ".mosaic/blockers.json")
    problems = find_missing(".mosaic", sources, paths)
    assert [(problem.path, problem.message, problem.level) for problem in problems] == [
        (".mosaic/blockers.json", "does not hold what a state file of this name holds", ProblemLevel.ERROR),
        (".mosaic/current_task.json", "is missing", ProblemLevel.ERROR),
    ]


def test_folder_without_state_is_not_live() -> None:
    """Other files alone make no handoff, and their lack of a state is only a warning."""
    sources = {"palette.json": _source("palette.json", "{}")}
    assert not is_live(sources)
    assert {problem.level for problem in find_missing(".mosaic", sources, ())} == {ProblemLevel.WARNING}
