"""The page of what was done to the hooks."""

from __future__ import annotations

import pytest

from handoff_tui.checks.hooks.hook import HookDeed, HookName, HookReport, HookStep
from handoff_tui.checks.hooks.hooks_page import build_hooks_json, build_hooks_page
from handoff_tui.core.text.page import Line

STEPS = (
    HookStep(
        name=HookName.PRE_COMMIT, path="/h/pre-commit", earlier="/h/kept", deed=HookDeed.CHAIN, text="keep\x1b it"
    ),
    HookStep(name=HookName.PRE_PUSH, path="/h/pre-push", earlier=None, deed=HookDeed.NOTHING, text="is up to date"),
)


def draw(report: HookReport) -> str:
    parts = build_hooks_page(report).parts
    return "\n".join("".join(cell.text for cell in part.cells) for part in parts if isinstance(part, Line))


@pytest.mark.parametrize(
    ("verb", "dry_run", "words"),
    [("install", False, "--no-verify"), ("install", True, "dry run"), ("uninstall", True, "dry run")],
)
def test_page_says_what_was_done_or_would_be(verb: str, words: str, *, dry_run: bool) -> None:
    """One line a hook, and what to know about it."""
    report = HookReport(
        repo="/r", folder="/h", shared=False, dry_run=dry_run, verb=verb, steps=STEPS, notes=("mind the gap",)
    )
    text = draw(report)
    for expected in ("pre-commit", "is up to date", "mind the gap", words):
        assert expected in text
    assert "\x1b" not in text
    assert ("✓" in text) is not dry_run


def test_page_after_an_uninstall_says_only_what_was_done() -> None:
    """Nothing is installed any more that could be skipped."""
    report = HookReport(repo="/r", folder="/h", shared=False, dry_run=False, verb="uninstall", steps=STEPS)
    assert len(draw(report).splitlines()) == len(STEPS)


def test_json_has_every_step() -> None:
    """The deed and where the earlier hook is kept."""
    report = HookReport(repo="/r", folder="/h", shared=False, dry_run=False, verb="install", steps=STEPS)
    told = build_hooks_json(report)
    assert told["schema"] == "handoff-tui/hooks/v1"
    steps = told["steps"]
    assert isinstance(steps, list)
    assert [(step["deed"], step["earlier"]) for step in steps] == [("chain", "/h/kept"), ("nothing", None)]
