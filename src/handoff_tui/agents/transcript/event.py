"""One thing that happened in a run, as its program reported it; and which kind of tool was used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

LONGEST_TEXT = 64 * 1024
"""Only the beginning of a longer text is kept."""
_MOST_EDIT_LINES = 400
_RICHEST = 1e9


class Kind(StrEnum):
    """What happened."""

    BEGAN = "began"
    SAID = "said"
    THOUGHT = "thought"
    TOLD = "told"
    """Somebody told the agent something: the prompt, or a note."""
    CALLED = "called"
    """It used a tool."""
    RESULT = "result"
    """What the tool answered."""
    DENIED = "denied"
    """A call that was denied, as the program lists it at the end."""
    USED = "used"
    """Only counts: tokens, cost, turns."""
    TROUBLE = "trouble"
    """The program complains: no login, no network, a limit."""
    ENDED = "ended"
    """The program's own verdict on the run."""
    PLAIN = "plain"
    """A line that is not part of the stream."""


class Usage(NamedTuple):
    """Counts of one answer, or of the whole run so far."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """In US dollars; None if the program does not say."""
    turns: int = 0
    total: bool = False
    """Whether these are the counts of the whole run, not of one answer."""
    answer: str = ""
    """Which answer the counts belong to: programs repeat them."""


class Event(NamedTuple):
    """One thing that happened."""

    kind: Kind
    text: str = ""
    """What was said, or what the tool was asked to do: a command, a path."""
    tool: str = ""
    call: str = ""
    """The id of the call, by which its result is found."""
    edit: tuple[str, ...] = ()
    """The change to a file as lines of a diff."""
    failed: bool = False
    denied: bool = False
    """Whether the tool was not allowed to run."""
    usage: Usage | None = None
    model: str = ""
    session: str = ""


def plain(text: str) -> Event:
    return Event(Kind.PLAIN, text[:LONGEST_TEXT])


def text_of(value: object) -> str:
    """Returns a text in any of the forms streams have: plain, a list of blocks, an object with a text."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, Mapping):
        return next((text_of(value[key]) for key in ("text", "content", "message", "output") if key in value), "")
    if isinstance(value, Sequence):
        return "\n".join(text for part in value if (text := text_of(part)))[:LONGEST_TEXT]
    return ""


def table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def count(value: object) -> int:
    """Returns a whole number that isn't negative; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def money(value: object) -> float | None:
    """Returns an amount; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < _RICHEST else None


_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path")
_COMMANDS = ("command", "cmd")
_NEW = ("content", "new_string", "newString", "file_text", "new_str", "after")
_OLD = ("old_string", "oldString", "old_str", "before")


def build_call(tool: str, given: object, call: str = "") -> Event:
    """Builds the call of a tool from its arguments: a command, an edit as a diff, or whatever was given."""
    values = table(given)
    command = next((values[name] for name in _COMMANDS if isinstance(values.get(name), (str, list))), None)
    if command is not None:
        words = command if isinstance(command, str) else " ".join(map(str, rows(command)))
        return Event(Kind.CALLED, words[:LONGEST_TEXT], tool, call)
    path = next((str(values[name]) for name in _PATHS if isinstance(values.get(name), str)), "")
    new = next((values[name] for name in _NEW if isinstance(values.get(name), str)), None)
    if path and new is not None:
        old = next((str(values[name]) for name in _OLD if isinstance(values.get(name), str)), "")
        return Event(Kind.CALLED, path, tool, call, edit=build_edit(old, str(new)))
    edits = [table(one) for one in rows(values.get("edits"))]
    if path and edits:
        parts = (build_edit(text_of(one.get("old_string")), text_of(one.get("new_string"))) for one in edits)
        return Event(Kind.CALLED, path, tool, call, edit=tuple(line for part in parts for line in part))
    shown = path or ", ".join(f"{name}: {text_of(value) or value}" for name, value in values.items())
    return Event(Kind.CALLED, shown[:LONGEST_TEXT], tool, call)


def build_edit(old: str, new: str) -> tuple[str, ...]:
    """Returns an edit as lines of a diff; of a long one only the beginning."""
    before, after = old.splitlines(), new.splitlines()
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    tail = 0
    while tail < min(len(before), len(after)) - same and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    removed = (f"-{line}" for line in before[same : len(before) - tail])
    added = (f"+{line}" for line in after[same : len(after) - tail])
    return tuple(_cut([*removed, *added]))


def _cut(lines: list[str]) -> Iterable[str]:
    if len(lines) <= _MOST_EDIT_LINES:
        return lines
    return [*lines[:_MOST_EDIT_LINES], f" and {len(lines) - _MOST_EDIT_LINES} more lines"]


_DENIED = compile_later(
    r"requires? approval|haven't granted|\bpermission\b.{0,400}?(?:denied|rejected|not granted)"
    r"|denied by (?:policy|the user|your)|rejected (?:permission|by the user|this tool)|not allowed to"
    r"|tool_not_registered"
    r"|blocked by (?:policy|sandbox|a hook)|prevents you from using|user (?:rejected|declined)|was blocked",
    re.IGNORECASE,
)
_READ_ONLY = compile_later(
    r"\.git/[^\n]*(?:read-only|permission denied|operation not permitted)|read-only file system", re.IGNORECASE
)


def is_denial(text: str, *, failed: bool) -> bool:
    """Tells whether a tool's answer says that it was not allowed: by the program's rules, or by a sandbox."""
    return failed and bool(_DENIED.search(text[:4096]) or _READ_ONLY.search(text[:4096]))


def is_forbidden_write(text: str) -> bool:
    """Tells whether a command ran into a sandbox."""
    return bool(_READ_ONLY.search(text[:4096]))


class Purpose(StrEnum):
    """What a call was for, as far as handing over needs it."""

    COMMIT = "commit"
    TESTS = "tests"
    EDIT = "edit"
    OTHER = "other"


_COMMITS = compile_later(r"\bgit\b[^|;&]*\b(?:commit|add|notes)\b")
_TESTS = compile_later(
    r"\b(?:py)?tests?\b|\bunittest\b|\btox\b|\bnox\b|\bjest\b|\bvitest\b|\brspec\b|\bctest\b|\bphpunit\b|\bmake check\b"
)


def find_purpose(event: Event) -> Purpose:
    """Returns what a call was for."""
    if event.edit:
        return Purpose.EDIT
    if _COMMITS.search(event.text):
        return Purpose.COMMIT
    return Purpose.TESTS if _TESTS.search(event.text) else Purpose.OTHER


class AgentTrouble(StrEnum):
    """Why an agent can't get on, where its program says so."""

    LOGIN = "login"
    NETWORK = "network"
    LIMIT = "limit"
    REFUSAL = "refusal"
    ARGUMENTS = "arguments"


_COMPLAINTS: Mapping[AgentTrouble, tuple[str, ...]] = {
    AgentTrouble.ARGUMENTS: (
        *("unknown option", "unknown argument", "unexpected argument", "unrecognized (?:arguments|subcommand)"),
        *("invalid choice", "error: option .* (?:argument|invalid)", "which wasn't expected"),
    ),
    AgentTrouble.LOGIN: (
        *("not logged in", "please (?:run|use) /login", r"\blog ?in\b.*(?:required|needed|again|first)", "codex login"),
        *("authentication[_ ]?(?:error|failed|required)", "invalid (?:api key|x-api-key|auth)", "unauthorized"),
        r"api[ _]key.*(?:missing|not (?:set|found|valid)|invalid|required|must)",
        *(r"(?:missing|no|set (?:an|your)|must specify the) \S*api[ _]key", r"\b401\b", "please set an auth method"),
        *("no provider configured", "token (?:has )?expired", "finish in the browser", "open this url in your browser"),
    ),
    AgentTrouble.LIMIT: (
        *("rate.?limit", "usage limit", "quota", "credit balance", r"\b429\b", r"(?<!down or )overloaded", r"\b529\b"),
        "resource_exhausted",
    ),
    AgentTrouble.NETWORK: (
        *("waiting for network", "enotfound", "econnrefused", "econnreset", "etimedout", "eai_again", "fetch failed"),
        *("connection (?:error|failed|refused)", "name (?:does not|or service not)", "failed to lookup"),
        *("could not resolve", "network (?:error|is unreachable)", "stream disconnected", "error sending request"),
        *("connecterror", "nameresolutionerror", "unable to connect", "servers are down"),
    ),
    AgentTrouble.REFUSAL: ("refusal", "refused to (?:answer|continue|help)", "content.?filter", "usage policy"),
}
_KNOWN = {trouble: re.compile("|".join(words), re.IGNORECASE) for trouble, words in _COMPLAINTS.items()}


def find_trouble(text: str) -> AgentTrouble | None:
    """Tells what a complaint of the program is about; None if it is about something else."""
    beginning = text[:4096]
    return next((trouble for trouble, pattern in _KNOWN.items() if pattern.search(beginning)), None)
