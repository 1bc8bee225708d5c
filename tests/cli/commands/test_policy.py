from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.log.proposals.proposal import parse_proposal
from tests.support.ssh_keys import PASSPHRASE
from tests.support.terminal import type_at

if TYPE_CHECKING:
    from tests.support.signed import Circle

QUESTION = "anything else leaves it:"


def test_person_signs_at_the_terminal(circle: Circle) -> None:
    """Everything is shown, the beginning of the digest is typed; then ssh-keygen asks for the key's passphrase."""
    ada, bob = circle.person("ada"), circle.person("bob", PASSPHRASE)
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob))
    digest = parse_proposal(file.read_bytes()).digest
    answers = {QUESTION: digest.removeprefix("sha256:")[:8], "Enter passphrase": PASSPHRASE}
    code, shown = type_at(("policy", "sign", file, "--repo", circle.repository), answers, bob.environment)
    assert code == 0, shown
    assert digest in shown
    assert "principals = [" in shown
    assert len(parse_proposal(file.read_bytes()).keyids) == 1


def test_any_other_word_at_the_terminal_signs_nothing(circle: Circle) -> None:
    """Exit code 4, and the file is as it was."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    before = file.read_bytes()
    code, shown = type_at(("policy", "sign", file, "--repo", circle.repository), {QUESTION: "yes"}, ada.environment)
    assert code == 4
    assert "not confirmed" in shown
    assert file.read_bytes() == before


def test_every_verb_has_a_page(circle: Circle) -> None:
    """Without --json: what a person reads, from the proposal to the policy in force."""
    ada = circle.person("ada")
    circle.begin(ada)
    line = circle.enrol(circle.person("claude"))
    file, repository = circle.folder / "p.json", ("--repo", circle.repository)
    proposed = circle.speaking(ada, "policy", "propose", "--add-agent", line, "--output", file, *repository)
    assert f"handoff-tui policy sign {file}" in proposed.stdout.replace("\n", "")
    unsealed = circle.speaking(ada, "policy", "seal", file, *repository)
    assert (unsealed.code, "was not sealed" in unsealed.stdout) == (1, True)
    assert "ada@example.org signed" in circle.sign(ada, file).stdout
    assert "policy 2 is in force" in circle.speaking(ada, "policy", "seal", file, *repository).stdout
    assert "written: .handoff-tui/trust/policy.toml" in circle.speaking(ada, "policy", "restore", *repository).stdout
    shown = circle.speaking(ada, "policy", "show", *repository)
    assert (shown.code, "claude@example.org may hand over work" in shown.stdout) == (0, True)


def test_policy_verbs_in_processes_of_their_own(circle: Circle) -> None:
    """As people and scripts call them."""
    ada = circle.person("ada")
    circle.begin(ada)
    said = ada.say("policy", "show", "--repo", circle.repository, "--json")
    assert (said.code, said.json["policy"]["reviewers"]) == (0, [ada.email])
