"""What can show that a change belongs to a handoff. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from handoff_tui.core.classes import dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_TOKEN = compile_later(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?")
_TRAILER = compile_later(
    r"^(?:handoff(?:[- ]id)?|task(?:[- ]id)?|work[- ]item|story|ticket)[ \t]*:[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_OWN_TRAILER = compile_later(r"^handoff(?:[- ]id)?[ \t]*:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_SAYS_ITSELF = compile_later(r"(?=.*[0-9])(?=.*[A-Za-z/_-]).{3,}|[0-9]{1,3}-[0-9]{1,3}")
"""An id that isn't an everyday word: it has a digit and something else, such as H-3, T007 or 03-02."""
_BUILDER_ID = compile_later(r"H-([0-9]+[A-Z]?)")
_NO_NAMES = frozenset({"", ".", ".."})
_OF_PATTERNS = frozenset("*?[]{}")
_NOTES = "notes:"
_DECLARING = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED, ClaimKind.HASH})
_RECORDS = frozenset({DocumentRole.REVIEW, DocumentRole.EVALUATION, DocumentRole.LIST})
_PAPERWORK = _RECORDS | {DocumentRole.SPEC, DocumentRole.PROMPT, DocumentRole.ANSWERS}
_WORKING_LISTS = frozenset({"tdd"})
"""Formats whose lists are the agent's own plan, not a registry."""
_CHANGING = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED})


@dataclass(frozen=True, slots=True)
class PersonSays:
    """A scope as a person set it: paths, or all paths of some commits. Empty means "not restricted"."""

    commits: frozenset[str] | None = None
    paths: tuple[str, ...] = ()
    judged: frozenset[str] | None = None
    """The commits that it covers; None if it covers all. Later work is assigned as usual."""

    def covers(self, commit: str | None, path: str) -> bool:
        if self.commits is not None and commit is not None and commit not in self.commits:
            return False
        if commit is None and self.judged is not None and not self.paths:
            return False
        return not self.paths or any(is_below(path, wanted) for wanted in self.paths)

    def rules_out(self, commit: str) -> bool:
        """Whether a change of this commit that it does not cover is not the handoff's, whatever a document lists."""
        return self.judged is None or commit in self.judged


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces of one handoff."""

    handoff: str
    names: frozenset[str] = frozenset()
    """What names it in a commit message, in lower case: words, and after `handoff:` the value of such a trailer."""
    commits: frozenset[str] = frozenset()
    """Commits that its documents, notes, tags or refs name, as full ids."""
    annotated: frozenset[str] = frozenset()
    """Commits that carry a git note of this handoff."""
    run_commits: frozenset[str] = frozenset()
    """Commits that its agent runs made."""
    branch_commits: frozenset[str] = frozenset()
    """Commits that came with a merge of its branch."""
    documents: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()
    """Those documents that report on work done: writing one ends a span."""
    declared: frozenset[str] = frozenset()
    """Paths, or folders with a slash at the end, that its documents list as their work."""
    declared_changes: frozenset[str] = frozenset()
    """Those that it says it created, modified or deleted."""
    declares_folders: bool = True
    """Whether one of them may be a folder."""
    person: PersonSays | None = None
    undecided: bool = True

    def declares(self, path: str) -> bool:
        if path in self.declared:
            return True
        return self.declares_folders and any(folder in self.declared for folder in list_folders(path))


def is_below(path: str, wanted: str) -> bool:
    """Whether a path is the wanted one or lies in the wanted folder."""
    folder = wanted.rstrip("/")
    return folder in {"", "."} or path == folder or path.startswith(f"{folder}/")


def build_traces(handoff: Handoff, shared_documents: frozenset[str]) -> Traces:
    """What the handoff itself shows; callers add commits, runs and a person's statements."""
    documents = {
        document.path: document.role for document in handoff.documents if document.path not in shared_documents
    }
    declared = _list_declared(handoff, _DECLARING) | frozenset(_list_packages(handoff))
    return Traces(
        handoff=handoff.id,
        names=_list_names(handoff, documents),
        annotated=frozenset(path.rpartition("/")[2] for path in documents if path.startswith(_NOTES)),
        documents=frozenset(documents),
        reports=_list_reports(handoff, documents),
        declared=declared,
        declares_folders=any(path.endswith("/") for path in declared),
        declared_changes=_list_declared(handoff, _CHANGING),
    )


def _list_declared(handoff: Handoff, kinds: frozenset[ClaimKind]) -> frozenset[str]:
    """The paths that its documents list. One that means everything or leads out of the repository is left out."""
    named = (claim.subject for claim in handoff.claims if claim.kind in kinds and claim.subject)
    return frozenset(path for path in map(_clean, named) if path)


def _list_packages(handoff: Handoff) -> Iterator[str]:
    """The manifests of its packages and the files they list, which lie beside them."""
    for package in handoff.packages:
        manifest = package.where.path
        folder = manifest.rpartition("/")[0]
        listed = (f"{folder}/{asset.path}" if folder else asset.path for asset in package.assets)
        yield from filter(None, map(_clean, (manifest, *listed)))


def list_named_commits(handoff: Handoff) -> frozenset[str]:
    """Commit ids as its documents write them."""
    return frozenset(
        str(claim.value)
        for claim in handoff.claims
        if claim.kind is ClaimKind.COMMIT and claim.value and not _is_head(claim.subject)
    )


def find_shared_documents(handoffs: Iterable[Handoff]) -> frozenset[str]:
    """Documents that several handoffs have, such as a registry: they aren't any handoff's own."""
    seen: set[str] = set()
    shared: set[str] = set()
    for handoff in handoffs:
        for path in {document.path for document in handoff.documents}:
            (shared if path in seen else seen).add(path)
    return frozenset(shared)


def find_records(handoffs: Iterable[Handoff]) -> frozenset[str]:
    """Reviews, evaluations and registries: they record decisions, so no decision is about them."""
    return frozenset(path for handoff in handoffs for path in _list_documents(handoff, _RECORDS))


def find_paperwork(handoffs: Iterable[Handoff]) -> frozenset[str]:
    """Documents around the work, often written by those who order and review it."""
    return frozenset(path for handoff in handoffs for path in _list_documents(handoff, _PAPERWORK))


def list_reports(handoff: Handoff) -> frozenset[str]:
    """Those of its documents that report on work: writing one ends what it reports on."""
    return _list_reports(handoff, {document.path: document.role for document in handoff.documents})


def _list_documents(handoff: Handoff, roles: frozenset[DocumentRole]) -> Iterator[str]:
    """Its documents of some roles, without the agent's own working list."""
    for document in handoff.documents:
        is_working_list = document.role is DocumentRole.LIST and handoff.dialect in _WORKING_LISTS
        if document.role in roles and not is_working_list:
            yield document.path


def _list_reports(handoff: Handoff, documents: Mapping[str, DocumentRole]) -> frozenset[str]:
    """Those of its own documents that report on work; a manifest or a list does if nothing else does."""
    reporting = documents.keys() - set(_list_documents(handoff, _PAPERWORK))
    lesser = {DocumentRole.MANIFEST, DocumentRole.LIST}
    return frozenset(path for path in reporting if documents[path] not in lesser) or frozenset(reporting)


def list_message_names(body: str) -> Iterator[str]:
    """What of a commit message may name a handoff: words of its subject, and of trailers such as `Handoff: H-3`."""
    subject, _, rest = body.partition("\n")
    has_trailers = ":" in rest
    for text in (subject, *(_TRAILER.findall(rest) if has_trailers else ())):
        yield from (word.casefold() for word in _TOKEN.findall(text))
    for value in _OWN_TRAILER.findall(rest) if has_trailers else ():
        yield from map(_build_trailer, {value, *value.split(",")})


def _list_names(handoff: Handoff, documents: Iterable[str]) -> frozenset[str]:
    """Its id and original name where they could be no word of another sentence; in a trailer of ours, also any other.

    There, the path of one of its documents names it, too.
    """
    given = {handoff.id, handoff.original_name or handoff.id}
    trailers = frozenset(map(_build_trailer, (*given, *documents)))
    number = _BUILDER_ID.fullmatch(handoff.id)
    if number is not None:
        given |= {f"HANDOFF-{number[1]}", f"FOLLOWUP-{number[1]}"}
    return trailers | {name.casefold() for name in given if _SAYS_ITSELF.fullmatch(name)}


def _build_trailer(value: str) -> str:
    return f"handoff: {value.strip().casefold()}"


def _clean(path: str) -> str:
    """A path as git writes it; empty if it leads out of the repository, is a pattern, or means everything."""
    while path.startswith("./"):
        path = path[2:]
    parts = path.rstrip("/").split("/")
    leads_out = path.startswith(("/", "~")) or not _NO_NAMES.isdisjoint(parts)
    if leads_out or not _OF_PATTERNS.isdisjoint(path):
        return ""
    return path


def list_folders(path: str) -> Iterator[str]:
    """The folders around a path, each with a slash at the end."""
    position = path.find("/")
    while position >= 0:
        yield path[: position + 1]
        position = path.find("/", position + 1)


def _is_head(subject: str | None) -> bool:
    """A claim that some commit is the newest one says nothing about who made it."""
    return subject == "head"
