from __future__ import annotations

from handoff_tui.log.policy.reports import InitReport
from handoff_tui.log.setup.page import build_init_json, build_init_page
from tests.support.reviewed import list_lines
from tests.support.trust_reports import GENESIS

REPORT = InitReport(
    repo="/home/ada/lamp",
    log=GENESIS,
    principal="ada@example.org",
    keyid="SHA256:abc",
    key="user.signingkey, /home/ada/.ssh/id_ed25519",
    written=(".handoff-tui/", "handoff-tui.toml"),
    kept=(),
    pin_key="handoff-tui.lamp.pin",
    pinned=False,
    warnings=("git ignores .handoff-tui/ here",),
)


def test_page_says_what_was_done_and_what_comes_next() -> None:
    """The first entry, the pin and the commit, in words that can be pasted."""
    assert list_lines(build_init_page(REPORT)) == [
        "✓ began a signed log; its first entry is",
        f"  {GENESIS}",
        "you         ada@example.org",
        "key         SHA256:abc (user.signingkey, /home/ada/.ssh/id_ed25519)",
        "written     .handoff-tui/",
        "written     handoff-tui.toml",
        "! git ignores .handoff-tui/ here",
        "",
        "Next",
        'git add .handoff-tui handoff-tui.toml && git commit -m "Begin the handoff log"',
        f"git config --global handoff-tui.lamp.pin {GENESIS}",
        "pins it: then no other log can take its place unnoticed, not even in a fresh clone.",
    ]


def test_pinned_log_needs_no_pin() -> None:
    """And settings that were there are said to be kept."""
    report = REPORT.model_copy(update={"pinned": True, "written": (".handoff-tui/",), "kept": ("handoff-tui.toml",)})
    lines = list_lines(build_init_page(report))
    assert "kept        handoff-tui.toml, which already existed" in lines
    assert lines[-2:] == [
        'git add .handoff-tui && git commit -m "Begin the handoff log"',
        "It is pinned in your git configuration, as handoff-tui.lamp.pin.",
    ]


def test_shape_has_every_field() -> None:
    """As scripts are promised."""
    value = build_init_json(REPORT)
    assert value["schema"] == "handoff-tui/init/v1"
    assert set(value) == {"schema", *InitReport.model_fields}
