"""Tests of JavaScript, TypeScript, Go, Rust, Java and Kotlin, found by the marks they begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from handoff_tui.checks.tested_function import TestFunction

_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\n]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Language:
    start: re.Pattern[str]
    """Where a test begins; the group `name` is what it is called."""
    assertion: re.Pattern[str]
    trivial: re.Pattern[str]


_SCRIPT = _Language(
    start=re.compile(
        r"(?<![\w.$])[xf]?(?:it|test|describe|context|specify)(?:\.\w+)*(?:\([^()]*\)|`[^`]*`)?"
        r"\s*\(\s*(?P<quote>['\"`])(?P<name>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
        re.DOTALL,
    ),
    assertion=re.compile(r"\bexpect(?:\.\w+)*\s*\(|\bassert(?:\.\w+)*\s*\(|\.should\b"),
    trivial=re.compile(
        r"expect\(\s*(?:true|1)\s*\)\s*\.\s*(?:toBe(?:Truthy)?|toEqual|toStrictEqual)\(\s*(?:true|1)?\s*\)"
        r"|\bassert(?:\.ok)?\(\s*true\s*\)"
    ),
)
_GO = _Language(
    start=re.compile(r"^func (?P<name>(?:Test|Benchmark|Fuzz|Example)\w*)\s*\(", re.MULTILINE),
    assertion=re.compile(r"\b[tb]\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\b|\b(?:assert|require)\.\w+\("),
    trivial=re.compile(r"\b(?:assert|require)\.True\(\s*t\s*,\s*true\b"),
)
_RUST = _Language(
    start=re.compile(
        r"#\[(?:\w+::)*(?:test|rstest)\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
    ),
    assertion=re.compile(r"\b(?:debug_)?assert(?:_\w+)?!|\bpanic!|\.unwrap_err\(|\.expect_err\("),
    trivial=re.compile(r"\bassert!\(\s*true\s*[,)]"),
)
_JAVA = _Language(
    start=re.compile(
        r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b(?:\([^()]*\))?\s*(?:@[\w.]+(?:\([^()]*\))?\s*)*"
        r"(?:(?:public|protected|private|internal|suspend|final|static)\s+)*(?:void|fun)\s+`?(?P<name>[\w ]+?)`?\s*\("
    ),
    assertion=re.compile(r"\bassert\w*\s*\(|\bverify\w*\s*\(|\bfail\s*\("),
    trivial=re.compile(r"\bassertTrue\(\s*true\s*\)|\bassertThat\(\s*true\s*\)\.isTrue\(\)"),
)
_LANGUAGES = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs"), _SCRIPT),
    "go": _GO,
    "rs": _RUST,
    "java": _JAVA,
    "kt": _JAVA,
}


def strip_comments(text: str) -> str:
    """The text with comments blanked, its lines kept; what is commented out does nothing."""
    return _COMMENT.sub(lambda match: _NOT_NEWLINE.sub(" ", match.group()), text)


def find_marked_tests(path: str, text: str) -> Iterator[TestFunction]:
    """Each test with what stands between it and the next one; a second of one name is numbered."""
    language = _LANGUAGES.get(path.rpartition(".")[2])
    if language is None:
        return
    code = strip_comments(text)
    starts = list(language.start.finditer(code))
    seen: dict[str, int] = {}
    for position, match in enumerate(starts):
        end = starts[position + 1].start() if position + 1 < len(starts) else len(code)
        body = code[match.end() : end]
        trivial = tuple(" ".join(found.group().split()) for found in language.trivial.finditer(body))
        name = match["name"]
        seen[name] = seen.get(name, 0) + 1
        yield TestFunction(
            name=name if seen[name] == 1 else f"{name} ({seen[name]})",
            line=code.count("\n", 0, match.start()) + 1,
            assertions=len(language.assertion.findall(body)) - len(trivial),
            trivial=trivial,
            body=sha256(_SPACE.sub(" ", body).encode("utf-8", "surrogatepass")).hexdigest(),
        )
