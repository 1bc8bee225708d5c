from __future__ import annotations

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.claims.blocking import ProblemIndex
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff


def handoff(identifier: str, path: str, role: DocumentRole) -> Handoff:
    return Handoff(id=identifier, dialect="mosaic", documents=(Document(path=path, role=role),))


def test_problems_of_documents_and_of_files_missing_beside_the_state() -> None:
    """A state file that is not there belongs to the handoff of its folder."""
    state = handoff("a", ".mosaic/agent_state.json", DocumentRole.STATE)
    other = handoff("b", ".mosaic/other.json", DocumentRole.STATE)
    problems = [
        Problem(path=".mosaic/agent_state.json", message="one"),
        Problem(path=".mosaic/blockers.json", message="is missing"),
        Problem(path=".mosaic/other.json", message="is another's"),
        Problem(path="elsewhere.json", message="two"),
    ]
    index = ProblemIndex(problems, [state, other])
    assert [problem.message for problem in index.of(state)] == ["one", "is missing"]


def test_neighbours_count_only_beside_a_state_below_the_root() -> None:
    """At the root everything would be a neighbour, and notes have none."""
    problems = [Problem(path="x.json", message="one"), Problem(path="docs/x.json", message="two")]
    rooted = handoff("a", ".handoff.json", DocumentRole.STATE)
    note = handoff("b", "docs/HANDOFF.md", DocumentRole.NOTE)
    index = ProblemIndex(problems, [rooted, note])
    assert (index.of(rooted), index.of(note)) == ((), ())
