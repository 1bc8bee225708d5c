"""What builder documents must have: names and sections of the standard, regression, baseline, clean room, a review."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule, medium_rule
from handoff_tui.checks.rules.builder import documents as builder
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.core.place import CheckMoment, Place
from handoff_tui.core.tasks import Fact, TestCounts
from handoff_tui.core.text.labels import plural
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, RegistryState

_NUMBER: Final = compile_later(r"^\W*([0-9]{1,9})\b")
_LEFT_OUT: Final = compile_later(r"--(?:ignore|ignore-glob|deselect|exclude)[= ]\S+")
_REGRESSION = "Full Regression"
_BASELINE = "Baseline"
_CLEAN_ROOM = "Clean-Room"


def find_regression_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the full regression: its numbers, a command for all packages, a statement on new failures."""
    section = builder.place_heading(results, _REGRESSION)
    counts = handoff.regression
    if counts is None:
        message = f"{handoff.id} records no full regression with numbers"
        expected = "total, passed, failed and skipped of all staged packages"
        yield RuleFinding(message, f"{handoff.id} regression", section, expected, "no numbers")
        return
    for name in ("total", "passed", "failed"):
        if getattr(counts, name) is None and not (name == "failed" and counts.total == counts.passed):
            message = f'the full regression of {handoff.id} gives no number for "{name}"'
            actual = builder.describe_counts(counts) or "no numbers"
            yield RuleFinding(message, f"{handoff.id} regression.{name}", section, f"{name}: a number", actual)
    yield from _find_narrow_run(context, handoff, counts, results)
    if builder.find_fact(handoff, "new failures introduced", results) is None:
        message = f"the full regression of {handoff.id} does not say whether it has new failures"
        expected = "New failures introduced by this agent: NONE, or a list"
        yield RuleFinding(message, f"{handoff.id} new failures", section, expected, "not said")


def _find_narrow_run(context: Context, handoff: Handoff, counts: TestCounts, results: Document) -> Findings:
    """Finds signs that not all packages were tested."""
    place = builder.place_heading(results, _REGRESSION)
    own = handoff.tests
    if not counts.command:
        message = f"the full regression of {handoff.id} does not give its command"
        expected = "Command: the command that was run"
        yield RuleFinding(message, f"{handoff.id} regression.command", place, expected, "no command")
    if own and own.total is not None and counts.total is not None and counts.total < own.total:
        message = f"the full regression of {handoff.id} ran fewer tests than its package alone"
        where, expected = builder.place_count(handoff, results, "regression", "total"), f"at least {own.total} tests"
        yield RuleFinding(message, f"{handoff.id} regression.total", where, expected, f"{counts.total} tests")
    named = _find_named_packages(context, counts.command or "")
    staged = handoff.baseline.packages if handoff.baseline else None
    if named and staged is not None and len(named) < staged:
        message = f"the full regression of {handoff.id} ran {len(named)} packages of {staged}"
        expected = f"all {staged} staged packages"
        yield RuleFinding(message, f"{handoff.id} regression.packages", place, expected, ", ".join(named))


def _find_named_packages(context: Context, command: str) -> list[str]:
    """Returns the packages that a command names, without those it ignores."""
    prefix = re.escape(context.settings.builder.package_prefix)
    return list(
        dict.fromkeys(compile_known(rf"{prefix}[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*").findall(_LEFT_OUT.sub("", command)))
    )


def find_baseline_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the baseline: packages, tests, and no fewer tests than were just run."""
    place = builder.place_heading(results, _BASELINE)
    packages = handoff.baseline.packages if handoff.baseline else None
    tests = handoff.baseline.tests if handoff.baseline else None
    least = context.settings.builder.packages_minimum
    if packages is None or packages < least:
        message = f"the baseline of {handoff.id} does not say how many packages are installed"
        expected = f"Packages installed: {least} or more"
        actual = "not said" if packages is None else str(packages)
        yield RuleFinding(message, f"{handoff.id} baseline.packages", place, expected, actual)
    if tests is None:
        message = f"the baseline of {handoff.id} does not say how many tests there are"
        expected = "Total tests (all staged): a number"
        yield RuleFinding(message, f"{handoff.id} baseline.tests", place, expected, "not said")
    ran = handoff.regression.total if handoff.regression else None
    if tests is not None and ran is not None and tests < ran:
        message = f"the baseline of {handoff.id} has fewer tests than its own regression ran"
        where = builder.place_claim(handoff, results, ClaimKind.BASELINE, "tests", _BASELINE)
        yield RuleFinding(message, f"{handoff.id} baseline.tests", where, f"at least {ran} tests", f"{tests} tests")


def find_clean_room_gaps(context: Context, handoff: Handoff, results: Document) -> Findings:
    """Finds gaps in the clean room: how many packages, in which order, and that all tests passed."""

    def report(problem: str, what: str, fact: Fact | None, expected: str) -> RuleFinding:
        place = (fact.where if fact else None) or builder.place_heading(results, _CLEAN_ROOM)
        message, actual = f"the clean room of {handoff.id} does not {problem}", fact.value if fact else "not said"
        return RuleFinding(message, f"{handoff.id} clean-room {what}", place, expected, actual)

    installed = builder.find_fact(handoff, "clean-room packages installed", results)
    order = builder.find_fact(handoff, "clean-room install order", results)
    passed = builder.find_fact(handoff, "clean-room all pass", results)
    match = _NUMBER.match(installed.value) if installed else None
    number = int(match.group(1)) if match else None
    least = context.settings.builder.packages_minimum
    if number is None or number < least:
        expected = f"Packages installed: {least} or more"
        yield report("say how many packages were installed", "packages", installed, expected)
    named = _find_named_packages(context, order.value) if order else []
    cut = order is not None and order.value.endswith("…")
    if not named or (number is not None and len(named) != number and not cut):
        expected = "Install order: one package per installation" if number is None else plural(number, "package")
        yield report("name each package in the order of installation", "order", order, expected)
    if passed is None or not builder.says_yes(context, passed.value):
        expected = "All tests pass after each install: YES"
        yield report("say that all tests passed after each installation", "tests", passed, expected)


@high_rule(
    holds="The newest results record a regression over all staged packages, with its numbers and its command.",
    reads="the full-regression section of the newest results",
    remedy="Run the tests of all staged packages. Record the four numbers, the command and any new failures.",
)
def full_regression_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_regression_gaps)


@high_rule(
    holds="The newest results record a baseline: how many packages and how many tests.",
    reads="the baseline in the newest results",
    remedy="Count the installed packages and all staged tests after the work, and record both.",
)
def baseline_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_baseline_gaps)


@high_rule(
    holds="The newest results record a clean-room installation: package count, install order and passing tests.",
    reads="the clean-room section of the newest results",
    remedy="Install all packages into an empty folder, run the tests after each, and record count, order and outcome.",
)
def clean_room_recorded(context: Context) -> Findings:
    return builder.find_gaps(context, find_clean_room_gaps)


_ITEMS = (
    "the results exist",
    "the results have all sections that a reviewer needs",
    "the clean room shows package count, install order and passing tests",
    "the baseline shows package count and test count",
    "the full regression was run over all staged packages",
    "no new failures against the previous baseline",
    "manifest hashes are written as sha256:<64 hex digits>",
    "the results lie where the naming convention wants them",
)

_HASHES = 7


@high_rule(
    holds="Every finished builder handoff meets all eight items of the reviewer's checklist.",
    reads="the newest results and the manifests of builder handoffs, item by item",
    remedy="Send the handoff back with the unmet items. It isn't validated until all eight are met.",
    moments=(CheckMoment.GATE,),
)
def reviewer_checklist_complete(context: Context) -> Findings:
    for handoff, results in builder.list_due(context) or context.skip("no builder handoff is ready for review"):
        unmet = _judge_record(context, handoff, results) if results else _judge_without_results(context, handoff)
        for number, gap in unmet:
            message = f"{handoff.id} does not meet item {number}, {_ITEMS[number - 1]}: {gap.message}"
            yield RuleFinding(message, f"{handoff.id} item {number}", gap.place, gap.expected, gap.actual)


def _judge_without_results(context: Context, handoff: Handoff) -> Iterator[tuple[int, RuleFinding]]:
    """Reports every item but the hashes of manifests, the only ones that need no results."""
    place = Place(path=handoff.documents[0].path)
    for number, _ in enumerate(_ITEMS, start=1):
        if number != _HASHES:
            yield number, RuleFinding("there are no results", "results", place, f"{handoff.id}_RESULTS.md", "none")
        elif malformed := next(_find_malformed_hashes(context, handoff), None):
            yield number, malformed


def _judge_record(context: Context, handoff: Handoff, results: Document) -> Iterator[tuple[int, RuleFinding]]:
    """Yields the first gap of each item; the rule for that item reports all of them."""
    known = {other.id: other for other in context.every_handoff()}
    earlier = builder.find_earlier(handoff, known, lambda other: other.regression is not None)
    failures = (
        *builder.find_told_failures(context, handoff, results),
        *builder.find_more_failures(handoff, earlier, results),
    )
    gaps: tuple[Findings, ...] = (
        find_unreadable(context, {results.path}),
        _find_missing_sections(context, results),
        find_clean_room_gaps(context, handoff, results),
        find_baseline_gaps(context, handoff, results),
        find_regression_gaps(context, handoff, results),
        iter(failures),
        _find_malformed_hashes(context, handoff),
        _find_misplacement(context, handoff, results),
    )
    for number, found in enumerate(gaps, start=1):
        first = next(found, None)
        if first is not None:
            yield number, first


def _find_missing_sections(context: Context, results: Document) -> Findings:
    wanted = context.settings.builder.checklist_sections
    missing = [name for name in wanted if name in results.missing]
    if missing or not results.sections:
        lacking = ", ".join(missing) or "all sections"
        yield RuleFinding(
            f"missing: {lacking}", "sections", Place(path=results.path), ", ".join(wanted), f"without {lacking}"
        )


def _find_malformed_hashes(context: Context, handoff: Handoff) -> Findings:
    pattern = context.settings.builder.hash_pattern
    manifests = [document.path for document in handoff.documents if document.role.value == "manifest"]
    yield from find_unreadable(context, manifests)
    for package in handoff.packages:
        for asset in package.assets:
            if not re.match(pattern, asset.sha256 or ""):
                message = f"the hash of {asset.path} in {package.id} is not"
                yield RuleFinding(message, "hash", package.where, "sha256:<64 hex digits>", asset.sha256 or "no hash")


def _find_misplacement(context: Context, handoff: Handoff, results: Document) -> Findings:
    names = context.settings.builder.file_names
    wanted = f"{handoff.id}/{handoff.id}_{names['results']}.md"
    if not f"/{results.path}".endswith(f"/{wanted}"):
        yield RuleFinding(f"they are {results.path}", "place", Place(path=results.path), wanted, results.path)


_ATTEMPT = compile_later(r"(?:_ATTEMPT_[0-9]{1,3})?\.md")


@medium_rule(
    holds="Every builder handoff has an id and file names that fit the standard.",
    reads="ids, titles and paths of builder handoffs",
    remedy="Give the handoff a standard id, and move its files into a folder with that name.",
)
def names_fit_the_standard(context: Context) -> Findings:
    names = context.settings.builder.file_names
    for handoff in builder.require_builders(context):
        documents = [document for document in handoff.documents if document.role.value in names]
        yield from _judge_id(context, handoff, documents)
        for document in documents:
            yield from _judge_place(context, handoff, document, names[document.role.value])


def _judge_id(context: Context, handoff: Handoff, documents: list[Document]) -> Findings:
    patterns = context.settings.builder.id_patterns
    if not _fits(handoff.id, patterns):
        message = f"the id {handoff.id} does not fit the standard"
        place = Place(path=documents[0].path) if documents else None
        expected = "H-<number>, H-<number><letter> or CLEANUP-<number>"
        yield RuleFinding(message, f"{handoff.id} id", place, expected, handoff.id)
    for document in documents:
        words = re.findall(r"[A-Za-z0-9.-]+", document.title or "")
        named = [word for word in words if _fits(word, patterns)]
        if named and handoff.id not in named:
            message = f"{document.path} belongs to {handoff.id}, but its title says {named[0]}"
            place = Place(path=document.path, line=document.sections[0].line if document.sections else None)
            yield RuleFinding(message, "title", place, handoff.id, named[0])


def _judge_place(context: Context, handoff: Handoff, document: Document, word: str) -> Findings:
    folders = context.settings.builder.handoff_folders
    folder, _, name = document.path.rpartition("/")
    above, _, own = folder.rpartition("/")
    stem = f"{handoff.id}_{word}"
    named = name.startswith(stem) and _ATTEMPT.fullmatch(name[len(stem) :]) is not None
    if named and own == handoff.id and any(f"/{above}".endswith(f"/{known}") for known in folders):
        return
    root = folder if any(f"/{folder}".endswith(f"/{known}") for known in folders) else above
    root = root if any(f"/{root}".endswith(f"/{known}") for known in folders) else folders[-1]
    target = f"{root}/{handoff.id}/{name if named else f'{stem}.md'}"
    move = f"git mv {shlex.quote(document.path)} {shlex.quote(target)}"
    message = f"{document.path} is not where the standard wants the {document.role.value} of {handoff.id}"
    command = f"mkdir -p {shlex.quote(f'{root}/{handoff.id}')} && {move}"
    yield RuleFinding(message, "place", Place(path=document.path), target, document.path, command)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(compile_known(pattern).match(name) for pattern in patterns)


_NUMBERED = compile_later(r"[0-9]{1,3}[.)]\s+\S")
_CONSTRAINTS = "Critical Constraints"


@high_rule(
    holds="Every spec has the sections of the standard, filled in and in order.",
    reads="specs of builder handoffs",
    remedy="Add the missing sections, fill in the empty ones, and put them in the order of the standard.",
)
def spec_sections_in_order(context: Context) -> Findings:
    for handoff in builder.list_of_this_standard(context):
        specs = builder.list_documents(handoff, DocumentRole.SPEC)
        if not specs and handoff.registry is not RegistryState.SUPERSEDED:
            yield _build_missing_spec(handoff)
        for spec in specs:
            unreadable = list(find_unreadable(context, {spec.path}))
            yield from unreadable or _judge_spec(context, handoff, spec)


def _build_missing_spec(handoff: Handoff) -> RuleFinding:
    first = handoff.documents[0].path
    message = f"{handoff.id} has no spec: nothing says what was to be built"
    return RuleFinding(message, f"{handoff.id} spec", Place(path=first), "a spec", "none")


def _judge_spec(context: Context, handoff: Handoff, spec: Document) -> Findings:
    names = context.settings.builder.spec_sections
    for name in spec.out_of_order:
        message = f'the section "{name}" of the spec of {handoff.id} comes after one that should follow it'
        expected = f"section {names.index(name) + 1} of {len(names)}" if name in names else None
        yield RuleFinding(message, f"order {name}", builder.place_heading(spec, name), expected, "out of order")
    yield from _find_section_gaps(context, f"the spec of {handoff.id}", spec, names)
    yield from _judge_constraints(context, handoff, spec)


def _find_section_gaps(context: Context, whose: str, document: Document, names: tuple[str, ...]) -> Findings:
    """Finds the sections that a document lacks, and those with nothing under their heading."""
    is_spec = document.role is DocumentRole.SPEC
    for name in document.missing:
        message = f'{whose} {"has" if is_spec else "have"} no section "{name}"'
        yield RuleFinding(message, f"section {name}", Place(path=document.path), f'a section "{name}"', "missing")
    for section in builder.find_empty_sections(context, document, names):
        message = f'the section "{section.title}" of {whose} is empty'
        place = Place(path=document.path, line=section.line)
        expected = "text under the heading" if is_spec else "what was done, or NONE"
        yield RuleFinding(message, f"empty {section.title}", place, expected, "nothing")


def _judge_constraints(context: Context, handoff: Handoff, spec: Document) -> Findings:
    """Finds missing standard constraints; a spec may only add to them."""
    section = builder.find_heading(spec, _CONSTRAINTS)
    body = builder.read_body(context, spec, section) if section else []
    least = context.settings.builder.constraints_minimum
    listed = sum(_NUMBERED.match(text) is not None for _, text in body)
    if section is not None and body and listed < least:
        message = f"the spec of {handoff.id} leaves out constraints that the standard always wants"
        expected = f"at least {least} numbered constraints"
        yield RuleFinding(message, "constraints", Place(path=spec.path, line=section.line), expected, f"{listed}")


_IN_ITS_HEADING = "Status"
"""The one section that may be just a heading."""


@high_rule(
    holds="The newest results of every builder handoff have all sections of the standard.",
    reads="the newest results of builder handoffs",
    remedy="Write the missing sections. Where there was nothing to do, say NONE and why.",
)
def results_sections_present(context: Context) -> Findings:
    for handoff, results in builder.list_due(context) or context.skip(
        "no builder handoff has results, and none are due yet"
    ):
        if results is not None:
            yield from list(find_unreadable(context, {results.path})) or _judge_results(context, handoff, results)
        else:
            message, expected = f"{handoff.id} has no results", f"{handoff.id}_RESULTS.md"
            yield RuleFinding(message, f"{handoff.id} results", Place(path=handoff.documents[0].path), expected, "none")


def _judge_results(context: Context, handoff: Handoff, results: Document) -> Findings:
    names = tuple(name for name in context.settings.builder.results_sections if name != _IN_ITS_HEADING)
    yield from _find_section_gaps(context, f"the results of {handoff.id}", results, names)
