"""What a session must not start without, before and after it is committed."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rules.mosaic.session_start import mandatory_documents_present
from tests.support.command_line import say
from tests.support.format_states import build_agent_state, build_blocker, build_state
from tests.support.repositories import RepositoryBuilder
from tests.support.world import MemoryWorld, find_subjects

BRIEFING = ".mosaic/MANDATORY_AGENT_BRIEFING.md"
RULES = ("briefing-acknowledged", "critical-blockers-closed", "mandatory-documents-present")
OPEN = {"version": 1, "blockers": [build_blocker(severity="critical", status="open", resolution=None)]}


def list_blocking(builder: RepositoryBuilder) -> set[str]:
    """Which of the rules block the check of everything."""
    said = say("check", "--json", "--repo", builder.folder)
    assert said.code in {0, 1}, said.stderr
    results = json.loads(said.stdout)["results"]
    return {one["id"] for one in results if one["id"] in RULES and one["outcome"] == "fail" and one["blocking"]}


def test_session_does_not_start_without_its_briefing_or_with_a_critical_blocker(builder: RepositoryBuilder) -> None:
    """Each blocks at once, and still does once it is committed."""
    builder.write(BRIEFING, "# Read this first\n")
    for path, content in build_state().items():
        builder.write(path, content)
    builder.write("src/a.py").commit("state")
    assert list_blocking(builder) == set()
    for rule, wrong in (
        ("briefing-acknowledged", build_state(agent_state=build_agent_state(briefing_acknowledgment=...))),
        ("critical-blockers-closed", build_state(blockers=OPEN)),
        ("mandatory-documents-present", {}),
    ):
        before = builder.head()
        for path, content in wrong.items():
            builder.write(path, content)
        if not wrong:
            builder.place(BRIEFING).unlink()
        assert list_blocking(builder) == {rule}
        builder.commit("as it is")
        assert list_blocking(builder) == {rule}
        builder.step("reset", "--hard", "-q", before)


def test_briefing_that_came_after_the_state_is_missed_too(builder: RepositoryBuilder) -> None:
    """Also where nothing tells which work came before: as if it had never been there."""
    for path, content in build_state().items():
        builder.write(path, content)
    builder.write("src/a.py").commit("state")
    builder.write("MANDATORY_BRIEFING.md", "# Read this first\n").commit("briefing")
    builder.place("MANDATORY_BRIEFING.md").unlink()
    assert "mandatory-documents-present" in list_blocking(builder)
    builder.commit("without it")
    assert "mandatory-documents-present" in list_blocking(builder)


@pytest.mark.parametrize(
    ("files", "deleted", "missing"),
    [
        ({".mosaic/enforcement/session-gate.sh": "# see OLD.md\ntest -r docs/how.md\n"}, (), ["docs/how.md"]),
        ({".mosaic/enforcement/session-gate.sh": "test -r docs/how.md\n", "docs/how.md": "x"}, (), []),
        ({}, ("docs/BRIEFING.md",), ["docs/BRIEFING.md"]),
        ({"docs/AGENT_BRIEFING.md": "x"}, ("docs/BRIEFING.md",), []),
        ({}, ("docs/archive/BRIEFING.md", "src/briefing.py"), []),
        ({"AGENTS.md": "Start with docs/ML_BRIEFING.md.", "docs/OTHER_BRIEFING.md": "x"}, (), ["docs/ML_BRIEFING.md"]),
        ({"CLAUDE.md": "MANDATORY: read docs/rules.md\nSee docs/more.md."}, (), ["docs/rules.md"]),
        ({"CLAUDE.md": "Read docs/rules.md first.", "docs/rules.md": " \n"}, (), ["docs/rules.md"]),
        ({"SESSION_BRIEFING.md": "x"}, ("MANDATORY_BRIEFING.md",), ["MANDATORY_BRIEFING.md"]),
    ],
    ids=["asked-for", "there", "deleted", "renamed", "filed-away", "prompt", "must-read", "empty", "mandatory"],
)
def test_documents_to_read_must_be_there(files: dict[str, str], deleted: tuple[str, ...], missing: list[str]) -> None:
    """Those that the gate names in its code, and a briefing that nothing replaced."""
    world = MemoryWorld(files={**build_state(), **files}, deleted=deleted)
    assert find_subjects(mandatory_documents_present, world) == missing
