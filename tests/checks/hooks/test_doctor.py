"""Whether the checks are enforced: hooks, CI, prompts and the program behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from handoff_tui import __version__
from handoff_tui.checks.hooks import doctor as doctor_hooks
from handoff_tui.checks.hooks.doctor import diagnose_hooks, examine
from handoff_tui.checks.hooks.doctor_report import Diagnosis, Standing, TerminalFacts
from handoff_tui.checks.hooks.doctor_texts import RepositoryTexts, diagnose_ci, diagnose_own_scripts, diagnose_prompts
from handoff_tui.checks.hooks.hook_files import HookName, render_hook
from handoff_tui.checks.hooks.hooks import install_hooks
from handoff_tui.checks.run.commands import give_consent
from handoff_tui.config.settings.root import Mosaic
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.policy.init import InitRequest, begin_log
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.installation import find_python
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import make_person
from tests.support.ssh_keys import PASSPHRASE, make_key

PIPE = TerminalFacts(terminal=False, columns=None, colour=None, unicode=True)

IDENTITY = "[user]\n\tname = Ada\n\temail = ada@example.org\n\tsigningkey = {key}\n[gpg]\n\tformat = ssh\n"


def look(builder: RepositoryBuilder, terminal: TerminalFacts = PIPE) -> dict[str, Diagnosis]:
    return {diagnosis.id: diagnosis for diagnosis in examine(builder.folder, terminal).diagnoses}


def wire(builder: RepositoryBuilder, user: Path) -> None:
    """Everything that enforcement needs."""
    key = make_key(user / "key", PASSPHRASE)
    (user / "gitconfig").write_text(IDENTITY.format(key=key))
    builder.write("AGENTS.md", "Run `handoff-tui check --pre`.\n").write(".ci/run", "handoff-tui check --pre\n")
    install_hooks(builder.folder, HookName)


def test_wired_repository_is_wired(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Every line is ok but the terminal, of which a pipe says nothing; and that does not count."""
    wire(builder, isolated_user)
    report = examine(builder.folder, PIPE)
    others = {found.id for found in report.diagnoses if found.standing is not Standing.OK}
    assert others - {"signing-programs", "terminal-input"} == {"terminal"}  # these depend on the machine
    assert report.wired


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
    give_consent(open_session(builder.folder), diagnosis.commands[-1].split()[-1])
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
    ("configuration", "said"),
    [
        ("[user]\n\tsigningkey = ~/key\n[gpg]\n\tformat = ssh\n", "(user.signingkey)"),
        ("", "(default key)"),
        ("[user]\n\tsigningkey = 0123ABCD\n", "(default key)"),
    ],
)
def test_the_key_that_would_sign_is_found(
    builder: RepositoryBuilder, isolated_user: Path, configuration: str, said: str
) -> None:
    """Doctor finds the key that `decide` finds: the configured one, else the usual one. GnuPG keys don't sign here."""
    (isolated_user / ".ssh").mkdir()
    make_key(isolated_user / ".ssh/id_ed25519")
    make_key(isolated_user / "key")
    (isolated_user / "gitconfig").write_text(configuration)
    diagnosis = look(builder)["signing-key"]
    assert (diagnosis.standing, diagnosis.message.rpartition("key ")[2]) == (Standing.OK, said)


@pytest.mark.parametrize("value", ["/nowhere/key.pub", "key::ssh-ed25519 AAAA", None])
def test_without_a_key_doctor_says_why_nothing_can_be_signed(
    builder: RepositoryBuilder, isolated_user: Path, value: str | None
) -> None:
    """A file that is missing, text that isn't a key, or nothing at all: each with the commands that help."""
    if value is not None:
        (isolated_user / "gitconfig").write_text(f"[user]\n\tsigningkey = {value}\n[gpg]\n\tformat = ssh\n")
    diagnosis = look(builder)["signing-key"]
    assert diagnosis.standing is Standing.MISSING
    assert diagnosis.message.startswith("you can't sign decisions: ")
    assert diagnosis.commands


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


def test_solo_policy_says_what_it_does_not_protect_against(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It isn't a fault, so it does not count; a team's policy has nothing to say."""
    make_person(tmp_path / "homes").become(monkeypatch)
    assert "solo-policy" not in look(builder)
    begin_log(builder.folder, InitRequest())
    solo = look(builder)["solo-policy"]
    assert (solo.standing, solo.counts) == (Standing.WEAK, False)
    assert "doesn't show that a second person looked" in solo.message
    other = RepositoryBuilder.init(tmp_path / "other")
    begin_log(other.folder, InitRequest(team=True))
    assert "solo-policy" not in look(other)


SCRIPT = "tools/validate.py"


def examine_hooks(builder: RepositoryBuilder) -> dict[str, Diagnosis]:
    texts = RepositoryTexts(FileReader(builder.folder, 100_000))
    found = diagnose_hooks(open_repository(builder.folder), texts, (SCRIPT,))
    return {diagnosis.id: diagnosis for diagnosis in found}


def write_hook(builder: RepositoryBuilder, content: bytes | str, mode: int = 0o755, name: str = "pre-commit") -> None:
    builder.write(f".git/hooks/{name}", content)
    builder.place(f".git/hooks/{name}").chmod(mode)


def test_installed_hooks_are_wired(builder: RepositoryBuilder) -> None:
    """With the line that calls the program, the kept hook, and the program itself."""
    write_hook(builder, "#!/bin/sh\n")
    install_hooks(builder.folder, HookName)
    found = examine_hooks(builder)
    assert {diagnosis.standing for diagnosis in found.values()} == {Standing.OK}
    call, kept = found["hook-pre-commit"].evidence
    text = builder.place(".git/hooks/pre-commit").read_text().splitlines()
    assert "handoff_tui check --pre" in text[(call.line or 0) - 1]
    assert kept.path == ".git/hooks/pre-commit.before-handoff-tui"
    assert __version__ in found["hook-program"].message


@pytest.mark.parametrize(
    ("content", "mode", "standing", "words"),
    [
        (render_hook(HookName.PRE_COMMIT, find_python(), __version__), 0o644, Standing.MISSING, "n't executable"),
        (render_hook(HookName.PRE_COMMIT, find_python(), __version__) + b"#", 0o755, Standing.MISSING, "changed it"),
        (render_hook(HookName.PRE_COMMIT, "/other/python3", __version__), 0o755, Standing.OK, "another Python"),
        (b"#!/bin/sh\nexit 0\n", 0o755, Standing.MISSING, "n't ours"),
        (b"#!/bin/sh\nhandoff-tui check --pre\n", 0o644, Standing.MISSING, "n't executable"),
        (b"#!/bin/sh\nhandoff-tui check --pre\n", 0o755, Standing.OK, "runs the checks"),
        (b"#!/bin/sh\nhandoff-tui check || true\n", 0o755, Standing.MISSING, "thrown away"),
        (b"#!/bin/sh\n# handoff-tui check --pre\n", 0o755, Standing.MISSING, "n't ours"),
        (b"#!/bin/sh\npython3 tools/validate.py\n", 0o755, Standing.OK, "runs the checks"),
    ],
)
def test_hook_is_told_by_what_it_does(
    builder: RepositoryBuilder, content: bytes, mode: int, standing: Standing, words: str
) -> None:
    """Executable, unchanged, ours or not: what would really run counts."""
    write_hook(builder, content, mode)
    diagnosis = examine_hooks(builder)["hook-pre-commit"]
    assert diagnosis.standing is standing
    assert words in diagnosis.message
    assert diagnosis.standing is Standing.OK or diagnosis.commands


def test_forged_hook_is_not_believed(builder: RepositoryBuilder) -> None:
    """A hook with our mark and a digest that fits, but that does nothing, is not taken for ours."""
    import hashlib  # noqa: PLC0415 - only the forger needs it

    idle = b"# Written by handoff-tui 0.1.0:\npython=/usr/bin/python3\nexit 0\n"
    told = idle + b"# -m handoff_tui check --pre --fresh\n"
    for body, standing in ((idle, Standing.MISSING), (told, Standing.UNKNOWN)):
        digest = hashlib.sha256(body).hexdigest().encode()
        write_hook(builder, b"#!/bin/sh\n# handoff-tui hook 1 pre-commit sha256:" + digest + b"\n" + body)
        assert examine_hooks(builder)["hook-pre-commit"].standing is standing


@pytest.mark.parametrize(
    ("hook", "file", "text", "expected"),
    [
        (
            "# pre-commit.com",
            ".pre-commit-config.yaml",
            "- entry: handoff-tui check\n",
            (Standing.OK, Standing.MISSING),
        ),
        ("lefthook", "lefthook.yml", "pre-push:\n  a:\n    run: handoff-tui check\n", (Standing.MISSING, Standing.OK)),
        ("lefthook", "lefthook.yml", "colors: true\n", (Standing.MISSING, Standing.MISSING)),
        ('. "$(dirname "$0")/h"', ".husky/pre-commit", "handoff-tui check\n", (Standing.OK, Standing.MISSING)),
    ],
)
def test_manager_is_asked_what_it_was_told(
    builder: RepositoryBuilder, hook: str, file: str, text: str, expected: tuple[Standing, Standing]
) -> None:
    """The file of pre-commit, lefthook or husky says at which hook the checks run."""
    for name in HookName:
        write_hook(builder, f"#!/bin/sh\n{hook}\n", name=name.value)
    builder.write(file, text)
    found = examine_hooks(builder)
    assert (found["hook-pre-commit"].standing, found["hook-pre-push"].standing) == expected


def test_hooks_path_elsewhere_is_a_bypass(builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path) -> None:
    """Installed hooks are not run when git is sent elsewhere; who sent it decides what mends it."""
    install_hooks(builder.folder, HookName)
    builder.config("core.hooksPath", "planted")
    found = examine_hooks(builder)
    assert found["hooks-path"].standing is Standing.MISSING
    assert str(found["hooks-path"].evidence[0]).startswith(".git/config:")
    assert found["hooks-path"].commands[0] == "git config --local --unset-all core.hooksPath"
    assert found["hook-pre-commit"].standing is Standing.MISSING
    builder.step("config", "--unset", "core.hooksPath")
    (isolated_user / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path / 'shared'}\n")
    assert examine_hooks(builder)["hooks-path"].commands == ("handoff-tui hooks install --shared",)
    install_hooks(builder.folder, HookName, shared=True)
    assert {diagnosis.standing for diagnosis in examine_hooks(builder).values()} == {Standing.OK}


def test_hooks_in_the_tree_are_wired_but_not_beyond_doubt(builder: RepositoryBuilder) -> None:
    """Whoever can change the tree can change them."""
    builder.config("core.hooksPath", ".hooks")
    for name in HookName:
        builder.write(f".hooks/{name.value}", "#!/bin/sh\nhandoff-tui check --pre\n")
        builder.place(f".hooks/{name.value}").chmod(0o755)
    found = examine_hooks(builder)
    assert found["hook-pre-commit"].standing is Standing.OK
    assert found["hooks-path"].standing is Standing.UNKNOWN


def test_program_behind_the_hooks_is_looked_up(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not there, of unknown version, of another, of the same: nothing of it is run."""
    python = tmp_path / "other" / "bin" / "python3"
    write_hook(builder, render_hook(HookName.PRE_COMMIT, str(python), __version__))
    monkeypatch.setattr(doctor_hooks, "find_on_path", lambda: None)
    assert examine_hooks(builder)["hook-program"].standing is Standing.MISSING
    monkeypatch.setattr(doctor_hooks, "find_on_path", lambda: "/usr/bin/handoff-tui")
    assert examine_hooks(builder)["hook-program"].standing is Standing.UNKNOWN
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n: >{tmp_path}/canary\n")
    python.chmod(0o755)
    assert examine_hooks(builder)["hook-program"].standing is Standing.UNKNOWN
    packages = tmp_path / "other" / "lib" / "python3.12" / "site-packages"
    (packages / "handoff_tui-0.0.1.dist-info").mkdir(parents=True)
    assert examine_hooks(builder)["hook-program"].standing is Standing.MISSING
    (packages / "handoff_tui-0.0.1.dist-info").rename(packages / f"handoff_tui-{__version__}.dist-info")
    assert examine_hooks(builder)["hook-program"].standing is Standing.OK
    assert not (tmp_path / "canary").exists()


def test_program_inside_the_repository_is_not_beyond_doubt(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and does not count against the wiring: a development environment is often there."""
    python = str(builder.folder / ".venv/bin/python3")
    monkeypatch.setattr(doctor_hooks, "find_python", lambda: python)
    write_hook(builder, render_hook(HookName.PRE_COMMIT, python, __version__))
    diagnosis = examine_hooks(builder)["hook-program"]
    assert (diagnosis.standing, diagnosis.counts) == (Standing.UNKNOWN, False)


MOSAIC = Mosaic()

SCRIPTS = (MOSAIC.validation_script,)

CALL = "handoff-tui check --pre"


def build_texts(folder: Path, files: dict[str, str]) -> RepositoryTexts:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return RepositoryTexts(FileReader(folder, 100_000))


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (".github/workflows/ci.yml", f"jobs:\n  a:\n    steps:\n      - run: {CALL}\n", 4),
        (".github/workflows/deep.yaml", f"      - run: |\n          make\n          {CALL}\n", 3),
        (".gitlab-ci.yml", f"check:\n  script:\n    - {CALL}\n", 3),
        ("Jenkinsfile", f"stage('x') {{\n  sh '{CALL}'\n}}\n", 2),
        (".circleci/config.yml", f"    - run:\n        command: {CALL}\n", 2),
        ("azure-pipelines.yml", f"steps:\n- script: {CALL}\n", 2),
        (".ci/run", f"set -e\n{CALL}\n", 2),
        (".ci/run", f"set -e\npython3 {MOSAIC.validation_script} --pre\n", 2),
    ],
)
def test_ci_that_runs_the_checks_is_ok(tmp_path: Path, path: str, text: str, line: int) -> None:
    """The file and line are the evidence."""
    diagnosis = diagnose_ci(build_texts(tmp_path, {path: text}), SCRIPTS)
    assert (diagnosis.standing, [str(place) for place in diagnosis.evidence]) == (Standing.OK, [f"{path}:{line}"])


@pytest.mark.parametrize(
    ("files", "standing", "words"),
    [
        ({}, Standing.MISSING, "no CI files"),
        ({".github/workflows/ci.yml": "# handoff-tui check\n- name: handoff-tui check\n"}, Standing.MISSING, "ci.yml"),
        ({".github/workflows/ci.yml": f"- run: {CALL} || true\n"}, Standing.MISSING, "thrown away"),
        (
            {".github/workflows/ci.yml": f"- run: {CALL}\n  continue-on-error: true\n"},
            Standing.UNKNOWN,
            "ignores the failure",
        ),
        ({".github/workflows/README.md": f"{CALL}\n"}, Standing.MISSING, "no CI files"),
        ({"Makefile": f"check:\n\t{CALL}\n"}, Standing.UNKNOWN, "no CI file runs make"),
        ({"Makefile": f"check:\n\t{CALL}\n", ".ci/run": "make check\n"}, Standing.OK, "CI runs"),
        ({"Makefile": f"check:\n\t-{CALL}\n", ".ci/run": "make check\n"}, Standing.MISSING, "make ignores"),
    ],
)
def test_ci_that_does_not_is_told_apart(tmp_path: Path, files: dict[str, str], standing: Standing, words: str) -> None:
    """Absent, a mere mention, without teeth, or only through make."""
    diagnosis = diagnose_ci(build_texts(tmp_path, files), SCRIPTS)
    assert diagnosis.standing is standing
    assert words in diagnosis.message


def test_prompts_are_told_one_by_one(tmp_path: Path) -> None:
    """Each agent reads its own; one may take in another."""
    files = {
        "AGENTS.md": f"# Rules\n\nRun `{CALL}`.\n",
        "CLAUDE.md": "Hello.\n@AGENTS.md\n",
        "GEMINI.md": "Be kind.\n",
        ".cursorrules": f"Never run {CALL}.\n",
    }
    found = {
        diagnosis.id.partition(":")[2]: diagnosis
        for diagnosis in diagnose_prompts(build_texts(tmp_path, files), MOSAIC, ())
    }
    assert {path: diagnosis.standing for path, diagnosis in found.items()} == {
        "AGENTS.md": Standing.OK,
        "CLAUDE.md": Standing.OK,
        "GEMINI.md": Standing.MISSING,
        ".cursorrules": Standing.UNKNOWN,
    }
    assert [str(place) for place in found["CLAUDE.md"].evidence] == ["CLAUDE.md:2", "AGENTS.md:3"]
    assert found["GEMINI.md"].commands[0].endswith(">> GEMINI.md")


def test_prompt_that_cannot_be_read_cannot_be_told(tmp_path: Path) -> None:
    """A link out of the repository is not followed."""
    (tmp_path / "repository").mkdir()
    (tmp_path / "outside.md").write_text(CALL)
    (tmp_path / "repository" / "CLAUDE.md").symlink_to("../outside.md")
    [diagnosis] = diagnose_prompts(build_texts(tmp_path / "repository", {}), MOSAIC, ())
    assert diagnosis.standing is Standing.UNKNOWN
    assert "leads out" in diagnosis.message


def test_own_scripts_must_exist_and_be_called(tmp_path: Path) -> None:
    """By a hook, CI or a prompt; what exists and is not called is what went wrong before."""
    assert diagnose_own_scripts(build_texts(tmp_path, {}), MOSAIC, {}) == ()
    files = {MOSAIC.session_gate_script: "", ".mosaic/agent_state.json": "{}"}
    absent, idle = diagnose_own_scripts(build_texts(tmp_path, files), MOSAIC, {})
    assert (absent.standing, idle.standing) == (Standing.MISSING, Standing.MISSING)
    assert "doesn't exist" in absent.message
    assert "calls it" in idle.message
    files |= {
        MOSAIC.validation_script: "",
        "AGENTS.md": f"Start: `bash {MOSAIC.session_gate_script}`\nhandoff-tui check\n",
    }
    hooks = {".git/hooks/pre-push": f"#!/bin/sh\nexec python3 {MOSAIC.validation_script}\n"}
    validation, gate = diagnose_own_scripts(build_texts(tmp_path, files), MOSAIC, hooks)
    assert [str(place) for place in validation.evidence] == [MOSAIC.validation_script, ".git/hooks/pre-push:2"]
    assert [str(place) for place in gate.evidence] == [MOSAIC.session_gate_script, "AGENTS.md:1"]
    assert {validation.standing, gate.standing} == {Standing.OK}
