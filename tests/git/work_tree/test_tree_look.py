from __future__ import annotations

from handoff_tui.git.work_tree.capture import PendingPath, TreeStatus, parse_tree_status

ID = "a" * 40


def test_look_tells_what_is_pending_and_what_is_staged() -> None:
    """Work tree against index, index against HEAD; folders that are repositories lose their slash."""
    lines = [
        f"# branch.oid {ID}",
        "# branch.head main",
        "# branch.upstream origin/main",
        f"1 M. N... 100644 100644 100644 {ID} {ID} staged only",
        f"1 MM N... 100644 100644 100644 {ID} {ID} both",
        f"1 .D N... 100644 100644 000000 {ID} {ID} gone",
        f"u UU N... 100644 100644 100644 100644 {ID} {ID} {ID} in conflict",
        "? new file",
        "? nested/",
        "! build/",
        "! a.log",
    ]
    assert parse_tree_status("\0".join([*lines, ""]).encode()) == TreeStatus(
        commit=ID,
        branch="main",
        upstream="origin/main",
        pending=(
            PendingPath("both"),
            PendingPath("gone", deleted=True),
            PendingPath("in conflict", unmerged=True),
            PendingPath("new file", untracked=True),
            PendingPath("nested", untracked=True),
        ),
        staged=("staged only", "both"),
        ignored=("a.log", "build/"),
    )


def test_look_without_a_commit_or_a_branch_has_none() -> None:
    """An unborn branch has no commit, a detached HEAD no branch."""
    look = parse_tree_status(b"# branch.oid (initial)\0# branch.head (detached)\0")
    assert (look.commit, look.branch, look.upstream, look.pending) == (None, None, None, ())
