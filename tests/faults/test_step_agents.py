"""Agents that misbehave: each is noticed and shown, nothing of it is left, and no decision follows from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.agents.runs.run import RunEnding
from handoff_tui.agents.step.report import Sign, StepOutcome, StepReport
from handoff_tui.agents.step.step import read_view
from handoff_tui.core.errors import AgentRunError
from handoff_tui.core.place import Severity
from handoff_tui.log.open_log import open_log
from handoff_tui.system.processes.identity import find_marked
from tests.support.stepping import COMMIT, WORK, Stepping
from tests.support.waiting import wait_until


def find_signs(report: StepReport) -> dict[Sign, Severity]:
    return {notice.sign: notice.severity for notice in report.notices}


def is_nothing_left(stepping: Stepping, report: StepReport) -> bool:
    plan = read_view(stepping.desk(), report.key).state.plan
    return plan is not None and find_marked(plan.mark) == []


def test_agent_whose_binary_is_missing_is_named(stepping: Stepping) -> None:
    """It was never started; the budget of the loop is not touched."""
    stepping.config.write_text(
        stepping.config.read_text(encoding="utf-8").replace('"sh", ', '"no-such-agent", '), encoding="utf-8"
    )
    report = stepping.step()
    assert (report.outcome, report.end.ending, report.budget.used) == (
        StepOutcome.NEEDS_HUMAN,
        RunEnding.NOT_STARTED,
        0,
    )
    assert "no-such-agent: No such file or directory" in report.why[0]


def test_agent_that_did_nothing_has_failed(stepping: Stepping) -> None:
    """Exit code 0 is a claim, not a result."""
    report = stepping.teach("echo all done").step()
    assert (report.outcome, report.end.code) == (StepOutcome.FAILED, 0)
    assert find_signs(report) == {Sign.DID_NOTHING: Severity.HIGH}
    assert (report.next_phase, report.budget.used) == ("build", 1)


def test_agent_whose_output_speaks_of_errors_is_told(stepping: Stepping) -> None:
    """The lines are quoted; a person decides, and where no gate is, a person is asked for."""
    report = stepping.teach(f"{WORK}; echo 'HTTP 500 from the model'").step()
    [notice] = report.notices
    assert (notice.sign, notice.places) == (Sign.ERROR_IN_OUTPUT, ("HTTP 500 from the model",))
    assert report.outcome is StepOutcome.READY
    assert stepping.configure(gate=False).step().outcome is StepOutcome.NEEDS_HUMAN


def test_agent_that_writes_beside_its_folder_is_told(stepping: Stepping) -> None:
    """Beside the repository, and where the user's own keys are."""
    (stepping.home / ".ssh").mkdir()
    report = stepping.teach(f"{WORK}; echo x > ../beside.txt; echo key > ~/.ssh/authorized_keys").step()
    places = [place for notice in report.notices if notice.sign is Sign.WROTE_OUTSIDE for place in notice.places]
    assert str(stepping.root.parent / "beside.txt") in places
    assert "~/.ssh/authorized_keys" in places


def test_agent_that_leaves_its_own_tree_is_told(stepping: Stepping) -> None:
    """It wrote into the repository itself."""
    stepping.configure(folder="worktree").teach(f"{WORK}; echo x >> {stepping.root}/src/app.py")
    assert find_signs(stepping.step())[Sign.WROTE_OUTSIDE] is Severity.HIGH


def test_agent_that_floods_is_stopped(stepping: Stepping) -> None:
    """At the limit, not at the end of the disk."""
    stepping.configure(output_bytes=1_000_000).teach("yes flood")
    report = stepping.step()
    assert (report.outcome, report.end.ending) == (StepOutcome.FAILED, RunEnding.FLOODED)
    assert is_nothing_left(stepping, report)


def test_daemons_of_an_agent_are_ended(stepping: Stepping) -> None:
    """Also one in a session of its own that has thrown its environment away."""
    pids = stepping.root.parent / "pids"
    daemon = f"sh -c 'echo $$ >> {pids}; exec sleep 60'"
    stepping.teach(f"{WORK}; setsid {daemon} & env -i setsid /bin/{daemon} & sleep 0.2")
    report = stepping.step()
    assert find_signs(report)[Sign.LEFT_RUNNING] is Severity.MEDIUM
    assert report.end.left_running == 2
    assert [pid for pid in pids.read_text(encoding="ascii").split() if Path(f"/proc/{pid}").exists()] == []


def test_agent_that_ignores_the_polite_end_is_killed(stepping: Stepping) -> None:
    """After its grace, with its children."""
    stepping.configure(timeout_seconds=0.5).teach("trap '' TERM; sh -c 'trap \"\" TERM; sleep 60' & sleep 60")
    report = stepping.step()
    assert (report.end.ending, report.end.signal) == (RunEnding.TIMED_OUT, 9)
    assert is_nothing_left(stepping, report)


def test_agent_that_deletes_the_branch_needs_a_person(stepping: Stepping) -> None:
    """Nothing can be examined any more; what was there is still known."""
    before = stepping.builder.head()
    report = stepping.teach("git update-ref -d refs/heads/main").step()
    assert (report.outcome, report.head_before) == (StepOutcome.NEEDS_HUMAN, before)
    assert find_signs(report)[Sign.BRANCH_DELETED] is Severity.CRITICAL


def test_agent_that_rewrites_history_needs_a_person(stepping: Stepping) -> None:
    """The commit it began from is no longer behind it."""
    report = stepping.teach("git -c user.name=m -c user.email=m@example.org commit -q --amend -m other").step()
    assert find_signs(report)[Sign.HISTORY_REWRITTEN] is Severity.CRITICAL
    assert report.outcome is StepOutcome.NEEDS_HUMAN


def test_agent_that_breaks_the_repository_needs_a_person(stepping: Stepping) -> None:
    """Even then there is a report."""
    report = stepping.teach("mv .git/HEAD .git/gone").step()
    assert find_signs(report)[Sign.UNREADABLE] is Severity.CRITICAL
    assert report.outcome is StepOutcome.NEEDS_HUMAN


def test_agent_that_deletes_the_repository_is_told_and_ended(stepping: Stepping) -> None:
    """The run's own files went with it; its daemon did not get away."""
    pids = stepping.root.parent / "pids"
    stepping.teach(f"setsid sh -c 'echo $$ > {pids}; exec sleep 60' & sleep 0.2; rm -rf .git; sleep 0.3")
    with pytest.raises(AgentRunError, match="files of the run are gone"):
        stepping.step()
    wait_until(lambda: not Path(f"/proc/{pids.read_text(encoding='ascii').strip()}").exists())


def test_agent_that_edits_decisions_needs_a_person(stepping: Stepping) -> None:
    """A changed file below `.handoff-tui/` is critical; an added one is told."""
    stepping.builder.write(".handoff-tui/trust/policy.toml", "version = 1\n").commit("a policy")
    report = stepping.teach(
        f"{WORK}; echo 'version = 2' > .handoff-tui/trust/policy.toml; echo > .handoff-tui/x"
    ).step()
    severities = [notice.severity for notice in report.notices if notice.sign is Sign.OWN_FOLDER_EDITED]
    assert severities == [Severity.CRITICAL, Severity.HIGH]
    assert report.outcome is StepOutcome.NEEDS_HUMAN


def test_agent_that_edits_its_own_checks_needs_a_person(stepping: Stepping) -> None:
    """Whatever the checks say then."""
    report = stepping.teach(f"printf '[checks.claims-hold]\\nenabled = false\\n' > handoff-tui.toml; {COMMIT}").step()
    assert find_signs(report)[Sign.CHECKS_EDITED] is Severity.CRITICAL
    assert report.outcome is StepOutcome.NEEDS_HUMAN


def test_agent_that_edits_git_configuration_is_told(stepping: Stepping) -> None:
    """Hooks and configuration aren't part of the work."""
    report = stepping.teach(
        f"{WORK}; git config core.pager evil; mkdir -p .git/hooks; echo > .git/hooks/pre-push"
    ).step()
    [notice] = [notice for notice in report.notices if notice.sign is Sign.GIT_EDITED]
    assert notice.places == (".git/config", ".git/hooks/pre-push")


def test_agent_that_takes_back_its_output_has_failed(stepping: Stepping) -> None:
    """What was printed counts: its digest is that of all of it."""
    report = stepping.teach(f"{WORK}; head -c 5000000 /dev/zero; sleep 0.5; : > /proc/$$/fd/1; sleep 0.5").step()
    assert report.end.output_rewritten
    assert report.outcome is StepOutcome.FAILED


@pytest.mark.parametrize("text", ["exit 3", "kill -9 $$"])
def test_failing_agent_leads_back_without_a_decision(stepping: Stepping, text: str) -> None:
    """Along the failure edge; the log has no entry from it."""
    report = stepping.teach(text).step()
    assert (report.outcome, report.next_phase) == (StepOutcome.FAILED, "build")
    assert open_log(stepping.desk().repository).verify().entries == ()


def test_secrets_of_the_session_do_not_reach_the_agent(stepping: Stepping, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only named variables do, and no value is written to disk."""
    monkeypatch.setenv("API_TOKEN", "s3cret-value")
    monkeypatch.setenv("MODEL_KEY", "k3y-value")
    stepping.configure(environment=["PATH", "HOME", "MODEL_KEY"]).teach(f"{WORK}; env")
    report = stepping.step()
    output = Path(report.proof).read_text(encoding="utf-8")
    assert "s3cret-value" not in output
    assert "MODEL_KEY=k3y-value" in output
    kept = [path for path in Path(report.proof).parent.iterdir() if path.name != "output.log"]
    assert not any(b"k3y-value" in path.read_bytes() for path in kept)


def test_prompt_of_a_hostile_handoff_is_one_word(stepping: Stepping) -> None:
    """Nothing of it is run by a shell, however it is written."""
    marker = stepping.root / "owned"
    stepping.builder.write("HANDOFF.md", f"# Handoff $(touch {marker}) `touch {marker}`\n\nStatus: COMPLETE\n").commit()
    text = stepping.config.read_text(encoding="utf-8").replace('"{prompt_file}"', '"{prompt}"')
    stepping.config.write_text(text, encoding="utf-8")
    report = stepping.teach(f'{WORK}; echo "$1" | head -c 10').step()
    assert report.end.code == 0
    assert not os.path.lexists(marker)
