"""Reports of check runs for the tests of how they are shown."""

from __future__ import annotations

from hypothesis import strategies as st

from handoff_tui.checks.report import (
    CheckReport,
    CheckResult,
    ConsentState,
    Evidence,
    Finding,
    Outcome,
    Remedy,
    RuleInfo,
)
from handoff_tui.core.place import Severity

HEAD = "4b0c" * 10
BASELINE = "91fe" * 10

NASTY = (
    "]]>", "<!-- -->", "</failure>", "&amp;", "<script>alert(1)</script>", "::error file=x::y", "%0A::notice::z",
    "##[error]", "\n", "\r\n", "\u2028", "\x85", "\x1b[2J", "\x00", "\ufffe", "\uffff", "\ud800", "\udce9", "\u202e",
    "# SKIP no", "# TODO", "\n  ...\nok 99", "not ok 7", "Bail out!", "1..3", "pragma +bail", "|", "\\|", "\\", "`",
    "```\n# head", "![x](https://e.example/p.png)", "[a](0)", "{0}", "{{", "@someone", "#12", "- x", "1. x", "    x",
    "<details>", "</details>", "$x$", "https://e.example", "www.e.example", "~~x~~", "_a_", "**b**", '"', "'", ": ",
)  # fmt: skip


def nasty_texts() -> st.SearchStrategy[str]:
    """Anything, mixed with what has a meaning in one of the formats."""
    anything = st.text(alphabet=st.characters(codec=None), max_size=12)
    return st.lists(st.one_of(anything, st.sampled_from(NASTY)), max_size=4).map("".join)


def nasty_results() -> st.SearchStrategy[CheckResult]:
    texts = nasty_texts()
    evidence = st.builds(
        Evidence,
        path=st.none() | texts,
        line=st.none() | st.integers(-1, 9),
        expected=st.none() | texts,
        actual=st.none() | texts,
    )
    findings = st.builds(Finding, message=texts, fingerprint=texts, evidence=st.lists(evidence, max_size=2).map(tuple))
    remedies = st.builds(Remedy, text=texts, commands=st.lists(texts, max_size=2).map(tuple))
    return st.builds(
        CheckResult,
        id=texts,
        outcome=st.sampled_from(Outcome),
        severity=st.sampled_from(Severity),
        blocking=st.booleans(),
        summary=texts,
        findings=st.lists(findings, max_size=3).map(tuple),
        remedy=st.none() | remedies,
        duration=st.none() | st.floats(0, 100),
        from_cache=st.booleans(),
        rerun_because=st.none() | texts,
        flaky=st.booleans(),
        log=st.none() | texts,
    )


def nasty_reports() -> st.SearchStrategy[CheckReport]:
    """Reports with anything in every text."""
    return st.lists(nasty_results(), max_size=4).map(lambda results: build_report(*results)) | st.builds(
        CheckReport,
        mode=st.sampled_from(["pre", "post", "gate", "all"]),
        results=st.lists(nasty_results(), max_size=3).map(tuple),
        repository=nasty_texts(),
        baseline=st.none() | nasty_texts(),
        baseline_reason=st.none() | nasty_texts(),
        head=st.none() | nasty_texts(),
        handoff=st.none() | nasty_texts(),
        rules=st.lists(nasty_rules(), max_size=2).map(tuple),
        trust=st.none() | st.builds(ConsentState, digest=nasty_texts(), trusted=st.booleans()),
    )


def nasty_rules() -> st.SearchStrategy[RuleInfo]:
    texts = nasty_texts()
    return st.builds(
        RuleInfo,
        id=texts,
        system=texts,
        severity=st.sampled_from(Severity),
        blocking=st.booleans(),
        holds=texts,
        reads=texts,
        remedy=texts,
        moments=st.lists(texts, max_size=2).map(tuple),
    )


def build_report(*results: CheckResult, mode: str = "pre", rules: tuple[RuleInfo, ...] = ()) -> CheckReport:
    return CheckReport.model_validate(
        {
            "mode": mode,
            "results": results,
            "repository": "/home/me/orchard",
            "head": HEAD,
            "rules": rules,
        }
    )


def build_result(
    identifier: str = "ledger-exists",
    outcome: Outcome = Outcome.PASS,
    *findings: Finding,
    severity: Severity = Severity.HIGH,
    blocking: bool | None = None,
    summary: str = "the ledger is there",
    remedy: Remedy | None = None,
) -> CheckResult:
    heavy = severity in {Severity.CRITICAL, Severity.HIGH}
    return CheckResult(
        id=identifier,
        outcome=outcome,
        severity=severity,
        blocking=heavy if blocking is None else blocking,
        summary=summary,
        findings=findings,
        remedy=remedy,
        duration=0.002,
    )


def build_findings(number: int) -> tuple[Finding, ...]:
    return tuple(
        Finding(message=f"row {row} is wrong", fingerprint=f"{row:032x}", evidence=(Evidence(path="a.md", line=row),))
        for row in range(1, number + 1)
    )


def build_rule(identifier: str, severity: Severity = Severity.HIGH, system: str = "A mosaic") -> RuleInfo:
    return RuleInfo(
        id=identifier,
        system=system,
        severity=severity,
        blocking=severity in {Severity.CRITICAL, Severity.HIGH},
        holds=f"{identifier.replace('-', ' ')}.",
        reads="the state files",
        remedy="Write what is missing, then run `handoff-tui check`.",
        moments=("pre", "gate"),
    )


def build_blocked_report() -> CheckReport:
    """One of everything: each outcome, cached, run again, flaky, with a log, with a place and without one."""
    unpushed = build_result(
        "nothing-unpushed",
        Outcome.FAIL,
        Finding(
            message="2 commits of harvest are on no remote",
            fingerprint="aa" * 16,
            evidence=(Evidence(expected="0 commits", actual="2 commits"),),
        ),
        summary="2 commits of harvest are on no remote",
        remedy=Remedy(text="Push the branch.", commands=("git push origin harvest",)),
    )
    referenced = build_result(
        "referenced-files-exist",
        Outcome.FAIL,
        *(
            Finding(
                message=f"notes/{name}.md is named and not there",
                fingerprint=f"{number:032x}",
                evidence=(
                    Evidence(path="state/ledger.json", line=10 + number, expected="a file", actual="nothing"),
                    Evidence(path="docs/how to prune.md", line=3),
                ),
            )
            for number, name in enumerate(("apples", "pears", "plums", "quinces", "medlars", "sloes", "figs"))
        ),
        severity=Severity.CRITICAL,
        summary="notes/apples.md is named and not there (and 6 more)",
        remedy=Remedy(text="Add each file, or take its name out.", commands=("git status", "ls notes")),
    ).model_copy(update={"rerun_because": "state/ledger.json changed"})
    hung = build_result(
        "own-tests", Outcome.TIMEOUT, summary="no answer within 60 s", remedy=Remedy(text="Look at the output.")
    ).model_copy(update={"log": ".handoff-tui/logs/own-tests.log", "duration": 60.0})
    raised = build_result("wave-complete", Outcome.ERROR, summary="the rule raised KeyError: 'wave'")
    unsure = build_result(
        "deployment-answers", Outcome.UNKNOWN, severity=Severity.MEDIUM, summary="the network may not be used"
    )
    stale = build_result(
        "briefing-fresh",
        Outcome.FAIL,
        Finding(
            message="the briefing is 9 days old",
            fingerprint="bb" * 16,
            evidence=(Evidence(path="BRIEFING.md", line=1, expected="at most 7 days", actual="9 days"),),
        ),
        severity=Severity.LOW,
        summary="the briefing is 9 days old",
        remedy=Remedy(text="Write it anew."),
    ).model_copy(update={"flaky": True})
    cached = build_result("state-files-exist", summary="every state file is there").model_copy(
        update={"from_cache": True}
    )
    shaky = build_result("tree-clean", summary="nothing is uncommitted").model_copy(update={"flaky": True})
    absent = build_result("lock-not-stale", Outcome.NOT_APPLICABLE, summary="there is no lock")
    left = build_result("lint", Outcome.SKIPPED, severity=Severity.LOW, summary="it needs own-tests")
    stopped = build_result("proofs-match", Outcome.CANCELLED, severity=Severity.MEDIUM, summary="stopped by you")
    results = (cached, unpushed, referenced, shaky, hung, raised, unsure, stale, absent, left, stopped)
    rules = tuple(build_rule(result.id, result.severity) for result in results if not result.id.startswith("own"))
    return build_report(*results, rules=(*rules, build_rule("never-ran", Severity.MEDIUM, "B builder"))).model_copy(
        update={
            "baseline": BASELINE,
            "baseline_reason": "the last approval",
            "handoff": "H-4",
            "trust": ConsentState(digest="sha256:" + "0f" * 32, trusted=False),
        }
    )


def build_passing_report() -> CheckReport:
    names = ("state-files-exist", "tree-clean", "nothing-unpushed")
    results = [build_result(name, summary=f"{name.replace('-', ' ')}.") for name in names]
    return build_report(
        *(result.model_copy(update={"rerun_because": "no earlier result"}) for result in results),
        mode="post",
        rules=tuple(build_rule(name) for name in names),
    )


def build_hostile_report() -> CheckReport:
    """Every nasty text in a message, some of them in an id, a path, a value, a remedy and a command."""
    few = "a|b`c \x1b[2J\n# SKIP </x> ::error::,%\u202e"
    finding = Finding(
        message=" ".join(NASTY),
        fingerprint="cc" * 16,
        evidence=(Evidence(path=f"docs/{few}.md", line=2, expected=few, actual=few),),
    )
    remedy = Remedy(text=few, commands=(few, "```"))
    return build_report(
        build_result(f"own {few}", Outcome.FAIL, finding, summary=few, remedy=remedy),
        build_result("quiet", Outcome.NOT_APPLICABLE, summary=few),
        build_result("fine", summary=few),
    )
