from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import RepositoryBuilder
from tests.support.signed import list_entries, make_log, make_person, write_identity
from tests.support.ssh_keys import PASSPHRASE, make_key
from tests.support.terminal import type_at

if TYPE_CHECKING:
    from tests.support.signed import Circle


def test_init_in_a_process_of_its_own(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """Without a terminal; a second time exit code 1, nothing on stdout, and what is there on stderr."""
    ada = make_person(tmp_path)
    genesis = make_log(builder.folder, ada)
    assert list_entries(builder.folder) == [genesis]
    again = ada.say("init", "--repo", builder.folder)
    assert (again.code, again.stdout) == (1, "")
    assert genesis in again.stderr


def test_init_prints_the_pin_and_what_to_commit(circle: Circle) -> None:
    """In words that can be pasted."""
    said = circle.speaking(circle.person("ada"), "init", "--repo", circle.repository)
    (genesis,) = list_entries(circle.repository)
    assert said.code == 0
    assert f"git config --global handoff-tui.repository.pin {genesis}" in said.stdout
    assert "git add .handoff-tui handoff-tui.toml" in said.stdout


def test_locked_key_is_exit_code_four(circle: Circle) -> None:
    """With a hint, and nothing is begun."""
    said = circle.speaking(circle.person("ada", PASSPHRASE), "init", "--repo", circle.repository)
    assert said.code == 4
    assert "hint: Give it to the agent first" in said.stderr
    assert list_entries(circle.repository) == []


@pytest.mark.parametrize("words", ["claude", "=file", "claude="])
def test_agent_is_a_name_and_a_file(circle: Circle, words: str) -> None:
    """Anything else is a usage error."""
    said = circle.speaking(circle.person("ada"), "init", "--repo", circle.repository, "--agent", words)
    assert said.code == 2
    assert "NAME=KEYFILE" in said.stderr


def test_options_that_do_not_fit_are_told(circle: Circle) -> None:
    """--no-passphrase is about a new key only."""
    said = circle.speaking(circle.person("ada"), "init", "--repo", circle.repository, "--no-passphrase")
    assert said.code == 2


def test_agent_and_pin_are_taken_from_the_call(circle: Circle) -> None:
    """The report says so."""
    ada = circle.person("ada")
    key = make_key(circle.folder / "claude")
    words = ("--agent", f"claude@agents.example={key}.pub", "--pin", "--json")
    said = circle.speaking(ada, "init", "--repo", circle.repository, *words)
    assert (said.json["schema"], said.json["pinned"]) == ("handoff-tui/init/v1", True)
    assert circle.show(ada).json["policy"]["agents"] == ["claude@agents.example"]
    assert circle.show(ada).json["pinned"]


def test_new_key_is_protected_at_the_terminal(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """ssh-keygen asks for the passphrase twice, then once more to sign; an empty one gives no key and no log."""
    ada = make_person(tmp_path)
    for file in ada.key.parent.iterdir():
        file.unlink()
    write_identity(ada.home, ada.name, ada.email, None)
    words = ("init", "--repo", builder.folder, "--generate-key")
    code, shown = type_at(words, {"Enter passphrase": "", "Enter same passphrase again": ""}, ada.environment)
    assert code == 4
    assert "thrown away" in shown
    assert list(ada.key.parent.iterdir()) == []
    answers = {"Enter passphrase": PASSPHRASE, "Enter same passphrase again": PASSPHRASE}
    code, shown = type_at(words, answers, ada.environment)
    assert code == 0, shown
    assert len(list_entries(builder.folder)) == 1
    assert ada.say("init", "--repo", builder.folder).code == 1


def test_two_at_once_begin_one_log(tmp_path: Path, builder: RepositoryBuilder) -> None:
    """Whoever comes second is told that there is one, and adds nothing."""
    ada, bob = make_person(tmp_path, "ada"), make_person(tmp_path, "bob")
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda person: person.say("init", "--repo", builder.folder), (ada, bob)))
    assert sorted(one.code for one in said) == [0, 1]
    assert len(list_entries(builder.folder)) == 1
