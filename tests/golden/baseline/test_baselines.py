"""What `baseline` and `diff` print, byte for byte, on the sample with a baseline. `make golden` writes it again."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command_line import Said, say
from tests.support.golden import compare_golden

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


HERE = Path(__file__).parent

CALLS = {
    "list.txt": ("baseline", "list"),
    "list.json": ("baseline", "list", "--json"),
    "show.txt": ("baseline", "show", "{digest}"),
    "diff.txt": ("diff",),
    "diff.json": ("diff", "--json"),
    "diff-stat.txt": ("diff", "--stat"),
    "diff-stat.json": ("diff", "--stat", "--json"),
    "diff-file.txt": ("diff", "--side-by-side", "PKG-UNITS-001"),
    "diff-against.txt": ("diff", "--against", "HEAD~3", "--stat"),
    "diff-none.txt": ("diff", "--since", "my-review"),
    "diff.patch": ("diff", "--patch"),
}


@pytest.fixture(scope="module")
def story(sample_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> BaselineStory:
    return build_baseline_story(sample_repository, tmp_path_factory.mktemp("baseline"))


@pytest.mark.parametrize("name", CALLS)
def test_output_is_as_promised(name: str, story: BaselineStory) -> None:
    """Byte for byte, but for the digest of the snapshot, which every new rule changes."""
    said = story.say(*(word.format(digest=story.digest) for word in CALLS[name]))
    assert (said.code, said.stderr) == (0, "")
    actual = said.stdout.replace(story.digest, "<digest>").replace(story.digest[:12], "<-snapshot->")
    compare_golden(HERE / name, actual)


def test_captured_snapshot_is_the_same_each_time(story: BaselineStory) -> None:
    """Neither the place nor the time nor the run before has a say in the digest."""
    once, again = (story.say("baseline", "capture", "--json").json["digest"] for _ in range(2))
    assert once == again != story.digest
