"""Every note and state file of the TDD cycles is readable and names its phase."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.tdd.cycles import list_cycles, list_steps
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.handoffs("tdd")
    problems = [problem for problem in context.problems() if _is_ours(context, problem, handoffs)]
    if not handoffs and not problems:
        context.skip("no TDD note or state file here")
    for problem in problems:
        message = f"{problem.path} {problem.message}"
        expected = "a handoff that can be read"
        yield RuleFinding(message, problem.path, Place(path=problem.path, line=problem.line), expected, problem.message)
    broken = {problem.path for problem in problems}
    for step in (step for handoff in list_cycles(handoffs) for step in list_steps(handoff)):
        if step.phase is None and step.where.path not in broken:
            message = f"{step.where.path} does not say which phase it is of"
            yield RuleFinding(message, f"{step.where.path} phase", step.where, "a phase", "none")


def _is_ours(context: Context, problem: Problem, handoffs: tuple[Handoff, ...]) -> bool:
    """Returns whether a problem is an error in a TDD file under review, or in a note that became no step."""
    name = problem.path.rpartition("/")[2]
    is_note = problem.path.startswith(f"notes:{context.settings.tdd.notes_ref}/")
    is_file = problem.path.startswith(f"{context.settings.tdd.state_folder}/") or name in {
        context.settings.tdd.state_file,
        context.settings.tdd.lock_file,
    }
    is_error = problem.level is ProblemLevel.ERROR
    if problem.path in _list_documents(handoffs):
        return is_error
    if problem.path in _list_documents(context.every_handoff()):
        return False
    return is_note or (is_file and is_error)


def _list_documents(handoffs: tuple[Handoff, ...]) -> set[str]:
    return {document.path for handoff in handoffs for document in handoff.documents}


HANDOFF_NOTES_PARSE = Rule(
    id="handoff-notes-parse",
    system=System.TDD,
    severity=Severity.CRITICAL,
    holds="Every TDD note and state file is readable and names its phase.",
    reads="git notes and state files of TDD cycles",
    remedy="Write the note or file again as one JSON object with phase and nextPhase.",
    judge=judge,
    commands=("git notes --ref=tdd-handoffs list",),
)
