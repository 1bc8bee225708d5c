"""The app as sequential text with prompts (`--plain`), for screen readers and poor connections.

Each step runs a verb, so a decision made here is confirmed, checked and signed like every other.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.output import write_text
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine
from handoff_tui.handoffs.session import open_session, open_session_to_look
from handoff_tui.log.gates.gate_state import Mover
from handoff_tui.log.open_log import open_log
from handoff_tui.log.person import ask_person
from handoff_tui.status.next_move import describe_reason
from handoff_tui.status.refresh import refresh, refresh_all
from handoff_tui.status.review_state import ReviewedHandoff
from handoff_tui.status.show import show
from handoff_tui.status.status_page import sort_by_turn

RunVerb = Callable[[Sequence[str]], int]
"""Runs a verb with its arguments, prints its errors, and returns its exit code."""
_DECISIONS = {"a": "approve", "x": "reject", "r": "retry", "h": "hold", "o": "override", "w": "withdraw"}
_LOOKS = {"e": ("show",), "g": ("gate",), "t": ("check", "--handoff")}
"""What is long, or runs commands, and is shown on request."""
_CHOICES = (
    "enter next, e everything about it, t run its checks, g gate, c comment, a approve, x send back, r retry, h hold, "
    "o override, w withdraw, l list, q quit"
)
_PROBLEMS = "problems"


def run_plain_desk(start: Path, run_verb: RunVerb, *, read_only: bool = False) -> ExitCode:
    """Lists what needs the person, and reviews one handoff after another until they quit."""
    while True:
        waiting = _list_waiting(start)
        answer = _ask("Number to review, q to quit" if waiting else "enter to look again, q to quit")
        if answer is None or answer == "q":
            return ExitCode.OK
        if answer.isdecimal() and 0 < int(answer) <= len(waiting):
            review = _Review(start, waiting[int(answer) - 1].handoff.id, run_verb, read_only=read_only)
            if not review.run():
                return ExitCode.OK
        elif answer:
            write_text(f"There is no number {render_safe(answer)} in the list.")


def _list_waiting(start: Path) -> list[ReviewedHandoff]:
    state = refresh(open_session_to_look(start), CheckAgain())
    ordered = sort_by_turn(state.handoffs)
    waiting = [one for one in ordered if one.handoff.id in (state.needs_you or ())]
    others = sum(one.gate.next_move.who is Mover.AGENT for one in ordered)
    unclaimed = plural(len(state.unclaimed), "unclaimed file")
    write_text(f"\n{plural(len(waiting), 'handoff')} for you, {others} with agents, {unclaimed}.")
    for number, one in enumerate(waiting, 1):
        name = ", ".join(part for part in (one.handoff.id, one.handoff.title) if part)
        _say(f"{number}. {render_safe(name)}: {one.gate.state or 'open'}. {render_safe(describe_reason(one.gate))}")
    return waiting


@dataclass
class _Review:
    """The guided review of one handoff: what is wrong with it, then its own changes file by file."""

    start: Path
    handoff: str
    run_verb: RunVerb
    read_only: bool = False
    comments: list[str] = field(default_factory=list)
    viewed: list[str] = field(default_factory=list)
    changed: int = 0
    """How many files it changed."""

    def run(self) -> bool:
        """Goes through the steps; returns False if the person wants to quit."""
        steps = self._list_steps()
        number, shown = 0, -1
        while True:
            if shown < number < len(steps):  # after a comment or a refusal, it is above already
                shown = number
                self._show(steps[number], f"{number + 1} of {len(steps)}")
            answer = _ask(_CHOICES if number < len(steps) else f"That was everything. {_CHOICES}")
            if answer is None or answer == "q":
                return False
            if answer == "l":
                return True
            if answer == "c":
                self._comment()
            elif answer in _LOOKS:
                self.run_verb((*_LOOKS[answer], self.handoff, "--repo", str(self.start)))
            elif answer in _DECISIONS:
                if self._decide(_DECISIONS[answer]):
                    return True
            elif not answer:
                number += 1
            else:
                write_text(f"{render_safe(answer)} means nothing here.")

    def _list_steps(self) -> list[tuple[str, ...]]:
        """The verbs to run, one after another."""
        words = ("--repo", str(self.start))
        try:
            found = diff(
                open_session(self.start), DiffRequest(handoff=self.handoff, scope=DiffScope.OWN, files_only=True)
            )
            paths = [file.change.path for file in found.files.list_files(counted=False)] if found.files else []
        except HandoffError as refused:
            write_text(f"The changes can't be read: {render_safe(refused.message)}")
            paths = []
        self.changed = len(paths)
        files = [("diff", "--handoff", self.handoff, *words, "--", path) for path in paths]
        return [(_PROBLEMS,), *files]

    def _show(self, step: tuple[str, ...], count: str) -> None:
        verb, path = step[0], step[-1]
        write_text("")
        write_text(f"{count}. {f'Changes of {render_safe(path)}' if verb == 'diff' else verb.capitalize()}")
        if verb == _PROBLEMS:
            try:
                self._show_problems()
            except HandoffError as refused:
                write_text(f"They can't be found: {render_safe(refused.message)}")
        else:
            self.run_verb(step)
        if verb == "diff" and path not in self.viewed:
            self.viewed.append(path)

    def _show_problems(self) -> None:
        """What was asked and delivered, in a line each, then each problem with what was measured; runs no command."""
        session = open_session(self.start)
        shown = show(session, refresh_all(session, CheckAgain()), self.handoff)
        examined = examine(session, open_log(session.repository), self.handoff, options=WITHOUT_COMMANDS)
        measured = measure_gate(examined.report, shown.verdicts)
        handoff, claims = shown.reviewed.handoff, shown.reviewed.claims
        asked = f" Asked: {handoff.asked.value}" if handoff.asked is not None else ""
        says = f" It says: {handoff.said}." if handoff.said else ""
        scope = shown.reviewed.scope
        _say(render_safe(f"{handoff.title or handoff.id}.{asked}{says}"))
        if self.changed:
            commits = f" in {plural(scope.commits, 'commit')}" if scope.commits else ", not committed"
            by = f" by {handoff.source_agent}" if handoff.source_agent else ""
            _say(render_safe(f"Delivered: {plural(self.changed, 'file')}{commits}{by}."))
        _say(
            f"{measured.passed} of {measured.total} checks pass. Claims: {claims.contradicted} false, "
            f"{claims.was_true} true when written, {claims.holds} hold, {claims.unverified} not measured."
        )
        for number, problem in enumerate(measured.problems, 1):
            weight = "not run" if problem.unmeasured else "blocks" if problem.blocks else "worth a look"
            where = f" At {problem.place}." if problem.place is not None else ""
            facts = "".join(f" {fact}." for fact in problem.facts[:1])
            _say(render_safe(f"{number}. {weight}: {problem.title}.{facts}{where}"))
        if not measured.problems:
            write_text("No problems found.")

    def _comment(self) -> None:
        about = f"{self.viewed[-1]}:LINE: text" if self.viewed else "text"
        words = _ask(f"Comment, such as {about}; empty for none")
        if words:
            self.comments.append(words)
            write_text(f"{plural(len(self.comments), 'comment')} to go along with your decision.")

    def _decide(self, verb: str) -> bool:
        """Runs `decide`, which shows what is signed and asks; returns whether it was stored."""
        if self.read_only:
            write_text("This session is read-only.")
            return False
        reason = "" if verb == "approve" else _ask(f"Why? The reason for {verb} goes into the log")
        if reason is None or (not reason and verb != "approve"):
            write_text("Nothing was signed.")
            return False
        words = ["decide", verb, self.handoff, "--repo", str(self.start), "--reason", reason]
        words += [word for path in self.viewed for word in ("--viewed", path)]
        words += [word for text in self.comments for word in ("--comment", text)]
        return self.run_verb(words) == ExitCode.OK


def _say(text: str) -> None:
    """Writes a paragraph whose lines end between words."""
    write_text(_fold(text))


def _fold(text: str) -> str:
    return textwrap.fill(
        text, max(20, shutil.get_terminal_size().columns - 1), break_long_words=False, break_on_hyphens=False
    )


def _ask(question: str) -> str | None:
    """Asks on the terminal; None at the end of input, or if there is nobody to ask."""
    answer = ask_person(f"{_fold(f'{question}:')} ")
    return None if answer is None else answer.strip()
