"""Every way in which an agent can misbehave, each at its cheapest: noticed, shown, ended, and never a pass.

The long forms, with the checks of a gate around them, are in test_step_agents.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import RunHandle, start_run, stop_run, wait_run, write_run
from handoff_tui.agents.runs.observation import read_observation
from handoff_tui.agents.runs.reports import BEFORE, PIPELINE, ROUTE
from handoff_tui.agents.runs.run import RunEnding, RunKey, RunPlan, RunState
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.report import Direction, Route, Sign, StepOutcome, StepReport
from handoff_tui.agents.step.step import list_rule_files
from handoff_tui.config.pipeline import Phase, Pipeline
from handoff_tui.core.model import Model
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.processes.identity import find_marked
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import wait_until

KEY = RunKey(handoff="H-1", phase="build", step="OWN.1.maker")
WAY = Route(pipeline="own", phase="build", source="build", direction=Direction.PROCEDURE)
COMMIT = "git add --all && git -c user.name=m -c user.email=m@example.org commit --quiet --message work"
WORK = f"echo more >> work.txt; {COMMIT}"
"""What a diligent agent does."""


@dataclass
class Supervised:
    """One repository, and agents that are lines for a shell."""

    builder: RepositoryBuilder
    number: int = 0

    def run(
        self, line: str, *, argv: tuple[str, ...] = (), guarded: Iterable[str] = (), **changes: object
    ) -> StepReport:
        """Starts the agent, waits for its end, and gives back what is made of it."""
        return self.finish(wait_run(self.start(line, argv=argv, guarded=guarded, **changes), timeout=150))

    def start(
        self, line: str, *, argv: tuple[str, ...] = (), guarded: Iterable[str] = (), **changes: object
    ) -> RunHandle:
        self.number += 1
        desk = self.desk = open_session(self.builder.folder)
        plan = RunPlan(
            key=KEY.model_copy(update={"number": self.number}),
            argv=argv or ("/bin/sh", "-c", line),
            folder=str(desk.repository.root),
            timeout_seconds=150,
            grace_seconds=0.2,
        )
        before = read_observation(desk.repository.root, desk.repository.root, list_rule_files(desk), guarded)
        pipeline = Pipeline(name="own", phases=(Phase(name="build"),), edges=())
        values: dict[str, Model] = {BEFORE: before, ROUTE: WAY, PIPELINE: pipeline}
        handle = write_run(desk.repository.common_dir, plan.model_copy(update=changes), values=values)
        start_run(handle, {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]})
        return handle

    def finish(self, state: RunState) -> StepReport:
        """Nothing of the agent may be left by then. An agent may have broken the repository: it was opened before."""
        assert state.plan is not None
        assert find_marked(state.plan.mark) == []
        return finish_step(self.desk, state.key)


FAILED, FOR_A_PERSON = StepOutcome.FAILED, StepOutcome.NEEDS_HUMAN


@pytest.fixture
def supervised(builder: RepositoryBuilder) -> Supervised:
    builder.write("work.txt").write(".handoff-tui/log/aa/entry", "signed\n").write("handoff-tui.toml", "").commit()
    return Supervised(builder)


def test_diligent_agent_passes(supervised: Supervised) -> None:
    """So that all the others can fail for their own reason alone."""
    report = supervised.run(WORK)
    assert (report.outcome, report.why, report.notices) == (StepOutcome.READY, (), ())
    assert [file.path for file in report.files] == ["work.txt"]
    assert [commit.subject for commit in report.commits] == ["work"]
    assert report.next_move == "the procedure goes on"


@pytest.mark.parametrize(
    ("line", "sign", "outcome"),
    [
        ("echo all done", Sign.DID_NOTHING, FAILED),
        ("exit 3", Sign.FAILED, FAILED),
        ("kill -9 $$", Sign.FAILED, FAILED),
        (f"{WORK}; echo 'HTTP 500 from the model'", Sign.ERROR_IN_OUTPUT, FOR_A_PERSON),
        (f"{WORK}; echo x > ../beside.txt", Sign.WROTE_OUTSIDE, FOR_A_PERSON),
        ("git update-ref -d refs/heads/main", Sign.BRANCH_DELETED, FOR_A_PERSON),
        (f"git commit-tree -m x HEAD^{{tree}} > id; git reset -q --hard $(cat id); {WORK}", None, FOR_A_PERSON),
        (f"{WORK}; echo forged > .handoff-tui/log/aa/entry", Sign.OWN_FOLDER_EDITED, FOR_A_PERSON),
        (f"{WORK}; rm -r .handoff-tui", Sign.OWN_FOLDER_EDITED, FOR_A_PERSON),
        (f"printf '[checks.claims-hold]\\nenabled = false\\n' > handoff-tui.toml; {COMMIT}", Sign.CHECKS_EDITED, None),
        (f"{WORK}; git config core.pager evil", Sign.GIT_EDITED, FOR_A_PERSON),
        ("rm .git/HEAD", Sign.UNREADABLE, FOR_A_PERSON),
    ],
)
def test_misbehaving_agent_is_noticed_and_does_not_pass(
    supervised: Supervised, line: str, sign: Sign | None, outcome: StepOutcome | None
) -> None:
    """Whatever its exit code says."""
    identity = "export GIT_AUTHOR_NAME=m GIT_AUTHOR_EMAIL=m@x GIT_COMMITTER_NAME=m GIT_COMMITTER_EMAIL=m@x; "
    report = supervised.run(identity + line)
    assert (sign or Sign.HISTORY_REWRITTEN) in {notice.sign for notice in report.notices}
    assert report.outcome is (outcome or FOR_A_PERSON)
    assert report.why


def test_commit_of_nothing_but_a_decision_is_no_work(supervised: Supervised) -> None:
    """A decision that nobody had committed goes along with `git add --all`; an empty commit may be all that is due."""
    supervised.builder.write(".handoff-tui/log/aa/other", "signed\n")
    report = supervised.run(COMMIT)
    assert (report.outcome, report.why) == (FAILED, ("it exited with 0 but committed nothing but the log",))
    report = supervised.run("git -c user.name=m -c user.email=m@example.org commit --quiet --allow-empty --message m")
    assert report.outcome is StepOutcome.READY


def test_agent_whose_program_is_missing_is_named(supervised: Supervised) -> None:
    """It was never started."""
    report = supervised.run("", argv=("no-such-agent",))
    assert (report.outcome, report.end.ending) == (FOR_A_PERSON, RunEnding.NOT_STARTED)
    assert "no-such-agent: No such file or directory" in report.why[0]


def test_flood_is_stopped_at_its_limit(supervised: Supervised) -> None:
    """Not at the end of the disk."""
    report = supervised.run("yes flood", output_bytes=200_000)
    assert (report.outcome, report.end.ending) == (FAILED, RunEnding.FLOODED)


def test_agent_that_does_not_end_in_time_is_stopped(supervised: Supervised) -> None:
    """With everything that it has started."""
    report = supervised.run("sleep 600 & sleep 600", timeout_seconds=0.3)
    assert (report.outcome, report.end.ending) == (FAILED, RunEnding.TIMED_OUT)


def test_agent_that_ignores_the_polite_end_is_killed_with_its_children(
    supervised: Supervised, isolated_user: Path
) -> None:
    """After its grace."""
    ready = isolated_user / "ready"
    handle = supervised.start(f"trap '' TERM; sh -c 'echo > {ready}; sleep 600' & sleep 600")
    wait_until(ready.exists)
    report = supervised.finish(stop_run(handle, 0.1))
    assert (report.outcome, report.end.ending, report.end.signal) == (StepOutcome.STOPPED, RunEnding.STOPPED, 9)


def test_daemon_is_ended_and_told(supervised: Supervised, isolated_user: Path) -> None:
    """Also one in a session of its own that has thrown its environment away."""
    place = isolated_user / "pid"
    daemon = f"env -i setsid /bin/sh -c 'echo $$ > {place}; exec sleep 600'"
    report = supervised.run(f"{WORK}; {daemon} & while [ ! -s {place} ]; do sleep 0.02; done")
    assert (report.outcome, report.end.left_running) == (FOR_A_PERSON, 1)
    assert not Path(f"/proc/{place.read_text(encoding='ascii').strip()}").exists()


def test_guarded_file_is_watched(supervised: Supervised, isolated_user: Path) -> None:
    """Where the user's keys are, an agent has no business."""
    (isolated_user / ".ssh").mkdir()
    report = supervised.run(f"{WORK}; echo key > ~/.ssh/authorized_keys", guarded=("~/.ssh",))
    places = [place for notice in report.notices if notice.sign is Sign.WROTE_OUTSIDE for place in notice.places]
    assert (report.outcome, "~/.ssh/authorized_keys" in places) == (FOR_A_PERSON, True)


def test_agent_that_only_looks_may_change_nothing(supervised: Supervised) -> None:
    """Where its configuration says so; anything else is noticed as ever."""
    assert supervised.run("echo looked", may_change_nothing=True).outcome is StepOutcome.READY
    assert supervised.run("rm work.txt; exit 2", may_change_nothing=True).outcome is FAILED
