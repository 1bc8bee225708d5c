"""The signed log as pages and as public JSON: the list, one entry, a verification."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.log.entry import NO_BASELINE, Entry, LogProblem, LogProblemLevel
from handoff_tui.log.policy.init import PinQuestion
from handoff_tui.log.show.view import ENTRY_STATES, EntryState, EntryView, LogReport, LogRow, ShownLog

LIST_SCHEMA = "handoff-tui/log/v1"
SHOW_SCHEMA = "handoff-tui/log-show/v1"
VERIFY_SCHEMA = "handoff-tui/log-verify/v1"
PIN_SCHEMA = "handoff-tui/log-pin/v1"
BUNDLE_SCHEMA = "handoff-tui/log-bundle/v1"
_MOST_ROWS = 30
_MOST_PROBLEMS = 12
_NAMES = 10
_NOTHING = "–"
_SOLO = "solo"
_LEVELS = {LogProblemLevel.FATAL: "fail", LogProblemLevel.REFUSED: "warning", LogProblemLevel.NOTE: "muted"}
_ANCHORS = {
    "option": "as --pin demands",
    "environment": "as HANDOFF_TUI_PIN demands",
    "configuration": "as your git configuration pins it",
    "user": "as you accepted it",
    "none": "nothing vouches for it",
}


def build_log_json(view: ShownLog) -> dict[str, object]:
    """What could not be read of a refused entry is null."""
    return {
        "schema": LIST_SCHEMA,
        "verdict": name_verdict(fatal=view.fatal),
        **view.model_dump(mode="json", exclude={"fatal", "rows"}),
        "entries": [_build_row_json(row) for row in view.rows],
    }


def build_entry_json(view: EntryView, extracted: tuple[str, ...] = ()) -> dict[str, object]:
    """Every field of the entry as it was signed is in `entry`; null if it isn't an entry."""
    rest = view.model_dump(mode="json", exclude={"row"})
    return {"schema": SHOW_SCHEMA, **_build_row_json(view.row), **rest, "extracted": list(extracted)}


def build_report_json(report: LogReport) -> dict[str, object]:
    """The shape promised to scripts."""
    return {
        "schema": VERIFY_SCHEMA,
        "verdict": name_verdict(fatal=report.fatal),
        **report.model_dump(mode="json", exclude={"fatal"}),
        "anchored": report.anchored,
    }


def build_pin_json(question: PinQuestion) -> dict[str, object]:
    return {"schema": PIN_SCHEMA, "log": question.first, "entries": len(question.verdict.entries), "pinned": True}


def build_pin_page(question: PinQuestion) -> Page:
    """Builds what a person compares with what a colleague tells them."""
    page = Page(names=_NAMES)
    page.line(Cell("This log begins with "), Cell(question.first, "key"))
    page.fact("begun by", f"{question.begun_by}, {question.time}")
    for key in question.keys:
        page.fact("key", key)
    page.fact("decide", ", ".join(question.people) or _NOTHING)
    page.fact("entries", str(len(question.verdict.entries)))
    page.blank()
    page.line(Cell("Compare the first entry with a colleague's, over another channel than this repository.", "muted"))
    return page


def build_bundle_json(place: str, size: int) -> dict[str, object]:
    return {"schema": BUNDLE_SCHEMA, "file": place, "bytes": size}


def name_verdict(*, fatal: bool) -> str:
    return "fatal" if fatal else "clean"


def _build_row_json(row: LogRow) -> dict[str, object]:
    return row.model_dump(mode="json", exclude={"parents"}) | {"why": row.why or None}


def build_log_page(view: ShownLog, *, everything: bool = False) -> Page:
    """Builds one row per entry, newest first, then problems that no row shows."""
    page = Page()
    if not view.total:
        page.line(Cell("There is no signed log here yet. "), Cell("`handoff-tui init` begins one.", "muted"))
    elif not view.rows:
        page.line(Cell(f"None of {_count_entries(view.total)} fits."))
    columns = (
        Column(""),
        Column("entry"),
        Column("time"),
        Column("who"),
        Column("role"),
        Column("what"),
        Column("on", fold=True),
        Column("", fold=True),
    )
    shown = view.rows if everything else view.rows[:_MOST_ROWS]
    page.grid(columns, [_build_row(row) for row in shown])
    if len(view.rows) > len(shown):
        page.line(Cell(f"… and {len(view.rows) - len(shown):,} older ones; --all shows them", "muted"), indent=2)
    listed = {row.id for row in view.rows}
    wider = [one for one in view.problems if not (one.level is LogProblemLevel.REFUSED and one.entry in listed)]
    _add_problems(page, wider, everything=everything)
    return page


def _judge(report: LogReport) -> Label:
    if report.fatal:
        return Label("■", "fatal", "fail")
    return Label("✓", "clean", "pass") if report.anchored else Label("!", "clean, not vouched for", "warning")


def build_report_page(report: LogReport, *, everything: bool = False) -> Page:
    """Builds the verdict, what it is based on, and every problem."""
    page = Page(names=_NAMES)
    label = _judge(report)
    page.line(Cell(f"{label}  ", label.role), Cell(f"{_count_entries(report.entries)}, {_count_more(report)}"))
    if report.log is None and not report.problems:
        page.line(Cell("There is no signed log here yet. "), Cell("`handoff-tui init` begins one.", "muted"))
        return page
    page.fact("log", f"{report.log or _NOTHING}  ({_ANCHORS[report.anchor]})")
    page.fact("policy", report.policy or _NOTHING)
    for head in report.heads:
        page.fact("head", head)
    if report.second_opinions is not None:
        page.fact("asked", f"ssh-keygen, about {plural(report.second_opinions, 'signature')}")
    if report.against is not None:
        page.fact("against", report.against)
    _add_problems(page, report.problems, everything=everything)
    return page


def build_entry_page(view: EntryView, extracted: tuple[str, ...] = (), folder: str = "") -> Page:
    """Builds every field in words, what it is bound to, who signed, what came before and after."""
    page = Page(names=_NAMES)
    row = view.row
    label = ENTRY_STATES[row.state]
    page.line(Cell(f"{label}  ", label.role), Cell(row.id, "key"))
    if row.why:
        code = f"{row.code}: " if row.code else ""
        page.line(Cell("  "), Cell(render_safe(code + row.why), label.role), indent=4)
    if view.entry is not None:
        _add_entry(page, view, view.entry)
    _add_signatures(page, view)
    page.heading("Place in the log")
    for parent in view.entry.parents if view.entry is not None else ():
        page.fact("follows", parent)
    for follower in view.followers:
        page.fact("before", follower)
    if row.head:
        page.fact("before", "nothing yet: it is a head of the log")
    page.fact("found in", ", ".join(view.places) or _NOTHING)
    page.fact("file", f"{view.size:,} bytes")
    if extracted:
        page.heading("Extracted", folder)
        page.line(Cell(", ".join(extracted)), indent=2)
    return page


def _add_entry(page: Page, view: EntryView, entry: Entry) -> None:
    row = view.row
    page.blank()
    roles = f" ({', '.join(row.roles)})" if row.roles else ""
    page.fact("what", f"{row.what}, the {row.kind} numbered {entry.seq}")
    page.fact("who", f"{entry.actor}{roles}")
    if row.solo:
        page.fact(_SOLO, "on work under their own name; no second person looked")
    page.fact("when", entry.time)
    if entry.work is not None:
        page.fact("on", f"{entry.work.handoff}, {entry.work.phase}, attempt {entry.work.attempt}")
        page.fact("made by", ", ".join(entry.work.producers) or "nobody is named")
    if entry.decision is not None:
        for number, line in enumerate(render_safe_lines(entry.decision.reason)):
            page.fact("" if number else "reason", line or _NOTHING)
        for one in entry.decision.regards:
            page.fact("regards", one)
        page.fact("confirmed", view.confirmed.words if view.confirmed else "not recorded")
    if entry.log is not None:
        page.fact("log", entry.log)
    if entry.policy is not None:
        _add_policy(page, entry)
    if view.policy is not None and entry.work is not None:
        page.fact("policy", view.policy)
        _add_subject(page, view, entry)


def _add_policy(page: Page, entry: Entry) -> None:
    text = entry.policy
    if text is None:
        return
    page.fact("version", str(text.version))
    page.fact("nonce" if text.nonce else "replaces", text.nonce or text.previous or _NOTHING)
    for name, content in (("policy.toml", text.policy_toml), ("allowed_signers", text.allowed_signers)):
        page.heading(name)
        for line in render_safe_lines(content.rstrip("\n")):
            page.line(Cell(line), indent=2)


def _add_subject(page: Page, view: EntryView, entry: Entry) -> None:
    if entry.work is None:
        return
    page.heading("Bound to")
    stored = {one.name: "stored here" if one.present else "not stored here" for one in view.evidence}
    subject = entry.work.subject
    for name, digest in subject.model_dump().items():
        if subject.scope and name == "baseline":  # bound by entries of the first version only
            continue
        value = "none" if digest == NO_BASELINE else digest
        page.fact(name, f"{value}  ({stored[name]})" if name in stored else value)
    if entry.decision is not None:
        page.fact("review", f"{entry.decision.review}  ({stored['review']})")


def _add_signatures(page: Page, view: EntryView) -> None:
    if not view.signatures:
        return
    page.heading("Signed")
    for one in view.signatures:
        touch = ", touched" if one.user_present else ""
        whose = one.principal or "nobody in the policy"
        page.fact("by", f"{whose}, {one.keyid} ({one.key_type}, {one.hash}{touch})")


def _build_row(row: LogRow) -> tuple[Cell, ...]:
    label = ENTRY_STATES[row.state]
    work = f"{row.handoff} · {row.phase} · {row.attempt}" if row.handoff else ""
    remark = row.why or ", ".join([_SOLO] * row.solo + ["head"] * row.head)
    shown = f"{label.word}: {remark}" if row.state is not EntryState.VALID else remark
    return (
        Cell(label.glyph, label.role),
        Cell(row.id.removeprefix("sha256:")[:SHORT_DIGEST], "key"),
        Cell(row.time or _NOTHING, "muted"),
        Cell(render_safe(row.actor or _NOTHING), "agent" if "agent" in row.roles else "human"),
        Cell(render_safe(", ".join(row.roles)) or _NOTHING, "muted"),
        Cell(row.what or _NOTHING),
        Cell(render_safe(work)),
        Cell(render_safe(shown), label.role if row.state is not EntryState.VALID else "muted"),
    )


def _add_problems(page: Page, problems: Sequence[LogProblem], *, everything: bool) -> None:
    if not problems:
        return
    page.heading("Problems", f"{len(problems):,}")
    for problem in page.some(problems, _MOST_PROBLEMS, everything=everything, lead=""):
        about = f"{_shorten(problem.entry)}  " if problem.entry else ""
        page.line(
            Cell(f"{problem.level} ", _LEVELS[problem.level]),
            Cell(f"{problem.code}  ", "muted"),
            Cell(render_safe(about), "key"),
            Cell(render_safe(problem.text)),
            indent=4,
        )


def _shorten(entry: str) -> str:
    return entry.removeprefix("sha256:")[:SHORT_DIGEST] if entry.startswith("sha256:") else entry


def _count_entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"


def _count_more(report: LogReport) -> str:
    words = [plural(len(report.heads), "head")]
    words += [f"{report.void:,} void"] * bool(report.void) + [f"{report.refused:,} refused"] * bool(report.refused)
    return ", ".join(words)
