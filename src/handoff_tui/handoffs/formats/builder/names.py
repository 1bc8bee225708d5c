"""File names of the three layouts: what a file is for, and which files belong to one handoff."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.handoff import Document, DocumentRole, build_id
from handoff_tui.handoffs.life import is_archived
from handoff_tui.handoffs.reading.format import Source

_JOINTS: Final = compile_later(r"[ _-]")
_LEADING_ZEROS: Final = compile_later(r"^0+(?=[0-9])")

_KIND: Final = r"HANDOFF|FOLLOW[ _-]?UP|CLEANUP|HOUSEKEEPING|BUGFIX"
_NUMBER: Final = r"[0-9]{1,4}(?:[._][0-9]{1,2}[A-Za-z]?|[A-Za-z](?:-?[0-9]{1,2}[A-Za-z]?)?)?"
"""`18`, `18B`, `29.1A`, and parts of a follow-up: `31A1`, `31E-1`."""
_WHOLE: Final = compile_later(
    rf"(?:BUILDER[ _-])?(?P<kind>{_KIND}|H)[ _#-]{{1,3}}(?P<number>{_NUMBER})$|(?P<bare>{_NUMBER})$", re.IGNORECASE
)
_WHOLE_BUGFIX: Final = compile_later(
    r"(?:BUILDER[ _-])?BUGFIX[ _#-]{1,3}(?P<slug>[A-Za-z0-9][A-Za-z0-9._-]{0,80})$", re.IGNORECASE
)
_IN_PROSE: Final = compile_later(
    rf"(?<![A-Za-z0-9])(?:(?P<kind>(?i:{_KIND}))[ _#-]{{1,3}}|(?<![-_])H-)(?P<number>{_NUMBER})(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])BUGFIX[_-](?P<slug>[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*)"
    r"|(?<![A-Za-z0-9])(?P<framework>FMWK-?[0-9]{3}(?:[A-Z](?![A-Za-z0-9]))?(?:_[A-Za-z0-9]+)*)"
)
_RANGE: Final = compile_later(r"\s*(?:through|thru|to|\u2013|\u2014|-|\.\.\.?|…)\s*", re.IGNORECASE)
_PLAIN: Final = compile_later(r"H-([0-9]{1,4})$")
_FRAMEWORK: Final = compile_later(r"FMWK-?(?P<number>[0-9]{1,4}(?:[A-Za-z](?![A-Za-z0-9]))?)")
_PACKAGE: Final = compile_later(r"(?<![A-Za-z0-9-])PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*(?![A-Za-z0-9])")
_TITLE_WORD: Final = compile_later(r"(?:results?|agent prompt|builder|spec(?:ification)?)(?:[\W_]+|$)", re.IGNORECASE)
_TITLE_ID: Final = compile_later(rf"(?:{_KIND}|H)[ _#-]{{1,3}}{_NUMBER}(?:[\W_]+|$)", re.IGNORECASE)
_LONGEST_RANGE = 50


def parse_id(text: str, *, bare: bool = False) -> str | None:
    """The canonical form if the complete text is an id; `bare` also takes a number without its kind."""
    match = _WHOLE.match(text.strip())
    if match and match.group("kind"):
        return build_canonical_id(match.group("kind"), match.group("number"))
    if match and bare:
        return build_canonical_id("H", match.group("bare"))
    bugfix = _WHOLE_BUGFIX.match(text.strip())
    return build_canonical_id("BUGFIX", bugfix.group("slug")) if bugfix else None


def build_canonical_id(kind: str, number: str) -> str:
    """`FOLLOWUP` and `18b` → `H-18B`; `HANDOFF` and `29_1A` → `H-29.1A`; `CLEANUP` and `2` → `CLEANUP-2`."""
    word = _JOINTS.sub("", kind).upper()
    prefix = "H" if word in {"H", "HANDOFF", "FOLLOWUP"} else word
    separator = "." if number[:1].isdigit() else "-"
    return f"{prefix}-{_LEADING_ZEROS.sub('', number).upper().replace('_', separator)}"


def find_ids(text: str) -> list[str]:
    """The ids that a line names, canonical, in order, each once; `H-13 through H-15` names three."""
    found: dict[str, None] = {}
    before: re.Match[str] | None = None
    for match in _IN_PROSE.finditer(text):
        handoff = _build_match_id(match)
        if before is not None and _RANGE.fullmatch(text, before.end(), match.start()):
            found.update(dict.fromkeys(_expand_range(_build_match_id(before), handoff)))
        found[handoff] = None
        before = match
    return list(found)


def find_packages(text: str) -> list[str]:
    """The package ids that a text names, in order, each once."""
    return list(dict.fromkeys(_PACKAGE.findall(text)))


def strip_id(title: str) -> str:
    """A title without the words for its kind and its id: `Results: H-18 — Wiring` → `Wiring`."""
    rest = title.strip()
    for pattern in (_TITLE_WORD, _TITLE_WORD, _TITLE_ID):
        rest = pattern.sub("", rest, count=1) if pattern.match(rest) else rest
    return rest.strip() or title.strip()


def is_framework(name: str) -> bool:
    return _FRAMEWORK.match(name) is not None


def is_same_framework(one: str, other: str) -> bool:
    """Whether two names begin with the same framework number: `FMWK-001` and `FMWK001_Ledger`."""
    first, second = _FRAMEWORK.match(one), _FRAMEWORK.match(other)
    return first is not None and second is not None and first["number"].upper() == second["number"].upper()


def build_framework_id(name: str) -> str:
    """The name of a framework with its hyphen: `FMWK008A` → `FMWK-008A`."""
    match = _FRAMEWORK.match(name)
    return f"FMWK-{match['number'].upper()}{name[match.end() :]}" if match else name


def _build_match_id(match: re.Match[str]) -> str:
    if match.group("framework"):
        return build_framework_id(match.group("framework"))
    if match.group("slug"):
        return build_canonical_id("BUGFIX", match.group("slug"))
    return build_canonical_id(match.group("kind") or "H", match.group("number"))


def _expand_range(first: str, last: str) -> list[str]:
    start, end = _PLAIN.match(first), _PLAIN.match(last)
    if start is None or end is None:
        return []
    low, high = int(start.group(1)), int(end.group(1))
    return [f"H-{number}" for number in range(low + 1, high)] if low < high <= low + _LONGEST_RANGE else []


_FIRST_STANDARD: Final = compile_later(r"(?:BUILDER|RESULTS|AGENT_PROMPT)_(?!HANDOFF\.)", re.IGNORECASE)
_OF_A_STANDARD: Final = (DocumentRole.SPEC, DocumentRole.RESULTS, DocumentRole.PROMPT)
EARLIER_STANDARD: Final = "of an earlier standard"
"""The fact that says so."""
UNREAD: Final = "no heading understood"
"""The fact that results have none of the headings of the standard: what they leave out is not known."""
_COUNTED_ID: Final = compile_later(r"([A-Z]+)-([0-9]{1,4})")


_ROLE_NAME: Final = r"RESULTS|AGENT_PROMPT|1[03]Q_ANSWERS|REVIEW_REPORT|EVALUATION_REPORT"
_FLAT_SPEC: Final = compile_later(
    r"(?:BUILDER_(?P<kind>HANDOFF|FOLLOW_?UP|CLEANUP|BUGFIX|HOUSEKEEPING)|(?P<other>CLEANUP|BUGFIX|HOUSEKEEPING))"
    r"[_-](?P<rest>.+)$",
    re.IGNORECASE,
)
_FLAT: Final = compile_later(
    rf"(?P<role>{_ROLE_NAME})_(?:(?P<kind>HANDOFF|FOLLOW_?UP|CLEANUP|BUGFIX|HOUSEKEEPING|H)[_-])?(?P<rest>.+)$",
    re.IGNORECASE,
)
_NESTED: Final = compile_later(
    rf"(?P<id>.+?)_(?P<role>{_ROLE_NAME}|BUILDER_HANDOFF|SPEC)(?:_(?P<number>[0-9]{{1,3}}))?$", re.IGNORECASE
)
_IN_FOLDER: Final = compile_later(
    rf"(?P<role>{_ROLE_NAME}|BUILDER_HANDOFF|SPEC)(?:_(?P<number>[0-9]{{1,3}}))?$", re.IGNORECASE
)
_ATTEMPT: Final = compile_later(r"[_-](?:ATTEMPT|RETRY|RUN|V)[_-]?([0-9]{1,3})$", re.IGNORECASE)
_ATTEMPT_FOLDER: Final = compile_later(r"(?:ATTEMPT|RETRY|RUN)[_-]?([0-9]{1,3})$", re.IGNORECASE)
_NUMBERED: Final = compile_later(
    r"(?P<number>[0-9]{1,4})(?:[._](?P<part>[0-9]{1,2})(?P<letter>[A-Za-z])?"
    r"|(?P<suffix>[A-Za-z](?:-?[0-9]{1,2}[A-Za-z]?)?))?(?=$|[_.-])[_.-]?(?P<slug>.*)$"
)
_REGISTRY: Final = compile_later(r"(?:.*REGISTRY.*|BUILDER_HANDOFF_STANDARD)$", re.IGNORECASE)
_PACKAGE_FOLDER: Final = compile_later(r"(?:^|/)PKG-[^/]+$")
_ROLES: Final = {
    "RESULTS": DocumentRole.RESULTS,
    "AGENT_PROMPT": DocumentRole.PROMPT,
    "REVIEW_REPORT": DocumentRole.REVIEW,
    "EVALUATION_REPORT": DocumentRole.EVALUATION,
    "BUILDER_HANDOFF": DocumentRole.SPEC,
    "SPEC": DocumentRole.SPEC,
}


class NamedFile(NamedTuple):
    """What a path says. `specific`: only the builder standard uses such names."""

    role: DocumentRole
    id: str | None
    original: str | None
    slug: str = ""
    attempt: int | None = None
    specific: bool = True
    own_folder: str | None = None
    """The folder that holds this handoff alone, in the layouts that have one."""


def parse_path(path: str, title: str | None = None) -> NamedFile | None:
    """The meaning of a path. The title decides whether `18_2` is the id 18.2 or the second file of 18."""
    folder, _, name = path.rpartition("/")
    if name == "manifest.json":
        return NamedFile(DocumentRole.MANIFEST, None, None, specific=_PACKAGE_FOLDER.search(folder) is not None)
    if not name.lower().endswith(".md"):
        return None
    stem, attempt = _split_attempt(name[:-3])
    return (
        _parse_in_folder(stem, folder, attempt)
        or _parse_nested(stem, folder, attempt)
        or _parse_flat_spec(stem, title)
        or _parse_flat(stem, attempt, title)
        or (NamedFile(DocumentRole.LIST, None, None, specific=False) if _REGISTRY.match(stem) else None)
    )


def _split_attempt(stem: str) -> tuple[str, int | None]:
    match = _ATTEMPT.search(stem)
    return (stem[: match.start()], int(match.group(1))) if match else (stem, None)


def _parse_flat_spec(stem: str, title: str | None) -> NamedFile | None:
    match = _FLAT_SPEC.match(stem)
    if match is None:
        return None
    kind = match.group("kind") or match.group("other")
    found = _split_number(kind, match.group("rest"), title)
    if found is None:
        return None
    handoff, original, slug, _ = found
    return NamedFile(DocumentRole.SPEC, handoff, original, slug, specific=match.group("kind") is not None)


def _parse_in_folder(stem: str, folder: str, attempt: int | None) -> NamedFile | None:
    """`<folder>/RESULTS.md`: the folder is the name, or the folder above one that is named for an attempt."""
    match = _IN_FOLDER.match(stem)
    if match is None:
        return None
    above = _ATTEMPT_FOLDER.match(folder.rpartition("/")[2])
    if above:
        attempt = attempt or int(above.group(1))
        folder = folder.rpartition("/")[0]
    name = folder.rpartition("/")[2]
    canonical, known = _parse_own_id(name)
    if match.group("number") and not known:
        return None
    return NamedFile(
        _role(match.group("role")),
        canonical,
        name or None,
        attempt=attempt or _number(match),
        specific=known,
        own_folder=folder if name else None,
    )


def _parse_own_id(name: str) -> tuple[str | None, bool]:
    """The id that a folder or file is called by, and whether only the builder standard has such a name.

    `31A1` and `29_1A` are parts of a handoff; a number alone may be anything.
    """
    canonical = parse_id(name, bare=True) or (build_framework_id(name) if is_framework(name) else None)
    return canonical or name or None, canonical is not None and not name.isdigit()


def _parse_nested(stem: str, folder: str, attempt: int | None) -> NamedFile | None:
    match = _NESTED.match(stem)
    if match is None:
        return None
    name = match.group("id")
    canonical, known = _parse_own_id(name)
    return NamedFile(
        _role(match.group("role")),
        canonical,
        name,
        attempt=attempt or _number(match),
        specific=known,
        own_folder=folder if _parse_own_id(folder.rpartition("/")[2])[0] == canonical else None,
    )


def _parse_flat(stem: str, attempt: int | None, title: str | None) -> NamedFile | None:
    match = _FLAT.match(stem)
    if match is None:
        return None
    kind, rest = match.group("kind"), match.group("rest")
    found = _split_number(kind or "H", rest, title)
    if found is None:
        return NamedFile(_role(match.group("role")), None, rest, attempt=attempt, specific=False)
    handoff, original, slug, second = found
    return NamedFile(
        _role(match.group("role")),
        handoff,
        original if kind else original.partition("_")[2],
        slug,
        attempt=attempt or second,
    )


def _split_number(kind: str, rest: str, title: str | None) -> tuple[str, str, str, int | None] | None:
    """Id, original name, the words after it, and a second number that isn't part of the id."""
    framework = _FRAMEWORK.match(rest)
    if framework is not None:
        return (
            build_framework_id(framework.group()),
            f"{kind}_{framework.group()}",
            rest[framework.end() :].strip("_.-"),
            None,
        )
    match = _NUMBERED.match(rest)
    if match is None:
        return _split_words(kind, rest)
    number, part, letter = match.group("number"), match.group("part"), match.group("letter")
    slug, second = match.group("slug"), None
    name = number + (match.group("suffix") or "")
    if part and (letter or f"{number}.{part}" in (title or "")):
        name = rest[: match.end("letter") if letter else match.end("part")]
    elif part:
        second = int(part)
        slug = f"{part}_{slug}" if slug else part
    canonical = parse_id(f"{kind}-{name}")
    return (canonical, f"{kind}_{name}", slug, second) if canonical else None


def _split_words(kind: str, rest: str) -> tuple[str, str, str, int | None] | None:
    """Only fixes of bugs go by words instead of a number."""
    canonical = parse_id(f"{kind}_{rest}") if kind.upper() == "BUGFIX" else None
    return (canonical, f"{kind}_{rest}", "", None) if canonical else None


def _number(match: re.Match[str]) -> int | None:
    return int(match.group("number")) if match.group("number") else None


def _role(name: str) -> DocumentRole:
    return _ROLES.get(name.upper(), DocumentRole.ANSWERS)


class NamedSource(NamedTuple):
    """A file with the meaning of its name."""

    source: Source
    named: NamedFile

    @property
    def home(self) -> str:
        return self.named.own_folder or self.source.folder


@dataclass(slots=True)
class HandoffFiles:
    """The files of one handoff, by role, in the order of their paths."""

    id: str
    original: str | None = None
    members: dict[DocumentRole, list[NamedSource]] = field(default_factory=dict)

    def of(self, role: DocumentRole) -> list[NamedSource]:
        return self.members.get(role, [])

    def sources(self, *roles: DocumentRole) -> list[Source]:
        return [member.source for role in roles for member in self.of(role)]

    def add(self, member: NamedSource) -> None:
        self.members.setdefault(member.named.role, []).append(member)

    @property
    def folders(self) -> list[str]:
        """The folders that hold nothing but this handoff."""
        found = [m.named.own_folder for members in self.members.values() for m in members if m.named.own_folder]
        return list(dict.fromkeys(found))


_Members = list[tuple[str, NamedSource]]
"""Files, each with the id of its handoff."""
SortByAge = Callable[[Sequence[str]], Sequence[str]]
"""Sorts paths by when history added them."""


def group_files(sources: Iterable[Source], sort_by_age: SortByAge) -> tuple[list[HandoffFiles], list[Problem]]:
    """Groups by canonical id. A second, different spec with the same id starts another handoff."""
    by_id: dict[str, list[HandoffFiles]] = {}
    problems: list[Problem] = []
    members = _join_frameworks([_build_member(source) for source in sources])
    members = _part_namesakes(members, sort_by_age, problems)
    ages = {path: age for age, path in enumerate(sort_by_age(_find_rivals(members, DocumentRole.SPEC)))}
    members.sort(
        key=lambda found: (
            found[1].named.role is not DocumentRole.SPEC,
            ages.get(found[1].source.path, 0),
            found[1].source.path,
        )
    )
    for handoff, member in members:
        groups = by_id.setdefault(handoff, [])
        group = _find_group(groups, member)
        if group is None:
            words = member.named.slug or member.source.folder.replace("/", "-")
            taken = {group.id for groups in by_id.values() for group in groups} | set(by_id)
            own = _build_free_id(taken, handoff, words) if groups else handoff
            group = HandoffFiles(own, member.named.original)
            if groups:
                problems.append(_report_second_spec(handoff, groups[0], group, member))
            groups.append(group)
        group.add(member)
    found = [group for groups in by_id.values() for group in groups]
    return sorted(found, key=lambda group: group.id), problems


def find_earlier(groups: Iterable[HandoffFiles]) -> set[str]:
    """The handoffs whose spec, prompt and results all have names of the first, flat standard: no later one judges them.

    Results without a spec don't choose their standard: after a handoff of the later one they are of that, too.
    """
    flat: list[HandoffFiles] = []
    changed_at: dict[str, int] = {}
    for group in groups:
        names = [source.name for source in group.sources(*_OF_A_STANDARD)]
        if names and all(map(_FIRST_STANDARD.match, names)):
            flat.append(group)
        elif names and (counted := _COUNTED_ID.match(group.id)):
            changed_at[counted[1]] = min(int(counted[2]), changed_at.get(counted[1], int(counted[2])))
    return {group.id for group in flat if group.of(DocumentRole.SPEC) or not _comes_after(group.id, changed_at)}


def is_earlier_spec(document: Document, sections: tuple[str, ...]) -> bool:
    """Whether a spec has a name of the first standard, and hardly a section of the later one."""
    is_flat = _FIRST_STANDARD.match(document.path.rpartition("/")[2]) is not None
    return document.role is DocumentRole.SPEC and is_flat and len(document.missing) * 2 > len(sections)


def _comes_after(handoff: str, changed_at: dict[str, int]) -> bool:
    counted = _COUNTED_ID.match(handoff)
    return counted is not None and int(counted[2]) > changed_at.get(counted[1], int(counted[2]))


def _part_namesakes(members: _Members, sort_by_age: SortByAge, problems: list[Problem]) -> _Members:
    """Handoffs in several folders that are called the same: the oldest keeps the id, the others get one of their own.

    They are several if the same attempt is reported in each folder, in other words.
    """
    rivals = sort_by_age(_find_rivals(members, DocumentRole.RESULTS))
    if not rivals:
        return members
    by_path = {member.source.path: (handoff, member.home) for handoff, member in members}
    taken = {handoff for handoff, _ in members}
    first: dict[str, str] = {}
    given: dict[tuple[str, str], str] = {}
    for path in rivals:
        handoff, home = by_path[path]
        if (handoff, home) in given:
            continue
        own = handoff
        if first.setdefault(handoff, path) != path:
            own = _build_free_id(taken, handoff, home.replace("/", "-"))
            message = f"has the id {handoff}, as has {first[handoff]}; it is listed as {own}"
            problems.append(Problem(path=path, line=1, message=message, level=ProblemLevel.WARNING))
        taken.add(own)
        given[handoff, home] = own
    return [(given.get((handoff, member.home), handoff), member) for handoff, member in members]


def _find_rivals(members: _Members, role: DocumentRole) -> list[str]:
    """Documents of one role that several folders have for one attempt, in other words. What is filed is earlier.

    Results in folders that are not a handoff's own may be of several attempts.
    """
    groups: dict[tuple[str, int | None], list[NamedSource]] = defaultdict(list)
    for handoff, member in members:
        of_role = member.named.role is role and (role is DocumentRole.SPEC or member.named.own_folder)
        if of_role and not is_archived(member.source.path):
            groups[handoff, member.named.attempt].append(member)
    several = (
        group
        for group in groups.values()
        if len({one.home for one in group}) > 1 and len({one.source.sha256 for one in group}) > 1
    )
    return [member.source.path for group in several for member in group]


def _join_frameworks(members: _Members) -> _Members:
    """Files named for a framework's number alone go to the one that has a longer name, if there is just one."""
    named = {handoff for handoff, _ in members if is_framework(handoff)}
    full: dict[str, str] = {}
    for short in (one for one in named if _FRAMEWORK.fullmatch(one)):
        longer = [one for one in named if one != short and is_same_framework(one, short)]
        if len(longer) == 1:
            full[short] = longer[0]
    return [(full.get(handoff, handoff), member) for handoff, member in members] if full else members


def _build_member(source: Source) -> tuple[str, NamedSource]:
    title = source.outline.title if source.readable else None
    named = parse_path(source.path, title) or NamedFile(DocumentRole.OTHER, None, None, specific=False)
    in_title = find_ids(title or "")
    if named.id is None or not named.specific:
        handoff = next(iter(in_title), None) or named.id or named.original or source.name
        return build_id(handoff.replace("/", "-")), NamedSource(source, named)
    same_kind = [found for found in in_title if is_framework(found) == is_framework(named.id)]
    if same_kind and not any(found == named.id or is_same_framework(found, named.id) for found in same_kind):
        line = next((section.line for section in source.outline.sections if section.level), None)
        source.report(f"is named for {named.id}, but its title says {same_kind[0]}", line)
    return build_id(named.id.replace("/", "-")), NamedSource(source, named)


def _find_group(groups: list[HandoffFiles], member: NamedSource) -> HandoffFiles | None:
    """The group a file belongs to: for a spec one with the same text; else the nearest by folder, then by name."""
    if member.named.role is DocumentRole.SPEC:
        sha256 = member.source.sha256
        return next(
            (group for group in groups if any(s.sha256 == sha256 for s in group.sources(DocumentRole.SPEC))), None
        )
    if len(groups) < 2:  # noqa: PLR2004 - nothing to choose from
        return groups[0] if groups else None
    folder, slug = member.source.folder, member.named.slug
    by_slug = [g for g in groups if slug and any(m.named.slug == slug for m in g.of(DocumentRole.SPEC))]
    by_folder = [g for g in groups if any(m.source.folder == folder for m in g.of(DocumentRole.SPEC))]
    return next(iter([*by_slug, *by_folder]), groups[0])


def _build_free_id(taken: set[str], handoff: str, words: str) -> str:
    """An id made of another one and some words that nobody has yet."""
    start = f"{handoff}-{words or 'second'}"
    wanted, number = build_id(start), 2
    while wanted in taken:
        wanted = build_id(f"{start[:120]}-{number}")
        number += 1
    return wanted


def _report_second_spec(handoff: str, first: HandoffFiles, second: HandoffFiles, member: NamedSource) -> Problem:
    other = first.sources(DocumentRole.SPEC)[0].path
    message = f"is a second spec for {handoff}, besides {other}; it is shown as {second.id}"
    return Problem(path=member.source.path, line=1, message=message, level=ProblemLevel.WARNING)
