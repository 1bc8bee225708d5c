"""What is told about the sample's log: metrics in three forms, approvals judged again, the report for an auditor.

`make golden` writes it again.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.cli.demo.demo import build_demo
from handoff_tui.cli.output import render_json, render_page
from handoff_tui.handoffs.session import load_terminal_theme, open_session
from handoff_tui.history.metrics.definitions import ALL, DayWindow
from handoff_tui.history.metrics.metrics import read_metrics
from handoff_tui.history.metrics.page import build_metrics_json, build_metrics_page, render_metrics_csv
from handoff_tui.history.replay.audit import render_report_markdown
from handoff_tui.history.replay.page import ReplayReport, build_replay_json, build_replay_page
from handoff_tui.history.replay.replay import replay
from handoff_tui.log.open_log import open_log
from tests.support.command_line import InProcess
from tests.support.golden import compare_golden

HERE = Path(__file__).parent
NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
WIDTH = 80


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with its log, built once and only looked at."""
    return build_demo(tmp_path_factory.mktemp("figures") / "sample")


def name_entries(text: str, report: ReplayReport) -> str:
    """Digests rest on every rule there is, so that a new one changes them all: entries are named by their place."""
    for number, row in enumerate(report.entries, start=1):
        digest = row.id.removeprefix("sha256:")
        text = text.replace(row.id, f"<entry {number}>").replace(digest[:12], f"<entry--{number}>")
    for approval in report.approvals:
        for name, digest in (("snapshot", approval.snapshot), ("review", approval.review)):
            text = text.replace(digest, f"<{name}>").replace(digest[:12], f"<{name}>")
    return re.sub(r"(?m) +$", "", text)


def test_everything_told_of_the_sample_is_as_promised(demo: Path) -> None:
    """Byte for byte, but for digests and the folder the sample was built in."""
    desk = open_session(demo)
    log = open_log(desk.repository, remembered=False)
    metrics, judged = read_metrics(desk, log, DayWindow(), lambda: NOW), replay(desk, log, now=lambda: NOW)
    theme = load_terminal_theme()
    told = {
        "metrics.txt": render_page(build_metrics_page(metrics), theme, WIDTH),
        "metrics.json": render_json(build_metrics_json(metrics)),
        "metrics.csv": render_metrics_csv(metrics),
        "replay.txt": render_page(build_replay_page(judged, everything=True), theme, WIDTH),
        "replay.json": render_json(build_replay_json(judged)),
        "report.md": render_report_markdown(judged, metrics),
    }
    for name, text in told.items():
        actual = name_entries(text.replace(str(demo), "/sample"), judged)
        compare_golden(HERE / name, actual)


@pytest.mark.parametrize("words", [("metrics",), ("export",), ("log", "replay")], ids="-".join)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse lays help out differently in each Python")
def test_help_is_as_promised(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With examples, at a hundred columns."""
    monkeypatch.setenv("COLUMNS", "100")
    said = InProcess(capsys)(*words, "--help")
    assert said.code == 0
    compare_golden(HERE / f"{'-'.join(words)}-help.txt", said.stdout)


def test_document_defines_every_figure() -> None:
    """docs/metrics.md has each by its name, and none that there is not."""
    text = (HERE.parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `") and "handoff-tui" not in line]
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row.split(" | ")[0])}
    assert named == {definition.id for definition, _ in ALL}
