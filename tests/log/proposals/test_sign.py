from __future__ import annotations

import json
from typing import TYPE_CHECKING

from handoff_tui.log.proposals.proposal import parse_proposal, render_proposal
from handoff_tui.log.proposals.sign_and_seal import prepare_signature, sign_proposal
from tests.support.ssh_keys import PASSPHRASE, make_key

if TYPE_CHECKING:
    from tests.support.signed import Circle


def test_signature_is_added_to_the_file(circle: Circle) -> None:
    """The report says who has signed and who has not; the log is as it was."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob), "--root-threshold", "2")
    said = circle.sign(ada, file, "--json")
    assert said.code == 0, said.stderr
    assert (said.json["schema"], said.json["principal"], said.json["added"]) == (
        "handoff-tui/policy-sign/v1",
        "ada@example.org",
        True,
    )
    assert said.json["proposal"]["complete"] is False
    assert parse_proposal(file.read_bytes()).keyids == (said.json["keyid"],)
    assert len(circle.verify().entries) == 1


def test_signing_twice_is_signing_once(circle: Circle) -> None:
    """The file does not change, and nobody is asked again."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    circle.sign(ada, file)
    before = file.read_bytes()
    said = circle.speaking(ada, "policy", "sign", file, "--repo", circle.repository, "--json")
    assert (said.code, said.json["added"]) == (0, False)
    assert file.read_bytes() == before


def test_who_is_in_neither_root_role_cannot_sign(circle: Circle) -> None:
    """A reviewer, an agent, a stranger: exit code 1, and who could is named."""
    ada, bob, claude = circle.person("ada"), circle.person("bob"), circle.person("claude")
    circle.begin(ada)
    lines = ("--add-reviewer", circle.enrol(bob), "--add-agent", circle.enrol(claude))
    circle.change(ada, (ada,), *lines, name="more")
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("codex")), name="next")
    before = file.read_bytes()
    for person in (bob, claude, circle.person("mallory")):
        said = circle.sign(person, file)
        assert said.code == 1
        assert "has no say here" in said.stderr
        assert "Who may sign: ada@example.org" in said.stderr
    assert file.read_bytes() == before


def test_nobody_signs_by_accident(circle: Circle) -> None:
    """No terminal and no digest, or another digest: exit code 4, and the file is as it was."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    before = file.read_bytes()
    words = ("policy", "sign", file, "--repo", circle.repository)
    silent = circle.speaking(ada, *words)
    assert silent.code == 4
    assert "no terminal to ask on" in silent.stderr
    for digest in ("sha256:" + "0" * 64, "y", ""):
        wrong = circle.speaking(ada, *words, "--yes-i-read-it", digest)
        assert wrong.code == 4
        assert "isn't the digest" in wrong.stderr
    assert file.read_bytes() == before


def test_locked_key_does_not_sign(circle: Circle) -> None:
    """Exit code 4 with a hint, and the file is as it was."""
    ada, bob = circle.person("ada"), circle.person("bob", PASSPHRASE)
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob))
    before = file.read_bytes()
    said = circle.sign(bob, file)
    assert said.code == 4
    assert "ssh-add" in said.stderr
    assert file.read_bytes() == before


def test_other_key_of_the_same_person_is_named(circle: Circle) -> None:
    """With --key, by its file; one that has no say is refused."""
    ada = circle.person("ada")
    circle.begin(ada)
    new = make_key(ada.home / ".ssh/new")
    file = circle.propose(ada, "--add-reviewer", circle.enrol(ada, "--key", new))
    assert circle.sign(ada, file, "--key", new, "--json").json["principal"] == "ada@example.org"
    assert circle.sign(ada, file, "--key", make_key(ada.home / ".ssh/other")).code == 1
    assert len(parse_proposal(file.read_bytes()).keyids) == 1


def test_proposal_that_was_changed_is_refused(circle: Circle) -> None:
    """After somebody signed it; and so is one that no policy could be."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    circle.sign(ada, file)
    other = circle.propose(ada, "--add-agent", circle.enrol(circle.person("codex")), name="other")
    value = json.loads(file.read_bytes())
    value["payload"] = json.loads(other.read_bytes())["payload"]
    file.write_text(json.dumps(value))
    said = circle.sign(ada, file)
    assert said.code == 2
    assert "changed after it was signed" in said.stderr


def test_signatures_that_others_add_meanwhile_stay(circle: Circle) -> None:
    """What is written is put together with what the file holds by then."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob), "--root-threshold", "2")
    prepared = prepare_signature(circle.repository, file, ada.key)
    circle.sign(bob, file)
    report = sign_proposal(prepared)
    assert report.proposal.complete
    content = file.read_bytes()
    assert render_proposal(parse_proposal(content)) == content
    assert len(parse_proposal(content).keyids) == 2
