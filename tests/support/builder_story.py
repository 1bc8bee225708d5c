"""A builder handoff that keeps every rule, in parts that a test can change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from tests.support.world import MemoryWorld

FOLDER = "handoffs"
SOURCE = "def light() -> int:\n    return 1\n"
TESTS = "def test_light() -> None:\n    assert True\n"
MANIFEST = "PKG-LAMP-001/manifest.json"

_SECTIONS = (
    *("Architecture / Design", "Implementation Steps", "Package Plan", "Test Plan", "Existing Code to Reference"),
    *("End-to-End Verification", "Files Summary", "Design Principles"),
)


def spec_path(handoff: str) -> str:
    return f"{FOLDER}/{handoff}/{handoff}_BUILDER_HANDOFF.md"


def results_path(handoff: str) -> str:
    return f"{FOLDER}/{handoff}/{handoff}_RESULTS.md"


def prompt_path(handoff: str) -> str:
    return f"{FOLDER}/{handoff}/{handoff}_AGENT_PROMPT.md"


def answers_path(handoff: str) -> str:
    return f"{FOLDER}/{handoff}/13Q_ANSWERS.md"


def digest(text: str | bytes) -> str:
    content = text.encode() if isinstance(text, str) else text
    return hashlib.sha256(content).hexdigest()


def build_spec(handoff: str, blocked_by: str = "") -> str:
    """All ten sections in order, with ten constraints."""
    head = f"# Builder Handoff: {handoff} — Lamp\n\n**Blocked by**: {blocked_by or 'nothing'}\n"
    constraints = "\n".join(f"{number}. Constraint number {number}." for number in range(1, 11))
    start = f"## 1. Mission\n\nA lamp in PKG-LAMP-001.\n\n## 2. Critical Constraints\n\n{constraints}\n"
    rest = "\n".join(f"## {number}. {name}\n\nWords.\n" for number, name in enumerate(_SECTIONS, start=3))
    return f"{head}\n{start}\n{rest}"


def build_results(handoff: str, total: int = 20, packages: int = 1) -> str:
    """All ten sections, numbers that agree, a clean room with the order of its packages."""
    order = " → ".join(["PKG-LAMP-001", *(f"PKG-OIL-{number:03}" for number in range(1, packages))])
    return f"""# Results: {handoff} — Lamp

**Agent**: wren

## Status: PASS

## Files Created
- `PKG-LAMP-001/lamp.py` (SHA256: {digest(SOURCE)})

## Files Modified
- NONE

## Archives Built
- NONE

## Test Results — THIS PACKAGE
- Total: 12 tests
- Passed: 12
- Failed: 0
- Skipped: 0
- Command: `pytest PKG-LAMP-001`

## Full Regression Test — ALL STAGED PACKAGES
- Total: {total} tests
- Passed: {total}
- Failed: 0
- Skipped: 0
- Command: `pytest`
- New failures introduced by this agent: NONE

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: {packages}
- Total tests (all staged): {total}

## Clean-Room Verification
- Packages installed: {packages}
- Install order: {order}
- All tests pass after each install: YES

## Issues Encountered
- None.

## Notes for Reviewer
- Nothing special.
"""


def build_prompt(handoff: str, version: str = "2.1", questions: int = 13) -> str:
    asked = "\n".join(f"{number}. What about point {number}?" for number in range(1, questions + 1))
    head = f"# Agent Prompt: {handoff}\n\n**Agent**: wren\n**Contract version**: {version}\n"
    rule = f"Answer the {questions} questions, then STOP and wait for a greenlight."
    return f"{head}\n{rule}\n\n## Questions\n\n{asked}\n\nSTOP.\n"


def build_answers(
    handoff: str, version: str = "2.1", answers: int = 13, by: str = "Ines Moor <ines@example.org>"
) -> str:
    given = "\n".join(f"{number}. Point {number} is settled." for number in range(1, answers + 1))
    gate = f"## Greenlight\n\n**Greenlight**: GRANTED\n**By**: {by}\n" if by else ""
    return f"# 13Q Answers: {handoff}\n\n**Contract version**: {version}\n\n{given}\n\n{gate}"


def build_contract(version: str = "2.1") -> str:
    return f"# Builder Prompt Contract\n\n**Contract version**: {version}\n\n1. Answer, then stop.\n"


def build_manifest(package: str = "PKG-LAMP-001", contents: dict[str, str] | None = None, **fields: object) -> str:
    """A manifest whose hashes are those of the given files; a field that is nothing is left out."""
    files = {"lamp.py": SOURCE, "test_lamp.py": TESTS} if contents is None else contents
    listed = [
        {"path": path, "sha256": f"sha256:{digest(text)}", "classification": "test" if "test" in path else "library"}
        for path, text in files.items()
    ]
    manifest: dict[str, object] = {
        "package_id": package,
        "version": "1.0.0",
        "schema_version": "1.2",
        "spec_id": "SPEC-LAMP-001",
        "framework_id": "FMWK-009",
        "plane_id": "shore",
        "dependencies": [],
        "assets": listed,
        **fields,
    }
    return json.dumps({name: value for name, value in manifest.items() if value is not None}, indent=2)


def build_files(handoff: str = "H-5") -> dict[str, str | bytes]:
    """One handoff with its package."""
    return {
        spec_path(handoff): build_spec(handoff),
        results_path(handoff): build_results(handoff),
        MANIFEST: build_manifest(),
        "PKG-LAMP-001/lamp.py": SOURCE,
        "PKG-LAMP-001/test_lamp.py": TESTS,
    }


def build_world(changes: Mapping[str, str | bytes | None] | None = None) -> MemoryWorld:
    """The handoff H-5 with some files changed, added, or (nothing) taken away."""
    files = {path: text for path, text in {**build_files(), **(changes or {})}.items() if text is not None}
    return MemoryWorld(files=files)


def build_changed_results(old: str, new: str) -> MemoryWorld:
    """H-5 with one text of its results replaced."""
    text = build_results("H-5")
    if old not in text:
        raise AssertionError(f"the results do not hold {old!r}")
    return build_world({results_path("H-5"): text.replace(old, new)})
