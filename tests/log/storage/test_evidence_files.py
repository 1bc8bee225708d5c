"""Stored snapshots and review records, wherever a true copy is."""

from __future__ import annotations

import hashlib

from handoff_tui.git.repository import open_repository
from handoff_tui.log.storage.evidence import BASELINES, REVIEWS, EvidenceFiles
from tests.support.repositories import RepositoryBuilder

CONTENT = b"{}\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PATH = f".handoff-tui/reviews/{DIGEST}.json"


def test_file_is_read_from_the_work_tree(builder: RepositoryBuilder) -> None:
    """By its folder and digest; one that is not there is nothing."""
    builder.write(PATH, CONTENT)
    files = EvidenceFiles(open_repository(builder.folder))
    assert files.build_path(REVIEWS, DIGEST) == PATH
    assert files.read(REVIEWS, DIGEST) == CONTENT
    assert files.read(BASELINES, DIGEST) is None


def test_file_is_read_from_a_branch_when_the_work_tree_has_none(builder: RepositoryBuilder) -> None:
    """Also when the copy in the work tree is false."""
    builder.write(PATH, CONTENT).commit().step("branch", "aside").step("rm", "--quiet", PATH).commit("gone")
    files = EvidenceFiles(open_repository(builder.folder))
    assert files.read(REVIEWS, DIGEST) is None
    assert files.read(REVIEWS, DIGEST, ("refs/heads/main", "refs/heads/aside")) == CONTENT
    builder.write(PATH, "changed")
    assert files.read(REVIEWS, DIGEST, ("refs/heads/aside",)) == CONTENT


def test_false_file_is_no_evidence(builder: RepositoryBuilder) -> None:
    """What does not have the content that its name says is nothing, in the work tree and on branches."""
    builder.write(PATH, "changed").commit()
    assert EvidenceFiles(open_repository(builder.folder)).read(REVIEWS, DIGEST, ("refs/heads/main",)) is None


def test_many_files_are_read_from_wherever_they_are(builder: RepositoryBuilder) -> None:
    """Work tree first, then the refs in their order; what is nowhere, or false, is left out."""
    other = hashlib.sha256(b"[]\n").hexdigest()
    builder.write(PATH, CONTENT).commit().step("rm", "--quiet", PATH)
    builder.write(f".handoff-tui/reviews/{other}.json", b"[]\n").write(f".handoff-tui/reviews/{'0' * 64}.json", "false")
    files = EvidenceFiles(open_repository(builder.folder))
    wanted = sorted((DIGEST, other, "0" * 64, "1" * 64))
    assert dict(files.read_many(REVIEWS, wanted)) == {other: b"[]\n"}
    assert dict(files.read_many(REVIEWS, wanted, (builder.head(), "HEAD"))) == {other: b"[]\n", DIGEST: CONTENT}
