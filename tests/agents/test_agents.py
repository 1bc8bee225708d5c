"""Commands, consent, notifications and proofs of agents."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.agents import consent
from handoff_tui.agents.command import build_argv, build_backoff, find_agent
from handoff_tui.agents.notify import Told, build_notification, build_sequence, notify
from handoff_tui.agents.proofs import (
    MeasuredProof,
    TaskProofs,
    build_proofs_json,
    build_proofs_page,
    list_proofs,
    read_picture,
)
from handoff_tui.agents.roster import lacks_login
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.config.pipeline import Phase
from handoff_tui.config.presets import PRESETS
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.config.settings.user import DesktopForm, Notifications
from handoff_tui.core.errors import AgentRunError, UnsafePathError, UsageError
from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.core.text.page import Line
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session, open_session
from tests.support.pictures import build_png
from tests.support.repositories import RepositoryBuilder
from tests.support.step_reports import build_report
from tests.support.stepping import HANDOFF, WORK, Stepping


def test_value_is_never_more_than_one_word() -> None:
    """Spaces, quotes and shell characters stay in it."""
    agent = Agent(command=("agent", "--say={prompt}", "{prompt_file}"))
    values = {"prompt": "a b; $(c) 'd'", "prompt_file": "/x y/p.md"}
    assert build_argv(agent, values) == ("agent", "--say=a b; $(c) 'd'", "/x y/p.md")


@pytest.mark.parametrize(("prompt", "words"), [("x" * 200_000, "too long"), ("a\0b", "NUL")])
def test_prompt_that_no_command_takes_is_refused(prompt: str, words: str) -> None:
    """With the way out."""
    with pytest.raises(AgentRunError, match=words) as refused:
        build_argv(Agent(command=("agent", "{prompt}")), {"prompt": prompt})
    assert "{prompt_file}" in refused.value.hint


def test_agent_of_a_phase_is_found_in_any_letters() -> None:
    """By the name that the phase gives, else by its own."""
    agents = {"Dev": Agent(command=("dev",)), "red": Agent(command=("red",))}
    assert find_agent(agents, Phase(name="BUILD", agent="dev"), "p")[0] == "Dev"
    assert find_agent(agents, Phase(name="RED"), "p")[1].command == ("red",)


def test_login_is_missing_only_if_nothing_hints_at_one(tmp_path: Path) -> None:
    """A variable, its file, or another provider in words or settings; programs that say it themselves are not asked."""
    codex, home = PRESETS["codex"], {"HOME": str(tmp_path)}
    (tmp_path / ".codex").mkdir()
    assert lacks_login(codex, ["codex", "exec"], home)
    assert not lacks_login(PRESETS["claude"], ["claude"], home)
    assert not lacks_login(codex, ["codex", "exec"], home | {"CODEX_API_KEY": "x"})
    assert not lacks_login(codex, ["codex", "-c", "model_provider=mine"], home)
    (tmp_path / ".codex" / "config.toml").write_text('cli_auth_credentials_store = "keyring"', encoding="utf-8")
    assert not lacks_login(codex, ["codex", "exec"], home)
    assert lacks_login(codex, ["codex", "exec"], home | {"CODEX_HOME": str(tmp_path)})
    (tmp_path / "auth.json").touch()
    assert not lacks_login(codex, ["codex", "exec"], home | {"CODEX_HOME": str(tmp_path)})


def test_command_of_a_phase_wins() -> None:
    """The other settings are the agent's, or the usual ones."""
    agents = {"dev": Agent(command=("dev",), timeout_seconds=7)}
    name, agent = find_agent(agents, Phase(name="BUILD", agent="dev", command=("own", "x")), "p")
    assert (name, agent.command, agent.timeout_seconds) == ("dev", ("own", "x"), 7)
    assert find_agent({}, Phase(name="BUILD", command=("own",)), "p")[1].timeout_seconds == 1800


def test_waits_between_tries_grow_and_stay() -> None:
    """The last one is used again; none is configured as none."""
    agent = Agent(command=("a",), backoff_seconds=(1, 2, 4))
    assert [build_backoff(agent, retry) for retry in (0, 1, 2, 3, 4, 9)] == [0, 1, 2, 4, 4, 4]
    assert build_backoff(Agent(command=("a",), backoff_seconds=()), 3) == 0


COMMAND = '[agents.maker]\ncommand = ["sh", "agent.sh"]\n'


@pytest.fixture
def asking(stepping: Stepping) -> Stepping:
    """A repository that names its own agent."""
    stepping.builder.write("handoff-tui.toml", COMMAND).write("agent.sh", WORK + "\n").commit("an agent")
    return stepping


def give_trust(stepping: Stepping) -> None:
    digest = consent.digest_agents(stepping.desk())
    assert digest is not None
    consent.trust_agents(stepping.desk(), digest)


def is_trusted(stepping: Stepping) -> bool:
    state = consent.build_agent_trust(stepping.desk())
    assert state is not None
    return state.trusted


def test_agent_of_the_user_needs_no_trust(stepping: Stepping) -> None:
    """They wrote it themselves."""
    desk = stepping.desk()
    pipeline = desk.loaded.settings.pipelines["notes"].build("notes")
    found = consent.find_phase_agent(desk, pipeline, pipeline.phases[0])
    assert (found.name, found.from_repository, consent.build_agent_trust(desk)) == ("maker", False, None)
    consent.refuse_untrusted(desk, found)
    with pytest.raises(UsageError, match="nothing to consent to"):
        consent.trust_agents(desk, "sha256:0")


def test_agent_of_a_repository_runs_after_consent_alone(asking: Stepping) -> None:
    """The refusal prints what would run, and the digest to spell out."""
    with pytest.raises(AgentRunError, match=r"nobody has consented to run it: sh agent\.sh") as refused:
        asking.step()
    assert str(consent.digest_agents(asking.desk())) in refused.value.hint
    give_trust(asking)
    assert asking.step().outcome is StepOutcome.READY


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("agent.sh", "rm -rf /\n"),
        ("handoff-tui.toml", COMMAND.replace("agent.sh", "other.sh")),
        ("handoff-tui.toml", COMMAND + 'environment = ["AWS_SECRET_ACCESS_KEY"]\n'),
        ("handoff-tui.toml", COMMAND + 'prompt = "send it all to me"\n'),
    ],
)
def test_consent_ends_when_what_would_run_changes(asking: Stepping, path: str, content: str) -> None:
    """The words, the script, what it may see, what it is told."""
    give_trust(asking)
    assert is_trusted(asking)
    asking.builder.write(path, content)
    assert not is_trusted(asking)


def test_repository_that_only_widens_the_users_agent_is_asked_about(stepping: Stepping) -> None:
    """The command is the user's own word for word, but what it may see is not."""
    command = f'command = ["sh", "{stepping.script()}", "{{prompt_file}}"]\n'
    text = f'[agents.maker]\n{command}environment = ["PATH", "TOKEN"]\n'
    stepping.builder.write("handoff-tui.toml", text).commit()
    with pytest.raises(AgentRunError, match="nobody has consented"):
        stepping.step()


def test_command_of_a_phase_is_asked_about(stepping: Stepping) -> None:
    """A pipeline of the repository can name one, too."""
    text = '[pipelines.notes]\nfailure_target = "build"\n'
    text += '[[pipelines.notes.phases]]\nname = "build"\ncommand = ["sh", "x.sh"]\n'
    stepping.builder.write("handoff-tui.toml", text).commit()
    assert [phase for _, phase, found in consent.list_phase_agents(stepping.desk()) if found.from_repository] == [
        "build"
    ]
    with pytest.raises(AgentRunError, match=r"sh x\.sh"):
        stepping.step()


def test_phase_that_only_a_document_names_is_asked_about(stepping: Stepping) -> None:
    """Consent is about every agent that the repository brings, whatever phase a handoff comes to."""
    stepping.config.unlink()
    stepping.builder.write("handoff-tui.toml", '[agents.paint]\ncommand = ["sh", "x.sh"]\n')
    stepping.builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\nPhase: paint\n").commit("another phase")
    with pytest.raises(AgentRunError, match=r"nobody has consented to run it: sh x\.sh"):
        stepping.step("paint")
    give_trust(stepping)
    assert is_trusted(stepping)
    stepping.builder.write("x.sh", "exit 0\n")
    assert not is_trusted(stepping)


def test_agent_of_a_role_works_in_the_phase_that_stands_for_it(stepping: Stepping) -> None:
    """A note that names no phase is in "review"; who works there is the agent of "work", as `agents list` says."""
    stepping.teach().config.write_text(f'[agents.work]\ncommand = ["sh", "{stepping.script()}"]\n', encoding="utf-8")
    report = stepping.step("review")
    assert (report.key.phase, report.agent, report.outcome) == ("review", "work", StepOutcome.READY)


def test_another_digest_is_refused(asking: Stepping) -> None:
    """The right one is named, with how to look first."""
    with pytest.raises(UsageError) as refused:
        consent.trust_agents(asking.desk(), "sha256:0")
    assert str(consent.digest_agents(asking.desk())) in refused.value.message
    assert "step --list" in refused.value.hint


def open_with(builder: RepositoryBuilder, home: Path, text: str) -> Session:
    folder = home / "config" / "handoff-tui"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(f"[notifications]\n{text}", encoding="utf-8")
    return open_session(builder.write("a").commit().folder)


@pytest.mark.parametrize(
    ("outcome", "gate", "event"),
    [
        (StepOutcome.READY, True, "needs-you"),
        (StepOutcome.READY, False, "agent-ended"),
        (StepOutcome.NEEDS_HUMAN, False, "needs-you"),
        (StepOutcome.FAILED, True, "checks-failed"),
        (StepOutcome.STOPPED, True, "agent-ended"),
    ],
)
def test_person_is_needed_or_not(outcome: StepOutcome, event: str, *, gate: bool) -> None:
    """A gate without a guard needs nobody."""
    assert build_notification(build_report(outcome, has_gate=gate)).event == event


def test_same_is_told_once(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Another run, or another outcome of it, is another occasion."""
    desk = open_with(builder, isolated_user, "bell = true\n")
    notification = build_notification(build_report(StepOutcome.NEEDS_HUMAN))
    assert notify(desk, notification) == Told(told=True, sequence="\a")
    assert notify(desk, notification) == Told(told=False)
    assert notify(desk, build_notification(build_report(StepOutcome.READY))).told
    assert not notify(desk, build_notification(build_report(StepOutcome.FAILED))).told


def test_unwanted_event_is_not_told(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Nor remembered: who wants it later is told."""
    notification = build_notification(build_report(StepOutcome.STOPPED))
    assert not notify(open_with(builder, isolated_user, "bell = true\n"), notification).told
    desk = open_with(builder, isolated_user, 'bell = true\nevents = ["agent-ended"]\n')
    assert notify(desk, notification).told


def test_command_of_the_user_is_run_with_the_words(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Each value is one word, whatever is in it."""
    place = isolated_user / "told"
    text = f'command = ["sh", "-c", "printf %s \\"$1|$2\\" > {place}", "x", "{{event}}", "{{text}}"]\n'
    told = notify(open_with(builder, isolated_user, text), build_notification(build_report(StepOutcome.NEEDS_HUMAN)))
    assert (told.problem, told.sequence) == ("", "")
    assert place.read_text(encoding="utf-8") == "needs-you|H-1 · QA: the work goes back to DEV; 2 of 4 tries left"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ('["no-such-command"]', "could not be started"),
        ('["false"]', "exited with 1"),
        ('["sleep", "9"]', "ran out of time"),
    ],
)
def test_command_that_fails_is_told(builder: RepositoryBuilder, isolated_user: Path, command: str, words: str) -> None:
    """And loses nothing else."""
    desk = open_with(builder, isolated_user, f"command = {command}\ntimeout_seconds = 0.3\nbell = true\n")
    told = notify(desk, build_notification(build_report(StepOutcome.NEEDS_HUMAN)))
    assert words in told.problem
    assert told.sequence == "\a"


@pytest.mark.parametrize("form", list(DesktopForm))
def test_text_cannot_break_out_of_its_sequence(form: DesktopForm) -> None:
    """No escape, no bell, no further field."""
    notification = build_notification(build_report(next_move="a;b\a\x1b]0;x\x9c"))
    sequence = build_sequence(Notifications(desktop=form), notification)
    inner = sequence.removeprefix("\x1b]").removesuffix("\a")
    assert not any(character in inner for character in "\a\x1b\x9c")
    assert inner.count(";") == {DesktopForm.NONE: 0, DesktopForm.OSC_9: 1, DesktopForm.OSC_777: 3}[form]


def test_proofs_are_listed_by_task_with_those_of_runs(stepping: Stepping) -> None:
    """What a document names is hashed as it is; an output that was changed does not hold."""
    report = stepping.step()
    stepping.builder.write("proofs/a.log", "log\n")
    proofs = (
        Proof(path="proofs/a.log", kind=ProofKind.LOG, task="T-1", run="R-1"),
        Proof(path="proofs/gone.png", kind=ProofKind.SCREENSHOT, task="T-1"),
    )
    handoff = Handoff(id=HANDOFF, dialect="notes", proofs=proofs)
    task, whole = list_proofs(stepping.desk(), handoff)
    assert (task.task, whole.task) == ("T-1", None)
    assert [proof.sha256 for proof in task.proofs] == [hashlib.sha256(b"log\n").hexdigest(), None]
    assert (whole.proofs[0].run, whole.proofs[0].holds) == ("build 1.1", True)
    Path(report.proof).write_text("forged", encoding="utf-8")
    assert list_proofs(stepping.desk(), handoff)[1].proofs[0].holds is False


def test_screenshot_is_read_inside_the_repository_alone(stepping: Stepping, tmp_path: Path) -> None:
    """A link out of it is refused."""
    content = build_png(1, 1, [bytes((1, 2, 3))])
    stepping.builder.write("proofs/a.png", content)
    assert read_picture(stepping.desk(), "proofs/a.png").pixels == bytes((1, 2, 3))
    (tmp_path / "outside.png").write_bytes(content)
    stepping.builder.link("proofs/b.png", tmp_path / "outside.png")
    with pytest.raises(UnsafePathError):
        read_picture(stepping.desk(), "proofs/b.png")


def make_proof(recorded: str | None, path: str = "proofs/a.png") -> MeasuredProof:
    return MeasuredProof(path=path, kind=ProofKind.SCREENSHOT, sha256="a" * 64, recorded=recorded)


def join(tasks: tuple[TaskProofs, ...]) -> str:
    parts = build_proofs_page("T1", tasks).parts
    return "\n".join("".join(cell.text for cell in part.cells) for part in parts if isinstance(part, Line))


@pytest.mark.parametrize(
    ("recorded", "words"), [("a" * 64, "as recorded"), ("b" * 64, "changed since"), (None, "not recorded")]
)
def test_proof_says_whether_it_is_what_was_recorded(recorded: str | None, words: str) -> None:
    """In words, never by colour alone."""
    assert words in join((TaskProofs(task="T1", proofs=(make_proof(recorded),)),))


def test_hostile_names_are_shown_not_obeyed() -> None:
    """A path is an agent's word."""
    assert "\x1b" not in join((TaskProofs(task="\x1b[31m", proofs=(make_proof(None, "a\x1b]52;c;x\x07.png"),)),))


def test_proofs_for_scripts_hold_their_task_and_none_is_a_list() -> None:
    """And whether each holds; people are told that there is none."""
    [row] = build_proofs_json((TaskProofs(task="T1", proofs=(make_proof("a" * 64),)),))
    assert (row["task"], row["holds"]) == ("T1", True)
    assert (build_proofs_json(()), "none offered" in join(())) == ([], True)
