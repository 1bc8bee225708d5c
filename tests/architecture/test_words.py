"""One word per concept, in everything a person reads: docs, messages, comments and docstrings."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *SOURCE.rglob("*.md")]
OTHER_FILES = [
    *(path for ending in ("toml", "tcss", "sh", "js", "json") for path in SOURCE.rglob(f"*.{ending}")),
    *(ROOT / "themes").glob("*.toml"),
    *(ROOT / name for name in ("Makefile", "pyproject.toml", ".ci/run")),
]
NEVER = {
    # one word per concept
    "try (say attempt)": r"\btry \d|\b(?:first|last|next|second|earlier|every|each|any|another|no|one|of a) try\b"
    r"|\b(?:its|the|their|all|of|two|many|few|more|between) tries\b",
    "round (say attempt, or time)": r"(?<!other way )(?<!way )\brounds?\b(?! trip)",
    "remark (say comment)": r"\bremarks?\b",
    "pass, of work (say can go on)": r"\bmay (?:not )?pass\b|\blets? (?:it|them|(?:the|this) \w+) (?:pass|through)\b"
    r"|\bpass(?:es|ed)? (?:the|a|this|its) gate\b",
    "difference (say change, but for snapshots)": r"\bdifferences? (?:in|of) (?:the )?(?:files?|code|work)\b",
    "vote, record (say entry or approval)": r"\bvot(?:e|es|ed|ing)\b|\b(?:log|signed) records?\b",
    "test of ours (say check)": r"\btests? of (?:ours|our own)\b|\bour (?:own )?tests?\b",
    "WRONG, contradicted (say false)": r"\b(?-i:WRONG)\b|(?<!\")\bcontradicted\b(?! =)",
    "does not agree (say doesn't match)": r"\bdo(?:es)?(?: not|n't) agree\b",
    "whose move (say needs you, agent's turn)": r"\b(?:your|nobody's|whose|owes the next) move\b",
    "sound, of a log (say intact)": r"\b(?:is|are|be|not|un) ?sound\b|\bsound log\b",
    "figures (say metrics)": r"\bfigures\b",
    "record, of a state (say baseline or snapshot)": r"\b(?:recorded baseline|baseline record|snapshot record)s?\b",
    "dialect, make (say format)": r"\bdialects?\b|\bof any make\b|\b(?:its|their) own or not\b",
    "trust, of commands (say consent)": r"\btrust(?:s|ed|ing)? (?:the|a|this|these|its|their) commands?\b"
    r"|\btrusted commands?\b|\bnobody trusted\b",
    # before and after
    "counted, needed (say 0 of 1 approvals)": r"\d counted, \d needed",
    "withdrawn, inverted (say it can be withdrawn)": r"\bcannot be deleted, only\b",
    "the snapshot holds it (say includes uncommitted changes)": r"\bsnapshot holds it\b|\bthere is uncommitted work\b",
    "a field never signs (say press ^s again)": r"\bfield never signs\b|\bread it once more\b",
    "too soon (say too fast)": r"\btoo soon\b",
    "names another (say doesn't match)": r"\bnames? another (?:checksum|hash|number|size|digest)\b",
    "goes over them (say overrides them)": r"\bgo(?:es)? over (?:them|it)\b|\bvisible as a debt\b",
    "nothing fits (say no matches)": r"\bnothing fits\b|\bno path has\b",
    "it rests on, here now (say based on, current)": r"\bit rests on \d|[·,;] here now\b",
    "take along (say App)": r"\btake along\b",
    "line of work (say branch)": r"\bone of this line of work\b",
    "at the desk (say in the app)": r"\beverything at the desk\b|\bis a verb too\b",
    "talk, of messages": r"\bis talk\b",
    "us, of the program": r"\bwithout us\b|\boutlives us\b|\bfaults? of ours\b|\bbugs? of ours\b",
    "speaks against (say counts against)": r"\bspeaks? against\b",
    "nothing where (say None if)": r"\bnothing (?:where|if|when|for) (?:there|it|the|what|a|no|none)\b",
    "is no commit id (say is not a commit id)": r"(?<!there )\b(?:is|are|was|were) no "
    r"(?!longer\b|more\b|less\b|sign\b|\w+er\b)\w",
    "tells of, speaks of (say reports, is about)": r"\b(?:tells?|told|speaks?|spoke) of\b",
    "anew (say again)": r"\banew\b",
    "runs away from you (say isolated from you)": r"\bruns? away from you\b",
    "this desk (say this machine)": r"\bthis desk\b",
    "belongs into (say belongs in)": r"\bbelongs? into\b",
    "one value an attempt (say per attempt)": r"\bone (?:value|row|line|entry|file|process) an? \w+\b",
    # rules
    "guillemets": r"[«»]",
    "for who": r"\bfor who(?:ever)? (?:only|knows|has|asks|wants)\b",
    "who looks sees": r"\Awho(?:ever)? (?:only )?(?:looks|asks|reads|adds|has) \b",
    "whole, behind a noun": r"(?<!as a )(?<!the )(?<!a )\bwhole(?=[.,;:)]|$)",
}


STRING_OR_COMMENT = re.compile(
    r"""(?P<quote>\"{3}|'{3}|"|')(?:\\.|(?!(?P=quote)).)*?(?P=quote)|(?P<comment>#[^\n]*)""", re.DOTALL
)


def read_page(path: Path) -> Iterator[tuple[str, str]]:
    """Each line of a page, without what is code or output."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield f"{path.relative_to(ROOT)}:{number}", re.sub(r"`[^`\n]*`", "``", line)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Each line of a settings file, style sheet or script."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield f"{path.relative_to(ROOT)}:{number}", re.sub(r"`[^`\n]*`", "``", line)


def read_module(path: Path) -> Iterator[tuple[str, str]]:
    """Comments, docstrings, labels and messages of a module: strings of several words, or of one with a capital."""
    text = path.read_text(encoding="utf-8")
    yield from read_comments(path, text)
    tree = ast.parse(text)
    skipped = set(find_patterns(tree)) if "compile" in text else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):  # a message with values in it is read with a number for each
            skipped |= {(part.lineno, part.col_offset) for part in node.values if isinstance(part, ast.Constant)}
            said = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = node.value
        else:
            continue
        is_label = said.isalpha() and said.istitle()
        if (is_label or " " in said.strip()) and (node.lineno, node.col_offset) not in skipped:
            yield f"{path.relative_to(ROOT)}:{node.lineno}", re.sub(r"`[^`\n]*`", "``", said)


def read_notes(path: Path) -> Iterator[tuple[str, str]]:
    """Comments and docstrings of a test or benchmark: its strings are other people's documents."""
    text = path.read_text(encoding="utf-8")
    yield from read_comments(path, text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            line = node.body[0].lineno if node.body else 1
            yield f"{path.relative_to(ROOT)}:{line}", re.sub(r"`[^`\n]*`", "``", ast.get_docstring(node) or "")


def read_comments(path: Path, text: str) -> Iterator[tuple[str, str]]:
    for found in STRING_OR_COMMENT.finditer(text):
        if said := found["comment"]:
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}", re.sub(r"`[^`\n]*`", "``", said.lstrip("# "))


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


def test_words_are_never_used() -> None:
    """voice: one concept, one word."""
    everything = read_everything()
    words = {name: re.compile(word, re.IGNORECASE | re.MULTILINE) for name, word in NEVER.items()}
    used = {
        name: [f"{place}: {match[0]}" for place, text in everything for match in word.finditer(text)]
        for name, word in words.items()
    }
    assert {name: places for name, places in used.items() if places} == {}


def read_everything() -> list[tuple[str, str]]:
    """All that a person reads: pages, the source, settings and scripts, and what tests say about themselves."""
    own = ROOT / "tests" / "architecture" / "test_words.py"
    notes = [path for root in ("tests", "benchmarks") for path in sorted((ROOT / root).rglob("*.py")) if path != own]
    return [
        *itertools.chain.from_iterable(map(read_page, PAGES)),
        *itertools.chain.from_iterable(map(read_lines, OTHER_FILES)),
        *itertools.chain.from_iterable(map(read_module, sorted(SOURCE.rglob("*.py")))),
        *itertools.chain.from_iterable(map(read_notes, notes)),
    ]
