"""What the members of an object claim by their names: front matter, or a note in YAML or JSON. Pure.

A key is a heading for what it holds, an object that names a file is a row of a table whose columns are its keys, and a
text is an entry under its keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.claim_list import ClaimList, add_branch
from handoff_tui.handoffs.grammar.lexicon import DIRTY, MODIFIED
from handoff_tui.handoffs.grammar.listings import read_table
from handoff_tui.handoffs.grammar.roles import HeadingContext, Role, read_headings, role_of, role_of_column, spell_key
from handoff_tui.handoffs.grammar.tokens import COMMIT, HASH, canonical_hash, clean_path, find_commits, has_file_name
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Item, Row, Table

_BEFORE_NOTE: Final = compile_later(r"^[^\w+]+")
_MARKS: Final = "`'\"(),;:"
_DEEPEST = 20
_CLAIMED: Final = frozenset({DIRTY, Role.COMMIT})
"""Roles that count whatever else a name says: `previous_commit`, `files_not_committed`."""
ReadText = Callable[[ClaimList, HeadingContext, Item], None]


class MemberReader:
    """Reads one document. `listed`: what lists claim whose names alone say nothing of it."""

    def __init__(self, claims: ClaimList, read_text: ReadText, listed: Mapping[str, ClaimKind] | None = None) -> None:
        self._claims, self._read_text, self._listed = claims, read_text, listed or {}

    def read(self, node: JsonNode, above: tuple[str, ...] = ("",), inherited: ClaimKind | Role | None = None) -> None:
        """Everything below an object."""
        for member in node.members() if len(above) < _DEEPEST else ():
            name = spell_key(member.key)
            role = role_of(name) or self._listed.get(member.key)
            if stance.is_silent_heading(name) and role not in _CLAIMED:
                continue
            names = (*above, name)
            path = clean_path(member.key)
            if path is not None and has_file_name(path):
                self._read_path(member, path, inherited)
                continue
            for element in member.each():
                if isinstance(element.value, dict):
                    self._read_object(element, names, role or inherited)
                elif isinstance(element.value, str) and element.value.strip():
                    self._read_value(element, names, role or inherited, element.value)

    def _read_object(self, node: JsonNode, names: tuple[str, ...], role: ClaimKind | Role | None) -> None:
        cells = {
            member.key: member.value.strip()
            for member in node.members()
            if isinstance(member.value, str) and member.value.strip()
        }
        context = read_headings(names)
        context.listed = context.listed or role
        at = next((key for key in cells if role_of_column(spell_key(key)) in {Role.FILE, role} or key == "name"), None)
        path = clean_path(cells[at].split()[0].strip(_MARKS)) if at is not None else None
        if at is None or path is None or not has_file_name(path):
            self.read(node, names, role)
            return
        header = ("file", *(spell_key(key) for key in cells if key != at))
        row = Row(node.where.line or 1, (f"`{path}`", *(text for key, text in cells.items() if key != at)))
        read_table(self._claims, context, Table(row.line, header, (row,)))

    def _read_path(self, member: JsonNode, path: str, role: ClaimKind | Role | None) -> None:
        """`"src/a.py": "created"`, `"src/a.py": "<hash>"`."""
        line, told = member.where.line or 1, member.as_text() if isinstance(member.value, str) else None
        if isinstance(member.value, dict):
            told = member.first("sha256", "hash", "checksum", "action", "status", "change")
        if told and (sealed := HASH.fullmatch(told)):
            self._claims.add(ClaimKind.HASH, line, told, subject=path, value=canonical_hash(sealed.group()))
        said = stance.read_annotation(told) if told else None
        kind = role if said is None else said
        if isinstance(kind, ClaimKind):
            self._claims.add(kind, line, f"{path}: {told}", subject=path)

    def _read_value(self, element: JsonNode, names: tuple[str, ...], role: ClaimKind | Role | None, told: str) -> None:
        line, words = element.where.line or 1, told.split()
        path = clean_path(words[0].strip(_MARKS))
        if role is Role.COMMIT or (role is Role.HASH and COMMIT.fullmatch(told)):
            for commit in find_commits(told):
                self._claims.add(ClaimKind.COMMIT, line, told, value=commit)
        elif role is Role.BRANCH:
            add_branch(self._claims, line, told, words[0])
        elif role is Role.CLEAN and words[0].lower() == "clean":
            self._claims.add(DIRTY, line, told, value=0)
        elif isinstance(role, ClaimKind) and path is not None and has_file_name(path):
            annotation = stance.read_annotation(_BEFORE_NOTE.sub("", told.partition(words[0])[2]))
            kind = annotation if isinstance(annotation, ClaimKind) and role is MODIFIED else role
            if annotation is not False:
                self._claims.add(kind, line, told, subject=path)
        elif len(words) > 1:
            context = read_headings(names)
            context.listed = context.listed or role
            self._read_text(self._claims, context, Item(line, told, 1))


def read_members(
    claims: ClaimList, node: JsonNode, read_text: ReadText, listed: Mapping[str, ClaimKind] | None = None
) -> None:
    """All that the members of an object claim, at any depth."""
    MemberReader(claims, read_text, listed).read(node)
