"""Commands run away from the person: in a clean checkout, without their home and keys, and nothing outlives them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.checks.run import command_run
from handoff_tui.checks.run.check import check
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.checks.run.commands import give_consent, grant_access, read_consent
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.processes.walls import find_bubblewrap
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person

WALLS = "walls"
LEAVES = """\
import os, sys
home, token = sys.argv[1:]
print(os.path.exists(os.path.join(home, ".ssh")), flush=True)
if not os.fork():
    os.setsid()
    if not os.fork():
        script = f"exec >/dev/null 2>&1 </dev/null; sleep 20; cp {home}/.ssh/id_ed25519 {home}/{token}"
        os.execve("/bin/sh", ["/bin/sh", "-c", script, token], {})
    os._exit(0)
os.wait()
"""


@pytest.fixture(params=[WALLS, "none"])
def walls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both with the kernel's means and without them."""
    if request.param == WALLS:
        if find_bubblewrap() is None:
            pytest.skip("bubblewrap may not be used here")
    else:
        monkeypatch.setattr(command_run, "find_bubblewrap", lambda: None)
    return str(request.param)


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    person = make_person(tmp_path, "ada")
    person.become(monkeypatch)
    return person


def configure(builder: RepositoryBuilder, run: list[str], more: str = "") -> None:
    """Commits a check of the repository, and consents to it."""
    builder.write("handoff-tui.toml", f"[checks.tests]\nrun = {run!r}\n{more}\n")
    builder.commit("work")
    give_it_consent(builder)


def give_it_consent(builder: RepositoryBuilder) -> None:
    desk = open_session(builder.folder)
    consent = read_consent(desk)
    assert consent is not None
    give_consent(desk, consent.digest)


def run_tests(builder: RepositoryBuilder) -> CheckResult:
    report = check(open_session(builder.folder), CheckRequest(only=("tests",), fresh=True))
    return report.results[0]


def read_output(result: CheckResult) -> str:
    assert result.log is not None
    return Path(result.log).read_text(encoding="utf-8")


def list_processes_with(token: str) -> str:
    return subprocess.run(["pgrep", "-f", token], capture_output=True, text=True, check=False).stdout


def test_pushed_test_outlives_nothing_and_reaches_no_key(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """B1: a pushed test leaves its session with a bare environment, to sign with ~/.ssh later."""
    token = f"escaped-{builder.folder.parent.name}-{walls}"
    builder.write("leaves.py", LEAVES)
    configure(builder, [sys.executable, "leaves.py", str(ada.home), token])
    result = run_tests(builder)
    assert (result.outcome, "it left" in result.summary) == (Outcome.PASS, True)
    assert list_processes_with(token) == ""
    assert read_output(result).splitlines()[-1] == ("False" if walls == WALLS else "True")


def test_home_and_agents_of_the_person_are_not_given(
    builder: RepositoryBuilder, ada: Person, walls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B1: a home, a cache and temporary files of its own; no socket, even if the check names its variable."""
    monkeypatch.setenv("SSH_AUTH_SOCK", "/somewhere")
    configure(builder, ["env"], "environment = ['HOME', 'PATH', 'SSH_AUTH_SOCK']")
    given = dict(line.split("=", 1) for line in read_output(run_tests(builder)).splitlines() if "=" in line)
    assert "SSH_AUTH_SOCK" not in given
    assert {given[name].startswith(str(ada.home)) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR")} == {False}
    assert (walls == WALLS) == ("Without bubblewrap" not in read_output(run_tests(builder)))


def test_toolchains_of_the_home_are_there_and_passwords_beside_them_are_not(
    builder: RepositoryBuilder, ada: Person, walls: str
) -> None:
    """rustup's toolchains, Go's modules and Cargo's packages are found as at the person's own terminal."""
    for place in (".rustup/settings.toml", "go/pkg/mod/cache", ".cargo/registry/index", ".cargo/credentials.toml"):
        (ada.home / place).parent.mkdir(parents=True, exist_ok=True)
        (ada.home / place).write_text("x")
    run = (
        'cat "$RUSTUP_HOME/settings.toml" "$GOMODCACHE/cache" "$HOME/.cargo/registry/index"'
        ' && test ! -e "$HOME/.cargo/credentials.toml"'
    )
    configure(builder, ["sh", "-c", run])
    result = run_tests(builder)
    assert result.outcome is Outcome.PASS, read_output(result)


def test_ignored_bytecode_does_not_replace_the_source(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """B14: an ignored __pycache__ with unchecked hashes makes broken source pass."""
    builder.write(".gitignore", "__pycache__/\n")
    builder.write("cart.py", "TOTAL = 3\n")
    words = "import compileall, py_compile; compileall.compile_dir('.', invalidation_mode=\
py_compile.PycInvalidationMode.UNCHECKED_HASH, quiet=1)"
    subprocess.run([sys.executable, "-c", words], cwd=builder.folder, check=True)
    builder.write("cart.py", "TOTAL = 4\n")
    run = [sys.executable, "-c", "import cart; assert cart.TOTAL == 3, cart.TOTAL"]
    assert subprocess.run(run, cwd=builder.folder, check=False).returncode == 0
    configure(builder, run)
    assert run_tests(builder).outcome is Outcome.FAIL


def test_uncommitted_work_is_what_runs(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """Committed, changed, new and deleted files as they are; what the command writes stays away."""
    builder.write("kept.txt", "old")
    builder.write("gone.txt", "old")
    run = "cat kept.txt new.txt; test ! -e gone.txt && git status --porcelain && echo x > made.txt && rm kept.txt"
    configure(builder, [run], "shell = true")
    builder.write("kept.txt", "changed ")
    builder.write("new.txt", "new\n")
    (builder.folder / "gone.txt").unlink()
    give_it_consent(builder)
    result = run_tests(builder)
    lines = read_output(result).splitlines()[-4:]
    assert (result.outcome, lines) == (Outcome.PASS, ["changed new", " D gone.txt", " M kept.txt", "?? new.txt"])
    assert (builder.folder / "kept.txt").read_text() == "changed "
    assert not (builder.folder / "made.txt").exists()


def test_output_names_files_of_the_repository(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """Where the command really ran is nobody's concern."""
    configure(builder, ["pwd -P; exit 1"], "shell = true")
    [finding] = run_tests(builder).findings
    assert finding.message == str(builder.folder)


def test_what_git_ignores_is_there_once_a_person_grants_it(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """The repository asks by name; that alone gives nothing, and names what is missing."""
    builder.write(".gitignore", "node_modules/\n")
    configure(builder, ["cat", "node_modules/left-pad.js"], "access = ['node_modules/', 'network']")
    builder.write("node_modules/left-pad.js", "padded")
    give_it_consent(builder)
    refused = run_tests(builder)
    assert refused.outcome is Outcome.FAIL
    assert refused.remedy is not None
    assert "It asks for node_modules/, network" in refused.remedy.text
    with pytest.raises(UsageError, match="asks for 'home'"):
        grant_access(open_session(builder.folder), ["home"])
    grant_access(open_session(builder.folder), ["node_modules/"])
    assert run_tests(builder).outcome is Outcome.PASS


def test_own_file_grants_what_it_names(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """A check of the person's own file, which can name folders of their home."""
    place = ada.home / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    (ada.home / ".tools").mkdir()
    run = ["touch", str(ada.home / ".tools" / "used")]
    place.write_text(f"[checks.tests]\nrun = {run!r}\naccess = ['~/.tools/:write']\n", encoding="utf-8")
    builder.write("a.txt", "a")
    builder.commit("work")
    assert run_tests(builder).outcome is Outcome.PASS
    assert (ada.home / ".tools" / "used").exists()


def test_walls_leave_the_repository_read_only(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """B1: neither refs nor settings of the real repository can be moved from behind them."""
    if walls != WALLS:
        pytest.skip("only the kernel can see to that")
    configure(builder, ["git update-ref refs/heads/evil HEAD || git config user.name evil"], "shell = true")
    result = run_tests(builder)
    assert result.outcome is Outcome.FAIL
    assert "Read-only file system" in result.findings[0].message


def test_network_is_away_until_granted(builder: RepositoryBuilder, ada: Person, walls: str) -> None:
    """Behind the walls there is only the loopback interface."""
    if walls != WALLS:
        pytest.skip("only the kernel can see to that")
    count = "import socket; print(len(socket.if_nameindex()))"
    configure(builder, [sys.executable, "-c", count], "access = ['network']")
    assert read_output(run_tests(builder)).strip() == "1"
    grant_access(open_session(builder.folder), ["network"])
    here = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True).stdout
    assert read_output(run_tests(builder)).strip() == here.strip()
