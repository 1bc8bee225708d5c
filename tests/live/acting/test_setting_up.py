"""Setting a repository up behind the app: real keys, real git, and every refusal leaves things as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.set_up import NewKey, SetupChoice, SetupFacts
from handoff_tui.config.first_hour import FirstAgent
from handoff_tui.live.state.app import SetupStage
from handoff_tui.tui.messages import NewHandoffWanted
from tests.support.live_desks import Onlooker, looking
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import list_entries, make_person, write_identity


def begin(onlooker: Onlooker) -> SetupFacts:
    state = onlooker.wait_until_live()
    onlooker.desk.setting_up.begin(state.repositories[0].root)
    state = onlooker.wait_for(lambda state: state.setup is not None and state.setup.facts is not None)
    assert state.setup is not None
    assert state.setup.facts is not None
    return state.setup.facts


def test_tests_agent_and_note_are_written_and_the_log_begins(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a commit everything lies in the work tree; a second setup has only what is left."""
    make_person(tmp_path / "homes").become(monkeypatch)
    builder.write("pytest.ini", "[pytest]\n").write("CLAUDE.md", "Be brief.\n").commit("first")
    with looking(builder.folder) as onlooker:
        facts = begin(onlooker)
        assert facts.key is not None
        assert facts.head is not None
        assert (facts.key.grade.is_weak, facts.key.locked, facts.head.subject) == (True, False, "first")
        choice = SetupChoice(tests=facts.tests[0], note=facts.note, agent=FirstAgent("claude", ("work",)))
        onlooker.desk.setting_up.write(choice)
        state = onlooker.wait_for(lambda state: state.setup is not None and state.setup.stage is SetupStage.DONE)
        state = onlooker.wait_for(lambda state: state.repositories[0].begun)
        assert state.repositories[0].reviewer == "ada@example.org"
        settings = (builder.folder / "handoff-tui.toml").read_text()
        assert 'run = ["python3", "-m", "pytest", "-q"]' in settings
        assert '[agents.work]\npreset = "claude"' in settings
        assert (builder.folder / "CLAUDE.md").read_text().startswith("Be brief.\n\n<!-- handoff-tui")
        assert len(list_entries(builder.folder)) == 1
        onlooker.desk.setting_up.leave()
        again = begin(onlooker)
        assert (again.has_log, again.note) == (True, None)


def test_locked_key_is_refused_without_a_terminal_and_nothing_is_written(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The app asks at the terminal instead: the choice says so."""
    make_person(tmp_path / "homes", "ada", "a long one").become(monkeypatch)
    builder.write("a").commit("first")
    with looking(builder.folder) as onlooker:
        facts = begin(onlooker)
        assert SetupChoice().needs_terminal(facts)
        onlooker.desk.setting_up.write(SetupChoice())
        state = onlooker.wait_for(lambda state: state.setup is not None and state.setup.trouble is not None)
        assert state.setup is not None
        assert state.setup.stage is SetupStage.READY
        assert list_entries(builder.folder) == []
        assert not (builder.folder / "handoff-tui.toml").exists()


def test_key_is_made_if_there_is_none(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a key without a passphrase needs no terminal. Before the first commit there is no start line."""
    ada = make_person(tmp_path / "homes")
    ada.become(monkeypatch)
    ada.key.unlink()
    ada.key.with_suffix(".pub").unlink()
    write_identity(ada.home, ada.name, ada.email, None)
    with looking(builder.folder) as onlooker:
        facts = begin(onlooker)
        assert (facts.key, facts.head) == (None, None)
        assert SetupChoice(new_key=NewKey.PASSPHRASE).needs_terminal(facts)
        onlooker.desk.setting_up.write(SetupChoice(new_key=NewKey.OPEN))
        onlooker.wait_for(lambda state: state.repositories[0].reviewer == ada.email)
        assert ada.key.is_file()


def test_handoff_is_begun_once(builder: RepositoryBuilder) -> None:
    """It appears in the queue; the same id again is refused."""
    builder.write("a").commit("first")
    with looking(builder.folder) as onlooker:
        root = onlooker.wait_until_live().repositories[0].root
        wanted = NewHandoffWanted(root, "notes", "lamp", "Switch it on")
        onlooker.desk.setting_up.begin_handoff(wanted)
        state = onlooker.wait_for(lambda state: bool(state.inbox))
        assert state.inbox[0].key.handoff == "notes/docs/handoffs/lamp.md"
        onlooker.desk.setting_up.begin_handoff(wanted)
        onlooker.wait_for(lambda state: state.status is not None and "Not begun" in state.status.text)
