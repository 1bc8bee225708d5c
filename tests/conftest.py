"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from handoff_tui.cli.demo.story import build_story
from handoff_tui.system.installation import find_resource
from handoff_tui.system.processes.agent_marks import AGENT_MARKS
from tests.support.hostile import HostileRepository, build_hostile_repository
from tests.support.repositories import RepositoryBuilder

if TYPE_CHECKING:
    from tests.support.gates import GateDesk
    from tests.support.signed import Circle, Person
    from tests.support.stepping import Stepping

# A loaded machine isn't a reason to fail. `make test-slow` tries more examples.
settings.register_profile("usual", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=30)
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=150)
settings.load_profile("usual")

_UNWANTED = ("PYTHONPATH", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", *AGENT_MARKS)
_LONGEST_ID = 100


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long values are named by their length: the name of a test goes into the environment and between processes."""
    return f"{type(val).__name__}-{len(val)}" if isinstance(val, str | bytes) and len(val) > _LONGEST_ID else None


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the homes of the tests' users are."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def isolated_user(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with an empty home: no configuration of the person or machine that runs the tests is seen."""
    home = Path(tempfile.mkdtemp(dir=homes))
    for name in tuple(os.environ):
        if name.startswith(("GIT_", "CODEX_")) or name in _UNWANTED:
            monkeypatch.delenv(name)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # else every process compiles the program again
    configuration = home / "gitconfig"
    configuration.touch()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    """An empty repository on an unborn branch `main`."""
    return RepositoryBuilder.init(tmp_path / "repository")


@pytest.fixture
def hostile_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostileRepository:
    """A repository that plants everything git can be made to execute, inside an environment that does the same."""
    hostile = build_hostile_repository(tmp_path / "hostile")
    for name, value in hostile.surroundings.items():
        monkeypatch.setenv(name, value)
    return hostile


@pytest.fixture(scope="session")
def sample_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample repository, built once; tests only look at it."""
    return build_story(find_resource("sample_repo"), tmp_path_factory.mktemp("sample") / "demo").repository


@pytest.fixture
def circle(
    tmp_path: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Circle:
    """People who change the policy of one repository, in the test's own process and without a terminal."""
    from tests.support.signed import Circle, Speaking  # noqa: PLC0415 - few tests need the signed log

    return Circle(Speaking(monkeypatch, capsys), builder.folder, tmp_path)


@pytest.fixture
def gate_desk(
    tmp_path: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> GateDesk:
    """One handoff by an agent, and no log yet; people decide in the test's own process, without a terminal."""
    from tests.support.gates import GateDesk  # noqa: PLC0415 - few tests need the signed log
    from tests.support.signed import Speaking  # noqa: PLC0415

    return GateDesk(Speaking(monkeypatch, capsys), builder, tmp_path)


@pytest.fixture
def bo(gate_desk: GateDesk) -> Person:
    """The one reviewer at the gate, whose log it is."""
    person = gate_desk.person("bo")
    gate_desk.begin(person)
    return person


@pytest.fixture
def stepping(builder: RepositoryBuilder, isolated_user: Path) -> Stepping:
    """One handoff and agents that are shell scripts of the user's own."""
    from tests.support.stepping import Stepping  # noqa: PLC0415 - few tests start agents

    return Stepping(builder, isolated_user).teach()


_LONG = (
    "agents/engine/test_dbos.py",
    "agents/rollback/test_rollback.py",
    "agents/step/test_step.py",
    "faults/test_run.py",
    "faults/test_step_agents.py",
    "live/acting/test_agents.py",
)
"""Files in which nearly every test starts agents or workers: `make test-slow` runs them.

Those marked `short` are quick, and stand for the others in `make test`.
"""
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
_ENOUGH_BYTES = 2 << 30


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it is ignored, and tests send it
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as for a job in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "short: stands in `make test` for the long ones of its file")
    if "TMPDIR" not in os.environ and _has_memory():
        os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="ht-", dir=_MEMORY)
        Path(os.environ["TMPDIR"]).chmod(0o711)  # PostgreSQL runs as another user, below this folder
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop("TMPDIR"), ignore_errors=True))
        tempfile.tempdir = None


def _has_memory() -> bool:
    """Whether temporary folders can lie in memory: thousands of small repositories are much faster there."""
    return os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free > _ENOUGH_BYTES


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays until the end: searching it for garbage, again and again, is a fourth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of such files, so that one list says which they are."""
    for item in items:
        if item.path.as_posix().endswith(_LONG) and item.get_closest_marker("short") is None:
            item.add_marker(pytest.mark.slow)
