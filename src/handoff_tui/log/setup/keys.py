"""Enrols a key: builds the line of allowed_signers for it."""

from __future__ import annotations

import re
from pathlib import Path

from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import UsageError
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import SigningKey, read_key_file, read_signing_key
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.policy.reports import EnrolmentReport
from handoff_tui.log.policy.signer import read_principal
from handoff_tui.log.policy.signers import build_line

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class EnrolRequest:
    """Whose key to enrol, and how long it counts."""

    principal: str | None = None
    key_file: Path | None = None
    valid_after: str | None = None
    valid_before: str | None = None
    agent: bool = False


def enrol_key(start: Path, request: EnrolRequest) -> EnrolmentReport:
    """Builds the line for a key, by default the caller's own, under the e-mail address of their git identity."""
    repository = open_repository(start)
    if request.agent and (request.principal is None or request.key_file is None):
        raise UsageError(
            "an agent's key isn't yours: name it",
            "handoff-tui keys enroll --agent --principal claude@agents.example --key FILE.pub",
        )
    principal = read_principal(repository, request.principal, "--principal")
    valid_after, valid_before = parse_moment(request.valid_after), parse_moment(request.valid_before, end=True)
    if valid_after and valid_before and valid_after > valid_before:
        raise UsageError(f"a key that is valid from {valid_after} until {valid_before} is never valid")
    key = parse_public_key(_find_key(repository, request).public_text)
    policy = find_policy(open_log(repository).verify())
    return EnrolmentReport(
        principal=principal,
        keyid=key.fingerprint,
        type=key.type.value,
        agent=request.agent,
        line=build_line(principal, key.text, valid_after=valid_after, valid_before=valid_before).rstrip("\n"),
        known=policy is not None and key.fingerprint in policy.signers,
    )


def parse_moment(text: str | None, *, end: bool = False) -> str | None:
    """Parses a day (its first second, or its last) or a time such as `2026-01-31T12:00:00Z`; all in UTC."""
    if text is None:
        return None
    moment = f"{text}T{'23:59:59' if end else '00:00:00'}Z" if _DAY.fullmatch(text) else text
    try:
        parse_time(moment)
    except ValueError as wrong:
        raise UsageError(f"{text} is neither a day nor a time", "Write 2026-01-31, or 2026-01-31T12:00:00Z.") from wrong
    return moment


def _find_key(repository: Repository, request: EnrolRequest) -> SigningKey:
    return read_key_file(request.key_file) if request.key_file is not None else read_signing_key(repository.git)
