"""Repositories of a given size, made quickly with git fast-import."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

from handoff_tui.config.settings.formats import Builder

_IDENTITY = "Bench <bench@example.com> 1767225600 +0000"
_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def make_repository(folder: Path, files: int, handoffs: int) -> Path:
    """A repository with that many plain files and handoff documents of mixed kinds, committed and checked out."""
    folder.mkdir(parents=True)
    contents = {f"src/part{number // 100:03}/file{number:06}.py": f"value = {number}\n" for number in range(files)}
    contents.update(build_handoff_files(handoffs))
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=_ENVIRONMENT)
    subprocess.run(
        ["git", "-C", str(folder), "fast-import", "--quiet"],
        input=_build_stream(contents),
        check=True,
        env=_ENVIRONMENT,
    )
    subprocess.run(["git", "-C", str(folder), "reset", "-q", "--hard", "main"], check=True, env=_ENVIRONMENT)
    return folder


def add_commits(folder: Path, commits: int, handoffs: int) -> Path:
    """Adds commits of ten files each; every second one names a handoff in turn, as agents do."""
    parts = []
    for number in range(commits):
        named = f"H-{number % handoffs + 1}: part {number}" if number % 2 else f"part {number}"
        parts.append(f"commit refs/heads/main\nauthor {_IDENTITY}\ncommitter {_IDENTITY}\n".encode())
        parts.append(f"data {len(named)}\n{named}\n".encode())
        parts += [b"from refs/heads/main^0\n"] if number == 0 else []
        for file in range(10):
            index = (number * 10 + file) % 10_000
            content = f"value = {number} * {index}\n".encode()
            path = f"src/part{index // 100:03}/file{index:06}.py"
            parts.append(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    importing = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(importing, input=b"".join(parts), check=True, env=_ENVIRONMENT)
    subprocess.run(["git", "-C", str(folder), "reset", "-q", "--hard", "main"], check=True, env=_ENVIRONMENT)
    return folder


def build_handoff_files(number: int) -> dict[str, str]:
    """That many files, in turn: spec, results, session handoff, hub context, planning JSON, manifest."""
    kinds = (_spec, _results, _session, _context, _planning, _manifest)
    return dict(kinds[index % len(kinds)](index // len(kinds) + 1) for index in range(number))


def _build_stream(contents: dict[str, str]) -> bytes:
    parts = [f"commit refs/heads/main\nauthor {_IDENTITY}\ncommitter {_IDENTITY}\ndata 5\nbench\n".encode()]
    for path, text in contents.items():
        content = text.encode()
        parts.append(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    return b"".join(parts)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _spec(number: int) -> tuple[str, str]:
    names = Builder().spec_sections
    body = "\n".join(
        f"## {index}. {name}\n\nWhat is to be done in part {number}, said shortly.\n\n- one\n- two `src/a.py`\n"
        for index, name in enumerate(names, start=1)
    )
    return f"handoffs/H-{number}/H-{number}_BUILDER_HANDOFF.md", f"# H-{number}: Part {number}\n\n{body}"


def _results(number: int) -> tuple[str, str]:
    files = "\n".join(f"- `src/part000/file{index:06}.py` (SHA256: {_hash(str(index))})" for index in range(8))
    text = f"""# Results: H-{number}

## Status: PASS

## Files Created
{files}

## Test Results — THIS PACKAGE
- Total: {number + 10} tests
- Passed: {number + 10}
- Failed: 0
- Skipped: 0
- Command: `python3 -m pytest -q`

## Full Regression Test — ALL STAGED PACKAGES
- Total: {number + 400} tests
- Passed: {number + 398}
- Failed: 2
- Skipped: 0

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: {number}
- Total tests (all staged): {number + 400}

## Clean-Room Verification
- Packages installed: {number}
- All tests pass after each install: YES

## Issues Encountered
- None worth a word.

## Notes for Reviewer
- The second list is `ordered`.
"""
    return f"handoffs/H-{number}/H-{number}_RESULTS.md", text


def _session(number: int) -> tuple[str, str]:
    steps = "\n".join(
        f"- [{'x' if index % 2 else ' '}] step {index} of `src/part000/file{index:06}.py`" for index in range(12)
    )
    text = (
        f"# Session handoff {number}\n\n**Status**: in progress\n\n## Done\n\n{steps}\n\n## Next steps\n\n1. Go on.\n"
    )
    return f"docs/handoffs/session-{number:04}.md", text


def _context(number: int) -> tuple[str, str]:
    work = "\n".join(
        f"### {role} Agent (01-02 03:0{index})\n**Status**: pass\n**Summary**: done\n\n```\n12 passed\n```\n---"
        for index, role in enumerate(("DEV", "QA", "SECURITY"))
    )
    text = f"""# Handoff Context
Generated: 2026-01-02 03:04:05
Run ID: {number} | Project: Bench | Task: T{number:04}

## Pipeline Position
- **Current State**: docs
- **Your Role**: DOCS

## Current Task: T{number:04}
**Title**: Part {number}
**Status**: in_progress
**Pipeline Stage**: DOCS
**Priority**: 3

## Previous Agent Work
{work}
"""
    return f"hub/HANDOFF_{number}_T{number:04}.md", text


def _planning(number: int) -> tuple[str, str]:
    tasks = [{"id": index, "name": f"task {index}", "status": "done", "commit": None} for index in range(10)]
    value = {
        "version": "1.0",
        "timestamp": "2026-01-02T03:04:05Z",
        "phase": f"{number:04}",
        "phase_name": f"part-{number}",
        "plan": 1,
        "task": 10,
        "total_tasks": 12,
        "status": "paused",
        "completed_tasks": tasks,
        "remaining_tasks": [{"id": 11, "name": "last", "status": "not_started"}],
        "blockers": [],
        "human_actions_pending": [],
        "decisions": [],
        "uncommitted_files": ["src/part000/file000001.py"],
        "next_action": "Go on.",
        "context_notes": "12/12 tests passing.",
    }
    return f"parts/{number:04}/.planning/HANDOFF.json", json.dumps(value, indent=2)


def _manifest(number: int) -> tuple[str, str]:
    assets = [
        {"path": f"file{index}.py", "sha256": f"sha256:{_hash(str(index))}", "classification": "module"}
        for index in range(8)
    ]
    value = {
        "package_id": f"PKG-PART-{number:03}",
        "version": "1.0.0",
        "schema_version": "1.2",
        "spec_id": "SPEC-1",
        "framework_id": "FMWK-1",
        "plane_id": "hot",
        "dependencies": [],
        "assets": assets,
    }
    return f"packages/PKG-PART-{number:03}/manifest.json", json.dumps(value, indent=2)
