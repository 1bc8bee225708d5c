"""CI, prompts and the repository's own scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.hooks.doctor_report import Standing
from handoff_tui.checks.hooks.doctor_texts import Texts, diagnose_ci, diagnose_own_scripts, diagnose_prompts
from handoff_tui.config.settings.root import Mosaic
from handoff_tui.system.files.reader import FileReader

MOSAIC = Mosaic()
SCRIPTS = (MOSAIC.validation_script,)
CALL = "handoff-tui check --pre"


def build_texts(folder: Path, files: dict[str, str]) -> Texts:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Texts(FileReader(folder, 100_000))


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


def test_prompts_of_the_configuration_are_looked_at(tmp_path: Path) -> None:
    """Hooks among those places are not prompts."""
    mosaic = Mosaic(wiring_places=("PROMPT.txt", ".git/hooks/pre-commit"))
    texts = build_texts(tmp_path, {"PROMPT.txt": f"{CALL}\n", ".git/hooks/pre-commit": "x"})
    [diagnosis] = diagnose_prompts(texts, mosaic, ())
    assert (diagnosis.id, diagnosis.standing) == ("agent-prompt:PROMPT.txt", Standing.OK)


def test_no_prompt_is_missing(tmp_path: Path) -> None:
    """With the line that would make one."""
    [diagnosis] = diagnose_prompts(build_texts(tmp_path, {}), MOSAIC, ())
    assert diagnosis.standing is Standing.MISSING
    assert "AGENTS.md" in diagnosis.commands[0]


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
