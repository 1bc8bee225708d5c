"""The role that a heading, a label, a field, a column or a key gives to what stands below or beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.lexicon import (
    CREATED,
    DELETED,
    DIRTY,
    KIND_OF,
    MODIFIED,
    NEW,
    READ,
    SIGNS,
    Effect,
    Form,
    find_verb,
    word_set,
)
from handoff_tui.handoffs.grammar.tokens import is_surely_path
from handoff_tui.handoffs.reading.markdown import plain

_CAMEL_CASE: Final = compile_later(r"(?<=[a-z])(?=[A-Z])")
_BEFORE_WORDS: Final = compile_later(r"^[^\w(]+")
_BEFORE_WORD: Final = compile_later(r"^\W+")


class Role(StrEnum):
    """Roles other than a kind of claim about files."""

    MOVED = "moved"
    COMMIT = "commit"
    BRANCH = "branch"
    HASH = "hash"
    HASH_BEFORE = "hash-before"
    FILE = "file"
    ACTION = "action"
    FOLDER = "folder"
    ARCHIVE = "archive"
    CLEAN = "clean"
    """Whether the work tree is clean."""


_FILE: Final = (
    r"files?|paths?|modules?|manifests?|docs?|documents?|documentation|scripts?|components?|tests?|test files?|specs?"
    r"|artifacts?|artefacts?|assets?|migrations?|sources?|templates?|fixtures?|pages?|packages?|configs?|archives?"
    r"|items?|deliverables?|classes|helpers?|hooks?|routes?|schemas?|workflows?|dateien?|fichiers?|archivos?"
    r"|ficheros?|bestand(?:en)?|plik(?:i)?|arquivos?|файлы?|文件|ファイル|파일|的"
)
_FILE_NOUN: Final = compile_later(rf"^(?:{_FILE})$")
_DIRTY: Final = compile_later(
    r"\bun-?(?:committed|staged|tracked|pushed files)\b|\bnot (?:yet )?committed\b|\bdirty\b|\blocal changes\b"
    r"|\bworking (?:tree|copy|directory) changes\b|\bin flight\b|\bwip files?\b",
    re.IGNORECASE,
)
_CLEAN: Final = compile_later(
    r"^(?:git )?(?:work(?:ing)?[ -]?(?:tree|copy|dir(?:ectory)?)|git status|tree)(?: status| state)?$"
)
_READ: Final = compile_later(
    r"\b(?:key|relevant|important|useful|related|main|critical|core|reference) (?:files?|documents?|docs|paths?"
    r"|modules?)\b"
    r"|^references?$|^(?:must[- ]|required |further |recommended |worth )?read(?:ing)?"
    r"(?: first| this| next| before.*| list)?$"
    r"|^see(?: also)?$|^start (?:with|here|at|from)$|^entry[- ]?points?$"
    r"|^where (?:things (?:are|live|lie)|to (?:look|find)|everything).*"
    r"|^pointers?$|^documentation$|^docs$|^links?$|^source of truth$|^files? to (?:read|know|look at|review)\b.*",
    re.IGNORECASE,
)
_COMMIT: Final = compile_later(
    r"^base$|\b(?:commits?|revisions?|sha|rev|head|merge base|tip|git sha|changeset)\b(?! (?:message|conventions?"
    r"|style|rules?|policy))",
    re.IGNORECASE,
)
_COMMIT_HEADING: Final = compile_later(
    r"\bcommit(?:s|ted)?\b|\bgit (?:log|history|state|info|status)\b|^(?:git|vcs|version control)\b", re.IGNORECASE
)
_BRANCH: Final = compile_later(
    r"^(?:[\w-]+ ){0,3}(?:branch(?:es|e)?|rama|zweig|ramo)(?: name)?"
    r"(?: (?:with|for|of|to|used|under|in|at|pushed|i|we)\b.*)?$"
    r"|^checked out$|^ブランチ$|^分支$|^브랜치$|^ветка$",
)
_ROLES: Final = ((_CLEAN, Role.CLEAN), (_READ, READ), (_BRANCH, Role.BRANCH))
_HASH: Final = compile_later(r"\b(?:sha-?256(?:sum)?|hash(?:es)?|digests?|checksums?)\b|^sha$", re.IGNORECASE)
_BEFORE: Final = compile_later(r"\b(?:before|old|previous|prior|original|was|from)\b", re.IGNORECASE)
_MIXED: Final = compile_later(
    r"^(?:(?:summary|overview|list|log) of |all |code |key |main |notable |what |my |our |the )*(?:changes?|changelog"
    r"|diff(?: at a glance| summary| stat)?|edits|modifications)(?: made| summary| log| list| at a glance"
    r"| in this \w+| this \w+| overview| by \w+| since .*)?$|^what(?: has| was| i| we)?(?: been)? changed.*$",
    re.IGNORECASE,
)
_DONE: Final = compile_later(
    r"^(?:done|did|completed|accomplish\w+|work (?:done|completed)|what (?:was|i|we|has been|got|happened|changed"
    r"|works)\b|changes|summary of changes|cleanup|clean-up|implemented|implementation(?: summary| details)?"
    r"|delivered|built|deliverables completed|progress|achievements?|completed (?:work|tasks)|tasks? completed"
    r"|key changes|highlights|this session|session work|erledigt|fait|hecho|fatto|gedaan|zrobione"
    r"|сделано|已?完成|完了|완료)|\bfiles?\b|\b(?:done|completed|built|accomplished|delivered|implemented)\s*$",
    re.IGNORECASE,
)
_BUILT: Final = compile_later(
    r"^(?:what (?:was|i|we|has been|got) (?:built|done|delivered|implemented|created|made|written|shipped)|built"
    r"|delivered"
    r"|implemented|deliverables completed|done|did|accomplish\w+|completed(?: work)?|work (?:done|completed))\b",
    re.IGNORECASE,
)
_NO_POINTERS: Final = compile_later(
    r"\btemplate|\bexample|\bprevious|\bhistor|\bpropos|\bideas?\b|\bnot\b|\bbackground\b|\bdefinition of\b",
    re.IGNORECASE,
)
_SILENT_TITLE: Final = compile_later(
    r"^\W*(?:plan|proposal|template|example|roadmap|next)|\b(?:plan|proposal|template|roadmap|backlog)\W*$",
    re.IGNORECASE,
)
_TAIL: Final = compile_later(r"\s*(?:\([^)]*\)|\[[^\]]*\]|:|[—–-]\s.*)\s*$")
_WORD: Final = compile_later(rf"{SIGNS}|新規?|새|[\u3000-\uffff](?:(?!{SIGNS})[\u3000-\uffff])*|[^\W\d_][\w'-]*")
_BRACKET: Final = compile_later(r"\((\S+(?: \S+)?)\)\s*:?$")
_CUT: Final = frozenset(
    {"with", "each", "since", "during", "before", "after", "because", "while", "until", "as", "so", "than"}
)
"""What follows them says when or why, not what."""
_HEX: Final = compile_later(r"\b(?:in|at|with|by)?\s*\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NEUTRAL: Final = word_set(
    "else did you anything in this session the and or of by to list summary key main all code git new phase "
    "task since last during for i we have were was been here today under below "
    "following other some core so far work these which that are "
    "production source project repo repository with agent builder now"
)
_ALL_IN: Final = compile_later(
    r"\W*(?:all )?(?:\w+ )?(?:files|paths)(?: below)?(?: (?:are|lie|live|listed))?(?: below)?(?: are)?"
    r" (?:in|under|below|relative to)\W{1,4}`([^`\s]+/?)`[^`]*$",
    re.IGNORECASE,
)
_IN_FOLDER: Final = compile_later(r"\b(?:in|under|inside|within|below)\s+`?([\w.@-]+(?:/[\w.@-]+)*/)`?\W*$")
_ONLY_PACKAGE: Final = compile_later(r"\W*(PKG-[A-Z0-9]+(?:-[A-Z0-9]+)*)(?:\s+v?[\d.]+)?(?:\s*\([^)]*\))?\W*")
_ARCHIVES: Final = (".tar.gz", ".tgz", ".zip")
_SENTENCES: Final = compile_later(r"(?<=[.!?])\s+(?=[A-Z])")
_BOLD_LINE: Final = compile_later(r"^\*\*[^*]+\*\*:?$")
_SHORT_HASH: Final = compile_later(r"^(?:git |short )?(?:sha|hash)$", re.IGNORECASE)
_LONGEST_LABEL = 80
_MOST_WORDS = 7
_MOST_NAMES = 4
"""More words are a sentence."""
_NAMES_OF_COLUMNS: Final = (
    (compile_later(r"\b(?:sha-?256|hash|digest|checksum)", re.IGNORECASE), Role.HASH),
    (
        compile_later(
            r"^(?:file(?:s|name| name| path)?|paths?|asset|archive|document|module|component|script|source(?: file)?"
            r"|doc|where|artifact|artefact|datei|fichier|fichero|archivo|plik|bestand)(?:s|en)?\b|^(?:ファイル|文件|파일)",
            re.IGNORECASE,
        ),
        Role.FILE,
    ),
    (
        compile_later(
            r"^(?:action|change(?: type)?|status|type|operation|op|kind|state|what(?: happened)?|how|git|aktion"
            r"|änderung|acción|cambio|état|azione|modifica|操作|変更|变更|변경)$",
            re.IGNORECASE,
        ),
        Role.ACTION,
    ),
    (compile_later(r"^(?:location|folder|directory)$", re.IGNORECASE), Role.FOLDER),
)


def spell_key(key: str) -> str:
    """The words of a key: `filesCreated`, `files-created` and `files_created` are the same."""
    return _CAMEL_CASE.sub(" ", key).replace("_", " ").replace("-", " ").strip()


@lru_cache(maxsize=2048)
def role_of(phrase: str) -> ClaimKind | Role | None:
    """What a heading, label, field or key says of what it names: `New files`, `files_created`, `Last commit`."""
    words = spell_key(plain(phrase)).strip(" :#*")
    words = _BEFORE_WORDS.sub("", words)
    short = words
    while (cut := _TAIL.sub("", short)) != short:
        short = cut
    if _DIRTY.search(words):
        return DIRTY
    short = _HEX.sub("", short.lower()).strip() or words.lower()
    count = len(short.split())
    kind = _kind_of_files(short) if count <= _MOST_WORDS else None
    if kind is None and (bracket := _BRACKET.search(words)):  # API (new)
        kind = _kind_of_files(bracket[1].lower())
    for look, role in _ROLES if kind is None else ():
        if look.search(short):
            return role
    if kind is None and _HASH.search(short) and "commit" not in short:
        kind = Role.HASH_BEFORE if _BEFORE.search(short) else Role.HASH
    if kind is None and count <= _MOST_NAMES and _COMMIT.search(short):
        kind = Role.COMMIT
    return MODIFIED if kind is None and _MIXED.match(short) else kind


_STATES: Final[dict[str, ClaimKind | Role]] = {
    **dict.fromkeys(NEW | word_set("newly added additions created delivered built"), CREATED),
    **dict.fromkeys(word_set("affected involved impacted amendments adjustments revisions adaptations"), MODIFIED),
    **dict.fromkeys(word_set("removals deletions withdrawals gone"), DELETED),
    **dict.fromkeys(word_set("moves renames moved renamed relocated"), Role.MOVED),
}


def _kind_of_files(short: str) -> ClaimKind | Role | None:
    """`files created`, `new`, `modified files`, `moved`; of several kinds, that something was changed."""
    kinds: list[ClaimKind | Role] = []
    files = False
    others = behind = 0
    for match in _WORD.finditer(short):
        word = match.group()
        if kinds and word in _CUT:
            break
        verb = find_verb(word)
        if _FILE_NOUN.match(word):
            files = True
        elif word in _STATES:
            kinds.append(_STATES[word])
        elif (
            verb is not None
            and verb.act in KIND_OF
            and verb.act is not Effect.EXTRACT
            and (verb.form is Form.PAST or (verb.form is Form.THIRD and word == short) or "did" in short.split())
        ):
            kinds.append(KIND_OF[verb.act])
        elif word not in _NEUTRAL and word < "\u2fff" and "/" not in short[match.start() - 1 : match.end() + 1]:
            others += 1
            behind += bool(kinds) or word == "what"
    if not kinds:
        return None
    several = set(kinds)
    if several == {CREATED} and others and not files and (behind or others > 1):
        return MODIFIED if others == 1 and len(short.split()) <= 3 else None  # noqa: PLR2004 - `new behaviour`
    if others > 2 or (others and not files and len(short.split()) > 4):  # noqa: PLR2004 - a sentence
        return None
    return kinds[0] if len(several) == 1 else MODIFIED


@dataclass(slots=True)
class HeadingContext:
    """What the headings above a block say of it."""

    listed: ClaimKind | Role | None = None
    done: bool = False
    built: bool = False
    """Whether its entries are what was made: a path that leads one, or ends it, was changed."""
    silent: bool = False
    points: bool = False
    """Whether it tells the next agent what to do: it may point to files that must be there."""
    commits: bool = False
    folder: str = ""
    """Where the paths are, if a heading or a line says so."""

    def place(self, path: str) -> str:
        """A path in the folder that is spoken of, unless it names that folder itself."""
        own = self.folder.rstrip("/").rpartition("/")[2]
        return path if not own or own in path.split("/") or path.endswith(_ARCHIVES) else self.folder + path


class _OneHeading(NamedTuple):
    """What one heading says by itself."""

    built: bool
    done: bool
    commits: bool
    folder: str


def read_headings(names: Sequence[str]) -> HeadingContext:
    """What headings say together: the title first, the one right above the text last."""
    own = names[-1]
    near = [_read_heading(name) for name in names[-2:]]
    listed = role_of(own)
    if listed is None and len(names) > 1 and (upper := role_of(names[-2])) not in {None, READ, DIRTY}:
        listed = upper
    # the title of a document may well be called "Plan" or "Next session"
    above = names[1:] or [name for name in names if _SILENT_TITLE.search(name)]
    silent = any(map(stance.is_silent_heading, above)) and listed is not DIRTY
    points = silent and not any(_NO_POINTERS.search(name) for name in names)
    built = len(names) > 1 and any(heading.built for heading in near)
    done = near[-1].done or (isinstance(listed, ClaimKind) and listed is not READ)
    commits = any(heading.commits for heading in near)
    return HeadingContext(listed, done or built, built and not silent, silent, points, commits, near[-1].folder)


@lru_cache(maxsize=2048)
def _read_heading(name: str) -> _OneHeading:
    begins = _BEFORE_WORD.sub("", name)
    done = _DONE.search(_BEFORE_WORD.sub("", plain(name)))
    return _OneHeading(bool(_BUILT.search(begins)), bool(done), bool(_COMMIT_HEADING.search(name)), find_folder(name))


def find_folder(text: str) -> str:
    """The folder that paths below a heading or a line are in: `PKG-A-001`, `All files in `staging/x/``; else empty."""
    stated = _ALL_IN.match(text)
    if stated is not None:
        return stated[1].rstrip("/") + "/"
    inside = _IN_FOLDER.search(text) if len(text) <= _LONGEST_LABEL else None
    if inside is not None and (inside.start() <= 1 or role_of(text) is not None):
        return inside[1]
    package = _ONLY_PACKAGE.fullmatch(plain(text).strip())
    return f"{package[1]}/" if package else ""


def find_label(text: str, *, listed: bool = False) -> str:
    """The words of a last line that only announces what follows; `listed`: a list, which needs no colon before it."""
    line = text.rstrip()
    if line[-1:] not in {":", "*"} and not listed:
        return ""  # as most lines
    line = _SENTENCES.split(line.rpartition("\n")[2].strip())[-1]
    if not line or len(line) > _LONGEST_LABEL:
        return ""
    if not (line.endswith(":") or _BOLD_LINE.match(line)):
        last = find_verb(line.rpartition(" ")[2].lower()) if listed else None
        if last is not None and last.form is Form.PAST and last.act in KIND_OF:
            return line.rpartition(" ")[2]  # under `web/` I added
        if not (listed and _announces(line)):
            return ""
    if is_surely_path(plain(line)):
        return ""
    return "" if "`" in line and not _IN_FOLDER.search(line.rstrip(":")) else plain(line).strip(" :")


def _announces(line: str) -> bool:
    """Whether a short line without a colon is a heading: FILES ADDED."""
    return line[-1].isalnum() and len(line.split()) <= _MOST_NAMES and (line.isupper() or role_of(line) is not None)


def role_of_column(heading: str) -> ClaimKind | Role | None:
    """What the cells of a column are."""
    if _SHORT_HASH.match(heading.strip()):
        return Role.COMMIT  # of a file, if it is long enough
    for look, role in _NAMES_OF_COLUMNS:
        if look.search(heading.strip()):
            if role is Role.HASH:
                return Role.HASH_BEFORE if _BEFORE.search(heading) else role
            named = role_of(heading) if role is Role.FILE else None
            return named if named in {CREATED, DELETED, MODIFIED, DIRTY} else role
    return role_of(heading)
