"""`hook` and `wait --hook` as hosts call them: a JSON object on standard input."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.main import main
from tests.support.command_line import Said
from tests.support.gates import HANDOFF, GateDesk

_MOST_CPU_SECONDS = 0.15
_MOST_GIT = 6


def call(*arguments: str, given: object, path: str | None = None) -> Said:
    """Runs the program in the test's own process with this on standard input."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        if path is not None:
            patched.setenv("PATH", path)
        code = main(arguments)
    return Said(code, out.getvalue(), err.getvalue())


def start(*arguments: str, given: object, path: str | None = None) -> Said:
    """Runs it in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "handoff_tui", *arguments],
        input=json.dumps(given).encode(),
        env={**os.environ, **({"PATH": path} if path else {})},
        capture_output=True,
        check=False,
        timeout=200,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def build_question(
    root: Path, name: str = "PreToolUse", command: str = "git push", **more: object
) -> dict[str, object]:
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    return {"hook_event_name": name, "cwd": str(root), "session_id": "s", **tool, **more}


@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "vscode", "goose", "opencode"])
def test_one_object_in_and_one_out(gate_desk: GateDesk, host: str) -> None:
    """Exit code 0, because the answer says it all."""
    gate_desk.begin(gate_desk.person("bo"))
    name = "BeforeTool" if host == "gemini" else "PreToolUse"
    said = start("hook", host, given=build_question(gate_desk.root, name))
    assert said.code == ExitCode.OK
    reply = said.json
    assert isinstance(reply, dict)
    assert "HANDOFF.md" in (said.stderr if host == "goose" else said.stdout)
    assert call("hook", host, given=build_question(gate_desk.root, name, "ls")).stdout == "{}\n"


def test_without_json_it_blocks(gate_desk: GateDesk) -> None:
    """Exit code 2 with a message is a no for every host that has a no."""
    said = call("hook", "claude", given=b"not json")
    assert (said.code, said.stdout, "no JSON" in said.stderr) == (ExitCode.USAGE, "", True)


def test_stop_names_what_blocks(gate_desk: GateDesk) -> None:
    """In eight lines at most; and not again when it was said once."""
    lines = "".join(f"- `src/file{number}.py` was created.\n" for number in range(30))
    text = f"# Handoff: adding\n\nStatus: COMPLETE\n\n## Files created\n{lines}"
    gate_desk.builder.write("HANDOFF.md", text).commit("claims")
    gate_desk.begin(gate_desk.person("bo"))
    reply = call("hook", "claude", given=build_question(gate_desk.root, "Stop")).json
    assert reply["decision"] == "block"
    assert HANDOFF in reply["reason"]
    assert len(reply["reason"].splitlines()) <= 8
    again = build_question(gate_desk.root, "Stop", stop_hook_active=True)
    assert call("hook", "claude", given=again).stdout == "{}\n"
    busy = build_question(gate_desk.root, "Stop", background_tasks=[{"id": "1"}])
    assert call("hook", "claude", given=busy).stdout == "{}\n"


def test_returned_work_is_told_at_the_start(gate_desk: GateDesk) -> None:
    """What the person asked for, in their own words."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    question = build_question(gate_desk.root, "SessionStart", source="compact")
    assert call("hook", "claude", given=question).stdout == "{}\n"
    gate_desk.decide(bo, "reject", "--reason", "Write a test for sub.")
    told = call("hook", "claude", given=question).json["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "Write a test for sub." in told["additionalContext"]


def test_waiting_call_is_deferred(gate_desk: GateDesk) -> None:
    """Claude ends the run and asks again when it is resumed: after the approval, the same call runs."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    question = build_question(gate_desk.root)
    first = call("hook", "claude", "--defer", given=question).json["hookSpecificOutput"]
    assert first["permissionDecision"] == "defer"
    assert call("hook", "claude", given=question).json["hookSpecificOutput"]["permissionDecision"] == "deny"
    gate_desk.decide(bo, "approve")
    assert call("hook", "claude", "--defer", given=question).stdout == "{}\n"


def test_returned_work_is_not_waited_for(gate_desk: GateDesk) -> None:
    """It is the agent's turn, so the call is denied."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "reject", "--reason", "no")
    reply = call("hook", "claude", "--defer", given=build_question(gate_desk.root)).json["hookSpecificOutput"]
    assert reply["permissionDecision"] == "deny"


def test_agent_cannot_remove_its_gate(gate_desk: GateDesk) -> None:
    """The host asks before it takes over changed settings."""
    assert call("hook", "install", "claude", "--repo", str(gate_desk.root), given={}).code == ExitCode.OK
    question = build_question(gate_desk.root, "ConfigChange", source="project_settings")
    assert call("hook", "claude", given=question).stdout == "{}\n"
    (gate_desk.root / ".claude/settings.json").write_text("{}", encoding="utf-8")
    assert call("hook", "claude", given=question).json["decision"] == "block"


def test_rejection_wakes_the_agent_once(gate_desk: GateDesk) -> None:
    """Exit code 2 and the packet on stderr; the same session is not woken twice for it."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    question = build_question(gate_desk.root, "Stop")
    pending = call("wait", "--hook", "--timeout", "0", given=question)
    assert (pending.code, pending.stdout, pending.stderr) == (0, "", "")
    gate_desk.decide(bo, "reject", "--reason", "Write a test for sub.")
    woken = call("wait", "--hook", given=question)
    assert (woken.code, woken.stdout) == (2, "")
    assert "Write a test for sub." in woken.stderr
    again = call("wait", "--hook", given=question)
    assert (again.code, again.stderr) == (0, "")
    other = call("wait", "--hook", given={**question, "session_id": "another"})
    assert other.code == 2


def test_waiting_ends_with_a_decision(gate_desk: GateDesk) -> None:
    """A hook in the background hears of a rejection that comes while it waits."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    question = json.dumps(build_question(gate_desk.root, "Stop")).encode()
    waiting = subprocess.Popen(
        [sys.executable, "-m", "handoff_tui", "wait", "--hook", "--timeout", "150"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert waiting.stdin is not None
    waiting.stdin.write(question)
    waiting.stdin.close()
    waiting.stdin = None
    gate_desk.decide(bo, "reject", "--reason", "Write a test for sub.")
    _, told = waiting.communicate(timeout=200)
    assert (waiting.returncode, b"Write a test for sub." in told) == (2, True)


def test_run_without_a_person_does_not_wait(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """`claude -p` would not end before its hooks do."""
    gate_desk.begin(gate_desk.person("bo"))
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    assert call("wait", "--hook", given=build_question(gate_desk.root, "Stop")).code == 0


def test_wait_for_nothing_in_particular_needs_a_hook(gate_desk: GateDesk) -> None:
    """Otherwise it asks which."""
    said = call("wait", "--repo", str(gate_desk.root), given={})
    assert (said.code, "which handoff" in said.stderr) == (ExitCode.USAGE, True)


@pytest.mark.parametrize(("name", "command"), [("PreToolUse", "ls"), ("PreToolUse", "git push"), ("Stop", "")])
def test_answer_costs_little(gate_desk: GateDesk, tmp_path: Path, name: str, command: str) -> None:
    """When nothing has changed: little time, and few processes of git."""
    gate_desk.begin(gate_desk.person("bo"))
    question = build_question(gate_desk.root, name, command)
    first = start("hook", "claude", given=question)
    count = tmp_path / "count"
    count.touch()
    (tmp_path / "bin").mkdir()
    git = tmp_path / "bin/git"
    git.write_text(f'#!/bin/sh\necho x >> {count}\nexec /usr/bin/git "$@"\n', encoding="utf-8")
    git.chmod(0o755)
    again = start("hook", "claude", given=question, path=f"{git.parent}:{os.environ['PATH']}")
    assert again.stdout == first.stdout
    assert len(count.read_text(encoding="utf-8").splitlines()) <= _MOST_GIT
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start("hook", "claude", given=question)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) <= _MOST_CPU_SECONDS


def test_install_says_what_it_does(gate_desk: GateDesk) -> None:
    """As a page, and as JSON."""
    root = str(gate_desk.root)
    planned = call("hook", "install", "codex", "--dry-run", "--repo", root, given={})
    assert ("dry run" in planned.stdout, "/hooks" in planned.stdout) == (True, True)
    done = call("hook", "install", "codex", "--json", "--repo", root, given={}).json
    assert (done["schema"], done["level"], done["steps"][0]["deed"]) == ("handoff-tui/hook/v1", "project", "create")
    gone = call("hook", "uninstall", "codex", "--json", "--repo", root, given={}).json
    assert [step["deed"] for step in gone["steps"]] == ["remove"]


def find_diagnosis(root: Path, host: str, path: str | None = None) -> dict[str, object] | None:
    said = call("doctor", "--json", "--repo", str(root), given={}, path=path)
    return next((one for one in said.json["diagnoses"] if one["id"] == f"agent-hook-{host}"), None)


def test_doctor_knows_whether_hooks_answer(gate_desk: GateDesk, tmp_path: Path, isolated_user: Path) -> None:
    """Installed, trusted, answering: each can be missing."""
    root = gate_desk.root
    assert find_diagnosis(root, "claude") is None
    gate_desk.builder.write(".claude/settings.json", "{}")
    missing = find_diagnosis(root, "claude")
    assert missing is not None
    assert (missing["standing"], missing["commands"]) == ("missing", ["handoff-tui hook install claude"])
    call("hook", "install", "claude", "--repo", str(root), given={})
    program = tmp_path / "bin" / "handoff-tui"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m handoff_tui "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    for host, standing in (("claude", "ok"), ("codex", "missing")):
        call("hook", "install", host, "--repo", str(root), given={}, path=path)
        found = find_diagnosis(root, host, path)
        assert found is not None
        assert found["standing"] == standing, found
    state = f'[hooks.state."{root}/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "x"\n'
    (isolated_user / ".codex").mkdir()
    (isolated_user / ".codex/config.toml").write_text(state, encoding="utf-8")
    trusted = find_diagnosis(root, "codex", path)
    assert trusted is not None
    assert trusted["standing"] == "ok", trusted
    silent = find_diagnosis(root, "claude", "/usr/bin:/bin")
    assert silent is not None
    assert silent["standing"] == "missing"
    off = root / ".claude/settings.local.json"
    off.write_text('{"disableAllHooks": true}', encoding="utf-8")
    found = find_diagnosis(root, "claude", path)
    assert found is not None
    assert "switches all hooks off" in str(found["message"])
