"""The table of rules, and that its rules stand alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from handoff_tui.checks import rules
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.rule import NotApplicableError, Rule, System
from tests.support.world import MemoryWorld, judge

FOLDER = Path(rules.__path__[0])
PARSED = {
    ".".join([rules.__name__, *path.relative_to(FOLDER).with_suffix("").parts]): ast.parse(path.read_text("utf-8"))
    for path in FOLDER.rglob("*.py")
}


def list_rules(module: ast.Module) -> list[str]:
    return [
        node.name.replace("_", "-")
        for node in module.body
        if isinstance(node, ast.FunctionDef) and any("_rule'" in ast.dump(mark) for mark in node.decorator_list)
    ]


def test_every_rule_is_in_the_table_once() -> None:
    """No rule is forgotten, and no id is used twice."""
    written = [name for module in PARSED.values() for name in list_rules(module)]
    assert sorted(rule.id for rule in RULES) == sorted(written)
    assert len(set(written)) == len(written)


def test_rules_know_nothing_of_each_other() -> None:
    """A file with rules is imported by no other; what several need has a file without rules."""
    with_rules = {name for name, module in PARSED.items() if list_rules(module)}
    imported = {
        node.module for module in PARSED.values() for node in ast.walk(module) if isinstance(node, ast.ImportFrom)
    }
    assert with_rules & imported == set()


def test_rules_speak_in_sentences() -> None:
    """What holds and what to do are sentences; what is read goes on from "Reads"."""
    for rule in RULES:
        assert rule.holds[0].isupper() or rule.holds.startswith("uncommitted_files"), rule.id
        assert (rule.holds[-1], rule.remedy[-1], rule.reads[-1] == ".") == (".", ".", False), rule.id


NOTHING_HERE = {
    System.MOSAIC: "no session state under review",
    System.BUILDER: "no builder handoff here",
    System.PROCEDURE: "no handoff passes work on to another phase",
    System.TDD: "no TDD cycle here",
    System.HUB: "no hub handoff here",
    System.PUBLIC: "no handoff in a public format here",
    System.ALL: "no handoff here",
}
OTHER_REASONS = {
    "agent-ready": "no handoff names who takes over",
    "changes-are-documented": "no handoff here",
    "checkpoint-cleared": "no handoff format with checkpoints here",
    "claimed-commits-match-git": "no mosaic handoff here",
    "connections-stable": "no remote is configured",
    "data-intact": "no checksum is mentioned",
    "deployment-answers": "no deployment is claimed to be live",
    "handoff-notes-parse": "no TDD note or state file here",
    "lock-not-stale": "no agent holds a lock",
    "nothing-unpushed": "no handoff here",
    "referenced-files-exist": "no document under review names a file",
    "resolved-blockers-have-evidence": "no blocker is marked resolved",
    "state-consistent": "no procedure and no TDD cycle here",
    "state-files-exist": "no session state here",
    "uncommitted-files-agree": "no gsd handoff here",
    "wave-is-integrated": "no builder handoff belongs to a wave",
    "work-can-be-compared": "asked about one handoff only",
    **dict.fromkeys(
        [
            *("assertions-not-weakened", "check-configuration-unchanged", "ci-unchanged", "no-new-skips"),
            *("settings-unchanged", "tests-not-deleted", "thresholds-not-lowered"),
        ],
        "no baseline: nothing was pushed or approved yet, and none was named",
    ),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_is_skipped_in_a_repository_without_handoffs(rule: Rule) -> None:
    """It neither passes nor fails, and says what it misses."""
    with pytest.raises(NotApplicableError) as skipped:
        judge(rule, MemoryWorld({"a.txt": ""}))
    assert str(skipped.value) == OTHER_REASONS.get(rule.id, NOTHING_HERE[rule.system])
