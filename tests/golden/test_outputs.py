"""What the command line prints is a promise: JSON, the transcript, exit codes. `make golden` writes them again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from handoff_tui import __version__
from tests.support.checks_document import build_checks_document
from tests.support.claims_document import build_claims_document
from tests.support.command_line import say
from tests.support.golden import compare_golden

_COMMANDS = (
    ("status",),
    ("show", "H-3"),
    ("show", "mosaic"),
    ("show", "T007"),
    ("check", "--pre", "--except", "briefing-fresh"),
)
_TOOK = re.compile(r" · \d+\.\d s$")
"""How long a rule took, if it was long: the machine was busy."""
_WIDTH = "100"
_SHOWN_AT = "/tmp/sample"  # noqa: S108 - a name in a document, not a file


def build_transcript() -> str:
    """The same text on every machine: the path is replaced, the width is fixed."""
    with tempfile.TemporaryDirectory(prefix="handoff-tui-transcript-") as folder:
        target = Path(folder).resolve() / "sample"
        os.environ["COLUMNS"] = _WIDTH
        built = say("demo", "--dir", target, "--no-open", "--fixed-dates")
        repository = built.stdout.strip()
        parts = [_show(f"handoff-tui demo --dir {_SHOWN_AT} --no-open --fixed-dates", built.stdout)]
        for command in _COMMANDS:
            said = say(*command, folder=Path(repository))
            if said.stderr:
                raise RuntimeError(said.stderr)
            parts.append(_show(f"handoff-tui {' '.join(command)}", said.stdout))
        return _HEADING + "\n".join(parts).replace(str(target), _SHOWN_AT)


def _show(command: str, output: str) -> str:
    lines = "\n".join(_TOOK.sub("", line.rstrip()) for line in output.rstrip("\n").split("\n"))
    return f"```console\n$ {command}\n{lines}\n```\n"


_HEADING = """\
# A session with the sample repository

Written by `make golden`; a test fails when it is stale. The sample is built again, with the same commit ids each time.

"""


HERE = Path(__file__).parent
ROOT = HERE.parents[1]

CALLS = {
    "status.json": ("status", "--json"),
    "show-h-3.json": ("show", "H-3", "--json"),
    "show-mosaic.json": ("show", "mosaic", "--json"),
    "show-t007.json": ("show", "T007", "--json"),
    "show-tdd-2.json": ("show", "TDD-2", "--json"),
    "help.txt": ("--help",),
    "status-help.txt": ("status", "--help"),
    "show-help.txt": ("show", "--help"),
    "demo-help.txt": ("demo", "--help"),
    "config-help.txt": ("config", "--help"),
    "diff-help.txt": ("diff", "--help"),
    "coverage-help.txt": ("coverage", "--help"),
    "baseline-help.txt": ("baseline", "--help"),
    "baseline-pin-help.txt": ("baseline", "pin", "--help"),
    "step-help.txt": ("step", "--help"),
    "rollback-help.txt": ("rollback", "--help"),
    "agents-help.txt": ("agents", "--help"),
    "unlock-help.txt": ("unlock", "--help"),
    "completion.bash": ("completion", "bash"),
    "completion.zsh": ("completion", "zsh"),
    "completion.fish": ("completion", "fish"),
}


@pytest.mark.parametrize("name", CALLS)
def test_output_is_as_promised(name: str, sample_repository: Path) -> None:
    """Byte for byte, but for the folder the sample was built in."""
    if name.endswith("help.txt") and sys.version_info[:2] != (3, 11):
        pytest.skip("argparse lays help out differently in each Python; the expected text is that of 3.11")
    said = say(*CALLS[name], folder=sample_repository, environment={"COLUMNS": "100"})
    assert (said.code, said.stderr) == (0, "")
    compare_golden(HERE / name, said.stdout.replace(str(sample_repository), "/sample"))


def test_transcript_is_fresh() -> None:
    """docs/transcript.md shows what is printed now."""
    compare_golden(ROOT / "docs" / "transcript.md", build_transcript())


def test_table_of_checks_is_fresh() -> None:
    """docs/checks.md lists every rule as it is."""
    compare_golden(ROOT / "docs" / "checks.md", build_checks_document())


def test_table_of_sentences_is_fresh() -> None:
    """docs/claims.md shows what is read in each sentence now."""
    compare_golden(ROOT / "docs" / "claims.md", build_claims_document())


def test_version_is_printed() -> None:
    """One line, code 0."""
    said = say("--version")
    assert (said.code, said.stdout) == (0, f"handoff-tui {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats",), "there is no verb"),
        (("show",), "required"),
        (("show", "H-33"), "no handoff has the id 'H-33'"),
        (("status", "--jsno"), "unrecognized arguments"),
        (("config",), "required"),
        (("demo", "--dir", "."), "not empty"),
        (("diff", "--patch", "--json"), "exact patch"),
        (("diff", "--stat"), "no baseline"),
        (("diff", "--since", "attempt"), "needs a handoff"),
        (("diff", "--context", "some"), "not a number of lines"),
        (("diff", "--against", "HEAD~1", "nothing/*.such"), "no changed file matches"),
        (("baseline", "pin"), "name a snapshot, or use --none"),
        (("baseline", "show", "123"), "isn't the start of a digest"),
    ],
)
def test_wrong_call_is_a_usage_error(arguments: tuple[str, ...], words: str, sample_repository: Path) -> None:
    """Code 2, nothing on stdout, and a hint."""
    said = say(*arguments, folder=sample_repository)
    assert (said.code, said.stdout) == (2, "")
    assert words in said.stderr
    assert "hint:" in said.stderr


def test_near_id_is_suggested(sample_repository: Path) -> None:
    """A typing error is answered with the ids that were probably meant."""
    assert "H-3" in say("show", "H-33", folder=sample_repository).stderr.partition("hint:")[2]


def test_original_name_finds_the_handoff(sample_repository: Path) -> None:
    """The name in the files and another case lead to the same handoff."""
    by_id = say("show", "H-1", "--json", folder=sample_repository).json
    for name in ("h-1", by_id["original_name"]):
        assert say("show", name, "--json", folder=sample_repository).json["id"] == "H-1"


def test_reader_that_leaves_early_is_no_failure(sample_repository: Path) -> None:
    """`| head -1` ends quietly."""
    for more in ((), ("--json",)):
        argv = [sys.executable, "-m", "handoff_tui", "status", "--repo", str(sample_repository), *more]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.close()
        assert (process.communicate()[1], process.returncode) == (b"", 0)


def test_fault_of_ours_leaves_a_report(tmp_path: Path) -> None:
    """Code 70, a file named on stderr, no traceback on the terminal."""
    (tmp_path / "sitecustomize.py").write_text(
        "import handoff_tui.checks.run.output_cache as cache\ncache.open_repository = lambda start: 1 / 0\n",
        encoding="utf-8",
    )
    said = say("status", environment={"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)})
    assert said.code == 70
    assert "Traceback" not in said.stderr
    [report] = tmp_path.glob("handoff-tui-report-*.txt")
    assert str(report) in said.stderr
    assert "ZeroDivisionError" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1", "FORCE_COLOR": "1"}, {}])
def test_no_colour_where_none_is_wanted(environment: dict[str, str], sample_repository: Path) -> None:
    """A pipe, or NO_COLOR, gets no colour codes."""
    said = say("status", folder=sample_repository, environment=environment)
    assert "\x1b[3" not in said.stdout


def test_colour_where_the_terminal_asks_for_it(sample_repository: Path) -> None:
    """Colour is there when asked for, so the test above can fail."""
    assert "\x1b[" in say("status", folder=sample_repository, environment={"FORCE_COLOR": "1"}).stdout
