"""Proposes the next policy: changes the texts, checks them for faults, and writes a file that people sign in turn."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.config.load import load_settings
from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import LogPresentError, PolicyForbiddenError, UsageError
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import read_local_keys
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Entry, EntryKind, PolicyText
from handoff_tui.log.journal import build_parents
from handoff_tui.log.open_log import open_log
from handoff_tui.log.policy.faults import find_keys_together
from handoff_tui.log.policy.reports import ProposalReport
from handoff_tui.log.policy.signer import read_principal
from handoff_tui.log.policy.texts import (
    PolicyTexts,
    add_signer,
    build_policy_text,
    drop_key,
    set_root_threshold,
    set_version,
)
from handoff_tui.log.proposals.proposal import (
    PolicyState,
    build_proposal,
    build_report,
    place_proposal,
    read_policy_state,
    refuse_senseless,
    render_proposal,
)
from handoff_tui.log.storage.trust_files import NAMES
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.named_files import is_inside, read_named_texts, write_if_absent
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
