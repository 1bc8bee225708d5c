"""Signs a proposed policy: what exactly is signed is shown first, and a person says yes in between."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handoff_tui.core.errors import PolicyForbiddenError
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.signing_key import SigningKey, read_key_file, read_signing_key
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.reports import ProposalReport, SignReport
from handoff_tui.log.policy.signer import choose_prompt
from handoff_tui.log.proposals.judged_proposal import (
    PlacedProposal,
    PolicyState,
    build_report,
    find_sealed,
    place_proposal,
    read_policy_state,
    read_proposals,
    refuse_senseless,
)
from handoff_tui.log.proposals.proposal import Proposal, add_signature, merge_proposals, render_proposal
from handoff_tui.system.files.named_files import write_named_file


@dataclass(frozen=True, slots=True)
class PreparedSignature:
    """A proposal, and the key that is about to sign it."""

    file: Path
    standing: PolicyState
    placed: PlacedProposal
    report: ProposalReport
    key: SigningKey
    keyid: str
    principal: str
    signed: bool
    """Whether this key has signed it before."""


def prepare_signature(start: Path, file: Path, key_file: Path | None = None) -> PreparedSignature:
    """Everything that is shown before signing; refused if the caller's signature would count for nothing."""
    repository = open_repository(start)
    standing = read_policy_state(open_log(repository).verify())
    placed = place_proposal(standing, read_proposals([file]))
    report = build_report(file, standing, placed)
    _refuse_settled(standing, placed, report)
    refuse_senseless(placed)
    enrolled = [
        signer.key for policy in placed.deciding for keyid, signer in policy.signers.items() if keyid in placed.counting
    ]
    key = read_key_file(key_file) if key_file is not None else read_signing_key(repository.git, enrolled)
    keyid = parse_public_key(key.public_text).fingerprint
    principal = placed.counting.get(keyid)
    if principal is None:
        raise PolicyForbiddenError(
            f"your key {keyid} ({key.source}) has no say here: it is in neither root role, or was not valid at "
            f"{placed.proposal.entry.time}",
            f"Who may sign: {', '.join(sorted(set(placed.counting.values())))}. Another key is named with --key FILE.",
        )
    signed = keyid in placed.proposal.signatures
    return PreparedSignature(file, standing, placed, report, key, keyid, principal, signed)


def sign_proposal(prepared: PreparedSignature) -> SignReport:
    """Adds the signature to the file; what others have added meanwhile stays."""
    placed = prepared.placed
    if not prepared.signed:
        tool = prepared.key.build_tool(choose_prompt())
        armored = tool.sign(build_pae(placed.proposal.payload))
        signed = add_signature(placed.proposal, armored)
        proposal = _merge_with_file(prepared.file, signed)
        write_named_file(prepared.file, render_proposal(proposal))
        placed = PlacedProposal(proposal, placed.policy, placed.before)
    return SignReport(
        proposal=build_report(prepared.file, prepared.standing, placed),
        principal=prepared.principal,
        keyid=prepared.keyid,
        added=not prepared.signed,
    )


def _merge_with_file(file: Path, signed: Proposal) -> Proposal:
    return merge_proposals([signed, read_proposals([file])])


def _refuse_settled(standing: PolicyState, placed: PlacedProposal, report: ProposalReport) -> None:
    sealed = find_sealed(standing, placed.proposal)
    if sealed is not None:
        raise PolicyForbiddenError(f"it is in the log already, as {sealed.id}; nothing is left to sign")
    if report.stale is not None:
        raise PolicyForbiddenError(report.stale, "Nothing was signed.")
