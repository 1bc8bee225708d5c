"""What code in another language than the shell's starts and writes, as far as it stands there in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.agents.hosts.tools.forge_requests import names_merge
from handoff_tui.core.lazy_pattern import compile_later

_STARTS = compile_later(
    r"system|subprocess|[Pp]open|exec|spawn|\brun\b|check_|call|`|shell|\$\(|qx\b|%x|getline|\|\s*\"|Command|ProcessBuilder"
)
_GIT = compile_later(r"\b(git|gh|glab|hub)\b(?=['\"]?[\s,])")
_WORD = compile_later(r"""[^\s,'"\[\](){}`;]+""")
_MOST_READ = 240
_LIBRARY = compile_later(r"\bRepo\b[\s\S]*\.(?:push|merge)\(|\.git\.(?:push|merge)\(")
_REQUESTS = compile_later(r"(?i)\b(?:put|post|patch|request|fetch|axios)\b")
_DECIDES = compile_later(r"""handoff[-_]tui\b['"]?[\s,]+['"]?(?:decide|init|policy|keys)\b""")
_WRITES = compile_later(
    r"write|unlink|remove|rename|replace|rmtree|rmSync|truncate|mkdir|copy|move|chmod|dump|open\s*\([^)]*['\"][wax+]"
    r"|[wax]\+?b?['\"]\s*\)"
)
_PATHS = compile_later(r"""['"]([^'"\n]{1,300})['"]""")


def list_started(code: str) -> Iterator[list[str]]:
    """Lists the words of each call of git or a forge's program, if the code starts programs at all."""
    if _STARTS.search(code) is None:
        return
    for found in _GIT.finditer(code):
        rest = code[found.end() : found.end() + _MOST_READ]
        words = [word for word in _WORD.findall(rest.split("\n", 1)[0]) if word != "args:"]
        yield [found[1], *words]


def find_library_call(code: str) -> str | None:
    """Names a push or merge that needs no program: by a library of git, or asked of a forge."""
    if _LIBRARY.search(code) is not None:
        return "a library's push or merge"
    return "a request to merge" if names_merge(code) and _REQUESTS.search(code) is not None else None


def decides(code: str) -> bool:
    """Whether it starts a verb of ours that is a person's."""
    return _DECIDES.search(code) is not None and _STARTS.search(code) is not None


def list_written(code: str) -> Iterator[str]:
    """Lists the texts that could be paths, if the code writes files at all."""
    if _WRITES.search(code) is not None:
        yield from (path[1] for path in _PATHS.finditer(code))
