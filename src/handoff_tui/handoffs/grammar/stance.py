"""Whether words assert something, or plan, deny, quote or exemplify it; and annotations such as (new) or M. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar.lexicon import (
    CREATED,
    DELETED,
    KIND_OF,
    MODIFIED,
    Effect,
    Form,
    find_verb,
    spell_phrases,
    word_set,
)

_NEGATED: Final = compile_later(
    r"\b(?:not(?! only)|never|não|nao|(?<!ei )no(?!-?op\b| longer (?:used|needed)| doubt)|nobody|nothing"
    r"|none|neither|against|nor|without|cannot|except(?: for)?|apart from|other than"
    r"|instead of|rather than|un(?:changed|touched|modified)"
    r"|avoided|refused|skipped|forgot|refrained|decided against|fail(?:ed|s)? to|tried to|attempted to|nicht|kein\w*"
    r"|nie(?:mals)?|pas|aucune?|jamais|nunca|ningun\w*|niet|geen|nessun\w*|nie|не|нет)\b|n['\u2019]t\b|没有|未|ません",
    re.IGNORECASE,
)
_PLANNED: Final = compile_later(
    r"\b(?:will(?! (?:find|see|notice)\b)|shall|should|must|would|could|might|may|todo|to-do|tbd|planned"
    r"|plans? to|going to|needs? to|needs"
    r"|has to|have to|(?<!had )to be|remains? to|still to|yet to|propos\w+|suggest\w*|recommend\w*|consider\w*"
    r"|intend\w*|if|unless|once (?=\w+ )(?!again|more)|as soon as|please|want\w*|waiting|pending|asked|requested"
    r"|decide[ds]? (?:to|whether)|ready to|able to be|let['\u2019]s|next step|can be|left to|how to|cannot"
    r"|supposed to|due to be|not yet|scheduled|imagine|suppose|considered|discussed|whether|muss|müssen|soll\w*|wird"
    r"|werden|würde\w*|könnte\w*|falls|wenn|doit|devra\w*|faut|sera|debe\w*|hay que|falta|será|deve|moet\w*|zal"
    r"|trzeba|należy|нужно|надо|будет|если)\b|\w['\u2019]ll\b|需要|将|计划|如果|待|予定|必要|べき",
    re.IGNORECASE,
)
_UNFINISHED: Final = compile_later(
    r"^(?:する(?!よう)|します|したい|しよう|してください|せず|しな|すべき|할|하지|해야)|予定|必要|ません|していない|つもり|예정|필요|않|计划|待"
)
_CONDITION: Final = compile_later(
    r"\b(?:if|unless|would|could|might|imagine|suppose|assuming|otherwise|provided that|were (?:we|i|you) to"
    r"|had (?:we|i|you|they))\b|\w['\u2019]d have\b",
    re.IGNORECASE,
)
_TIMES: Final = (
    r"previous(?:ly)? (?:project|session|repository|handoff|agent|phase|sprint|release)s?"
    r"|earlier (?:version|attempt|session|phase|handoff)s?|(?:in|since|back in|during|of) (?:january|february|march"
    r"|april|may|june|july|august|september|october|november|december|20\d\d|phase \d+|sprint \d+)"
    r"|last (?:week|month|year|sprint|quarter|release)|before (?:I|we) (?:started|began|came|joined|arrived)"
    r"|before this (?:session|work|handoff)"
    r"|(?:days|weeks|months|years|a (?:week|month|year)) ago|long (?:ago|before)|in the past"
)
_EARLIER: Final = compile_later(rf"\b(?:{_TIMES})\b", re.IGNORECASE)
_OF_OTHERS: Final = compile_later(
    r"\b(?:for example|e\.g\.|for instance|such as|example|(?:other|another|different|sister|sibling|separate|own)"
    r" (?:project|repo\w*)|used to|originally|naming|said|says?|claims?|(?:claimed|wrote|writes|reported"
    r"|reports|noted|stated|believed|thought|assumed|told \w+) that|according to"
    r"|(?:claimed|claims|said|reported|supposed|alleged|believed) to (?:have|be)"
    rf"|{_TIMES}|already existed|before my time|upstream"
    r"|(?:option|alternative|variant) \w{1,3} (?:was|were|is))\b"
    r"|^[^\w§]*had\b(?! to\b)",
    re.IGNORECASE,
)
_SILENT_HEADING: Final = compile_later(
    r"\bnext\b|\bto[- ]?dos?\b|\bplan(?:s|ned)?\b|\bremaining\b|\bpending\b|\bfuture\b|\bpropos|\brecommend"
    r"|\btemplate\b|\bexamples?\b|\bto (?:be )?(?:create|add|modif|chang|updat|delet|remov|edit|do|touch|come|write)"
    r"|\bnot\b(?! (?:from|by|only|just)\b)"
    r"|^(?:earlier|before|previously|yesterday|tomorrow|later|back then)$|\bunchanged\b|\bun-?(?:touched|modified)\b"
    r"|\bprevious\b|\bprior\b|\bhistor|\bhow to\b|\busage\b"
    r"|\binstructions?\b|\b(?:out of|from) scope\b|\bbacklog\b|\broadmap\b|\bideas?\b|\boptions?\b|\bcriteria\b"
    r"|\brequirements?\b|\bprerequisites?\b|\bdeliverables?\b|\bquestions?\b|\brisks?\b|\bblock(?:er|ed)"
    r"|\bknown issues\b|\bif\b|\bexpected\b|\bcould\b|\bshould\b|\bdev notes\b|\bwhat'?s left\b|\bmissing\b"
    r"|\bdo not\b|\bdon'?t\b|\bbackground\b|\balternatives?\b|\brejected\b|\bfollow[- ]?ups?\b|\bleft to do\b"
    r"|\boffen\b|\bnächste|\bà faire\b|\bprochain|\bpendiente|\bpróxim|\bda fare\b|\bprossim|\bte doen\b|\bvolgende\b"
    r"|\bdalej\b|\bследующ|\bплан|未|下一步|待办|今後|次の|다음|남은|\bupcoming\b|\bwish ?list\b"
    r"|\b(?:tried|abandoned)\b|\bfailed (?:attempts?|approach|experiments?)|\bdefinition of done\b"
    r"|^open(?: (?:items?|points?|tasks?|work|ends?|files?))?$|^you(?:['\u2019]ll| will)\b"
    r"|\bwould\b|\brequest(?:ed)?\b|\bthe ask\b|\bassumptions?\b|\bearlier (?:work|sessions?)\b",
    re.IGNORECASE,
)
_DONE_HEADING: Final = compile_later(r"\b(?:completed|delivered|done|finished|implemented)\b(?!\s*\?)", re.IGNORECASE)
_NOT_DONE: Final = compile_later(
    r"\b(?:not|left|to be|un|definition of)\b.*\b(?:completed|delivered|done|finished|implemented)\b", re.IGNORECASE
)
_STRUCK: Final = compile_later(r"~~[^~]*~~|<!--.*?-->", re.DOTALL)
_ONLY: Final = compile_later(
    r"\b(?:nothing|no (?:other )?(?:files?|code|changes?)) (?:else )?(?:(?:is|was|were) \w+ )?(?:but"
    r"|except(?: for)?|other than|apart from)\b",
    re.IGNORECASE,
)
"""What denies all but one thing asserts that one."""
_QUOTED: Final = compile_later(
    r"[\"\u201c\u201e][^\"\u201c-\u201e\n]*\s[^\"\u201c-\u201e\n]*[\"\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]*\s[^\u00bb\n]*\u00bb"
    r"|\u300c[^\u300d\n]*\u300d"
)
_QUOTE_MARK: Final = compile_later('["\u201c\u201e\u00ab\u300c]')
_DONE_MARK: Final = compile_later(
    r"^\W*(?:\u2705|\u2714\ufe0f?|\u2611\ufe0f?|\[(?:x|done|ok)\]|✓|✔|🆕|🔧|🗑|➕|(?:done|complete[d]?)\s*[:—–-]"
    r"|(?:feat|fix"
    r"|refactor|chore|docs|tests?|perf|style|build|ci)(?:\([\w-]+\))?!?:)",
    re.IGNORECASE,
)
_OPEN_MARK: Final = compile_later(
    r"^\W*(?:⏳|🚧|⬜|☐|❌|🔲|📋|🔜|\[[ ~/-]\]|\[ ?(?=todo|open)"
    r"|(?:todo|tbd|pending|next|later|wip|planned|not started)\b)",
    re.IGNORECASE,
)
UNDONE: Final = compile_later(
    r"\b(?:reverted|undid|undone|rolled (?:it |that |this )?back|backed (?:it |that |this )?out|took (?:it "
    r"|that )?out again|(?:removed|deleted|dropped) (?:it|that|this) again)\b",
    re.IGNORECASE,
)
"""What was done and taken back isn't a change."""
_LETTERS: Final = {
    "A": CREATED,
    "M": MODIFIED,
    "D": DELETED,
    "U": MODIFIED,
    "N": CREATED,
    "+": CREATED,
    "~": MODIFIED,
    "-": DELETED,
    "??": CREATED,
}
MARK: Final = compile_later(
    r"^[\s*_`\[(•]*(?P<mark>NEW|ADD(?:ED)?|CREATED?|UPD(?:ATED?)?|MOD(?:IFIED|IFY)?|CHG|CHANGED?|EDIT(?:ED)?|FIX(?:ED)?"
    r"|DEL(?:ETED?)?|REM(?:OVED?)?|FOUND|R\d{0,3}|[ADMUN]|\?\?|[+~]|[🆕➕✨✏📝🔧🛠♻🗑➖🔥])\ufe0f?[\s:*_\])`]+(?=[`*_\[]*[\w.])",
)
"""Letters of git, words in capitals, and pictures, before the path of an entry."""
_MARKS: Final = (
    (compile_later("NEW|ADD|CREATE"), CREATED),
    (compile_later("UPD|MOD|CHG|CHANGE|EDIT|FIX"), MODIFIED),
    (compile_later("DEL|REM"), DELETED),
    (compile_later("FOUND"), ClaimKind.FILE_REFERENCED),
    (compile_later("[🆕➕✨]"), CREATED),
    (compile_later("[✏📝🔧🛠♻]"), MODIFIED),
    (compile_later("[🗑➖🔥]"), DELETED),
    (compile_later("R"), None),
)
_ANNOTATION_WORD: Final = compile_later(r"[^\W\d_][\w'\u2019-]*")
_DIFF_STAT: Final = compile_later(
    r"\W{0,3}\+\s?\d+\b|\W{0,3}[-\u2212\u2013]\s?\d+(?: lines?)?\W|\W{0,3}\d+ (?:insertions?|deletions?|additions?"
    r"|lines? (?:changed|added|removed))"
)
_LEADING: Final = word_set("brand a the now newly also was were has been have is just it i we i've we've this file")
_STATES: Final = {
    "new": CREATED,
    "gone": DELETED,
    "del": DELETED,
    "rem": DELETED,
    "mod": MODIFIED,
    "upd": MODIFIED,
    "chg": MODIFIED,
    "rewrite": MODIFIED,
    "refactor": MODIFIED,
    "refactoring": MODIFIED,
    "deletion": DELETED,
    "addition": CREATED,
}
_FILE_WORDS: Final = word_set(
    "file module script class component page document doc test tests suite spec migration template config "
    "fixture schema helper and in for this today since from by with but"
)
_NO_CHANGE: Final = word_set(
    "unchanged untouched unmodified existing not no planned todo tbd pending optional future later if old previously"
)


def mark_kind(match: re.Match[str]) -> ClaimKind | None:
    """What a mark says of its path; None for a rename, which says it of two."""
    mark = match["mark"].upper()
    if mark in _LETTERS:
        return _LETTERS[mark]
    return next(kind for look, kind in _MARKS if look.match(mark))


def read_annotation(text: str, *, done: bool = True) -> ClaimKind | bool | None:
    """What the first words of an annotation say of a file: `new script, …`, `added for the loop`, `+12 -3`.

    False if they say that nothing became of it, None if they say nothing. A verb with an object of its own says what
    was done inside the file.
    """
    text = spell_phrases(text[:_LONGEST_ANNOTATION])
    if _DIFF_STAT.match(text):
        return MODIFIED
    for number, match in enumerate(_ANNOTATION_WORD.finditer(text)):
        word, behind = match.group().lower(), text[match.end() :]
        if word in _NO_CHANGE:
            return False
        verb = find_verb(word)
        asserts = verb is not None and (verb.form is Form.PAST or (done and verb.form in {Form.THIRD, Form.BASE}))
        if word in _STATES:
            return _read_state(_STATES[word], behind)
        if verb is not None and asserts and verb.act in KIND_OF:
            return _read_deed(verb.act, behind)
        if number == _MOST_LEADING or (word not in _LEADING and not word.endswith("ly")):
            break
    return None


def _read_state(kind: ClaimKind, behind: str) -> ClaimKind:
    """New, or a new thing inside."""
    noun = _ANNOTATION_WORD.match(behind, 1) if behind[:1] == " " else None
    return MODIFIED if kind is CREATED and noun and noun.group().lower() not in _FILE_WORDS else kind


def _read_deed(act: Effect, behind: str) -> ClaimKind | None:
    kind = KIND_OF[act]
    if act is Effect.MOVE:
        moved = _MOVED.match(behind)
        return None if moved is None else CREATED if moved[1] == "from" else DELETED
    if act is Effect.CREATE and re.match(r"\s+by\b", behind):
        return None
    return MODIFIED if kind in {CREATED, DELETED} and _OBJECT.match(behind) else kind


_LONGEST_ANNOTATION = 120
_MOST_LEADING = 4
_MOVED: Final = compile_later(r"\W+(to|into|from)\b")
_OBJECT: Final = compile_later(
    r"\s+(?!(?:files?|modules?|scripts?|tests?|in|this|yet|and|for|from|as|to|by|with|because|since|today|again|earlier"
    r"|entirely|completely|instead|via)\b)[`\w]",
    re.IGNORECASE,
)


def is_denied_annotation(text: str) -> bool:
    return _DENIED_BEHIND.match(text) is not None or _NEVER_TRACKED.search(text) is not None


_DENIED_BEHIND: Final = compile_later(
    r"\W*(?:(?:was|were|is|are|has|have|it|been|being)\s+)*(?:not|never|no longer|un(?:changed|touched|modified)"
    r"|no changes?|to (?:be )?\w+|going to|still|stays|should|must|will|would|needs|planned|todo|tbd|pending|missing"
    r"|left (?:alone|as)|\w+n['\u2019]t|cannot|out of scope|does not|do not|did not)\b",
    re.IGNORECASE,
)
_NEVER_TRACKED: Final = compile_later(
    r"\b(?:(?:never|not) (?:committed|checked in|tracked|begun|started)|git-?ignored)\b", re.IGNORECASE
)


def blank_out(text: str) -> str:
    """A text of the same length without what is struck out, commented out, or quoted."""
    if "~~" in text or "<!--" in text:
        text = _STRUCK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    if "othing" in text or "no " in text:
        text = _ONLY.sub(lambda match: " " * len(match.group()), text)
    if _QUOTE_MARK.search(text):
        text = _QUOTED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return text


def is_denied(words: str) -> bool:
    return bool(_NEGATED.search(words))


def begins_with_denial(words: str) -> bool:
    """Whether a name such as `No new files` says that there are none."""
    return bool(_NEGATED.match(words))


def is_planned(words: str) -> bool:
    return bool(_PLANNED.search(words))


def is_assertion(words: str) -> bool:
    """Whether the words before a path (and its verb) assert: no plan, no denial, nobody else's."""
    return not (_NEGATED.search(words) or _PLANNED.search(words) or _OF_OTHERS.search(words))


def is_unfinished(after: str) -> bool:
    """Whether what stands behind a verb of a language that ends in it plans or denies: 作成する予定, 삭제하지 않음."""
    return _UNFINISHED.search(after) is not None


def is_of_earlier(words: str) -> bool:
    """Whether words name a time before this work."""
    return _EARLIER.search(words) is not None


def is_unconditional(words: str) -> bool:
    """Whether the words of a sentence up to a place set no condition."""
    return not _CONDITION.search(words) and not _OF_OTHERS.search(words)


def is_instruction(words: str) -> bool:
    """Whether the words before a path tell a reader to look at it, whatever else is planned."""
    return not (_NEGATED.search(words) or _OF_OTHERS.search(words) or _CONDITION.search(words))


@lru_cache(maxsize=2048)  # documents have the same few headings and fields
def is_silent_heading(name: str) -> bool:
    """Whether what stands under a heading claims nothing about work done."""
    return bool(_SILENT_HEADING.search(name)) and (not _DONE_HEADING.search(name) or bool(_NOT_DONE.search(name)))


def is_marked_done(text: str) -> bool:
    return bool(_DONE_MARK.match(text))


def is_marked_open(text: str) -> bool:
    """Whether an entry begins with a sign that it is still to be done."""
    return bool(_OPEN_MARK.match(text))
