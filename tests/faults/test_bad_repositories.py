"""`status` and `show` on odd repositories: a clear message with a hint, the right code, nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

HANDOFF = "# Handoff\n\n**Status**: in progress\n\n## Next steps\n\n- go on\n"


def with_handoff(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("HANDOFF.md", HANDOFF).commit("one").write("HANDOFF.md", HANDOFF + "- more\n").commit("two")


def make_unborn(builder: RepositoryBuilder, _: Path) -> Path:
    return builder.write("HANDOFF.md", HANDOFF).folder


def make_detached(builder: RepositoryBuilder, _: Path) -> Path:
    return with_handoff(builder).detach().folder


def make_worktree(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(builder).worktree(tmp_path / "linked", "side").folder


def make_shallow(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(builder).clone_shallow(tmp_path / "shallow").folder


def make_submodule(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    library = with_handoff(RepositoryBuilder.init(tmp_path / "library"))
    with_handoff(builder).submodule(library, "library")
    return builder.folder


def make_sha256(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return with_handoff(RepositoryBuilder.init(tmp_path / "sha256", "--object-format=sha256")).folder


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (make_unborn, {"head": None, "branch": "main"}),
        (make_detached, {"branch": None}),
        (make_worktree, {"branch": "side"}),
        (make_shallow, {"branch": "main"}),
        (make_submodule, {"branch": "main"}),
        (make_sha256, {"branch": "main"}),
    ],
)
def test_odd_repository_is_read_and_left_alone(
    builder: RepositoryBuilder,
    tmp_path: Path,
    make: Callable[[RepositoryBuilder, Path], Path],
    expected: dict[str, object],
) -> None:
    """The handoff is found and shown, git's facts are right, and not a byte or time stamp changes."""
    folder = make(builder, tmp_path)
    before = read_fingerprint(tmp_path)
    status = say("status", "--json", "--repo", folder)
    shown = say("show", "notes/HANDOFF.md", "--json", "--repo", folder)
    assert (status.code, shown.code) == (0, 0), status.stderr + shown.stderr
    assert expected.items() <= status.json.items()
    assert [handoff["id"] for handoff in status.json["handoffs"]] == ["notes/HANDOFF.md"]
    assert shown.json["status_claimed"] == "IN_PROGRESS"
    assert compare_fingerprints(before, read_fingerprint(tmp_path)) == []


def make_nothing(_: RepositoryBuilder, tmp_path: Path) -> Path:
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


def make_absent(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return tmp_path / "absent"


def make_bare(_: RepositoryBuilder, tmp_path: Path) -> Path:
    return RepositoryBuilder.init(tmp_path / "bare", "--bare").folder


def make_foreign(builder: RepositoryBuilder, _: Path) -> Path:
    with_handoff(builder)
    for place in (builder.folder, *builder.folder.rglob("*")):
        os.chown(place, 12345, 12345, follow_symlinks=False)
    return builder.folder


def make_stolen(builder: RepositoryBuilder, tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    with_handoff(builder).config("core.worktree", str(tmp_path / "elsewhere"))
    return builder.folder


ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (make_nothing, "is not inside a git repository", "--repo PATH"),
        (make_absent, "is not a folder", "--repo"),
        (make_bare, "bare repository", "Clone it"),
        (make_stolen, "says that its work tree is", "core.worktree"),
        pytest.param(make_foreign, "belongs to another user", "safe.directory", marks=ROOT_ONLY),
    ],
)
@pytest.mark.parametrize("verb", [("status",), ("show", "X"), ()])
def test_unusable_repository_is_refused_with_a_hint(
    builder: RepositoryBuilder,
    tmp_path: Path,
    make: Callable[[RepositoryBuilder, Path], Path],
    message: str,
    hint: str,
    verb: tuple[str, ...],
) -> None:
    """Usage error, a sentence and a way out on stderr, nothing on stdout, nothing written."""
    folder = make(builder, tmp_path)
    before = read_fingerprint(tmp_path)
    said = say(*verb, "--repo", folder) if verb else say("--repo", folder)
    assert (said.code, said.stdout) == (2, "")
    assert message in said.stderr
    assert hint in said.stderr.partition("hint:")[2]
    assert "Traceback" not in said.stderr
    assert compare_fingerprints(before, read_fingerprint(tmp_path)) == []
