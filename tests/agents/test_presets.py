"""Presets: one line of configuration runs a program. The programs here are scripts with the same names and streams."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Thread

import pytest

from handoff_tui.agents.consent import digest_agents
from handoff_tui.agents.roster import build_roster, build_roster_json
from handoff_tui.agents.runs.folders import find_session, list_runs, resume_session
from handoff_tui.agents.runs.run import RunEnding, RunStatus
from handoff_tui.agents.step.report import Sign, StepOutcome
from handoff_tui.agents.step.step import inject_note
from handoff_tui.config.load import build_settings, load_settings
from handoff_tui.config.presets import PRESETS
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.core.errors import ConfigError
from handoff_tui.live.acting.agent_follow import OutputWindows
from handoff_tui.live.state.agents import OutputRange, OutputSource
from tests.support.repositories import RepositoryBuilder
from tests.support.stepping import HANDOFF, Stepping
from tests.support.waiting import wait_until

_STREAMS = Path(__file__).parent / "transcript" / "streams"
_DOES = "echo more >> src/app.py; git add --all; git commit --quiet --message work"


@pytest.fixture
def stepping(builder: RepositoryBuilder, isolated_user: Path) -> Stepping:
    return Stepping(builder, isolated_user)


@pytest.fixture(autouse=True)
def _own_programs(isolated_user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (isolated_user / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{isolated_user / 'bin'}{os.pathsep}{os.environ['PATH']}")


def _install(stepping: Stepping, name: str, script: str) -> None:
    place = stepping.home / "bin" / name
    place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    place.chmod(0o755)


def _configure(stepping: Stepping, preset: str, more: str = "") -> None:
    pipeline = (
        '[pipelines.notes]\nfailure_target = "build"\n[[pipelines.notes.phases]]\nname = "build"\nagent = "maker"\n'
    )
    stepping.config.write_text(f'agents.maker.preset = "{preset}"\n{more}\n{pipeline}', encoding="utf-8")


def _print(name: str) -> str:
    return f"cat {_STREAMS / f'{name}.txt'}"


def _read_agent(text: str) -> Agent:
    return build_settings(text.encode(), None).settings.agents["maker"]


@pytest.mark.parametrize("name", PRESETS)
def test_one_line_runs_a_program(stepping: Stepping, name: str) -> None:
    """It gets its prompt as it wants it, commits under its own name, and what it cost is known."""
    seen = stepping.home / "seen"
    reads = "head -n 1" if name == "claude" else "cat"  # messages have no end before the answer
    _install(stepping, name, f'for word; do echo "$word"; done > {seen}; {reads} >> {seen}; {_DOES}; {_print(name)}')
    _configure(stepping, name)
    report = stepping.step()
    assert report.outcome is StepOutcome.READY, report.why
    (commit,) = report.commits
    assert commit.author == f"{name}@agents.invalid"
    assert report.end.usage is not None
    assert report.end.usage.tokens_in > 0
    (run,) = list_runs(stepping.desk().repository.common_dir)
    prompt = (Path(run.folder) / "prompt.md").read_text(encoding="utf-8")
    words = seen.read_text(encoding="utf-8")
    given = json.loads(words.splitlines()[-1])["message"]["content"] if name == "claude" else words
    assert prompt in given or str(Path(run.folder) / "prompt.md") in words


def test_settings_go_before_the_preset() -> None:
    """What the configuration says goes before what the preset knows."""
    agent = _read_agent('[agents.maker]\npreset = "claude"\narguments = ["--model", "opus"]\nallow = ["just test"]\n')
    assert agent.command[-3:] == ("Bash(just test:*)", "--model", "opus")
    assert agent.stream == "claude"
    own = _read_agent('[agents.maker]\npreset = "claude"\ncommand = ["box", "claude"]\nvariables = {A = "b"}\n')
    assert own.command == ("box", "claude")
    assert own.variables == {"A": "b", **PRESETS["claude"].variables}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('preset = "clawd"', "preset should be one of"),
        ('preset = "claude"\nidentity = "nobody"', "Name <address>"),
        ('preset = "codex"\nmax_cost = 1.0', "codex does not say what it costs"),
        ('command = ["x"]\nmax_turns = 3', "needs a stream"),
    ],
)
def test_a_wrong_setting_is_refused(text: str, problem: str) -> None:
    """A setting that can't work is refused when it is read, and the message says what would."""
    with pytest.raises(ConfigError, match=problem):
        _read_agent(f"[agents.maker]\n{text}\n")


def test_older_consents_stay_valid(stepping: Stepping) -> None:
    """Settings that nobody uses aren't part of what a person agreed to; a preset is."""
    stepping.builder.write("handoff-tui.toml", '[agents.maker]\ncommand = ["x"]\n').commit("configure")
    plain = digest_agents(stepping.desk())
    stepping.builder.write("handoff-tui.toml", '[agents.maker]\ncommand = ["x"]\nmax_turns = 3\nstream = "codex"\n')
    assert digest_agents(stepping.desk()) != plain


def test_the_list_starts_nothing(stepping: Stepping) -> None:
    """Whether a program is installed is found out without running it."""
    _install(stepping, "codex", f"touch {stepping.home / 'started'}")
    _configure(stepping, "codex")
    listed = build_roster_json(build_roster(load_settings(stepping.root)))
    presets = {one["preset"]: one for one in listed["presets"]}  # type: ignore[attr-defined]
    assert presets["codex"]["path"] == str(stepping.home / "bin" / "codex")
    assert listed["agents"][0]["phases"] == ["notes · build"]  # type: ignore[index]
    assert not (stepping.home / "started").exists()


def test_a_note_reaches_a_running_agent(stepping: Stepping) -> None:
    """Claude Code reads messages: the prompt first, then each note; its input ends once it has answered."""
    seen = stepping.home / "seen"
    answered = '{"type":"result","subtype":"success","is_error":false,"result":"ok"}'
    script = f"read prompt; read note; echo \"$note\" > {seen}; {_DOES}; echo '{answered}'; cat > /dev/null"
    _install(stepping, "claude", script)
    _configure(stepping, "claude")
    worker = Thread(target=stepping.step)
    worker.start()
    common = stepping.desk().repository.common_dir
    wait_until(lambda: any(run.status is RunStatus.RUNNING for run in list_runs(common)))
    inject_note(stepping.desk(), HANDOFF, "Keep the names.")
    worker.join()
    assert "Keep the names." in json.loads(seen.read_text(encoding="utf-8"))["message"]["content"]


_ANSWER = {"type": "assistant", "message": {"content": [], "usage": {"input_tokens": 900, "output_tokens": 100}}}


def _stream(*values: dict[str, object]) -> str:
    return "; ".join(f"echo '{json.dumps(value)}'" for value in values)


def _answers(count: int) -> list[dict[str, object]]:
    said = [{"type": "text", "text": "hm"}]
    return [{**_ANSWER, "message": {**_ANSWER["message"], "id": f"m{n}", "content": said}} for n in range(count)]  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("limit", "why"), [("max_tokens = 1500", "it used 2,000 tokens"), ("max_turns = 1", "it took 2 turns")]
)
def test_a_budget_stops_a_run(stepping: Stepping, limit: str, why: str) -> None:
    """A run over its limit is stopped at once, and a person decides how to go on."""
    _install(stepping, "claude", f"{_stream(*_answers(2))}; sleep 60")
    _configure(stepping, "claude", f"agents.maker.{limit}")
    report = stepping.step()
    assert report.end.ending is RunEnding.OVER_BUDGET
    assert report.outcome is StepOutcome.NEEDS_HUMAN
    assert why in report.why[0]
    assert "allow more" in report.next_move


def test_a_denied_test_run_is_never_ready(stepping: Stepping) -> None:
    """The agent commits and says that all is well; but it could not run the tests."""
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "pytest -q"}}
    denied = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "This command requires approval"}
    values: list[dict[str, object]] = [
        {"type": "assistant", "message": {"id": "m", "content": [use]}},
        {"type": "user", "message": {"content": [denied]}},
        {"type": "result", "subtype": "success", "is_error": False, "result": "All tests pass."},
    ]
    _install(stepping, "claude", f"{_DOES}; {_stream(*values)}")
    _configure(stepping, "claude")
    report = stepping.step()
    assert report.outcome is StepOutcome.NEEDS_HUMAN
    (notice,) = (notice for notice in report.notices if notice.sign is Sign.DENIED)
    assert notice.places == ("pytest -q",)
    assert "`allow`" in report.next_move


def test_work_that_was_not_committed_is_never_ready(stepping: Stepping) -> None:
    """Codex does not say that its sandbox kept it from committing; the repository does."""
    _install(stepping, "codex", f"echo more >> src/app.py; {_print('codex')}")
    _configure(stepping, "codex")
    report = stepping.step()
    assert report.outcome is StepOutcome.FAILED
    assert "committed nothing" in report.why[0]


@pytest.mark.parametrize(
    ("script", "outcome", "sign"),
    [
        ("echo 'Not logged in. Please run /login'; exit 1", StepOutcome.NEEDS_HUMAN, Sign.NO_LOGIN),
        ("echo \"error: unknown option '--input-format'\"; exit 1", StepOutcome.NEEDS_HUMAN, Sign.WRONG_ARGUMENTS),
        ("echo 'fetch failed: ECONNREFUSED'; exit 1", StepOutcome.NEEDS_HUMAN, Sign.NO_NETWORK),
        (f"{_DOES}; echo I am done", StepOutcome.FAILED, Sign.NO_VERDICT),
        (
            _stream({"type": "result", "is_error": False, "stop_reason": "refusal", "result": ""}),
            *(StepOutcome.NEEDS_HUMAN, Sign.REFUSED),
        ),
    ],
)
def test_what_keeps_a_program_from_working_is_named(
    stepping: Stepping, script: str, outcome: StepOutcome, sign: Sign
) -> None:
    """No login, no network, a refusal, another version: the report names it, and nothing is ready."""
    _install(stepping, "claude", script)
    _configure(stepping, "claude")
    report = stepping.step()
    assert report.outcome is outcome
    assert sign in {notice.sign for notice in report.notices}


def test_a_missing_program_says_how_to_get_it(stepping: Stepping) -> None:
    """A program that is missing needs a person, who is told how to install it."""
    _configure(stepping, "goose", 'agents.maker.command = ["goose-that-is-missing"]')
    report = stepping.step()
    assert report.outcome is StepOutcome.NEEDS_HUMAN
    assert report.next_move.startswith("needs you: Install it:")


def test_a_traceback_in_tool_output_is_no_failure(stepping: Stepping) -> None:
    """The agent's own verdict counts, not what its tools print."""
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "Fixed the traceback."}
    told = {"type": "tool_result", "tool_use_id": "t", "content": "Traceback (most recent call last):\nHTTP 500"}
    _install(stepping, "claude", f"{_DOES}; {_stream({'type': 'user', 'message': {'content': [told]}}, result)}")
    _configure(stepping, "claude")
    report = stepping.step()
    assert report.outcome is StepOutcome.READY
    assert Sign.ERROR_IN_OUTPUT not in {notice.sign for notice in report.notices}


def test_the_next_agent_gets_a_summary(stepping: Stepping) -> None:
    """Never raw JSON: the last words, and what it could not do."""
    _install(stepping, "claude", f"{_DOES}; {_print('claude')}")
    _configure(stepping, "claude")
    stepping.step()
    report = stepping.step()
    (_, again) = list_runs(stepping.desk().repository.common_dir)
    prompt = (Path(again.folder) / "prompt.md").read_text(encoding="utf-8")
    assert report.outcome is StepOutcome.READY
    assert "Done: `add` works and is committed." in prompt
    assert '"type"' not in prompt


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("claude", "claude --resume 11111111-1111-4111-8111-111111111111"),
        ("codex", "codex resume 01a1eed4-c675-7413-b9aa-897790a14bcd"),
    ],
)
def test_a_session_can_be_resumed(stepping: Stepping, name: str, command: str) -> None:
    """By the name that its program gave it, where it worked."""
    _install(stepping, name, f"{_DOES}; {_print(name)}")
    _configure(stepping, name)
    key = stepping.step().key
    session = find_session(stepping.desk().repository.common_dir, key)
    assert (" ".join(session.argv), session.folder) == (command, str(stepping.root))
    _install(stepping, name, f'echo "$@" > {stepping.home / "resumed"}')
    resume_session(session)
    assert (stepping.home / "resumed").read_text(encoding="utf-8").strip() == command.partition(" ")[2]


def test_the_app_shows_the_transcript(stepping: Stepping) -> None:
    """Lines for people in place of raw JSON; the output itself stays as it was."""
    _install(stepping, "claude", f"{_DOES}; {_print('claude')}")
    _configure(stepping, "claude")
    report = stepping.step()
    wanted = OutputRange(report.key, OutputSource.OUTPUT, 0, 50)
    window = OutputWindows().read(stepping.desk().repository.common_dir, wanted)
    assert "  +def add(a, b):" in window.lines
    assert not any(line.startswith("{") for line in window.lines)
    assert Path(report.proof).read_bytes() == (_STREAMS / "claude.txt").read_bytes()
