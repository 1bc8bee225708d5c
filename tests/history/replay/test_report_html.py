"""The report for an auditor as one HTML file."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from handoff_tui.history.replay.report_html import POLICY, STYLE, render_report_html
from tests.support.replays import ENTRY, HOSTILE, build_approval, build_metrics_report, build_replay_report


class Seen(HTMLParser):
    """Every tag and attribute of a document, and whether each tag is closed."""

    VOID = frozenset({"meta"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str | None]] = {}
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def hostile() -> str:
    approval = build_approval().model_copy(
        update={"reason": HOSTILE, "handoff": HOSTILE, "actor": '" onload="x', "phase": "</table>"}
    )
    return render_report_html(build_replay_report(approval, notes=(HOSTILE,)), build_metrics_report())


def test_report_is_well_formed_and_says_everything() -> None:
    """Every tag is closed; the entries are in it."""
    text = render_report_html(build_replay_report(build_approval()), build_metrics_report())
    assert Seen(text).open == []
    assert text.startswith("<!doctype html>\n")
    assert f"<code>{ENTRY}</code>" in text
    assert "<h2>Every entry of the log</h2>" in text


def test_report_needs_nothing_from_elsewhere(hostile: str) -> None:
    """No script, link, picture, frame or form; no attribute that could load or run anything."""
    seen = Seen(hostile)
    usual = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "pre", "code"}
    assert seen.tags <= usual | {"table", "thead", "tbody", "tr", "th", "td"}
    assert set(seen.attributes) <= {"lang", "charset", "http-equiv", "content", "name"}
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_browser_is_told_to_allow_the_one_style_only(hostile: str) -> None:
    """The policy stands before the style, and names it by its hash."""
    [style] = re.findall(r"<style>(.*?)</style>", hostile, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in POLICY
    assert POLICY.startswith("default-src 'none';")
    assert "unsafe" not in POLICY
    assert POLICY in Seen(hostile).attributes["content"]
    assert hostile.index("Content-Security-Policy") < hostile.index("<style>")


def test_hostile_texts_are_shown_and_not_obeyed(hostile: str) -> None:
    """What would be markup is text; control characters are visible."""
    assert Seen(hostile).open == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in hostile
    assert "&quot; onload=&quot;x" in hostile
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile
