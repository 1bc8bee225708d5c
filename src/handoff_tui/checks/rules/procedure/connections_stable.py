"""VR006: the configured remotes answer. Without consent to use the network only local ones are asked."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    remotes = dict(context.remotes())
    if not remotes:
        context.skip("no remote is configured")
    answers = {name: context.reaches(name) for name in remotes}
    if all(answer is None for answer in answers.values()):
        context.skip("no remote was asked: that would need the network, and nobody consented")
    for name, answer in answers.items():
        if answer is False:
            yield Found(
                message=f"VR006: the remote {name} does not answer",
                subject=f"remote {name}",
                expected="an answer",
                actual="none",
                command=f"git ls-remote -- {quote(name)}",
            )


CONNECTIONS_STABLE = Rule(
    id="connections-stable",
    system=System.PROCEDURE,
    severity=Severity.HIGH,
    declared="VR006",
    holds="VR006: every remote that may be asked answers",
    reads="remotes of the repository; the network only with consent",
    remedy="Bring the remote back, or correct its address, so that the next agent can fetch and push.",
    judge=judge,
    commands=("git remote -v",),
)
