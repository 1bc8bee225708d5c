"""Every commit on the branch is in its upstream, where the next agent can get it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT

_USUAL_REMOTE = "origin"


def judge(context: Context) -> Iterator[RuleFinding]:
    if not context.handoffs():
        context.skip("no handoff here")
    facts = context.facts()
    if facts.head is None:
        context.skip("there is no commit to push yet")
    if facts.detached or facts.branch is None:
        context.undecidable("HEAD is detached, so there is no branch with an upstream")
    if facts.upstream is None:
        yield _build_missing_upstream(context, facts.branch)
    elif facts.ahead is None:
        yield _build_gone_upstream(facts, facts.branch, facts.upstream)
    elif facts.ahead > 0:
        yield _build_unpushed(facts.branch, facts.upstream, facts.ahead, facts.behind or 0)


def _build_missing_upstream(context: Context, branch: str) -> RuleFinding:
    remotes = [name for name, _ in context.remotes()]
    remote = _USUAL_REMOTE if _USUAL_REMOTE in remotes or not remotes else remotes[0]
    push = f"git push --set-upstream {shlex.quote(remote)} {shlex.quote(branch)}"
    return RuleFinding(
        message=f"branch {branch} has no upstream, so nobody else can get its commits",
        subject=branch,
        expected="an upstream that has every commit",
        actual="no upstream" if remotes else "no upstream and no remote",
        command=push if remotes else f"git remote add {remote} ADDRESS && {push}",
    )


def _build_gone_upstream(facts: RepositoryFacts, branch: str, upstream: str) -> RuleFinding:
    remote, _, name = upstream.partition("/")
    target = f"{shlex.quote(remote)} {shlex.quote(f'{branch}:{name}')}" if name else f". {shlex.quote(branch)}"
    message = f"the upstream {upstream} of branch {branch} is not there, so its commits may be nowhere else"
    expected = f"{upstream} has {(facts.head or '')[:SHORT_COMMIT]}"
    actual = f"{upstream} does not exist"
    return RuleFinding(message, branch, expected=expected, actual=actual, command=f"git push {target}")


def _build_unpushed(branch: str, upstream: str, ahead: int, behind: int) -> RuleFinding:
    commits = f"{ahead} commit{'' if ahead == 1 else 's'}"
    diverged = f", and lacks {behind} of its own" if behind else ""
    return RuleFinding(
        message=f"{commits} of branch {branch} {'is' if ahead == 1 else 'are'} not in its upstream {upstream}",
        subject=branch,
        expected="nothing unpushed",
        actual=f"{commits} ahead{diverged}",
        command="git pull --rebase && git push" if behind else "git push",
    )


NOTHING_UNPUSHED = Rule(
    id="nothing-unpushed",
    system=System.MOSAIC,
    severity=Severity.CRITICAL,
    holds="Every commit on the branch is in its upstream.",
    reads="the branch and its upstream, as last fetched",
    remedy="Push the branch before you hand over. The next agent can't get commits that are only here.",
    judge=judge,
    moments=(Moment.PRE,),
)
