"""What is shown of hooks and diagnoses."""

from __future__ import annotations

import pytest

from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, build_doctor_json, build_doctor_page
from handoff_tui.checks.hooks.hook import HookDeed, HookName, HookReport, HookStep, build_hooks_json, build_hooks_page
from handoff_tui.core.place import Place
from handoff_tui.core.text.page import Line, Page

PLACES = tuple(Place(path=f"f{number}", line=number) for number in range(1, 8))
CI = Diagnosis.ok("ci", "CI runs the checks", PLACES)
PROMPT = Diagnosis.missing("agent-prompt:A.md", "silent", commands=("echo 1",))
TERMINAL = Diagnosis.unknown("terminal", "a pipe", counts=False)
STEPS = (
    HookStep(
        name=HookName.PRE_COMMIT, path="/h/pre-commit", earlier="/h/kept", deed=HookDeed.CHAIN, text="keep\x1b it"
    ),
    HookStep(name=HookName.PRE_PUSH, path="/h/pre-push", earlier=None, deed=HookDeed.NOTHING, text="is up to date"),
)


def build_doctor_report(*diagnoses: Diagnosis) -> DoctorReport:
    return DoctorReport(repo="/r\x1b", version="1", diagnoses=diagnoses)


def build_hook_report(verb: str, *, dry_run: bool = False) -> HookReport:
    notes = ("mind the gap",) if verb == "install" else ()
    return HookReport(repo="/r", folder="/h", shared=False, dry_run=dry_run, verb=verb, steps=STEPS, notes=notes)


def draw(page: Page) -> str:
    return "\n".join("".join(cell.text for cell in part.cells) for part in page.parts if isinstance(part, Line))


@pytest.mark.parametrize(
    ("second", "wired"),
    [
        (Diagnosis.ok("second", "there"), True),
        (PROMPT, False),
        (Diagnosis.unknown("second", "who knows"), False),
        (TERMINAL, True),
    ],
)
def test_repository_is_wired_if_every_part_that_counts_is(second: Diagnosis, *, wired: bool) -> None:
    """A part that can't be told counts against it, unless it doesn't count at all."""
    report = build_doctor_report(CI, second)
    assert build_doctor_json(report)["verdict"] == ("wired" if wired else "not-wired")
    assert draw(build_doctor_page(report)).endswith("The checks are enforced.") is wired


def test_doctor_page_shows_standing_evidence_and_command() -> None:
    """A glyph and a word, places, commands, and a verdict at the end; JSON shortens nothing."""
    report = build_doctor_report(CI, PROMPT, TERMINAL)
    text = draw(build_doctor_page(report))
    for words in ("✓ ok", "✗ missing", "? cannot tell", "f1:1", "$ echo 1", "and 3 more; --all", "1 part missing"):
        assert words in text
    assert "f7:7" in draw(build_doctor_page(report, everything=True))
    assert "\x1b" not in text
    told = build_doctor_json(report)
    assert isinstance(told["diagnoses"], list)
    assert (told["schema"], len(told["diagnoses"][0]["evidence"])) == ("handoff-tui/doctor/v1", 7)


@pytest.mark.parametrize(
    ("verb", "dry_run", "words"),
    [("install", False, "--no-verify"), ("install", True, "dry run"), ("uninstall", True, "dry run")],
)
def test_hooks_page_says_what_was_done_or_would_be(verb: str, words: str, *, dry_run: bool) -> None:
    """One line per hook, and what to know about it."""
    report = build_hook_report(verb, dry_run=dry_run)
    text = draw(build_hooks_page(report))
    for expected in ("pre-commit", "is up to date", words, *report.notes):
        assert expected in text
    assert "\x1b" not in text
    assert ("✓" in text) is not dry_run


def test_hooks_page_after_an_uninstall_says_only_what_was_done() -> None:
    """Nothing is installed any more that could be skipped."""
    assert len(draw(build_hooks_page(build_hook_report("uninstall"))).splitlines()) == len(STEPS)


def test_hooks_json_has_every_step() -> None:
    """The deed and where the earlier hook is kept."""
    told = build_hooks_json(build_hook_report("install"))
    assert told["schema"] == "handoff-tui/hooks/v1"
    assert isinstance(told["steps"], list)
    assert [(step["deed"], step["earlier"]) for step in told["steps"]] == [("chain", "/h/kept"), ("nothing", None)]
