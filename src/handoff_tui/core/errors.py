"""Every exception raised on purpose. Each has a message that says what is wrong and a hint that says what to do.

HandoffError
├── UsageError            the call's words are off
├── OutputError           what was asked for cannot be written to standard output
├── ConfigError           a configuration file cannot be used
├── RepositoryError       there is no repository here that can be read
├── GitError              a git command failed
│   └── ObjectMissingError       a commit, tree or blob that is asked about is not here
├── CaptureError          the work tree cannot be captured as it is
│   └── TreeMovedError           it changed again and again while it was captured
├── UnsafePathError       a path leads out of the repository
├── FileUnreadableError   a file cannot be read as text
├── HandoffNotFoundError  no handoff has this id
├── HookError             a git hook cannot be written or removed as asked
├── SnapshotUnusableError  a stored snapshot or pin is not of a form that is read here
├── StoredFileMissingError  a stored file that is named by its digest is not there
├── StoredFileDamagedError  a stored file is not what its name says
├── StoreWriteError       a file of ours cannot be written
├── DraftsUnkeptError     what a reviewer wrote cannot be kept on disk
├── WatchRefusedError     the system does not let the folders be watched
│   └── FoldersMovedError        they came and went while they were taken in
├── TrustPolicyError      a trust policy is malformed or makes no sense
├── EntryRefusedError     an entry has no place in the log
├── ReviewRecordError     a review record cannot be read
├── DecisionForbiddenError  the rules of the gate forbid a decision
├── NoHumanError          nobody is there who could decide
├── ProposalError         a file is no proposal of a policy
├── PolicyForbiddenError  a policy may not be proposed, signed or sealed like this
├── LogMissingError       there is no signed log here
├── LogPresentError       there is a log already, and it is left alone
├── LogBrokenError        the signed log has a fatal fault
├── LogEntryError         the bytes of a log entry are not what they must be
│   ├── EntryTooLargeError       it is over the size limit
│   ├── NotCanonicalError        its JSON is not the one canonical form
│   ├── EnvelopeMalformedError   the envelope has other fields, order or encoding
│   ├── KeyIdMismatchError       a signature is filed under another key's name
│   ├── EntrySchemaError         a field is missing, unknown or out of its grammar
│   ├── PublicKeyMalformedError  a public key is none, or of a type that is not accepted
│   ├── SignatureMalformedError  a signature is not in the one strict form
│   ├── SignatureForeignError    a signature was made for another purpose
│   └── SignatureInvalidError    a signature does not fit the key and the content
├── BundleMalformedError  a file is not the bundle of a log in its one form
├── EntryNotFoundError    no entry of the log has this id
├── LogLockedError        another process is writing the log
├── WitnessDamagedError   what was once seen of the log cannot be read
├── AppendRefusedError    an entry may not be added to the log as it is
├── AgentRunError         a run of an agent cannot be started, reached or found
│   └── PhaseLockedError         somebody is at work in the phase already
├── BisectError           it cannot be searched when a check began to fail
├── RollbackError         a rollback, or its undoing, would lose something
├── ShownMovedError       what was shown is not what would be done any more
├── ProcedureError        a procedure cannot be run as asked
├── EngineError           the engine under procedures cannot be used
│   ├── EngineMissingError       it is not installed
│   └── WorkerPresentError       a worker is at work here already
├── SigningError          nothing could be signed
│   ├── SshKeygenMissingError  there is no ssh-keygen
│   ├── SigningKeyMissingError  there is no key to sign with
│   ├── KeyLockedError  the key needs a passphrase that nobody gave
│   └── SigningRefusedError  the ssh-agent, the security key or its owner said no
└── DemoError             the sample repository cannot be built
"""

from __future__ import annotations

from typing import ClassVar


class HandoffError(Exception):
    """The base of all expected failures."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HandoffError):
    """The arguments of the command don't fit together."""


class OutputError(HandoffError):
    """Standard output can't be written: the disk is full, or the file is not writable."""


class ConfigError(HandoffError):
    """A configuration file has an unknown key, a wrong value, or is not TOML."""


class RepositoryError(HandoffError):
    """There is no repository here, or none that can be read safely."""


class GitError(HandoffError):
    """A git command exited with an error that the caller did not expect."""


class ObjectMissingError(GitError):
    """A commit, tree or blob is not in this repository: a shallow or partial clone, or it was pruned."""


class CaptureError(HandoffError):
    """The work tree can't be captured: something in it is unreadable, or our cache can't be written."""


class TreeMovedError(CaptureError):
    """The work tree changed while it was captured, and again during the retry."""


class UnsafePathError(HandoffError):
    """A path, or a link on it, leads out of the repository."""


class FileUnreadableError(HandoffError):
    """A file is missing, too large, not a regular file, or not readable."""


class HandoffNotFoundError(HandoffError):
    """No handoff in this repository has this id."""


class DemoError(HandoffError):
    """The sample repository can't be built at the requested place."""


class HookError(HandoffError):
    """A git hook can't be written or removed without losing something, or it would have no effect there."""


class SnapshotUnusableError(HandoffError):
    """A stored snapshot, or the table of pins, isn't JSON, has another version, or has unknown fields."""


class StoredFileMissingError(HandoffError):
    """A file named by its digest isn't in the store."""


class StoredFileDamagedError(HandoffError):
    """A stored file is a link, a pipe, too large, or its content doesn't match its name."""


class StoreWriteError(HandoffError):
    """One of our files can't be written: the disk is full or read-only, or something else is in the way."""


class DraftsUnkeptError(HandoffError):
    """Comments, marks and reasons can't be stored on disk; they last until the app closes."""


class WatchRefusedError(HandoffError):
    """The system refuses to watch the folders: a limit is reached, or the file system doesn't report changes."""


class FoldersMovedError(WatchRefusedError):
    """Folders came and went each time they were about to be watched. This is temporary."""


class TrustPolicyError(HandoffError):
    """The files of a trust policy are malformed, or contradict each other."""


class EntryRefusedError(HandoffError):
    """An entry is intact but doesn't belong in the log; `code` is a stable word that says why."""

    def __init__(self, message: str, hint: str = "", *, code: str = "refused") -> None:
        super().__init__(message, hint)
        self.code = code


class LogBrokenError(HandoffError):
    """The log has a fatal fault, which closes every gate until a person has looked at it."""


class LogEntryError(HandoffError):
    """The bytes of a log entry are invalid; `code` is a stable word that says how."""

    code: ClassVar[str] = "bad-entry"


class EntryTooLargeError(LogEntryError):
    """An entry, or a part of it, is over the size limit."""

    code = "too-large"


class NotCanonicalError(LogEntryError):
    """JSON that isn't in the one canonical form, or contains something the format doesn't allow."""

    code = "not-canonical"


class EnvelopeMalformedError(LogEntryError):
    """The envelope has wrong fields, a wrong order or a wrong encoding."""

    code = "bad-envelope"


class KeyIdMismatchError(LogEntryError):
    """A signature is filed under a key that didn't make it."""

    code = "keyid-mismatch"


class EntrySchemaError(LogEntryError):
    """A field of an entry is missing, unknown, or malformed."""

    code = "bad-schema"


class PublicKeyMalformedError(LogEntryError):
    """A public key is damaged, too weak, or of an unaccepted type."""

    code = "bad-key"


class SignatureMalformedError(LogEntryError):
    """A signature is not an OpenSSH signature in the one strict form."""

    code = "bad-signature-form"


class SignatureForeignError(LogEntryError):
    """A signature was made for another purpose: a git commit, a login, another program's log."""

    code = "foreign-signature"


class SignatureInvalidError(LogEntryError):
    """A signature doesn't match its key and the signed content."""

    code = "bad-signature"


class BundleMalformedError(HandoffError):
    """A file isn't a log bundle, or isn't in the one form that bundles have."""


class EntryNotFoundError(HandoffError):
    """No entry of the log has this id, or several begin with it."""


class LogLockedError(HandoffError):
    """Another process has held the lock of the log for too long."""


class WitnessDamagedError(HandoffError):
    """The local record of entries once seen valid is damaged; without it, a rolled-back log would go unnoticed."""


class AppendRefusedError(HandoffError):
    """An entry can't be added: the log is broken, or the new entry is invalid."""


class SigningError(HandoffError):
    """No signature could be made; the subclasses say why."""


class SshKeygenMissingError(SigningError):
    """ssh-keygen isn't installed, or isn't on the search path."""


class SigningKeyMissingError(SigningError):
    """No signing key is configured or found, or its file is missing."""


class KeyLockedError(SigningError):
    """The key is protected, the ssh-agent doesn't hold it, and no passphrase was given."""


class SigningRefusedError(SigningError):
    """The ssh-agent refused, or nobody touched the security key."""


class ReviewRecordError(HandoffError):
    """The record of what a reviewer saw and wrote can't be read."""


class DecisionForbiddenError(HandoffError):
    """The rules of the gate forbid this decision."""


class NoHumanError(HandoffError):
    """No person is there to decide: no terminal, no key of a person, no answer."""


class ProposalError(HandoffError):
    """A file isn't a policy proposal, or its signatures don't match."""


class PolicyForbiddenError(HandoffError):
    """A policy can't be proposed, signed or sealed like this: it makes no sense, or signatures are missing."""


class LogPresentError(HandoffError):
    """There is a log, a policy or a pin already; nothing was changed."""


class LogMissingError(HandoffError):
    """There is no signed log in this repository."""


class AgentRunError(HandoffError):
    """A run of an agent can't be started, reached or found."""


class PhaseLockedError(AgentRunError):
    """The phase is locked: an agent is running in it, or its lock was left behind."""


class BisectError(HandoffError):
    """The search for the commit that broke a check can't start: no good or bad end, or it can't run on old commits."""


class RollbackError(HandoffError):
    """A rollback, or undoing one, would lose unexplained work, or there is nothing to go back to."""


class ShownMovedError(HandoffError):
    """What a person confirmed is no longer what would be done; they must look again."""


class ProcedureError(HandoffError):
    """A procedure can't run as asked: it is unknown, or something it needs is missing."""


class EngineError(HandoffError):
    """The engine that runs procedures can't be used: its database is unreachable, or isn't what it should be."""


class EngineMissingError(EngineError):
    """The engine is an optional extra, and isn't installed."""


class WorkerPresentError(EngineError):
    """Another worker is running for this repository, and two would repeat steps."""
