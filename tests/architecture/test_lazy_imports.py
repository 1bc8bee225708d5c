"""Start-up is paid for by what runs: heavy packages stay out until they are needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import sys
from handoff_tui.cli.main import main
code = main({arguments!r})
heavy = {heavy!r}
found = sorted(name for name in heavy if name in sys.modules)
sys.stderr.write("FOUND " + " ".join(found))
sys.exit(code)
"""


def imported_by(arguments: list[str], heavy: list[str], code: int = 0) -> list[str]:
    """Which of the heavy packages one run imports, in a process of its own."""
    probe = PROBE.format(arguments=arguments, heavy=heavy)
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, timeout=150)
    assert done.returncode == code, done.stderr
    return done.stderr.rpartition("FOUND ")[2].split()


def test_version_imports_nothing_heavy() -> None:
    """`--version` needs none of the packages the product is built on."""
    heavy = ["textual", "watchfiles", "cryptography", "git", "rich", "pydantic", "yaml", "markdown_it", "asyncio"]
    assert imported_by(["--version"], heavy) == []


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_status_imports_no_app_packages(sample_repository: Path, more: list[str]) -> None:
    """`status` reads without the app, the watcher, signatures, GitPython or another's Markdown parser."""
    heavy = ["textual", "watchfiles", "cryptography", "git", "pydantic", "markdown_it", *(["rich"] if more else [])]
    assert imported_by(["status", "--repo", str(sample_repository), *more], heavy) == []


def test_check_that_is_recalled_imports_next_to_nothing(sample_repository: Path) -> None:
    """When nothing has moved, the answer comes without models, rules or parsers."""
    call = ["check", "--only", "nothing-unpushed", "--json", "--repo", str(sample_repository)]
    heavy = ["pydantic", "rich", "yaml", "handoff_tui.handoffs.handoff", "git", "textual", "dataclasses"]
    assert "handoff_tui.handoffs.handoff" in imported_by([*call, "--fresh"], heavy, code=1)
    assert imported_by(call, heavy, code=1) == []


@pytest.mark.parametrize(
    "room",
    ["core.errors", "status.review_state", "git.repository", "config.load", "handoffs.formats.registry", "status.show"],
)
def test_rooms_below_the_front_ends_know_neither_textual_nor_rich(room: str) -> None:
    """Importing a headless room never imports a front end's packages."""
    code = f"import sys, handoff_tui.{room}; sys.exit(any(name in sys.modules for name in ('textual', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=150).returncode == 0


def test_app_paints_before_it_knows_a_model() -> None:
    """What is drawn first needs neither pydantic nor the rooms behind the desk."""
    heavy = ("pydantic", "watchfiles", "cryptography", "git", "handoff_tui.live", "handoff_tui.status")
    code = f"import sys, handoff_tui.tui.run; sys.exit(any(name in sys.modules for name in {heavy!r}))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=150).returncode == 0


def test_check_that_must_run_imports_only_what_it_uses(sample_repository: Path) -> None:
    """Neither the network, nor archives, nor readers and writers of other forms, nor a pool for commands."""
    call = ["check", "--pre", "--only", "nothing-unpushed", "--json", "--fresh", "--repo", str(sample_repository)]
    heavy = ["ssl", "urllib.request", "tarfile", "configparser", "xml.etree", "concurrent.futures", "difflib", "rich"]
    assert imported_by(call, heavy, code=1) == []


@pytest.mark.parametrize("verb", [["status"], ["check", "--fresh", "--only", "nothing-unpushed"]])
def test_repository_without_a_log_does_not_pay_for_one(sample_repository: Path, verb: list[str]) -> None:
    """Nothing that reads or verifies entries is imported."""
    heavy = ["handoff_tui.log.chain", "handoff_tui.log.open_log", "handoff_tui.log.gates.approved", "cryptography"]
    code = 0 if verb == ["status"] else 1
    assert imported_by([*verb, "--json", "--repo", str(sample_repository)], heavy, code=code) == []


def test_nothing_is_validated_where_nothing_comes_from_outside(tmp_path: Path) -> None:
    """Without settings and without a log there is nothing to read with pydantic."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=150)
    assert imported_by(["status", "--json", "--repo", str(tmp_path)], ["pydantic", "rich", "yaml"]) == []
