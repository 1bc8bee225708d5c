from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from handoff_tui.core.errors import ProposalError, SignatureInvalidError
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.proposals.proposal import (
    MAX_BYTES,
    Proposal,
    add_signature,
    build_proposal,
    merge_proposals,
    parse_proposal,
    render_proposal,
)
from tests.support.log_entries import build_statement
from tests.support.log_keys import build_example_key

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
