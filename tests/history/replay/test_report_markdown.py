"""The report for an auditor as Markdown."""

from __future__ import annotations

from handoff_tui.history.replay.report_markdown import render_report_markdown
from tests.support.replays import ENTRY, HOSTILE, build_approval, build_metrics_report, build_replay_report


def test_report_has_headings_tables_and_commands() -> None:
    """Plain Markdown that ends with one newline."""
    text = render_report_markdown(build_replay_report(build_approval()), build_metrics_report())
    assert text.startswith("# Handoff decisions of lamp\n\n| what | value |\n| --- | --- |\n")
    assert "\n## Every entry of the log\n" in text
    assert f"| `{ENTRY}` |" in text
    assert "```sh\n#!/bin/sh\n" in text
    assert text.endswith("|\n")


def test_hostile_texts_are_not_obeyed() -> None:
    """Neither markup nor control characters come through."""
    approval = build_approval().model_copy(update={"reason": HOSTILE, "handoff": HOSTILE})
    text = render_report_markdown(build_replay_report(approval, notes=(HOSTILE,)), build_metrics_report())
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "1&#41;" in text or "alert(1)" in text
