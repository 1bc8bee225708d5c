"""A proposed policy: the file that people send to each other, and how it relates to its log.

The file has what is signed, and the signatures so far. It keeps the position in the log that it was proposed for, since
its parents are signed with it. Entries added since aren't obstacle, because an entry may follow older ones; another
policy is, because two successors would be a fork.
"""

from __future__ import annotations

import binascii
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import (
    EntryRefusedError,
    LogBrokenError,
    LogEntryError,
    PolicyForbiddenError,
    ProposalError,
    SignatureInvalidError,
    TrustPolicyError,
)
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import PAYLOAD_TYPE, build_pae
from handoff_tui.log.entries.sshsig import parse_signature, re_armor, verify_signature
from handoff_tui.log.entries.statement import parse_payload
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import Entry, LogProblemLevel, LogVerdict, PolicyText
from handoff_tui.log.policy.faults import find_faults, find_turned_agents, find_warnings
from handoff_tui.log.policy.frontier import PolicyFrontier, build_frontier, count_signatures, find_counting_keys
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.policy.reports import ProposalReport, SignatureTally
from handoff_tui.log.policy.show import compare_all, refuse_no_log
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.named_files import read_named_file

SCHEMA = "handoff-tui/policy-proposal/v1"
MAX_BYTES = 1024 * 1024
_KEYS = frozenset({"schema", "payloadType", "payload", "signatures"})
_SIGNATURE_KEYS = frozenset({"keyid", "sig"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A policy entry before it is in the log. Every signature was checked."""

    payload: bytes
    entry: Entry
    """Without an id, which is known once all have signed."""
    text: PolicyText
    signatures: dict[str, bytes]
    """Armored, by the fingerprint of the key."""

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(self.payload).hexdigest()

    @property
    def keyids(self) -> tuple[str, ...]:
        return tuple(sorted(self.signatures))


def build_proposal(payload: bytes, signatures: Sequence[bytes] = ()) -> Proposal:
    """Checks that the payload is a policy that succeeds another, and that each signature matches."""
    entry = parse_payload(payload)
    if entry.policy is None or entry.policy.previous is None:
        raise ProposalError("it does not propose a new policy")
    checked: dict[str, bytes] = {}
    for given in signatures:
        armored = re_armor(given)
        signature = parse_signature(armored)
        verify_signature(signature, build_pae(payload))
        checked[signature.key.fingerprint] = armored
    return Proposal(payload, entry, entry.policy, checked)


def merge_proposals(proposals: Sequence[Proposal]) -> Proposal:
    """Merges copies that different people have signed; they must propose exactly the same."""
    first = proposals[0]
    for other in proposals[1:]:
        if other.payload != first.payload:
            raise ProposalError(
                f"the files propose different policies: {first.digest} and {other.digest}",
                "Seal them one by one; only copies of one proposal can be merged.",
            )
    signatures = [armored for proposal in proposals for armored in proposal.signatures.values()]
    return build_proposal(first.payload, signatures)


def add_signature(proposal: Proposal, armored: bytes) -> Proposal:
    return build_proposal(proposal.payload, (*proposal.signatures.values(), armored))


def render_proposal(proposal: Proposal) -> bytes:
    """Writes the file."""
    value = {
        "schema": SCHEMA,
        "payloadType": PAYLOAD_TYPE,
        "payload": _encode(proposal.payload),
        "signatures": [{"keyid": keyid, "sig": _encode(proposal.signatures[keyid])} for keyid in proposal.keyids],
    }
    return (json.dumps(value, indent=2) + "\n").encode()


def parse_proposal(content: bytes) -> Proposal:
    """Reads a file that somebody sent; refuses anything but a proposal whose signatures all match."""
    try:
        value = canonical.parse_json(content, max_bytes=MAX_BYTES)
        payload, signatures = _parse_fields(value)
        return build_proposal(payload, signatures)
    except SignatureInvalidError as wrong:
        raise ProposalError(wrong.message, "It was changed after it was signed. Ask for the file again.") from wrong
    except LogEntryError as wrong:
        raise ProposalError(f"it is not a policy proposal: {wrong.message}", wrong.hint) from wrong


def _parse_fields(value: canonical.Value) -> tuple[bytes, list[bytes]]:
    if not isinstance(value, dict) or value.keys() != _KEYS or value["schema"] != SCHEMA:
        raise ProposalError(
            f"it is not a policy proposal: schema is not {SCHEMA}, or it has other fields",
            "`handoff-tui policy propose` makes such a file.",
        )
    if value["payloadType"] != PAYLOAD_TYPE:
        raise ProposalError(f"it is not a policy proposal: the payload's type is not {PAYLOAD_TYPE}")
    listed = value["signatures"]
    if not isinstance(listed, list):
        raise ProposalError("it is not a policy proposal: signatures is not a list")
    return _decode(value["payload"]), [_parse_signature(item) for item in listed]


def _parse_signature(item: canonical.Value) -> bytes:
    if not isinstance(item, dict) or item.keys() != _SIGNATURE_KEYS:
        raise ProposalError("it is not a policy proposal: a signature has keyid and sig, and nothing else")
    armored = _decode(item["sig"])
    if item["keyid"] != parse_signature(re_armor(armored)).key.fingerprint:
        raise ProposalError("a signature is filed under another key")
    return armored


def _encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _decode(value: canonical.Value) -> bytes:
    if isinstance(value, str) and value.isascii():
        try:
            return binascii.a2b_base64(value, strict_mode=True)
        except binascii.Error:
            pass
    raise ProposalError("it is not a policy proposal: a part of it is not base64")


FORKED = "policy-forked"
_ONLY_WORDS = "only the wording of the files changes"


@dataclass(frozen=True, slots=True)
class PolicyState:
    """The policies of a log that is intact, except that its policy may be forked."""

    verdict: LogVerdict
    entries: dict[str, Entry]
    frontier: PolicyFrontier
    tips: frozenset[str]

    @property
    def forked(self) -> bool:
        return len(self.tips) > 1


@dataclass(frozen=True, slots=True)
class PlacedProposal:
    """A proposal at its position in the log."""

    proposal: Proposal
    policy: Policy
    before: dict[str, Policy]
    """The policies it succeeds, by id; more than one if it settles a fork."""

    @property
    def deciding(self) -> list[Policy]:
        return [*self.before.values(), self.policy]

    @property
    def counting(self) -> dict[str, str]:
        """Keys whose signatures count, with their owners."""
        return find_counting_keys(self.deciding, self.proposal.entry.time)

    @property
    def dropped(self) -> frozenset[str]:
        """Keys that it removes."""
        older = {keyid for policy in self.before.values() for keyid in policy.signers}
        return frozenset(older - self.policy.signers.keys())


def read_policy_state(verdict: LogVerdict) -> PolicyState:
    """Returns the policies of a verified log; raises on any fatal problem but a forked policy."""
    refuse_no_log(verdict)
    for problem in verdict.problems:
        if problem.level is LogProblemLevel.FATAL and problem.code != FORKED:
            raise LogBrokenError(
                f"the log is not intact, so its policy cannot be changed: {problem.text}",
                "handoff-tui log verify lists everything that is wrong.",
            )
    frontier = build_frontier(verdict)
    entries = {entry.id: entry for entry in verdict.entries}
    return PolicyState(verdict, entries, frontier, frozenset(frontier.find_tips()))


def read_proposals(files: list[Path]) -> Proposal:
    """Reads a proposal from one file, or from several copies that different people have signed."""
    proposals: list[Proposal] = []
    for file in files:
        content = read_named_file(file, MAX_BYTES)
        try:
            proposals.append(parse_proposal(content))
        except ProposalError as wrong:
            raise ProposalError(f"{file}: {wrong.message}", wrong.hint) from wrong
    return merge_proposals(proposals)


def place_proposal(standing: PolicyState, proposal: Proposal) -> PlacedProposal:
    """Finds the proposal's position; refuses one that could not verify however many people sign it."""
    entry = proposal.entry
    if entry.log != standing.verdict.log:
        raise ProposalError("the proposal is for another log than this repository's")
    missing = [parent for parent in entry.parents if parent not in standing.entries]
    if missing:
        raise ProposalError(
            f"the proposal follows {missing[0]}, which is not here", "Fetch the branch that it was made on."
        )
    try:
        policy = parse_policy(proposal.text)
    except TrustPolicyError as wrong:
        raise ProposalError(f"the proposed policy cannot be used: {wrong.message}", wrong.hint) from wrong
    succeeded = sorted(standing.frontier.find_in_force(entry.parents))
    placed = PlacedProposal(proposal, policy, {one: standing.frontier.policies[one] for one in succeeded})
    _refuse_impossible(standing, placed)
    return placed


def find_stale(standing: PolicyState, placed: PlacedProposal) -> str | None:
    """Says why a proposal can no longer be sealed: another policy came into force since. None if it can."""
    if placed.before.keys() == standing.tips:
        return None
    newest = max(standing.frontier.policies[tip].version for tip in standing.tips)
    return f"another policy has come into force since, version {newest}; propose it again on top of that one"


def find_sealed(standing: PolicyState, proposal: Proposal) -> Entry | None:
    """Finds the entry of the log that says exactly what is proposed."""
    for entry in reversed(standing.verdict.entries):
        if entry.policy == proposal.text and entry.model_copy(update={"id": "", "keyids": ()}) == proposal.entry:
            return entry
    return None


def refuse_senseless(placed: PlacedProposal) -> None:
    """Refuses a policy with faults: it is not proposed, not signed and not sealed."""
    now = build_time(read_now())
    faults = [*find_faults(placed.policy, now), *find_turned_agents(placed.before.values(), placed.policy)]
    if faults:
        raise PolicyForbiddenError(
            "\n".join(f"this policy is refused: {fault}" for fault in faults), "Change the texts and propose again."
        )


def build_report(file: Path | str, standing: PolicyState, placed: PlacedProposal) -> ProposalReport:
    entry, text = placed.proposal.entry, placed.proposal.text
    changes = compare_all(list(placed.before.values()), placed.policy) or (_ONLY_WORDS,)
    return ProposalReport(
        file=str(file),
        digest=placed.proposal.digest,
        log=entry.log or "",
        version=text.version,
        previous=text.previous or "",
        parents=entry.parents,
        actor=entry.actor,
        time=entry.time,
        changes=changes,
        warnings=find_warnings(placed.policy),
        tallies=build_tallies(placed),
        allowed_signers=text.allowed_signers,
        policy_toml=text.policy_toml,
        stale=None if find_sealed(standing, placed.proposal) else find_stale(standing, placed),
    )


def build_tallies(placed: PlacedProposal) -> tuple[SignatureTally, ...]:
    """Counts signatures for each policy that has a say: those it succeeds, and itself."""
    keyids, time = placed.proposal.keyids, placed.proposal.entry.time
    forked = len(placed.before) > 1
    former = [
        count_signatures(f"side {number} of the fork" if forked else "the policy in force", policy, keyids, time)
        for number, policy in enumerate(placed.before.values(), start=1)
    ]
    return (*former, count_signatures("the new policy", placed.policy, keyids, time))


def _refuse_impossible(standing: PolicyState, placed: PlacedProposal) -> None:
    """Checks number, time, version and thresholds as if everybody had signed."""
    entry = placed.proposal.entry
    above = [standing.entries[parent] for parent in entry.parents]
    if entry.seq != 1 + max(one.seq for one in above) or any(entry.time < one.time for one in above):
        raise ProposalError("the proposal's number or time does not follow the entries it follows")
    known = standing.frontier
    trial = PolicyFrontier(dict(known.policies), dict(known.after), dict(known.past), dict(known.before))
    try:
        trial.accept_policy(entry.model_copy(update={"keyids": tuple(sorted(placed.counting))}))
    except EntryRefusedError as refused:
        raise PolicyForbiddenError(
            f"even if everybody signed, it would be refused: {refused.message}", "Propose it again."
        ) from refused
