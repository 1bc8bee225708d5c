"""Presets against the programs themselves, installed from their registries: whole turns, with a model on 127.0.0.1.

`HANDOFF_TUI_PROGRAMS` names folders with programs that are installed already, as PATH does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.agents.step.report import StepOutcome
from tests.support.model_api import Move, serve_models
from tests.support.repositories import RepositoryBuilder
from tests.support.stepping import Stepping

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
    "goose": "@aaif/goose",
    "aider": "aider-chat",
}
_CODE = "def add(a, b):\n    return a + b\n"
_BLOCK = f"calc.py\n```python\n<<<<<<< SEARCH\n=======\n{_CODE}>>>>>>> REPLACE\n```\n"


def _install(name: str, folder: Path) -> Path:
    """Returns the folder with the program; skips the test if it can't be had here."""
    given = shutil.which(name, path=os.environ.get("HANDOFF_TUI_PROGRAMS", ""))
    if given is not None:
        return Path(given).parent
    if name == "aider":
        commands = [[sys.executable, "-m", "venv", str(folder)], [str(folder / "bin" / "pip"), "install", "aider-chat"]]
        place = folder / "bin"
    elif shutil.which("npm") is None:
        pytest.skip("npm is not installed here")
    else:
        commands = [["npm", "install", "--prefix", str(folder), "--no-fund", "--no-audit", _PACKAGES[name]]]
        place = folder / "node_modules" / ".bin"
    for command in commands:
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"{_PACKAGES[name]} can't be installed here")
    return place


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder outside /dev/shm, which a sandbox replaces by its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def _set_up(name: str, address: str, home: Path, disk: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Leads the program to our model; returns the words that its command needs for that."""
    known = {
        "claude": {"ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": address},
        "codex": {"OPENAI_API_KEY": "x", "TMPDIR": str(home / "tmp"), "CODEX_HOME": str(disk)},
        "gemini": {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": address},
        "opencode": {"OPENCODE_CONFIG_CONTENT": json.dumps({"model": "mock/m", "provider": {"mock": {
            "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{address}/v1", "apiKey": "x"},
            "models": {"m": {}}}}})},
        "goose": {"OPENAI_API_KEY": "x", "OPENAI_HOST": address, "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "gpt-4o",
                  "GOOSE_DISABLE_KEYRING": "1"},
        "aider": {"OPENAI_API_KEY": "x", "OPENAI_API_BASE": f"{address}/v1"},
    }  # fmt: skip
    (home / "tmp").mkdir()
    (home / ".gemini").mkdir()
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(chosen), encoding="utf-8")
    for variable, value in known[name].items():
        monkeypatch.setenv(variable, value)
    provider = (
        f'model_providers.mock={{name="mock",base_url="{address}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}}'
    )
    words = {
        "codex": ["-m", "gpt-5-codex", "-c", provider, "-c", "model_provider=mock"],
        "aider": ["--model", "openai/gpt-4o"],
    }
    return words.get(name, [])


@pytest.mark.parametrize("name", _PACKAGES)
def test_program_runs_as_its_preset_says(
    name: str, on_disk: Path, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts the command, does the work, may run the tests, commits under its own name, and says what it used."""
    builder = RepositoryBuilder.init(on_disk / "repository")
    stepping = Stepping(builder, isolated_user)
    builder.write("test_app.py", "def test_it():\n    assert True\n").commit("a test")
    programs = _install(name, on_disk / "programs")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    moves = [
        Move("I'll add it.", path=str(stepping.root / "calc.py"), content=_CODE),
        Move("Now the tests.", "python -m pytest -q -p no:cacheprovider"),
        Move("Commit it.", "git add calc.py && git commit -q -m 'Add add'"),
        Move("Done: it works."),
    ]
    with serve_models([Move(f"I'll add it.\n\n{_BLOCK}")] if name == "aider" else moves) as (api, address):
        words = _set_up(name, address, isolated_user, on_disk, monkeypatch)
        lines = f'[agents.maker]\npreset = "{name}"\narguments = {json.dumps(words)}\ntimeout_seconds = 300\n'
        pipeline = '[pipelines.notes]\nfailure_target = "build"\n[[pipelines.notes.phases]]\nname = "build"\n'
        stepping.config.write_text(f'{lines}{pipeline}agent = "maker"\n', encoding="utf-8")
        report = stepping.step()
    assert report.outcome is StepOutcome.READY, (report.why, Path(report.proof).read_text(encoding="utf-8")[-3000:])
    assert api.requests
    assert [commit.author for commit in report.commits] == [f"{name}@agents.invalid"]
    usage = report.end.usage
    assert usage is not None
    assert (usage.tokens_in >= 1200, usage.turns >= 1, usage.denials) == (True, True, ())
