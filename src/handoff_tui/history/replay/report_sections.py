"""The report for an auditor, as sections that every form of it has: what is said, in which order. Pure."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, NamedTuple

from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.history.metrics.json import render_share, render_target, render_value
from handoff_tui.history.metrics.report import Figure, MetricsReport
from handoff_tui.history.replay.page import QUESTIONS, describe_totals, label_standing
from handoff_tui.history.replay.report import OtherDecision, ReplayedApproval, ReplayReport
from handoff_tui.log.show.by_hand import SCRIPT, SCRIPT_NAME
from handoff_tui.log.show.view import EntryState, LogRow

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


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Items(NamedTuple):
    """A list."""

    texts: tuple[str, ...]


class Code(NamedTuple):
    """Commands, to be copied as they are."""

    lines: tuple[str, ...]


class Table(NamedTuple):
    """Rows under headings. Cells of the columns in `coded` are ids."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    coded: frozenset[int] = frozenset()


Part = Text | Items | Code | Table


class Section(NamedTuple):
    """A heading and what is under it; `level` 1 is the title of all."""

    level: int
    title: str
    parts: tuple[Part, ...]


def build_report(replay: ReplayReport, metrics: MetricsReport) -> list[Section]:
    """Everything, in the order in which an auditor asks."""
    return [
        _build_summary(replay),
        *_build_instructions(replay),
        *_build_approvals(replay),
        _build_others(replay),
        *_build_figures(metrics),
        _build_problems(replay),
        _build_entries(replay),
    ]


def _build_summary(replay: ReplayReport) -> Section:
    facts = (
        ("repository", PurePath(replay.repo).name),
        ("commit at hand", replay.head or _NOTHING),
        ("first entry of the log", replay.log or _NOTHING),
        ("policy in force", replay.policy or _NOTHING),
        ("verification", _describe_verification(replay)),
        ("entries", f"{len(replay.entries):,}"),
        ("approvals judged again", describe_totals(replay)),
        ("made at", replay.made_at),
    )
    parts: list[Part] = [Table(("what", "value"), facts)]
    if replay.notes:
        parts.append(Items(replay.notes))
    return Section(1, f"Handoff decisions of {PurePath(replay.repo).name}", tuple(parts))


def _describe_verification(replay: ReplayReport) -> str:
    if replay.fatal:
        return "FATAL: the log cannot be believed, and nothing was judged"
    refused = sum(row.state is EntryState.REFUSED for row in replay.entries)
    return f"clean; {refused:,} refused, which count for nothing" if refused else "clean"


def _build_instructions(replay: ReplayReport) -> list[Section]:
    pin = replay.log or "sha256:…"
    words = (
        "Believe nothing of this report that you have not checked. Everything it says follows from files in the "
        "repository: an entry of the log is a file whose name is its SHA-256, with a signature that OpenSSH made."
    )
    with_us = (
        f"handoff-tui log verify --pin {pin} --with-ssh-keygen",
        "handoff-tui log replay --all",
        "handoff-tui metrics --all",
        "handoff-tui log bundle --out log.tar  # all of it in one file, which log verify --bundle reads anywhere",
    )
    removed = ("git log --all --diff-filter=MDTX --stat -- .handoff-tui/log   # entries removed or changed: none",)
    return [
        Section(2, "How to verify this", (Text(words), Text("With handoff-tui:"), Code(with_us))),
        Section(
            3,
            "Without handoff-tui",
            (
                Text(
                    f"Save this as {SCRIPT_NAME}, read it, and run it at the top of the repository. Compare the line "
                    "that begins with `root` with a pin that you have from somewhere else than this report."
                ),
                Code(tuple(SCRIPT.rstrip("\n").split("\n"))),
                Text(_describe_bad_lines(replay)),
                Text("It sees the work tree only; what was removed from it, the history tells:"),
                Code(removed),
            ),
        ),
        Section(3, "One entry by hand", (Code(_ONE_ENTRY),)),
    ]


def _describe_bad_lines(replay: ReplayReport) -> str:
    """The script knows faults only; that some entries are known to be none of the log, this report must say."""
    refused = [row for row in replay.entries if row.state is EntryState.REFUSED]
    if not refused:
        return "No line of it should begin with BAD, and its exit code should be 0: no entry here is refused."
    named = "; ".join(f"{row.id.removeprefix('sha256:')[:SHORT_DIGEST]} ({row.why})" for row in refused)
    return (
        "A refused entry may show as BAD, and the exit code is then 1: anybody can put a file into the log that is "
        "signed by no one who may, and such a file counts for nothing, so the log is clean with it. These are refused "
        f"here: {named}. A line with BAD for any other entry is a fault that this report does not know of."
    )


def _build_others(replay: ReplayReport) -> Section:
    """What reviewers sent back, held or took back, and why."""
    if not replay.others:
        return Section(2, "Sent back, held and withdrawn", (Text("Nothing was sent back, held or withdrawn."),))
    rows = tuple(
        (one.time, one.actor, one.verb, _describe_work(one), one.reason or _NOTHING, one.entry) for one in replay.others
    )
    headings = ("time", "who", "what", "on", "reason given", "entry")
    return Section(2, "Sent back, held and withdrawn", (Table(headings, rows, frozenset({len(headings) - 1})),))


def _build_approvals(replay: ReplayReport) -> list[Section]:
    asked = (
        "Would the work pass the rules of today, run on the tree that the decision is bound to?",
        "Would the decision count under the policy of today?",
        "Is the evidence there, with the digests that were signed, and does it say what the decision says?",
        "Were the checks of the repository's configuration at least as strict then as they are now?",
    )
    if not replay.approvals:
        return [Section(2, "Approvals", (Text("No work has passed by a decision in this log."),))]
    headings = ("standing", "time", "who", "what", "on", *QUESTIONS.values(), "entry")
    rows = tuple(_build_approval_row(approval) for approval in replay.approvals)
    overview = Table(headings, rows, frozenset({len(headings) - 1}))
    first = Section(2, "Approvals", (Text("Asked of each, in this order:"), Items(asked), overview))
    return [first, *(_build_approval(approval) for approval in replay.approvals)]


def _build_approval_row(approval: ReplayedApproval) -> tuple[str, ...]:
    answers = {answer.question: str(label_standing(answer.standing)) for answer in approval.answers}
    return (
        str(label_standing(approval.standing)),
        approval.time,
        approval.actor,
        approval.verb,
        _describe_work(approval),
        *(answers.get(question, _NOTHING) for question in QUESTIONS),
        approval.entry,
    )


def _build_approval(approval: ReplayedApproval) -> Section:
    bound = (
        ("entry", approval.entry),
        ("commit", approval.commit),
        ("tree", approval.tree),
        ("snapshot", approval.snapshot),
        ("review record", approval.review),
    )
    parts: list[Part] = [Table(("bound to", "digest"), bound, frozenset({1}))]
    if approval.reason:
        parts.append(Text(f"Reason given: {approval.reason}"))
    if approval.withdrawn:
        parts.append(Text(f"Not judged: withdrawn by its maker with the entry {approval.withdrawn}."))
    for answer in approval.answers:
        parts.append(Text(f"{label_standing(answer.standing)} – {QUESTIONS[answer.question]}: {answer.summary}"))
        if answer.details:
            parts.append(Items(answer.details))
    return Section(3, f"{approval.verb} of {_describe_work(approval)} by {approval.actor}", tuple(parts))


def _build_figures(metrics: MetricsReport) -> list[Section]:
    words = "From the signed log and git alone. A dash is a figure that cannot be computed; the last column says why."
    rows = tuple(_build_figure_row(figure) for figure in metrics.figures)
    table = Table(("figure", "value", "target", "met", "rests on", "remarks"), rows)
    named = [figure for figure in metrics.figures if figure.sources]
    return [
        Section(2, "Figures", (Text(words), table)),
        Section(
            3,
            "Entries behind the figures",
            tuple(part for figure in named for part in (Text(f"{figure.title}: {figure.means}"), Code(figure.sources))),
        ),
    ]


def _build_figure_row(figure: Figure) -> tuple[str, ...]:
    met = _NOTHING if figure.met is None else "yes" if figure.met else "no"
    remarks = [figure.why] if figure.why else []
    remarks += [f"{one.number:,} left out: {one.why}" for one in figure.left_out]
    return (
        figure.title,
        render_value(figure.unit, figure.value),
        render_target(figure.unit, figure.target) or _NOTHING,
        met,
        render_share(figure.part, figure.of, figure.unit),
        "; ".join(remarks),
    )


def _build_problems(replay: ReplayReport) -> Section:
    if not replay.problems:
        return Section(2, "What verification found", (Text("Nothing: every entry of the log holds."),))
    rows = tuple((one.level.value, one.code, one.entry or _NOTHING, one.text) for one in replay.problems)
    return Section(2, "What verification found", (Table(("level", "code", "entry", "text"), rows, frozenset({2})),))


def _build_entries(replay: ReplayReport) -> Section:
    rows = tuple(_build_entry_row(row) for row in replay.entries)
    headings = ("state", "time", "who", "role", "what", "on", "entry")
    return Section(2, "Every entry of the log", (Table(headings, rows, frozenset({6})),))


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
