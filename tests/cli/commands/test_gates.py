from __future__ import annotations

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person


def test_gate_page_and_json_say_the_same(gate_desk: GateDesk) -> None:
    """The page ends up with the digest that scripts read from the JSON."""
    bo = gate_desk.person("bo")
    page = gate_desk.speaking(bo, "gate", HANDOFF, "--repo", gate_desk.root)
    assert page.code == ExitCode.BLOCKED
    assert gate_desk.digest(bo) in page.stdout
    assert "there is no signed log yet" in page.stdout


def test_only_json_names_the_snapshot_which_takes_capturing(gate_desk: GateDesk) -> None:
    """The page says the same about everything else, and what it doesn't name it doesn't compute."""
    bo = gate_desk.person("bo")
    page = gate_desk.speaking(bo, "gate", HANDOFF, "--repo", gate_desk.root)
    subject = gate_desk.gate(bo).json["subject"]
    shown = {line.split()[0]: line.split()[1] for line in page.stdout.splitlines() if len(line.split()) == 2}
    assert "snapshot" not in shown
    assert len(subject["snapshot"]) == len(subject["checks"])
    names = ("commit", "tree", "handoff", "checks")
    assert [shown[name] for name in names] == [subject[name] for name in names]


def test_gate_of_another_phase_is_another_gate(gate_desk: GateDesk) -> None:
    """Also fresh."""
    bo = gate_desk.person("bo")
    said = gate_desk.gate(bo, "--phase", "release", "--fresh")
    assert (said.code, said.json["phase"]) == (ExitCode.BLOCKED, "release")


def test_receipt_is_a_page_or_json(gate_desk: GateDesk, bo: Person) -> None:
    """Both name the entry and the gate; the shape of the gate inside is that of `gate`."""
    digest = gate_desk.digest(bo)
    page = gate_desk.speaking(bo, "decide", "approve", HANDOFF, "--repo", gate_desk.root, "--subject", digest)
    assert page.code == ExitCode.OK
    assert ("✓ stored  sha256:" in page.stdout, "✓ approved" in page.stdout) == (True, True)
    again = gate_desk.decide(bo, "hold", "--reason", "wait")
    assert again.json["gate"].keys() == gate_desk.gate(bo).json.keys()


def test_missing_comments_file_stops_it(gate_desk: GateDesk, bo: Person) -> None:
    """Before anything is signed."""
    said = gate_desk.decide(bo, "reject", "--reason", "x", "--comments", gate_desk.folder / "none.txt")
    assert (said.code, "does not exist" in said.stderr) == (ExitCode.USAGE, True)


def test_answer_at_the_terminal_is_the_id_itself(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page and the question go to the terminal, not to stdout."""
    asked: list[str] = []
    answers = ["approve", None, HANDOFF]

    def answer(question: str) -> str | None:
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr("handoff_tui.cli.commands.decide.ask_person", answer)
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root, "--json")
    for _ in range(2):
        said = gate_desk.speaking(bo, *words, terminal=True)
        assert (said.code, said.stdout, "was not confirmed" in said.stderr) == (ExitCode.NO_HUMAN, "", True)
    assert gate_desk.speaking(bo, *words, terminal=True).code == ExitCode.OK
    assert f"Type {HANDOFF} to approve" in asked[0]
    assert bo.email in asked[0]


def test_submission_says_what_it_did(gate_desk: GateDesk) -> None:
    """Unsigned by default; signed with the configured key or with one that is named."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    words = ("submit", HANDOFF, "--repo", gate_desk.root)
    plain = gate_desk.speaking(robot, *words)
    assert (plain.code, "nothing was written" in plain.stdout) == (ExitCode.OK, True)
    signed = gate_desk.speaking(robot, *words, "--sign", "--json")
    named = gate_desk.speaking(bo, *words, "--key", robot.key, "--json")
    assert [said.json["schema"] for said in (signed, named)] == ["handoff-tui/submit/v1"] * 2
    assert signed.json["entry"] != named.json["entry"]
    assert named.json["gate"]["producers"] == ["ada@example.org", robot.email]


def test_work_that_fails_its_checks_is_handed_over_all_the_same(gate_desk: GateDesk) -> None:
    """The agent is told by the exit code."""
    bo = gate_desk.person("bo")
    gate_desk.change("Status: COMPLETE\n\nCreated `src/gone.py`.\n", "HANDOFF.md")
    said = gate_desk.speaking(bo, "submit", HANDOFF, "--repo", gate_desk.root, "--json")
    assert (said.code, said.json["gate"]["checks"]["failing"]) == (ExitCode.BLOCKED, ["claims-hold"])


def test_each_end_has_its_exit_code(gate_desk: GateDesk, bo: Person) -> None:
    """Still pending 5, sent back 1 with the packet, approved 0; the same in JSON."""
    words = ("wait", HANDOFF, "--repo", gate_desk.root, "--timeout", "0")
    pending = gate_desk.speaking(bo, *words)
    assert (pending.code, "pending" in pending.stdout) == (ExitCode.STILL_PENDING, True)
    gate_desk.decide(bo, "reject", "--reason", "no tests")
    sent_back = gate_desk.speaking(bo, *words)
    assert (sent_back.code, "no tests" in sent_back.stdout, sent_back.stdout[:2]) == (ExitCode.BLOCKED, True, "# ")
    value = gate_desk.speaking(bo, *words, "--json").json
    assert (value["schema"], value["gate"]["state"]) == ("handoff-tui/wait/v1", "rejected")
    assert value["packet"]["schema"] == "handoff-tui/packet/v1"
    gate_desk.decide(bo, "approve")
    approved = gate_desk.speaking(bo, *words, "--json")
    assert (approved.code, approved.json["packet"]) == (ExitCode.OK, None)
    assert f"{HANDOFF}: approved" in approved.stderr


@pytest.mark.parametrize("time", ["nan", "-1", "soon", "1d", "inf", ""])
def test_time_that_is_none_is_a_usage_error(gate_desk: GateDesk, time: str) -> None:
    """Nobody waits for ever by mistake."""
    bo = gate_desk.person("bo")
    said = gate_desk.speaking(bo, "wait", HANDOFF, "--repo", gate_desk.root, f"--timeout={time}")
    assert said.code == ExitCode.USAGE


@pytest.mark.parametrize(("time", "seconds"), [("0.5", 0.5), ("2s", 2.0), ("15m", 900.0), ("2h", 7200.0)])
def test_time_has_units(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch, time: str, seconds: float) -> None:
    """Seconds unless it says otherwise."""
    bo = gate_desk.person("bo")
    given: list[object] = []

    def stop(*arguments: object, **_: object) -> None:
        given.append(arguments[3])
        raise KeyboardInterrupt

    monkeypatch.setattr("handoff_tui.cli.commands.wait.wait", stop)
    said = gate_desk.speaking(bo, "wait", HANDOFF, "--repo", gate_desk.root, "--timeout", time)
    assert (said.code, given) == (ExitCode.INTERRUPTED, [seconds])


def test_packet_is_markdown_or_json(gate_desk: GateDesk, bo: Person) -> None:
    """The same content, for a prompt and for a program."""
    gate_desk.decide(bo, "retry", "--reason", "once more, with tests")
    words = ("packet", HANDOFF, "--repo", gate_desk.root)
    text, value = gate_desk.speaking(bo, *words), gate_desk.speaking(bo, *words, "--json")
    assert (text.code, value.code) == (ExitCode.OK, ExitCode.OK)
    assert text.stdout.startswith(f"# {HANDOFF}: what attempt 2 of review must do\n")
    assert "once more, with tests" in text.stdout
    assert value.json["demands"][0]["reason"] == "once more, with tests"


def test_packet_of_work_that_nobody_sent_back_is_empty(gate_desk: GateDesk) -> None:
    """Also without a log."""
    bo = gate_desk.person("bo")
    said = gate_desk.speaking(bo, "packet", HANDOFF, "--repo", gate_desk.root)
    assert (said.code, "Nobody has sent this work back" in said.stdout) == (ExitCode.OK, True)


def test_log_on_a_branch_counts_everywhere(gate_desk: GateDesk, bo: Person) -> None:
    """Where an older commit or only some folders are checked out, the log isn't in the work tree."""
    gate_desk.decide(bo, "approve")
    gate_desk.commit_log()
    clone = gate_desk.folder / "clone"
    gate_desk.builder.step("clone", "-q", str(gate_desk.root), str(clone))
    RepositoryBuilder(clone).step("checkout", "-q", "HEAD~1")
    status = gate_desk.speaking(bo, "status", "--repo", clone, "--json").json
    gate = gate_desk.speaking(bo, "gate", HANDOFF, "--repo", clone, "--json").json
    assert [one["gate"]["state"] for one in status["handoffs"]] == [gate["state"]] == ["approved"]
    RepositoryBuilder(clone).step("checkout", "-q", "main").step("sparse-checkout", "set", "src")
    status = gate_desk.speaking(bo, "status", "--repo", clone, "--json").json
    gate = gate_desk.speaking(bo, "gate", HANDOFF, "--repo", clone, "--json").json
    assert [one["gate"]["state"] for one in status["handoffs"]] == [gate["state"]] == ["approved"]
    assert [one["message"].partition(": ")[2] for one in status["problems"] if one["path"] == "."] == [
        "handoffs there aren't read"
    ]


def test_file_whose_name_is_no_text_is_named(gate_desk: GateDesk, bo: Person) -> None:
    """By the bytes that aren't letters, not as digits."""
    builder = gate_desk.builder.write(b"\xff.py").commit(f"more\n\nHandoff: {HANDOFF}")
    assert gate_desk.decide(bo, "approve").code == ExitCode.OK
    builder.write(b"\xff.py", "other\n")
    page = gate_desk.speaking(bo, "status", "--repo", gate_desk.root).stdout
    assert "\\xff.py changed since" in " ".join(page.split())


def test_handoff_that_was_sent_back_does_not_vanish(gate_desk: GateDesk, bo: Person) -> None:
    """Whoever deletes its document, not its work: status names both, until the work is gone, too."""
    gate_desk.decide(bo, "reject", "--reason", "no test")
    builder = gate_desk.builder.step("rm", "-q", "HANDOFF.md").commit("tidy")
    page = gate_desk.speaking(bo, "status", "--repo", gate_desk.root).stdout
    assert f"{HANDOFF} isn't here any more, but its work is: src/app.py" in " ".join(page.split())
    assert "1 unclaimed file: src/app.py" in page
    builder.step("rm", "-q", "src/app.py").commit("and its work")
    assert gate_desk.speaking(bo, "status", "--repo", gate_desk.root, "--json").json["problems"] == []
