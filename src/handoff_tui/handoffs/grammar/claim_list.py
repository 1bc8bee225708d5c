"""The claims of one document as they are found, and the words in it that may be paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath
from typing import Final

from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.clauses import PathSpan
from handoff_tui.handoffs.grammar.lexicon import CREATED, DELETED, MODIFIED
from handoff_tui.handoffs.grammar.roles import HeadingContext
from handoff_tui.handoffs.grammar.tokens import COMMIT, HASH, canonical_hash, clean_path, has_file_name, is_bare_name

_SPAN: Final = compile_later(
    r"`(?P<code>[^`\n]+)`|\[(?P<label>[^\]\n]+)\]\((?P<target>[^)\s]*)[^)\n]*\)|\*\*(?P<bold>[^*\s]+)\*\*"
    r"|(?<![\w`/.@:#~-])(?P<path>(?:[\w@+-][\w@.+-]*/"
    r"|\.[\w-][\w.-]*/)+[\w.+\[\]-]*\.\w+(?:[#:][L\d][\dL-]*)?)(?![\w/`])"
    r"|(?<![\w`/.@:#~$-])(?P<name>(?:[A-Za-z_][\w-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{1,9}|Makefile"
    r"|Dockerfile))(?![\w/`(@-])(?!\.\w)"
)
_WHEN_HASH: Final = compile_later(
    r"(?:\b(?P<when>before|after|now|old|new|was|is)\b|\bsha-?256\b(?!\s+(?:before|after)))[\s:=`*(]{0,6}(?:sha256:)?"
    r"(?P<hex>[0-9a-f]{6,64})(?P<cut>\.\.\.|…)?(?![0-9a-z])",
    re.IGNORECASE,
)
_BRANCH_NAME: Final = compile_later(r"^[A-Za-z0-9][\w./#+-]*$")
_NO_NAMES: Final = frozenset({"n/a", "none", "tbd", "unknown", "na", "no", "not", "the", "a"})
_MANIFEST: Final = "manifest.json"
_FULL_LENGTH = 64
BECOMING: Final = frozenset({CREATED, MODIFIED, DELETED})


@dataclass(slots=True)
class ClaimList:
    """What was found so far, each claim once."""

    document: str
    package: str = ""
    found: dict[tuple[ClaimKind, str | None, object], Claim] = field(default_factory=dict)
    parents: dict[int, str] = field(default_factory=dict)
    """The path with which the last item of each depth began."""
    archive: str = ""
    became: dict[str, ClaimKind] = field(default_factory=dict)

    def add(
        self,
        kind: ClaimKind,
        line: int,
        text: str,
        *,
        subject: str | None = None,
        value: str | int | None = None,
    ) -> None:
        """The first word about what became of a file counts: an archive is often listed twice."""
        if subject == _MANIFEST and self.package:
            subject = f"{self.package}/{_MANIFEST}"
        if kind in BECOMING and subject is not None and self.became.setdefault(subject, kind) is not kind:
            return
        claim = build_claim(kind, Place(path=self.document, line=line), text, subject=subject, value=value)
        self.found.setdefault((kind, subject, value), claim)

    def correct(self, kind: ClaimKind, line: int, text: str, subject: str) -> None:
        """What is said in so many words counts more than the heading above."""
        if (before := self.became.pop(subject, None)) is not None:
            self.found.pop((before, subject, None), None)
        self.add(kind, line, text, subject=subject)

    def forget_below(self, depth: int) -> None:
        """Before an entry of a depth: those at it and below don't belong to the ones before it."""
        self.parents = {above: path for above, path in self.parents.items() if above < depth}

    def list(self) -> list[Claim]:
        """References to files that something else is claimed of are left out; the others come last.

        A bare name is the file that is named with its folder elsewhere, if the same is claimed of both.
        """
        read = ClaimKind.FILE_REFERENCED
        said = {(claim.kind, claim.subject) for claim in self.found.values()}
        for kind in (*BECOMING, read):
            longer = {subject.rpartition("/")[2] for of, subject in said if of is kind and subject and "/" in subject}
            self.found = {key: one for key, one in self.found.items() if key[0] is not kind or key[1] not in longer}
        claimed = {claim.subject for claim in self.found.values() if claim.kind is not read}
        rest = [claim for claim in self.found.values() if claim.kind is not read or claim.subject not in claimed]
        return sorted(rest, key=lambda claim: claim.kind is read)


def find_words(text: str, context: HeadingContext, document: str = "") -> Iterator[PathSpan]:
    """The paths of a text, in the folder that is spoken of; those of links, from the document's folder."""
    for match in _SPAN.finditer(text):
        name = match.lastgroup
        if name == "target" or match["label"]:
            path = clean_path(match["label"].strip("`")) or _clean_target(match["target"], document)
        elif match["name"]:
            path = clean_path(match["name"]) if is_bare_name(match["name"]) else None
        else:
            path = clean_path(next(group for group in match.groups() if group).strip("`"))
        if path is not None:
            yield PathSpan(match.start(), match.end(), context.place(path))


def _clean_target(target: str, document: str) -> str | None:
    """The path that a link leads to: from the document's folder if it goes up, else as written."""
    path = target.partition("#")[0]
    if path.startswith("../"):
        path = normpath(f"{document.rpartition('/')[0]}/{path}").lstrip("/")
    return clean_path(path)


def read_hashes(
    claims: ClaimList, path: str, text: str, line: int, *, whole: str = "", alone: bool = True, gone: bool = False
) -> None:
    """Hashes that follow a path: named, or just there if no other path is near."""
    matches = list(_WHEN_HASH.finditer(text))
    for match in matches:
        digits, when = match.group("hex"), (match.group("when") or "").lower()
        if len(digits) < _FULL_LENGTH and (
            when in {"was", "is"} or not re.search(r"[0-9]", digits) or not re.search(r"[a-f]", digits, re.IGNORECASE)
        ):
            continue
        value = canonical_hash(digits) if len(digits) == _FULL_LENGTH else digits + (match.group("cut") or "")
        kind = ClaimKind.HASH_BEFORE if when in {"before", "old", "was"} or (gone and not when) else ClaimKind.HASH
        claims.add(kind, line + text.count("\n", 0, match.start()), whole or text, subject=path, value=value)
    lone = HASH.findall(text) if not matches and alone else []
    if len(lone) == 1:
        claims.add(ClaimKind.HASH, line, whole or text, subject=path, value=canonical_hash(lone[0][1]))


def add_branch(claims: ClaimList, line: int, said: str, name: str) -> None:
    name = name.strip("`*,;().\"'[]")
    if (
        _BRANCH_NAME.match(name)
        and not stance.is_denied(name)
        and name.lower() not in _NO_NAMES
        and not COMMIT.fullmatch(name)
        and not has_file_name(name)
    ):
        claims.add(ClaimKind.BRANCH, line, said, value=name)
