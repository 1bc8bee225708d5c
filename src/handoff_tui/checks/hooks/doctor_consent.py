"""Finds out whether you can sign, and what keeps an agent from signing as you: key, programs, terminal, policy."""

from __future__ import annotations

import os
from collections.abc import Iterator

from handoff_tui.checks.hooks.doctor_report import Diagnosis
from handoff_tui.checks.hooks.doctor_texts import Texts, list_ci
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.repository import Repository
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key, list_exposed
from handoff_tui.git.signing.signing_key import SigningKey, read_local_keys, read_signing_key
from handoff_tui.log.open_log import PIN_VARIABLE, find_policy, open_log
from handoff_tui.log.policy.faults import find_keys_together
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.protection import Wall
from handoff_tui.system.processes.agent_marks import find_agents_of_user
from handoff_tui.system.processes.terminal import is_input_injectable

_EDIT = ("handoff-tui policy propose --edit",)
_SOLO = (
    "the policy is solo: your own signature approves what agents commit under your name. It doesn't show that a "
    "second person looked, or that it was you: an agent that runs as you and can use your key can sign, too. "
    "A key that must be touched (require_user_presence), `ssh-add -c`, another user account for agents, "
    "or a second reviewer prevents that"
)
_SET_KEY = ("git config --global gpg.format ssh", "git config --global user.signingkey ~/.ssh/id_ed25519.pub")
_PINNED = (PIN_VARIABLE, "--pin")


def diagnose_consent(repository: Repository, texts: Texts) -> tuple[Diagnosis, ...]:
    """Says whether you can sign, and what would let an agent do so; only the first counts against the verdict."""
    policy = find_policy(open_log(repository).verify())
    key = _read_key(repository, policy)
    grade = grade_key(key) if isinstance(key, SigningKey) else None
    return (
        _diagnose_key(key),
        *_diagnose_grade(grade),
        _diagnose_programs(repository),
        *_diagnose_terminal(),
        *_diagnose_solo(policy, grade),
        *_diagnose_keys_together(repository, policy),
        *(() if policy is None else _diagnose_protection(policy, grade, texts)),
    )


def _read_key(repository: Repository, policy: Policy | None) -> SigningKey | HandoffError:
    """Returns the key that would sign, or why there is none."""
    enrolled = [] if policy is None else [signer.key for signer in policy.signers.values()]
    try:
        return read_signing_key(repository.git, enrolled)
    except HandoffError as missing:
        return missing


def _diagnose_key(key: SigningKey | HandoffError) -> Diagnosis:
    if isinstance(key, SigningKey):
        return Diagnosis.ok("signing-key", f"decisions are signed with your key ({key.source})")
    return Diagnosis.missing("signing-key", f"you can't sign decisions: {key.message}", commands=_SET_KEY)


def _diagnose_grade(grade: KeyGrade | None) -> Iterator[Diagnosis]:
    if grade is None:
        return
    if grade.is_weak:
        yield Diagnosis.weak("key-protection", f"your signing key: {grade.words}. {grade.advice}")
    elif grade is KeyGrade.UNKNOWN:
        yield Diagnosis.unknown("key-protection", f"your signing key: {grade.words}", counts=False)
    else:
        yield Diagnosis.ok("key-protection", f"your signing key: {grade.words}", counts=False)


def _diagnose_programs(repository: Repository) -> Diagnosis:
    exposed = list_exposed(repository.git)
    if exposed:
        return Diagnosis.weak("signing-programs", "; ".join(one.words for one in exposed))
    if os.geteuid() == 0:
        message = "you are root, so every program that runs as you can replace git, ssh-keygen and this one"
        return Diagnosis.weak("signing-programs", message)
    return Diagnosis.ok("signing-programs", "your account can't replace git, ssh-keygen or the signer", counts=False)


def _diagnose_terminal() -> Iterator[Diagnosis]:
    if is_input_injectable():
        message = (
            "the kernel lets a background program type into its terminal (TIOCSTI), so an agent started from a "
            "terminal can answer a question asked there. Decide in a terminal that started no agent, or turn it off"
        )
        yield Diagnosis.weak("terminal-input", message, ("sudo sysctl -w dev.tty.legacy_tiocsti=0",))


def _diagnose_solo(policy: Policy | None, grade: KeyGrade | None) -> Iterator[Diagnosis]:
    if policy is None or not any(map(policy.may_approve_own, policy.reviewers)):
        return
    also = ". Your key doesn't prevent it now" if grade is not None and grade.is_weak else ""
    yield Diagnosis.weak("solo-policy", f"{_SOLO}{also}", _EDIT)


def _diagnose_keys_together(repository: Repository, policy: Policy | None) -> Iterator[Diagnosis]:
    if policy is not None and len(policy.signers) > 1:
        for text in find_keys_together(policy, read_local_keys(repository.git)):
            yield Diagnosis.weak("keys-together", text)


def _diagnose_protection(policy: Policy, grade: KeyGrade | None, texts: Texts) -> Iterator[Diagnosis]:
    """Compares what people said with what can be seen from here."""
    if policy.protection is None:
        message = (
            f"the policy doesn't say what keeps agents from signing as you: protection = [...], of {', '.join(Wall)}"
        )
        yield Diagnosis.weak("protection", message, _EDIT)
    elif not policy.protection:
        yield Diagnosis.weak("protection", "the policy says that nothing keeps agents from signing as you")
    for wall in sorted(policy.protection or ()):
        name = f"protection:{wall}"
        against = _find_contradiction(wall, policy, grade, texts)
        if against:
            yield Diagnosis.weak(name, f"the policy says: {wall.words}. {against}")
        elif wall is Wall.CONFIRM:
            message = f"the policy says: {wall.words}. No agent tells, so this can't be checked"
            yield Diagnosis.unknown(name, message, counts=False)
        else:
            yield Diagnosis.ok(name, f"the policy says: {wall.words}; nothing here rules it out", counts=False)


def _find_contradiction(wall: Wall, policy: Policy, grade: KeyGrade | None, texts: Texts) -> str:
    """Says what is seen here that rules out a wall; empty if nothing does."""
    match wall:
        case Wall.OTHER_USER:
            agents = ", ".join(f"{mark.host} (process {mark.ancestor})" for mark in find_agents_of_user())
            return f"But under your account there is now: {agents}" if agents else ""
        case Wall.CI:
            read = (texts.read(path) or "" for path in list_ci(texts))
            is_pinned = any("handoff-tui" in text and any(one in text for one in _PINNED) for text in read)
            return "" if is_pinned else f"But no CI file here runs handoff-tui with {PIN_VARIABLE} or --pin"
        case Wall.TOUCH:
            return _find_untouched(policy, grade)
        case Wall.PASSPHRASE:
            return f"But of your key: {grade.words}" if grade is not None and grade.is_weak else ""
        case Wall.CONFIRM:
            return f"But of your key: {grade.words}" if grade is KeyGrade.OPEN else ""
        case Wall.TWO_PEOPLE:
            alone = sorted(phase for phase, rule in policy.gates.items() if rule.threshold == 1 and not rule.require)
            return f"But one person is enough at the gate {', '.join(alone)}" if alone else ""


def _find_untouched(policy: Policy, grade: KeyGrade | None) -> str:
    if grade is not None and grade is not KeyGrade.TOUCH:
        return f"But of your key: {grade.words}"
    free = sorted(phase for phase, rule in policy.gates.items() if not rule.require_user_presence)
    return f"But a signature without a touch counts, too, at the gate {', '.join(free)}" if free else ""
