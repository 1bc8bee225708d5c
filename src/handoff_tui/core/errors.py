"""Every exception raised on purpose: a message that says what is wrong, and a hint that says what to do.

Three base classes set the exit code of a command; every other error is a wrong call or a wrong file (2).
"""

from __future__ import annotations

from typing import ClassVar


class HandoffError(Exception):
    """The base of all expected failures."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BlockedError(HandoffError):
    """A rule, or the state of the repository, forbids it: exit code 1."""


class NotIntactError(HandoffError):
    """The signed log can't be relied on: exit code 3."""


class NobodySignsError(HandoffError):
    """Nobody is there who could decide or sign: exit code 4."""


class UsageError(HandoffError):
    """The arguments of a command are wrong, or don't go together."""


class OutputError(HandoffError):
    """Standard output can't be written: the disk is full, or the file isn't writable."""


class ConfigError(HandoffError):
    """A configuration file isn't TOML, or has an unknown key or a wrong value."""


class RepositoryError(HandoffError):
    """There is no repository here, or it can't be read safely."""


class GitError(HandoffError):
    """A git command failed unexpectedly."""


class ObjectMissingError(GitError):
    """A commit, tree or blob is not in this repository: a shallow or partial clone, or it was pruned."""


class CaptureError(HandoffError):
    """The work tree can't be captured: a file is unreadable, or the cache can't be written."""


class TreeMovedError(CaptureError):
    """The work tree kept changing while it was captured."""


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
    """A stored file is missing."""


class StoredFileDamagedError(HandoffError):
    """A stored file is a link, a pipe, too large, or its content doesn't match its name."""


class StoreWriteError(HandoffError):
    """One of our files can't be written: the disk is full or read-only, or something else is in the way."""


class DraftsUnkeptError(HandoffError):
    """A reviewer's drafts can't be stored; they are lost when the app closes."""


class WatchRefusedError(HandoffError):
    """The system refuses to watch the folders: a limit is reached, or the file system doesn't report changes."""


class FoldersMovedError(WatchRefusedError):
    """Folders kept coming and going while they were being watched. This is temporary."""


class TrustPolicyError(HandoffError):
    """The files of a trust policy are malformed, or contradict each other."""


class EntryRefusedError(HandoffError):
    """An entry is valid by itself but doesn't belong in the log; `code` is a stable word that says why."""

    def __init__(self, message: str, hint: str = "", *, code: str = "refused") -> None:
        super().__init__(message, hint)
        self.code = code


class LogBrokenError(NotIntactError):
    """The log has a fatal problem, which closes every gate."""


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
    """A file isn't a log bundle, or was repacked."""


class EntryNotFoundError(HandoffError):
    """No entry of the log has this id, or several begin with it."""


class LogLockedError(HandoffError):
    """Another process keeps the log locked."""


class WitnessDamagedError(NotIntactError):
    """The local list of entries seen before is damaged, so removed entries would go unnoticed."""


class AppendRefusedError(BlockedError):
    """An entry can't be added: the log is broken, or the new entry is invalid."""


class SigningError(NobodySignsError):
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


class DecisionForbiddenError(BlockedError):
    """The rules of the gate forbid this decision."""


class NoHumanError(NobodySignsError):
    """There is no person to decide: no terminal, no answer, or no person's key."""


class ProposalError(HandoffError):
    """A file isn't a policy proposal, or its signatures don't match."""


class PolicyForbiddenError(BlockedError):
    """A policy can't be proposed, signed or sealed like this: it makes no sense, or signatures are missing."""


class LogPresentError(BlockedError):
    """There is already a log, a policy or a pin. It was left alone."""


class LogMissingError(BlockedError):
    """There is no signed log in this repository."""


class AgentRunError(BlockedError):
    """A run of an agent can't be started, reached or found."""


class GateWaitsError(AgentRunError):
    """No agent is due: a person has to decide first."""


class PipelineDoneError(AgentRunError):
    """No agent is due: the last phase is behind the work."""


class PhaseLockedError(AgentRunError):
    """The phase is locked: an agent is running in it, or its lock was left behind."""


class BisectError(HandoffError):
    """The search for the commit that broke a check can't start: no good or bad end, or it can't run on old commits."""


class RollbackError(BlockedError):
    """A rollback, or undoing one, would lose work, or there is nothing to go back to."""


class ShownMovedError(BlockedError):
    """Something changed after a person confirmed it; they must look again."""


class ProcedureError(HandoffError):
    """A procedure can't run as asked: it is unknown, or something it needs is missing."""


class EngineError(HandoffError):
    """The engine that runs procedures can't use its database."""


class EngineMissingError(EngineError):
    """The engine, an optional extra, isn't installed."""


class McpMissingError(HandoffError):
    """The Python SDK of MCP, an optional extra, isn't installed."""


class WorkerPresentError(EngineError):
    """Another worker is running for this repository; two would repeat steps."""
