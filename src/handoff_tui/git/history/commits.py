"""Commits, refs, notes and old file contents; and branches fetched from an address that the user named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.hardening import TRUSTED_SCOPES
from handoff_tui.git.objects.log_trees import parse_tree
from handoff_tui.git.objects.reader import OBJECT_ID, can_be_committed
from handoff_tui.git.session import session_of
from handoff_tui.system.files.own_folder import ALL_BUT_OWN, OWN_FOLDER

_COMMIT_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%aI%x00%s%x00%B%x00%T%x00"
_COMMIT_FIELDS = 10
REF_FORMAT = "%(refname)%09%(objectname)%09%(objecttype)%09%(*objecttype)%09%(*objectname)%09%(contents:subject)"
_LARGEST_COMMIT = 1 << 20
_NOTES = "refs/notes/"
_TAGS = "refs/tags/"
_COMMITTED = compile_later(rb"\ncommitter [^\n]*> ([0-9]{1,11}) [+-][0-9]{4}\n")
FETCHED = "refs/remotes/handoff-tui/"
"""Where fetched branches are kept; no branch of the user's, and none of a remote's, is touched."""
_PROTOCOLS = "file:https:ssh"
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=10"


class Commit(NamedTuple):
    """One commit. `body` is the full message, subject included."""

    id: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    committer: str
    committer_email: str
    date: str
    subject: str
    body: str


class Ref(NamedTuple):
    """A ref and what it points to; `commit` is the peeled target of an annotated tag."""

    name: str
    target: str
    kind: str
    commit: str
    subject: str
    commit_kind: str = "commit"


def read_commits(git: Git, limit: int, paths: tuple[str, ...] = ()) -> list[Commit]:
    """Returns the newest commits reachable from HEAD, newest first; none on an unborn branch."""
    scope = ("--", *paths) if paths else ()
    words = ("log", "-z", f"--max-count={limit}", f"--format={_COMMIT_FORMAT}", "HEAD")
    answer = session_of(git).ask_history(*words, *(scope or ("--",)))
    if not answer.ok:
        if _is_unborn(answer):
            return []
        raise answer.to_error("log")
    fields = os.fsdecode(answer.stdout).split("\0")
    # `-z` adds a NUL between commits, so each commit is its fields and one empty one
    starts = range(0, len(fields) - _COMMIT_FIELDS, _COMMIT_FIELDS + 1)
    commits = [_build_commit(fields[start : start + _COMMIT_FIELDS - 1]) for start in starts]
    if not paths and len(commits) < limit:
        trees = (fields[start + _COMMIT_FIELDS - 1] for start in starts)
        session_of(git).learn_history({one.id: one.parents for one in commits}, trees)
    return commits


def list_added(git: Git, paths: Sequence[str]) -> list[str]:
    """Returns those of some paths that HEAD's history has added, each where it did so first, oldest first."""
    words = ("log", "-z", "--topo-order", "--no-renames", "--diff-filter=A", "--name-only", "--format=", "HEAD", "--")
    answer = session_of(git).ask_history(*words, *paths)
    if not answer.ok:
        if _is_unborn(answer):
            return []
        raise answer.to_error("log")
    return list(dict.fromkeys(reversed(os.fsdecode(answer.stdout).strip("\0").split("\0"))))


def read_refs(git: Git, *patterns: str) -> list[Ref]:
    """Returns the refs below the given prefixes."""
    session = session_of(git)
    answer = session.ask_settled(session.list_refs(), "for-each-ref", f"--format={REF_FORMAT}", *patterns)
    if not answer.ok:
        raise answer.to_error("for-each-ref")
    refs = parse_refs(answer.stdout)
    # git peels a tag of a tag once only
    twice = {ref.commit for ref in refs if ref.commit_kind == "tag"}
    peeled = resolve_commits(git, sorted(twice))
    return [ref._replace(commit=peeled.get(ref.commit) or ref.commit) for ref in refs]


def name_commit(git: Git, commit: str) -> str:
    """Returns a tag that marks a commit, or else its short id."""
    tags = (ref.name.removeprefix(_TAGS) for ref in read_refs(git, _TAGS) if ref.commit == commit)
    return min(tags, key=lambda name: (len(name), name), default=commit[:SHORT_COMMIT])


def list_ref_ids(git: Git, *prefixes: str, fresh: bool = False) -> dict[str, str]:
    """Maps the refs below some prefixes (`refs/heads`) to their ids.

    As of this session, or `fresh`, as of now.
    """
    listing = session_of(git).list_refs(fresh=fresh)
    pairs = (line.partition(" ") for line in os.fsdecode(listing).split("\n") if line)
    folders = tuple(f"{prefix}/" for prefix in prefixes)
    return {name: identifier for identifier, _, name in pairs if name.startswith(folders)}


def read_notes(git: Git, ref: str) -> dict[str, str]:
    """Returns the notes under a ref: the annotated object's id, and the blob id of its note."""
    full = ref if ref.startswith(_NOTES) else f"{_NOTES}{ref}"
    reader = session_of(git).read_objects()
    if reader.describe([full])[full] is None:
        return {}
    top = reader.describe([full], "^{tree}")[full]
    waiting = [("", full if top is None else top.id)]
    notes: dict[str, str] = {}
    while waiting:  # with many notes, git spreads them over folders named by the first digits of the ids
        above, tree = waiting.pop()
        for entry in parse_tree(reader.require_tree(tree), len(tree) // 2):
            name = above + entry.name
            if entry.is_folder:
                waiting.append((name, entry.object))
            elif OBJECT_ID.fullmatch(name):
                notes[name] = entry.object
    return notes


def read_blobs(
    git: Git, names: list[str], max_bytes: int, extra: Mapping[str, str] | None = None
) -> dict[str, bytes | None]:
    """Returns contents by object name (`<blob id>` or `<commit>:<path>`); None if missing, too large or altered.

    `extra` may name further object folders, as git's variables do.
    """
    return session_of(git).read_objects(extra).read_many("blob", names, max_bytes)


def read_trees(git: Git, names: list[str], max_bytes: int) -> dict[str, bytes | None]:
    """Returns folders as git stores them, by `<tree id>` or `<commit>:<path>`; None if not a folder or too large."""
    return session_of(git).read_objects().read_many("tree", names, max_bytes)


def resolve_commits(git: Git, names: list[str]) -> dict[str, str | None]:
    """Returns full commit ids for names as written (short hashes, refs); None if there is no such commit."""
    found = session_of(git).read_objects().describe(names, "^{commit}")
    return {name: None if info is None else info.id for name, info in found.items()}


def read_commit_dates(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """Returns when commits were made, in UTC, by their full ids; leaves out missing commits."""
    found = session_of(git).read_objects().read_many("commit", sorted(commits), _LARGEST_COMMIT)
    lines = {commit: _COMMITTED.search(content) for commit, content in found.items() if content is not None}
    return {commit: _render_moment(int(line[1])) for commit, line in lines.items() if line is not None}


def count_commits_since(git: Git, ancestor: str) -> int | None:
    """Returns how many commits HEAD is ahead of an ancestor; None if it isn't an ancestor of HEAD."""
    commit = resolve_commits(git, [ancestor])[ancestor]
    if commit is None:
        return None
    since, history = f"{commit}..HEAD", session_of(git).read_history()
    if history.complete:
        if commit not in history.parents:
            return None
        number = len(history.parents) - len(history.list_ancestors(commit))
    elif git.run("merge-base", "--is-ancestor", commit, "HEAD").ok:
        number = int(git.read("rev-list", "--count", since))
    else:
        return None
    return number - count_log_commits(git, since) if number else 0


def count_log_commits(git: Git, reach: str) -> int:
    """Counts the commits that only add log entries: they aren't work, and nothing is outdated by them."""
    read = session_of(git).read_history_of
    touching = set(read("rev-list", "--full-history", reach, "--", f":(top,literal){OWN_FOLDER}").split())
    if not touching:
        return 0
    return len(touching.difference(read("rev-list", "--full-history", reach, *ALL_BUT_OWN).split()))


def find_last_commit(git: Git, path: str) -> str | None:
    """Returns the newest commit that touched a path; None for a path that no commit could contain."""
    if not can_be_committed(path):
        return None
    answer = git.run("log", "--max-count=1", "--format=%H", "--", path)
    if answer.ok:
        return answer.text or None
    if _is_unborn(answer) or "outside repository" in answer.stderr or "beyond a symbolic link" in answer.stderr:
        return None
    raise answer.to_error("log")


def is_cut_off(git: Git, commit: str) -> bool:
    """Tells whether a shallow clone lacks the parents of a commit, so that it seems to have created everything."""
    session = session_of(git)
    content = session.read_objects().read_many("commit", [commit], _LARGEST_COMMIT)[commit]
    head = (content or b"").partition(b"\n\n")[0]
    if b"\nparent " not in head:
        return False
    words = ("log", "--max-count=1", "--format=%P", commit, "--")
    return not session.once(words, lambda: git.read(*words)).strip()


def parse_refs(output: bytes) -> list[Ref]:
    """Reads `for-each-ref` in `REF_FORMAT`: only a newline ends a line, and only a subject may hold a tab."""
    refs = []
    for line in os.fsdecode(output).split("\n"):
        if line:
            name, target, kind, peeled_kind, peeled, subject = line.split("\t", 5)
            refs.append(Ref(name, target, kind, peeled or target, subject, peeled_kind or kind))
    return refs


def _render_moment(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


def _is_unborn(answer: GitAnswer) -> bool:
    return "does not have any commits yet" in answer.stderr or "bad revision 'HEAD'" in answer.stderr


def _build_commit(fields: list[str]) -> Commit:
    identifier, parents, *people, body = fields
    return Commit._make([identifier.strip(), tuple(parents.split()), *people, body.strip()])


def fetch_branches(git: Git, address: str) -> str:
    """Fetches every branch of an address; returns why that failed, or an empty text.

    The address must come from the user: what the repository's own configuration says of addresses is refused.
    """
    lines = git.list_config()
    planted = [key for scope, key, _ in lines if scope not in TRUSTED_SCOPES]
    rewriting = [key for key in planted if key.startswith(("url.", f"remote.{address}."))]
    if rewriting:
        return f"this repository's own git configuration says something else of that address ({rewriting[0]})"
    own = {key.lower(): value for scope, key, value in lines if scope in TRUSTED_SCOPES}
    helper = [("credential.helper", own["credential.helper"])] if "credential.helper" in own else []
    fetching = Git(git.folder, (*git.overrides, *helper), git.git_dir, git.common_dir)
    answer = fetching.run(
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head"),
        *("--refmap=", "--upload-pack=git-upload-pack", "--", address, f"+refs/heads/*:{FETCHED}*"),
        extra={"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": own.get("core.sshcommand") or _SSH},
    )
    return "" if answer.ok else answer.complaint
