"""A log as files in a real repository, with real signatures, in which everything can be made wrong on purpose."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_entry_id
from handoff_tui.log.entries.statement import build_payload, parse_entry
from handoff_tui.log.entry import (
    Entry,
    LogVerdict,
)
from handoff_tui.log.gates.gate import judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.show.verify import VerifyOptions, verify_whole
from handoff_tui.log.show.view import LogReport
from handoff_tui.log.storage.trust_files import write_trust_files
from tests.support import logs
from tests.support.log_keys import build_example_key, sign_payload
from tests.support.logs import FIRST_VERSION_SUBJECT, LogStory, build_question
from tests.support.repositories import RepositoryBuilder

SUBJECT = FIRST_VERSION_SUBJECT
SCOPED = logs.SUBJECT
"""As entries of the second version bind it."""


class RealLog(LogStory):
    """Every entry is a file with real signatures; so are the copies of the policy."""

    usual_subject = SUBJECT

    def __init__(self, builder: RepositoryBuilder) -> None:
        super().__init__()
        self.builder = builder

    @property
    def folder(self) -> Path:
        return self.builder.folder

    def begin(self, toml: str | None = None, signers: str | None = None, keys: tuple[str, ...] = ("alice",)) -> str:
        return self.add_policy(toml, signers, keys)

    def write_entry(self, entry: Entry, keys: tuple[str, ...], **_: Any) -> str:  # noqa: ANN401 - none is needed
        if entry.policy is not None:
            texts = {"allowed_signers": entry.policy.allowed_signers, "policy.toml": entry.policy.policy_toml}
            write_trust_files(self.folder, texts)
        return self.store(sign_payload(build_payload(entry), *map(build_example_key, keys)))

    def store(self, content: bytes) -> str:
        """Writes a file under its hash, whatever it is; its id."""
        identifier = build_entry_id(content)
        self.write(identifier, content)
        return identifier

    def write(self, identifier: str, content: bytes) -> Path:
        """Writes a file under the name of an entry, whatever it is."""
        place = self.place(identifier)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        if build_entry_id(content) == identifier:
            self._note(content)
        return place

    def place(self, identifier: str) -> Path:
        digest = identifier.removeprefix("sha256:")
        return self.folder / ".handoff-tui" / "log" / digest[:2] / f"{digest}.intoto.jsonl"

    def read(self, identifier: str) -> bytes:
        return self.place(identifier).read_bytes()

    def rewrite(self, identifier: str, change: Callable[[dict[str, Any]], object], *keys: str) -> bytes:
        """The file of an entry with a changed payload; signed by these keys, or with the old signatures."""
        envelope = json.loads(self.read(identifier))
        statement = json.loads(base64.b64decode(envelope["payload"]))
        change(statement)
        payload = canonical.encode(statement)
        if keys:
            return sign_payload(payload, *(build_example_key(name) for name in keys))
        envelope["payload"] = base64.b64encode(payload).decode()
        return canonical.encode(envelope) + b"\n"

    def verify(self, **demands: Any) -> LogReport:  # noqa: ANN401 - any field of VerifyOptions
        return verify_at(self.folder, **demands)

    def forget(self) -> None:
        """A machine that has never seen this log."""
        open_log(open_repository(self.folder)).forget(self.genesis)

    def vouch(self) -> None:
        """Somebody has looked at this log and takes it for the right one."""
        log = open_log(open_repository(self.folder), remembered=False)
        log.consent(log.verify())

    def judge(self, **changes: Any) -> GateReport:  # noqa: ANN401 - any field of GateQuestion
        return judge_at(self.folder, **changes)

    def _note(self, content: bytes) -> None:
        try:
            entry = parse_entry(content).entry
        except HandoffError:
            return
        self.entries[entry.id] = entry


def verify_at(folder: Path, **demands: Any) -> LogReport:  # noqa: ANN401 - any field of VerifyOptions
    """The real verification, as `log verify` runs it."""
    return verify_whole(open_repository(folder), VerifyOptions(**demands))


def read_verdict(folder: Path) -> LogVerdict:
    return open_log(open_repository(folder), remembered=False).verify()


def judge_at(folder: Path, **changes: Any) -> GateReport:  # noqa: ANN401 - any field of GateQuestion
    """The gate of H-1, judged on the log as it verifies there."""
    verdict = read_verdict(folder)
    return judge_gate(build_log_index(verdict), find_policy(verdict), build_question(**changes))


def list_codes(report: LogReport | LogVerdict, level: str | None = None) -> list[str]:
    """The codes of a report's problems, of one level or all."""
    return [problem.code for problem in report.problems if level in {None, problem.level}]


def find_problem(report: LogReport, code: str) -> str:
    """The text of the first problem with a code."""
    return next(problem.text for problem in report.problems if problem.code == code)
