"""What became of the file with which an entry of a list begins, or that it names at its end. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.claim_list import BECOMING, ClaimList, read_hashes
from handoff_tui.handoffs.grammar.clauses import PathSpan, mask
from handoff_tui.handoffs.grammar.lexicon import CREATED, DELETED, DIRTY, MODIFIED, READ, Effect, Form, find_verb
from handoff_tui.handoffs.grammar.roles import HeadingContext, Role, role_of, role_of_column
from handoff_tui.handoffs.grammar.sentences import read_sentence
from handoff_tui.handoffs.grammar.tokens import clean_path, has_file_name, is_surely_path
from handoff_tui.handoffs.reading.markdown import Item, parse_field

_FIRST_WORD: Final = compile_later(r"^[\W\d_]*([^\W\d_][\w'-]*)")
_BARE: Final = compile_later(r"\S+")
_MOVES: Final = compile_later(r"\b(?:mov|renam)", re.IGNORECASE)

_ITEM_LEAD: Final = compile_later(r"^(?:[\s*_•)\]\[✅✔☑🔧🗑️➕📝🆕📄📁✏♻+~-]|\d+[.)]\s|x\s|\.(?=\s))*", re.IGNORECASE)
_MOVED_TO: Final = compile_later(
    r"[`*\s]*(?:->|=>|→|➜|➡️?|\bto\b|\b(?:moved|renamed) (?:to|into)\b|\(?(?:now|moved to"
    r"|renamed to))[`*\s]*([^\s`*,;)]+)",
    re.IGNORECASE,
)
_MOVED_FROM: Final = compile_later(
    r"[`*\s]*[(,—–-]*\s*(?:(?:renamed|moved) from|formerly|was|previously|ex)[`*:\s]+([^\s`*,;)]+)", re.IGNORECASE
)
_ANNOTATION_GAP: Final = compile_later(
    r"^[`*_]*\s*(?:[(\[]|[,:\u2013\u2014\u2192>=|-]+\s|(?=[+\u2212-]\d))[*_`\s]*", re.IGNORECASE
)
_ALONE: Final = compile_later(
    r"^[`*_\s]*(?=(?:(?:now|newly|was|were|has been|have been|got)\s+)*(?:\w+ed|written|rewritten|new|gone|built)"
    r"(?:\W*$|[.,;(:\u2014-]|\s+(?:in|for|to|with|as|from|by|and|because|so)\b)"
    r"|(?-i:NEW|ADD|MOD|UPD|CHG|DEL|REM)\b)",
    re.IGNORECASE,
)
_OF_OTHERS: Final = compile_later(
    r"\b(?:is|are|was|were|has|have|had|does|do|can|will|runs?|says?)\b"
    r"|\b(?:for|of|from|with|via|against|like|run|ran|test(?:ed|s)?|verified|reviewed|checked)\b[^:(]*$",
    re.IGNORECASE,
)
_LAST_BRACKET: Final = compile_later(r"^[^(\n`]*\((\w+)\)\W*(?:$|\n)")
_ENDS_IN_PATH: Final = compile_later(r"(?:[(:\u2014\u2013\u2192>-]|\b(?:in|at|under|into|inside|see))\s*[`*]*$")


def read_item(
    claims: ClaimList, context: HeadingContext, item: Item, text: str, words: list[PathSpan], *, listed: bool = True
) -> None:
    """An entry that begins with a path, under a heading that says what became of its entries.

    `listed`: whether it stands in a list; a paragraph may begin with a path, too.
    """
    first_line = text.split("\n", 1)[0]
    mark = stance.MARK.match(first_line)
    lead = mark.end() if mark else lead_length(first_line)
    leading = next((word for word in words if word.start <= lead < word.end or word.start == lead), None) or _bare_word(
        first_line, lead, context, is_marked=mark is not None
    )
    claims.forget_below(item.depth)
    if leading is None:
        parent = claims.parents.get(item.depth - 1)
        if parent is not None:
            read_hashes(claims, parent, text, item.line)
            _read_attribute(claims, parent, text, item.line)
        elif listed and not _read_last(claims, context, item, first_line, words) and context.listed is READ:
            for word in words:
                if is_surely_path(word.path) and stance.is_instruction(text[: word.start]) and not _is_order(text):
                    claims.add(READ, item.line, first_line, subject=word.path)
        return
    claims.parents[item.depth] = leading.path
    if not _read_move(claims, context, item.line, text, leading) and (
        item.depth == 1 or item.depth - 1 not in claims.parents or mark is not None
    ):
        _read_entry(claims, context, item, text, words, leading, mark)
    gone = context.listed is DELETED
    read_hashes(claims, leading.path, text[leading.end :], item.line, whole=first_line, gone=gone)


def _read_attribute(claims: ClaimList, path: str, text: str, line: int) -> None:
    """`state: modified`, below an entry that only names a file."""
    field = parse_field(text)
    if field is not None and role_of_column(field[0]) is Role.ACTION:
        kind = stance.read_annotation(field[1])
        if isinstance(kind, ClaimKind):
            claims.correct(kind, line, text, path)


def _is_order(text: str) -> bool:
    """Whether an entry orders or asks for a change: add `x`, should we delete `x`?"""
    first = _FIRST_WORD.match(text)
    verb = find_verb(first[1].lower()) if first else None
    is_order = verb is not None and verb.form is Form.BASE and verb.act not in {Effect.OTHER, Effect.WRITE_DOWN}
    return is_order or text.rstrip(" *_)").endswith("?") or stance.is_unconditional(text) is False


def _read_move(claims: ClaimList, context: HeadingContext, line: int, text: str, leading: PathSpan) -> bool:
    """`a` → `b`, `b` (renamed from `a`)."""
    target = _MOVED_TO.match(text, leading.end)
    may_move = context.listed in {Role.MOVED, MODIFIED, CREATED} or _MOVES.search(text) or "→" in text or "->" in text
    origin = _MOVED_FROM.match(text, leading.end)
    pairs = (
        (leading.path, clean_path(target[1].rstrip(".,"))) if target is not None and may_move
        else (clean_path(origin[1]), leading.path) if origin is not None
        else (None, None)
    )  # fmt: skip
    gone, made = pairs
    if gone is None or made is None or not has_file_name(gone):
        return False
    if not has_file_name(made):
        if not made.endswith("/"):
            return False
        made += gone.rpartition("/")[2]
    said = text.split("\n", 1)[0]
    claims.add(DELETED, line, said, subject=gone)
    claims.add(CREATED, line, said, subject=context.place(made))
    return True


def _read_entry(
    claims: ClaimList,
    context: HeadingContext,
    item: Item,
    text: str,
    words: list[PathSpan],
    leading: PathSpan,
    mark: re.Match[str] | None,
) -> None:
    """What became of the path with which an entry begins, and of those listed behind it."""
    listed = [leading, *_find_listed(text, leading, words)]
    behind = text[listed[-1].end :]
    if item.checked:
        annotation = stance.read_annotation(behind.lstrip("`*_ :\u2014-"))
    else:
        annotation = _read_annotation(behind, done=context.done or isinstance(context.listed, ClaimKind))
    if context.listed is not DIRTY and (annotation is False or stance.is_denied_annotation(behind)):
        return
    kind: ClaimKind | Role | bool | None = stance.mark_kind(mark) if mark else annotation
    if kind is None and item.bullet == "+" and context.listed is MODIFIED:
        kind = CREATED  # a list of changes, as a diff would show them
    if kind in {None, MODIFIED} and context.listed in BECOMING and not mark:
        kind = context.listed if annotation is None or context.listed is CREATED else kind
    if kind is None:
        kind = context.listed if isinstance(context.listed, ClaimKind) else None
    is_work = item.checked or (context.built and not _DESCRIBES.match(behind))
    if kind is None and is_work and stance.is_assertion(behind.split(". ")[0]):
        kind = MODIFIED
    if not isinstance(kind, ClaimKind):
        return
    kind = DIRTY if context.listed is DIRTY else kind
    for word in listed:
        if is_surely_path(word.path) or context.listed is not None:
            claims.add(kind, item.line, text.split("\n", 1)[0], subject=word.path)


_DESCRIBES: Final = compile_later(r"[`*_)]*\s+(?!(?:is|was|has|does)\b)[a-z]+s\s")
"""`x` adds two numbers: what the file does, which tells nothing of when it came."""


def _read_annotation(behind: str, *, done: bool) -> ClaimKind | bool | None:
    """An annotation set apart by a sign, or a participle alone."""
    gap = _ANNOTATION_GAP.match(behind) or _ALONE.match(behind)
    last = _LAST_BRACKET.search(behind)
    if last is not None and (kind := stance.read_annotation(last[1], done=done)) is not None:
        return kind
    if gap is None:
        return None
    return stance.read_annotation(behind[gap.end() :], done=done)


def _read_last(claims: ClaimList, context: HeadingContext, item: Item, line: str, words: list[PathSpan]) -> bool:
    """An entry that names what was made, and where: Retry queue (`src/queue.py`), Worker: `src/worker.py`."""
    kind = context.listed if context.listed in BECOMING else MODIFIED if context.built else None
    here = [word for word in words if word.end <= len(line) and is_surely_path(word.path)]
    label = line.partition(":")[0]
    if kind is None or not here or not isinstance(kind, ClaimKind) or (label != line and role_of(label) is not None):
        return False
    masked = mask(line, words)
    before = masked[: here[0].start]
    if (
        not _ENDS_IN_PATH.search(before)
        or not stance.is_assertion(before)
        or (_begins_with_verb(line) and read_sentence(masked, 0, len(line), words, done=True))
    ):
        return False
    if _OF_OTHERS.search(before):
        return False
    if kind is CREATED and re.search(r"\b(?:in|into|to)\s*[`*]*$", before):
        kind = MODIFIED
    end = here[0].start
    for word in here:
        if not re.fullmatch(r"[\s*_,&+§`]*(?:and)?[\s*_`]*", masked[end : word.start]):
            break
        claims.add(kind, item.line, line, subject=word.path)
        end = word.end
    return True


def _begins_with_verb(line: str) -> bool:
    first = _FIRST_WORD.match(line)
    return first is not None and find_verb(first[1].lower()) is not None


def lead_length(line: str) -> int:
    match = _ITEM_LEAD.match(line)
    return match.end() if match else 0


def _bare_word(line: str, lead: int, context: HeadingContext, *, is_marked: bool) -> PathSpan | None:
    """A path without any marks at the beginning of an entry."""
    match = _BARE.match(line[lead:])
    if match is None or (context.listed is None and not is_marked):
        return None
    path = clean_path(match.group().strip("`*_,;:()"))
    if path is None or not has_file_name(path):
        return None
    return PathSpan(lead, lead + match.end(), context.place(path))


def _find_listed(text: str, leading: PathSpan, words: list[PathSpan]) -> Iterator[PathSpan]:
    """More paths in one entry: `a`, `b` and `c`."""
    end = leading.end
    for word in words:
        if word.start > leading.start and re.fullmatch(r"[\s*_,&+/]*(?:and)?[\s*_]*", text[end : word.start]):
            yield word
            end = word.end
