from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from handoff_tui.git.history import change_times
from handoff_tui.git.history.change_times import read_commit_times, read_disk_times
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def read(builder: RepositoryBuilder, *paths: str, shallow: bool = False) -> dict[str, datetime]:
    return read_commit_times(open_repository(builder.folder).git, paths, shallow=shallow)


def moment(builder: RepositoryBuilder) -> datetime:
    return datetime.fromtimestamp(builder.moment, UTC)


def test_newest_commit_that_touched_a_path_gives_its_time(builder: RepositoryBuilder) -> None:
    """Each path by its own last change; what no commit has is left out."""
    builder.write("a/one.md", "1").write("two.md", "1").commit()
    first = moment(builder)
    builder.write("a/one.md", "2").commit()
    second = moment(builder)
    builder.write("later.md").write("two.md", "1")
    assert read(builder, "a/one.md", "two.md", "later.md", "nowhere.md") == {"a/one.md": second, "two.md": first}


def test_odd_names_are_taken_as_they_are(builder: RepositoryBuilder) -> None:
    """Blanks, quotes, stars and bytes that are no text; a star stands for nothing else."""
    names = ["a b.md", 'c"d.md', "*.md", os.fsdecode(b"\xff.md"), "\n.md"]
    for name in names:
        builder.write(name)
    builder.write("other.md").commit()
    assert read(builder, *names).keys() == set(names)


def test_merge_counts_as_the_change_of_what_it_brings(builder: RepositoryBuilder) -> None:
    """On this line of work the file changed when it was merged."""
    builder.write("one.md", "1").commit().step("checkout", "-q", "-b", "side")
    builder.write("one.md", "2").commit().step("checkout", "-q", "main")
    builder.write("else.md").commit()
    builder.moment += 600
    builder.step("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert read(builder, "one.md") == {"one.md": moment(builder)}


def test_shallow_clone_does_not_guess(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Its oldest commit seems to have made everything; only what came later has a time."""
    builder.write("old.md").commit()
    clone = builder.clone_shallow(tmp_path / "clone")
    clone.write("new.md").commit()
    assert read(clone, "old.md", "new.md", shallow=True).keys() == {"new.md"}


def test_many_paths_are_asked_for_by_their_folders(builder: RepositoryBuilder) -> None:
    """Git compares each change with each path it is given, so two thousand are asked for by few."""
    names = [f"handoffs/H-{number}/results.md" for number in range(200)]
    for name in names:
        builder.write(name)
    builder.commit()
    assert read(builder, *names).keys() == set(names)
    assert change_times._build_scope(set(names)) == ["handoffs"]
    assert change_times._build_scope({f"{number}.md" for number in range(200)}) == ["."]


def test_disk_tells_the_time_of_what_is_in_no_commit(builder: RepositoryBuilder) -> None:
    """By the last write; a link by its own, and what leads out of the repository not at all."""
    builder.write("draft.md").link("link.md", "/etc/passwd")
    os.utime(builder.folder / "draft.md", (1_700_000_000, 1_700_000_000))
    found = read_disk_times(builder.folder, ["draft.md", "link.md", "gone.md", "../secret", "/etc/passwd", "\udcff\0"])
    assert found["draft.md"] == datetime.fromtimestamp(1_700_000_000, UTC)
    assert found.keys() == {"draft.md", "link.md"}
