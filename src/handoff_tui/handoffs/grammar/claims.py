"""The claims of a document about files, hashes, commits, branches and uncommitted work. Used by every format; pure.

A claim needs a claiming sentence: an entry of a list or table under a heading that says what happened to its entries, a
field such as `Added:`, or a sentence that asserts it. Plans, denials, quotations, examples and mentions claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.headings import DIRTY, MOVED, READ, Context, find_folder, find_label, read_headings
from handoff_tui.handoffs.grammar.stance import CREATED, DELETED, MODIFIED
from handoff_tui.handoffs.grammar.tokens import (
    COMMIT,
    HASH,
    canonical_hash,
    clean_path,
    has_file_name,
    is_surely_path,
)
from handoff_tui.handoffs.reading.markdown import Code, Item, Paragraph, Row, Section, Table, parse_field, plain

_SPAN: Final = compile_later(
    r"`([^`\n]+)`|\[([^\]\n]+)\]\([^)\n]*\)|\*\*([^*\s]+)\*\*"
    r"|(?<![\w`/.@:#-])((?:[\w@.+-]+/)+[\w.+-]+\.\w+)(?![\w/`])"
)
_SENTENCE_END: Final = compile_later(r"(?<=[.!?;])(?=\s+[^a-z])|\n(?=\s*[-*•])|\n\n")
_CLAUSE: Final = compile_later(r"[;:!?\u2014]|\b(?:but|because|since|although|while|so that)\b", re.IGNORECASE)
_ITEM_LEAD: Final = compile_later(r"^[\s*_•\d.)\]\[x✅✔☑🔧🗑️➕📝🆕-]*", re.IGNORECASE)
_DIRECT: Final = compile_later(r"^[\s*_:,(&+§]*(?:[\w'-]+[\s*_:,(&+§]+){0,5}$")
_PREPOSITION: Final = compile_later(
    r"\b(to|in|into|inside|within|from|of|for|with|via|using|by|on|at|against|per|after|before|that|which|where"
    r"|so|like|as)\b",
    re.IGNORECASE,
)
_INTO: Final = frozenset({"to", "in", "into", "inside", "within", "from"})
_REFERENCE: Final = compile_later(r"\b(?:references?|links?|pointers?) (?:to|in)\b", re.IGNORECASE)
_DENIED_BEHIND: Final = compile_later(
    r"^\W*(?:(?:was|were|is|are|has|have)\s+)?(?:not|never|un(?:changed|touched)|no changes?)\b", re.IGNORECASE
)
_OBJECT: Final = compile_later(
    r"\s+(?!(?:files?|modules?|scripts?|tests?|in|this|yet|and|for|from|as)\b)[`\w]", re.IGNORECASE
)
_LAST_WORDS: Final = compile_later(r"\b\w+\b\W*(?:the |our )?(?:\w+ )?$")
_THERE: Final = compile_later(r"\b(?:in|inside|within|into|to)\s*$", re.IGNORECASE)
_POINTING: Final = compile_later(
    r"(?:^|[.:;,(\u2014]\s*|\b(?:please|then|also|first|and|should|must|to)\s+)[\W\d]*(?:read|see|refer to"
    r"|start (?:with|at)|consult|open"
    r"|check|run|execute)\b[\s*_:]*(?:the\s+)?(?:\w+\s+)?$",
    re.IGNORECASE,
)
_POINTING_FIELD: Final = compile_later(
    r"^(?:start (?:with|here|at)|read(?: first| this)?|see(?: also)?|key files?|references?)$"
)
_UNCOMMITTED: Final = compile_later(r"\bun-?committed\b|\bnot (?:yet |been )?commit+ed\b|\bunstaged\b", re.IGNORECASE)
_NO_UNCOMMITTED: Final = compile_later(
    r"\b(?:no|none|nothing|without|0) (?:\w+ )?(?:un-?committed|unstaged)|^\W*none\b", re.IGNORECASE
)
_RULE_FOR_OTHERS: Final = compile_later(
    r"\b(?:don['\u2019]t|do not|never|must not|should not) (?:leave|keep|have)\b|\bsuch as\b|\bfor example\b|\be\.g\.",
    re.IGNORECASE,
)
_UNDONE: Final = compile_later(
    r"\b(?:reverted|undid|undone|rolled (?:it |that )?back|backed (?:it |that )?out)\b", re.IGNORECASE
)
"""What was done and taken back is no change."""
_ELSEWHERE: Final = compile_later(r"\bupstream\b|\bgit(?:hub|lab)\.com\b|\banother repo", re.IGNORECASE)
_COMMIT_ORDER: Final = compile_later(r"^\W*(?:\[[^\]]*\]\W*)*(?:track|commit|stage|push|add)\b", re.IGNORECASE)
_NAME_STATUS: Final = compile_later(r"^\s{0,4}(\?\?|[AMDRC]{1,2})\s+(\S+)$")
_STATUS_KINDS: Final = {"A": CREATED, "M": MODIFIED, "D": DELETED, "??": CREATED, "AM": CREATED, "MM": MODIFIED}
_SUM_LINE: Final = compile_later(r"^\s*([0-9a-fA-F]{64})\s+\*?(\S+)\s*$")
_WHEN_HASH: Final = compile_later(
    r"(?:\b(?P<when>before|after|now|old|new)\b|\bsha-?256\b(?!\s+(?:before|after)))[\s:=`*(]{0,6}(?:sha256:)?"
    r"(?P<hex>[0-9a-f]{6,64})(?P<cut>\.\.\.|…)?(?![0-9a-z])",
    re.IGNORECASE,
)
_COMMIT_WORD: Final = compile_later(
    r"\bcommit+(?:s|ed)?\b|\bHEAD\b|\bpushed\b|\bmerged?\b|\bcherry-?pick|\brevert(?:s|ed)?\b|\blanded\b"
    r"|\bfixed in\b|\brev(?:ision)?\b|\bgit sha\b",
    re.IGNORECASE,
)
_NO_COMMIT: Final = compile_later(
    r"(?<!commit )(?<!commit-)\b(?:ids?|digests?|checksums?|receipts?|containers?|images?|sessions?|traces?"
    r"|requests?|tokens?|keys?"
    r"|uuids?|builds?|deployments?|runs?|jobs?|tasks?|md5|etags?|hash(?:es)? of|nonces?|sha-?256|blobs?|trees?"
    r"|snapshots?|colou?rs?"
    r"|tx|transactions?|addresses)\b[\s:`'\"(#=*]*$",
    re.IGNORECASE,
)
_BRANCH_FIELD: Final = frozenset({"branch", "current branch", "git branch", "working branch", "feature branch"})
_BRANCH_NAME: Final = compile_later(r"^[A-Za-z0-9][\w./#+-]*$")
_BRANCH: Final = compile_later(
    r"\bbranch\b[\s:]{1,3}[`*]{1,3}(?P<after>[^`*\s]+)[`*]|\b(?:on|to"
    r"|in)\s+(?:the\s+)?[`*]{1,3}(?P<before>[^`*\s]+)[`*]{1,3}\s+branch\b"
    r"|\bpushed to\s+[`*]{1,3}(?P<pushed>[^`*\s]+)[`*]",
    re.IGNORECASE,
)
_ORDER: Final = compile_later(
    r"^\W*(?:delete|create|merge|switch|check ?out|rebase|push|make|use|open|start|cut|work)\b", re.IGNORECASE
)
_MOVED_TO: Final = compile_later(r"[`*\s]*(?:->|=>|→|to)\s+`?([^\s`]+)")
_MANIFEST: Final = "manifest.json"
_BECOMING: Final = frozenset({CREATED, MODIFIED, DELETED})
_FULL_LENGTH = 64
_LONGEST_BLOCK = 20_000


class _Word(NamedTuple):
    """A path in a text."""

    start: int
    end: int
    path: str


@dataclass(slots=True)
class _Claims:
    """What was found so far, each claim once."""

    document: str
    package: str = ""
    found: dict[tuple[ClaimKind, str | None, object], Claim] = field(default_factory=dict)
    parents: dict[int, str] = field(default_factory=dict)
    """The path with which the last item of each depth began."""
    archive: str = ""
    became: dict[str, ClaimKind] = field(default_factory=dict)

    def add(
        self, kind: ClaimKind, line: int, text: str, *, subject: str | None = None, value: str | None = None
    ) -> None:
        """The first word about what became of a file counts: an archive is often listed twice."""
        if subject == _MANIFEST and self.package:
            subject = f"{self.package}/{_MANIFEST}"
        if kind in _BECOMING and subject is not None and self.became.setdefault(subject, kind) is not kind:
            return
        claim = build_claim(kind, Place(path=self.document, line=line), text, subject=subject, value=value)
        self.found.setdefault((kind, subject, value), claim)


def find_claims(sections: Iterable[Section], document: str, package: str = "") -> list[Claim]:
    """Every claim of some sections, in the order of the document; references last.

    `package` is the one that the document is about: a manifest without a folder is its manifest.
    """
    claims = _Claims(document, package)
    headings: list[tuple[int, str]] = []
    for section in sections:
        while headings and headings[-1][0] >= section.level:
            headings.pop()
        headings.append((section.level, section.name))
        _read_section(claims, [name for _, name in headings], section)
    claimed = {claim.subject for claim in claims.found.values() if claim.kind is not READ}
    rest = [claim for claim in claims.found.values() if claim.kind is not READ or claim.subject not in claimed]
    return sorted(rest, key=lambda claim: claim.kind is READ)


def _read_section(claims: _Claims, names: list[str], section: Section) -> None:
    """A paragraph or an entry that is a label (`**Files created:**`) is a heading for what follows."""
    own = context = read_headings(names)
    depth = 0
    claims.parents.clear()
    for block in section.blocks:
        if isinstance(block, Paragraph):
            label = find_label(block.text)
            context, depth = (read_headings([*names, label]), 0) if label else (own, 0)
        elif isinstance(block, Item) and depth and block.depth <= depth:
            context, depth = own, 0
        if isinstance(block, Table):
            _read_table(claims, context, block)
        elif isinstance(block, Code):
            _read_code(claims, context, block)
        elif not block.quoted and not (isinstance(block, Paragraph) and block.html):
            _read_text(claims, context, block)
            own.folder = context.folder
        if isinstance(block, Item) and (label := find_label(block.text)):
            context, depth = read_headings([*names, label]), block.depth


def _read_text(claims: _Claims, context: Context, block: Paragraph | Item) -> None:
    text = stance.blank_out(block.text[:_LONGEST_BLOCK])
    checked = block.checked if isinstance(block, Item) else None
    folder = find_folder(text)
    if folder:
        context.folder = folder
        return
    if context.silent or checked is False:
        if context.points:
            _read_pointers(claims, block, text, list(_find_words(text, context)))
        return
    done = checked is True or stance.is_marked_done(text) or context.done
    words = list(_find_words(text, context))
    if isinstance(block, Item):
        _read_item(claims, context, block, text, words)
    for start, end in _split(text):
        sentence = text[start:end]
        line = block.line + text.count("\n", 0, start + len(sentence) - len(sentence.lstrip()))
        here = [word for word in words if start <= word.start < end]
        _read_field(claims, line, sentence, here, start)
        _read_sentence(claims, block, text, (start, end), here, done=done)
        _read_commits(claims, context, line, sentence, ticked=checked is True)
        _read_branch(claims, line, sentence)


def _read_pointers(claims: _Claims, block: Paragraph | Item, text: str, words: list[_Word]) -> None:
    for start, end in _split(text):
        here = [word for word in words if start <= word.start < end]
        masked = _mask(text, here)
        for word in here:
            before = masked[start : word.start]
            if _POINTING.search(before) and is_surely_path(word.path) and stance.is_instruction(before):
                line = block.line + text.count("\n", 0, word.start)
                claims.add(READ, line, " ".join(text[start:end].split()), subject=word.path)


def _split(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end; a line that is a field stands alone."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield from _split_fields(text, start, match.start())
        start = match.end()
    yield from _split_fields(text, start, len(text))


def _split_fields(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    lines = text[start:end].split("\n")
    if len(lines) == 1 or not any(parse_field(line) for line in lines):
        yield start, end
        return
    for line in lines:
        yield start, start + len(line)
        start += len(line) + 1


def _find_words(text: str, context: Context) -> Iterator[_Word]:
    for match in _SPAN.finditer(text):
        path = clean_path(next(group for group in match.groups() if group).strip("`"))
        if path is not None:
            yield _Word(match.start(), match.end(), context.place(path))


def _read_item(claims: _Claims, context: Context, item: Item, text: str, words: list[_Word]) -> None:
    """An entry that begins with a path, under a heading that says what became of its entries."""
    first_line = text.split("\n", 1)[0]
    mark = stance.MARK.match(first_line)
    lead = mark.end() if mark else _lead_length(first_line)
    leading = next((word for word in words if word.start <= lead < word.end), None) or _bare_word(
        first_line, lead, context
    )
    claims.parents = {depth: path for depth, path in claims.parents.items() if depth < item.depth}
    if leading is None:
        parent = claims.parents.get(item.depth - 1)
        if parent is not None:
            _read_hashes(claims, parent, text, item.line)
        elif context.listed is READ:
            for word in words:
                claims.add(READ, item.line, first_line, subject=word.path)
        return
    claims.parents[item.depth] = leading.path
    target = _MOVED_TO.match(text, leading.end) if context.listed == MOVED else None
    if target is not None and (moved := clean_path(target.group(1))) is not None:
        claims.add(DELETED, item.line, first_line, subject=leading.path)
        claims.add(CREATED, item.line, first_line, subject=moved)
    elif item.depth == 1 or item.depth - 1 not in claims.parents or mark is not None:
        _read_entry(claims, context, item, text, words, leading, mark)
    gone = context.listed is DELETED
    _read_hashes(claims, leading.path, text[leading.end :], item.line, whole=first_line, gone=gone)


def _read_entry(
    claims: _Claims,
    context: Context,
    item: Item,
    text: str,
    words: list[_Word],
    leading: _Word,
    mark: re.Match[str] | None,
) -> None:
    """What became of the path with which an entry begins, and of those listed behind it."""
    remark = stance.REMARK.match(text[leading.end :])
    if remark is None and item.checked:
        remark = stance.DONE_BEHIND.match(text[leading.end :])
    kind = stance.kind_of(mark) if mark else stance.kind_of(remark) if remark else context.listed
    if remark is not None and kind in {CREATED, DELETED} and _OBJECT.match(text[leading.end + remark.end() :]):
        kind = context.listed if context.listed in _BECOMING else MODIFIED  # `x` - added a header
    denied = _DENIED_BEHIND.match(text[leading.end :])
    if not isinstance(kind, ClaimKind) or (context.listed is None and not remark) or denied:
        return
    kind = DIRTY if context.listed is DIRTY else kind
    for word in [leading, *_find_listed(text, leading, words)]:
        if is_surely_path(word.path) or context.listed is not None:
            claims.add(kind, item.line, text.split("\n", 1)[0], subject=word.path)


def _lead_length(line: str) -> int:
    match = _ITEM_LEAD.match(line)
    return match.end() if match else 0


def _bare_word(line: str, lead: int, context: Context) -> _Word | None:
    """A path without any marks at the beginning of an entry."""
    match = re.match(r"\S+", line[lead:])
    if match is None or context.listed is None:
        return None
    path = clean_path(match.group().strip("`*_,;:()"))
    if path is None or not has_file_name(path):
        return None
    return _Word(lead, lead + match.end(), context.place(path))


def _find_listed(text: str, leading: _Word, words: list[_Word]) -> Iterator[_Word]:
    """More paths in one entry: `a`, `b` and `c`."""
    end = leading.end
    for word in words:
        if word.start > leading.start and re.fullmatch(r"[\s*_,&+]*(?:and)?[\s*_]*", text[end : word.start]):
            yield word
            end = word.end


def _read_field(claims: _Claims, line: int, sentence: str, words: list[_Word], start: int) -> None:
    """`**Added**: `a`, `b`` and `Branch: x`."""
    lead = _lead_length(sentence)
    parsed = parse_field(sentence[lead:])
    if parsed is None or not parsed[1]:
        return
    name, value = parsed[0].lower().strip("* "), parsed[1]
    verb = stance.FIELD_VERB.match(name)
    if name in _BRANCH_FIELD:
        branch = value.split()[0].strip("`*,;()")
        if _BRANCH_NAME.match(branch) and not stance.is_denied(branch) and branch.lower() not in {"n/a", "none", "tbd"}:
            claims.add(ClaimKind.BRANCH, line, sentence.strip(), value=branch)
        return
    if name.startswith("archive"):
        _read_archive(claims, line, sentence.strip(), name, value)
        return
    kind = stance.kind_of(verb) if verb else READ if _POINTING_FIELD.match(name) else None
    if kind is None and _UNCOMMITTED.search(name) and not stance.is_denied(value):
        kind = DIRTY
    if kind is None or stance.is_planned(name):
        return
    colon = start + sentence.index(":")
    listed = [word for word in words if word.start > colon]
    if not listed and (path := clean_path(value.split()[0].strip("`*,;()"))) is not None and has_file_name(path):
        listed = [_Word(colon, colon, path)]
    end = listed[0].start if listed else colon
    for word in listed:
        if not re.fullmatch(r"[\s*_,&+]*(?:and)?[\s*_]*", sentence[end - start : word.start - start]):
            break
        claims.add(kind, line, sentence.strip(), subject=word.path)
        end = word.end


def _read_archive(claims: _Claims, line: int, sentence: str, name: str, value: str) -> None:
    """`**Archive**: name` and, on the next line, `**Archive SHA256**: hash`."""
    path = clean_path(value.split(maxsplit=1)[0].strip("`*,;()")) if name == "archive" else None
    if path is not None:
        claims.archive = path
        claims.add(CREATED, line, sentence, subject=path)
    if claims.archive and HASH.search(value):
        claims.add(ClaimKind.HASH, line, sentence, subject=claims.archive, value=canonical_hash(value))


def _read_sentence(
    claims: _Claims, block: Paragraph | Item, text: str, where: tuple[int, int], words: list[_Word], *, done: bool
) -> None:
    """A sentence that asserts what became of a path, that it isn't committed, or that points to it."""
    start, end = where
    masked = _mask(text, words)
    for word in words:
        line = block.line + text.count("\n", 0, word.start)
        said = " ".join(text[start:end].split())
        clause = _clause_start(masked, start, word.start)
        before, after = masked[clause : word.start], masked[word.end : end]
        if _UNCOMMITTED.search(masked, start, end):
            silent = (_NO_UNCOMMITTED.search, _COMMIT_ORDER.match, _RULE_FOR_OTHERS.search)
            if not any(look(masked[start:end]) for look in silent):
                claims.add(DIRTY, line, said, subject=word.path)
            continue
        if not is_surely_path(word.path):
            continue
        undone = _UNDONE.search(after)
        kind = None if undone else _find_kind(masked[start : word.start], before, after, done=done)
        if kind is not None:
            claims.add(kind, line, said, subject=word.path)
        elif _POINTING.search(before) and stance.is_instruction(masked[start : word.start]):
            claims.add(READ, line, said, subject=word.path)
        if word.path not in claims.parents.values():  # an entry has read its own
            _read_hashes(claims, word.path, text[word.end : end], line, whole=said, alone=len(words) == 1)


def _find_kind(sentence: str, before: str, after: str, *, done: bool) -> ClaimKind | None:
    """What the words before and after a path say of it."""
    behind = stance.PASSIVE.match(after)
    marked = stance.MARKED.match(after)
    if behind is not None and stance.is_assertion(before):
        return stance.kind_of(behind)
    if marked is not None and stance.is_assertion(sentence):
        return stance.kind_of(marked)
    if _THERE.search(before) and stance.is_assertion(before) and stance.I_DID.match(after):
        return MODIFIED
    verbs = list((stance.ANY_VERB if done else stance.PAST_VERB).finditer(before))
    if not verbs or not stance.is_assertion(sentence if done else before) or stance.is_planned(sentence):
        return None
    return _judge_gap(stance.kind_of(verbs[-1]), before[verbs[-1].end() :])


def _judge_gap(kind: ClaimKind, gap: str) -> ClaimKind | None:
    """What a verb says of a path, given the words between them: `added x`, `added a helper to x`."""
    prepositions = [word.lower() for word in _PREPOSITION.findall(gap)]
    if stance.is_denied(gap) or _REFERENCE.search(gap):
        return None
    if not prepositions:
        return kind if _DIRECT.match(gap + " ") else None
    if kind is CREATED and prepositions in (["at"], ["as"]):
        return kind
    return MODIFIED if prepositions[-1] in _INTO and _LAST_WORDS.search(gap) else None


def _mask(text: str, words: list[_Word]) -> str:
    """The text with every path as one sign, at the same places."""
    masked = text
    for word in words:
        masked = masked[: word.start] + "§" * (word.end - word.start) + masked[word.end :]
    return masked


def _clause_start(text: str, start: int, end: int) -> int:
    found = start
    for match in _CLAUSE.finditer(text, start, end):
        found = match.end() if text[match.end() : end].strip(" *_`§") else found
    return found


def _read_hashes(
    claims: _Claims, path: str, text: str, line: int, *, whole: str = "", alone: bool = True, gone: bool = False
) -> None:
    """Hashes that follow a path: named, or just there if it is the only path."""
    matches = list(_WHEN_HASH.finditer(text))
    for match in matches:
        digits, when = match.group("hex"), (match.group("when") or "").lower()
        if len(digits) < _FULL_LENGTH and (
            not re.search(r"[0-9]", digits) or not re.search(r"[a-f]", digits, re.IGNORECASE)
        ):
            continue
        value = canonical_hash(digits) if len(digits) == _FULL_LENGTH else digits + (match.group("cut") or "")
        kind = ClaimKind.HASH_BEFORE if when in {"before", "old"} or (gone and not when) else ClaimKind.HASH
        claims.add(kind, line + text.count("\n", 0, match.start()), whole or text, subject=path, value=value)
    lone = HASH.findall(text) if not matches and alone else []
    if len(lone) == 1:
        claims.add(ClaimKind.HASH, line, whole or text, subject=path, value=canonical_hash(lone[0][1]))


def _read_commits(claims: _Claims, context: Context, line: int, text: str, *, ticked: bool) -> None:
    for match in COMMIT.finditer(text):
        before = text[: match.start()]
        named = context.commits or _COMMIT_WORD.search(text) is not None
        closing = ticked and re.search(r"\(`?$", before) is not None
        if (
            not (named or closing)
            or _NO_COMMIT.search(before)
            or _ELSEWHERE.search(text)
            or not stance.is_assertion(_last_clause(before))
        ):
            continue
        claims.add(ClaimKind.COMMIT, line, text.strip(), value=match.group())


def _last_clause(text: str) -> str:
    return text[_clause_start(text, 0, len(text)) :]


def _read_branch(claims: _Claims, line: int, sentence: str) -> None:
    match = _BRANCH.search(sentence)
    if match is None or _ORDER.match(sentence) or not stance.is_assertion(sentence[: match.start()]):
        return
    name = next(group for group in match.groups() if group)
    if _BRANCH_NAME.match(name) and not COMMIT.fullmatch(name):
        claims.add(ClaimKind.BRANCH, line, sentence.strip(), value=name)


def _read_table(claims: _Claims, context: Context, table: Table) -> None:
    if context.silent:
        return
    files = table.column("file", "path", "asset", "archive", "document")
    actions = table.column("action", "change", "status", "type", "operation", "kind", "state")
    commits = table.column("commit", "revision", "sha") if files is None else table.column("commit")
    for row in table.rows:
        text = " | ".join(row.cells)
        if commits is not None and commits < len(row.cells):
            for commit in COMMIT.findall(row.cells[commits]):
                claims.add(ClaimKind.COMMIT, row.line, text, value=commit)
        column = files if files is not None else 0 if context.listed is not None else None
        if column is None or column >= len(row.cells):
            continue
        path = _cell_path(context, table, row, column)
        if path is not None:
            _read_row(claims, context, table, row, path, actions if actions != column else None)


def _cell_path(context: Context, table: Table, row: Row, column: int) -> str | None:
    cell = plain(row.cells[column]).strip()
    path = clean_path(cell.split()[0].strip(",;:()")) if cell else None
    if path is None:
        return path
    folder = plain(table.cell(row, "location", "folder", "directory")).strip().rstrip("/")
    return f"{folder}/{path}" if "/" not in path and clean_path(f"{folder}/") else context.place(path)


def _read_row(claims: _Claims, context: Context, table: Table, row: Row, path: str, actions: int | None) -> None:
    text = " | ".join(row.cells)
    action = plain(row.cells[actions]) if actions is not None and actions < len(row.cells) else ""
    verb = stance.ANY_VERB.search(action) or stance.FIELD_VERB.match(action.strip().lower())
    kind = stance.kind_of(verb) if verb else context.listed
    if verb is not None and kind in {CREATED, DELETED} and _OBJECT.match(action[verb.end() :]):
        kind = context.listed if context.listed in _BECOMING else MODIFIED
    if isinstance(kind, ClaimKind) and not stance.is_denied(action) and not stance.is_planned(action):
        claims.add(DIRTY if context.listed is DIRTY else kind, row.line, text, subject=path)
    for heading, cell in zip(table.header, row.cells, strict=False):
        words, match = heading.lower(), HASH.search(cell)
        if match and ("sha" in words or "hash" in words or "digest" in words or "checksum" in words):
            when = ClaimKind.HASH_BEFORE if "before" in words or "old" in words else ClaimKind.HASH
            claims.add(when, row.line, text, subject=path, value=canonical_hash(match.group()))


def _read_code(claims: _Claims, context: Context, code: Code) -> None:
    """Output of git and of sha256sum, under headings that say what it is."""
    if context.silent:
        return
    for number, text in enumerate(code.text.split("\n"), start=code.line):
        checksum = _SUM_LINE.match(text)
        changed = _NAME_STATUS.match(text) if context.listed is not None else None
        if checksum and (path := clean_path(checksum.group(2))):
            claims.add(ClaimKind.HASH, number, text, subject=path, value=canonical_hash(checksum.group(1)))
        elif changed and (path := clean_path(changed.group(2))):
            kind = DIRTY if context.listed is DIRTY else _STATUS_KINDS.get(changed.group(1))
            if kind is not None:
                claims.add(kind, number, text.strip(), subject=path)
        elif context.commits and (commit := re.match(r"^\W*([0-9a-f]{7,40})\s", text)) and COMMIT.fullmatch(commit[1]):
            claims.add(ClaimKind.COMMIT, number, text.strip(), value=commit.group(1))
