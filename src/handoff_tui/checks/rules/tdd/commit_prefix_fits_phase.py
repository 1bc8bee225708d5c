"""D: the subject of each annotated commit begins as its phase asks; a scope may stand before the colon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Moment, Rule, System
from handoff_tui.checks.rules.tdd.cycles import CommitIndex, list_steps, require_cycles
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT

_AGENT = compile_later(r"^\[[^\]]*\]\s*")
_SCOPE = r"(?:\([^()]*\))?!?"
_SHOWN = 60


def judge(context: Context) -> Iterator[Found]:
    prefixes = context.setting("tdd.commit_prefixes", dict)
    commits = CommitIndex(context)
    judged = False
    for handoff in require_cycles(context):
        for step in list_steps(handoff):
            wanted = prefixes.get(step.phase)
            commit = commits.find(step)
            if wanted is None or commit is None:
                continue
            judged = True
            if not _has_prefix(commit.subject, wanted):
                yield Found(
                    message=f"the commit {commit.id[:SHORT_COMMIT]} of {step.phase} in {handoff.id} begins with no"
                    f" {' or '.join(wanted)}",
                    subject=f"commit {commit.id}",
                    place=step.where,
                    expected=" or ".join(wanted),
                    actual=commit.subject[:_SHOWN],
                    command=f"git show --no-patch {commit.id[:SHORT_COMMIT]}",
                )
    if not judged:
        context.skip("no commit among the newest carries a phase")


def _has_prefix(subject: str, prefixes: tuple[str, ...]) -> bool:
    """`feat: …`, also `feat(scope): …` and after the name of an agent in brackets."""
    words = _AGENT.sub("", subject)
    for prefix in prefixes:
        word = prefix.removesuffix(":")
        pattern = re.escape(word) + (_SCOPE + ":" if prefix.endswith(":") else "")
        if re.match(pattern, words):
            return True
    return False


COMMIT_PREFIX_FITS_PHASE = Rule(
    id="commit-prefix-fits-phase",
    system=System.TDD,
    severity=Severity.MEDIUM,
    holds="the subject of each annotated commit begins with the prefix of its phase",
    reads="subjects of commits that carry a phase",
    remedy="Reword the commit if it was not pushed yet, or put the note on the commit that it belongs to.",
    judge=judge,
    moments=(Moment.PRE, Moment.GATE),
    commands=("git commit --amend",),
)
