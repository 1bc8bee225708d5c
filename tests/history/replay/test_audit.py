"""What a report for an auditor says, in which order."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoreWriteError
from handoff_tui.history.metrics.definitions import DayWindow
from handoff_tui.history.replay.audit import (
    POLICY,
    STYLE,
    CommandBlock,
    ReportSection,
    ReportTable,
    build_report_sections,
    read_audit_at,
    render_report_html,
    render_report_markdown,
    write_report,
)
from handoff_tui.history.replay.page import OtherDecision, ReplayVerdict
from handoff_tui.log.show.entries import read_script
from tests.support.replays import (
    ENTRY,
    HOSTILE,
    OTHER,
    ReplayStory,
    build_approval,
    build_metrics_report,
    build_replay_report,
)
from tests.support.repositories import RepositoryBuilder

BY_HAND = Path(__file__).resolve().parents[3] / "docs" / "verify-by-hand.md"


def find(sections: list[ReportSection], title: str) -> ReportSection:
    return next(section for section in sections if section.title.startswith(title))


def build(*standings: ReplayVerdict) -> list[ReportSection]:
    approvals = [build_approval(rules=standing) for standing in standings]
    return build_report_sections(build_replay_report(*approvals), build_metrics_report())


def test_report_begins_with_the_summary_and_how_to_verify() -> None:
    """The name of the repository and not its place on this machine; the pin in the command."""
    sections = build(ReplayVerdict.FAILS)
    assert [section.title for section in sections][:3] == [
        "Handoff decisions of lamp",
        "How to verify this",
        "Without handoff-tui",
    ]
    assert "/home/ada" not in str(sections)
    assert any(f"--pin {OTHER}" in line for line in _list_code(find(sections, "How to verify")))


def test_script_is_the_one_of_the_documents() -> None:
    """An auditor can compare it with docs/verify-by-hand.md."""
    code = "\n".join(_list_code(find(build(), "Without"))) + "\n"
    assert read_script() in code
    assert read_script() in BY_HAND.read_text(encoding="utf-8")


def test_refused_entry_is_announced_as_bad_by_the_script() -> None:
    """With its reason; where none is refused, no line may be bad."""
    words = str(find(build(), "Without"))
    assert "cdcdcdcdcdcd (the signature does not fit)" in words
    assert "may show as BAD" in words
    clean = build_report_sections(build_replay_report(entries=()), build_metrics_report())
    assert "No line should start with BAD" in str(find(clean, "Without"))


def test_reasons_of_what_was_sent_back_are_told() -> None:
    """And where nothing was, that."""
    back = OtherDecision(
        entry=OTHER, verb="reject", actor="bob", time="T", handoff="H-1", phase="build", attempt=2, reason="no tests"
    )
    [table] = find(
        build_report_sections(build_replay_report(others=(back,)), build_metrics_report()), "Sent back"
    ).parts
    assert isinstance(table, ReportTable)
    assert table.rows == (("T", "bob", "reject", "H-1 · build · 2", "no tests", OTHER),)
    assert "Nothing was sent back" in str(find(build(), "Sent back"))


def test_withdrawn_approval_names_what_took_it_back() -> None:
    """Its questions are not asked."""
    taken_back = build_approval().model_copy(update={"withdrawn": OTHER, "answers": ()})
    sections = build_report_sections(build_replay_report(taken_back), build_metrics_report())
    assert f"withdrawn by its author with entry {OTHER}" in str(find(sections, "approve of H-1"))
    assert "↶ withdrawn" in str(find(sections, "Approvals"))


def test_broken_log_is_said_first() -> None:
    """Nobody reads on as if it could be believed."""
    sections = build_report_sections(build_replay_report(fatal=True, problems=()), build_metrics_report())
    assert "FATAL" in str(sections[0])
    assert "No problems: every log entry" in str(find(sections, "Verification"))


def _list_code(section: ReportSection) -> list[str]:
    return [line for part in section.parts if isinstance(part, CommandBlock) for line in part.lines]


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
    assert "<h2>Every log entry</h2>" in text


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


def test_hostile_texts_are_not_obeyed() -> None:
    """Neither markup nor control characters come through."""
    approval = build_approval().model_copy(update={"reason": HOSTILE, "handoff": HOSTILE})
    text = render_report_markdown(build_replay_report(approval, notes=(HOSTILE,)), build_metrics_report())
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "1&#41;" in text or "alert(1)" in text


def test_audit_has_both_halves_of_one_log(builder: RepositoryBuilder) -> None:
    """Approvals judged again, and metrics."""
    ReplayStory(builder).decide()
    audit = read_audit_at(builder.folder, DayWindow())
    assert (len(audit.replay.approvals), audit.metrics.decisions) == (1, 1)
    assert audit.replay.log == audit.metrics.log


def test_report_is_never_written_over_a_file(tmp_path: Path) -> None:
    """What is there stays."""
    place = tmp_path / "report.html"
    assert write_report(place, "é\n") == 3
    with pytest.raises(StoreWriteError):
        write_report(place, "other")
    assert place.read_text(encoding="utf-8") == "é\n"
