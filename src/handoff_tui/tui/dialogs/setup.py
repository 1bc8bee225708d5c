"""The boxes that begin things: a repository's setup in three questions, and a new handoff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from handoff_tui.agents.set_up import FIRST_MESSAGE, MESSAGE, NewKey, SetupChoice, SetupFacts
from handoff_tui.config.first_hour import FoundTests
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.columns import Field, Row, build_cells
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.begin import SYSTEMS
from handoff_tui.live.state.app import AppState, SetupPart, SetupStage, Trouble
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, ArmedBox, keep_key, read_time
from handoff_tui.tui.dialogs.palette import Offer, PaletteScreen
from handoff_tui.tui.messages import NewHandoffWanted, SetupConfirmed
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_FIELDS: Final = (Field("question", "", 10), Field("number", "", 3), Field("answer", "", 40, grows=70))


class Option(NamedTuple):
    """One answer to a question, and what it changes of the usual choice."""

    words: str
    changes: dict[str, Any] = {}
    role: str = "text"


class SetupQuestion(NamedTuple):
    """What is asked, and the answers; the first is the usual one."""

    name: str
    title: str
    options: tuple[Option, ...]


def list_questions(facts: SetupFacts) -> tuple[SetupQuestion, ...]:
    """Lists what can be chosen here: a log that was begun already asks only for what is left."""
    offers: list[SetupQuestion] = []
    if not facts.has_log:
        offers += [_ask_key(facts), _ask_people(), _ask_start(facts)]
    if not facts.has_settings and not facts.has_log:
        tests = [Option(f"run {_show(one)} on every handoff", {"tests": one}) for one in facts.tests]
        without = "don't run them" if tests else "none found; handoff-tui.toml can name a command"
        offers.append(SetupQuestion("tests", "Tests", (*tests, Option(without))))
    if facts.agents and not facts.has_settings and not facts.has_log:
        agents = [
            Option(f"{one.preset}, installed here, works as {', '.join(one.names)}", {"agent": one})
            for one in facts.agents
        ]
        offers.append(SetupQuestion("agent", "Agent", (*agents, Option("none for now"))))
    if facts.note is not None:
        add = Option(f"add a few lines on handing over to {facts.note.path}", {"note": facts.note})
        offers.append(SetupQuestion("note", "Note", (add, Option("leave it out"))))
    if offers:
        commit = Option("commit what is written", {"commits": True})
        offers.append(SetupQuestion("commits", "Commit", (commit, Option("don't; I will commit it myself"))))
    return tuple(offers)


def _ask_key(facts: SetupFacts) -> SetupQuestion:
    if facts.key is not None:
        role = "warning" if facts.key.grade.is_weak else "text"
        return SetupQuestion("key", "Key", (Option(facts.key.place, {}, role),))
    device = (Option("make one on your security key: signs when touched", {"new_key": NewKey.TOUCH}),)
    return SetupQuestion(
        "key",
        "Key",
        (
            *(device if facts.has_device else ()),
            Option("make one, ~/.ssh/id_ed25519, with a passphrase", {"new_key": NewKey.PASSPHRASE}),
            Option("make one without a passphrase: open to any program", {"new_key": NewKey.OPEN}, "warning"),
        ),
    )


def _ask_people() -> SetupQuestion:
    solo = Option("just me: I may approve commits under my own name")
    return SetupQuestion(
        "who", "Who", (solo, Option("a team: nobody approves work under their own name", {"team": True}))
    )


def _ask_start(facts: SetupFacts) -> SetupQuestion:
    if facts.head is None:
        return SetupQuestion("start", "From", (Option("the first commit on"),))
    here = Option(f'now on: work up to {facts.head.id[:SHORT_COMMIT]} "{facts.head.subject}" is history')
    tags = (Option(f"{tag} on: work up to it is history", {"start": tag}) for tag in facts.tags)
    all_of_it = Option("the beginning: all of history needs approvals", {"everything": True})
    return SetupQuestion("start", "From", (here, *tags, all_of_it))


def _show(tests: FoundTests) -> str:
    return f"`{render_safe(' '.join(tests.argv))}`"


def build_choice(questions: Sequence[SetupQuestion], chosen: dict[str, int]) -> SetupChoice:
    """What the answers amount to."""
    choice = SetupChoice()
    for question in questions:
        choice = choice._replace(**question.options[chosen.get(question.name, 0)].changes)
    return choice


class QuestionRows:
    """One row per question, with the answer that is chosen."""

    def __init__(self, questions: Sequence[SetupQuestion], chosen: dict[str, int]) -> None:
        self._questions, self._chosen = questions, chosen
        self.keys: Sequence[str] = [one.name for one in questions]

    def build_row(self, index: int, width: int) -> Row:
        one = self._questions[index]
        place = self._chosen.get(one.name, 0)
        option = one.options[place]
        cells = {
            "question": (Cell(one.title, "heading"),),
            "number": (Cell(f"{place + 1}/{len(one.options)}" if len(one.options) > 1 else "", "muted"),),
            "answer": (Cell(render_safe(option.words), option.role),),
        }
        return build_cells(_FIELDS, cells, width)


def _add_trouble(page: Page, trouble: Trouble) -> None:
    page.line(Cell(f"✗ {render_safe(trouble.message)}", "fail"), indent=2)
    page.line(Cell(f"  {render_safe(trouble.hint)}"), indent=2)


def build_setup_page(facts: SetupFacts, choice: SetupChoice, trouble: Trouble | None = None) -> Page:
    """Says what would be written, and shows the lines that go into files that exist or are for people to read."""
    page = Page()
    if trouble is not None:
        _add_trouble(page, trouble)
    if facts.has_log:
        page.line(
            Cell("The log has begun here already. "),
            Cell("The note for agents is left to write" if facts.note else "Nothing is left to write", "muted"),
        )
    else:
        page.line(
            Cell("signs   ", "muted"),
            Cell(f"the first entry as {render_safe(facts.principal)}: a policy that lets you decide"),
            indent=8,
        )
    for path in choice.list_written(facts):
        page.line(
            Cell("writes  ", "muted"),
            Cell(render_safe(path), "path"),
            Cell(_DESCRIBED.get(path, ""), "muted"),
            indent=8,
        )
    if choice.tests is not None:
        page.line(
            Cell("runs    ", "muted"),
            Cell(_show(choice.tests)),
            Cell(f"  found in {render_safe(choice.tests.source)}; writing this is your consent to it", "muted"),
            Cell(f", with {' and '.join(choice.tests.access)} from here" if choice.tests.access else "", "muted"),
            indent=8,
        )
    if choice.commits:
        message = FIRST_MESSAGE if facts.has_log else f'{FIRST_MESSAGE}" and "{MESSAGE}'
        page.line(Cell("commits ", "muted"), Cell(f'"{message}"'), indent=8)
    if facts.key is not None and not facts.has_log:
        weak = facts.key.grade.is_weak
        advice = f". {facts.key.grade.advice}" if weak else ""
        mark = Cell("! ", "warning") if weak else Cell("key     ", "muted")
        page.line(mark, Cell(f"{'Your key: ' if weak else ''}{facts.key.grade.words}{advice}"), indent=2 if weak else 8)
    _add_lines(page, choice)
    return page


_DESCRIBED: Final = {
    ".handoff-tui/": "  the log, and who may sign it",
    "handoff-tui.toml": "  settings to fill in",
}


def _add_lines(page: Page, choice: SetupChoice) -> None:
    if choice.agent is not None:
        page.heading("Goes into handoff-tui.toml")
        for name in choice.agent.names:
            page.line(Cell(f'agents.{name}.preset = "{choice.agent.preset}"', "muted"), indent=4)
    if choice.note is not None:
        page.heading(f"Goes into {choice.note.path}")
        for line in choice.note.added.strip("\n").split("\n"):
            page.line(Cell(render_safe(line), "muted"), indent=4)


class SetupScreen(ArmedBox[None]):
    """Space changes an answer, ctrl+s does what is shown. Nothing is written before."""

    CSS = """
    SetupScreen { align: center middle; background: $background 60%; }
    #setup { width: 94%; max-width: 120; height: 90%; background: $surface; border: heavy $border; }
    #setup-rows { height: auto; min-height: 3; max-height: 8; }
    #setup-page { height: 1fr; min-height: 4; padding: 0 1; }
    """

    def __init__(self, name: str, keys: Keys) -> None:
        super().__init__()
        self._repository, self._keymap = name, keys
        self._part: SetupPart | None = None
        self._questions: tuple[SetupQuestion, ...] = ()
        self._chosen: dict[str, int] = {}
        self._said = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="setup"):
            yield Divider(id="setup-title")
            yield RowList(id="setup-rows")
            yield Divider(id="setup-what")
            yield PageView(id="setup-page")
            yield Bar(id="setup-state")
            yield Bar(id="setup-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(RowList).show(EmptyRows(Cell("Looking for keys, tests and agents…", "muted")))
        self.query_one(RowList).focus(scroll_visible=False)
        self.call_after_refresh(self._draw)

    def show(self, state: AppState) -> None:
        """Shows what can be chosen, and how it went."""
        part = state.setup
        if part is None or part is self._part or not self.is_mounted:
            return
        before, self._part = self._part, part
        if part.stage is SetupStage.DONE:
            self.dismiss(None)
            return
        if part.facts is not None and (before is None or before.facts is not part.facts):
            self._questions = list_questions(part.facts)
            self.query_one(RowList).styles.height = max(1, len(self._questions))
            self.arm_again()
        if part.trouble is not None:
            self.arm_again()
        self._draw()

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("scope", "decision", "focus", "nav", "app"))
        rows, page = self.query_one(RowList), self.query_one(PageView)
        if action == "decision.confirm":
            self._confirm(event.time)
        elif action in LEAVING:
            self.dismiss(None)
        elif action == "scope.toggle" or action in {"nav.right", "nav.left"}:
            self._turn(rows.key, -1 if action == "nav.left" else 1)
        elif action in {"focus.next", "focus.previous"}:
            self.focus_next()
        elif action is not None and action.startswith("nav."):
            (page if page.has_focus else rows).navigate(action)
        self._draw()

    @on(RowList.Opened)
    def turn_clicked(self, event: RowList.Opened) -> None:
        event.stop()
        self._turn(event.key, 1)
        self._draw()

    @on(RowList.Highlighted)
    def stay(self, event: RowList.Highlighted) -> None:
        event.stop()

    def _turn(self, field: str, by: int) -> None:
        """Takes the next answer."""
        question = next((one for one in self._questions if one.name == field), None)
        if question is None:
            return
        self._said = "" if len(question.options) > 1 else "There is only one answer here"
        self._chosen[field] = (self._chosen.get(field, 0) + by) % len(question.options)

    def _confirm(self, time: float) -> None:
        part = self._part
        if part is None or part.facts is None or part.stage is not SetupStage.READY:
            self._said = "Not yet: still looking" if part is None or part.trouble is None else "Not yet: see above"
        elif not self._readable.admits(time):
            self._said = "Too fast; press again"
        elif not self._questions:
            self._said = "Nothing is left to write"
        else:
            choice = build_choice(self._questions, self._chosen)
            self._said = ""
            self.post_message(SetupConfirmed(choice, choice.needs_terminal(part.facts)))

    def _draw(self) -> None:
        part = self._part
        if not self.is_mounted:
            return
        self.query_one("#setup-title", Divider).show_title(
            Cell("Set up ", "heading"), Cell(render_safe(self._repository), "accent")
        )
        self.query_one("#setup-what", Divider).show_title(Cell("What it does", "heading"))
        if part is not None and part.facts is not None:
            rows = QuestionRows(self._questions, dict(self._chosen))
            self.query_one(RowList).show(rows if self._questions else EmptyRows(Cell("Everything is set up", "muted")))
            self.query_one(PageView).show(
                build_setup_page(part.facts, build_choice(self._questions, self._chosen), part.trouble)
            )
        elif part is not None and part.trouble is not None:
            self.query_one(RowList).show(EmptyRows(Cell("✗ It can't be set up yet", "fail")))
            page = Page()
            _add_trouble(page, part.trouble)
            self.query_one(PageView).show(page)
        self.query_one("#setup-state", Bar).show(self._describe())
        ready = part is not None and part.stage is SetupStage.READY and self._readable.admits(read_time())
        answers = (
            Cell(f" {self._keymap.show('decision.confirm')}", "key" if ready else "muted"),
            Cell(" do it  ", "text" if ready else "muted"),
            Cell(self._keymap.show("scope.toggle"), "key"),
            Cell(" next answer "),
        )
        is_refused = part is not None and part.facts is None and part.trouble is not None
        self.query_one("#setup-keys", Bar).show(
            *(() if is_refused else answers),
            Cell(f" {self._keymap.show('decision.cancel')}", "key"),
            Cell(" leave "),
        )

    def _describe(self) -> Cell:
        part = self._part
        if self._said:
            return Cell(f" {render_safe(self._said)}", "warning")
        if part is not None and part.stage is SetupStage.WRITING:
            return Cell(" Signing…", "muted")
        if part is None or part.facts is None:
            return Cell(" Nothing is written yet", "muted")
        asks = build_choice(self._questions, self._chosen).needs_terminal(part.facts)
        state = "Not signed yet" if part.trouble is not None else "Nothing is written yet"
        return Cell(f" {state}{'; ^s asks for the passphrase' if asks else ''}", "muted")


_WORDS = {
    "notes": "a note in docs/handoffs: the simplest",
    "builder": "a specification and a prompt for a builder",
    "tdd": "test, code, clean-up, with notes on commits",
    "mosaic": "state files of one task",
    "hub": "a task folder with a work cycle",
    "procedure": "a JSON handoff between two roles",
}
_EXAMPLES = {"tdd": "TDD-1 Parse dates", "hub": "T-1 Login"}


def build_system_dialog(state: AppState) -> PaletteScreen:
    """Offers every format, those used here first."""
    used = [item.reviewed.handoff.dialect for item in state.inbox]
    ordered = sorted(_WORDS, key=lambda name: -used.count(name))
    offers = [
        Offer(name, f"{name:<11}{_WORDS[name]}", "used here" if name in used else "")
        for name in ordered
        if name in SYSTEMS
    ]
    return PaletteScreen("New handoff: in which format?", offers, "↵ chooses · esc closes")


class NewHandoffScreen(PaletteScreen):
    """Takes one line: the id, then the title. Enter writes the first documents; nothing is overwritten."""

    CSS_PATH = "palette.tcss"

    def __init__(self, root: str, system: str) -> None:
        super().__init__(f"New {system} handoff: id and title", ())
        self._root, self._system = root, system

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#palette-field", Input).placeholder = _EXAMPLES.get(self._system, "H-1 Rate limiter")

    def _filter(self, text: str) -> None:
        name, _, title = text.strip().partition(" ")
        rows = EmptyRows(Cell(f"id {name}   title {title or name}", "muted")) if name else EmptyRows()
        self.query_one(RowList).show(rows)
        self.query_one("#palette-note", Bar).show(Cell(" ↵ writes its first documents · esc closes", "muted"))

    def _take(self, key: str) -> None:
        del key
        name, _, title = self.query_one("#palette-field", Input).value.strip().partition(" ")
        if name:
            self.dismiss(NewHandoffWanted(self._root, self._system, name, title.strip()))
