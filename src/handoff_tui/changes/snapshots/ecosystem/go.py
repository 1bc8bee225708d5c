"""Go: `go.mod`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.changes.snapshots.ecosystem.reading import EcosystemReading, build_text, build_unread
from handoff_tui.changes.snapshots.snapshot import PackageRecord

KIND = "go"
_INDIRECT = "// indirect"
_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\S+')


def parse_go_mod(text: str, where: str) -> EcosystemReading:
    """The module, what it requires, and what it puts in the place of that."""
    module = ""
    dependencies: dict[str, str] = {}
    for verb, words, comment in _list_directives(text):
        if verb == "module" and words:
            module = words[0]
        elif verb == "require" and words:
            constraint = " ".join(words[1:])
            indirect = comment.startswith(_INDIRECT)
            dependencies[build_text(words[0])] = build_text(f"{constraint} {_INDIRECT}" if indirect else constraint)
        elif verb == "replace" and "=>" in words:
            middle = words.index("=>")
            old, new = " ".join(words[:middle]), " ".join(words[middle + 1 :])
            dependencies[build_text(f"replace/{old}")] = build_text(new)
    if not module:
        return build_unread(where, "names no module")
    record = PackageRecord(
        kind=KIND,
        name=build_text(module),
        where=build_text(where),
        dependencies=dict(sorted(dependencies.items())),
    )
    return EcosystemReading((record,))


def _list_directives(text: str) -> Iterator[tuple[str, list[str], str]]:
    """Each directive with its words and its comment; those in brackets have the verb before the bracket."""
    block = ""
    for line in text.splitlines():
        content, mark, comment = line.partition("//")
        words = [word.strip('"`') for word in _WORD.findall(content)]
        if words == [")"]:
            block = ""
        elif words[1:] == ["("]:
            block = words[0]
        elif words and block:
            yield block, words, mark + comment
        elif words:
            yield words[0], words[1:], mark + comment
