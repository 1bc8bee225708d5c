"""Proposals signed by several people, and sealed into the log."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.policy.proposal import parse_proposal, render_proposal
from handoff_tui.log.policy.sign_and_seal import prepare_signature, sign_proposal
from tests.support.repositories import RepositoryBuilder
from tests.support.ssh_keys import PASSPHRASE, make_key, read_public

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
    silent = circle.speaking(ada, *words, terminal=False)
    assert silent.code == 4
    assert "there is no terminal here" in silent.stderr
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


if TYPE_CHECKING:
    from tests.support.signed import Circle, Person


def find_keyid(key: Path) -> str:
    return parse_public_key(read_public(key)).fingerprint


def read_trust(circle: Circle) -> str:
    return (circle.repository / ".handoff-tui/trust/policy.toml").read_text()


def begin_with_two(circle: Circle) -> tuple[Person, Person]:
    """ada and bob, who change the policy only together."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    line = circle.enrol(bob)
    circle.change(ada, (ada, bob), "--add-root", line, "--root-threshold", "2", name="two")
    return ada, bob


def test_second_person_comes_in(circle: Circle) -> None:
    """Old and new root have signed; the copies are those of the new policy, and the log is intact."""
    begin_with_two(circle)
    verdict = circle.verify()
    assert verdict.problems == ()
    assert [entry.policy.version for entry in verdict.entries if entry.policy] == [1, 2]
    assert "version = 2" in read_trust(circle)
    assert len(verdict.entries[-1].keyids) == 2


def test_missing_signatures_are_named(circle: Circle) -> None:
    """Exit code 1, who is missing, and nothing in the log."""
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    file = circle.propose(ada, "--add-root", circle.enrol(bob), "--root-threshold", "2")
    circle.sign(ada, file)
    said = circle.seal(ada, file)
    assert (said.code, said.json["sealed"]) == (1, False)
    assert [(one["whose"], one["missing"], one["waiting"]) for one in said.json["proposal"]["tallies"]] == [
        ("the policy in force", 0, []),
        ("the new policy", 1, ["bob@example.org"]),
    ]
    assert len(circle.verify().entries) == 1


def test_three_people_two_of_whom_suffice(circle: Circle) -> None:
    """Two of three change the policy; the third is not needed, and one alone is not enough."""
    ada, bob = begin_with_two(circle)
    carol = circle.person("carol")
    circle.change(ada, (ada, bob), "--add-root", circle.enrol(carol), name="three")
    file = circle.propose(carol, "--root-threshold", "3", name="all")
    circle.sign(carol, file)
    circle.sign(bob, file)
    said = circle.seal(carol, file)
    assert said.json["proposal"]["tallies"][1]["waiting"] == ["ada@example.org"]
    circle.sign(ada, file)
    assert circle.seal(ada, file).json["signed_by"] == ["ada@example.org", "bob@example.org", "carol@example.org"]


def test_copies_that_were_signed_apart_are_put_together(circle: Circle) -> None:
    """Everybody got the file at the same time; no copy alone is enough."""
    ada, bob = begin_with_two(circle)
    file = circle.propose(ada, "--root-threshold", "1")
    copy = file.with_name("copy.json")
    shutil.copy(file, copy)
    circle.sign(ada, file)
    circle.sign(bob, copy)
    assert circle.seal(ada, file).code == 1
    assert circle.seal(ada, file, copy).code == 0
    assert circle.verify().problems == ()


def test_key_is_rotated(circle: Circle) -> None:
    """The old key signs for the old policy and the new one for the new; from then on only the new one counts."""
    ada = circle.person("ada")
    circle.begin(ada)
    old, new = ada.key, make_key(ada.home / ".ssh/new")
    kept = circle.decide(ada)
    line = circle.enrol(ada, "--key", new)
    file = circle.propose(ada, "--add-reviewer", line, "--drop-key", find_keyid(old))
    circle.sign(ada, file)
    assert circle.seal(ada, file).json["proposal"]["tallies"][1]["waiting"] == ["ada@example.org"]
    assert circle.sign(ada, file, "--key", new).code == 0
    assert circle.seal(ada, file).code == 0
    verdict = circle.verify()
    assert kept in {entry.id for entry in verdict.entries}
    assert verdict.void == {}
    ada.use_key(new)
    circle.decide(ada, "H-2", key=new)
    with pytest.raises(Exception, match="is not in the policy in force"):
        circle.decide(ada, "H-3", key=old)


def test_person_whose_only_key_is_dropped_is_out(circle: Circle) -> None:
    """Out of every role, and what they have decided before stays."""
    ada, bob = begin_with_two(circle)
    decided = circle.decide(bob)
    options = ("--drop-key", find_keyid(bob.key), "--root-threshold", "1")
    circle.change(ada, (ada, bob), *options, name="without")
    policy = circle.show(ada).json["policy"]
    assert (policy["root"], policy["reviewers"]) == (["ada@example.org"], ["ada@example.org"])
    verdict = circle.verify()
    assert decided in {entry.id for entry in verdict.entries}
    assert decided not in verdict.void


def test_entries_between_proposing_and_sealing_are_no_obstacle(circle: Circle) -> None:
    """The proposal keeps its place; both lines of the log are its heads afterwards, and the next entry joins them."""
    ada, bob = begin_with_two(circle)
    file = circle.propose(ada, "--root-threshold", "1")
    circle.sign(ada, file)
    between = circle.decide(bob)
    circle.sign(bob, file)
    sealed = circle.seal(bob, file)
    assert sealed.code == 0, sealed.stderr
    verdict = circle.verify()
    assert verdict.problems == ()
    assert set(verdict.heads) == {between, sealed.json["entry"]}
    assert verdict.policy == sealed.json["entry"]
    after = circle.decide(ada, "H-2")
    assert circle.verify().heads == (after,)


def test_unseen_entries_of_a_dropped_key_are_void_only_when_that_is_meant(circle: Circle) -> None:
    """They were made after the key was proposed to be dropped: by its owner, or by a thief."""
    ada, bob = begin_with_two(circle)
    file = circle.propose(ada, "--drop-key", find_keyid(bob.key), "--root-threshold", "1")
    circle.sign(ada, file)
    circle.sign(bob, file)
    late = circle.decide(bob)
    refused = circle.seal(ada, file)
    assert refused.code == 1
    assert late in refused.stderr
    assert "--allow-void" in refused.stderr
    sealed = circle.seal(ada, file, "--allow-void")
    assert sealed.json["void"] == [late]
    assert set(circle.verify().void) == {late}


def test_proposal_is_stale_after_another_policy(circle: Circle) -> None:
    """Two successors would be a fork, so the second is to be proposed again; it can be neither signed nor sealed."""
    ada, bob = begin_with_two(circle)
    first = circle.propose(ada, "--root-threshold", "1", name="first")
    second = circle.propose(bob, "--add-agent", circle.enrol(circle.person("claude")), name="second")
    for file in (first, second):
        circle.sign(ada, file)
        circle.sign(bob, file)
    assert circle.seal(ada, first).code == 0
    said = circle.seal(ada, second)
    assert said.code == 1
    assert "version 3; propose it again" in said.json["proposal"]["stale"]
    assert circle.sign(ada, second).code == 1
    assert circle.verify().problems == ()


def test_sealing_twice_is_sealing_once(circle: Circle) -> None:
    """The second time says which entry it is, and mends copies that were changed."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    circle.sign(ada, file)
    first = circle.seal(ada, file).json
    (circle.repository / ".handoff-tui/trust/policy.toml").write_text("changed")
    again = circle.seal(ada, file).json
    assert (again["entry"], again["added"], first["added"]) == (first["entry"], False, True)
    assert "version = 2" in read_trust(circle)
    assert len(circle.verify().entries) == 2
    assert circle.sign(ada, file).code == 1


def test_signature_without_a_say_is_left_out(circle: Circle) -> None:
    """A key that somebody slipped in would make verification refuse the entry."""
    ada, mallory = circle.person("ada"), circle.person("mallory")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    circle.sign(ada, file)
    slip_in(file, mallory)
    said = circle.seal(ada, file)
    assert said.code == 0, said.stderr
    assert said.json["left_out"] == [find_keyid(mallory.key)]
    assert circle.verify().problems == ()


def slip_in(file: Path, person: Person) -> None:
    """Adds a signature that the verbs would not have made."""
    from handoff_tui.git.signing.ssh_keygen import SigningTool  # noqa: PLC0415
    from handoff_tui.log.entries.envelope import build_pae  # noqa: PLC0415
    from handoff_tui.log.policy.proposal import add_signature, parse_proposal, render_proposal  # noqa: PLC0415

    proposal = parse_proposal(file.read_bytes())
    armored = SigningTool(person.public_text, person.key).sign(build_pae(proposal.payload))
    file.write_bytes(render_proposal(add_signature(proposal, armored)))


def build_fork(
    circle: Circle, builder: RepositoryBuilder, *, hostile: bool = False
) -> tuple[Person, Person, list[str]]:
    """Two clones in which each of two people, who may alone, has changed the policy without knowing of the other.

    They add an agent; `hostile` ones throw each other out.
    """
    ada, bob = circle.person("ada"), circle.person("bob")
    circle.begin(ada)
    circle.change(ada, (ada,), "--add-root", circle.enrol(bob), name="two")
    builder.commit("two people")
    clones = [builder.folder.parent / "left", builder.folder.parent / "right"]
    for clone in clones:
        builder.step("clone", "--quiet", "--template=", str(builder.folder), str(clone))
    sides = []
    for person, other, clone in ((ada, bob, clones[0]), (bob, ada, clones[1])):
        apart = type(circle)(circle.speaking, clone, circle.folder)
        line = apart.enrol(circle.person(f"agent-{clone.name}"))
        change = ("--drop-key", find_keyid(other.key)) if hostile else ("--add-agent", line)
        sides.append(apart.change(person, (person,), *change, name=clone.name))
        RepositoryBuilder(clone, builder.moment).commit(clone.name)
        builder.step("pull", "--quiet", "--no-rebase", "--no-edit", "-X", "ours", str(clone), "main")
    return ada, bob, sides


def test_fork_is_settled_by_the_people_of_both_sides(circle: Circle, builder: RepositoryBuilder) -> None:
    """Until then every gate is closed and nothing else can be added; afterwards the log is intact again."""
    ada, bob, sides = build_fork(circle, builder)
    shown = circle.show(ada)
    assert shown.code == 3
    assert [problem["code"] for problem in shown.json["problems"]] == ["policy-forked"]
    assert shown.json["policy"] is None
    assert sorted(policy["id"] for policy in shown.json["policies"]) == sorted(sides)
    with pytest.raises(Exception, match="nothing can be added"):
        circle.decide(ada)
    file = circle.propose(ada, "--keep", sides[0], name="settled")
    proposed = json.loads(circle.speaking(ada, "policy", "seal", file, "--repo", circle.repository, "--json").stdout)
    assert [tally["whose"] for tally in proposed["proposal"]["tallies"]] == [
        "side 1 of the fork",
        "side 2 of the fork",
        "the new policy",
    ]
    assert proposed["proposal"]["version"] == 4
    circle.sign(bob, file)
    sealed = circle.seal(bob, file)
    assert sealed.code == 0, sealed.stderr
    verdict = circle.verify()
    assert verdict.problems == ()
    assert verdict.policy == sealed.json["entry"]
    assert circle.show(ada).json["policy"]["agents"] == ["agent-left@example.org"]
    circle.decide(ada)


def test_fork_needs_the_thresholds_of_both_sides(circle: Circle, builder: RepositoryBuilder) -> None:
    """Each side has another person in its root role, and neither settles it alone."""
    ada, bob, sides = build_fork(circle, builder, hostile=True)
    file = circle.propose(ada, "--keep", sides[0], name="settled")
    circle.sign(ada, file)
    said = circle.seal(ada, file)
    assert said.code == 1
    waiting = [tally["waiting"] for tally in said.json["proposal"]["tallies"] if tally["missing"]]
    assert waiting == [["bob@example.org"]]
    assert circle.sign(bob, file).code == 0
    assert circle.seal(ada, file).code == 0
    assert circle.verify().problems == ()
    assert circle.show(ada).json["policy"]["root"] == ["ada@example.org"]


def test_copies_are_restored_from_the_log(circle: Circle) -> None:
    """Deleted or changed ones; without a log there is nothing to restore from."""
    ada = circle.person("ada")
    none = circle.speaking(ada, "policy", "restore", "--repo", circle.repository)
    assert none.code == 1
    circle.begin(ada)
    before = read_trust(circle)
    shutil.rmtree(circle.repository / ".handoff-tui/trust")
    said = circle.speaking(ada, "policy", "restore", "--repo", circle.repository, "--json")
    assert said.json["written"] == [".handoff-tui/trust/allowed_signers", ".handoff-tui/trust/policy.toml"]
    assert read_trust(circle) == before
    assert circle.show(ada).json["drift"] == []
