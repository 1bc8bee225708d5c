from __future__ import annotations

import pytest

from handoff_tui.checks.world import Change
from handoff_tui.git.history.changes import read_changes
from handoff_tui.live.feed.following import follow
from handoff_tui.live.feed.live_checks import StandingAnswers, patch_changes
from handoff_tui.live.feed.notices import Notices
from handoff_tui.live.feed.snapshot import Patch, Scene, read_scene
from tests.support.live_desks import build_work
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    return build_work(builder, handoffs=1)


def save(work: RepositoryBuilder, scene: Scene, path: str, text: str) -> tuple[Scene, Patch]:
    work.write(path, text)
    now = follow(work.folder, scene, Notices(frozenset({path})))
    patch = now.find_patch(scene.version)
    assert patch is not None
    return now, patch


def list_changes(scene: Scene, baseline: str) -> tuple[Change, ...]:
    """As the world answers, without a memory."""
    tracked = (Change(*change) for change in read_changes(scene.desk.repository.git, baseline))
    return (*tracked, *(Change("A", path) for path in scene.desk.work_tree.facts.untracked))


def test_answers_about_other_files_hold(work: RepositoryBuilder) -> None:
    """Those about the saved one, what is above it, and the state of the tree do not."""
    before = read_scene(work.folder, 1)
    now, patch = save(work, before, "src/part.py", "value = 2\n")
    answers = StandingAnswers(before, now, patch, {})
    held = [("file", "src/other.py"), ("exists", "README.md"), ("commit", "abc"), ("paths", ""), ("handoff", "H-1")]
    held += [("handoff-ids", ""), ("problems", ""), ("find", "docs/a.md\0src/other.py"), ("setting", "mosaic.folder")]
    assert [question for question in held if not answers.holds(*question)] == []
    lost = [
        ("file", "src/part.py"),
        ("exists", "src"),
        ("facts", ""),
        ("now", ""),
        ("changes", ""),
        ("verdicts", "H-1"),
    ]
    assert [question for question in lost if answers.holds(*question)] == []


def test_answers_about_paths_fall_when_a_file_comes(work: RepositoryBuilder) -> None:
    """Who looked for a file may find another one now."""
    before = read_scene(work.folder, 1)
    now, patch = save(work, before, "src/new.py", "value = 2\n")
    answers = StandingAnswers(before, now, patch, {})
    assert not answers.holds("paths", "")
    assert not answers.holds("find", "docs/a.md\0src/other.py")
    assert answers.holds("file", "src/other.py")


def test_file_behind_a_link_is_asked_again(work: RepositoryBuilder) -> None:
    """It may be the saved one under another name."""
    work.link("alias.py", "src/part.py").commit()
    before = read_scene(work.folder, 1)
    now, patch = save(work, before, "src/part.py", "value = 2\n")
    answers = StandingAnswers(before, now, patch, {})
    assert not answers.holds("file", "alias.py")


def test_changes_since_the_baseline_are_patched(work: RepositoryBuilder) -> None:
    """Or nothing, where only git can tell; what is said is always what git says."""
    baseline = work.head()
    work.write("src/other.py", "value = 3\n").write("src/added.py", "value = 4\n").commit("since")
    work.write("loose.txt", "untracked\n")
    scene = read_scene(work.folder, 1)
    known = list_changes(scene, baseline)
    settled = 0
    for path, text in (
        ("src/part.py", "value = 5\n"),
        ("src/part.py", "value = 6\n"),
        ("src/other.py", "value = 7\n"),
        ("src/other.py", "value = 2\n"),
        ("src/added.py", "value = 8\n"),
        ("loose.txt", "still untracked\n"),
        ("src/part.py", "value = 1\n"),
        ("another.txt", "new\n"),
    ):
        now, patch = save(work, scene, path, text)
        patched = patch_changes(known, baseline, scene, now, patch)
        told = list_changes(now, baseline)
        assert patched in {None, told}, path
        settled += patched is not None
        scene, known = now, told
    assert settled >= 4


def test_without_a_baseline_nothing_has_changed(work: RepositoryBuilder) -> None:
    """There is nothing to compare with."""
    before = read_scene(work.folder, 1)
    now, patch = save(work, before, "src/part.py", "value = 2\n")
    assert patch_changes((), None, before, now, patch) == ()
