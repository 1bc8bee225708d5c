"""One handoff in full: the public JSON, and a page with false claims first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from handoff_tui.core.place import Severity
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.tasks import Blocker, SuiteCounts, TestCounts
from handoff_tui.core.text.labels import describe_verdict_count, label_mover, label_verdict, name_some, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import HASHES, WORST_FIRST, ClaimKind, Verdict, VerdictState, describe_claim
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.life import Life
from handoff_tui.status.review_state import OwnFile, ShownHandoff, ShownScope
from handoff_tui.status.status_page import build_gate_json, build_problem_json, label_state

SCHEMA = "handoff-tui/show/v1"


def build_show_json(shown: ShownHandoff) -> dict[str, object]:
    """The shape promised to scripts; a value that could not be read is null."""
    handoff = shown.reviewed.handoff
    return {
        "schema": SCHEMA,
        **_build_heading(handoff),
        "attempt": shown.reviewed.attempt,
        "gate": build_gate_json(shown.reviewed),
        "life": shown.reviewed.life.model_dump(mode="json"),
        "earlier": [one.model_dump(mode="json") for one in shown.earlier],
        "scope": shown.scope.model_dump(mode="json") if shown.scope is not None else None,
        "sections": _build_sections(handoff),
        "tests": {"package": _build_counts(handoff.tests), "regression": _build_counts(handoff.regression)},
        "baseline": {
            "packages": handoff.baseline.packages if handoff.baseline else None,
            "tests": handoff.baseline.tests if handoff.baseline else None,
        },
        "hashes": [_build_hash(verdict) for verdict in shown.verdicts if verdict.claim.kind in HASHES],
        "claims": [_build_claim(verdict) for verdict in shown.verdicts],
        **{name: _dump(handoff, name) for name in _LISTS},
        "greenlit": handoff.greenlit,
        "reviewer": shown.reviewer.model_dump(mode="json") if shown.reviewer else None,
        "history": [revision.model_dump(mode="json") for revision in shown.history],
        "problems": [build_problem_json(problem) for problem in shown.problems],
        "agent_comments": [comment.model_dump(mode="json") for comment in shown.agent_comments],
    }


def count_verdicts(verdicts: tuple[Verdict, ...]) -> dict[VerdictState, int]:
    counted = Counter(verdict.state for verdict in verdicts)
    return {state: counted[state] for state in VerdictState}


_LISTS = (
    "documents",
    "attempts",
    "tasks",
    "findings",
    "proofs",
    "blockers",
    "packages",
    "questions",
    "facts",
)


def _build_heading(handoff: Handoff) -> dict[str, object]:
    return {
        "id": handoff.id,
        "dialect": handoff.dialect,
        "title": handoff.title,
        "asked": handoff.asked.model_dump(mode="json") if handoff.asked is not None else None,
        "original_name": handoff.original_name,
        "type": handoff.type,
        "status_claimed": handoff.status,
        "words": _dump(handoff, "words"),
        "registry": handoff.registry,
        "blocked_by": list(handoff.blocked_by),
        "phase": handoff.source_phase,
        "stated_phase": handoff.stated_phase,
        "ran": handoff.ran,
        "branch": handoff.branch,
        "next_phase": handoff.target_phase,
        "source_agent": handoff.source_agent,
        "target_agent": handoff.target_agent,
        "producers": list(handoff.producers),
        "priority": handoff.priority,
        "attempt": handoff.attempt,
        "created": handoff.created,
        "ended": handoff.ended,
        "message": handoff.message,
        "next_action": handoff.next_action,
    }


def _build_sections(handoff: Handoff) -> dict[str, object]:
    """Over all documents of the handoff; `by_document` keeps them apart."""
    return {
        "present": [section.title for document in handoff.documents for section in document.sections],
        "missing": [title for document in handoff.documents for title in document.missing],
        "by_document": {
            document.path: {
                "present": [section.title for section in document.sections],
                "missing": list(document.missing),
                "out_of_order": list(document.out_of_order),
            }
            for document in handoff.documents
        },
    }


def _build_counts(counts: TestCounts | None) -> dict[str, object]:
    return (counts or TestCounts()).model_dump(mode="json")


def _build_hash(verdict: Verdict) -> dict[str, object]:
    return {
        "path": verdict.claim.subject,
        "claimed": verdict.claim.value,
        "measured": verdict.measured,
        "verdict": verdict.state,
        "before": verdict.claim.kind is ClaimKind.HASH_BEFORE,
        "evidence": verdict.evidence,
        "moment": verdict.moment,
    }


def _build_claim(verdict: Verdict) -> dict[str, object]:
    claim = verdict.claim
    return {
        "text": claim.text,
        "kind": claim.kind,
        "where": {"path": claim.where.path, "line": claim.where.line},
        "subject": claim.subject,
        "claimed": claim.value,
        "measured": verdict.measured,
        "verdict": verdict.state,
        "evidence": verdict.evidence,
        "moment": verdict.moment,
    }


def _dump(handoff: Handoff, name: str) -> list[object]:
    return [value.model_dump(mode="json") for value in getattr(handoff, name)]


_VERDICT_ORDER = {state: number for number, state in enumerate(WORST_FIRST)}
_MOST_LISTED = 8
_BOXES = {True: "[x]", False: "[ ]", None: " · "}
_LONGEST_TEXT = 400
_AS_BEFORE = "as before"
_REASONS = {
    "explicit": "a person said so",
    "run": "its agent run",
    "commits": "its commits",
    "declared": "declared",
    "span": "a guess: committed before its report",
    "owner": "it changed the file last",
}
"""Why a file belongs to a handoff, by the source."""
"""On a page the beginning of a hash is enough; the JSON has all of it."""


def build_show_page(shown: ShownHandoff, *, everything: bool = False) -> Page:
    """Heading, gate, claims beside measurements, then everything the handoff carries."""
    page = Page()
    handoff = shown.reviewed.handoff
    _add_heading(page, shown)
    _add_numbers(page, handoff)
    _add_claims(page, shown.verdicts, everything=everything)
    _add_agent_comments(page, shown, everything=everything)
    _add_scope(page, shown.scope, everything=everything)
    _add_blockers(page, handoff, everything=everything)
    _add_findings(page, handoff, everything=everything)
    _add_attempts(page, handoff, everything=everything)
    _add_work(page, handoff, everything=everything)
    _add_documents(page, handoff)
    _add_rest(page, shown, everything=everything)
    return page


def _add_heading(page: Page, shown: ShownHandoff) -> None:
    handoff, gate = shown.reviewed.handoff, shown.reviewed.gate
    title = f"  {render_safe(handoff.title)}" if handoff.title else ""
    page.line(Cell(render_safe(handoff.id), "key"), Cell(title, "heading"))
    for name, value in (
        ("format", f"{handoff.dialect}, {handoff.type}"),
        ("named", handoff.original_name if handoff.original_name != handoff.id else None),
        ("phase", _join(handoff.source_phase, handoff.target_phase)),
        ("agent", _join(handoff.source_agent, handoff.target_agent)),
        ("attempt", str(shown.reviewed.attempt) if shown.reviewed.attempt > 1 else None),
        ("priority", handoff.priority),
        ("created", handoff.created),
        ("says", handoff.said or "no status"),
        ("registry", handoff.registry),
        ("life", _describe_life(shown.reviewed.life)),
    ):
        if value:
            page.fact(name, value)
    label = label_state(shown.reviewed, shown.needs_you)
    page.line(Cell(f"{'gate':<9}", "muted"), Cell(str(label), label.role), indent=9)
    mover = label_mover(gate.next_move.who)
    name = f" {render_safe(gate.next_move.name)}" if gate.next_move.name else ""
    page.line(
        Cell(f"{'next':<9}", "muted"),
        Cell(f"{mover.word}{name}: ", mover.role),
        Cell(render_safe(gate.next_move.what)),
        indent=9,
    )
    for number, reason in enumerate(gate.why):
        page.line(Cell(f"{'' if number else 'why':<9}", "muted"), Cell(render_safe(reason)), indent=9)
    for reason in gate.blocking:
        page.line(Cell(f"{'blocks':<9}", "muted"), Cell(render_safe(reason), "fail"), indent=9)
    if shown.reviewer and shown.reviewer.produced_this:
        text = f"{shown.reviewer.name or shown.reviewer.email}, one of its producers: you cannot approve it"
        page.line(Cell(f"{'you':<9}", "muted"), Cell(render_safe(text), "warning"), indent=9)
    if handoff.message:
        page.heading("Message")
        page.line(Cell(render_safe(handoff.message, _LONGEST_TEXT)), indent=2)
    if handoff.next_action:
        page.heading("Next step, as claimed")
        page.line(Cell(render_safe(handoff.next_action, _LONGEST_TEXT)), indent=2)


def _describe_life(life: Life) -> str | None:
    """None if it is live, as what is shown mostly is."""
    if not life.is_past:
        return None
    return f"past: {life.why}" + (f"; history of {life.successor}" if life.successor else "")


def _join(source: str | None, target: str | None) -> str | None:
    if source and target:
        return f"{source} → {target}"
    return source or (f"→ {target}" if target else None)


def _add_numbers(page: Page, handoff: Handoff) -> None:
    own = "this package" if handoff.dialect == "builder" else "tests"
    names = ("total", "passed", "failed", "skipped")
    runs = ((own, handoff.tests), ("full regression", handoff.regression))
    told = ((name, counts) for name, counts in runs if counts is not None)
    lines: list[tuple[str, TestCounts | SuiteCounts]] = []
    for name, counts in told:
        lines.extend((f"  {suite.name}", suite) for suite in counts.suites)
        lines.append((f"{name}, {len(counts.suites)} suites" if counts.suites else name, counts))
    rows = [
        (Cell(render_safe(name, 40)), *(Cell(_number(getattr(counts, field))) for field in names))
        for name, counts in lines
    ]
    if rows:
        page.heading("Tests, as claimed")
        page.grid((Column("run"), *(Column(name, right=True) for name in names)), rows)
    if handoff.baseline:
        page.heading("Baseline, as claimed")
        text = f"{_number(handoff.baseline.packages)} packages, {_number(handoff.baseline.tests)} tests"
        page.line(Cell(text), indent=2)


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _add_claims(page: Page, verdicts: tuple[Verdict, ...], *, everything: bool) -> None:
    if not verdicts:
        return
    counted = count_verdicts(verdicts)
    note = ", ".join(
        describe_verdict_count(counted[state], state)
        for state in WORST_FIRST
        if counted[state] or state is not VerdictState.WAS_TRUE
    )
    page.heading("Claims beside measurements", note)
    ordered = sorted(verdicts, key=lambda verdict: _VERDICT_ORDER[verdict.state])
    most = len(ordered) if everything else max(_MOST_LISTED, counted[VerdictState.CONTRADICTED])
    columns = (Column("verdict"), Column("claim", fold=True), Column("when"), Column("measured here", fold=True))
    page.grid(columns, [_build_claim_row(verdict) for verdict in ordered[:most]])
    page.more(len(ordered) - most, lead="")


def _build_claim_row(verdict: Verdict) -> tuple[Cell, ...]:
    label, claim = label_verdict(verdict.state), verdict.claim
    return (
        Cell(str(label), label.role),
        Cell(f"{render_safe(describe_claim(claim), 160)}  ({render_safe(str(claim.where))})"),
        Cell(render_safe(verdict.moment or "–"), "muted"),
        Cell(render_safe(verdict.evidence)),
    )


def _add_agent_comments(page: Page, shown: ShownHandoff, *, everything: bool) -> None:
    rows = [
        (
            Cell(f"{render_safe(comment.agent, 40)}  ", "muted"),
            Cell(render_safe(" ".join(comment.text.split()), None if everything else _LONGEST_TEXT)),
            Cell(render_safe(_describe_place(comment.path, comment.line)), "path"),
        )
        for comment in reversed(shown.agent_comments)
    ]
    _add_listing(page, "The agent says", "unsigned, not measured", rows, everything=everything)


def _add_scope(page: Page, scope: ShownScope | None, *, everything: bool) -> None:
    """Its own files with the reasons, and where documents, commits and other handoffs disagree."""
    if scope is None:
        return
    if not scope.files:
        page.heading("Scope", "no changed file belongs to it")
    else:
        start = f" since {scope.start[:SHORT_COMMIT]}" if scope.start else ""
        note = f"{plural(len(scope.files), 'file')}, {plural(len(scope.commits), 'commit')}{start}"
        rows = [
            (
                Cell(f"{_AS_BEFORE if file.change == 'none' else file.change:<11}", "muted"),
                Cell(render_safe(file.path), "path"),
                Cell(f"  {_describe_reason(file)}", "muted"),
            )
            for file in scope.files
        ]
        _add_listing(page, "Scope", note, rows, everything=everything)
    doubts: dict[str, list[str]] = {
        "changed in its commits, not declared": [*scope.undeclared],
        "declared, never changed": [path for path in scope.never_changed if path not in scope.changed_by_others],
    }
    for path, who in scope.changed_by_others.items():
        doubts.setdefault(f"declared, last changed by {who}", []).append(path)
    for path, who in scope.taken_over.items():
        if path not in scope.changed_by_others:
            doubts.setdefault(f"changed later by {who}", []).append(path)
    for words, paths in doubts.items():
        if paths:
            named = name_some(paths, len(paths) if everything else _MOST_LISTED)
            page.line(Cell("! ", "warning"), Cell(f"{words}: {render_safe(named)}"), indent=2)


def _describe_reason(file: OwnFile) -> str:
    words = [_REASONS[file.source]]
    words += ["uncommitted"] if file.uncommitted else []
    words += ["shared"] if file.shared else []
    return " · ".join(words)


def _add_blockers(page: Page, handoff: Handoff, *, everything: bool) -> None:
    if not handoff.blockers:
        return
    ordered = sorted(handoff.blockers, key=lambda blocker: not blocker.open)
    page.heading("Blockers", f"{sum(blocker.open for blocker in ordered)} open of {len(ordered)}")
    most = len(ordered) if everything else _MOST_LISTED
    rows = [
        (
            Cell(
                "■ open" if blocker.open else f"✓ {render_safe(blocker.status or 'closed', 12)}",
                "fail" if blocker.open else "pass",
            ),
            Cell(blocker.severity or "–", blocker.severity or "muted"),
            Cell(render_safe(f"{blocker.title}{_describe_need(blocker)}")),
            Cell(render_safe(blocker.evidence or ("" if blocker.open else "no evidence"), 160)),
        )
        for blocker in ordered[:most]
    ]
    page.grid(
        (Column("state"), Column("severity"), Column("what", fold=True), Column("evidence given", fold=True)), rows
    )
    page.more(len(ordered) - most, lead="")


def _describe_need(blocker: Blocker) -> str:
    if not blocker.needs_human:
        return "" if blocker.blocking else "  (can wait)"
    return "  (a human must act)" if blocker.blocking else "  (a human should act; it can wait)"


def _add_findings(page: Page, handoff: Handoff, *, everything: bool) -> None:
    rank = {severity: number for number, severity in enumerate(Severity)}
    ordered = sorted(handoff.findings, key=lambda finding: rank.get(finding.severity, 9) if finding.severity else 9)
    rows = [
        (
            Cell(f"{finding.severity or 'unrated'}  ", finding.severity or "muted"),
            Cell(render_safe(finding.title)),
            Cell(render_safe(_describe_place(finding.file, finding.line)), "path"),
        )
        for finding in ordered
    ]
    _add_listing(page, "Findings reported", str(len(ordered)), rows, everything=everything)


def _describe_place(file: str | None, line: int | None) -> str:
    return f"  {file}{f':{line}' if line else ''}" if file else ""


def _add_attempts(page: Page, handoff: Handoff, *, everything: bool) -> None:
    if not handoff.attempts:
        return
    # a hub counts the reports of all roles, and attempts by one of them
    page.heading("Reports" if handoff.dialect == "hub" else "Attempts", str(len(handoff.attempts)))
    shown = handoff.attempts if everything else handoff.attempts[-_MOST_LISTED:]
    for attempt in shown:
        run = f"run {attempt.run}" if attempt.run else None
        words = " ".join(part for part in dict.fromkeys((run, attempt.agent, attempt.phase, attempt.when)) if part)
        page.line(
            Cell(f"{attempt.number:>3}  ", "muted"),
            Cell(f"{render_safe(attempt.status or '–')}  ", "key"),
            Cell(render_safe(f"{words}  {attempt.summary or ''}".strip(), 200)),
            indent=5,
        )
        if attempt.warning:
            page.line(Cell("     ", "warning"), Cell(render_safe(attempt.warning), "warning"), indent=5)
    page.more(len(handoff.attempts) - len(shown), lead="")


def _add_work(page: Page, handoff: Handoff, *, everything: bool) -> None:
    tasks = [
        (
            Cell(f"{_BOXES[task.done]} ", "muted"),
            Cell(render_safe(task.title, 160)),
            Cell(f"  {render_safe(' '.join(part for part in (task.status, task.stage) if part))}", "muted"),
        )
        for task in sorted(handoff.tasks, key=lambda task: task.done is True)
    ]
    done = sum(task.done is True for task in handoff.tasks)
    _add_listing(page, "Tasks", f"{done} of {len(tasks)} marked done", tasks, indent=4, everything=everything)
    if handoff.questions:
        answered = sum(question.answered is True for question in handoff.questions)
        light = {True: "a greenlight is claimed", False: "no greenlight", None: "greenlight not known"}[
            handoff.greenlit
        ]
        page.heading("Question gate", f"{answered} of {len(handoff.questions)} answered, {light}")
    packages = [
        (
            Cell(render_safe(f"{package.id} {package.version or ''}  {plural(len(package.assets), 'asset')}")),
            Cell(f"  {render_safe(package.where.path)}", "path"),
        )
        for package in handoff.packages
    ]
    _add_listing(page, "Packages", str(len(packages)), packages, everything=everything)
    proofs = [
        (
            Cell(f"{proof.kind:<12}", "muted"),
            Cell(render_safe(proof.path), "path"),
            Cell(f"  {proof.size:,} bytes" if proof.size is not None else "", "muted"),
        )
        for proof in handoff.proofs
    ]
    _add_listing(page, "Proofs of work", str(len(proofs)), proofs, everything=everything)


def _add_documents(page: Page, handoff: Handoff) -> None:
    if not handoff.documents:
        return
    page.heading("Documents", str(len(handoff.documents)))
    for document in handoff.documents:
        page.line(Cell(f"{document.role:<11}", "muted"), Cell(render_safe(document.path), "path"), indent=2)
        if document.missing:
            page.line(
                Cell(" " * 13), Cell(f"missing: {render_safe(', '.join(document.missing))}", "warning"), indent=13
            )
        if document.out_of_order:
            page.line(
                Cell(" " * 13),
                Cell(f"out of order: {render_safe(', '.join(document.out_of_order))}", "warning"),
                indent=13,
            )


def _add_rest(page: Page, shown: ShownHandoff, *, everything: bool) -> None:
    facts = [
        (Cell(f"{render_safe(fact.name)}: ", "muted"), Cell(render_safe(fact.value, 200)))
        for fact in shown.reviewed.handoff.facts
    ]
    _add_listing(page, "Other facts", "", facts, everything=everything)
    history = [
        (
            Cell(f"{revision.commit[:SHORT_COMMIT]} ", "key"),
            Cell(f"{revision.date[:10]} {render_safe(revision.author)}  ", "muted"),
            Cell(render_safe(revision.subject)),
        )
        for revision in shown.history
    ]
    earlier = [
        (
            Cell(f"{render_safe(one.id)}  ", "key"),
            Cell(render_safe(one.status or "–", 16)),
            Cell(f"  {render_safe(one.why)}", "muted"),
        )
        for one in shown.earlier
    ]
    _add_listing(page, "Earlier handoffs", str(len(earlier)), earlier, everything=everything)
    _add_listing(page, "History of its documents", "", history, indent=8, everything=everything)
    problems = [
        (
            Cell(render_safe(f"{problem.path}:{problem.line}" if problem.line else problem.path), "path"),
            Cell(f"  {render_safe(problem.message)}", "warning"),
        )
        for problem in shown.problems
    ]
    _add_listing(page, "Problems in its documents", str(len(problems)), problems, everything=True)


def _add_listing(
    page: Page, title: str, note: str, rows: Sequence[tuple[Cell, ...]], *, indent: int = 2, everything: bool
) -> None:
    """A heading and the first rows, if there are any; `everything` shows them all."""
    if not rows:
        return
    page.heading(title, note)
    for cells in page.some(rows, _MOST_LISTED, everything=everything, lead=""):
        page.line(*cells, indent=indent)
