"""Claims in tables, in the output of tools, and in trees of files: what a column, a letter or a line says. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.claim_list import BECOMING, ClaimList, add_branch, find_words
from handoff_tui.handoffs.grammar.lexicon import CREATED, DELETED, DIRTY, MODIFIED, READ
from handoff_tui.handoffs.grammar.roles import HeadingContext, Role, role_of, role_of_column
from handoff_tui.handoffs.grammar.tokens import (
    COMMIT,
    HASH,
    canonical_hash,
    clean_path,
    has_file_name,
    is_surely_path,
)
from handoff_tui.handoffs.reading.markdown import Code, Item, Row, Table, plain

_OLD_COLUMN: Final = compile_later(r"(?:from|old|before|previous|original)(?: \w+)?$")
_NEW_COLUMN: Final = compile_later(r"(?:to|new|after|now)(?: \w+)?$")

_Role = ClaimKind | Role | None
_SUM_LINE: Final = compile_later(
    r"^\s*(?P<hex>[0-9a-fA-F]{64})\s+\*?(?P<path>\S+)\s*$"
    r"|^\s*SHA-?256 ?\((?P<tagged>\S+)\) ?= ?(?P<tag>[0-9a-fA-F]{64})\s*$"
)
_CUT_HASH: Final = compile_later(r"(?<![0-9a-zA-Z])(?=\w*\d)[0-9a-f]{6,63}(?:\.\.\.|…)")
_NAME_STATUS: Final = compile_later(
    r"^ {0,4}(\?\?|[AMDRCU]{1,2}\d{0,3}|[+~]|new:|mod:|del:)\s+(\S+)(?:\s+(?:->|=>)?\s*(\S+))?\s*(?:[#(].*)?$"
)
_STATUS_KINDS: Final = {
    "A": CREATED,
    "M": MODIFIED,
    "D": DELETED,
    "?": CREATED,
    "+": CREATED,
    "~": MODIFIED,
    "U": MODIFIED,
    "N": CREATED,
    "n": CREATED,
    "m": MODIFIED,
    "d": DELETED,
}
_LONE_PATH: Final = compile_later(r"^\s*\S+\.\w+\s*$")
_DIFF_STAT: Final = compile_later(r"^\s*(\S+)\s+\|\s+(?:\d+ ?[+-]*|Bin\b.*)\s*$")
_STATUS_LINE: Final = compile_later(
    r"^\s*(new file|created|added|wrote|changed|updated|edited|removed|modified|deleted|renamed|create mode \d+"
    r"|delete mode \d+|both modified):?\s+(\S+)(?:\s+->\s+(\S+))?\s*$"
)
_OUTPUT_WORDS: Final = {
    **dict.fromkeys(("new", "create", "created", "added", "wrote"), CREATED),
    **dict.fromkeys(("delete", "deleted", "removed"), DELETED),
}
_RENAME_LINE: Final = compile_later(r"^\s*rename\s+(\S+)\s+=>\s+(\S+)\s+\(\d+%\)\s*$")
_DIRTY_PART: Final = compile_later(
    r"^\s*(?:changes not staged|changes to be committed|untracked files|unmerged paths)", re.IGNORECASE
)
_UNTRACKED: Final = compile_later(r"^\s*untracked files", re.IGNORECASE)
_STATUS_COMMAND: Final = compile_later(r"^\s*[$>%#]\s*git (status|diff|show|log|ls-files)\b(.*)")
_ON_BRANCH: Final = compile_later(r"^(?:\s*On branch |## )([\w./-]+?)(?:\.\.\.\S+.*|\s*)$")
_TREE: Final = compile_later(r"^[\s│|]*[├└+`|][─-]{1,3}\s?(?P<name>[^\s#←(]+)[^\S\n]*(?P<said>\S.*)?$")
_OUTPUT: Final = frozenset(
    {
        "",
        "text",
        "console",
        "shell",
        "sh",
        "bash",
        "diff",
        "git",
        "txt",
        "plaintext",
        "log",
        "output",
        "shell-session",
        "patch",
    }
)
_CLEAN: Final = compile_later(r"working tree clean|nothing to commit")
_LOG_LINE: Final = compile_later(r"^[\W_]*(?:commit )?([0-9a-f]{7,40})(?:\s|$)")
_LEAST_TREE = 2
_WHERE: Final = compile_later(r"^\W*(?:where|location|lives in|found in|see)\b", re.IGNORECASE)
_SHORT = 24
_FEW_WORDS = 3
_MOST_OF = 0.6
_VALUE: Final = compile_later(r"[/\d`]")
_YES: Final = compile_later(r"^\W*(?:yes|x|y|true|done|completed?|finished)\W*$|^[✅✔✓•☑️\s]+$", re.IGNORECASE)


def read_table(claims: ClaimList, context: HeadingContext, table: Table) -> list[Item]:
    """A table of files with what became of each, of commits, or of fields and values; the cells that are sentences."""
    told: list[Item] = []
    if context.silent or any(map(stance.is_planned, table.header)):
        return told
    roles = [role_of_column(heading) for heading in table.header]
    for number, heading in enumerate(table.header):
        if roles[number] is None and _holds_hashes(table, number):
            roles[number] = Role.HASH_BEFORE if _OLD_COLUMN.match(heading.lower().strip()) else Role.HASH
    if Role.ACTION not in roles and (actions := _find_actions(table, roles, context)) is not None:
        roles[actions] = Role.ACTION
    files = _find_column(table, roles, context)
    rows = table.rows
    if files is None and len(table.header) == 2 and not roles[1] and (not roles[0] or _VALUE.search(table.header[1])):  # noqa: PLR2004
        roles = [None, None]  # no heading, but the first field
        rows = (Row(table.line, table.header), *rows)
    for row in rows:
        text = " | ".join(row.cells)
        moved = _read_moved_row(claims, table, row, text, context)
        paths = _list_paths(context, row, files, roles) if files is not None and not moved else []
        for path in paths:
            _read_row(claims, context, roles, row, path, files or 0, table.header[files or 0])
        if not paths:
            told.extend(_read_other_row(claims, context, roles, row, text, alone=files is None))
    return told


def _read_other_row(
    claims: ClaimList, context: HeadingContext, roles: list[_Role], row: Row, text: str, *, alone: bool
) -> Iterator[Item]:
    """The cells of a row that begins with no file, and those of them that are sentences."""
    for number, cell in enumerate(row.cells):
        role = roles[number] if number < len(roles) else None
        _read_cell(claims, context, row, text, role, cell)
        if role is None and " " in cell.strip() and not any(map(_is_open, row.cells)):
            yield Item(row.line, cell, 1, checked=any(map(_is_finished, row.cells)) or None)
    if alone and len(row.cells) >= 2 and not stance.is_planned(row.cells[0]):  # noqa: PLR2004 - name and value
        _read_cell(claims, context, row, text, _field_role(row.cells[0]), row.cells[1])


def _is_finished(cell: str) -> bool:
    """Whether a cell says only that the subject of its row is done."""
    return _YES.match(plain(cell)) is not None


def _is_open(cell: str) -> bool:
    """Whether a short cell says that the subject of its row is still to be done."""
    return len(cell) <= _SHORT and (
        stance.is_marked_open(cell)
        or stance.is_planned(cell)
        or stance.is_denied(cell.split(maxsplit=1)[0] if cell.split() else "")
    )


def _field_role(name: str) -> _Role:
    return None if stance.is_silent_heading(name) else role_of(name)


def _find_column(table: Table, roles: list[_Role], context: HeadingContext) -> int | None:
    """The column of the files: by its heading, or by its content beside a column of actions."""
    for number, role in enumerate(roles):
        if role is Role.FILE:
            return number
    if context.listed is None and Role.ACTION not in roles and not any(role is Role.HASH for role in roles):
        return None
    for number in range(len(table.header)):
        cells = [plain(row.cells[number]).split() for row in table.rows if number < len(row.cells)]
        paths = [
            cell for cell in cells if cell and (path := clean_path(cell[0].strip(",;:()"))) and is_surely_path(path)
        ]
        if paths and 2 * len(paths) > len(cells) and roles[number] not in BECOMING:
            return number
    return None


def _holds_hashes(table: Table, column: int) -> bool:
    cells = [plain(row.cells[column]).strip() for row in table.rows if column < len(row.cells)]
    return bool(cells) and all(HASH.fullmatch(cell) for cell in cells if cell) and any(cells)


def _find_actions(table: Table, roles: list[_Role], context: HeadingContext) -> int | None:
    """The column whose cells say, in a word or two, what became of something, whatever it is called."""
    for number, role in enumerate(roles):
        if role is not None:
            continue
        cells = [plain(row.cells[number]).strip() for row in table.rows if number < len(row.cells)]
        told = [cell for cell in cells if cell and len(cell.split()) <= _FEW_WORDS and "/" not in cell]
        deeds = [cell for cell in told if isinstance(_read_action(context, cell), ClaimKind)]
        if deeds and len(deeds) > _MOST_OF * len(cells):
            return number
    return None


def _list_paths(context: HeadingContext, row: Row, column: int, roles: list[_Role]) -> list[str]:
    """The files of a cell."""
    if column >= len(row.cells):
        return []
    first = _cell_path(context, row, column, roles)
    named = [word.path for word in find_words(row.cells[column], context) if is_surely_path(word.path)]
    return [] if first is None else list(dict.fromkeys([first, *named[1:]]))


def _cell_path(context: HeadingContext, row: Row, column: int, roles: list[_Role]) -> str | None:
    if stance.is_denied(plain(row.cells[column]).strip("_ ")):
        return None
    word = next(find_words(row.cells[column], context), None)
    cell = plain(row.cells[column]).strip()
    path = clean_path(cell.split()[0].strip(",;:()")) if cell else None
    if path is None:
        return word.path if word is not None else None
    places = [number for number, role in enumerate(roles) if role is Role.FOLDER and number < len(row.cells)]
    folder = plain(row.cells[places[0]]).strip().rstrip("/") if places else ""
    return f"{folder}/{path}" if "/" not in path and clean_path(f"{folder}/") else context.place(path)


def _read_row(
    claims: ClaimList, context: HeadingContext, roles: list[_Role], row: Row, path: str, files: int, heading: str
) -> None:
    """What a row says became of its file, then the hashes and commits in it."""
    text = " | ".join(row.cells)
    cells = [
        (role, cell)
        for number, (role, cell) in enumerate(zip(roles, row.cells, strict=False))
        if number != files and plain(cell).strip()
    ]
    actions = (_read_action(context, plain(cell).strip()) for role, cell in cells if role is Role.ACTION)
    kind: _Role | bool = next((one for one in actions if one is not None), None)
    if kind is None:  # | New? | Changed? |
        kind = next((role for role, cell in cells if role in BECOMING and _YES.match(plain(cell))), None)
    if kind is None:
        kind = context.listed if isinstance(context.listed, ClaimKind) else MODIFIED if context.built else None
    if kind is None and _WHERE.match(heading):
        kind = READ
    if isinstance(kind, ClaimKind):
        claims.add(DIRTY if context.listed is DIRTY else kind, row.line, text, subject=path)
    for role, cell in cells:
        match = HASH.search(cell) or _CUT_HASH.search(cell)
        if match and role in {Role.HASH, Role.HASH_BEFORE, Role.COMMIT}:
            which = ClaimKind.HASH_BEFORE if role is Role.HASH_BEFORE else ClaimKind.HASH
            claims.add(which, row.line, text, subject=path, value=canonical_hash(match.group()))
        elif role is Role.COMMIT:
            _read_cell(claims, context, row, text, role, cell)


def _read_action(context: HeadingContext, cell: str) -> ClaimKind | bool | None:
    """`new`, `Modified`, `A`, `rewrote the loop`; False if it plans or denies."""
    mark = stance.MARK.match(f"{cell} x") if len(cell) <= 2 or cell.isupper() else None  # noqa: PLR2004 - letters of git
    if mark is not None:
        return stance.mark_kind(mark)
    head = re.split(r"[,;.]\s", cell, maxsplit=1)[0]
    if stance.is_planned(head) or stance.is_denied(head) or stance.is_marked_open(cell):
        return False
    kind = stance.read_annotation(re.sub(r"^[^\w+-]+", "", cell))
    if kind is MODIFIED and context.listed is CREATED:
        return CREATED
    return kind


def _read_moved_row(claims: ClaimList, table: Table, row: Row, text: str, context: HeadingContext) -> bool:
    """| From | To |, | Old path | New path |."""
    headings = [heading.lower().strip() for heading in table.header]
    old = next((n for n, one in enumerate(headings) if _OLD_COLUMN.match(one)), None)
    new = next((n for n, one in enumerate(headings) if _NEW_COLUMN.match(one)), None)
    if old is None or new is None or max(old, new) >= len(row.cells):
        return False
    gone, made = (clean_path(plain(row.cells[number]).strip()) for number in (old, new))
    if gone is None or made is None or not has_file_name(gone) or not has_file_name(made):
        return False
    claims.add(DELETED, row.line, text, subject=context.place(gone))
    claims.add(CREATED, row.line, text, subject=context.place(made))
    return True


def _read_cell(claims: ClaimList, context: HeadingContext, row: Row, text: str, role: _Role, cell: str) -> None:
    """A cell whose column, or whose first cell, says what it is."""
    value = plain(cell).strip()
    if not value or role is None:
        return
    if role is Role.COMMIT:
        for commit in COMMIT.findall(cell):
            claims.add(ClaimKind.COMMIT, row.line, text, value=commit)
    elif role is Role.BRANCH:
        add_branch(claims, row.line, text, value.split()[0])
    elif (role is DIRTY and (stance.is_denied(value) or value in {"0", "-", "–"})) or (
        role is Role.CLEAN and value.lower().startswith("clean")
    ):
        claims.add(DIRTY, row.line, text, value=0)
    elif isinstance(role, ClaimKind) and not stance.is_planned(cell) and not stance.is_denied(cell):
        for word in find_words(cell, context):
            if is_surely_path(word.path):
                claims.add(role, row.line, text, subject=word.path)


def read_code(claims: ClaimList, context: HeadingContext, code: Code) -> None:
    """Output of git and of sha256sum, and trees of files."""
    if context.silent or code.language.split(" ")[0].lower() not in _OUTPUT:
        return
    lines = code.text.split("\n")
    if context.listed in {*BECOMING, DIRTY} and all(map(_LONE_PATH.match, filter(str.strip, lines))):
        for number, text in enumerate(lines, start=code.line):
            if (path := clean_path(text)) is not None and isinstance(context.listed, ClaimKind):
                claims.add(context.listed, number, text.strip(), subject=path)
        return
    is_stat = any(map(_DIFF_STAT.match, lines))
    is_list = all(map(_NAME_STATUS.match, filter(str.strip, lines)))
    part = DIRTY if context.listed is DIRTY else None
    command = ""
    untracked = False
    for number, text in enumerate(lines, start=code.line):
        if asked := _STATUS_COMMAND.match(text):
            command = asked[1]
        if _DIRTY_PART.match(text):
            part, untracked = DIRTY, _UNTRACKED.match(text) is not None
        is_status = command == "status" or part is DIRTY
        kinds = _read_output_line(claims, context, text, number, is_stat=is_stat, may_be_letters=is_list or is_status)
        if untracked and not kinds and text[:1].isspace():
            kinds = [one for one in _paths((DIRTY, text.strip())) if is_surely_path(one[1])]
        for kind, path in kinds:
            claims.add(DIRTY if is_status else kind, number, text.strip(), subject=path)
        is_log = context.commits or command in {"log", "show"} or text.startswith("commit ")
        commit = _LOG_LINE.match(text) if is_log else None
        if commit and COMMIT.fullmatch(commit[1]):
            claims.add(ClaimKind.COMMIT, number, text.strip(), value=commit[1])
    _read_tree(claims, context, lines, code.line)


def _read_output_line(
    claims: ClaimList, context: HeadingContext, text: str, number: int, *, is_stat: bool, may_be_letters: bool
) -> list[tuple[ClaimKind, str]]:
    """What one line says of files; hashes, branches, and a clean work tree are added at once."""
    checksum, branch = _SUM_LINE.match(text), _ON_BRANCH.match(text)
    if checksum and (path := clean_path(checksum["path"] or checksum["tagged"])):
        sealed = checksum["hex"] or checksum["tag"]
        claims.add(ClaimKind.HASH, number, text, subject=path, value=canonical_hash(sealed))
    elif branch:
        claims.add(ClaimKind.BRANCH, number, text.strip(), value=branch[1])
    elif _CLEAN.search(text):
        claims.add(DIRTY, number, text.strip(), value=0)
    else:
        may_be_letters = may_be_letters or "\t" in text or context.done or context.commits or context.listed is not None
        return [*_read_words(text, is_stat=is_stat), *(_read_letters(text) if may_be_letters else ())]
    return []


def _read_words(text: str, *, is_stat: bool) -> list[tuple[ClaimKind, str]]:
    """`src/a.py | 12 ++--`, `rename a => b (90%)`, `new file: a`."""
    if is_stat and (stat := _DIFF_STAT.match(text)):
        return _paths((MODIFIED, stat[1]))
    if renamed := _RENAME_LINE.match(text):
        return _paths((DELETED, renamed[1]), (CREATED, renamed[2]))
    status = _STATUS_LINE.match(text)
    if status is None:
        return []
    word, path, target = status.groups()
    if target:
        return _paths((DELETED, path), (CREATED, target))
    return _paths((_OUTPUT_WORDS.get(word.partition(" ")[0], MODIFIED), path))


def _read_letters(text: str) -> list[tuple[ClaimKind, str]]:
    """`M  src/a.py`, `?? src/b.py`, `R  a -> b`."""
    changed = _NAME_STATUS.match(text)
    if changed is None:
        return []
    letters, path, target = changed.groups()
    if letters[0] == "R" and target:
        return _paths((DELETED, path), (CREATED, target))
    kind = _STATUS_KINDS.get(letters[0])
    return _paths((kind, path)) if kind is not None else []


def _paths(*found: tuple[ClaimKind, str]) -> list[tuple[ClaimKind, str]]:
    cleaned = [(kind, clean_path(path)) for kind, path in found]
    return [(kind, path) for kind, path in cleaned if path is not None]


def _read_tree(claims: ClaimList, context: HeadingContext, lines: list[str], first: int) -> None:
    """`├── queue.py  # new` below `src/lib/`: what the heading says of all, or an annotation of one."""
    entries = list(_list_tree(lines))
    if len(entries) < _LEAST_TREE:
        return
    for offset, path, annotation in entries:
        said = stance.read_annotation(re.sub(r"^[^\w+]+", "", annotation)) if annotation else None
        kind = said if said is not None else context.listed if context.listed in BECOMING | {READ} else None
        if isinstance(kind, ClaimKind) and (cleaned := clean_path(path)) and has_file_name(cleaned):
            claims.add(kind, first + offset, lines[offset].strip(), subject=cleaned)


def _list_tree(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Each file of a drawn tree: its line, its path, and the annotation behind it."""
    root = ""
    parents: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        match = _TREE.match(line)
        if match is None:
            name = line.strip().split(" ")[0] if line.strip() else ""
            root = f"{name.strip('./')}/" if name.endswith("/") and name.strip("./") else ""
            parents = []
            continue
        depth = match.start("name")
        parents = [(at, folder) for at, folder in parents if at < depth]
        above = parents[-1][1] if parents else root
        name = match["name"]
        if name.endswith("/") or not has_file_name(name):
            parents.append((depth, f"{above}{name.rstrip('/')}/"))
        else:
            yield number, above + name, (match["said"] or "").strip()
