from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.in_process import InProcess
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff\n\n**Status**: done\n\n## Files created\n\n- `a.py`\n\n## Next steps\n\n- go\n"


def test_status_prints_a_page(say: InProcess, builder: RepositoryBuilder) -> None:
    """The repository, its handoffs, what nobody understood."""
    builder.write("HANDOFF.md", NOTE).write("handoff.yaml", "kind: other\n").commit()
    said = say("status", "--repo", builder.folder)
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    assert said.stdout.startswith(f"{builder.folder}\non main · at {builder.head()[:7]}")
    assert "notes/HANDOFF.md" in said.stdout
    assert "handoff.yaml" in said.stdout.partition("Not understood")[2]


def test_status_prints_json(say: InProcess, builder: RepositoryBuilder) -> None:
    """One object, which names its schema."""
    builder.write("HANDOFF.md", NOTE).commit()
    said = say("status", "--repo", builder.folder, "--json")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    assert said.json["schema"] == "handoff-tui/status/v1"
    assert [handoff["id"] for handoff in said.json["handoffs"]] == ["notes/HANDOFF.md"]


def test_status_lists_everything_when_asked(say: InProcess, builder: RepositoryBuilder) -> None:
    """Long lists are cut otherwise, and that is said."""
    for number in range(15):
        builder.write(f"handoff-{number:02}.yaml", "kind: other\n")
    assert "… and 3 more" in say("status", "--repo", builder.folder).stdout
    everything = say("status", "--repo", builder.folder, "--all").stdout
    assert "handoff-14.yaml" in everything
    assert "more; --all" not in everything


def test_status_blocked_or_not_is_a_success(say: InProcess, sample_repository: Path) -> None:
    """To look is not to check: the code is 0 also where everything is blocked."""
    said = say("status", "--repo", sample_repository)
    assert "blocked" in said.stdout
    assert said.code == ExitCode.OK


def test_status_uses_the_repository_around(
    say: InProcess, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a folder deep inside."""
    builder.write("deep/er/a.py")
    monkeypatch.chdir(builder.folder / "deep" / "er")
    assert say("status", "--json").json["repo"] == str(builder.folder)


def test_status_outside_a_repository_is_refused(say: InProcess, tmp_path: Path) -> None:
    """Code 2, with a hint, nothing on stdout."""
    said = say("status", "--repo", tmp_path)
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert "hint:" in said.stderr
