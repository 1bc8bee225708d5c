from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from handoff_tui.checks.context import Answers, Context, Question
from handoff_tui.checks.engine import CachedResult, RuleEngine, RuleOverride, build_fingerprint, is_blocking
from handoff_tui.checks.result import CheckResult, Evidence, Outcome
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from tests.support.world import MemoryWorld


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


def test_rule_without_anything_to_judge_does_not_apply() -> None:
    """Not applicable has a reason and no remedy."""
    result, _ = run(build_rule(lambda context: context.skip("no text here")))
    assert (result.outcome, result.summary, result.remedy) == (Outcome.NOT_APPLICABLE, "no text here", None)


def test_rule_that_cannot_tell_is_unknown_and_keeps_its_blocking() -> None:
    """Unknown is no pass: the result blocks as a failure would, and has a remedy."""
    result, _ = run(build_rule(lambda context: context.undecidable("HEAD is detached")))
    assert (result.outcome, result.summary, result.blocking) == (Outcome.UNKNOWN, "HEAD is detached", True)
    assert result.remedy is not None


def test_results_come_in_order_and_are_told_at_once() -> None:
    """Each result is told before the next rule runs."""
    told: list[str] = []
    seen: list[list[str]] = []

    def judge(_: Context) -> Iterable[RuleFinding]:
        seen.append(list(told))
        return ()

    rules = [build_rule(judge, id=name) for name in ("one", "two", "three")]
    results = RuleEngine(Answers(MemoryWorld())).run(rules, lambda result: told.append(result.id))
    assert [result.id for result in results] == told == ["one", "two", "three"]
    assert seen == [[], ["one"], ["one", "two"]]


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
    assert list(cached[rule.id].manifest) == [Question("read", ("a.txt",))]
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


def test_equal_inputs_have_equal_digests() -> None:
    """The digest is over the rule and all it read, and nothing else."""
    same = [run(build_rule(), MemoryWorld(files={"a.txt": "x", "b.txt": text}))[0].inputs_digest for text in "12"]
    other = run(build_rule(), MemoryWorld(files={"a.txt": "y"}))[0].inputs_digest
    assert same[0] == same[1] != other


def test_fingerprint_survives_moved_lines() -> None:
    """The same finding on another line, with another count in its words, is the same finding."""
    fingerprints: set[str] = set()
    for line in (3, 300):
        found = RuleFinding(f"{line} things", "things", Place(path="a.txt", line=line))
        result, _ = run(build_rule(lambda _, found=found: [found]))
        fingerprints.add(result.findings[0].fingerprint)
    assert fingerprints == {build_fingerprint("text-is-short", "a.txt", "things")}


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


def test_result_knows_when_it_ran() -> None:
    """One from the cache ran when it was put there."""
    then, now = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    first, engine = run(build_rule(), now=then)
    again, _ = run(build_rule(), cached=engine.remembered, now=now)
    assert (first.ran_at, again.ran_at, again.from_cache) == (then, then, True)
