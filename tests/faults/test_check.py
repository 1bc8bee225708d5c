"""`check` on commands and repositories that misbehave: each a result with a reason, nothing left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Said, say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches and trust of each test are its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def user_file(isolated_user: Path) -> Path:
    folder = isolated_user / "config" / "handoff-tui"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def write_check(place: Path, name: str, run: list[str], **fields: object) -> None:
    """Adds a command check to a configuration file; it may write to the test's own folder."""
    fields.setdefault("access", [f"{Path(os.environ['XDG_CACHE_HOME']).parent}/:write"])
    lines = [f"[checks.{name}]", f"run = {json.dumps(run)}"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    before = place.read_text(encoding="utf-8") if place.exists() else ""
    place.write_text(before + "\n".join(lines) + "\n", encoding="utf-8")


def check(builder: RepositoryBuilder, *arguments: str) -> Said:
    return say("check", "--json", *arguments, "--repo", builder.folder)


def is_running(words: str) -> bool:
    """By its command line: behind walls a process has another number."""
    return subprocess.run(["pgrep", "-f", f"^{words}$"], capture_output=True, check=False).returncode == 0


def result_of(said: Said, name: str) -> dict[str, Any]:
    [found] = [result for result in said.json["results"] if result["id"] == name]
    return dict(found)


@pytest.fixture
def repository(builder: RepositoryBuilder, tmp_path: Path) -> RepositoryBuilder:
    """Committed and pushed, so that nothing of ours is in the way."""
    return builder.write("a.txt", "one\n").commit("one").push(tmp_path / "remote.git")


def test_command_of_the_users_own_runs(repository: RepositoryBuilder, user_file: Path) -> None:
    """Exit code 0 is a pass, any other a failure with the end of the output."""
    write_check(user_file, "good", ["true"])
    write_check(user_file, "bad", ["sh", "-c", "echo the reason; exit 4"])
    said = check(repository, "--only", "good", "--only", "bad")
    assert (said.code, said.json["verdict"]) == (1, "blocked")
    assert result_of(said, "good")["outcome"] == "pass"
    bad = result_of(said, "bad")
    assert (bad["outcome"], bad["summary"]) == ("fail", "it exited with 4")
    assert "the reason" in bad["findings"][0]["message"]


def test_command_of_the_repository_waits_for_trust(repository: RepositoryBuilder, tmp_path: Path) -> None:
    """Untrusted it does not run and blocks; after its digest was spelled out it runs; changed, it waits again."""
    canary = tmp_path / "canary"
    place = repository.folder / "handoff-tui.toml"
    write_check(place, "own", ["touch", str(canary)])
    refused = check(repository, "--only", "own")
    assert (refused.code, canary.exists()) == (1, False)
    assert (result_of(refused, "own")["outcome"]) == "error"
    listed = say("check", "--list", "--json", "--repo", repository.folder).json["trust"]
    assert listed["trusted"] is False
    assert check(repository, "--only", "own", "--trust", "sha256:" + "0" * 64).code == 2
    assert not canary.exists()
    trusted = check(repository, "--only", "own", "--trust", listed["digest"], "--grant", f"{tmp_path}/:write")
    assert (trusted.code, canary.exists()) == (0, True)
    canary.unlink()
    place.write_text(place.read_text().replace('"touch"', '"touch", "-a"'), encoding="utf-8")
    assert check(repository, "--only", "own").code == 1
    assert not canary.exists()


def test_script_that_changes_loses_its_trust(repository: RepositoryBuilder, tmp_path: Path) -> None:
    """The session gate is trusted by its content, not by its name."""
    canary = tmp_path / "canary"
    gate = ".mosaic/enforcement/session-gate.sh"
    repository.write(gate, "exit 0\n")
    digest = say("check", "--list", "--json", "--repo", repository.folder).json["trust"]["digest"]
    assert (
        result_of(check(repository, "--only", "session-gate-passes", "--trust", digest), "session-gate-passes")[
            "outcome"
        ]
        == "pass"
    )
    repository.write(gate, f"touch {canary}; exit 0\n")
    assert result_of(check(repository, "--only", "session-gate-passes"), "session-gate-passes")["outcome"] == "error"
    assert not canary.exists()


def test_command_that_hangs_forks_and_ignores_the_end_is_ended(repository: RepositoryBuilder, user_file: Path) -> None:
    """A timeout with its reason; no process is left."""
    sleep = f"sleep 300.{os.getpid()}"
    script = f"trap '' TERM; (trap '' TERM; setsid {sleep}) & while :; do sleep 1; done"
    write_check(user_file, "stuck", ["sh", "-c", script], timeout_seconds=2)
    said = check(repository, "--only", "stuck")
    stuck = result_of(said, "stuck")
    assert (said.code, stuck["outcome"]) == (1, "timeout")
    assert "did not end within 2 seconds" in stuck["summary"]
    assert not is_running(sleep)


def test_command_that_is_missing_is_an_error(repository: RepositoryBuilder, user_file: Path) -> None:
    """It blocks, and says why."""
    write_check(user_file, "absent", ["no-such-program-here"])
    absent = result_of(check(repository, "--only", "absent"), "absent")
    assert absent["outcome"] == "error"
    assert "could not be started" in absent["summary"]


def test_flood_is_kept_short(repository: RepositoryBuilder, user_file: Path) -> None:
    """A command that prints 200 MB is a result like any other."""
    write_check(user_file, "flood", ["sh", "-c", "head -c 200000000 /dev/zero; echo; echo the end; exit 1"])
    flood = result_of(check(repository, "--only", "flood"), "flood")
    assert flood["findings"][0]["message"].endswith("the end")
    assert Path(flood["log"]).stat().st_size < 2_000_000


def test_needs_and_circles_are_told(repository: RepositoryBuilder, user_file: Path) -> None:
    """What needs a failed check is skipped; two that need each other are skipped; skipped blocks."""
    write_check(user_file, "first", ["false"])
    write_check(user_file, "second", ["true"], needs=["first"])
    write_check(user_file, "egg", ["true"], needs=["hen"])
    write_check(user_file, "hen", ["true"], needs=["egg"])
    said = check(repository, "--only", "first", "--only", "second", "--only", "egg", "--only", "hen")
    assert "did not pass" in result_of(said, "second")["summary"]
    assert {result_of(said, name)["outcome"] for name in ("second", "egg", "hen")} == {"skipped"}


def test_locked_commands_do_not_meet(repository: RepositoryBuilder, user_file: Path, tmp_path: Path) -> None:
    """Two commands with one lock never run at the same time."""
    script = f"mkdir {tmp_path}/lock && sleep 0.3 && rmdir {tmp_path}/lock"
    for name in ("one", "two", "three"):
        write_check(user_file, name, ["sh", "-c", script], locks=["disk"])
    with user_file.open("a", encoding="utf-8") as file:
        file.write("[check_run]\nparallel_maximum = 3\n")
    said = check(repository, "--only", "one", "--only", "two", "--only", "three")
    assert [result["outcome"] for result in said.json["results"]] == ["pass"] * 3


def test_junit_report_names_the_failing_tests(repository: RepositoryBuilder, user_file: Path) -> None:
    """A finding for each; a report that is none is an error although the command said 0."""
    xml = "<testsuite><testcase name='a'/><testcase name='b'><failure message='no'/></testcase></testsuite>"
    write_check(user_file, "tests", ["sh", "-c", f'echo "{xml}" > {{out}}'], parse="junit")
    write_check(user_file, "empty", ["sh", "-c", "echo '<testsuite/>'"], parse="junit")
    write_check(user_file, "broken", ["sh", "-c", "echo nothing"], parse="junit")
    said = check(repository, "--only", "tests", "--only", "empty", "--only", "broken")
    tests = result_of(said, "tests")
    assert (tests["summary"], [finding["message"] for finding in tests["findings"]]) == ("1 of 2 tests failed", ["b"])
    assert result_of(said, "empty")["outcome"] == result_of(said, "broken")["outcome"] == "error"


def test_pass_is_remembered_until_its_inputs_change(
    repository: RepositoryBuilder, user_file: Path, tmp_path: Path
) -> None:
    """A cached result says so; --fresh runs again; another content runs again; a failure is never cached."""
    count = tmp_path / "count"
    write_check(user_file, "counted", ["sh", "-c", f"echo x >> {count}"], inputs=["*.txt"])
    only = ("--only", "counted")
    assert result_of(check(repository, *only), "counted")["from_cache"] is False
    assert result_of(check(repository, *only), "counted")["from_cache"] is True
    repository.write("other.md", "x\n")
    assert result_of(check(repository, *only), "counted")["from_cache"] is True
    assert result_of(check(repository, *only, "--fresh"), "counted")["from_cache"] is False
    repository.write("a.txt", "two\n")
    assert result_of(check(repository, *only), "counted")["from_cache"] is False
    assert count.read_text() == "x\n" * 3


def test_same_inputs_another_outcome_is_flaky(repository: RepositoryBuilder, user_file: Path, tmp_path: Path) -> None:
    """The second run of the same question with another answer is marked."""
    switch = tmp_path / "switch"
    write_check(user_file, "moody", ["sh", "-c", f"test -e {switch} || {{ touch {switch}; exit 1; }}"])
    first = result_of(check(repository, "--only", "moody"), "moody")
    second = result_of(check(repository, "--only", "moody"), "moody")
    assert (first["outcome"], first["flaky"]) == ("fail", False)
    assert (second["outcome"], second["flaky"]) == ("pass", True)


def test_command_edits_only_its_own_checkout(repository: RepositoryBuilder, user_file: Path) -> None:
    """What it judges stays as it is."""
    write_check(user_file, "editor", ["sh", "-c", "date +%N >> a.txt"])
    editor = result_of(check(repository, "--only", "editor"), "editor")
    assert editor["outcome"] == "pass"
    assert (repository.folder / "a.txt").read_text() == "one\n"


def test_function_of_the_users_own_is_a_check(repository: RepositoryBuilder, user_file: Path, tmp_path: Path) -> None:
    """It sees context and parameters; one that raises is an error with a reason; one in the tree is never loaded."""
    (tmp_path / "mine.py").write_text(
        "from handoff_tui.checks.contract import Found\n"
        "def find(context):\n    yield Found(f'head is {context.facts().branch}', 'head')\n"
        "    yield Found(f'given {dict(context.parameters())}', 'given')\n"
        "def burst(context):\n    raise ZeroDivisionError('by design')\n",
        encoding="utf-8",
    )
    canary = tmp_path / "canary"
    repository.write("planted.py", f"open({str(canary)!r}, 'w')\ndef find(context):\n    return []\n")
    user_file.write_text(
        "[checks.finder]\npython = 'mine:find'\nparameters = { least = 3 }\n"
        "[checks.burst]\npython = 'mine:burst'\n"
        "[checks.planted]\npython = 'planted:find'\n",
        encoding="utf-8",
    )
    names = ("finder", "burst", "planted")
    said = say(
        "check", "--json", *(word for name in names for word in ("--only", name)),
        folder=repository.folder, environment={"PYTHONPATH": f"{tmp_path}{os.pathsep}{repository.folder}"},
    )  # fmt: skip
    messages = [finding["message"] for finding in result_of(said, "finder")["findings"]]
    assert messages == ["head is main", "given {'least': 3}"]
    assert (result_of(said, "burst")["outcome"], result_of(said, "planted")["outcome"]) == ("error", "error")
    assert "ZeroDivisionError: by design" in result_of(said, "burst")["summary"]
    assert not canary.exists()


def test_interrupt_leaves_nothing_running(repository: RepositoryBuilder, user_file: Path, tmp_path: Path) -> None:
    """Ctrl-C ends the command and its children, prints what there is, and exits with 130."""
    started, sleep = tmp_path / "started", f"sleep 301.{os.getpid()}"
    write_check(user_file, "long", ["sh", "-c", f"{sleep} & touch {started}; wait"])
    process = subprocess.Popen(
        [sys.executable, "-m", "handoff_tui", "check", "--json", "--only", "long", "--repo", str(repository.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(started.exists, "the start of the command")
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=150)
    assert process.returncode == 130
    assert json.loads(stdout)["results"][0]["outcome"] == "cancelled"
    assert not is_running(sleep)


def test_looking_writes_nothing(repository: RepositoryBuilder) -> None:
    """All rules run, and every byte and time stamp of the repository stays."""
    repository.write(".mosaic/agent_state.json", "{}")
    before = read_fingerprint(repository.folder)
    assert check(repository).code == 1
    assert compare_fingerprints(before, read_fingerprint(repository.folder)) == []


def test_unknown_check_is_a_usage_error(repository: RepositoryBuilder) -> None:
    """With a way to the list."""
    said = say("check", "--only", "nonsense", "--repo", repository.folder)
    assert said.code == 2
    assert "--list" in said.stderr


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "junit", "sarif", "tap", "github", "markdown"])
def test_form_never_changes_the_exit_code(repository: RepositoryBuilder, form: str) -> None:
    """Blocked is 1 in every form, and something is printed."""
    repository.write(".mosaic/agent_state.json", "{")
    said = say("check", "--pre", "--format", form, "--repo", repository.folder)
    assert said.code == 1, said.stderr
    assert said.stdout.strip()
    assert said.stderr == ""


def test_pre_and_post_keep_the_contract(repository: RepositoryBuilder) -> None:
    """N/M passed, blocking failures with the action required, exit 0 or 1."""
    repository.write(".mosaic/agent_state.json", "{")
    for mode in ("--pre", "--post"):
        said = say("check", mode, "--repo", repository.folder)
        first = said.stdout.splitlines()[0]
        assert said.code == 1
        assert "passed" in first
        assert "BLOCKING FAILURES" in said.stdout
        assert "Action required:" in said.stdout


def test_built_in_check_cannot_be_replaced(repository: RepositoryBuilder, user_file: Path) -> None:
    """A command in the name of a rule is refused, whoever configured it."""
    write_check(user_file, "nothing-unpushed", ["true"])
    said = check(repository)
    assert said.code == 2
    assert "is a built-in check" in said.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[checks.nothing-unpushd]\nenabled = false\n", "did you mean nothing-unpushed?"),
        ("[checks.nothing-unpushed]\nparameters = { a = 1 }\n", "only a function"),
    ],
)
def test_setting_of_a_check_that_would_change_nothing_is_refused(
    repository: RepositoryBuilder, user_file: Path, text: str, reason: str
) -> None:
    """A name that no check has, and parameters that nobody reads."""
    user_file.write_text(text, encoding="utf-8")
    said = check(repository)
    assert said.code == 2
    assert reason in said.stderr


def test_declared_severity_comes_from_the_configuration(repository: RepositoryBuilder, user_file: Path) -> None:
    """The number finds the rule; its severity is the declared one, and the user may change it."""
    listed = say("check", "--list", "--json", "--only", "VR007", "--repo", repository.folder).json["checks"]
    assert [(rule["id"], rule["severity"], rule["blocking"]) for rule in listed] == [
        ("permissions-granted", "medium", False)
    ]
    assert listed[0]["holds"].startswith("VR007")
    user_file.write_text("[procedures.rules.VR007]\nseverity = 'critical'\n", encoding="utf-8")
    listed = say("check", "--list", "--json", "--only", "VR007", "--repo", repository.folder).json["checks"]
    assert [(rule["severity"], rule["blocking"]) for rule in listed] == [("critical", True)]
    excluded = check(repository, "--only", "VR007", "--only", "VR008", "--except", "VR007")
    assert [result["id"] for result in excluded.json["results"]] == ["data-intact"]


def test_severities_that_block_come_from_the_configuration(repository: RepositoryBuilder, user_file: Path) -> None:
    """For built-in rules as for commands."""
    user_file.write_text("[check_run]\nblocking_severities = ['critical', 'high', 'medium']\n", encoding="utf-8")
    [listed] = say("check", "--list", "--json", "--only", "VR007", "--repo", repository.folder).json["checks"]
    assert (listed["severity"], listed["blocking"]) == ("medium", True)


def test_severity_that_the_repository_lowers_is_told(repository: RepositoryBuilder, user_file: Path) -> None:
    """Against what the user's own file says, not only against the defaults."""
    user_file.write_text("[procedures.rules.VR007]\nseverity = 'critical'\n", encoding="utf-8")
    repository.write("handoff-tui.toml", "[procedures.rules.VR007]\nseverity = 'high'\n")
    rule = "check-configuration-unchanged"
    told = result_of(check(repository, "--only", rule, "--baseline", "HEAD"), rule)
    assert told["outcome"] == "fail"
    assert "lowered from critical to high" in told["summary"]


def test_excluded_check_does_not_run(repository: RepositoryBuilder, user_file: Path) -> None:
    """`--except` leaves out just that one."""
    write_check(user_file, "good", ["true"])
    write_check(user_file, "bad", ["false"])
    said = check(repository, "--only", "good", "--only", "bad", "--except", "bad")
    assert [result["id"] for result in said.json["results"]] == ["good"]
    assert said.code == 0


def test_command_waits_for_a_need_that_is_still_running(repository: RepositoryBuilder, user_file: Path) -> None:
    """A quick neighbour that ends first does not make it think that its need never ran."""
    write_check(user_file, "slow", ["sleep", "0.7"])
    write_check(user_file, "quick", ["true"])
    write_check(user_file, "after", ["true"], needs=["slow"])
    with user_file.open("a", encoding="utf-8") as file:
        file.write("[check_run]\nparallel_maximum = 3\n")
    said = check(repository, "--only", "slow", "--only", "quick", "--only", "after")
    assert {result["id"]: result["outcome"] for result in said.json["results"]} == {
        "slow": "pass",
        "quick": "pass",
        "after": "pass",
    }


def test_build_that_differs_each_time_is_not_reproducible(repository: RepositoryBuilder, user_file: Path) -> None:
    """Run twice, compared byte by byte; one that writes nothing is an error."""
    write_check(user_file, "steady", ["sh", "-c", "echo same > {out}"], reproducible=True)
    write_check(user_file, "moody", ["sh", "-c", "date +%N > {out}"], reproducible=True)
    write_check(user_file, "silent", ["sh", "-c", "true {out}"], reproducible=True)
    said = check(repository, "--only", "steady", "--only", "moody", "--only", "silent")
    assert {result["id"]: result["outcome"] for result in said.json["results"]} == {
        "steady": "pass",
        "moody": "fail",
        "silent": "error",
    }
    assert "built twice" in result_of(said, "steady")["summary"]


def test_no_agent_is_started_to_find_out_whether_it_is_ready(
    repository: RepositoryBuilder, user_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever named it: its program is looked for, and never run."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, body in (("own", f"touch {tmp_path}/canary"), ("planted", f"touch {tmp_path}/canary")):
        (tools / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    context = {
        "handoff_id": "kiln-1",
        "source_phase": "a",
        "target_phase": "b",
        "source_agent": "x",
        "target_agent": "own",
    }
    repository.write("handoffs/kiln.json", json.dumps(context))
    repository.write("handoffs/kiln2.json", json.dumps({**context, "handoff_id": "kiln-2", "target_agent": "theirs"}))
    user_file.write_text('[agents.own]\ncommand = ["own"]\n', encoding="utf-8")
    repository.write("handoff-tui.toml", '[agents.theirs]\ncommand = ["planted"]\n')
    ready = result_of(check(repository, "--only", "agent-ready"), "agent-ready")
    assert ready["findings"] == []
    assert not (tmp_path / "canary").exists()


def test_script_named_in_a_shell_line_is_trusted_by_its_content(repository: RepositoryBuilder, tmp_path: Path) -> None:
    """What the line runs is part of what was trusted."""
    canary = tmp_path / "canary"
    repository.write("tools/go.sh", "exit 0\n")
    fields: dict[str, object] = {"shell": True}
    write_check(repository.folder / "handoff-tui.toml", "line", ["cd . && sh ./tools/go.sh; true"], **fields)
    digest = say("check", "--list", "--json", "--repo", repository.folder).json["trust"]["digest"]
    assert check(repository, "--only", "line", "--trust", digest).code == 0
    repository.write("tools/go.sh", f"touch {canary}\n")
    assert check(repository, "--only", "line").code == 1
    assert not canary.exists()
