"""What each kind of entry consists of: its fields, and its subjects in order. A new kind is a new row here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from handoff_tui.log.entries import fields
from handoff_tui.log.entry import EntryKind

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
DIGESTS: Final = {"sha256": fields.SHA256, "gitCommit": fields.GIT_OBJECT, "gitTree": fields.GIT_OBJECT}
"""The grammar of each kind of digest."""
_SHARED: Final = frozenset({"actor", "parents", "seq", "time"})
_WORK: Final = _SHARED | {"attempt", "handoff", "log", "phase", "policy", "producers"}
_POLICY_SUBJECTS: Final = {"allowed_signers": "sha256", "policy.toml": "sha256"}
_WORK_SUBJECTS: Final = {
    "commit": "gitCommit",
    "tree": "gitTree",
    "baseline": "sha256",
    "snapshot": "sha256",
    "checks": "sha256",
    "handoff": "sha256",
}


_SCOPED_SUBJECTS: Final = {
    "commit": "gitCommit",
    "tree": "gitTree",
    "scope": "sha256",
    "start": "gitCommit",
    "snapshot": "sha256",
    "checks": "sha256",
    "handoff": "sha256",
}
_DECIDED: Final = _WORK | {"decision", "reason", "regards"}


class EntryForm(NamedTuple):
    """The form of one kind of entry: every field is mandatory, and there are no others."""

    kind: EntryKind
    name: str
    """For error messages."""
    fields: frozenset[str]
    subjects: Mapping[str, str]
    """Each subject's name with its kind of digest, in order."""


GENESIS: Final = EntryForm(EntryKind.POLICY, "the policy", _SHARED | {"files", "nonce", "version"}, _POLICY_SUBJECTS)
POLICY: Final = EntryForm(
    EntryKind.POLICY, "the policy", _SHARED | {"files", "log", "previous", "version"}, _POLICY_SUBJECTS
)
SUBMISSION: Final = EntryForm(EntryKind.SUBMISSION, "the submission", _WORK, _WORK_SUBJECTS)
DECISION: Final = EntryForm(EntryKind.DECISION, "the decision", _DECIDED, {**_WORK_SUBJECTS, "review": "sha256"})
SCOPED_SUBMISSION: Final = EntryForm(EntryKind.SCOPED_SUBMISSION, "the submission", _WORK, _SCOPED_SUBJECTS)
SCOPED_DECISION: Final = EntryForm(
    EntryKind.SCOPED_DECISION, "the decision", _DECIDED, {**_SCOPED_SUBJECTS, "review": "sha256"}
)
FORMS: Final = {form.kind: form for form in (POLICY, SUBMISSION, DECISION, SCOPED_SUBMISSION, SCOPED_DECISION)}
"""By kind; the first policy of a log has `GENESIS` instead."""
