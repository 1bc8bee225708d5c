"""`allowed_signers`: who signs with which key, in OpenSSH's file format, read strictly."""

from __future__ import annotations

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import PublicKeyMalformedError, TrustPolicyError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.entries.fields import PRINCIPAL
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.entries.times import parse_time

_OPTION = compile_later(r'(namespaces|valid-after|valid-before)="([^"\\]*)"')
_MOMENT = compile_later(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:([0-9]{2})([0-9]{2})([0-9]{2})?)?Z")


class Signer(NamedTuple):
    """One line: a principal, a key, and when the key counts."""

    principal: str
    keyid: str
    key: str
    """Type and base64, as written."""
    valid_after: str | None
    valid_before: str | None

    def covers(self, time: str) -> bool:
        """Whether the key counts at a time; both ends are included, as in ssh-keygen. Times sort as text."""
        return (self.valid_after or "") <= time and (self.valid_before is None or time <= self.valid_before)


def parse_allowed_signers(text: str) -> dict[str, Signer]:
    """Returns signers by the fingerprint of their key. One malformed line, and the file is refused."""
    signers: dict[str, Signer] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        signer = _parse_line(line, number)
        if signer.keyid in signers:
            raise TrustPolicyError(f"allowed_signers, line {number}: the key {signer.keyid} appears twice")
        signers[signer.keyid] = signer
    return signers


def build_line(principal: str, key: str, *, valid_after: str | None = None, valid_before: str | None = None) -> str:
    """Builds a line for one signer; `key` is the type and base64 of a public key, times are as in entries."""
    options = [f'namespaces="{NAMESPACE}"']
    options += [
        f'{name}="{_write_moment(moment)}"'
        for name, moment in (("valid-after", valid_after), ("valid-before", valid_before))
        if moment is not None
    ]
    return f"{principal} {','.join(options)} {key}\n"


def _parse_line(line: str, number: int) -> Signer:
    fields = line.split(" ")
    if len(fields) < 4 or not all(fields[:4]) or not line.isprintable():  # noqa: PLR2004 - as the message says
        raise TrustPolicyError(f'allowed_signers, line {number}: not "principal options key-type key"')
    principal, options, kind, blob = fields[:4]
    if not PRINCIPAL.fullmatch(principal):
        raise TrustPolicyError(f"allowed_signers, line {number}: {principal!r} is not one plain principal")
    found = _parse_options(options, number)
    if found.get("namespaces") != NAMESPACE:
        raise TrustPolicyError(f'allowed_signers, line {number}: namespaces="{NAMESPACE}" is missing')
    try:
        key = parse_public_key(f"{kind} {blob}")
    except PublicKeyMalformedError as wrong:
        raise TrustPolicyError(f"allowed_signers, line {number}: {wrong.message}", wrong.hint) from wrong
    return Signer(
        principal=principal,
        keyid=key.fingerprint,
        key=f"{kind} {blob}",
        valid_after=_read_moment(found.get("valid-after"), number),
        valid_before=_read_moment(found.get("valid-before"), number),
    )


def _parse_options(options: str, number: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for option in options.split(","):
        match = _OPTION.fullmatch(option)
        if match is None or match.group(1) in found:
            raise TrustPolicyError(
                f"allowed_signers, line {number}: {option!r} is not an option that is allowed here, or appears twice",
                "Allowed are namespaces, valid-after and valid-before; no wildcards and no certificates.",
            )
        found[match.group(1)] = match.group(2)
    return found


def _read_moment(text: str | None, number: int) -> str | None:
    """Converts a UTC time from OpenSSH's form to that of entries."""
    if text is None:
        return None
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise TrustPolicyError(f"allowed_signers, line {number}: {text!r} is not a UTC time such as 20260131120000Z")
    year, month, day, hour, minute, second = (part or "00" for part in match.groups())
    time = f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
    try:
        parse_time(time)
    except ValueError as wrong:
        raise TrustPolicyError(f"allowed_signers, line {number}: {text!r} is not a time that exists") from wrong
    return time


def _write_moment(time: str) -> str:
    return "".join(character for character in time if character.isdigit()) + "Z"
