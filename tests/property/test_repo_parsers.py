from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.git.command import Git
from handoff_tui.git.hardening import build_overrides, parse_config_list
from handoff_tui.git.history.commits import (
    count_commits_since,
    find_last_commit,
    parse_refs,
    read_blobs,
    resolve_commits,
)
from handoff_tui.git.repository import Repository, _parse_facts, open_repository
from handoff_tui.git.work_tree.listing import parse_listing
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder

PATHS = st.binary(min_size=1, max_size=20).filter(lambda path: b"\0" not in path).map(os.fsdecode)
SHA = "a" * 40
NOWHERE = Repository(Path("/r"), Path("/r/.git"), Path("/r/.git"), Git(Path("/r")), shallow=False, object_format="sha1")


def encode(fields: list[str]) -> bytes:
    return b"".join(os.fsencode(field) + b"\0" for field in fields)


@given(
    changed=st.lists(PATHS, max_size=5),
    renamed=st.lists(st.tuples(PATHS, PATHS), max_size=3),
    unmerged=st.lists(PATHS, max_size=3),
    untracked=st.lists(PATHS, max_size=5),
)
def test_status_is_read_back(
    changed: list[str], renamed: list[tuple[str, str]], unmerged: list[str], untracked: list[str]
) -> None:
    """Whatever paths git prints, each is found where it belongs."""
    fields = [f"# branch.oid {SHA}", "# branch.head main", "# branch.upstream origin/main", "# branch.ab +2 -3"]
    fields += [f"1 .M N... 100644 100644 100644 {SHA} {SHA} {path}" for path in changed]
    for path, old in renamed:
        fields += [f"2 R. N... 100644 100644 100644 {SHA} {SHA} R100 {path}", old]
    fields += [f"u UU N... 100644 100644 100644 100644 {SHA} {SHA} {SHA} {path}" for path in unmerged]
    fields += [f"? {path}" for path in untracked]
    facts = _parse_facts(NOWHERE, encode(fields), ("sub",))
    assert set(facts.changed) == {*changed, *unmerged, *(path for pair in renamed for path in pair)}
    assert facts.untracked == tuple(untracked)
    assert (facts.head, facts.branch, facts.ahead, facts.behind, facts.submodules) == (SHA, "main", 2, 3, ("sub",))


@given(st.lists(st.tuples(st.sampled_from(["H", "h", "S", "s"]), st.sampled_from(["100644", "160000"]), PATHS)))
def test_listing_is_read_back(entries: list[tuple[str, str, str]]) -> None:
    """Files are tracked, submodules are listed, and what git must overlook is named, each path once."""
    unique = {path: (tag, mode) for tag, mode, path in entries}
    lines = [f"{tag} {mode} {SHA} 0\t{path}" for path, (tag, mode) in unique.items()]
    tracked, submodules, overlooked = parse_listing(encode(lines))
    assert tracked == {path: SHA for path, (_, mode) in unique.items() if mode == "100644"}
    assert submodules == tuple(path for path, (_, mode) in unique.items() if mode == "160000")
    assert overlooked == tuple(path for path, (tag, _) in unique.items() if tag != "H")


SCOPES = st.sampled_from(["system", "global", "local", "worktree", "command"])
SUBSECTIONS = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=8)
VALUES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.tuples(SCOPES, SUBSECTIONS, VALUES), max_size=8))
def test_config_list_is_read_back_and_disarmed(entries: list[tuple[str, str, str]]) -> None:
    """A filter of any name is overridden when a scope that is not the user's sets it, with the user's value or none."""
    lines = [(scope, f"filter.{name}.clean", value) for scope, name, value in entries]
    output = encode([field for scope, key, value in lines for field in (scope, f"{key}\n{value}")])
    assert parse_config_list(output) == lines
    overrides = dict(build_overrides(lines))
    assert overrides.keys() == {key for scope, key, _ in lines if scope not in {"system", "global"}}
    trusted = {key: value for scope, key, value in lines if scope in {"system", "global"}}
    assert all(value == trusted.get(key, "") for key, value in overrides.items())


@given(st.binary(max_size=60))
def test_config_list_never_raises(output: bytes) -> None:
    """Even what git would never print is read as some list."""
    build_overrides(parse_config_list(output))


@given(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])))
def test_refs_are_read_back(subject: str) -> None:
    """A subject may hold anything but a newline, tabs included."""
    output = os.fsencode(
        f"refs/tags/v1\t{SHA}\ttag\tcommit\t{'b' * 40}\t{subject}\nrefs/heads/m\t{SHA}\tcommit\t\t\tx\n"
    )
    tag, branch = parse_refs(output)
    assert (tag.subject, tag.target, tag.commit) == (subject, SHA, "b" * 40)
    assert branch.commit == SHA


PIECES = st.one_of(
    st.sampled_from(
        ["/", "..", ".", "\0", "link", "out", "circle", "folder", ".git", "a.txt", " ", "\ud800", "x" * 300]
    ),
    st.text(max_size=5),
)


@pytest.fixture(scope="module")
def tangle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with links inside, out, into .git and in a circle."""
    root = tmp_path_factory.mktemp("tangle") / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "a.txt").write_text("inside")
    (root / ".git").mkdir()
    (root / "link").symlink_to("folder")
    (root / "out").symlink_to("..")
    (root / "folder" / "out").symlink_to("/")
    (root / "circle").symlink_to("circle")
    return root


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=6).map("/".join))
@example("out/root/../secret")
def test_reader_never_leaves_its_root(tangle: Path, path: str) -> None:
    """Whatever the path, it is resolved inside the root and outside .git, or refused; reading raises nothing else."""
    reader = FileReader(tangle, 100)
    try:
        resolved = reader.resolve(path)
    except UnsafePathError:
        assert not reader.exists(path)
    else:
        assert resolved.is_relative_to(tangle.resolve())
        assert ".git" not in resolved.relative_to(tangle.resolve()).parts
    with contextlib.suppress(UnsafePathError, FileUnreadableError):
        assert reader.read_bytes(path) == b"inside"


NAMES = st.one_of(
    st.lists(st.sampled_from(["HEAD", "main", "a", "@", "{", "}", "^", "~", ":", "/", "..", "-", "u", "1", "[", "*"]))
    .map("".join),
    st.text(max_size=12),
)  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """The door to a repository with two commits."""
    builder = RepositoryBuilder.init(tmp_path_factory.mktemp("small")).write("a").commit("one").commit("two")
    return open_repository(builder.folder).git


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES, min_size=1, max_size=20))
@example(["@{u}", "@{-1}", "HEAD^{/[}", "HEAD:../a", "commit x", ":/o", "main@{99}", "@{push}", "HEAD:./a"])
def test_names_from_documents_never_spoil_a_batch(small: Git, names: list[str]) -> None:
    """Every name gets an answer, and a good name beside it still gets the right one."""
    commits = resolve_commits(small, [*names, "HEAD"])
    assert commits.keys() == {*names, "HEAD"}
    assert commits["HEAD"] is not None
    assert all(commit is None or len(commit) == 40 for commit in commits.values())
    assert read_blobs(small, [*names, "HEAD:a"], 100)["HEAD:a"] == b"text\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES)
def test_single_names_from_documents_never_raise(small: Git, name: str) -> None:
    """A path or commit that a document names is found or is nothing."""
    assert count_commits_since(small, name) in {None, 0, 1}
    found = find_last_commit(small, name)
    assert found is None or len(found) == 40
