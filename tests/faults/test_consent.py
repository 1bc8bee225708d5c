"""Only a person decides: no agent, no pipe, nothing without a terminal unless the signed policy says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.log.storage.evidence import read_review
from tests.support.command_line import Said
from tests.support.gates import HANDOFF, GateDesk
from tests.support.raw_terminal import RawTerminal
from tests.support.signed import Person, list_entries, write_identity

MARKS = (
    "AI_AGENT",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "AGENT_SESSION_ID",
    "HANDOFF_TUI_RUN",
)


def type_at_terminal(desk: GateDesk, person: Person, text: str, **marks: str) -> int:
    """A pseudo-terminal driven by a program, as an agent would; the exit code."""
    words = ("decide", "approve", HANDOFF, "--repo", desk.root)
    with RawTerminal(*words, environment={**person.environment, **marks}) as terminal:
        if not marks:
            terminal.wait_for(f"Type {HANDOFF} to")
            terminal.answer(text)
        return terminal.wait_for_end()


@pytest.mark.parametrize("mark", MARKS)
def test_marked_process_decides_nothing(gate_desk: GateDesk, bo: Person, mark: str) -> None:
    """Not by the digest that the policy allows, and not by typing at a terminal: exit 4, nothing stored."""
    digest = gate_desk.digest(bo)
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root, "--subject", digest)
    said = bo.say(*words, environment={mark: "1"})
    assert (said.code, mark in said.stderr, "may not decide" in said.stderr) == (4, True, True)
    assert type_at_terminal(gate_desk, bo, HANDOFF, **{mark: "1"}) == 4
    assert len(list_entries(gate_desk.root)) == 1


def test_ancestor_that_is_marked_is_found(gate_desk: GateDesk, bo: Person) -> None:
    """A child whose own environment was cleaned still has its parents."""
    digest = gate_desk.digest(bo)
    command = [sys.executable, "-m", "handoff_tui", "decide", "approve", HANDOFF]
    command += ["--repo", str(gate_desk.root), "--subject", digest]
    clean = f"import subprocess, os, sys; env = dict(os.environ); del env['CLAUDECODE']; \
sys.exit(subprocess.run({command!r}, env=env).returncode)"
    said = run_python(clean, {**bo.environment, "CLAUDECODE": "1"})
    assert (said.code, "CLAUDECODE is set in process" in said.stderr) == (4, True)
    assert len(list_entries(gate_desk.root)) == 1


@pytest.mark.parametrize("setting", ["CODEX_HOME", "CLAUDECODE"])
def test_what_a_person_sets_is_no_mark(gate_desk: GateDesk, bo: Person, setting: str) -> None:
    """A folder for settings is none, and neither is a variable without a value."""
    digest = gate_desk.digest(bo)
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root, "--subject", digest)
    value = "/somewhere" if setting == "CODEX_HOME" else ""
    assert bo.say(*words, environment={setting: value}).code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("init",),
        ("keys", "enroll"),
        ("policy", "sign", "proposal.json", "--yes-i-read-it", "sha256:0"),
        ("policy", "seal", "proposal.json"),
        ("baseline", "pin", "--none"),
        ("log", "pin"),
        ("config", "accept"),
        ("check", "--trust", "sha256:0"),
        ("step", "--trust", "sha256:0"),
        ("run", "--trust", "sha256:0"),
        ("step", "--note", "the gate is waived"),
    ],
)
def test_every_act_of_a_person_has_the_same_door(gate_desk: GateDesk, words: tuple[str, ...]) -> None:
    """Refused without a terminal, and at one below an agent."""
    ada = gate_desk.person("ada")
    for environment, terminal in (({}, False), ({"CLAUDECODE": "1"}, True)):
        said = ada.say(*words, "--repo", gate_desk.root, environment=environment, terminal=terminal)
        assert (said.code, said.stdout) == (4, ""), said.stderr
        assert "hint: " in said.stderr
    assert not (gate_desk.root / ".handoff-tui").exists()


@pytest.mark.parametrize("words", [("hook", "uninstall", "claude"), ("hooks", "uninstall")])
def test_agent_does_not_take_its_own_gate_away(gate_desk: GateDesk, words: tuple[str, ...]) -> None:
    """A person's script does, also without a terminal."""
    ada = gate_desk.person("ada")
    ada.say(words[0], "install", *words[2:], "--repo", gate_desk.root)
    said = ada.say(*words, "--repo", gate_desk.root, environment={"CLAUDECODE": "1"}, terminal=True)
    assert (said.code, "an agent may not take hooks out" in said.stderr) == (4, True)
    assert ada.say(*words, "--repo", gate_desk.root).code == 0


def test_digest_decides_only_where_the_policy_says_so(gate_desk: GateDesk) -> None:
    """Off by default; on for the people it names, at the gate that names them."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy, gates=f'[gates."*"]\nthreshold = 1\n\n[gates.ci]\nheadless = ["{cy.email}"]\n')
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root, "--subject")
    refused = gate_desk.speaking(bo, *words, gate_desk.digest(bo, "--phase", "ci"), "--phase", "ci")
    assert (refused.code, 'headless = ["bo@example.org"]' in refused.stderr) == (4, True)
    allowed = gate_desk.speaking(cy, *words, gate_desk.digest(cy, "--phase", "ci"), "--phase", "ci")
    assert allowed.code == 0, allowed.stderr


def test_record_and_log_say_how_it_was_confirmed(gate_desk: GateDesk, bo: Person) -> None:
    """At a terminal, or without one by policy."""
    assert type_at_terminal(gate_desk, bo, HANDOFF) == 0
    first = confirmed(gate_desk, bo)
    entry = gate_desk.decide(bo, "hold", "--reason", "wait").json["entry"]
    assert (first, confirmed(gate_desk, bo, entry)) == ("terminal", "headless")
    assert (
        "without a terminal, by policy" in gate_desk.speaking(bo, "log", "show", entry, "--repo", gate_desk.root).stdout
    )


def confirmed(desk: GateDesk, person: Person, entry: str | None = None) -> str:
    """What the record and the log say of an entry, the newest if none is named; both say the same."""
    named = entry or desk.speaking(person, "log", "--json", "--repo", desk.root).json["entries"][0]["id"]
    shown = desk.speaking(person, "log", "show", named, "--json", "--repo", desk.root).json
    record = read_review(desk.root, shown["entry"]["decision"]["review"])
    assert record.confirmed == shown["confirmed"]
    return str(shown["confirmed"])


def run_python(code: str, environment: dict[str, str]) -> Said:
    """Runs a little program in these surroundings."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, check=False, text=True
    )
    return Said(done.returncode, done.stdout, done.stderr)


# which log: no anchor, no exit 0


def test_clone_that_never_saw_the_log_says_so(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """The same state as everywhere, `anchored: false`, and 3 instead of 0; a rejection still ends with 1."""
    gate_desk.decide(bo, "approve")
    gate_desk.commit_log()
    stranger, clone = gate_desk.person("stranger"), tmp_path / "clone"
    gate_desk.builder.git("clone", "--quiet", "--template=", str(gate_desk.root), str(clone))
    words = (("gate", HANDOFF), ("wait", HANDOFF), ("coverage", "--since", "HEAD"), ("log", "verify"))
    for verb in words:
        said = stranger.say(*verb, "--repo", clone, "--json")
        value = said.json.get("gate", said.json)
        assert (said.code, value["anchored"]) == (3, False), verb
        assert value.get("state", "approved") == "approved"
        assert "vouches" in stranger.say(*verb, "--repo", clone).stdout
    genesis = list_entries(gate_desk.root)
    first = next(entry for entry in genesis if stranger.say("gate", HANDOFF, "--repo", clone, "--pin", entry).code == 0)
    assert stranger.say("gate", HANDOFF, "--repo", clone, environment={"HANDOFF_TUI_PIN": first}).code == 0
    assert stranger.say("gate", HANDOFF, "--repo", clone).code == 3  # looking pins nothing
    gate_desk.decide(bo, "reject", "--reason", "no")
    gate_desk.commit_log()
    gate_desk.builder.git("-C", str(clone), "pull", "--quiet")
    assert stranger.say("gate", HANDOFF, "--repo", clone).code == 1


def test_first_use_is_a_persons_consent(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """Typed after looking, or by the id that a colleague gave; another id is refused, and an agent gets nowhere."""
    gate_desk.decide(bo, "approve")
    gate_desk.commit_log()
    stranger, clone = gate_desk.person("stranger"), tmp_path / "clone"
    gate_desk.builder.git("clone", "--quiet", "--template=", str(gate_desk.root), str(clone))
    log = stranger.say("log", "verify", "--repo", clone, "--json").json["log"]
    assert stranger.say("log", "pin", log, "--repo", clone, environment={"AI_AGENT": "1"}).code == 4
    assert stranger.say("log", "pin", "0" * 64, "--repo", clone).code == 3
    assert stranger.say("gate", HANDOFF, "--repo", clone).code == 3
    with RawTerminal("log", "pin", "--repo", clone, environment=stranger.environment) as terminal:
        word = log.removeprefix("sha256:")[:8]
        terminal.wait_for(f"Type {word} to")
        terminal.answer(word)
        assert terminal.wait_for_end() == 0
    assert stranger.say("gate", HANDOFF, "--repo", clone).code == 0


# what this machine remembers


def test_lost_rejection_is_fatal_although_the_clone_forgot_it(gate_desk: GateDesk, bo: Person) -> None:
    """The memory outside the repository has it: deleting the entry and the clone's own list hides nothing."""
    gate_desk.decide(bo, "approve")
    rejection = gate_desk.decide(bo, "reject", "--reason", "no").json["entry"]
    (place,) = (gate_desk.root / ".handoff-tui/log").glob(f"*/{rejection.removeprefix('sha256:')}*")
    place.unlink()
    (gate_desk.root / ".git/handoff-tui/witness.json").unlink()
    said = bo.say("gate", HANDOFF, "--repo", gate_desk.root, "--json")
    assert (said.code, said.json["state"]) == (3, "blocked")


def test_changed_memory_is_fatal(gate_desk: GateDesk, bo: Person) -> None:
    """Its seal is wrong."""
    gate_desk.decide(bo, "approve")
    place = bo.home / "state/handoff-tui/logs.json"
    place.write_bytes(place.read_bytes().replace(b"sha256:", b"sha256:f", 1))
    said = bo.say("gate", HANDOFF, "--repo", gate_desk.root, "--json")
    assert (said.code, "seal is wrong" in str(said.json["why"])) == (3, True)


def test_entry_with_my_key_that_this_desk_did_not_make_is_reported(gate_desk: GateDesk, bo: Person) -> None:
    """By `status` and `log`, until the person says that it was theirs."""
    gate_desk.decide(bo, "hold", "--reason", "wait")
    elsewhere = Person("bo", gate_desk.folder / "elsewhere", bo.key)
    elsewhere.home.mkdir()
    write_identity(elsewhere.home, "bo", bo.email, bo.key)
    entry = gate_desk.decide(elsewhere, "approve").json["entry"]
    problems = bo.say("status", "--repo", gate_desk.root, "--json").json["problems"]
    assert any(entry in one["message"] and "not made on this machine" in one["message"] for one in problems)
    log = bo.say("log", "verify", "--repo", gate_desk.root, "--json").json
    assert "not-made-here" in [one["code"] for one in log["problems"]]
    assert bo.say("log", "pin", log["log"], "--repo", gate_desk.root).code == 0
    after = bo.say("log", "verify", "--repo", gate_desk.root, "--json").json["problems"]
    assert "not-made-here" not in [one["code"] for one in after]


# guards and starts: a branch sets neither


TEXT = "# Handoff: adding\n\nStatus: COMPLETE\n\n## What was done\n- Two numbers are added, and more.\n"
WEAKENED = {
    "switched off": "[checks.check-configuration-unchanged]\nenabled = false\n[checks.ci-unchanged]\nenabled = false\n",
    "nothing blocks": "[check_run]\nblocking_severities = []\n",
    "not blocking": "[checks.check-configuration-unchanged]\nblocking = false\n",
}


@pytest.mark.parametrize("settings", WEAKENED.values(), ids=WEAKENED.keys())
def test_branch_does_not_set_its_own_guards(gate_desk: GateDesk, settings: str) -> None:
    """Settings that come with the work are shown as a problem that blocks, and the checks run without them."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.builder.write("handoff-tui.toml", settings).write("later/HANDOFF.md", TEXT).commit("more, and weaker")
    (later,) = (one["id"] for one in bo.say("status", "--repo", gate_desk.root, "--json").json["handoffs"][1:])
    words = (later, "--repo", gate_desk.root, "--json")
    checks = gate_desk.speaking(bo, "gate", *words).json["checks"]
    assert checks["failing"] == ["check-configuration-unchanged"]
    digest = gate_desk.speaking(bo, "gate", *words).json["subject"]["digest"]
    assert gate_desk.speaking(bo, "decide", "approve", *words, "--subject", digest).code == 1
    assert gate_desk.speaking(bo, "decide", "override", *words, "--subject", digest, "--reason", "meant").code == 0
    ran = [one["id"] for one in bo.say("check", "--repo", gate_desk.root, "--json").json["results"]]
    assert ("check-configuration-unchanged" in ran) == ("enabled" not in settings)  # decided, it counts


def test_person_takes_settings_at_once(gate_desk: GateDesk, bo: Person) -> None:
    """With `config accept`, which no agent can say; a further change waits again."""
    gate_desk.builder.write("handoff-tui.toml", "[check_run]\nblocking_severities = []\n").commit("mine")
    assert bo.say("config", "accept", "--repo", gate_desk.root, terminal=True, environment={"AI_AGENT": "1"}).code == 4
    assert bo.say("config", "accept", "--repo", gate_desk.root, terminal=True).code == 0
    assert gate_desk.gate(bo).json["checks"]["failing"] == []


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/remotes/origin/main"])
def test_moved_refs_do_not_empty_a_comparison(gate_desk: GateDesk, bo: Person, ref: str) -> None:
    """The handoff is compared with the commit before its own work, wherever branches point."""
    gate_desk.builder.write("tests/test_app.py", "def test_add():\n    assert True\n").commit("a test")
    gate_desk.builder.write("OTHER-HANDOFF.md", TEXT.replace("adding", "more")).commit("another begins")
    before = gate_desk.gate(bo).json["subject"]["start"]
    gate_desk.builder.step("update-ref", ref, "HEAD")
    assert gate_desk.gate(bo).json["subject"]["start"] == before


def test_cut_off_history_closes_the_gate(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """Where nothing says what the work started from, nothing can be compared, and nobody approves."""
    gate_desk.change()
    gate_desk.commit_log()
    shallow = tmp_path / "shallow"
    gate_desk.builder.git("clone", "--quiet", "--template=", "--depth=1", f"file://{gate_desk.root}", str(shallow))
    said = bo.say("gate", HANDOFF, "--repo", shallow, "--json")
    assert (said.code, said.json["checks"]["failing"]) == (1, ["work-can-be-compared"])


def test_own_file_makes_checks_stricter_and_is_named_where_it_makes_them_weaker(
    gate_desk: GateDesk, bo: Person
) -> None:
    """What the person demands holds against the repository's word; what they switch off stands on the page."""
    place = bo.home / "config/handoff-tui/config.toml"
    place.parent.mkdir(parents=True)
    gate_desk.builder.write("handoff-tui.toml", "[checks.ci-unchanged]\nenabled = false\n").commit("settings")
    place.write_text("[checks.ci-unchanged]\nenabled = true\n", encoding="utf-8")
    shown = bo.say("config", "show", "--repo", gate_desk.root, "--json").json
    assert next(row["value"] for row in shown["settings"] if row["key"] == "checks.ci-unchanged.enabled") is True
    place.write_text("[checks.ci-unchanged]\nenabled = false\n", encoding="utf-8")
    gate_desk.builder.write("handoff-tui.toml", "").commit("no settings")
    words = ("decide", "hold", HANDOFF, "--reason", "x", "--repo", gate_desk.root)
    with RawTerminal(*words, environment=bo.environment) as page:
        page.wait_for(f"Type {HANDOFF} to")
    assert b"your own settings make checks weaker" in page.written
    assert b"checks.ci-unchanged.enabled" in page.written
    assert b"what the check runs" not in page.written
