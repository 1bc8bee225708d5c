"""A log as files in a real repository, with real signatures, in which everything can be made wrong on purpose."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handoff_tui.core.errors import HandoffError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entries import canonical
from handoff_tui.log.entries.envelope import build_entry_id
from handoff_tui.log.entries.statement import build_payload, parse_entry
from handoff_tui.log.entries.times import add_seconds
from handoff_tui.log.entry import (
    NO_BASELINE,
    Decision,
    DecisionVerb,
    Entry,
    EntryKind,
    LogVerdict,
    PolicyText,
    Subject,
    Work,
)
from handoff_tui.log.gates.gate import judge_gate
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import find_policy, open_log
from handoff_tui.log.policy.signers import build_line
from handoff_tui.log.show.verify import VerifyOptions, verify_whole
from handoff_tui.log.show.view import LogReport
from handoff_tui.log.storage.trust_files import write_trust_files
from tests.support.log_keys import build_example_key, sign_payload
from tests.support.logs import build_policy_toml, build_question
from tests.support.repositories import RepositoryBuilder

START = "2026-01-01T00:00:00Z"
NOW = "2026-02-01T00:00:00Z"
SUBJECT = Subject(
    commit="a" * 40, tree="b" * 40, baseline=NO_BASELINE, snapshot="c" * 64, checks="d" * 64, handoff="e" * 64
)
SCOPED = SUBJECT.model_copy(update={"scope": "5" * 64, "start": "6" * 40})
"""As entries of the second version bind it."""


def build_signers(*names: str, **windows: str) -> str:
    """`allowed_signers` of people by name; `alice/2` is a second key of alice."""
    return "".join(build_line(name.partition("/")[0], build_example_key(name).public.text, **windows) for name in names)


@dataclass
class RealLog:
    """Entries are written one after the other; each follows all heads unless told otherwise."""

    builder: RepositoryBuilder
    entries: dict[str, Entry] = field(default_factory=dict)
    genesis: str = ""
    policy: str = ""

    @property
    def folder(self) -> Path:
        return self.builder.folder

    def begin(self, toml: str | None = None, signers: str | None = None, keys: tuple[str, ...] = ("alice",)) -> str:
        return self.add_policy(toml, signers, keys)

    def add_policy(
        self,
        toml: str | None = None,
        signers: str | None = None,
        keys: tuple[str, ...] = ("alice",),
        previous: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        is_first = not self.genesis
        before = self.entries[previous or self.policy].policy if not is_first else None
        text = PolicyText(
            version=changes.pop("version", 1 + (before.version if before else 0)),
            allowed_signers=build_signers("alice", "bob", "claude") if signers is None else signers,
            policy_toml=build_policy_toml() if toml is None else toml,
            previous=None if is_first else previous or self.policy,
            nonce=changes.pop("nonce", "0" * 32) if is_first else None,
        )
        found = self.add(EntryKind.POLICY, "alice", keys, policy=text, **changes)
        self.genesis = self.genesis or found
        self.policy = found
        texts = {"allowed_signers": text.allowed_signers, "policy.toml": text.policy_toml}
        write_trust_files(self.folder, texts)
        return found

    def decide(
        self,
        actor: str = "alice",
        verb: str = "approve",
        key: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry
    ) -> str:
        reason = changes.pop("reason", "" if verb in {"approve", "carry"} else f"{verb} because")
        regards = changes.pop("regards", ())
        review = changes.pop("review", "f" * 64)
        decision = Decision(verb=DecisionVerb(verb), reason=reason, regards=regards, review=review)
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_DECISION if work.subject.scope else EntryKind.DECISION
        return self.add(kind, actor, (key or actor,), work=work, decision=decision, **changes)

    def submit(self, actor: str = "claude", **changes: Any) -> str:  # noqa: ANN401 - any field of an entry
        work = self._build_work(changes)
        kind = EntryKind.SCOPED_SUBMISSION if work.subject.scope else EntryKind.SUBMISSION
        return self.add(kind, actor, (actor,), work=work, **changes)

    def add(self, kind: EntryKind, actor: str, keys: tuple[str, ...], **fields: Any) -> str:  # noqa: ANN401 - as above
        """Signs an entry with keys by name, and writes its file."""
        parents = fields.pop("parents", None)
        above = self.heads() if parents is None else tuple(sorted(parents))
        known = [self.entries[parent] for parent in above if parent in self.entries]
        defaults: dict[str, Any] = {
            "seq": 1 + max((entry.seq for entry in known), default=0),
            "time": add_seconds(max((entry.time for entry in known), default=START), 60),
            "log": self.genesis or None,
        }
        entry = Entry(id="", kind=kind, actor=actor, parents=above, **{**defaults, **fields})
        content = sign_payload(build_payload(entry), *(build_example_key(name) for name in keys))
        return self.store(content)

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

    def heads(self) -> tuple[str, ...]:
        followed = {parent for entry in self.entries.values() for parent in entry.parents}
        return tuple(sorted(self.entries.keys() - followed))

    def verify(self, **demands: Any) -> LogReport:  # noqa: ANN401 - any field of VerifyOptions
        return verify_at(self.folder, **demands)

    def judge(self, **changes: Any) -> GateReport:  # noqa: ANN401 - any field of GateQuestion
        return judge_at(self.folder, **changes)

    def _note(self, content: bytes) -> None:
        try:
            entry = parse_entry(content).entry
        except HandoffError:
            return
        self.entries[entry.id] = entry

    def _build_work(self, changes: dict[str, Any]) -> Work:
        return Work(
            handoff=changes.pop("handoff", "H-1"),
            phase=changes.pop("phase", "implement"),
            attempt=changes.pop("attempt", 1),
            producers=changes.pop("producers", ("claude",)),
            policy=changes.pop("policy_id", self.policy),
            subject=changes.pop("subject", SUBJECT),
        )


def verify_at(folder: Path, **demands: Any) -> LogReport:  # noqa: ANN401 - any field of VerifyOptions
    """The real verification, as `log verify` runs it."""
    return verify_whole(open_repository(folder), VerifyOptions(**demands))


def read_verdict(folder: Path) -> LogVerdict:
    return open_log(open_repository(folder), remembered=False).verify()


def judge_at(folder: Path, **changes: Any) -> GateReport:  # noqa: ANN401 - any field of GateQuestion
    """The gate of H-1, judged on the log as it verifies there."""
    verdict = read_verdict(folder)
    return judge_gate(build_log_index(verdict), find_policy(verdict), build_question(**changes))


def list_codes(report: LogReport, level: str | None = None) -> list[str]:
    """The codes of a report's problems, of one level or all."""
    return [problem.code for problem in report.problems if level in {None, problem.level}]


def find_problem(report: LogReport, code: str) -> str:
    """The text of the first problem with a code."""
    return next(problem.text for problem in report.problems if problem.code == code)
