"""The table of rules, and that its rules stand alone."""

from __future__ import annotations

import ast
from pathlib import Path

from handoff_tui.checks import rules
from handoff_tui.checks.registry import RULES

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
