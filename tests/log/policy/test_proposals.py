"""Proposed policies: the file, and the judgement beside the log."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from handoff_tui.core.errors import (
    FileUnreadableError,
    LogBrokenError,
    PolicyForbiddenError,
    ProposalError,
    SignatureInvalidError,
)
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entry import LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.policy.proposal import (
    MAX_BYTES,
    Proposal,
    add_signature,
    build_proposal,
    build_report,
    find_sealed,
    find_stale,
    merge_proposals,
    parse_proposal,
    place_proposal,
    read_policy_state,
    read_proposals,
    refuse_senseless,
    render_proposal,
)
from tests.support.log_keys import build_example_key, build_statement

PAYLOAD = canonical.encode(build_statement("policy"))
ALICE, BOB = build_example_key("alice"), build_example_key("bob")


def sign(*names: str, payload: bytes = PAYLOAD) -> Proposal:
    return build_proposal(payload, [build_example_key(name).sign(build_pae(payload)) for name in names])


def change(proposal: Proposal, **fields: Any) -> bytes:  # noqa: ANN401 - also what no proposal may be
    return json.dumps({**json.loads(render_proposal(proposal)), **fields}).encode()


@pytest.mark.parametrize("names", [(), ("alice",), ("alice", "bob")])
def test_file_is_read_back(names: tuple[str, ...]) -> None:
    """With no signature, one, or several; and written again it is the same."""
    proposal = sign(*names)
    content = render_proposal(proposal)
    assert parse_proposal(content) == proposal
    assert render_proposal(parse_proposal(content)) == content
    assert proposal.keyids == tuple(sorted(build_example_key(name).fingerprint for name in names))
    assert proposal.entry.policy == proposal.text
    assert json.loads(content)["schema"] == "handoff-tui/policy-proposal/v1"


def test_signature_is_added_once() -> None:
    """The same key again changes nothing."""
    signed = add_signature(sign("alice"), BOB.sign(build_pae(PAYLOAD)))
    assert signed == sign("alice", "bob")
    assert add_signature(signed, BOB.sign(build_pae(PAYLOAD))) == signed


def test_copies_are_put_together() -> None:
    """Only of one and the same proposal."""
    assert merge_proposals([sign("alice"), sign("bob"), sign()]) == sign("alice", "bob")
    other = canonical.encode(build_statement("policy", actor="mallory"))
    with pytest.raises(ProposalError, match="different policies"):
        merge_proposals([sign("alice"), sign("alice", payload=other)])


@pytest.mark.parametrize("kind", ["genesis", "decision", "submission"])
def test_other_entries_are_no_proposal(kind: str) -> None:
    """Only a policy that succeeds another can be proposed: a decision is never signed by this way."""
    with pytest.raises(ProposalError, match="does not propose"):
        build_proposal(canonical.encode(build_statement(kind)))


def test_signature_for_other_content_is_refused() -> None:
    """Changed after it was signed, or taken from another proposal."""
    other = canonical.encode(build_statement("policy", actor="mallory"))
    with pytest.raises(SignatureInvalidError):
        build_proposal(PAYLOAD, [ALICE.sign(build_pae(other))])
    with pytest.raises(ProposalError, match="does not match") as refused:
        parse_proposal(change(sign("alice"), payload=base64.b64encode(other).decode()))
    assert "changed after it was signed" in refused.value.hint


@pytest.mark.parametrize(
    "fields",
    [
        {"schema": "handoff-tui/policy-proposal/v2"},
        {"more": 1},
        {"payloadType": "text/plain"},
        {"payload": 1},
        {"payload": "!!"},
        {"payload": base64.b64encode(b"{}").decode()},
        {"payload": base64.b64encode(PAYLOAD + b" ").decode()},
        {"signatures": {}},
        {"signatures": [1]},
        {"signatures": [{"keyid": ALICE.fingerprint}]},
        {"signatures": [{"keyid": ALICE.fingerprint, "sig": "AAAA"}]},
        {"signatures": [{"keyid": BOB.fingerprint, "sig": base64.b64encode(ALICE.sign(build_pae(PAYLOAD))).decode()}]},
    ],
)
def test_malformed_file_is_refused(fields: dict[str, Any]) -> None:
    """With words that say what is wrong, and never another error."""
    with pytest.raises(ProposalError):
        parse_proposal(change(sign("alice"), **fields))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, b" " * (MAX_BYTES + 1)])
def test_what_is_no_json_is_refused(content: bytes) -> None:
    """Also what is too large, or nested without end."""
    with pytest.raises(ProposalError):
        parse_proposal(content)


if TYPE_CHECKING:
    from tests.support.signed import Circle


@pytest.fixture
def proposal(circle: Circle) -> Proposal:
    """ada wants to add an agent."""
    ada = circle.person("ada")
    circle.begin(ada)
    file = circle.propose(ada, "--add-agent", circle.enrol(circle.person("claude")))
    return parse_proposal(file.read_bytes())


def change_predicate(proposal: Proposal, **predicate: Any) -> Proposal:  # noqa: ANN401 - any field of the predicate
    """The same with other fields, as another program may have made it."""
    value = json.loads(proposal.payload)
    value["predicate"] |= predicate
    return build_proposal(canonical.encode(value))


def test_place_of_a_proposal_is_found(circle: Circle, proposal: Proposal) -> None:
    """What it succeeds, who decides, and that it is neither stale nor sealed."""
    standing = read_policy_state(circle.verify())
    placed = place_proposal(standing, proposal)
    assert placed.before.keys() == standing.tips
    assert set(placed.counting.values()) == {"ada@example.org"}
    assert placed.dropped == frozenset()
    assert (find_stale(standing, placed), find_sealed(standing, proposal)) == (None, None)
    assert build_report("file", standing, placed).tallies[0].missing == 1


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"log": "sha256:" + "0" * 64}, ProposalError, "another log"),
        ({"parents": ["sha256:" + "0" * 64]}, ProposalError, "is not here"),
        ({"seq": 3}, ProposalError, "number or time"),
        ({"time": "2020-01-01T00:00:00Z"}, ProposalError, "number or time"),
        ({"previous": "sha256:" + "0" * 64}, PolicyForbiddenError, "even if everybody signed"),
        ({"version": 3}, ProposalError, "cannot be used"),
    ],
)
def test_proposal_that_would_be_refused_is_not_signed(
    circle: Circle, proposal: Proposal, fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    """However many sign it: verification would not accept it."""
    with pytest.raises(error, match=words):
        place_proposal(read_policy_state(circle.verify()), change_predicate(proposal, **fields))


def test_senseless_proposal_of_others_is_refused_too(circle: Circle, proposal: Proposal) -> None:
    """It may come from a program that does not look."""
    text = proposal.text.policy_toml.replace("own\nthreshold = 1", "own\nthreshold = 9")
    value = json.loads(proposal.payload)
    value["predicate"]["files"]["policy.toml"] = text
    import hashlib  # noqa: PLC0415

    value["subject"][1]["digest"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    placed = place_proposal(read_policy_state(circle.verify()), build_proposal(canonical.encode(value)))
    with pytest.raises(PolicyForbiddenError, match="could never open"):
        refuse_senseless(placed)


def test_broken_log_has_no_place_for_a_policy() -> None:
    """Any fatal fault but a fork, which a policy settles."""
    problem = LogProblem(level=LogProblemLevel.FATAL, code="rollback", text="an entry is gone")
    with pytest.raises(LogBrokenError, match="an entry is gone"):
        read_policy_state(LogVerdict(problems=(problem,)))


def test_files_are_read_with_their_names(tmp_path: Path) -> None:
    """What is wrong is told with the file it is wrong in."""
    with pytest.raises(FileUnreadableError, match="gone"):
        read_proposals([tmp_path / "gone"])
    (tmp_path / "file").write_text(base64.b64encode(b"nothing").decode())
    with pytest.raises(ProposalError, match="file: it is not a policy proposal"):
        read_proposals([tmp_path / "file"])
