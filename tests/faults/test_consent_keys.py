"""Honest keys: what protects a signing key is said, and a signature alone approves nothing."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import handoff_tui
from handoff_tui.decisions.decide import DecideRequest, prepare_decision
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key
from handoff_tui.git.signing.signing_key import KeySource, SigningKey
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Decision, DecisionVerb, EntryKind
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk
from tests.support.hostile import write_executable
from tests.support.raw_terminal import RawTerminal
from tests.support.signed import Person
from tests.support.ssh_keys import PASSPHRASE, add_to_agent, make_key, read_public, run_agent, write_askpass


def forge_approval(desk: GateDesk, person: Person, monkeypatch: pytest.MonkeyPatch, review: str) -> str:
    """An entry that is right in every field, signed by ssh-keygen with the person's key; only its review is made up."""
    person.become(monkeypatch)
    log = open_log(open_repository(desk.root))
    examined = prepare_decision(open_session(desk.root), log, DecideRequest(DecisionVerb.APPROVE, HANDOFF)).examined
    decision = Decision(verb=DecisionVerb.APPROVE, reason="", regards=(), review=review)

    def build(parents: Parents) -> Draft:
        work = examined.build_work(parents.verdict.policy)
        entry = parents.build_entry(EntryKind.SCOPED_DECISION, person.email, work=work, decision=decision)
        return Draft(build_payload(entry))

    return log.journal.append(build, SigningTool(person.public_text, person.key)).entry.id


def read_review_digest(desk: GateDesk, person: Person, entry: str) -> str:
    shown = desk.speaking(person, "log", "show", entry, "--json", "--repo", desk.root).json
    return str(shown["entry"]["decision"]["review"])


def test_signature_without_a_stored_review_approves_nothing(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A11: an entry by ssh-keygen alone, whose review digest is made up."""
    forge_approval(gate_desk, bo, monkeypatch, "0" * 64)
    gate = gate_desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (1, "pending")
    assert "the review record of this decision is stored nowhere" in " ".join(gate.json["why"])
    status = gate_desk.speaking(bo, "status", "--json", "--repo", gate_desk.root).json
    assert [one["gate"]["state"] for one in status["handoffs"]] == ["pending"]


def test_review_of_something_else_approves_nothing(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A11: the record of another phase, which somebody really reviewed, or a file that is none."""
    held = gate_desk.decide(bo, "hold", "--reason", "wait", "--phase", "ci").json["entry"]
    forge_approval(gate_desk, bo, monkeypatch, read_review_digest(gate_desk, bo, held))
    assert gate_desk.gate(bo).json["state"] == "pending"
    false = gate_desk.root / ".handoff-tui" / "reviews" / f"{'1' * 64}.json"
    false.write_text(json.dumps({"handoff": HANDOFF}), encoding="utf-8")
    forge_approval(gate_desk, bo, monkeypatch, "1" * 64)
    assert gate_desk.gate(bo).json["state"] == "pending"


def test_review_on_a_branch_is_stored(gate_desk: GateDesk, bo: Person) -> None:
    """Like the log itself: the same in every clone, whatever is checked out. Gone from everywhere, it is missed."""
    gate_desk.decide(bo, "approve")
    folder = gate_desk.root / ".handoff-tui" / "reviews"
    kept = gate_desk.folder / "reviews"
    shutil.move(folder, kept)
    assert gate_desk.gate(bo).json["state"] == "pending"
    shutil.move(kept, folder)
    gate_desk.commit_log()
    shutil.rmtree(folder)
    assert gate_desk.gate(bo).json["state"] == "approved"


def diagnose(desk: GateDesk, person: Person, **environment: str) -> dict[str, dict[str, str]]:
    said = person.say("doctor", "--json", "--repo", desk.root, environment=environment)
    return {one["id"]: one for one in said.json["diagnoses"]}


def read_page(desk: GateDesk, person: Person, **environment: str) -> str:
    """What `decide` shows at a terminal before anything is signed."""
    words = ("decide", "approve", HANDOFF, "--repo", desk.root)
    surroundings = {**person.environment, **environment}
    with RawTerminal(*words, environment=surroundings, size=(200, 60)) as terminal:
        terminal.wait_for(f"Type {HANDOFF} to")
        terminal.answer("no")
        terminal.wait_for_end()
        return terminal.written.decode()


@pytest.mark.parametrize("grade", [KeyGrade.OPEN, KeyGrade.CACHED, KeyGrade.PASSPHRASE])
def test_doctor_and_page_grade_the_key(gate_desk: GateDesk, tmp_path: Path, grade: KeyGrade) -> None:
    """A7, E4: no passphrase, one that an agent has cached, one that is asked each time; each in the same words."""
    passphrase = "" if grade is KeyGrade.OPEN else PASSPHRASE
    bo = gate_desk.person("bo", passphrase)
    askpass = write_askpass(tmp_path / "askpass", PASSPHRASE)
    with run_agent() as socket:
        environment = {"SSH_AUTH_SOCK": str(socket)} if grade is KeyGrade.CACHED else {}
        add_to_agent(socket, bo.key, askpass=askpass)
        begin_with_agent(gate_desk, bo, socket)
        found = diagnose(gate_desk, bo, **environment)["key-protection"]
        page = read_page(gate_desk, bo, **environment)
    assert found["standing"] == ("weak" if grade.is_weak else "ok")
    assert grade.words in found["message"]
    assert grade.words[:60] in page


def begin_with_agent(desk: GateDesk, person: Person, socket: Path) -> None:
    """The log of somebody whose key is locked: the agent signs its first entry."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSH_AUTH_SOCK", str(socket))
        desk.begin(person)


def test_agent_does_not_tell_whether_it_asks(tmp_path: Path) -> None:
    """A8: with `ssh-add -c` and without it an agent lists the same, so the grade is the same, and says so."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    askpass = write_askpass(tmp_path / "askpass", PASSPHRASE)
    grades = []
    for options in ((), ("-c",)):
        with run_agent() as socket, pytest.MonkeyPatch.context() as patch:
            add_to_agent(socket, key, *options, askpass=askpass)
            patch.setenv("SSH_AUTH_SOCK", str(socket))
            grades.append(grade_key(SigningKey(read_public(key), KeySource.NAMED, key)))
    assert grades == [KeyGrade.CACHED, KeyGrade.CACHED]
    assert "ssh-add -c" in KeyGrade.CACHED.words


@pytest.mark.parametrize(("flags", "grade"), [(1, KeyGrade.TOUCH), (5, KeyGrade.TOUCH), (0, KeyGrade.OPEN)])
def test_security_key_that_needs_no_touch_is_open(tmp_path: Path, flags: int, grade: KeyGrade) -> None:
    """As ssh-keygen writes the file of a FIDO2 key, with `-O no-touch-required` or without it."""
    kind = b"sk-ssh-ed25519@openssh.com"

    def pack(*fields: bytes) -> bytes:
        return b"".join(len(field).to_bytes(4, "big") + field for field in fields)

    public = pack(kind, b"p" * 32, b"ssh:")
    secret = b"12341234" + public + bytes([flags]) + pack(b"handle", b"", b"comment")
    data = b"openssh-key-v1\0" + pack(b"none", b"none", b"") + (1).to_bytes(4, "big") + pack(public, secret)
    armored = base64.encodebytes(data).decode()
    place = tmp_path / "id_ed25519_sk"
    place.write_text(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{armored}-----END OPENSSH PRIVATE KEY-----\n")
    text = f"{kind.decode()} {base64.b64encode(public).decode()}"
    assert grade_key(SigningKey(text, KeySource.NAMED, place), ()) is grade


def plant(person: Person, name: str) -> Path:
    """A program of this name in the person's own folder, which does what the real one does."""
    real = shutil.which(name)
    place = person.home / ".local" / "bin" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    return write_executable(place, f'exec {real} "$@"')


def test_signer_that_the_account_can_replace_is_named(gate_desk: GateDesk, bo: Person) -> None:
    """A31: gpg.ssh.program in the home folder; the page and the doctor name it."""
    program = plant(bo, "ssh-keygen")
    with (bo.home / ".gitconfig").open("a", encoding="utf-8") as file:
        file.write(f'[gpg "ssh"]\n\tprogram = {program}\n')
    expected = f"gpg.ssh.program is {program}"
    assert expected in diagnose(gate_desk, bo)["signing-programs"]["message"]
    assert "gpg.ssh.program is" in read_page(gate_desk, bo)


@pytest.mark.parametrize("name", ["git", "ssh-keygen", "ssh-add"])
def test_program_that_the_account_can_replace_is_named(gate_desk: GateDesk, bo: Person, name: str) -> None:
    """A32: in ~/.local/bin, found before the system's."""
    program = plant(bo, name)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    found = diagnose(gate_desk, bo, PATH=path)["signing-programs"]
    assert (found["standing"], f"{name} is {program}" in found["message"]) == ("weak", True)


def test_programs_of_the_system_are_out_of_reach(tmp_path: Path) -> None:
    """For a user without rights; their own file, a folder of theirs, and a link to either are not."""
    own = tmp_path / "own"
    own.mkdir()
    write_executable(own / "program", "exit 0")
    (tmp_path / "link").symlink_to(own / "program")
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.geteuid() and place != Path(place.anchor):
            place.chmod(place.stat().st_mode | 0o055)
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from handoff_tui.system.processes.programs import find_writable_part\n"
        "for place in sys.argv[2:]: os.chown(place, 65534, 65534) if 'own' in place else None\n"
        "os.environ['HOME'] = '/nonexistent'; os.setgid(65534); os.setuid(65534)\n"
        "print([str(find_writable_part(place)) for place in sys.argv[2:]])"
    )
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    source = str(Path(handoff_tui.__file__).parent.parent)
    words = [sys.executable, "-c", code, source, "/bin/sh", str(own / "program"), str(tmp_path / "link")]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == str(["None", str(own / "program"), str(own / "program")])


def test_input_that_others_can_type_is_told(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A5: TIOCSTI, as the kernel says it is set."""
    setting = tmp_path / "legacy_tiocsti"
    monkeypatch.setattr("handoff_tui.system.processes.terminal._INJECTION", str(setting))
    for text, is_told in (("1\n", True), ("0\n", False), (None, False)):
        setting.unlink(missing_ok=True) if text is None else setting.write_text(text)
        said = gate_desk.speaking(bo, "doctor", "--json", "--repo", gate_desk.root).json
        assert ("terminal-input" in {one["id"] for one in said["diagnoses"]}) is is_told
