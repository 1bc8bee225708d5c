from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

from handoff_tui.core.model import SCHEMA_VERSION
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_desk, open_desk_to_look
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.refresh import HandoffReviewer, open_log_gates, refresh
from handoff_tui.status.review_state import ClaimCounts, Reviewer, ReviewState, ShownHandoff
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.reviewed import ROOT, build_reviewed, build_state
from tests.support.signed import make_log, make_person

NOTE = "# Handoff\n\n**Status**: done\n\n## Files created\n\n- `a.py`\n- `b.py`\n\n## Next steps\n\n- go\n"
ID = "notes/HANDOFF.md"


def refreshed(folder: Path) -> ReviewState:
    return refresh(open_desk(folder))


def test_refresh_reads_every_handoff_with_its_claims_counted(builder: RepositoryBuilder) -> None:
    """One file of the two that are claimed is there; what could not be measured is counted apart."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit()
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.handoff.id == ID
    assert (reviewed.claims.holds, reviewed.claims.contradicted) == (1, 1)
    assert sum(reviewed.claims.model_dump().values()) == len(reviewed.handoff.claims)
    assert any("b.py" in reason for reason in reviewed.gate.blocking)


def test_refresh_without_claims_counts_none(builder: RepositoryBuilder) -> None:
    """Nothing said, nothing measured."""
    builder.write("HANDOFF.md", "# Handoff\n\n## Summary\n\nx\n\n## Next steps\n\n- go\n")
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.claims == ClaimCounts()


def test_refresh_sees_what_changed_since(builder: RepositoryBuilder) -> None:
    """A new desk, a new state; the same desk, the same state, whatever its generation."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit()
    desk = open_desk(builder.folder)
    first = refresh(desk, generation=1)
    assert refresh(desk, generation=2) == first.model_copy(update={"generation": 2})
    builder.write("b.py")
    [reviewed] = refreshed(builder.folder).handoffs
    assert (reviewed.claims.holds, reviewed.claims.contradicted) == (2, 0)


def test_refresh_tells_of_the_repository(builder: RepositoryBuilder) -> None:
    """Facts of git, candidates nobody understood, problems of files."""
    builder.write("a.py").commit().write("a.py", "changed\n").write("handoff.yaml", "kind: other\n")
    builder.write(".mosaic/agent_state.json", "{")
    state = refreshed(builder.folder)
    assert (state.repository.head, state.repository.changed) == (builder.head(), ("a.py",))
    assert state.unknown == ("handoff.yaml",)
    assert ".mosaic/agent_state.json" in {problem.path for problem in state.problems}


def test_gate_is_pending_whatever_lies_in_the_place_of_the_log(builder: RepositoryBuilder) -> None:
    """Garbage there decides nothing, and closes nothing."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    assert refreshed(builder.folder).handoffs[0].gate.state is GateName.PENDING
    builder.write(".handoff-tui/log/entry")
    assert refreshed(builder.folder).handoffs[0].gate.state is GateName.PENDING


def test_gate_is_blocked_where_the_log_is_broken(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A log that this clone has seen, and that was deleted, closes every gate."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    make_log(builder.folder, make_person(tmp_path / "people"))
    shutil.rmtree(builder.folder / ".handoff-tui")
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.gate.state is GateName.BLOCKED
    assert "not intact" in reviewed.gate.blocking[0]


def test_settings_that_cannot_be_used_close_every_gate_and_hide_nothing(builder: RepositoryBuilder) -> None:
    """Each handoff is listed; the problem names its line, and a person owes its repair."""
    builder.write("HANDOFF.md", NOTE).write("a.py").write("b.py").commit()
    builder.write("handoff-tui.toml", "[limits]\ncommits = 7\ncomits = 8\n")
    state = refresh(open_desk_to_look(builder.folder))
    [reviewed] = state.handoffs
    assert reviewed.gate.state is GateName.BLOCKED
    assert reviewed.gate.blocking[0].startswith("its settings can't be used: handoff-tui.toml:3: ")
    assert (reviewed.gate.next_move.who, reviewed.gate.next_move.what) == (Mover.HUMAN, "fix handoff-tui.toml")
    assert (state.problems[0].path, state.problems[0].line) == ("handoff-tui.toml", 3)


def test_unreadable_document_blocks_its_handoff(builder: RepositoryBuilder) -> None:
    """Nobody can approve what nobody can read."""
    builder.write("RESULTS_HANDOFF_7.md", b"\x00\x01\x02" * 100)
    [reviewed] = refreshed(builder.folder).handoffs
    assert reviewed.handoff.id == "H-7"
    assert any("binary" in reason for reason in reviewed.gate.blocking)


@pytest.mark.parametrize(("files", "told"), [(3, 3), (25, 21)])
def test_changes_that_git_was_told_to_hide_come_first(builder: RepositoryBuilder, files: int, told: int) -> None:
    """Each by its path; of very many the rest is counted."""
    names = [f"file-{number:02}.txt" for number in range(files)]
    for name in names:
        builder.write(name)
    builder.commit()
    builder.git("update-index", "--assume-unchanged", *names)
    problems = refreshed(builder.folder).problems
    assert len(problems) == told
    assert problems[0].path == "file-00.txt"
    assert all("told not to look" in problem.message for problem in problems)
    assert ("5 more files" in problems[-1].message) is (files == 25)


def test_refresh_writes_nothing(builder: RepositoryBuilder) -> None:
    """Looking leaves every byte and time stamp as it was."""
    builder.write("HANDOFF.md", NOTE).write("a.py").commit().write("b.py")
    before = read_fingerprint(builder.folder)
    refreshed(builder.folder)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_bench_asks_the_log_again_only_about_what_is_new(gate_desk: GateDesk) -> None:
    """A handoff that is as it was keeps what the log said of it."""
    gate_desk.begin(gate_desk.person("bob"))
    desk = open_desk(gate_desk.root)
    result, gates = read_repository(desk).result, open_log_gates(desk)
    first = HandoffReviewer(result, gates)
    gate_desk.builder.write("more/HANDOFF.md", "# Handoff: more\n\nStatus: COMPLETE\n\n## What was done\n- more\n")
    desk = open_desk(gate_desk.root)
    second = HandoffReviewer(read_repository(desk).result, gates, first)
    (known,) = result.handoffs
    assert first.holds(known)
    assert second.reports[known.id] is first.reports[known.id]
    assert len(second.reports) == 2


def test_state_carries_the_version_of_its_schema() -> None:
    """So that a stored one can be told from an older one."""
    assert build_state().schema_version == SCHEMA_VERSION


def test_state_of_equal_content_is_equal() -> None:
    """A front end can see that nothing changed."""
    assert build_state(build_reviewed()) == build_state(build_reviewed())
    assert build_state(build_reviewed()) != build_state()


def test_state_survives_a_trip_through_json() -> None:
    """Written out and read back it is the same value."""
    state = build_state(build_reviewed(blocking=("no results yet",)))
    assert ReviewState.model_validate_json(state.model_dump_json()) == state


def test_facts_that_git_did_not_give_are_absent() -> None:
    """No head, no branch and no distance are not zero or empty text."""
    facts = RepositoryFacts(root=ROOT)
    assert (facts.head, facts.branch, facts.upstream, facts.ahead, facts.behind) == (None,) * 5


def test_claims_are_counted_from_nothing() -> None:
    """A handoff without claims has none of any kind."""
    assert build_reviewed().claims == ClaimCounts(holds=0, contradicted=0, unverified=0)


def test_shown_handoff_needs_only_the_handoff() -> None:
    """Nobody is known to look, nothing was measured, no commit touched it."""
    shown = ShownHandoff(reviewed=build_reviewed())
    assert (shown.reviewer, shown.verdicts, shown.history, shown.problems) == (None, (), (), ())


def test_reviewer_without_a_judgement_is_refused() -> None:
    """Whether the reviewer produced the work is always said."""
    with pytest.raises(ValidationError, match="produced_this"):
        Reviewer.model_validate({"name": "Ada", "email": None})
