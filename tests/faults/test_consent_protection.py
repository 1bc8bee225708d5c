"""What keeps agents from signing: asked once, written into the policy, compared with what can be seen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.git.signing.key_grade import has_security_key
from handoff_tui.git.signing.signing_key import write_new_key
from handoff_tui.log.policy.signers import build_line
from tests.support.gates import HANDOFF, GateDesk
from tests.support.hostile import write_executable
from tests.support.raw_terminal import RawTerminal
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Circle, Person, list_entries, make_person
from tests.support.ssh_keys import make_key, read_public

TWO = '[gates."*"]\nthreshold = 2\n'


def read_policy(builder: RepositoryBuilder) -> str:
    return (builder.folder / ".handoff-tui" / "trust" / "policy.toml").read_text(encoding="utf-8")


def diagnose(folder: Path, person: Person, **environment: str) -> dict[str, dict[str, str]]:
    said = person.say("doctor", "--json", "--repo", folder, environment=environment, fresh=True)
    return {one["id"]: one for one in said.json["diagnoses"]}


@pytest.mark.parametrize(
    ("answer", "line"),
    [("ci, two-people", 'protection = ["ci", "two-people"]'), ("none", "protection = []"), ("", "protection = []")],
)
def test_init_asks_what_is_in_place(builder: RepositoryBuilder, tmp_path: Path, answer: str, line: str) -> None:
    """At a terminal, once; an empty answer is what can be seen of the key, here nothing."""
    ada = make_person(tmp_path)
    with RawTerminal("init", "--no-agent-note", "--repo", builder.folder, environment=ada.environment) as terminal:
        terminal.wait_for("or answer none [none]: ")
        terminal.answer(answer)
        assert terminal.wait_for_end() == 0
    assert line in read_policy(builder)


def test_init_asks_nobody_who_cannot_answer(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Without a keyboard the policy says nothing, so that every version can read it; a script says it with a flag."""
    ada = make_person(tmp_path)
    assert ada.say("init", "--repo", builder.folder).code == 0
    assert "protection" not in read_policy(builder)
    assert diagnose(builder.folder, ada)["protection"]["standing"] == "weak"
    shutil.rmtree(builder.folder / ".handoff-tui")
    shutil.rmtree(ada.home / "state")
    shutil.rmtree(builder.folder / ".git" / "handoff-tui")
    wrong = ada.say("init", "--repo", builder.folder, "--protection", "ci,hope")
    assert (wrong.code, "hope" in wrong.stderr) == (2, True)
    said = ada.say("init", "--repo", builder.folder, "--json", "--protection", "ci,passphrase")
    assert (said.json["protection"], said.json["key_grade"]) == (["ci", "passphrase"], "open")
    shown = ada.say("policy", "show", "--json", "--repo", builder.folder).json["policy"]
    assert shown["protection"] == ["ci", "passphrase"]


def test_doctor_compares_what_was_said(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What rules it out is named; what cannot be told is not called fine."""
    ada = make_person(tmp_path)
    walls = "other-user,ci,touch,passphrase,confirm,two-people"
    assert ada.say("init", "--repo", builder.folder, "--protection", walls).code == 0
    found = diagnose(builder.folder, ada, CLAUDECODE="1")
    assert {found[f"protection:{wall}"]["standing"] for wall in walls.split(",")} == {"weak"}
    assert "Claude Code (process " in found["protection:other-user"]["message"]
    assert "it signs without asking" in found["protection:passphrase"]["message"]
    builder.write(".github/workflows/gate.yml", "run: handoff-tui gate H-1 # HANDOFF_TUI_PIN is set\n")
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", str(ada.key)], check=True)
    found = diagnose(builder.folder, ada)
    assert (found["protection:ci"]["standing"], found["protection:passphrase"]["standing"]) == ("ok", "ok")
    assert found["protection:confirm"]["standing"] == "cannot tell"


def test_two_keys_of_one_person_are_told(gate_desk: GateDesk) -> None:
    """E1: both on this machine, they fill "2 of 2" alone; on two machines they don't."""
    bo, cy = gate_desk.person("bo"), gate_desk.person("cy")
    gate_desk.begin(bo, cy, gates=TWO)
    words = "one person can do alone what takes several: the gate *"
    verify = ("log", "verify", "--json", "--repo", gate_desk.root)
    assert "keys-together" not in {one["code"] for one in bo.say(*verify).json["problems"]}
    for file in (cy.key, cy.key.with_name("id_ed25519.pub")):
        shutil.copy(file, bo.home / ".ssh" / f"second{file.suffix}")
    said = bo.say(*verify).json
    assert next(one["text"] for one in said["problems"] if one["code"] == "keys-together").endswith(words)
    assert said["verdict"] == "clean"
    assert words in diagnose(gate_desk.root, bo)["keys-together"]["message"]


def test_proposal_warns_of_two_keys_of_one_person(circle: Circle) -> None:
    """E1: already before anybody signs."""
    ada = circle.person("ada")
    circle.begin(ada)
    second = make_key(ada.home / ".ssh" / "second")
    line = build_line("eve@example.org", read_public(second)).strip()
    words = ("policy", "propose", "--repo", circle.repository, "--output", circle.folder / "p.json", "--json")
    said = circle.speaking(ada, *words, "--add-root", line, "--root-threshold", "2")
    assert any("a change of the policy" in warning for warning in said.json["warnings"]), said.stderr


def test_security_key_is_seen_and_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kernel's own description of the device; then the new key is made on it."""
    assert not has_security_key(tmp_path / "none")
    for name, descriptor in (("hidraw0", b"\x05\x01\x09\x06"), ("hidraw1", b"\x06\xd0\xf1\x09\x01")):
        (tmp_path / "devices" / name / "device").mkdir(parents=True)
        (tmp_path / "devices" / name / "device" / "report_descriptor").write_bytes(descriptor)
        assert has_security_key(tmp_path / "devices") is (name == "hidraw1")
    # no device is here: ssh-keygen is told what to make, and makes an ordinary key instead
    real = shutil.which("ssh-keygen")
    script = f'echo "$@" >> {tmp_path}/calls\nfor last; do :; done\nexec {real} -q -t ed25519 -N "" -f "$last"'
    write_executable(tmp_path / "bin" / "ssh-keygen", script)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert write_new_key("ada", protected=True, touch=True) == tmp_path / "home" / ".ssh" / "id_ed25519_sk"
    assert "-t ed25519-sk" in (tmp_path / "calls").read_text()


ANSWERS = """\
import os
from handoff_tui.system.processes import terminal
os.environ.pop("PYTHONPATH")
terminal.ask = lambda *_, **__: {answer!r}
"""


def test_planted_answer_signs_nothing(gate_desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """A33: a sitecustomize on PYTHONPATH answers the question."""
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "sitecustomize.py").write_text(ANSWERS.format(answer=HANDOFF), encoding="utf-8")
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root)
    with RawTerminal(*words, environment={**bo.environment, "PYTHONPATH": str(tmp_path / "plant")}) as terminal:
        assert terminal.wait_for_end() == 4
    assert "PYTHONPATH loads other people's code into this program" in " ".join(terminal.written.decode().split())
    assert len(list_entries(gate_desk.root)) == 1


def test_module_of_the_current_folder_is_not_loaded(gate_desk: GateDesk, bo: Person) -> None:
    """A39: `python -m handoff_tui` in a folder with modules of its own."""
    for name in ("argparse", "json", "pydantic", "tomllib", "subprocess"):
        gate_desk.change(f"open({str(gate_desk.root / 'loaded')!r}, 'a').close()\nraise SystemExit(99)\n", f"{name}.py")
    done = subprocess.run(
        [sys.executable, "-m", "handoff_tui", "status"],
        cwd=gate_desk.root,
        env=bo.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode != 99
    assert not (gate_desk.root / "loaded").exists()
