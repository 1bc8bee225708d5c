"""The scopes of a real repository: what names a handoff in its commits, and edits that are nobody's work."""

from __future__ import annotations

import pytest

from handoff_tui.config.first_hour import FirstAgent, FoundTests, build_first_file, plan_agent_note
from handoff_tui.config.load import read_first_file
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.find import find_scopes
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff: {0}\n\nStatus: COMPLETE\n\n## What was done\n- It works.\n"
LAMP, DIAL = "notes/work/lamp/HANDOFF.md", "notes/work/dial/HANDOFF.md"
NAME = "handoff-tui.toml"
SETTING = "[limits]\ncommits = 100\n"
SCOPE = '[scopes."H-3"]\npaths = ["a.py"]\n'
TESTS = FoundTests(("python3", "-m", "pytest", "-q"), "pytest.ini")
AGENT = FirstAgent("claude", ("claude",))
POLICY = ".handoff-tui/trust/policy.toml"


@pytest.mark.parametrize(
    ("message", "owners"),
    [
        (f"fix\n\nHandoff: {LAMP}", {LAMP}),
        ("fix\n\nHandoff: work/lamp/HANDOFF.md", {LAMP}),
        (f"fix\n\nhandoff-id: {LAMP}, {DIAL}", {LAMP, DIAL}),
        ("fix\n\nTask: lamp", {DIAL}),
        (f"fix, see {LAMP} and Handoff: {LAMP}", {DIAL}),
    ],
    ids=["id", "document", "several", "other-trailer", "subject"],
)
def test_trailer_names_a_handoff_whatever_its_id_looks_like(
    builder: RepositoryBuilder, message: str, owners: set[str]
) -> None:
    """An id without a number may be a word of any sentence, but not of a trailer. The next report gets the rest."""
    builder.write("README.md").commit("before")
    builder.write("work/lamp/HANDOFF.md", NOTE.format("lamp")).commit("report")
    builder.write("mended.py", "1\n").commit(message)
    builder.write("work/dial/HANDOFF.md", NOTE.format("dial")).commit("another report")
    desk = open_session(builder.folder)
    scopes = find_scopes(desk, read_repository(desk).result.handoffs).scopes
    assert {name for name, scope in scopes.by_handoff.items() if "mended.py" in scope.results} == owners


def find(builder: RepositoryBuilder) -> Scopes:
    return find_scopes(open_session(builder.folder), ()).scopes


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("README.md").commit("before")


@pytest.mark.parametrize("committed", [True, False])
def test_first_file_is_no_change(work: RepositoryBuilder, *, committed: bool) -> None:
    """Committed or not: who follows what `init` prints has made nothing that needs an approval."""
    work.write(NAME, read_first_file())
    if committed:
        work.commit("begin")
    assert (find(work).unclaimed_paths, find(work).changed) == ((), frozenset())


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize("content", [SETTING, read_first_file() + SETTING])
def test_setting_is_a_change(work: RepositoryBuilder, content: str, *, committed: bool) -> None:
    """Also one behind a comment."""
    work.write(NAME, content)
    if committed:
        work.commit("settings")
    assert NAME in find(work).unclaimed_paths


def test_setting_that_is_taken_away_is_a_change(work: RepositoryBuilder) -> None:
    """From something to comments, and from something to nothing."""
    work.write(NAME, SETTING).commit("settings").write(NAME, read_first_file()).commit("none")
    assert len(find(work).unclaimed) == 2
    work.step("rm", "--quiet", NAME).commit("gone")
    assert len(find(work).unclaimed) == 2


def test_scope_is_no_change(work: RepositoryBuilder) -> None:
    """Whoever corrects a scope has not made new work; a setting beside it counts."""
    work.write(NAME, SETTING).commit("settings")
    work.write(NAME, SETTING + SCOPE).commit("a scope")
    assert len(find(work).unclaimed) == 1
    work.write(NAME, SETTING.replace("100", "101") + SCOPE)
    assert len(find(work).unclaimed) == 2


def test_link_in_its_place_is_a_change(work: RepositoryBuilder) -> None:
    """Whatever its target is called."""
    work.write("# elsewhere", read_first_file()).commit("comments").link(NAME, "# elsewhere").commit("link")
    assert NAME in find(work).unclaimed_paths


def write_first(builder: RepositoryBuilder, settings: str) -> None:
    """What `init` leaves, agreed to every question."""
    builder.write("AGENTS.md", "Be kind.\n").commit("rules")
    note = plan_agent_note(builder.folder)
    assert note is not None
    builder.write(POLICY, "version = 1\n").write(NAME, settings).write("AGENTS.md", note.before + note.added)


@pytest.mark.parametrize("committed", [True, False])
def test_what_init_wrote_is_nobodys_work(work: RepositoryBuilder, *, committed: bool) -> None:
    """The tests as a check, an agent, and the note: in the commit that begins the log, or before it."""
    write_first(work, build_first_file(TESTS, AGENT))
    if committed:
        work.commit("Begin the handoff log")
    assert len(find(work).unclaimed) == 1, "only the rules that somebody committed before"
    work.write("AGENTS.md", work.place("AGENTS.md").read_text() + "Push at once.\n")
    assert "AGENTS.md" in find(work).unclaimed_paths


def test_other_settings_beside_the_first_log_are_work(work: RepositoryBuilder) -> None:
    """A weaker severity, a limit, or the same settings in a later commit: somebody must look."""
    write_first(work, build_first_file(TESTS).replace("critical", "low"))
    assert NAME in find(work).unclaimed_paths
    work.write(NAME, build_first_file(TESTS) + SETTING)
    assert NAME in find(work).unclaimed_paths
    work.place(NAME).unlink()
    work.commit("Begin the handoff log").write(NAME, build_first_file(TESTS)).commit("later")
    assert NAME in find(work).unclaimed_paths
