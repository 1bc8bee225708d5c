"""One word per concept, in everything a person reads: docs, messages, comments and docstrings."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
NEVER = {
    "guillemets": r"[«»]",
    "remark (say comment)": r"\bremarks?\b",
    "dialect (say format)": r"\bdialects?\b",
    "vote (say entry or approval)": r"\bvot(?:e|es|ed|ing)\b",
    "sound, of a log (say intact)": r"\b(?:is|are|be|not|un) ?sound\b",
    "whose move (say needs you, agent's turn)": r"\b(?:your|nobody's|whose|owes the next) move\b",
    "figures (say metrics)": r"\bfigures\b",
    "may pass (say can go on)": r"\bmay (?:not )?pass\b|\blets? (?:it|them|the work) (?:pass|through)\b",
    "try 2 (say attempt 2)": r"\btry \d|\b(?:first|last|next|second|earlier) try\b",
    "us, of the program": r"\bwithout us\b|\boutlives us\b|\bfaults? of ours\b|\bbugs? of ours\b",
    "nothing where (say None if)": r"\bnothing (?:where|if|when|for) (?:there|it|the|what|a|no|none)\b",
    "for who": r"\bfor who(?:ever)? (?:only|knows|has|asks|wants)\b",
    "of any make, its own or not": r"\bof any make\b|\b(?:its|their) own or not\b",
    "whole, behind a noun": r"(?<!as a )(?<!the )(?<!a )\bwhole(?=[.,;:)]|$)",
    "does not agree (say doesn't match)": r"\bdo(?:es)? not agree\b",
}


def read_page(path: Path) -> Iterator[tuple[str, str]]:
    """Each line of a page, without what is code or output."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield f"{path.relative_to(ROOT)}:{number}", re.sub(r"`[^`]*`", "``", line)


def read_module(path: Path) -> Iterator[tuple[str, str]]:
    """Comments, docstrings and messages of a module: every string in which words are separated by blanks."""
    text = path.read_text(encoding="utf-8")
    place = path.relative_to(ROOT)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield f"{place}:{token.start[0]}", token.string
    patterns = set(find_patterns(ast.parse(text)))
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or " " not in node.value.strip():
            continue
        if (node.lineno, node.col_offset) not in patterns:
            yield f"{place}:{node.lineno}", re.sub(r"`[^`]*`", "``", node.value)


def find_patterns(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Where the regular expressions are: they look for the words of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in {
            "compile",
            "compile_later",
        }:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant):
                    yield inner.lineno, inner.col_offset


@pytest.mark.parametrize("name", NEVER)
def test_word_is_never_used(name: str) -> None:
    """voice: one concept, one word."""
    word = re.compile(NEVER[name], re.IGNORECASE | re.MULTILINE)
    texts = [*(found for path in PAGES for found in read_page(path)), *read_sources()]
    assert [f"{place}: {match[0]}" for place, text in texts for match in word.finditer(text)] == []


def read_sources() -> list[tuple[str, str]]:
    if not _SOURCES:
        _SOURCES.extend(found for path in sorted(SOURCE.rglob("*.py")) for found in read_module(path))
    return _SOURCES


_SOURCES: list[tuple[str, str]] = []
