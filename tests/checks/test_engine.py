"""Context, engine and report: how rules are asked and answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from handoff_tui.checks.context import Answers, Context, WorldQuestion, digest_value
from handoff_tui.checks.engine import CachedResult, RuleEngine, RuleOverride, build_fingerprint, is_blocking
from handoff_tui.checks.report import CheckResult, Evidence, Outcome
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.world import Change, CommitInfo, Disagreements, World
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Place, Problem, Severity
from tests.support.check_reports import build_report, build_result
from tests.support.format_states import build_state
from tests.support.world import HEAD, MemoryWorld

NOTE = "# Handoff\n\nWorked on `a.txt`.\n"

COMMIT = CommitInfo(HEAD, (), "A", "a@x", "2026-01-01", "s", "")


def build_world() -> MemoryWorld:
    return MemoryWorld(
        files={"a.txt": "text", "odd": b"\xff", "HANDOFF.md": NOTE, **build_state()},
        log=(COMMIT,),
        touched={"x": ("a.txt",)},
        documents={"a.txt": "d" * 40},
        old_files={("x", "a.txt"): b"old"},
        base="c" * 40,
        changed=(Change("A", "a.txt"),),
        executables=frozenset({"a.txt"}),
        programs={"git": "/bin/git"},
        known_remotes={"origin": "/srv/x"},
        reached={"origin": False},
        addresses={"https://x": 200},
        given_settings=Settings(checks={"own": Check(python="mine:find", parameters={"minimum": 3})}),
    )


def build_context(scope: str | None = None) -> Context:
    return Context(Answers(build_world()), scope, "own")


QUESTIONS: list[tuple[WorldQuestion, Callable[[Context], object], object]] = [
    (WorldQuestion("read", ("a.txt",)), lambda context: context.read("a.txt"), b"text"),
    (WorldQuestion("read", ("a.txt",)), lambda context: context.read_text("a.txt"), "text"),
    (WorldQuestion("read", ("none",)), lambda context: context.read_text("none"), None),
    (WorldQuestion("read", ("odd",)), lambda context: context.read_text("odd"), "\ufffd"),
    (WorldQuestion("exists", ("a.txt",)), lambda context: context.exists("a.txt"), True),
    (WorldQuestion("find", ("a.txt", "x.md")), lambda context: context.find("a.txt", "x.md"), "a.txt"),
    (WorldQuestion("is_executable", ("a.txt",)), lambda context: context.is_executable("a.txt"), True),
    (WorldQuestion("is_writable", ("a.txt",)), lambda context: context.is_writable("a.txt"), True),
    (WorldQuestion("find_program", ("git",)), lambda context: context.find_program("git"), "/bin/git"),
    (WorldQuestion("commits"), lambda context: context.commits(), (COMMIT,)),
    (WorldQuestion("commit", (HEAD[:7],)), lambda context: context.commit(HEAD[:7]), HEAD),
    (WorldQuestion("lag", (HEAD,)), lambda context: context.lag(HEAD), 0),
    (WorldQuestion("commit_paths", ("x",)), lambda context: context.commit_paths("x"), ("a.txt",)),
    (WorldQuestion("document_commit", ("a.txt",)), lambda context: context.document_commit("a.txt"), "d" * 40),
    (WorldQuestion("is_cut_off", (HEAD,)), lambda context: context.is_cut_off(HEAD), False),
    (WorldQuestion("read_at", ("x", "a.txt")), lambda context: context.read_at("x", "a.txt"), b"old"),
    (WorldQuestion("baseline"), lambda context: context.baseline(), "c" * 40),
    (WorldQuestion("baseline"), lambda context: context.require_baseline(), "c" * 40),
    (WorldQuestion("changes"), lambda context: context.changes(), (Change("A", "a.txt"),)),
    (WorldQuestion("remotes"), lambda context: context.remotes(), (("origin", "/srv/x"),)),
    (WorldQuestion("reaches", ("origin",)), lambda context: context.reaches("origin"), False),
    (WorldQuestion("answers", ("https://x",)), lambda context: context.answers("https://x"), 200),
    (WorldQuestion("now"), lambda context: context.now(), datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),
    (WorldQuestion("facts"), lambda context: context.facts().branch, "main"),
    (WorldQuestion("problems"), lambda context: context.problems(), ()),
    (WorldQuestion("handoff_names"), lambda context: context.handoff_names()[0].id, "mosaic"),
    (WorldQuestion("handoff", ("gone",)), lambda context: context.handoff("gone"), None),
    (WorldQuestion("own_paths", ("mosaic",)), lambda context: context.own_paths("mosaic"), ("a.txt",)),
    (WorldQuestion("disagreements", ("mosaic",)), lambda context: context.disagreements("mosaic"), Disagreements()),
    (WorldQuestion("deleted_paths", ("handoff",)), lambda context: context.deleted_paths("handoff"), ()),
    (WorldQuestion("phase_signers", ("mosaic", "a")), lambda context: context.phase_signers("mosaic", "a"), ()),
    (WorldQuestion("signers", ("mosaic",)), lambda context: context.signers("mosaic"), None),
    (WorldQuestion("verdicts", ("mosaic",)), lambda context: len(context.verdicts("mosaic")) > 0, True),
    (WorldQuestion("paths"), lambda context: "a.txt" in context.paths(), True),
    (WorldQuestion("parameters", ("own",)), lambda context: context.parameters(), {"minimum": 3}),
    (WorldQuestion("usual_severity", ("VR007",)), lambda context: context.usual_severity("VR007"), "medium"),
    (WorldQuestion("settings", ("mosaic", "folder")), lambda context: context.settings.mosaic.folder, ".mosaic"),
    (
        WorldQuestion("settings", ("mosaic", "health", "path")),
        lambda context: context.settings.mosaic.health.path,
        "/health",
    ),
    (WorldQuestion("settings", ("agents",)), lambda context: context.settings.agents, {}),
]


@pytest.mark.parametrize(("question", "ask", "answer"), QUESTIONS, ids=[str(row[0].name) for row in QUESTIONS])
def test_context_records_every_question(
    question: WorldQuestion, ask: Callable[[Context], object], answer: object
) -> None:
    """The answer is the world's; its digest is recorded, and is the same in another run."""
    context = build_context()
    assert ask(context) == answer
    assert list(context.manifest) == [question]
    assert Answers(build_world()).find_difference(context.manifest) is None
    assert Answers(build_world()).find_difference({question: "another digest"}) == question


def test_every_question_of_the_world_is_tested() -> None:
    """So that none goes unrecorded."""
    questions = {"settings", *(name for name in vars(World) if not name.startswith("_"))}
    assert questions == {question.name for question, _, _ in QUESTIONS}


def test_unknown_question_is_a_difference() -> None:
    """A manifest of another version, with questions that nobody asks any more, is never used."""
    for unknown in (WorldQuestion("weather", ("today",)), WorldQuestion("settings", ("gone", "setting"))):
        assert Answers(build_world()).find_difference({unknown: "sunny"}) == unknown


def test_old_content_is_not_asked_for_again() -> None:
    """The content of a path at a full commit id never changes; a missing one may arrive, and a branch may move."""
    kept, missing, named = (
        WorldQuestion("read_at", about) for about in ((HEAD, "a.txt"), (HEAD, "b.txt"), ("main", "a.txt"))
    )
    world = MemoryWorld(old_files={(HEAD, "b.txt"): b"arrived", ("main", "a.txt"): b"moved"})
    assert Answers(world).find_difference({kept: digest_value(b"old")}) is None
    assert Answers(world).find_difference({missing: digest_value(None)}) == missing
    assert Answers(world).find_difference({named: digest_value(b"old")}) == named


def test_digest_tells_answers_apart() -> None:
    """Values of different kinds that look alike have different digests; equal ones have equal digests."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    first, second = (Problem(path="a", message=message) for message in ("x", "y"))
    surrogates = ("\udcff", "\udcfe")
    values: list[object] = [None, b"", b"a", "a", "", (), ("a",), 0, 1, True, {"a": 1}, moment, first, second]
    assert len({digest_value(value) for value in (*values, *surrogates)}) == len(values) + 2
    assert digest_value({"a": 1, "b": 2}) == digest_value({"b": 2, "a": 1})
    assert digest_value((first,)) == digest_value((first.model_copy(),))
    assert digest_value(frozenset({"a"})) == digest_value(frozenset({"a"}))


class Judge:
    """A judgement over one file and one setting that counts how often it was asked."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, context: Context) -> Iterator[RuleFinding]:
        self.runs += 1
        limit = context.settings.mosaic.handoff_message_minimum
        text = context.read_text("a.txt") or ""
        if len(text) > limit:
            yield RuleFinding("a.txt is too long", "length", Place(path="a.txt", line=1), str(limit), str(len(text)))


def build_rule(judge: object = None, **changes: object) -> Rule:
    fields: dict[str, object] = {
        "id": "text-is-short",
        "system": System.ALL,
        "severity": Severity.HIGH,
        "holds": "The text is short.",
        "reads": "a.txt",
        "remedy": "Shorten it.",
        "judge": judge or Judge(),
    }
    return Rule(**{**fields, **changes})  # type: ignore[arg-type]


def find_nothing(_: Context) -> Iterable[RuleFinding]:
    return ()


def run(rule: Rule, world: MemoryWorld | None = None, **options: object) -> tuple[CheckResult, RuleEngine]:
    engine = RuleEngine(Answers(world or MemoryWorld()), **options)  # type: ignore[arg-type]
    [result] = engine.run([rule])
    return result, engine


def test_rule_that_finds_nothing_passes() -> None:
    """A pass says what is true, needs no remedy, and has a digest and a duration."""
    result, _ = run(build_rule())
    assert (result.outcome, result.summary, result.findings) == (Outcome.PASS, "The text is short.", ())
    assert result.remedy is None
    assert result.inputs_digest is not None
    assert result.duration is not None
    assert (result.from_cache, result.rerun_because) == (False, "no earlier result")


def test_pass_shows_the_notes_of_the_rule() -> None:
    """What the rule tolerated is shown even though it passed."""

    def judge(context: Context) -> Iterable[RuleFinding]:
        context.note("2 commits behind")
        context.note("1 left out")
        return ()

    assert run(build_rule(judge))[0].summary == "The text is short. (2 commits behind) (1 left out)"


def test_rule_that_finds_something_fails_with_evidence_and_remedy() -> None:
    """A finding keeps its place and what was expected; the commands of findings come before those of the rule."""

    def judge(_: Context) -> Iterator[RuleFinding]:
        place = Place(path="a.txt", line=7)
        yield RuleFinding("first is wrong", "first", place, "1", "2", command="fix first")
        yield RuleFinding("second is wrong", "second", command="fix first")
        yield RuleFinding("third is wrong", "third", actual="3")

    result, _ = run(build_rule(judge, commands=("fix all",)))
    assert (result.outcome, result.summary) == (Outcome.FAIL, "first is wrong (and 2 more)")
    assert [finding.message for finding in result.findings] == ["first is wrong", "second is wrong", "third is wrong"]
    assert result.findings[0].evidence == (Evidence(path="a.txt", line=7, expected="1", actual="2"),)
    assert result.findings[1].evidence == ()
    assert result.findings[2].evidence == (Evidence(actual="3"),)
    assert result.remedy is not None
    assert (result.remedy.text, result.remedy.commands) == ("Shorten it.", ("fix first", "fix all"))


def test_findings_are_capped_but_counted() -> None:
    """A rule that finds a thousand things shows two hundred of them and says how many there are."""
    many = [RuleFinding(f"{number} is wrong", str(number), command=f"fix {number}") for number in range(1000)]
    result, _ = run(build_rule(lambda _: many))
    assert len(result.findings) == 200
    assert result.summary == "0 is wrong (and 999 more)"
    assert result.remedy is not None
    assert len(result.remedy.commands) == 10


def test_rule_that_raises_is_an_error_with_a_reason() -> None:
    """An exception in a rule, even after its first finding, is a failed check that blocks, never a crash."""

    def judge(_: Context) -> Iterator[RuleFinding]:
        yield RuleFinding("lost", "lost")
        raise KeyError("colour")

    result, engine = run(build_rule(judge))
    assert (result.outcome, result.summary) == (Outcome.ERROR, "the rule raised KeyError: 'colour'")
    assert result.blocking
    assert result.remedy is not None
    assert engine.remembered == {}


def test_interruption_of_a_rule_is_not_swallowed() -> None:
    """A person who interrupts ends the run."""

    def judge(_: Context) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(build_rule(judge))


def test_rule_that_cannot_tell_is_unknown_and_keeps_its_blocking() -> None:
    """Unknown isn't a pass: the result blocks as a failure would, and has a remedy."""
    result, _ = run(build_rule(lambda context: context.undecidable("HEAD is detached")))
    assert (result.outcome, result.summary, result.blocking) == (Outcome.UNKNOWN, "HEAD is detached", True)
    assert result.remedy is not None


def test_disabled_rule_does_not_run() -> None:
    """What the configuration turns off leaves no result."""
    judge = Judge()
    engine = RuleEngine(Answers(MemoryWorld()), overrides={"text-is-short": RuleOverride(enabled=False)})
    assert engine.run([build_rule(judge)]) == []
    assert judge.runs == 0


@pytest.mark.parametrize(
    ("severity", "own", "override", "blocks"),
    [
        (Severity.CRITICAL, None, RuleOverride(), True),
        (Severity.HIGH, None, RuleOverride(), True),
        (Severity.MEDIUM, None, RuleOverride(), False),
        (Severity.LOW, None, RuleOverride(), False),
        (Severity.LOW, True, RuleOverride(), True),
        (Severity.CRITICAL, False, RuleOverride(), False),
        (Severity.MEDIUM, None, RuleOverride(severity=Severity.HIGH), True),
        (Severity.HIGH, None, RuleOverride(severity=Severity.LOW), False),
        (Severity.MEDIUM, False, RuleOverride(severity=Severity.CRITICAL), False),
        (Severity.CRITICAL, True, RuleOverride(blocking=False), False),
        (Severity.LOW, False, RuleOverride(blocking=True), True),
    ],
)
def test_blocking_follows_configuration_then_rule_then_severity(
    *, severity: Severity, own: bool | None, override: RuleOverride, blocks: bool
) -> None:
    """The configuration has the first word, the rule the second, the severity the last."""
    rule = build_rule(find_nothing, severity=severity, blocking=own)
    result, _ = run(rule, overrides={rule.id: override})
    assert result.blocking is is_blocking(rule, override) is blocks
    assert result.severity is (override.severity or severity)


def remember(rule: Rule, world: MemoryWorld) -> dict[str, CachedResult]:
    return run(rule, world)[1].remembered


@pytest.mark.parametrize(("text", "outcome"), [("short", Outcome.PASS), ("long " * 20, Outcome.FAIL)])
def test_cached_result_is_used_when_nothing_changed(text: str, outcome: Outcome) -> None:
    """A pass or a failure with its findings: the rule does not run, unless it is asked to."""
    judge = Judge()
    rule = build_rule(judge)
    cached = remember(rule, MemoryWorld(files={"a.txt": text}))
    result, engine = run(rule, MemoryWorld(files={"a.txt": text, "b.txt": "new"}), cached=cached)
    assert (judge.runs, result.from_cache, result.rerun_because) == (1, True, None)
    assert (result.outcome, result.findings) == (outcome, cached[rule.id].result.findings)
    assert engine.remembered == cached
    fresh, _ = run(rule, MemoryWorld(files={"a.txt": text}), cached=cached, fresh=True)
    assert (judge.runs, fresh.from_cache, fresh.rerun_because) == (2, False, "asked to run afresh")


@pytest.mark.parametrize(
    ("world", "reason"),
    [
        (MemoryWorld(files={"a.txt": "other"}), "a.txt changed"),
        (MemoryWorld(), "a.txt changed"),
        (
            MemoryWorld(files={"a.txt": "short"}, overrides={"mosaic.handoff_message_minimum": 3}),
            "setting mosaic.handoff_message_minimum changed",
        ),
    ],
    ids=["content", "absence", "setting"],
)
def test_changed_answer_runs_the_rule_again(world: MemoryWorld, reason: str) -> None:
    """A result is not reused when one of its answers differs, and the new one names what changed."""
    judge = Judge()
    rule = build_rule(judge)
    cached = remember(rule, MemoryWorld(files={"a.txt": "short"}))
    result, engine = run(rule, world, cached=cached)
    assert (judge.runs, result.from_cache, result.rerun_because) == (2, False, reason)
    assert engine.remembered[rule.id].manifest != cached[rule.id].manifest


def test_changed_rule_uses_no_earlier_result() -> None:
    """A rule that judges differently has another version, and another digest of the same inputs."""
    cached = remember(build_rule(), MemoryWorld())
    result, _ = run(build_rule(version=2), MemoryWorld(), cached=cached)
    assert result.rerun_because == "the rule itself changed"
    assert result.inputs_digest != cached["text-is-short"].result.inputs_digest


def test_cached_result_follows_the_configuration_of_now() -> None:
    """Severity and blocking are not inputs of a rule, so they are applied to what is remembered."""
    rule = build_rule()
    cached = remember(rule, MemoryWorld())
    override = RuleOverride(severity=Severity.LOW)
    result, _ = run(rule, MemoryWorld(), cached=cached, overrides={rule.id: override})
    assert (result.from_cache, result.severity, result.blocking) == (True, Severity.LOW, False)


def test_unknown_and_inapplicable_results_are_remembered_with_their_inputs() -> None:
    """They rest on what was read before the rule gave up, and hold as long as that does."""

    def judge(context: Context) -> NoReturn:
        context.read("a.txt")
        context.undecidable("too dark")

    rule = build_rule(judge)
    cached = remember(rule, MemoryWorld(files={"a.txt": "x"}))
    assert list(cached[rule.id].manifest) == [WorldQuestion("read", ("a.txt",))]
    assert run(rule, MemoryWorld(files={"a.txt": "x"}), cached=cached)[0].from_cache
    assert run(rule, MemoryWorld(files={"a.txt": "y"}), cached=cached)[0].rerun_because == "a.txt changed"


@pytest.mark.parametrize(
    ("ask", "outside"),
    [
        (lambda context: context.now(), True),
        (lambda context: context.find_program("git"), True),
        (lambda context: context.answers("https://x.example"), True),
        (lambda context: context.reaches("origin"), True),
        (lambda context: context.is_executable("a.txt"), True),
        (lambda context: context.is_writable("a.txt"), True),
        (lambda context: context.read("a.txt"), False),
        (lambda context: context.facts(), False),
    ],
)
def test_result_says_whether_it_rests_on_more_than_the_repository(
    *, ask: Callable[[Context], object], outside: bool
) -> None:
    """The clock, the network and the machine may change while the repository stands still."""

    def judge(context: Context) -> Iterable[RuleFinding]:
        ask(context)
        return ()

    assert run(build_rule(judge))[0].outside is outside


def test_fingerprint_tells_findings_apart() -> None:
    """Rule, path and subject each make another finding; a path that is not UTF-8 does no harm."""
    names = [
        ("r", "p", "s"),
        ("r2", "p", "s"),
        ("r", "p2", "s"),
        ("r", "p", "s2"),
        ("r", "", "ps"),
        ("r", "\udcff", ""),
    ]
    assert len({build_fingerprint(*name) for name in names}) == len(names)


GOOD = {Outcome.PASS, Outcome.NOT_APPLICABLE}


@pytest.mark.parametrize("outcome", Outcome)
def test_check_that_does_not_block_warns_at_most(outcome: Outcome) -> None:
    """Each failure of it is a warning."""
    report = build_report(build_result(outcome=outcome).model_copy(update={"blocking": False}))
    assert (report.verdict, report.warnings) == ("pass", 0 if outcome in GOOD else 1)


def test_report_groups_and_counts_its_results() -> None:
    """Blocking, warning, passed and not applicable share nothing; what does not apply is not counted."""
    report = build_report(
        build_result("warns", Outcome.FAIL, severity=Severity.LOW),
        build_result("blocks", Outcome.FAIL),
        build_result("blocks-worse", Outcome.ERROR, severity=Severity.CRITICAL),
        build_result("passed"),
        build_result("elsewhere", Outcome.NOT_APPLICABLE),
    )
    groups = (report.blocking_failures, report.warned, report.passing, report.not_applicable)
    assert [[result.id for result in group] for group in groups] == [
        ["blocks-worse", "blocks"],
        ["warns"],
        ["passed"],
        ["elsewhere"],
    ]
    assert (report.passed, report.total, report.warnings) == (1, 4, 1)
