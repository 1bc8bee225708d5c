"""Seals a proposal: with all the signatures it needs it becomes the next entry of the log, and the copies follow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handoff_tui.core.errors import HandoffError, LogBrokenError, PolicyForbiddenError
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.policy.history import find_signed_by, find_voided
from handoff_tui.log.policy.reports import ProposalReport, SealReport
from handoff_tui.log.policy.texts import Texts
from handoff_tui.log.proposals.judged_proposal import (
    FORKED,
    PlacedProposal,
    PolicyState,
    build_report,
    find_sealed,
    find_stale,
    place_proposal,
    read_policy_state,
    read_proposals,
    refuse_senseless,
)
from handoff_tui.log.proposals.proposal import Proposal
from handoff_tui.log.record import Entry, PolicyText
from handoff_tui.log.storage.trust_files import NAMES, write_trust_files


@dataclass(frozen=True, slots=True)
class PreparedSeal:
    """A proposal with all signatures there are, beside the log."""

    repository: Repository
    log: OpenLog
    proposal: Proposal
    report: ProposalReport
    sealed: Entry | None
    """The entry, when it is in the log already."""


def prepare_seal(start: Path, files: list[Path]) -> PreparedSeal:
    """What would be sealed, and whether it can be; several files are copies that different people have signed."""
    repository = open_repository(start)
    log = open_log(repository)
    standing = read_policy_state(log.verify())
    proposal = read_proposals(files)
    placed = place_proposal(standing, proposal)
    report = build_report(", ".join(map(str, files)), standing, placed)
    return PreparedSeal(repository, log, proposal, report, find_sealed(standing, proposal))


def seal_policy(prepared: PreparedSeal, *, allow_void: bool = False) -> SealReport:
    """Adds the entry and rewrites the copies. Under the lock it is asked once more whether all of it still holds."""
    if prepared.sealed is not None:
        return _build_seal_report(prepared, prepared.sealed, added=False)
    void: tuple[str, ...] = ()

    def build(parents: Parents) -> Draft:
        nonlocal void
        standing = read_policy_state(parents.verdict)
        placed = place_proposal(standing, prepared.proposal)
        _refuse_unready(standing, placed)
        refuse_senseless(placed)
        void = _find_void(standing, placed)
        if void and not allow_void:
            raise _build_void_error(void)
        signatures = prepared.proposal.signatures
        return Draft(
            prepared.proposal.payload, tuple(signatures[keyid] for keyid in signatures if keyid in placed.counting)
        )

    appended = prepared.log.journal.append(build, despite=_find_mended(prepared))
    return _build_seal_report(prepared, appended.entry, added=True, void=void)


def restore_trust(start: Path) -> tuple[str, ...]:
    """Writes the copies in `.handoff-tui/trust/` again, as the log says; their paths."""
    repository = open_repository(start)
    standing = read_policy_state(open_log(repository).verify())
    if standing.forked:
        raise LogBrokenError("the policy is forked: there are two texts, and neither is in force", "Settle it first.")
    (tip,) = standing.tips
    text = standing.entries[tip].policy
    assert text is not None  # noqa: S101 - a tip is a policy
    _write_copies(repository, text)
    return tuple(f".handoff-tui/trust/{name}" for name in NAMES)


def _find_mended(prepared: PreparedSeal) -> tuple[str, ...]:
    """The fatal fault that this very entry mends: a fork, when it follows more than one policy."""
    return (FORKED,) if len(prepared.report.tallies) > 2 else ()  # noqa: PLR2004 - one former policy and its own


def _refuse_unready(standing: PolicyState, placed: PlacedProposal) -> None:
    stale = find_stale(standing, placed)
    if stale is not None:
        raise PolicyForbiddenError(stale, "Nothing was added.")
    report = build_report("", standing, placed)
    if not report.complete:
        missing = "; ".join(
            f"{tally.whose}: {tally.missing} more of {', '.join(tally.waiting)}"
            for tally in report.tallies
            if tally.missing
        )
        raise PolicyForbiddenError(f"signatures are missing: {missing}", "Nothing was added.")


def _find_void(standing: PolicyState, placed: PlacedProposal) -> tuple[str, ...]:
    """Entries that count now and would not any more: by a dropped key, and unknown to who proposed to drop it."""
    found = find_voided(standing.verdict.entries, placed.proposal.entry.parents, placed.dropped)
    return tuple(one for one in found if one not in standing.verdict.void)


def _build_void_error(void: tuple[str, ...]) -> PolicyForbiddenError:
    return PolicyForbiddenError(
        f"{len(void)} entries were signed with a dropped key after this was proposed, and would count for nothing: "
        f"{', '.join(void[:3])}{' …' if len(void) > 3 else ''}",  # noqa: PLR2004 - a few names
        "If that is meant, because the key was stolen: --allow-void. Otherwise propose again, and they are kept.",
    )


def _build_seal_report(prepared: PreparedSeal, entry: Entry, *, added: bool, void: tuple[str, ...] = ()) -> SealReport:
    standing = read_policy_state(prepared.log.verify())
    policy = standing.frontier.policies[entry.id]
    before = [standing.frontier.policies[one] for one in sorted(standing.frontier.before[entry.id])]
    warnings: list[str] = []
    if entry.id in standing.tips and entry.policy is not None:
        try:
            _write_copies(prepared.repository, entry.policy)
        except HandoffError as failed:
            warnings.append(f"the policy is in the log, but {failed.message}; `handoff-tui policy restore` tries again")
    return SealReport(
        repo=str(prepared.repository.root),
        entry=entry.id,
        version=policy.version,
        signed_by=find_signed_by(entry, [*before, policy]),
        changes=prepared.report.changes,
        added=added,
        left_out=tuple(keyid for keyid in prepared.proposal.keyids if keyid not in entry.keyids),
        void=void,
        warnings=tuple(warnings),
    )


def _write_copies(repository: Repository, text: PolicyText) -> None:
    write_trust_files(repository.root, Texts(text.allowed_signers, text.policy_toml).by_name())
