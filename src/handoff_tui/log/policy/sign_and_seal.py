"""Proposes the next policy, signs it, and seals it: with all signatures, it becomes the next entry of the log."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.config.load import load_settings
from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import HandoffError, LogBrokenError, LogPresentError, PolicyForbiddenError, UsageError
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import SigningKey, read_local_keys, read_signing_key
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Entry, EntryKind, PolicyText
from handoff_tui.log.journal import Draft, Parents, build_parents
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.policy.faults import find_keys_together
from handoff_tui.log.policy.frontier import find_signed_by, find_voided
from handoff_tui.log.policy.proposal import (
    FORKED,
    PlacedProposal,
    PolicyState,
    Proposal,
    add_signature,
    build_proposal,
    build_report,
    find_sealed,
    find_stale,
    merge_proposals,
    place_proposal,
    read_policy_state,
    read_proposals,
    refuse_senseless,
    render_proposal,
)
from handoff_tui.log.policy.reports import ProposalReport, SealReport, SignReport
from handoff_tui.log.policy.signer import choose_prompt, read_principal
from handoff_tui.log.policy.texts import (
    PolicyTexts,
    add_signer,
    build_policy_text,
    drop_key,
    set_root_threshold,
    set_version,
)
from handoff_tui.log.storage.memory import LogMemory
from handoff_tui.log.storage.trust_files import NAMES, write_trust_files
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.named_files import is_inside, read_named_texts, write_if_absent, write_named_file
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.processes.editor import edit_texts

_MAX_TEXT_BYTES = 256 * 1024
_ROOT_ROLE = "root"
_REVIEWER_ROLE = "reviewer"
_AGENT_ROLE = "agent"


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """What to change; edits are applied in the order of these fields."""

    sources: tuple[Path, ...] = ()
    """Folders or files with new texts."""
    add_roots: tuple[str, ...] = ()
    """Lines of allowed_signers, as are the next two."""
    add_reviewers: tuple[str, ...] = ()
    add_agents: tuple[str, ...] = ()
    drop_keys: tuple[str, ...] = ()
    root_threshold: int | None = None
    edit: bool = False
    keep: str | None = None
    """In a fork, the policy whose texts to start from."""
    output: Path | None = None

    @property
    def changes_nothing(self) -> bool:
        return not (
            *self.sources, *self.add_roots, *self.add_reviewers, *self.add_agents, *self.drop_keys
        ) and not (self.edit or self.root_threshold or self.keep)  # fmt: skip


def propose_policy(start: Path, request: ProposeRequest) -> ProposalReport:
    """Writes the file of a proposal that nobody has signed yet."""
    repository = open_repository(start)
    standing = read_policy_state(open_log(repository).verify())
    if request.changes_nothing:
        raise UsageError(
            "nothing to propose: say what to change",
            "--edit opens both texts in your editor; --add-reviewer LINE, --drop-key KEYID and --from change them.",
        )
    base = _find_base(standing, request.keep)
    texts = _change(PolicyTexts(base.allowed_signers, base.policy_toml), request, repository)
    if not standing.forked and texts == PolicyTexts(base.allowed_signers, base.policy_toml):
        raise PolicyForbiddenError("this is the policy in force; there is nothing to propose")
    proposal = build_proposal(build_payload(_build_entry(standing, texts, read_principal(repository))))
    placed = place_proposal(standing, proposal)
    refuse_senseless(placed)
    file = request.output or Path(f"policy-{proposal.text.version}.proposal.json")
    _write(repository, file, render_proposal(proposal))
    report = build_report(file, standing, placed)
    together = find_keys_together(placed.policy, read_local_keys(repository.git))
    return report.model_copy(update={"warnings": (*report.warnings, *together)})


def _find_base(standing: PolicyState, keep: str | None) -> PolicyText:
    """Returns the texts to start from: those in force; in a fork one side, named or the first."""
    named = [tip for tip in sorted(standing.tips) if keep is None or tip.startswith(keep)]
    if keep is not None and len(named) != 1:
        raise UsageError(f"{keep} names {len(named)} policies in force", "`handoff-tui policy show` lists them.")
    text = standing.entries[named[0]].policy
    assert text is not None  # noqa: S101 - a tip is a policy
    return text


def _change(texts: PolicyTexts, request: ProposeRequest, repository: Repository) -> PolicyTexts:
    for source in request.sources:
        texts = _read_source(texts, source)
    for line in request.add_roots:
        texts = add_signer(texts, line, (_ROOT_ROLE, _REVIEWER_ROLE))
    for line in request.add_reviewers:
        texts = add_signer(texts, line, (_REVIEWER_ROLE,))
    for line in request.add_agents:
        texts = add_signer(texts, line, (_AGENT_ROLE,))
    for keyid in request.drop_keys:
        texts = drop_key(texts, keyid)
    if request.root_threshold is not None:
        texts = set_root_threshold(texts, request.root_threshold)
    if request.edit:
        changed = edit_texts(texts.by_name(), load_settings(repository.root).settings.editor)
        texts = PolicyTexts(changed["allowed_signers"], changed["policy.toml"])
    return texts


def _read_source(texts: PolicyTexts, source: Path) -> PolicyTexts:
    """Reads a folder with one or both files, or a file: policy.toml if it ends in .toml, else allowed_signers."""
    found = read_named_texts(source, NAMES, _MAX_TEXT_BYTES)
    if not found:
        raise UsageError(f"{source} has neither allowed_signers nor policy.toml")
    for name, text in found.items():
        is_policy = name.endswith(".toml")
        texts = texts._replace(policy_toml=text) if is_policy else texts._replace(allowed_signers=text)
    return texts


def _build_entry(standing: PolicyState, texts: PolicyTexts, actor: str) -> Entry:
    """Builds the next policy, after everything that is verified now."""
    policies = standing.frontier.policies
    highest = max(policies[tip].version for tip in standing.tips)
    previous = min(tip for tip in standing.tips if policies[tip].version == highest)
    parents = build_parents(standing.verdict, read_now())
    numbered = set_version(texts, highest + 1)
    policy = build_policy_text(numbered, highest + 1, previous=previous)
    return parents.build_entry(EntryKind.POLICY, actor, policy=policy)


def _write(repository: Repository, file: Path, content: bytes) -> None:
    if is_inside(file, repository.root / OWN_FOLDER):
        raise UsageError(f"{file} is inside {OWN_FOLDER}/, which holds what is decided", "Write it elsewhere.")
    if not write_if_absent(file, content):
        raise LogPresentError(
            f"{file} already exists and was left alone: it may hold signatures",
            "Name another file with --output, or move it aside.",
        )


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
    memory: LogMemory


def prepare_signature(start: Path, file: Path, key_file: Path | None = None) -> PreparedSignature:
    """Collects what is shown before signing; refuses if the caller's signature would not count."""
    repository = open_repository(start)
    log = open_log(repository)
    standing = read_policy_state(log.verify())
    placed = place_proposal(standing, read_proposals([file]))
    report = build_report(file, standing, placed)
    _refuse_settled(standing, placed, report)
    refuse_senseless(placed)
    enrolled = [
        signer.key for policy in placed.deciding for keyid, signer in policy.signers.items() if keyid in placed.counting
    ]
    key = read_signing_key(repository.git, enrolled, key_file)
    keyid = parse_public_key(key.public_text).fingerprint
    principal = placed.counting.get(keyid)
    if principal is None:
        raise PolicyForbiddenError(
            f"your key {keyid} ({key.source}) has no say here: it is in no root role, or was not valid at "
            f"{placed.proposal.entry.time}",
            f"Who may sign: {', '.join(sorted(set(placed.counting.values())))}. Another key is named with --key FILE.",
        )
    signed = keyid in placed.proposal.signatures
    return PreparedSignature(file, standing, placed, report, key, keyid, principal, signed, log.memory)


def sign_proposal(prepared: PreparedSignature) -> SignReport:
    """Adds the signature to the file, and keeps what others have added meanwhile."""
    placed = prepared.placed
    if not prepared.signed:
        tool = prepared.key.build_tool(choose_prompt())
        armored = tool.sign(build_pae(placed.proposal.payload))
        prepared.memory.add_proposal(prepared.standing.verdict, placed.proposal.payload)
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
        raise PolicyForbiddenError(f"it is already in the log, as {sealed.id}; nothing is left to sign")
    if report.stale is not None:
        raise PolicyForbiddenError(report.stale, "Nothing was signed.")


@dataclass(frozen=True, slots=True)
class PreparedSeal:
    """A proposal with all its signatures, beside the log."""

    repository: Repository
    log: OpenLog
    proposal: Proposal
    report: ProposalReport
    sealed: Entry | None
    """The entry, if it is already in the log."""


def prepare_seal(start: Path, files: list[Path]) -> PreparedSeal:
    """Collects what would be sealed, and whether it can be. Several files are copies signed by different people."""
    repository = open_repository(start)
    log = open_log(repository)
    standing = read_policy_state(log.verify())
    proposal = read_proposals(files)
    placed = place_proposal(standing, proposal)
    report = build_report(", ".join(map(str, files)), standing, placed)
    return PreparedSeal(repository, log, proposal, report, find_sealed(standing, proposal))


def seal_policy(prepared: PreparedSeal, *, allow_void: bool = False) -> SealReport:
    """Adds the entry and rewrites the trust files. Under the lock everything is checked again."""
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

    appended = prepared.log.journal.append(build, despite=_find_fixed(prepared))
    return _build_seal_report(prepared, appended.entry, added=True, void=void)


def restore_trust(start: Path) -> tuple[str, ...]:
    """Rewrites the copies in `.handoff-tui/trust/` from the log, and returns their paths."""
    repository = open_repository(start)
    standing = read_policy_state(open_log(repository).verify())
    if standing.forked:
        raise LogBrokenError("the policy is forked: there are two texts, and neither is in force", "Settle it first.")
    (tip,) = standing.tips
    text = standing.entries[tip].policy
    assert text is not None  # noqa: S101 - a tip is a policy
    _write_copies(repository, text)
    return tuple(f".handoff-tui/trust/{name}" for name in NAMES)


def _find_fixed(prepared: PreparedSeal) -> tuple[str, ...]:
    """Names the fatal problem that this entry fixes: a fork, if it follows more than one policy."""
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
    """Finds entries that would no longer count: signed by a dropped key, and unknown when its drop was proposed."""
    found = find_voided(standing.verdict.entries, placed.proposal.entry.parents, placed.dropped)
    return tuple(one for one in found if one not in standing.verdict.void)


def _build_void_error(void: tuple[str, ...]) -> PolicyForbiddenError:
    return PolicyForbiddenError(
        f"{len(void)} entries were signed with a dropped key after this was proposed, and would no longer count: "
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
    write_trust_files(repository.root, text.files)
