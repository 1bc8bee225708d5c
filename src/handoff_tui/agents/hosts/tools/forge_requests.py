"""Whether a request to a forge merges, pushes or approves: of curl and its like, of `gh api`, in code. Pure."""

from __future__ import annotations

from collections.abc import Sequence

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
