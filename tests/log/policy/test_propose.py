from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handoff_tui.log.policy.proposal import parse_proposal
from tests.support.hostile import write_executable

if TYPE_CHECKING:
    from tests.support.signed import Circle, Person


@pytest.fixture
def ada(circle: Circle) -> Person:
    person = circle.person("ada")
    circle.begin(person)
    return person


def read_texts(file: Path) -> tuple[str, str]:
    text = parse_proposal(file.read_bytes()).text
    return text.allowed_signers, text.policy_toml


def test_proposal_says_what_it_changes_and_who_signs(circle: Circle, ada: Person) -> None:
    """The shape that scripts are promised."""
    line = circle.enrol(circle.person("bob"))
    file = circle.folder / "p.json"
    said = circle.speaking(
        ada, "policy", "propose", "--repo", circle.repository, "--add-root", line, "--output", file, "--json"
    )
    value = said.json
    assert value["schema"] == "handoff-tui/policy-propose/v1"
    assert (value["version"], value["actor"], value["stale"], value["complete"]) == (2, ada.email, None, False)
    assert value["changes"][:2] == [
        "bob@example.org may decide from now on",
        "bob@example.org may change the policy from now on",
    ]
    assert [(one["whose"], one["threshold"], one["waiting"]) for one in value["tallies"]] == [
        ("the policy in force", 1, ["ada@example.org"]),
        ("the new policy", 1, ["ada@example.org", "bob@example.org"]),
    ]
    assert value["digest"] == parse_proposal(file.read_bytes()).digest
    assert value["previous"] == value["log"] == value["parents"][0]


def test_file_is_written_beside_and_never_over_another(
    circle: Circle, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default here, under the number of the policy; one that is there may hold signatures."""
    monkeypatch.chdir(circle.folder)
    words = ("policy", "propose", "--repo", circle.repository, "--add-agent", circle.enrol(circle.person("claude")))
    assert circle.speaking(ada, *words).code == 0
    before = (circle.folder / "policy-2.proposal.json").read_bytes()
    again = circle.speaking(ada, *words)
    assert again.code == 1
    assert "may hold signatures" in again.stderr
    assert (circle.folder / "policy-2.proposal.json").read_bytes() == before
    inside = circle.speaking(ada, *words, "--output", circle.repository / ".handoff-tui/p.json")
    assert (inside.code, (circle.repository / ".handoff-tui/p.json").exists()) == (2, False)


def test_texts_are_taken_from_files(circle: Circle, ada: Person) -> None:
    """A folder, such as the copies after somebody edited them, or single files by their kind."""
    trust = circle.repository / ".handoff-tui/trust"
    edited = (trust / "policy.toml").read_text() + "[gates.release]\nthreshold = 1\nmax_age_days = 3\n"
    (trust / "policy.toml").write_text(edited)
    file = circle.propose(ada, "--from", trust, name="folder")
    assert read_texts(file)[1] == edited.replace("version = 1", "version = 2")
    (circle.folder / "mine.toml").write_text(edited)
    assert read_texts(circle.propose(ada, "--from", circle.folder / "mine.toml", name="file"))[1] == read_texts(file)[1]
    signers = (trust / "allowed_signers").read_text() + circle.enrol(circle.person("bob")) + "\n"
    (circle.folder / "signers").write_text(signers)
    assert read_texts(circle.propose(ada, "--from", circle.folder / "signers", name="signers"))[0] == signers


def test_texts_are_edited_by_a_person(circle: Circle, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """In their own editor, at a terminal; without one exit code 4."""
    words = ("policy", "propose", "--repo", circle.repository, "--edit", "--output", circle.folder / "edited.json")
    assert circle.speaking(ada, *words).code == 4
    editor = write_executable(circle.folder / "editor", 'sed -i "s/# max_age_days = 14/max_age_days = 7/" "$2"')
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.setattr("handoff_tui.system.processes.editor.has_terminal", lambda: True)
    said = circle.speaking(ada, *words, "--json")
    assert said.json["changes"] == ["gate *: one person decides, no more than 7 days ago (before: one person decides)"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('principals = ["ada@example.org"]', 'principals = ["nobody"]', "roles.root asks for 1 signatures, and 0"),
        ("own\nthreshold = 1", "own\nthreshold = 2", "could never open"),
        ("principals = []", 'principals = ["ada@example.org"]', "agents may never decide"),
    ],
)
def test_policy_that_nobody_could_live_with_is_refused(
    circle: Circle, ada: Person, old: str, new: str, words: str
) -> None:
    """It locks everybody out, closes a gate for ever, or makes an agent a reviewer; nothing is written."""
    text = (circle.repository / ".handoff-tui/trust/policy.toml").read_text()
    assert old in text
    (circle.folder / "policy.toml").write_text(text.replace(old, new, 1))
    file = circle.folder / "p.json"
    said = circle.speaking(
        ada, "policy", "propose", "--repo", circle.repository, "--from", circle.folder, "--output", file
    )
    assert said.code in {1, 2}
    assert words in said.stderr
    assert not file.exists()


def test_agent_is_not_made_a_person(circle: Circle, ada: Person) -> None:
    """Neither under its name nor by its key under another."""
    claude = circle.person("claude")
    circle.change(ada, (ada,), "--add-agent", circle.enrol(claude), name="agent")
    trust = circle.repository / ".handoff-tui/trust"
    text = (trust / "policy.toml").read_text()
    text = text.replace(f'["{claude.email}"]', "[]").replace(f'["{ada.email}"]', f'["{ada.email}", "{claude.email}"]')
    (circle.folder / "policy.toml").write_text(text)
    said = circle.speaking(ada, "policy", "propose", "--repo", circle.repository, "--from", circle.folder)
    assert said.code == 1
    assert "claude@example.org was an agent, and would be a person" in said.stderr
    line = (trust / "allowed_signers").read_text().replace(claude.email, ada.email)
    (circle.folder / "policy.toml").unlink()
    (circle.folder / "allowed_signers").write_text(line)
    said = circle.speaking(ada, "policy", "propose", "--repo", circle.repository, "--from", circle.folder)
    assert said.code == 1
    assert "of the agent claude@example.org would be ada@example.org's" in said.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 2, "nothing to propose"),
        (("--from", "."), 2, "neither allowed_signers nor policy.toml"),
        (("--from", "gone"), 2, "is not there"),
        (("--drop-key", "SHA256:unknown"), 2, "names 0 keys"),
        (("--add-reviewer", "bob"), 2, "line 1"),
        (("--root-threshold", "1"), 1, "there is nothing to propose"),
        (("--root-threshold", "2"), 2, "could never be changed again"),
        (("--keep", "sha256:" + "0" * 64), 2, "names 0 policies in force"),
    ],
)
def test_request_that_makes_no_sense_is_told(
    circle: Circle, ada: Person, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], code: int, words: str
) -> None:
    """With words that say what is wrong; nothing is written."""
    folder = circle.folder / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    said = circle.speaking(ada, "policy", "propose", "--repo", circle.repository, *options)
    assert said.code == code
    assert words in said.stderr + json.dumps(said.stdout)
    assert os.listdir(folder) == []  # noqa: PTH208 - names alone


def test_other_wording_is_a_change_too(circle: Circle, ada: Person) -> None:
    """What people read is signed with the rest."""
    text = (circle.repository / ".handoff-tui/trust/policy.toml").read_text()
    (circle.folder / "policy.toml").write_text("# other words\n" + text)
    words = ("--from", circle.folder, "--output", circle.folder / "p.json", "--json")
    said = circle.speaking(ada, "policy", "propose", "--repo", circle.repository, *words)
    assert said.json["changes"] == ["only the wording of the files changes"]


def test_without_a_log_nothing_is_proposed(circle: Circle) -> None:
    """Exit code 1, and what to do."""
    ada = circle.person("ada")
    said = circle.speaking(ada, "policy", "propose", "--repo", circle.repository, "--edit")
    assert said.code == 1
    assert "handoff-tui init" in said.stderr
