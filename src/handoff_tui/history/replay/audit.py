"""The auditor's report: past approvals judged again, metrics, and every log entry, as Markdown or HTML.

The HTML is one file without scripts; its content security policy allows only its own style. Text from elsewhere is
escaped in both forms.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape
from pathlib import Path, PurePath
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.markdown_text import render_block, render_code, render_markdown
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.session import open_session
from handoff_tui.history.metrics.definitions import DayWindow
from handoff_tui.history.metrics.metrics import read_metrics
from handoff_tui.history.metrics.page import render_share, render_target, render_value
from handoff_tui.history.metrics.report import Metric, MetricsReport
from handoff_tui.history.replay.page import (
    QUESTIONS,
    OtherDecision,
    ReplayedApproval,
    ReplayReport,
    describe_totals,
    label_verdict,
)
from handoff_tui.history.replay.replay import Progress, replay
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import SCRIPT_NAME, read_script
from handoff_tui.log.show.view import EntryState, LogRow
from handoff_tui.system.files.named_files import write_new_file


class Audit(NamedTuple):
    """Both halves of the report, from one state of the log."""

    replay: ReplayReport
    metrics: MetricsReport


def read_audit_at(start: Path, window: DayWindow, on_progress: Progress | None = None) -> Audit:
    """Replays and measures the repository around a folder; runs no command."""
    session = open_session(start)
    log = open_log(session.repository, remembered=False)
    return Audit(replay(session, log, on_progress), read_metrics(session, log, window))


def write_report(place: Path, text: str) -> int:
    """Writes a new file and returns its size; never overwrites one."""
    return write_new_file(place, (text.encode(),))


_NOTHING = "–"
_ONE_ENTRY: Final = (
    "entry=.handoff-tui/log/ab/ab12….intoto.jsonl",
    'sha256sum "$entry"                                  # is its name',
    'jq -j .payload "$entry" | base64 -d > payload.json  # what was signed',
    "printf 'DSSEv1 28 application/vnd.in-toto+json %d ' \"$(wc -c < payload.json)\" | cat - payload.json > entry.pae",
    "jq -j '.signatures[0].sig' \"$entry\" | base64 -d > entry.sig",
    "jq -r .predicate.policy payload.json                # the policy it was made under; open that entry the same way",
    "jq -j '.predicate.files.allowed_signers' policy-payload.json > allowed_signers",
    'ssh-keygen -Y verify -f allowed_signers -I "$(jq -r .predicate.actor payload.json)" \\',
    "  -n handoff-log@handoff-tui -s entry.sig < entry.pae",
)


def _show(text: str) -> str:
    """Escaped for HTML, with hidden characters made visible."""
    return escape(render_safe(text))


def _join(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


class Text(NamedTuple):
    """A paragraph."""

    text: str

    def to_markdown(self) -> list[str]:
        return [render_markdown(self.text)]

    def to_html(self) -> list[str]:
        return [f"<p>{_show(self.text)}</p>"]


class Items(NamedTuple):
    """A list."""

    texts: tuple[str, ...]

    def to_markdown(self) -> list[str]:
        return [f"- {render_markdown(text)}" for text in self.texts]

    def to_html(self) -> list[str]:
        return ["<ul>", *(f"<li>{_show(text)}</li>" for text in self.texts), "</ul>"]


class CommandBlock(NamedTuple):
    """Commands to copy."""

    lines: tuple[str, ...]

    def to_markdown(self) -> list[str]:
        return render_block(self.lines, "sh")

    def to_html(self) -> list[str]:
        return ["<pre><code>" + "\n".join(_show(line) for line in self.lines) + "</code></pre>"]


class ReportTable(NamedTuple):
    """Rows under headings. Columns in `coded` hold ids."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    coded: frozenset[int] = frozenset()

    def to_markdown(self) -> list[str]:
        def render(place: int, cell: str) -> str:
            return render_code(cell) if place in self.coded else render_markdown(cell)

        rows = (_join(render(place, cell) for place, cell in enumerate(row)) for row in self.rows)
        return [_join(self.headings), _join("---" for _ in self.headings), *rows]

    def to_html(self) -> list[str]:
        def render(place: int, cell: str) -> str:
            return f"<td><code>{_show(cell)}</code></td>" if place in self.coded else f"<td>{_show(cell)}</td>"

        heads = "".join(f"<th>{_show(one)}</th>" for one in self.headings)
        rows = ("".join(render(place, cell) for place, cell in enumerate(row)) for row in self.rows)
        body = ("<tbody>", *(f"<tr>{row}</tr>" for row in rows), "</tbody>")
        return ["<table>", "<thead>", f"<tr>{heads}</tr>", "</thead>", *body, "</table>"]


ReportPart = Text | Items | CommandBlock | ReportTable


class ReportSection(NamedTuple):
    """A heading and what is under it; `level` 1 is the title."""

    level: int
    title: str
    parts: tuple[ReportPart, ...]


def build_report_sections(replay: ReplayReport, metrics: MetricsReport) -> list[ReportSection]:
    """Everything, in the order an auditor asks."""
    return [
        _build_summary(replay),
        *_build_instructions(replay),
        *_build_approvals(replay),
        _build_others(replay),
        *_build_metrics(metrics),
        _build_problems(replay),
        _build_entries(replay),
    ]


def _build_summary(replay: ReplayReport) -> ReportSection:
    facts = (
        ("repository", PurePath(replay.repo).name),
        ("HEAD", replay.head or _NOTHING),
        ("first log entry", replay.log or _NOTHING),
        ("policy in force", replay.policy or _NOTHING),
        ("verification", _describe_verification(replay)),
        ("entries", f"{len(replay.entries):,}"),
        ("approvals replayed", describe_totals(replay)),
        ("written at", replay.made_at),
    )
    parts: list[ReportPart] = [ReportTable(("what", "value"), facts)]
    if replay.notes:
        parts.append(Items(replay.notes))
    return ReportSection(1, f"Handoff decisions of {PurePath(replay.repo).name}", tuple(parts))


def _describe_verification(replay: ReplayReport) -> str:
    if replay.fatal:
        return "FATAL: the log isn't intact, so nothing was judged"
    refused = sum(row.state is EntryState.REFUSED for row in replay.entries)
    return f"clean; {refused:,} refused, which don't count" if refused else "clean"


def _build_instructions(replay: ReplayReport) -> list[ReportSection]:
    pin = replay.log or "sha256:…"
    words = (
        "Don't take this report's word for anything. Everything in it follows from files in the repository: a log "
        "entry is a file named by its SHA-256 and signed with OpenSSH."
    )
    own_commands = (
        f"handoff-tui log verify --pin {pin} --with-ssh-keygen",
        "handoff-tui log replay --all",
        "handoff-tui metrics --all",
        "handoff-tui log bundle --out log.tar  # everything in one file; check it with log verify --bundle",
    )
    removed = ("git log --all --diff-filter=MDTX --stat -- .handoff-tui/log   # entries removed or changed: none",)
    return [
        ReportSection(2, "How to verify this", (Text(words), Text("With handoff-tui:"), CommandBlock(own_commands))),
        ReportSection(
            3,
            "Without handoff-tui",
            (
                Text(
                    f"Save this as {SCRIPT_NAME}, read it, and run it at the top of the repository. Compare the line "
                    "that starts with `root` with a pin you got from somewhere other than this report."
                ),
                CommandBlock(tuple(read_script().rstrip("\n").split("\n"))),
                Text(_describe_bad_lines(replay)),
                Text("It only sees the work tree. The history shows what was removed from it:"),
                CommandBlock(removed),
            ),
        ),
        ReportSection(3, "One entry by hand", (CommandBlock(_ONE_ENTRY),)),
    ]


def _describe_bad_lines(replay: ReplayReport) -> str:
    """The script only reports faults, so this report must say which entries are known to be refused."""
    refused = [row for row in replay.entries if row.state is EntryState.REFUSED]
    if not refused:
        return "No line should start with BAD, and the exit code should be 0: no entry here is refused."
    named = "; ".join(f"{row.id.removeprefix('sha256:')[:SHORT_DIGEST]} ({row.why})" for row in refused)
    return (
        "A refused entry may show as BAD, and the exit code is then 1. Anybody can put a file into the log that nobody "
        f"authorised signed; such a file doesn't count, so the log is still clean. Refused here: {named}. "
        "BAD on any other entry is a fault this report doesn't know about."
    )


def _build_others(replay: ReplayReport) -> ReportSection:
    """Decisions that sent back, held or withdrew, and why."""
    if not replay.others:
        return ReportSection(2, "Sent back, held and withdrawn", (Text("Nothing was sent back, held or withdrawn."),))
    rows = tuple(
        (one.time, one.actor, one.verb, _describe_work(one), one.reason or _NOTHING, one.entry) for one in replay.others
    )
    headings = ("time", "who", "what", "on", "reason given", "entry")
    return ReportSection(
        2, "Sent back, held and withdrawn", (ReportTable(headings, rows, frozenset({len(headings) - 1})),)
    )


def _build_approvals(replay: ReplayReport) -> list[ReportSection]:
    asked = (
        "Would the work pass today's rules, run on the tree the decision is bound to?",
        "Would the decision count under today's policy?",
        "Is the evidence there, does it match the signed digests, and does it agree with the decision?",
        "Were the checks in the repository's configuration at least as strict then as now?",
    )
    if not replay.approvals:
        return [ReportSection(2, "Approvals", (Text("No decision in this log let work go on."),))]
    headings = ("verdict", "time", "who", "what", "on", *QUESTIONS.values(), "entry")
    rows = tuple(_build_approval_row(approval) for approval in replay.approvals)
    overview = ReportTable(headings, rows, frozenset({len(headings) - 1}))
    first = ReportSection(2, "Approvals", (Text("Four questions about each, in this order:"), Items(asked), overview))
    return [first, *(_build_approval(approval) for approval in replay.approvals)]


def _build_approval_row(approval: ReplayedApproval) -> tuple[str, ...]:
    answers = {answer.question: str(label_verdict(answer.standing)) for answer in approval.answers}
    return (
        str(label_verdict(approval.standing)),
        approval.time,
        approval.actor,
        approval.verb,
        _describe_work(approval),
        *(answers.get(question, _NOTHING) for question in QUESTIONS),
        approval.entry,
    )


def _build_approval(approval: ReplayedApproval) -> ReportSection:
    bound = (
        ("entry", approval.entry),
        ("commit", approval.commit),
        ("tree", approval.tree),
        ("snapshot", approval.snapshot),
        ("review record", approval.review),
    )
    parts: list[ReportPart] = [ReportTable(("bound to", "digest"), bound, frozenset({1}))]
    if approval.reason:
        parts.append(Text(f"Reason given: {approval.reason}"))
    if approval.withdrawn:
        parts.append(Text(f"Not judged: withdrawn by its author with entry {approval.withdrawn}."))
    for answer in approval.answers:
        parts.append(Text(f"{label_verdict(answer.standing)} – {QUESTIONS[answer.question]}: {answer.summary}"))
        if answer.details:
            parts.append(Items(answer.details))
    return ReportSection(3, f"{approval.verb} of {_describe_work(approval)} by {approval.actor}", tuple(parts))


def _build_metrics(metrics: MetricsReport) -> list[ReportSection]:
    words = "From the signed log and git only. A dash is a metric that can't be computed; the last column says why."
    rows = tuple(_build_metric_row(metric) for metric in metrics.metrics)
    table = ReportTable(("metric", "value", "target", "met", "based on", "notes"), rows)
    named = [metric for metric in metrics.metrics if metric.sources]
    return [
        ReportSection(2, "Metrics", (Text(words), table)),
        ReportSection(
            3,
            "Entries behind the metrics",
            tuple(
                part
                for metric in named
                for part in (Text(f"{metric.title}: {metric.means}"), CommandBlock(metric.sources))
            ),
        ),
    ]


def _build_metric_row(metric: Metric) -> tuple[str, ...]:
    met = _NOTHING if metric.met is None else "yes" if metric.met else "no"
    notes = [metric.why] if metric.why else []
    notes += [f"{left_out.number:,} left out: {left_out.why}" for left_out in metric.left_out]
    return (
        metric.title,
        render_value(metric.unit, metric.value),
        render_target(metric.unit, metric.target) or _NOTHING,
        met,
        render_share(metric.part, metric.of, metric.unit),
        "; ".join(notes),
    )


def _build_problems(replay: ReplayReport) -> ReportSection:
    if not replay.problems:
        return ReportSection(2, "Verification", (Text("No problems: every log entry is valid."),))
    rows = tuple((one.level.value, one.code, one.entry or _NOTHING, one.text) for one in replay.problems)
    return ReportSection(2, "Verification", (ReportTable(("level", "code", "entry", "text"), rows, frozenset({2})),))


def _build_entries(replay: ReplayReport) -> ReportSection:
    rows = tuple(_build_entry_row(row) for row in replay.entries)
    headings = ("state", "time", "who", "role", "what", "on", "entry")
    return ReportSection(2, "Every log entry", (ReportTable(headings, rows, frozenset({6})),))


def _build_entry_row(row: LogRow) -> tuple[str, ...]:
    state = f"{row.state.value}: {row.why}" if row.why else row.state.value
    work = f"{row.handoff} · {row.phase} · {row.attempt}" if row.handoff else _NOTHING
    return (
        state,
        row.time or _NOTHING,
        row.actor or _NOTHING,
        ", ".join(row.roles) or _NOTHING,
        row.what or _NOTHING,
        work,
        row.id,
    )


def _describe_work(decision: ReplayedApproval | OtherDecision) -> str:
    return f"{decision.handoff} · {decision.phase} · {decision.attempt}"


def render_report_markdown(replay: ReplayReport, metrics: MetricsReport) -> str:
    """The report as Markdown."""
    lines = [line for section in build_report_sections(replay, metrics) for line in _render_section(section)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_section(section: ReportSection) -> list[str]:
    lines = [f"{'#' * section.level} {render_markdown(section.title)}", ""]
    for part in section.parts:
        lines += [*part.to_markdown(), ""]
    return lines


STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 0.5rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9em; }
th, td { border: 1px solid #999; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
pre { border: 1px solid #999; padding: 0.5rem; overflow-x: auto; font-size: 0.85em; }
code { font-family: ui-monospace, monospace; }
"""
_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


def render_report_html(replay: ReplayReport, metrics: MetricsReport) -> str:
    """The report as one HTML file."""
    sections = build_report_sections(replay, metrics)
    head = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY, quote=False)}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_show(sections[0].title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
    )
    body: list[str] = []
    for section in sections:
        body.append(f"<h{section.level}>{_show(section.title)}</h{section.level}>")
        body += [line for part in section.parts for line in part.to_html()]
    return "\n".join((*head, *body, "</body>", "</html>", ""))
