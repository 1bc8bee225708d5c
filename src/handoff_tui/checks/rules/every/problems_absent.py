"""Every document of the handoffs under review could be read."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    handoffs = context.handoffs()
    every = context.every_handoff()
    reviewed = {document.path for handoff in handoffs for document in handoff.documents}
    known = {document.path for handoff in every for document in handoff.documents}
    folders = {path.rpartition("/")[0] for path in reviewed}
    all_reviewed = len(handoffs) == len(every)
    errors = [problem for problem in context.problems() if problem.level is ProblemLevel.ERROR]
    if not handoffs and not errors:
        context.skip("no handoff here")
    for problem in errors:
        # a state file that is missing is nobody's document, but its handoff lies beside it
        stray = problem.path not in known and (all_reviewed or problem.path.rpartition("/")[0] in folders)
        if problem.path in reviewed or stray:
            yield Found(
                message=f"{problem.path}: {problem.message}",
                subject=f"{problem.path} {problem.message.partition(':')[0]}",
                place=Place(path=problem.path, line=problem.line),
                expected="a document that can be read whole",
                actual=problem.message,
            )


PROBLEMS_ABSENT = Rule(
    id="problems-absent",
    system=System.ALL,
    severity=Severity.HIGH,
    holds="Every document of the handoffs could be read whole.",
    reads="problems met while reading handoffs",
    remedy="Have the document written again so that it can be read; what could not be read was not judged.",
    judge=judge,
)
