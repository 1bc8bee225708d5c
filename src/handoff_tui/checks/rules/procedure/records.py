"""Handoffs that pass work on, and what the files of a procedure say about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_line, find_unreadable, read_json, walk_objects
from handoff_tui.checks.rule import Findings
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.procedure import STATE_KEYS
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState

PROCEDURE = "procedure"
TDD = "tdd"


def require_transitions(context: Context) -> tuple[Handoff, ...]:
    """Returns the handoffs under review that pass work on, or skips the rule if there are none."""
    found = tuple(handoff for handoff in context.handoffs() if is_transition(handoff))
    return found or context.skip("no handoff passes work on to another phase")


def is_transition(handoff: Handoff) -> bool:
    """Returns whether a handoff passes work on: it belongs to a procedure, or names a target phase and has begun."""
    if handoff.dialect == PROCEDURE:
        return any(document.role is not DocumentRole.SPEC for document in handoff.documents)
    if handoff.registry is RegistryState.SUPERSEDED:
        return False
    if handoff.dialect == "builder" and handoff.status is None and not handoff.attempts:
        return False
    return handoff.target_phase is not None


def find_place(handoff: Handoff) -> Place | None:
    """Returns the place of a handoff's status, or its first document."""
    for claim in handoff.claims:
        if claim.kind is ClaimKind.STATUS:
            return claim.where
    return Place(path=handoff.documents[0].path) if handoff.documents else None


def find_broken(context: Context, handoff: Handoff, number: str) -> Findings:
    """Yields the unreadable documents of a handoff as findings of the rule with this number."""
    paths = [document.path for document in handoff.documents]
    for found in find_unreadable(context, paths):
        yield found._replace(message=f"{number}: {found.message}")


_IDS: Final = ("execution_id", "session_id", "handoff_id")
_NAMES: Final = ("path", "file", "name")
_PATH_LIKE: Final = compile_later(r"^[^\s:]*(?:/[^\s:]*|\.[A-Za-z][A-Za-z0-9]{0,9})$")


class Record(NamedTuple):
    """An object in a file that names the handoff."""

    fields: Mapping[str, object]
    where: Place

    def text(self, key: str) -> str | None:
        return as_text(self.fields.get(key))

    @property
    def state(self) -> str | None:
        """Its state in lower case, without the name of an enumeration in front."""
        word = next((text for key in STATE_KEYS if (text := self.text(key))), None)
        return word.rpartition(".")[2].strip().lower() if word else None

    def objects(self, key: str) -> list[Mapping[str, object]]:
        value = self.fields.get(key)
        return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


class Records(NamedTuple):
    """The objects about one handoff, in the order of files and lines."""

    contexts: tuple[Record, ...]
    executions: tuple[Record, ...]
    sessions: tuple[Record, ...]

    def metadata(self) -> Iterator[Record]:
        """The metadata of each context."""
        for context in self.contexts:
            metadata = context.fields.get("metadata")
            if isinstance(metadata, dict):
                yield Record(metadata, context.where)


def read_records(context: Context, handoff: Handoff) -> Records:
    found: dict[str, list[Record]] = {key: [] for key in _IDS}
    for document in handoff.documents:
        if not document.path.lower().endswith(".json"):
            continue
        content = context.read(document.path) or b""
        for fields in walk_objects(read_json(context, document.path)):
            key = next((key for key in _IDS if fields.get(key) is not None), None)
            if key is None or not _is_about(fields, handoff):
                continue
            line = find_line(content, key, as_text(fields[key]))
            found[key].append(Record(fields, Place(path=document.path, line=line)))
    return Records(tuple(found["handoff_id"]), tuple(found["execution_id"]), tuple(found["session_id"]))


def list_named(value: object, fields: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yields every text below members with one of these names, at any depth, with that name."""
    wanted = {field.casefold() for field in fields}
    for members in walk_objects(value):
        for key, member in members.items():
            if key.casefold() in wanted:
                yield from ((key, text) for text in _list_texts(member))


def as_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_path_like(text: str) -> bool:
    return bool(_PATH_LIKE.match(text)) and not text.startswith("//")


def _is_about(fields: Mapping[str, object], handoff: Handoff) -> bool:
    names = [as_text(fields.get(key)) for key in ("handoff_id", "execution_id", "session_id")]
    return next((name for name in names if name), None) == handoff.original_name


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for entry in value:
            yield from _list_texts(entry)
    elif isinstance(value, dict):
        named = [value[key] for key in _NAMES if isinstance(value.get(key), str)]
        yield from _list_texts(named[:1] or [entry for entry in value.values() if isinstance(entry, str)])
