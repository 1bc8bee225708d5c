"""The sample story itself: what it says of its commits, hashes and tests is so."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.cli.demo.story import BuiltStory, build_story, load_story
from handoff_tui.system.installation import find_resource
from tests.support.repositories import RepositoryBuilder

_HEAD = "566724c3b2f71ebfac10430f32d5256a3667347a"
_TEST_RUN = re.compile(r"Ran (\d+) tests? in .*\n\n(?:OK|FAILED)(?: \((.*)\))?")
_HASHED_LINE = re.compile(r"`(PKG-[^`]+)` \(SHA256: ([0-9a-f]{64})\)")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> BuiltStory:
    """The sample, built once and only looked at."""
    return build_story(find_resource("sample_repo"), tmp_path_factory.mktemp("demo") / "sample")


@pytest.fixture(scope="module")
def commits(sample: BuiltStory) -> dict[str, str]:
    """Commit ids by the names of their steps."""
    ids = RepositoryBuilder(sample.repository).git("rev-list", "--reverse", "HEAD").split("\n")
    names = [step.name for step in load_story(find_resource("sample_repo")).steps]
    return dict(zip(names, ids, strict=True))


@pytest.fixture(scope="module")
def clone(sample: BuiltStory, tmp_path_factory: pytest.TempPathFactory) -> RepositoryBuilder:
    """A clone in which each step is checked out in turn."""
    clone = RepositoryBuilder.init(tmp_path_factory.mktemp("clone") / "clone")
    clone.git("fetch", "--quiet", str(sample.repository), "main")
    return clone


def run_tests(folder: Path) -> tuple[int, dict[str, int]]:
    """The sample's own tests in a folder: how many ran, and how many of them were not plain passes."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"], cwd=folder, capture_output=True, text=True, check=False, timeout=150
    )
    match = _TEST_RUN.search(done.stderr)
    assert match is not None, done.stderr
    pairs = (pair.split("=") for pair in (match.group(2) or "").split(", ") if pair)
    return int(match.group(1)), {name: int(number) for name, number in pairs}


def read_at(sample: BuiltStory, commit: str, path: str) -> bytes:
    """A file as it was at a commit."""
    return RepositoryBuilder(sample.repository).git("cat-file", "blob", f"{commit}:{path}").encode() + b"\n"


def read_manifest_verdicts(folder: Path) -> dict[str, bool]:
    """Every asset of every manifest, and whether its hash is true now."""
    verdicts: dict[str, bool] = {}
    for manifest in sorted(folder.glob("PKG-*/manifest.json")):
        for asset in json.loads(manifest.read_text())["assets"]:
            place = manifest.parent / asset["path"]
            measured = "sha256:" + hashlib.sha256(place.read_bytes()).hexdigest()
            verdicts[place.relative_to(folder).as_posix()] = measured == asset["sha256"]
    return verdicts


def test_sample_has_the_same_head_on_every_machine(sample: BuiltStory) -> None:
    """The last commit has the id that it has everywhere; a change of the story changes it here."""
    assert sample.head == _HEAD


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("03-h1-units", (14, {})),
        ("04-h1-followup", (16, {})),
        ("09-h2-harmonics", (26, {})),
        ("11-cleanup-1", (22, {})),
        ("13-h3-attempt-1", (32, {"failures": 2})),
        ("15-h3-attempt-2", (33, {})),
        ("17-tdd-1-red", (34, {"errors": 1})),
        ("18-tdd-1-green", (34, {})),
        ("20-fmwk-002", (31, {"skipped": 2})),
        ("23-hub-qa-sec", (37, {"skipped": 2})),
        ("28-tdd-2-green", (38, {"failures": 1, "skipped": 2})),
    ],
)
def test_sample_tests_do_what_the_story_says(
    clone: RepositoryBuilder, commits: dict[str, str], step: str, expected: tuple[int, dict[str, int]]
) -> None:
    """At each handoff's commit the sample's own tests give the true numbers."""
    clone.git("checkout", "--quiet", commits[step])
    assert run_tests(clone.folder) == expected


@pytest.mark.parametrize(
    ("step", "path", "files"),
    [
        ("03-h1-units", "handoffs/RESULTS_HANDOFF_1.md", 3),
        ("09-h2-harmonics", "handoffs/H-2/H-2_RESULTS.md", 3),
        ("15-h3-attempt-2", "handoffs/H-3/H-3_RESULTS.md", 4),
    ],
)
def test_sample_good_results_quote_true_hashes(
    sample: BuiltStory, commits: dict[str, str], step: str, path: str, files: int
) -> None:
    """Every hash in the results of a good handoff is that of the file at its commit."""
    quoted = _HASHED_LINE.findall(read_at(sample, commits[step], path).decode())
    assert len(quoted) == files
    for asset, digest in quoted:
        assert hashlib.sha256(read_at(sample, commits[step], asset)).hexdigest() == digest, asset


def test_sample_manifests_are_true_but_for_the_planted_ones(sample: BuiltStory) -> None:
    """Only the false hash of the tide table, and the test files changed behind their manifests' backs, disagree."""
    wrong = sorted(path for path, holds in read_manifest_verdicts(sample.repository).items() if not holds)
    assert wrong == [
        "PKG-STATIONS-001/test_tide_stations.py",
        "PKG-TABLE-001/test_tide_table.py",
        "PKG-TABLE-001/tide_table.py",
    ]


def test_sample_session_gate_passes(sample: BuiltStory) -> None:
    """The session gate is executable and lets the session go on."""
    gate = sample.repository / ".mosaic" / "enforcement" / "session-gate.sh"
    assert os.access(gate, os.X_OK)
    assert subprocess.run([str(gate)], capture_output=True, text=True, check=True).stdout == "session gate: pass\n"


def test_sample_has_unpushed_work_and_loose_changes(sample: BuiltStory) -> None:
    """Three commits are not pushed, nor are the notes; one file is modified, one untracked."""
    repository = RepositoryBuilder(sample.repository)
    assert repository.git("rev-list", "--count", "origin/main..main") == "3"
    assert repository.git("status", "--porcelain", "-uall") == " M docs/operations.md\n?? scratch/tide_probe.py"
    assert RepositoryBuilder(sample.remote).git("for-each-ref", "refs/notes") == ""


def test_sample_is_sound_to_git(sample: BuiltStory) -> None:
    """git finds nothing wrong with any object of repository and remote."""
    for folder in (sample.repository, sample.remote):
        assert RepositoryBuilder(folder).git("fsck", "--strict", "--no-dangling") == ""


def test_sample_notes_tell_both_cycles(sample: BuiltStory, commits: dict[str, str]) -> None:
    """The notes walk through cycle 1 and end with a second cycle that is stuck after two retries."""
    repository = RepositoryBuilder(sample.repository)
    told = []
    for step, commit in commits.items():
        if "tdd" in step:
            note = json.loads(repository.git("notes", "--ref=refs/notes/tdd-handoffs", "show", commit))
            told.append((note["cycleNumber"], note["phase"], note["nextPhase"], note["retryCount"]))
    assert told == [
        (1, "PLAN", "RED", 0),
        (1, "RED", "GREEN", 0),
        (1, "GREEN", "REFACTOR", 0),
        (1, "REFACTOR", "PLAN", 0),
        (2, "PLAN", "RED", 0),
        (2, "RED", "GREEN", 0),
        (2, "GREEN", "GREEN", 2),
    ]


def test_sample_false_commits_are_false(sample: BuiltStory) -> None:
    """The commits that bad handoffs name are in no repository of the story."""
    repository = RepositoryBuilder(sample.repository)
    for planted in ("5ad1e77", "4e7d20b"):
        assert repository.git("rev-parse", f"--disambiguate={planted}") == ""
