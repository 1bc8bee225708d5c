"""A repository with a signed log, a reviewer, and procedures run by the real verbs and a worker in the background."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.engine.files import WORKER_LOCK, has_worker
from handoff_tui.agents.procedures.run import open_engine
from handoff_tui.handoffs.session import open_desk
from handoff_tui.system.processes import detached
from tests.support.command_line import Said
from tests.support.gates import HANDOFF, GateDesk
from tests.support.procedure_engine import wait_until
from tests.support.signed import Person

TRANSITION = "PHASE_TRANSITION_STANDARD"
CONFIG = """\
[engine]
poll_seconds = 0.1
idle_seconds = 2
"""


class RunDesk:
    """A repository with a log, a reviewer, and a worker that ends with the test."""

    def __init__(self, desk: GateDesk, config: str = CONFIG, lock: str = WORKER_LOCK) -> None:
        self.desk = desk
        self.lock = lock
        self.reviewer = desk.person("bob")
        self.write_config(self.reviewer, config)
        desk.begin(self.reviewer)

    @property
    def common_dir(self) -> Path:
        return self.desk.root / ".git"

    @property
    def transfers(self) -> Path:
        return self.common_dir / "handoff-tui" / "transfers" / HANDOFF.replace("/", "%2F") / "review" / "a1"

    def write_config(self, person: Person, text: str) -> None:
        place = person.home / "config" / "handoff-tui" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run(self, *words: str) -> Said:
        return self.desk.speaking(self.reviewer, "run", *words, "--repo", self.desk.root, "--json")

    def has_worker(self) -> bool:
        return has_worker(self.common_dir, self.lock)

    def kill_worker(self) -> None:
        """Every worker that this process has started: SIGKILL, also to one that is just beginning."""
        for process in detached._STARTED.values():
            process.kill()
            process.wait()

    def wait_end(self, run: str) -> dict[str, object]:
        """Until the run has ended; what `run --show` says of it then."""
        with open_engine(open_desk(self.desk.root)) as engine:

            def has_ended() -> bool:
                found = engine.view(run)
                return found is not None and found.finished

            wait_until(has_ended, f"the end of {run}", 100, every=0.2)
        value = self.run("--show", run).json
        assert isinstance(value, dict)
        return value
