"""The sample repository with a baseline in it, and what an agent did since: some of it told, some of it not."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.support.command_line import Said, say

_REPORT = "test-results/junit.xml"
_UNITS = "PKG-UNITS-001/manifest.json"
_RESULTS = """# Results: H-5

## Status: PASS

## Files Modified
- `PKG-UNITS-001/tide_units.py`

Removed `test_fathoms`, since nobody measures in fathoms any more.

## Full Regression Test — ALL STAGED PACKAGES
- Total: 6 tests
- Passed: 6
- Failed: 0

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: 5
- Total tests (all staged): 4
"""
_BEFORE = {
    "test_feet": "",
    "test_fathoms": "",
    "test_metres": "",
    "test_rounding": "",
    "test_zero": "<failure message='0 is not 0.0'/>",
}
_AFTER = {"test_feet": "", "test_metres": "<skipped/>", "test_zero": "", "test_inches": "<failure message='off'/>"}


@dataclass(frozen=True)
class BaselineStory:
    """A repository and a user of their own: what is uncommitted in the baseline, and what is pinned, is kept there."""

    root: Path
    user: Path
    digest: str = ""

    def say(self, *arguments: str | Path, columns: int = 100) -> Said:
        folders = {"XDG_CACHE_HOME": str(self.user / "cache"), "XDG_STATE_HOME": str(self.user / "state")}
        return say(*arguments, folder=self.root, environment={"COLUMNS": str(columns), **folders})


def build_baseline_story(sample: Path, folder: Path) -> BaselineStory:
    """A copy of the sample; a snapshot is captured and pinned, then the work goes on."""
    root = folder / "tide-table"
    shutil.copytree(sample, root, symlinks=True)
    begun = BaselineStory(root, folder / "user")
    _write_report(root, _BEFORE)
    captured = begun.say("baseline", "capture", "--json")
    assert captured.code == 0, captured.stderr
    story = BaselineStory(root, begun.user, captured.json["digest"])
    assert story.say("baseline", "pin", story.digest[:12]).code == 0
    _go_on(root)
    return story


def _go_on(root: Path) -> None:
    _write_report(root, _AFTER)
    (root / "handoffs/H-5").mkdir()
    (root / "handoffs/H-5/H-5_RESULTS.md").write_text(_RESULTS, encoding="utf-8")
    module = root / "PKG-UNITS-001/tide_units.py"
    module.write_text(module.read_text(encoding="utf-8").replace("metres", "meters"), encoding="utf-8")
    manifest = json.loads((root / _UNITS).read_text(encoding="utf-8"))
    manifest["version"] = "1.1.0"
    (root / _UNITS).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    (root / "PKG-UNITS-002").mkdir()
    manifest |= {"package_id": "PKG-UNITS-002", "dependencies": ["PKG-UNITS-001"]}
    manifest["assets"] = [{**asset, "path": f"../PKG-UNITS-001/{asset['path']}"} for asset in manifest["assets"]]
    (root / "PKG-UNITS-002/manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _write_report(root: Path, tests: dict[str, str]) -> None:
    cases = "\n".join(f'<testcase classname="units" name="{name}">{inner}</testcase>' for name, inner in tests.items())
    place = root / _REPORT
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"<testsuite>\n{cases}\n</testsuite>\n", encoding="utf-8")
