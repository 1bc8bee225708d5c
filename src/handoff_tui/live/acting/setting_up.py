"""Sets a repository up from inside the app: finds what can be chosen from, does what was chosen, begins a handoff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, SetupPart, SetupStage, Trouble, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.person import Confirmation, require_person
from handoff_tui.system.processes.terminal import write_line

if TYPE_CHECKING:
    from handoff_tui.agents.set_up import SetupChoice, SetupFacts
    from handoff_tui.git.signing.ssh_keygen import Prompt

_KEY = "setup"


class NewHandoffRequest(Protocol):
    """A handoff to begin."""

    root: str
    system: str
    name: str
    title: str


class SettingUp:
    """Sets one repository up at a time; `worker` runs what is slow."""

    def __init__(self, store: StateStore, worker: KeyedWorker, rescan: Callable[[], None]) -> None:
        """`rescan` reads the repository again after something was written."""
        self._store, self._worker, self._rescan = store, worker, rescan

    def begin(self, root: str) -> None:
        """Finds keys, tests, agents and start lines."""
        self._store.change(lambda state: replace(state, setup=SetupPart(root)))
        self._worker.submit(_KEY, lambda _: self._find(root))

    def write(self, choice: SetupChoice) -> None:
        """Does what was chosen on the worker, where a key that needs a passphrase is refused."""
        facts = self._start()
        if facts is not None:
            from handoff_tui.git.signing.ssh_keygen import Prompt  # noqa: PLC0415 - after the first paint

            self._worker.submit(_KEY, lambda _: self._write(facts, choice, Prompt.NOBODY))

    def write_here(self, choice: SetupChoice) -> None:
        """Does it on the calling thread, which has the terminal: a passphrase can be typed."""
        facts = self._start()
        if facts is not None:
            from handoff_tui.git.signing.ssh_keygen import Prompt  # noqa: PLC0415 - after the first paint

            write_line("Enter the passphrase of your key to sign. ctrl+c cancels.")
            if facts.key is None:
                write_line("A new key gets one first: enter it twice, then once more to sign.")
            self._write(facts, choice, Prompt.TERMINAL)

    def leave(self) -> None:
        """Closes it; what was begun goes on."""
        self._store.change(lambda state: state if state.setup is None else replace(state, setup=None))

    def begin_handoff(self, asked: NewHandoffRequest) -> None:
        """Writes the first documents of a handoff."""
        self._worker.submit("new", lambda _: self._begin_handoff(asked))

    def _find(self, root: str, trouble: Trouble | None = None) -> None:
        """Looks again after trouble: what was done until then, such as a new key, is there."""
        from handoff_tui.agents.set_up import find_setup  # noqa: PLC0415 - after the first paint
        from handoff_tui.handoffs.session import reopen_session  # noqa: PLC0415

        snapshot = self._store.snapshots.get(root)
        if snapshot is None:
            self._change(root, trouble=Trouble("The repository is still being read", "Leave, and try again"))
            return
        systems = [handoff.dialect for handoff in snapshot.reading.result.handoffs]
        try:
            facts = find_setup(reopen_session(snapshot.session), systems, has_log=snapshot.gates is not None)
        except (HandoffError, OSError) as refused:
            self._change(root, trouble=build_trouble(refused))
            return
        self._change(root, stage=SetupStage.READY, facts=facts, trouble=trouble)

    def _start(self) -> SetupFacts | None:
        """What is chosen from, if it is shown and nothing is being written yet."""
        part = self._store.state.setup
        if part is None or part.stage is not SetupStage.READY:
            return None
        self._change(part.root, stage=SetupStage.WRITING, trouble=None)
        return part.facts

    def _write(self, facts: SetupFacts, choice: SetupChoice, prompt: Prompt) -> None:
        from handoff_tui.agents.set_up import carry_out  # noqa: PLC0415 - after the first paint
        from handoff_tui.log.policy.init import KEY_WARNING  # noqa: PLC0415

        root = str(facts.root)
        try:
            require_person("begin a log", Confirmation.APP)
            report = carry_out(facts, choice, prompt)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._worker.submit(_KEY, lambda _: self._find(root, trouble))
            self._rescan()
            return
        self._change(root, stage=SetupStage.DONE)
        done = "Set up and committed" if choice.commits else "Set up; commit it for everybody"
        words = f"Wrote {choice.note.path}" if choice.note else "Nothing was left to write"
        self._store.say(f"{done}. What agents commit from now on appears here" if report else words, "pass")
        unseen = [one for one in report.warnings if not one.startswith(KEY_WARNING)] if report else []
        for warning in unseen[:1]:
            self._store.say(f"{done}. {warning[:1].upper()}{warning[1:]}", "warning")
        self._rescan()

    def _begin_handoff(self, asked: NewHandoffRequest) -> None:
        from handoff_tui.handoffs.begin import begin_handoff  # noqa: PLC0415 - after the first paint
        from handoff_tui.handoffs.read_handoffs import read_repository  # noqa: PLC0415
        from handoff_tui.handoffs.session import open_session  # noqa: PLC0415

        try:
            session = open_session(Path(asked.root))
            begun = begin_handoff(
                session, asked.system, asked.name, asked.title, read_repository(session).result.handoffs
            )
        except (HandoffError, OSError) as refused:
            self._store.say_trouble("Not begun: ", refused)
            return
        self._store.say(f"Begun. Fill in {', '.join(begun.files) or 'its note'} and commit it", "pass")
        self._rescan()

    def _change(self, root: str, **changes: object) -> None:
        def apply(state: AppState) -> AppState:
            part = state.setup
            return state if part is None or part.root != root else replace(state, setup=replace(part, **changes))  # type: ignore[arg-type]

        self._store.change(apply)
