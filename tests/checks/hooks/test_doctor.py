"""The whole examination."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from handoff_tui.checks.hooks.doctor import examine
from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing, TerminalFacts
from handoff_tui.checks.hooks.hook import HookName
from handoff_tui.checks.hooks.hooks import install_hooks
from handoff_tui.checks.run.commands import give_consent
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder

PIPE = TerminalFacts(terminal=False, columns=None, colour=None, unicode=True)
IDENTITY = "[user]\n\tname = Ada\n\temail = ada@example.org\n\tsigningkey = {key}\n[gpg]\n\tformat = ssh\n"


def look(builder: RepositoryBuilder, terminal: TerminalFacts = PIPE) -> dict[str, Diagnosis]:
    return {diagnosis.id: diagnosis for diagnosis in examine(builder.folder, terminal).diagnoses}


def wire(builder: RepositoryBuilder, user: Path) -> None:
    """Everything that enforcement needs."""
    key = user / "key.pub"
    key.write_text("ssh-ed25519 AAAA\n")
    (user / "gitconfig").write_text(IDENTITY.format(key=key))
    builder.write("AGENTS.md", "Run `handoff-tui check --pre`.\n").write(".ci/run", "handoff-tui check --pre\n")
    install_hooks(builder.folder, HookName)


def test_wired_repository_is_wired(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Every line is ok but the terminal, of which a pipe says nothing; and that does not count."""
    wire(builder, isolated_user)
    report = examine(builder.folder, PIPE)
    assert [found.id for found in report.diagnoses if found.standing is not Standing.OK] == ["terminal"]
    assert report.wired


@pytest.mark.parametrize(
    ("standing", "counts", "wired"),
    [
        (Standing.OK, True, True),
        (Standing.UNKNOWN, False, True),
        (Standing.UNKNOWN, True, False),
        (Standing.MISSING, False, False),
        (Standing.MISSING, True, False),
    ],
)
def test_doubt_is_not_taken_for_wired(standing: Standing, *, counts: bool, wired: bool) -> None:
    """What is missing always counts; what cannot be told counts unless it is of the terminal's kind."""
    diagnosis = Diagnosis(id="x", standing=standing, message="", counts=counts)
    assert DoctorReport(repo="", version="", diagnoses=(diagnosis,)).wired is wired


def test_log_folder_that_is_ignored_is_found_with_its_line(builder: RepositoryBuilder) -> None:
    """The pattern and its place; one that takes it back makes it good again."""
    assert look(builder)["log-folder"].standing is Standing.OK
    builder.write(".gitignore", "*.pyc\n.handoff-tui\n")
    diagnosis = look(builder)["log-folder"]
    assert (diagnosis.standing, [str(place) for place in diagnosis.evidence]) == (Standing.MISSING, [".gitignore:2"])
    builder.write(".gitignore", "*.pyc\n.handoff-tui\n!.handoff-tui\n")
    assert look(builder)["log-folder"].standing is Standing.OK
    builder.write(".gitignore", "").write(".git/info/exclude", ".handoff-tui/log\n")
    assert look(builder)["log-folder"].standing is Standing.MISSING


def test_configuration_that_cannot_be_read_is_found_with_its_line(builder: RepositoryBuilder) -> None:
    """The rest is examined with the defaults."""
    builder.write("handoff-tui.toml", "[limits]\ncomits = 3\n")
    found = look(builder)
    assert found["configuration"].standing is Standing.MISSING
    assert [str(place) for place in found["configuration"].evidence] == ["handoff-tui.toml:2"]
    assert "configuration-trust" not in found
    assert "ci" in found


def test_commands_of_the_repository_need_trust(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are named with the digest to trust, and not run; once trusted, it is said."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    builder.write("handoff-tui.toml", f'[checks.tests]\nrun = ["touch", "{tmp_path}/canary"]\n')
    diagnosis = look(builder)["configuration-trust"]
    assert diagnosis.standing is Standing.MISSING
    assert "--trust sha256:" in diagnosis.commands[-1]
    assert not (tmp_path / "canary").exists()
    give_consent(open_desk(builder.folder), diagnosis.commands[-1].split()[-1])
    assert look(builder)["configuration-trust"].standing is Standing.OK
    builder.write("handoff-tui.toml", "[limits]\ncommits = 3\n")
    assert look(builder)["configuration-trust"].standing is Standing.OK


def test_identity_of_the_repository_is_not_believed(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Only what the user set for all repositories counts."""
    for key in ("user.name", "user.email", "user.signingkey"):
        builder.config(key, "planted")
    found = look(builder)
    assert found["git-identity"].standing is Standing.MISSING
    assert "user.name and user.email" in found["git-identity"].message
    assert found["signing-key"].standing is Standing.MISSING


@pytest.mark.parametrize(
    ("key", "form", "standing"),
    [
        ("/nowhere/key.pub", "ssh", Standing.MISSING),
        ("~/key.pub", "ssh", Standing.OK),
        ("key::ssh-ed25519 AAAA", "ssh", Standing.OK),
        ("0123ABCD", "openpgp", Standing.OK),
    ],
)
def test_signing_key_is_present_or_not(
    builder: RepositoryBuilder, isolated_user: Path, key: str, form: str, standing: Standing
) -> None:
    """A file that is named must be there; the key itself is never shown."""
    (isolated_user / "key.pub").write_text("x")
    (isolated_user / "gitconfig").write_text(f"[user]\n\tsigningkey = {key}\n[gpg]\n\tformat = {form}\n")
    diagnosis = look(builder)["signing-key"]
    assert diagnosis.standing is standing
    assert key not in diagnosis.message


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        (b"git version 2.31.0", Standing.OK),
        (b"git version 3.0.rc1 (Apple)", Standing.OK),
        (b"git version 2.9.5", Standing.MISSING),
        (b"git", Standing.UNKNOWN),
    ],
)
def test_git_must_be_new_enough(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, said: bytes, standing: Standing
) -> None:
    """Numbers are compared as numbers."""
    real = Git.run

    def answer(self: Git, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> GitAnswer:
        return GitAnswer(0, said, "") if arguments == ("version",) else real(self, *arguments, stdin=stdin, extra=extra)

    monkeypatch.setattr(Git, "run", answer)
    assert look(builder)["git-version"].standing is standing


@pytest.mark.parametrize(
    ("terminal", "words"),
    [
        (TerminalFacts(terminal=True, columns=200, colour=True, unicode=True), "200 columns, colour, Unicode"),
        (TerminalFacts(terminal=True, columns=60, colour=False, unicode=True), "below 80 columns"),
        (TerminalFacts(terminal=True, columns=80, colour=True, unicode=False), "ascii = true"),
    ],
)
def test_terminal_is_described(builder: RepositoryBuilder, terminal: TerminalFacts, words: str) -> None:
    """What it can show, and what to set where it cannot."""
    diagnosis = look(builder, terminal)["terminal"]
    assert diagnosis.standing is Standing.OK
    assert words in diagnosis.message
