"""The box that sets a repository up, and the empty queue that leads to it, driven as a newcomer would."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.agents.set_up import FoundKey, NewKey, SetupChoice, SetupFacts
from handoff_tui.config.first_hour import AgentNote, FirstAgent, FoundTests
from handoff_tui.core.classes import replace
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.history.commits import Commit
from handoff_tui.git.signing.key_grade import KeyGrade
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, SetupPart, SetupStage, Trouble
from handoff_tui.status.review_state import ReviewState
from handoff_tui.tui.messages import NewHandoffWanted, SetupConfirmed, SetupLeft, SetupWanted
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_state
from tests.support.screens import get_app, settle

pytestmark = pytest.mark.usefixtures("still_clock")
PAUSE = "handoff_tui.tui.dialogs.box.PAUSE_SECONDS"
READ = Loaded(ReviewState(repository=RepositoryFacts(root="/desk")))
EMPTY = AppState(repositories=(RepositoryPart("/desk", "desk", READ, begun=False),))
NOTE = AgentNote("AGENTS.md", "## Handing over\nSay what you did.\n", "")
TESTS = FoundTests(("make", "test"), "Makefile")
HEAD = Commit("a" * 40, (), "Ada", "ada@example.org", "Ada", "ada@example.org", "2026-03-01", "first lamp", "")
FACTS = SetupFacts(
    Path("/desk"),
    "ada@example.org",
    FoundKey("user.signingkey, ~/.ssh/id_ed25519", KeyGrade.PASSPHRASE, locked=True),
    has_device=False,
    head=HEAD,
    tags=("v0.1",),
    tests=(TESTS,),
    note=NOTE,
    agents=(FirstAgent("claude", ("work",)),),
    has_settings=False,
)


def with_facts(facts: SetupFacts, stage: SetupStage = SetupStage.READY, trouble: Trouble | None = None) -> AppState:
    return replace(EMPTY, setup=SetupPart("/desk", stage, facts, trouble))


def test_banner_leads_to_three_questions_with_usual_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Space changes an answer; what is shown is what ^s asks for."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        assert "Nothing is signed here yet: i sets it up" in await settle(pilot)
        await settle(pilot, "i")
        assert [one.root for one in app.asked if isinstance(one, SetupWanted)] == ["/desk"]
        app.give(with_facts(FACTS))
        shown = await settle(pilot)
        for words in ("asks for its passphrase", "just me", 'up to aaaaaaa "first lamp"', "`make test`", "claude"):
            assert words in shown
        assert 'agents.work.preset = "claude"' in shown
        shown = await settle(pilot, "j", "space", "j", "space")
        assert "a team" in shown
        assert "v0.1 on" in shown
        monkeypatch.setattr(PAUSE, 0.0)
        await settle(pilot, "ctrl+s")
        (asked,) = [one for one in app.asked if isinstance(one, SetupConfirmed)]
        assert asked.needs_terminal
        assert asked.choice == SetupChoice(
            team=True, start="v0.1", tests=TESTS, agent=FACTS.agents[0], note=NOTE, commits=True
        )
        app.give(with_facts(FACTS, SetupStage.DONE))
        assert "Set up desk" not in await settle(pilot)
        assert any(isinstance(one, SetupLeft) for one in app.asked)

    drive(StillApp(EMPTY), script, (100, 40))


def test_key_typed_ahead_signs_nothing_and_trouble_keeps_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure is shown in the box, which can be tried again."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "i")
        monkeypatch.setattr(PAUSE, 3_600.0)
        app.give(with_facts(FACTS._replace(key=None)))
        assert "Too fast" in await settle(pilot, "ctrl+s")
        assert not any(isinstance(one, SetupConfirmed) for one in app.asked)
        assert "open to any program" in await settle(pilot, "space")
        app.give(with_facts(FACTS._replace(key=None), trouble=Trouble("no passphrase was given", "Give one.")))
        shown = await settle(pilot)
        assert "✗ no passphrase was given" in shown
        assert "Give one." in shown
        monkeypatch.setattr(PAUSE, 0.0)
        await settle(pilot, "ctrl+s")
        (asked,) = [one for one in app.asked if isinstance(one, SetupConfirmed)]
        assert (asked.choice.new_key, asked.needs_terminal) == (NewKey.OPEN, False)

    drive(StillApp(EMPTY), script)


def test_log_that_has_begun_leaves_only_the_note() -> None:
    """With the note there as well, nothing is left, and the box says so."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "i")
        app.give(with_facts(FACTS._replace(has_log=True)))
        shown = await settle(pilot)
        assert "AGENTS.md" in shown
        assert "just me" not in shown
        app.give(with_facts(FACTS._replace(has_log=True, note=None)))
        assert "Everything is set up" in await settle(pilot)

    drive(StillApp(EMPTY), script)


def test_empty_queue_says_what_was_looked_for_and_begins_a_handoff() -> None:
    """n asks for the format, then for id and title."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        assert "Looked at every tracked and new file" in await settle(pilot)
        assert "in which format?" in await settle(pilot, "n")
        assert "id and title" in await settle(pilot, "enter")
        await settle(pilot, *"lamp", "space", *"on", "enter")
        wanted = [one for one in app.asked if isinstance(one, NewHandoffWanted)]
        assert wanted == [NewHandoffWanted("/desk", "notes", "lamp", "on")]

    drive(StillApp(EMPTY), script)


def test_decision_without_a_log_names_the_key_that_leads_on() -> None:
    """No command line in a refusal; and a reader of someone else's work sets nothing up."""

    async def script(pilot: Pilot[None]) -> None:
        assert "i sets it up" in await settle(pilot, "a")
        assert "--read-only" in await settle(pilot, "i")

    async def look(pilot: Pilot[None]) -> None:
        assert "nothing is signed here yet; i sets it up" in await settle(pilot, "a")

    drive(StillApp(make_state(begun=False), read_only=True), script)
    drive(StillApp(make_state(begun=False)), look)
