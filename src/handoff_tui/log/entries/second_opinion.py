"""What ssh-keygen says about every signature in the log, beside what was found here."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from handoff_tui.core.errors import LogEntryError
from handoff_tui.git.signing.ssh_keygen import check_with_ssh_keygen, verify_with_ssh_keygen
from handoff_tui.log.entries.entry import parse_entry
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.record import Entry, LogProblem, LogVerdict, PolicyText, ProblemLevel
from handoff_tui.log.verify import check_entries
from handoff_tui.system.processes.programs import find_program

CODE = "second-opinion"


class SignatureQuestion(NamedTuple):
    """One signature, and what was found here; who signed is asked only of entries that were accepted."""

    entry: str
    message: bytes
    armored: bytes
    expected: bool
    principal: str | None = None
    signers: PolicyText | None = None
    time: str = ""

    def ask(self) -> bool:
        if self.principal is None or self.signers is None:
            return check_with_ssh_keygen(self.message, self.armored)
        digits = "".join(character for character in self.time if character.isdigit())
        return verify_with_ssh_keygen(self.signers.allowed_signers, self.principal, self.message, self.armored, digits)


class Opinion(NamedTuple):
    """How many signatures were asked about, and where the answers differ."""

    asked: int
    problems: tuple[LogProblem, ...]


def ask_second_opinion(contents: Mapping[str, bytes], verdict: LogVerdict) -> Opinion:
    """Asks about every signature of every entry that can be read at all. A difference is fatal: somebody is wrong."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only who asks pays for it

    find_program()
    questions = list(build_questions(contents, verdict))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        answers = list(pool.map(SignatureQuestion.ask, questions))
    wrong = [one for one, answer in zip(questions, answers, strict=True) if answer != one.expected]
    return Opinion(len(questions), tuple(_build_problem(question) for question in wrong))


def build_questions(contents: Mapping[str, bytes], verdict: LogVerdict) -> Iterator[SignatureQuestion]:
    accepted = {entry.id: entry for entry in verdict.entries}
    sound, _ = check_entries(contents)
    for identifier, content in sorted(contents.items()):
        try:
            parsed = parse_entry(content)
        except LogEntryError:  # no entry at all, whatever its signatures are
            continue
        texts = [base64.b64decode(one["sig"]) for one in json.loads(content)["signatures"]]
        if identifier not in sound and len(texts) > 1:
            continue  # one of them does not fit, and which one is not known here
        for signature, armored in zip(parsed.signatures, texts, strict=True):
            question = SignatureQuestion(identifier, parsed.pae, armored, identifier in sound)
            if identifier in accepted:
                question = _name_signer(question, accepted[identifier], signature.key.fingerprint, accepted)
            yield question


def _name_signer(
    question: SignatureQuestion, entry: Entry, keyid: str, accepted: Mapping[str, Entry]
) -> SignatureQuestion:
    """With whose signature it was taken for, and the signers of the policy that says so."""
    for text in _find_policies(entry, accepted):
        signer = parse_policy(text).signers.get(keyid)
        if signer is not None and signer.covers(entry.time):
            return question._replace(principal=signer.principal, signers=text, time=entry.time)
    return question


def _find_policies(entry: Entry, accepted: Mapping[str, Entry]) -> Iterator[PolicyText]:
    """The policy an entry was made under; for a policy itself, its own text and those of all others."""
    if entry.work is not None:
        named = accepted[entry.work.policy].policy
        if named is not None:
            yield named
        return
    if entry.policy is not None:
        yield entry.policy
    yield from (other.policy for other in accepted.values() if other.policy is not None)


def _build_problem(question: SignatureQuestion) -> LogProblem:
    here, there = ("fits", "does not") if question.expected else ("does not fit", "does")
    return LogProblem(
        level=ProblemLevel.FATAL,
        code=CODE,
        entry=question.entry,
        text=f"a signature {here} by our own verification, and ssh-keygen says it {there}",
    )
