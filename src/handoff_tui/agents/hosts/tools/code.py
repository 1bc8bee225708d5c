"""What code in another language starts and writes, and whether a request to a forge merges or approves. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handoff_tui.core.lazy_pattern import compile_later

_MERGES = compile_later(
    r"/(?:pulls|merge_requests|pull-requests)/[^/\s]+/(?:merge|approve|approvals)\b|/merges\b"
    r"|mergePullRequest|enablePullRequestAutoMerge|mergeBranch|addPullRequestReview"
)
_WRITES_REFS = compile_later(r"/git/refs\b|/contents/|/repository/(?:commits|files)\b|createCommitOnBranch|updateRef")
_APPROVES = compile_later(r"/reviews\b[\s\S]*APPROVE")
_METHOD = compile_later(r"(?i)^(?:-X|--request=?|--method=?)(.*)$")
_DATA = ("-d", "-F", "-f", "-T", "--data", "--form", "--json", "--field", "--raw-field", "--input", "--post", "--body")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_VERBS = frozenset({"PUT", "POST", "PATCH", "DELETE"})
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


def names_merge(text: str) -> bool:
    """Whether an address or a query is one that merges."""
    return _MERGES.search(text) is not None


def changes_forge(words: Sequence[str]) -> bool:
    """Whether these arguments make a forge merge, move a branch or approve; a look at the same address doesn't."""
    text = " ".join(words)
    if not any(pattern.search(text) for pattern in (_MERGES, _WRITES_REFS, _APPROVES)):
        return False
    return not _only_reads(words)


def _only_reads(words: Sequence[str]) -> bool:
    if "graphql" in " ".join(words):
        return "mutation" not in " ".join(words) and not any(word.startswith("@") or "=@" in word for word in words)
    for at, word in enumerate(words):
        method = _METHOD.match(word)
        if method is not None:
            named = (method[1] or (*words[at + 1 :], "")[0]).strip("=").upper()
            return named in _READING
        if word.upper() in _VERBS:
            return False
    return not any(word.startswith(_DATA) and not _is_cluster(word) for word in words)


def _is_cluster(word: str) -> bool:
    """Whether it is several short flags of curl in one word, such as `-fsSL`."""
    return word[:1] == "-" != word[1:2] and len(word) > len("-f") and set(word[1:]) <= set("fsSLkIiv")


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
