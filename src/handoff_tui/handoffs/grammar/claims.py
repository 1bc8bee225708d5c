"""The claims of a document about files, hashes, commits, branches and uncommitted work. Used by every format; pure.

A claim needs a claiming sentence: an entry of a list or table under a heading that says what happened to its entries, a
field such as `Added:`, or a sentence that asserts it. Plans, denials, quotations, examples and mentions claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.claim_list import BECOMING, ClaimList, add_branch, find_words, read_hashes
from handoff_tui.handoffs.grammar.clauses import PathSpan, find_clause, find_clause_end, mask
from handoff_tui.handoffs.grammar.entries import lead_length, read_item
from handoff_tui.handoffs.grammar.git_words import read_branch, read_clean, read_commits
from handoff_tui.handoffs.grammar.lexicon import CREATED, DIRTY, MODIFIED, READ
from handoff_tui.handoffs.grammar.listings import read_code, read_table
from handoff_tui.handoffs.grammar.members import read_members
from handoff_tui.handoffs.grammar.roles import HeadingContext, Role, find_folder, find_label, read_headings, role_of
from handoff_tui.handoffs.grammar.sentences import goes_on, lies_there, names_elsewhere, points_to, read_sentence
from handoff_tui.handoffs.grammar.tokens import HASH, canonical_hash, clean_path, has_file_name, is_surely_path
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Block, Code, Item, Paragraph, Section, Table, parse_field

_SENTENCE_END: Final = compile_later(r"(?<=[.!?;])(?=\s+[^a-z])|(?<=;)(?=\s)|(?<=[。！？])|\n(?=\s*[-*•])|\n\n")
_BETWEEN_BRANCHES: Final = compile_later(r",\s+|\s+(?:and|und|et|y)\s+")
_NAMES_HASH: Final = compile_later(r"\bsha-?256\W{1,4}[0-9a-f]{64}\b", re.IGNORECASE)
_COMMITTED: Final = compile_later(r"^[`*\s]*\((?:already |now )?(?:committed|checked in|pushed)\b", re.IGNORECASE)
_VERSION: Final = compile_later(
    r"^\[(?:unreleased|v?\d+(?:\.\d+)+)\S*\]|^(?:unreleased|v?\d+\.\d+\.\d+)(?:\s*[-\u2013\u2014(].*)?$", re.IGNORECASE
)
"""A heading of a changelog, which begins with the newest version."""
_LONE_LABEL: Final = compile_later(
    r"^\W*\*\*([^*\n]{3,60})\?\*\*\s+(?=[`\w.])(.+)|^\s*([A-Z][a-z]+(?: [a-z]+)?)\.\s+(?=[\w.@-]+/)(.+)", re.DOTALL
)
"""What else changed? `a`, `b`. Additions. src/a.py; src/b.py."""
_ASKS: Final = compile_later(r"^(?:and )?(?:what|which)\b\s*", re.IGNORECASE)
_BULLET: Final = compile_later(r"^\s*[•◦▪‣·:]\s+", re.MULTILINE)
_LABELLED_PATHS: Final = compile_later(r"[A-Z][A-Za-z ]{1,40}:?(?:\n[ \t]*[\w@.-]+(?:/[\w@.-]+)*\.\w+[ \t]*)+")
_ENTRY: Final = compile_later(
    r"\s*(?:\([a-z]{1,4}\)\s|(?:[\w@.-]+/)+[\w.-]+\.\w+\s?[:(\u2013\u2014]"
    r"|[~+✅✔☑⏳❌🔜➕🆕✨✏📝🔧🛠♻🗑➖🔥]|[AMDRU?]{1,2}\d{0,3}\s+[`\w.]|(?:NEW|MOD|DEL)\b|[`*]{1,3}[^`*\s]+[`*]{1,3}\s*[:(\u2013\u2014-])"
)
_UNCOMMITTED: Final = compile_later(
    r"\bun-?committed\b|\bcommitted,? (?:except|apart from|other than|but not)\b|(?:\bnot|n['\u2019]t) (?:yet |been "
    r"|even )*(?:commit+ed|staged|checked in|tracked)\b|\bnothing (?:\w+ )?committed\b|\bunstaged\b"
    r"|\blocal (?:changes|edits|modifications)\b|\buntracked\b|\b(?:left|is|are|still|remains?) (?:\S+ )?dirty\b"
    r"|\bdirty files?\b|\byet to be committed\b|\bnot in git(?: yet)?\b|\bonly in (?:my|the) work(?:ing)? (?:tree"
    r"|copy|directory)\b|\bgit (?:status|diff)\W+(?:\w+ ){0,2}(?:lists?|shows?|names?|reports?)\b"
    r"|\bstill (?:need|has|have) to be committed\b",
    re.IGNORECASE,
)
_OF_UNCOMMITTED: Final = (
    "commit",
    "stage",
    "track",
    "checked in",
    "local ",
    "dirty",
    "in git",
    "only in ",
    "git status",
)
_NO_UNCOMMITTED: Final = compile_later(
    r"\b(?:no|none|nothing|without|0) (?:\w+ )?(?:un-?committed|unstaged|untracked)|^\W*none\b", re.IGNORECASE
)
_RULE_FOR_OTHERS: Final = compile_later(
    r"\b(?:don['\u2019]t|do not|never|must not|should not) (?:leave|keep|have)\b|\bsuch as\b|\bfor example\b|\be\.g\.",
    re.IGNORECASE,
)
_SINCE_COMMITTED: Final = compile_later(
    r"\b(?:has|have) (?:since |long |now |already )+been committed\b", re.IGNORECASE
)
_COMMIT_ORDER: Final = compile_later(r"^\W*(?:\[[^\]]*\]\W*)*(?:track|commit|stage|push|add)\b", re.IGNORECASE)
_INSIDE: Final = compile_later(r"\b(?:in|under|to|into|inside|within)\W*$", re.IGNORECASE)
_MAY_NAME: Final = compile_later(r"\.[A-Za-z]|/[A-Za-z]|makefile|Makefile|dockerfile|Dockerfile|\]\(")
_COMMIT: Final = compile_later(r"(?<![0-9a-f])[0-9a-f]{7,40}(?![0-9a-f])")
_BRANCH: Final = compile_later(
    r"branch|Branch|BRANCH|ブランチ|分支|브랜치|rama\b|Rama\b|ramo\b|Ramo\b|zweig|Zweig|ветк|origin/|upstream/|git\b(?<=\bgit)|Git\b(?<=\bGit)"
    r"|`(?:main|master|dev|(?:feat\w*|(?:bug|hot)?fix|chore|release|refactor|wip|spike|story|epic)/)|pushed to\b|"
    + "|".join(rf"{word}(?<=\b{word}) (?:the )?[`*]*\w+/\w" for word in ("on", "to", "onto", "in", "from"))
)
_STATE: Final = compile_later(
    "clean|Clean|CLEAN|commit|Commit|COMMIT|unstaged|Unstaged|checked in|Checked in|no (?:pending|local|outst)"
)
"""Cheap looks before the patterns: most texts name neither a file nor anything of git.

Each alternative begins with a letter as it stands: Python then goes from one such letter to the next.
"""
_ONLY_NAMED: Final = compile_later(r"\W*(?:\(?sha-?256\W{1,4}(?:[0-9a-f]{64})?\W*)?", re.IGNORECASE)
"""An entry with its path masked that says nothing else, or the hash of it."""
_WORDS: Final = compile_later(r"[^\W\d_§]")
_LONGEST_BLOCK = 20_000
_LONGEST_NAME = 40
_FEW_WORDS = 3
_DOCUMENT: Final = compile_later(r"\.(?:md|rst|adoc|txt|pdf|html)(?:#\S*|:\d+)?$")
_GOES_ON: Final = compile_later(
    r"(?:[,(/&+\u2014\u2013-]|\b(?:and|or|but|the|an?|in|of|to|on|at|by|with|for|from|is|are|was|were|has|have|that"
    r"|which|as|into|than|not|its|our|my))\s*$",
    re.IGNORECASE,
)
_IN_BRACKET: Final = compile_later(r"[`*_]*\s*\(([^()]*)\)")
_WRAPPED = 100
"""A longer line is a paragraph that nobody wrapped."""


def find_claims(
    sections: Iterable[Section], document: str, package: str = "", *, front: JsonNode | None = None
) -> list[Claim]:
    """Every claim of some sections, in the order of the document; references last.

    `package` is the one that the document is about: a manifest without a folder is its manifest. `front` is its front
    matter.
    """
    claims = ClaimList(document, package)
    newest: str | None = None
    if front is not None:
        read_members(claims, front, _read_text)
    headings: list[tuple[int, str]] = []
    for section in sections:
        while headings and headings[-1][0] >= section.level:
            headings.pop()
        if section.level > 1 and (_MAY_NAME.search(section.title) or _COMMIT.search(section.title)):
            above = read_headings([name for _, name in headings] or [""])
            if not stance.is_silent_heading(section.name):
                claims.parents.clear()
                _read_text(claims, above, Item(section.line, section.title, 1))
        if section.level:
            is_version = _VERSION.match(section.name) is not None
            newest = newest or (section.name if is_version else None)
            name = f"previous: {section.name}" if is_version and section.name != newest else section.name
            headings.append((section.level, name))
        _read_section(claims, [name for _, name in headings] or [""], section)
    return claims.list()


def find_member_claims(node: JsonNode, document: str, listed: Mapping[str, ClaimKind] | None = None) -> list[Claim]:
    """Every claim of an object: `listed` says what lists claim whose names alone say nothing of it."""
    claims = ClaimList(document)
    read_members(claims, node, _read_text, listed)
    return claims.list()


def _read_section(claims: ClaimList, names: list[str], section: Section) -> None:
    """A paragraph or an entry that is a label (`**Files created:**`) is a heading for what follows."""
    own = context = read_headings(names)
    depth = 0
    claims.parents.clear()
    blocks = [part for block in section.blocks for part in _unfold(block)]
    for block, follows in zip_longest(blocks, blocks[1:]):
        if isinstance(block, Paragraph):
            label = find_label(block.text, listed=isinstance(follows, Item | Code))
            context, depth = (read_headings([*names, label]), 0) if label else (own, 0)
        elif isinstance(block, Item) and depth and block.depth <= depth:
            context, depth = own, 0
        if isinstance(block, Table):
            for cell in read_table(claims, context, block):
                _read_text(claims, context, cell if cell.checked else Paragraph(cell.line, cell.text))
        elif isinstance(block, Code):
            read_code(claims, context, block)
        elif not block.quoted and not (isinstance(block, Paragraph) and block.html):
            for part in _split_entries(block):
                _read_text(claims, context, part)
            own.folder = context.folder
        if isinstance(block, Item) and (label := find_label(block.text)):
            context, depth = read_headings([*names, label]), block.depth


def _unfold(block: Block) -> Iterator[Block]:
    """Lines of a paragraph that begin with a bullet, or that are paths below a label, are entries."""
    if not isinstance(block, Paragraph) or block.quoted or block.html:
        yield block
        return
    if _LABELLED_PATHS.fullmatch(block.text):
        label, *paths = block.text.split("\n")
        yield Paragraph(block.line, label.rstrip(" :") + ":")
        yield from (Item(number, path.strip(), 1) for number, path in enumerate(paths, start=block.line + 1))
        return
    if not _has_bullets(block.text):
        yield block
        return
    for number, line in enumerate(block.text.split("\n"), start=block.line):
        bullet = _BULLET.match(line)
        yield Item(number, line[bullet.end() :], 1) if bullet else Paragraph(number, line)


def _has_bullets(text: str) -> bool:
    return not (text.isascii() and "\n:" not in text) and _BULLET.search(text) is not None


def _split_entries(block: Paragraph | Item) -> Iterator[Paragraph | Item]:
    """Lines that begin with a mark (`~ src/a.py`, ✅), or that were ended on purpose, are entries of their own."""
    if "\n" not in block.text:
        yield block
        return
    lines = block.text.split("\n")
    width = max(map(len, lines))
    start = offset = 0
    for line, after in pairwise(lines):
        offset += len(line) + 1
        word = after.split(maxsplit=1)[0] if after.strip() else ""
        is_ended = len(line) + 1 + len(word) <= width and not word[:1].islower() and not _GOES_ON.search(line)
        is_ended = is_ended and len(line) < _WRAPPED
        if _ENTRY.match(after) or is_ended:
            yield _part(block, start, offset - 1)
            start = offset
    yield block if not start else _part(block, start, len(block.text))


def _part(block: Paragraph | Item, start: int, end: int) -> Paragraph | Item:
    line = block.line + block.text.count("\n", 0, start)
    part = block._replace(line=line, text=block.text[start:end])
    return part._replace(checked=None) if isinstance(part, Item) and start else part


_GIT_READERS: Final = ((read_commits, _COMMIT), (read_branch, _BRANCH), (read_clean, _STATE))


def _read_text(claims: ClaimList, context: HeadingContext, block: Paragraph | Item) -> None:
    text = stance.blank_out(block.text[:_LONGEST_BLOCK])
    checked = block.checked if isinstance(block, Item) else None
    folder = find_folder(text) if ":" in text[-3:] or "PKG-" in text else ""
    if folder:
        context.folder = folder
        return
    words = list(find_words(text, context, claims.document)) if _MAY_NAME.search(text) else []
    branches = context.listed is Role.BRANCH
    readers = [read for read, look in _GIT_READERS if look.search(text) or (branches and read is read_branch)]
    is_hash = bool(claims.parents or claims.archive) and HASH.search(text) is not None
    is_attribute = bool(claims.parents) and ":" in text
    if not (words or readers or context.listed or is_hash or is_attribute or "rchive" in text):
        if isinstance(block, Item):
            claims.forget_below(block.depth)
        return  # as most texts
    is_open = stance.is_marked_open(text) and not (_may_be_uncommitted(text) and _UNCOMMITTED.search(text))
    if context.silent or checked is False or is_open or _is_silent_field(text):
        if context.points or not context.silent:
            _read_pointers(claims, block, text, words)
        return
    done = checked is True or stance.is_marked_done(text) or context.done
    listed = isinstance(block, Item)  # a paragraph may begin with a path, too
    item = block if isinstance(block, Item) else Item(block.line, block.text, 1)
    read_item(claims, context, item, text, words, listed=listed)
    is_below = listed and item.depth - 1 in claims.parents  # it tells what the file above does
    masked = mask(text, words).replace("\n", " ")
    if not readers and item.depth in claims.parents and _ONLY_NAMED.fullmatch(masked):
        return  # no word is about the file
    before: list[PathSpan] = []
    for start, end in _split(text):
        sentence = text[start:end]
        line = block.line + text.count("\n", 0, start + len(sentence) - len(sentence.lstrip()))
        here = [word for word in words if start <= word.start < end]
        if start and _is_silent_field(sentence):
            continue
        if not _goes_on(claims, line, masked[start:end], before, here) and not _read_field(
            claims, line, sentence, here, start
        ):
            _read_sentence(claims, block, masked, text, (start, end), here, done=None if is_below else done)
        before = here
        for read in readers:
            read(claims, context, line, sentence.replace("\n", " "), ticked=done and not is_below)


def _goes_on(claims: ClaimList, line: int, masked: str, before: list[PathSpan], here: list[PathSpan]) -> bool:
    """Whether a sentence of nothing but paths goes on with the list before it: `a`; `b`; `c`."""
    kind = claims.became.get(before[-1].path) if before else None
    if kind is None or not here or _WORDS.search(masked):
        return False
    for word in here:
        claims.add(kind, line, word.path, subject=word.path)
    return True


def _may_be_uncommitted(text: str) -> bool:
    """A cheap look before the pattern."""
    lowered = text.lower()
    return any(stem in lowered for stem in _OF_UNCOMMITTED)


def _cut_clause(masked: str, start: int, word: PathSpan, end: int) -> str:
    return masked[find_clause(masked, start, word.start) : find_clause_end(masked, word.end, end)]


def _read_pointers(claims: ClaimList, block: Paragraph | Item, text: str, words: list[PathSpan]) -> None:
    for start, end in _split(text):
        here = [word for word in words if start <= word.start < end]
        masked = mask(text, here)
        for word in here:
            before = masked[start : word.start]
            if points_to(before) and is_surely_path(word.path) and not names_elsewhere(masked[word.end : end]):
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


def _is_silent_field(sentence: str) -> bool:
    """`Out of scope: …`, `Next: …`."""
    if ":" not in sentence:
        return False
    parsed = parse_field(sentence[lead_length(sentence) :])
    if parsed is None or not parsed[1] or len(parsed[0]) > _LONGEST_NAME:
        return False
    return _is_silent_name(parsed[0])


@lru_cache(maxsize=2048)
def _is_silent_name(name: str) -> bool:
    is_silent = stance.is_planned(name) or stance.is_silent_heading(name) or stance.begins_with_denial(name)
    return is_silent and role_of(name) not in {DIRTY, Role.HASH}


def _read_field(claims: ClaimList, line: int, sentence: str, words: list[PathSpan], start: int) -> bool:
    """`**Added**: `a`, `b`` and `Branch: x`; whether it was one."""
    lead = lead_length(sentence)
    lone = _LONE_LABEL.match(sentence)
    parsed = (
        None if stance.is_marked_done(sentence) else _name_and_value(lone) if lone else parse_field(sentence[lead:])
    )
    if parsed is None or not parsed[1]:
        return False
    name, value = parsed[0].lower().strip("* "), parsed[1]
    role = role_of(name)
    if name.startswith("archive"):
        _read_archive(claims, line, sentence.strip(), name, value)
        return False
    colon = start + (lone.start(lone.lastindex or 0) - 1 if lone else sentence.index(":"))
    return read_member(
        claims,
        role,
        line,
        sentence.strip(),
        value,
        [word for word in words if word.start > colon],
        (sentence, start, colon),
    )


def _name_and_value(match: re.Match[str]) -> tuple[str, str]:
    name, value = (group for group in match.groups() if group is not None)
    return _ASKS.sub("", name), value


def read_member(
    claims: ClaimList,
    role: ClaimKind | Role | None,
    line: int,
    said: str,
    value: str,
    words: Sequence[PathSpan],
    where: tuple[str, int, int],
) -> bool:
    """What a field with a role says with its value."""
    if role is Role.BRANCH:
        first, *others = _BETWEEN_BRANCHES.split(value)
        for one in (first, *(other for other in others if "/" in other.split(" ", 1)[0])):
            add_branch(claims, line, said, (one.split(maxsplit=1) or [""])[0])
        return True
    if role is DIRTY and stance.is_denied(value.split(",", maxsplit=1)[0]):
        claims.add(DIRTY, line, said, value=0)
        return True
    if (
        role is None
        and len(said.partition(":")[0].split()) <= _FEW_WORDS
        and _DOCUMENT.search(value.split(maxsplit=1)[0].strip("`*,;()[]"))
        and not stance.is_planned(said)
    ):
        role = READ  # Design: docs/design.md
    if role is None or not isinstance(role, ClaimKind):
        return False
    sentence, start, colon = where
    listed = list(words)
    if (
        not listed
        and (path := clean_path(value.split(maxsplit=1)[0].strip("`*,;()"))) is not None
        and has_file_name(path)
    ):
        listed = [PathSpan(colon, colon, path)]
    end = listed[0].start if listed else colon
    found = False
    if (
        role is not READ
        and listed
        and listed[0].start > colon
        and sentence[colon - start + 1 : listed[0].start - start].strip(" *_`[")
    ):
        return False
    for word in listed:
        if not re.fullmatch(
            r"(?:\s*\([^()]*\)|`?\s[-\u2013\u2014]\s[^,;`]{1,40},)?[\s*_,&+;|/]*(?:and)?[\s*_]*",
            sentence[end - start : word.start - start],
        ):
            break
        bracket = _IN_BRACKET.match(sentence, word.end - start)
        own = stance.read_annotation(bracket[1]) if bracket and role in BECOMING else None
        if own is not False:
            claims.add(own if isinstance(own, ClaimKind) else role, line, said, subject=word.path)
        end = word.end
        found = True
    return found


def _read_archive(claims: ClaimList, line: int, sentence: str, name: str, value: str) -> None:
    """`**Archive**: name` and, on the next line, `**Archive SHA256**: hash`."""
    path = clean_path(value.split(maxsplit=1)[0].strip("`*,;()")) if name == "archive" else None
    if path is not None:
        claims.archive = path
        claims.add(CREATED, line, sentence, subject=path)
    if claims.archive and HASH.search(value):
        claims.add(ClaimKind.HASH, line, sentence, subject=claims.archive, value=canonical_hash(value))


def _read_sentence(
    claims: ClaimList,
    block: Paragraph | Item,
    masked: str,
    text: str,
    where: tuple[int, int],
    words: list[PathSpan],
    *,
    done: bool | None,
) -> None:
    """A sentence that asserts what became of a path, that it isn't committed, or that points to it."""
    if not words:
        return
    start, end = where
    said = " ".join(text[start:end].split())
    told = dict(read_sentence(masked, start, end, words, done=done))
    pointed = start
    dirty = _may_be_uncommitted(text) and _UNCOMMITTED.search(masked, start, end) is not None
    silent = (_NO_UNCOMMITTED.search, _SINCE_COMMITTED.search, _COMMIT_ORDER.match, _RULE_FOR_OTHERS.search)
    for word in words:
        line = block.line + text.count("\n", 0, word.start)
        before, after = masked[start : word.start], masked[word.end : end]
        if dirty and (word not in told or _UNCOMMITTED.search(_cut_clause(masked, start, word, end))):
            if not any(look(masked[start:end]) for look in silent) and not _COMMITTED.match(text[word.end : end]):
                claims.add(DIRTY, line, said, subject=word.path)
            if told.get(word) is not CREATED:
                continue
        if not is_surely_path(word.path):
            continue
        kind = told.get(word)
        if kind is MODIFIED and word.path.endswith("/") and _INSIDE.search(before):
            continue  # where something was put
        if kind is not None:
            claims.add(kind, line, said, subject=word.path)
        elif (
            (points_to(before) and not names_elsewhere(after))
            or lies_there(before, after, masked[start:end])
            or (pointed > start and goes_on(masked[pointed : word.start]))
        ):
            claims.add(READ, line, said, subject=word.path)
            pointed = word.end
        if word.path not in claims.parents.values():  # an entry has read its own
            follows = next((other.start for other in words if other.start > word.start), end)
            near = text[word.end : follows]
            lone = len(words) == 1 or (
                HASH.search(near) is not None
                and re.search(r"sha|hash|digest|checksum|fingerprint", masked[start:end], re.IGNORECASE) is not None
            )
            behind = near if lone else text[word.end : end]
            if len(words) == 1 and HASH.search(near) is None and _NAMES_HASH.search(text, start, word.start):
                behind = text[start : word.start]  # sha256 <hash> — `x`
            read_hashes(claims, word.path, behind, line, whole=said, alone=lone)
