"""Whether a sentence asserts something, or plans, denies, quotes or exemplifies it. Pure."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind

CREATED, MODIFIED, DELETED = ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED

_PAST: Final = {
    CREATED: (
        r"created|added|wrote|(?<!-)written|introduced|(?<!the )(?<!every )(?<!each )(?<!all )(?<!a )generated"
        r"|scaffolded|authored|made new|new"
    ),
    MODIFIED: (
        r"modified|changed|updated|edited|refactored|touched|extended|rewrote|rewritten|adjusted|patched|fixed"
        r"|reworked"
        r"|tweaked|improved|bumped|migrated|hardened|simplified|changes? (?:were |was |have been |has been )?made"
    ),
    DELETED: r"deleted|removed|dropped",
}
_BASE: Final = {
    CREATED: r"create|add|write|introduce|generate",
    MODIFIED: r"modify|change|update|edit|refactor|fix|extend|rewrite|adjust|patch|improve|bump|harden|simplify",
    DELETED: r"delete|remove|drop",
}
_MARKS: Final = {CREATED: r"NEW|ADD|A", MODIFIED: r"UPD|UPDATE|MOD|MODIFY|CHG|M", DELETED: r"DEL|DELETE|REM|REMOVE|D"}


def _join(words: dict[ClaimKind, str]) -> str:
    return "|".join(f"(?P<{kind.value.partition('-')[2]}>{alternatives})" for kind, alternatives in words.items())


_ACTIVE: Final = {
    **_PAST,
    CREATED: _PAST[CREATED].removesuffix("|new") + r"|new (?:file|module|script|class|component)s?",
}
PAST_VERB: Final = compile_later(rf"\b(?:{_join(_ACTIVE)})\b", re.IGNORECASE)
ANY_VERB: Final = compile_later(
    rf"\b(?:{_join({kind: f'{_ACTIVE[kind]}|{_BASE[kind]}' for kind in _PAST})})\b", re.IGNORECASE
)
FIELD_VERB: Final = compile_later(rf"^(?:files? )?(?:{_join(_PAST)})(?: files?)?$", re.IGNORECASE)
MARK: Final = compile_later(rf"^\W*(?:{_join(_MARKS)})\b[\s:*]*(?=[`\w.])")
PASSIVE: Final = compile_later(
    r"^[`*_)\]]*(?:\s*\([^()]*\))?(?:(?:\s*,)?\s*(?:and|&)?\s*`[^`]*`)*[\s,]*"
    r"(?:(?:has|have)\s+(?:now\s+)?been|was|were|got|is(?=\s+new)|are(?=\s+new))\s+"
    rf"(?:(?:\w+ly|also|now|made)\s+)?(?:{_join(_PAST)})\b",
    re.IGNORECASE,
)
I_DID: Final = compile_later(rf"^[`*_,]*\s*(?:i|we)\s+(?:have\s+|also\s+)*(?:{_join(_PAST)})\b", re.IGNORECASE)
REMARK: Final = compile_later(
    rf"^[`*_]*\s*(?:[(,\u2013\u2014:\u2192>-]+\s*)(?:\w+\s+)?(?:{_join(_PAST)})\b(?!\s+by\b)", re.IGNORECASE
)
"""A word behind a path that says what became of it: `x` (new), `x`, deleted."""
MARKED: Final = compile_later(rf"^[`*_]*\s*\((?:{_join(_PAST)})\b(?!\s+by\b)", re.IGNORECASE)
DONE_BEHIND: Final = compile_later(rf"^[`*_]*\s+(?:{_join(_PAST)})\b", re.IGNORECASE)
"""The same in an entry that is ticked: `x` written."""
_NEGATED: Final = compile_later(
    r"\b(?:not|never|no|nobody|nothing|none|neither|against|nor|without|cannot|un(?:changed|touched|modified))\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_PLANNED: Final = compile_later(
    r"\b(?:will|shall|should|must|would|could|might|may|todo|to-do|tbd|planned|plans? to|going to|needs? to"
    r"|has to|have to"
    r"|had to|remains? to|still to|to be|propos\w+|suggest\w*|recommend\w*|consider|intend\w*|if|unless|once you"
    r"|please|want\w*"
    r"|waiting|pending)\b",
    re.IGNORECASE,
)
_CONDITION: Final = compile_later(r"\b(?:if|unless|would|could|might)\b", re.IGNORECASE)
_OF_OTHERS: Final = compile_later(
    r"\b(?:for example|e\.g\.|for instance|such as|example|previous(?:ly)? (?:project|session|repository|handoff"
    r"|agent)"
    r"|(?:other|another|different) (?:project|repo\w*)|used to|originally|earlier (?:version|attempt)|had|naming"
    r"|said|says|claims?|claimed that)\b",
    re.IGNORECASE,
)
_SILENT_HEADING: Final = compile_later(
    r"\bnext\b|\bto[- ]?dos?\b|\bplan(?:s|ned)?\b|\bremaining\b|\bpending\b|\bfuture\b|\bpropos|\brecommend"
    r"|\btemplate\b|\bexamples?\b"
    r"|\bto (?:be )?(?:create|add|modif|chang|updat|delet|remov|edit|do|touch)|\bnot\b|\bunchanged\b"
    r"|\bun-?(?:touched|modified)\b"
    r"|\bprevious\b|\bprior\b|\bhistor|\bhow to\b|\busage\b|\binstructions?\b|\bout of scope\b|\bbacklog\b"
    r"|\broadmap\b|\bideas?\b"
    r"|\boptions?\b|\bcriteria\b|\brequirements?\b|\bprerequisites?\b|\bdeliverables?\b|\bquestions?\b|\brisks?\b"
    r"|\bblock(?:er|ed)"
    r"|\bknown issues\b|\bif\b|\bexpected\b|\bcould\b|\bshould\b|\bdev notes\b|\bwhat'?s left\b|\bmissing\b"
    r"|\bdo not\b|\bdon'?t\b",
    re.IGNORECASE,
)
_DONE_HEADING: Final = compile_later(r"\b(?:completed|delivered|done|finished|implemented)\b(?!\s*\?)", re.IGNORECASE)
_STRUCK: Final = compile_later(r"~~[^~]*~~|<!--.*?-->", re.DOTALL)
_QUOTED: Final = compile_later(r"[\"\u201c][^\"\u201c\u201d\n]*\s[^\"\u201c\u201d\n]*[\"\u201d]")
_DONE_MARK: Final = compile_later(r"^\W*(?:\u2705|\u2714\ufe0f?|\u2611\ufe0f?|\[x\]|✓)", re.IGNORECASE)


def kind_of(match: re.Match[str]) -> ClaimKind:
    """What a matched verb says of a file."""
    return ClaimKind(f"file-{match.lastgroup}")


def blank_out(text: str) -> str:
    """A text of the same length without what is struck out, commented out, or quoted."""
    if "~~" in text or "<!--" in text:
        text = _STRUCK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    if '"' in text or "\u201c" in text:
        text = _QUOTED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return text


def is_denied(words: str) -> bool:
    return bool(_NEGATED.search(words))


def is_assertion(words: str) -> bool:
    """Whether the words before a path (and its verb) assert: no plan, no denial, nobody else's."""
    return not (_NEGATED.search(words) or _PLANNED.search(words) or _OF_OTHERS.search(words))


def is_instruction(words: str) -> bool:
    """Whether the words before a path tell a reader to look at it, whatever else is planned."""
    return not (_NEGATED.search(words) or _OF_OTHERS.search(words) or _CONDITION.search(words))


def is_planned(words: str) -> bool:
    return bool(_PLANNED.search(words))


def is_silent_heading(name: str) -> bool:
    """Whether what stands under a heading claims nothing about work done."""
    return bool(_SILENT_HEADING.search(name)) and not _DONE_HEADING.search(name)


def is_marked_done(text: str) -> bool:
    return bool(_DONE_MARK.match(text))
