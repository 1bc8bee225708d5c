from __future__ import annotations

from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.handoffs.formats.registry import DIALECTS
from tests.support.in_process import InProcess
from tests.support.pictures import build_png
from tests.support.repositories import RepositoryBuilder

FILES = "\n".join(f"- `file-{number:02}.py`" for number in range(12))
NOTE = f"# Handoff\n\n**Status**: done\n\n## Files created\n\n{FILES}\n\n## Next steps\n\n- go\n"


def test_show_prints_a_page(say: InProcess, builder: RepositoryBuilder) -> None:
    """The handoff, and each false claim beside what was measured."""
    builder.write("HANDOFF.md", NOTE).commit()
    said = say("show", "notes/HANDOFF.md", "--repo", builder.folder)
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    assert said.stdout.startswith("notes/HANDOFF.md")
    assert said.stdout.count("✗ contradicted") == 12


def test_show_prints_json(say: InProcess, builder: RepositoryBuilder) -> None:
    """One object, which names its schema; options may stand before the id."""
    builder.write("HANDOFF.md", NOTE).commit()
    said = say("show", "--json", "--repo", builder.folder, "notes/HANDOFF.md")
    assert (said.code, said.stderr) == (ExitCode.OK, "")
    assert (said.json["schema"], said.json["id"]) == ("handoff-tui/show/v1", "notes/HANDOFF.md")
    assert {claim["verdict"] for claim in said.json["claims"] if claim["kind"] == "file-created"} == {"contradicted"}


def test_show_lists_everything_when_asked(say: InProcess, builder: RepositoryBuilder) -> None:
    """Claims that hold are cut otherwise, and that is said."""
    builder.write("HANDOFF.md", NOTE)
    for number in range(12):
        builder.write(f"file-{number:02}.py")
    builder.commit()
    short = say("show", "notes/HANDOFF.md", "--repo", builder.folder).stdout
    whole = say("show", "notes/HANDOFF.md", "--repo", builder.folder, "--all").stdout
    assert "--all shows them" in short
    assert short.count("✓ holds") < whole.count("✓ holds") == 12


def test_show_works_for_every_format(say: InProcess, sample_repository: Path) -> None:
    """One handoff of each can be shown by the id that is listed."""
    handoffs = say("status", "--json", "--repo", sample_repository).json["handoffs"]
    one_of_each = {handoff["dialect"]: handoff["id"] for handoff in handoffs}
    assert set(one_of_each) == {dialect.id for dialect in DIALECTS}
    for name in one_of_each.values():
        said = say("show", name, "--repo", sample_repository)
        assert (said.code, said.stderr) == (ExitCode.OK, ""), name
        assert said.stdout.startswith(name)


def test_show_of_an_unknown_id_is_refused(say: InProcess, builder: RepositoryBuilder) -> None:
    """Code 2, with the ids that may have been meant, nothing on stdout."""
    builder.write("HANDOFF.md", NOTE)
    said = say("show", "notes/HANDOF.md", "--repo", builder.folder)
    assert (said.code, said.stdout) == (ExitCode.USAGE, "")
    assert "notes/HANDOFF.md" in said.stderr.partition("hint:")[2]


def test_show_draws_screenshots_among_the_proofs(say: InProcess, builder: RepositoryBuilder) -> None:
    """A PNG as half blocks; one that cannot be read is said to be so, and the rest is still shown."""
    context = "# Handoff Context\nRun ID: 1 | Project: Lamp | Task: T021\n\n## Current Task: T021\n**Title**: Lamp\n"
    builder.write("hub/HANDOFF_1_T021.md", f"{context}\n## Pipeline Position\n- **Your Role**: QA\n")
    builder.write("proofs/T021/run-1/screen.png", build_png(4, 4, [bytes((255, 0, 0)) * 4] * 4))
    builder.write("proofs/T021/run-1/torn.png", b"no picture").commit()
    said = say("show", "T021", "--proofs", "--repo", builder.folder)
    assert said.code == ExitCode.OK
    assert "▀▀▀▀" in said.stdout
    assert "torn.png cannot be drawn" in said.stderr
    rows = say("show", "T021", "--proofs", "--json", "--repo", builder.folder).json["proofs"]
    assert {row["path"] for row in rows} == {"proofs/T021/run-1/screen.png", "proofs/T021/run-1/torn.png"}
