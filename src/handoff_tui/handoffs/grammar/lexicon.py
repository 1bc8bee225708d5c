"""The verbs with which people say what became of a file, in all their forms. Pure.

A verb is a word or a phrase (`got rid of`). What a sentence says with it is for `sentences` to judge.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind

CREATED, MODIFIED, DELETED = ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED
READ, DIRTY = ClaimKind.FILE_REFERENCED, ClaimKind.UNCOMMITTED


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


class Effect(StrEnum):
    """What a verb does to its object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    EXTRACT = "extract"
    REPLACE = "replace"
    PUT = "put"
    """Only the place where something was put has changed."""
    REVERT = "revert"
    WRITE_DOWN = "write-down"
    """`is documented in x` points to x; `I documented it in x` changed x."""
    OTHER = "other"


KIND_OF: Final = {
    Effect.CREATE: CREATED,
    Effect.CHANGE: MODIFIED,
    Effect.DELETE: DELETED,
    Effect.MOVE: DELETED,
    Effect.EXTRACT: CREATED,
    Effect.REPLACE: MODIFIED,
}


class Form(StrEnum):
    """A form of a verb: only some of them assert."""

    BASE = "base"
    PAST = "past"
    THIRD = "third"
    GERUND = "gerund"


class Verb(NamedTuple):
    """What a word says, and in which form."""

    act: Effect
    form: Form


_LEMMAS: Final = {
    Effect.CREATE: (
        "create add write introduce generate scaffold author draft contribute produce compose bootstrap craft "
        "prototype stub codify autogenerate"
    ),
    Effect.CHANGE: (
        "modify change update edit refactor touch extend rewrite adjust patch fix rework tweak improve bump migrate "
        "harden simplify correct amend alter revise expand adapt polish restructure reorganise reorganize tidy "
        "wire rewire "
        "hook reformat optimise optimize convert port enhance augment enrich upgrade tighten loosen instrument "
        "annotate trim shorten streamline overhaul repair mend redo implement build finish complete strengthen "
        "parametrise parametrize parameterize inline reorder restyle retune rearrange reshape "
        "rebalance unify consolidate decouple modernise modernize "
        "localise localize correct debug style retype reword rephrase refresh regenerate deduplicate harmonise "
        "harmonize rebuild reimplement generalise generalize flesh deliver enable disable configure reconfigure "
        "clean downgrade teach ship land soften slim relax relabel retitle retarget bolster secure stabilise stabilize"
    ),
    Effect.DELETE: "delete remove drop purge prune retire eliminate nuke erase discard scrap axe bin kill ditch",
    Effect.MOVE: "rename move relocate",
    Effect.COPY: "copy duplicate clone",
    Effect.EXTRACT: "extract split factor",
    Effect.REPLACE: "replace swap",
    Effect.PUT: (
        "put place insert store append register export expose declare define handle cover test centralise fold merge "
        "incorporate integrate inject embed spread sprinkle pull sort"
    ),
    Effect.REVERT: "revert undo restore",
    Effect.WRITE_DOWN: "document describe explain specify record list outline detail capture summarise summarize note",
    Effect.OTHER: (
        "read review run check keep leave see find look use need depend start break pass fail hold take get give "
        "consider discuss decide plan propose suggest verify confirm inspect study skim open ask want mention "
        "reference link point import call rely reuse ignore skip exclude avoid investigate notice spot"
    ),
}
_IRREGULAR: Final = {
    "write": ("wrote", "written", "writing"),
    "rewrite": ("rewrote", "rewritten", "rewriting", "re-wrote", "re-written"),
    "redo": ("redid", "redone", "redoing"),
    "undo": ("undid", "undone", "undoing"),
    "build": ("built", "building"),
    "rebuild": ("rebuilt", "rebuilding"),
    "split": ("split", "splitting"),
    "put": ("put", "putting"),
    "read": ("read", "reading"),
    "run": ("ran", "run", "running"),
    "keep": ("kept", "keeping"),
    "leave": ("left", "leaving"),
    "see": ("saw", "seen", "seeing"),
    "find": ("found", "finding"),
    "break": ("broke", "broken", "breaking"),
    "hold": ("held", "holding"),
    "take": ("took", "taken", "taking"),
    "get": ("got", "getting"),
    "give": ("gave", "given", "giving"),
    "teach": ("taught", "teaching"),
    "spread": ("spread", "spreading"),
}
_NOUNS: Final = {
    Effect.CREATE: "creation addition introduction création ajout creación erstellung creazione aggiunta criação",
    Effect.CHANGE: "modification refactoring modificación anpassung änderung modifica alteração",
    Effect.DELETE: "deletion removal suppression eliminación löschung entfernung rimozione remoção",
}
"""Nouns that say the same of what follows: `removal of x`."""
_OTHER_LANGUAGES: Final = {
    Effect.CREATE: (
        "erstellt angelegt hinzugefügt eingeführt geschrieben créé ajouté créée creado creó creé agregado agregué "
        "agregó añadido añadí añadió creato aggiunto aangemaakt toegevoegd utworzono dodano dodałem dodałam "
        "utworzyłem criado criei adicionado "
        "создан добавлен создал добавил 新建 新增 创建 添加 新規作成 作成 追加 추가 생성"
    ),
    Effect.CHANGE: (
        "retouché geändert angepasst überarbeitet aktualisiert erweitert behoben ergänzt modifié changé corrigé adapté "
        "modificado modificó modifiqué actualizado actualizó actualicé cambiado cambió cambié modificato aggiornato "
        "corretto gewijzigd aangepast bijgewerkt zmieniono zaktualizowano poprawiono "
        "zmieniłem zmieniłam poprawiłem zaktualizowałem alterado alterei atualizado "
        "изменён изменен обновлён обновлен исправлен изменил обновил исправил 修改 更新 变更 変更 修正 수정 변경"
    ),
    Effect.DELETE: (
        "gelöscht entfernt supprimé retiré enlevé eliminado eliminó eliminé borrado borró borré rimosso eliminato "
        "cancellato verwijderd usunięto usunąłem usunęłam "
        "removido removi excluído удалён удален удалил 删除 移除 削除 삭제 제거"
    ),
    Effect.MOVE: (
        "umbenannt verschoben renommé déplacé renombrado movido rinominato spostato hernoemd verplaatst переименован "
        "重命名 移动 移動"
    ),
}
"""Participles and past tenses; what other languages plan is in other forms."""
_ENDINGS: Final = ("", "e", "s", "es", "en", "er", "а", "о", "ы")
_DOUBLED: Final = word_set("drop trim scrap strip swap stub skip plan spot bin ship slim")
_PHRASES: Final = {
    "deleted": (
        r"(?:got|getting|gotten) rid of|did away with|done away with|(?:threw|thrown) (?:away|out)|ripped out"
        r"|took out|taken out"
    ),
    "created": (
        r"(?:knocked|put|pulled|cobbled|slapped|thrown|threw) together|(?:knocked|whipped|drew|drawn|wrote|mocked) up"
        r"|brought in|(?:stood|set|spun) up|stubbed out|dropped in(?=\s+(?:a|an|the)\b)|came up with"
        r"|came (?:into being|to life)"
    ),
    "became": (
        r"(?<=§ )(?:is now(?: called| named)?|turned into|(?:heißt|heisst) (?:jetzt|nun)"
        r"|s['\u2019]appelle (?:maintenant|désormais)|se llama ahora)(?= §)"
    ),
    "was": r"(?:a|ont|ha|han) (?:été|sido)|(?:è|sono) stat[aoie]",
    "changed": (
        r"(?:made|making) (?:(?:some|a few|several|small|minor|the|further|major|the necessary) )*(?:changes?|edits?"
        r"|modifications?|adjustments?|improvements?|tweaks?|fixes?) (?:to|in|on)|worked (?:on|over)|gave (?=§)"
        r"|cleaned up|tidied up|touched up|fleshed out|finished off|checked in|(?:changes?|edits?|modifications?"
        r"|fixes) (?:were |was |have been |has been )?(?:made|applied) (?:to|in)|(?:made|let|got)(?= §)|(?:work"
        r"|changes|edits|fix|action) (?:happened|happens|took place|landed|is all) (?=in )|went into"
        r"|brought(?=[^.;]*? up to date)|(?<=^)fix(?:\([\w-]+\))?:|(?:my|our|the|all) (?:changes?|edits?) (?:are "
        r"|were |is )?(?:confined|limited) to"
    ),
}
"""Phrases, and the verb that says the same."""
PHRASE: Final = compile_later(
    rf"\b(?:{'|'.join(f'(?P<{word}>{look})' for word, look in _PHRASES.items())})", re.IGNORECASE
)

_ANY_PHRASE: Final = compile_later(rf"\b(?:{'|'.join(_PHRASES.values())})")


SIGNS: Final = "|".join(
    sorted(
        (word for words in _OTHER_LANGUAGES.values() for word in words.split() if word > "\u2fff"),
        key=len,
        reverse=True,
    )
)
"""Words of languages that set no spaces between words."""
NEW: Final = word_set(
    "new brand-new fresh neu neue neuer neues neuen nouveau nouvelle nouveaux nouvelles nuevo nueva nuevos "
    "nuevas nuovo "
    "nuova nuovi nuove nieuw nieuwe nowy nowe новый новая новые 新 新規 새"
)


def spell_phrases(text: str) -> str:
    """A text of the same length with one verb in place of each phrase."""
    if not _ANY_PHRASE.search(text.lower()):
        return text  # as most are; without groups and case it is seen at once

    def replace(match: re.Match[str]) -> str:
        return (match.lastgroup or "").ljust(len(match.group()))[: len(match.group())]

    return PHRASE.sub(replace, text)


@cache
def _verbs() -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    for act, lemmas in _LEMMAS.items():
        for lemma in lemmas.split():
            stem = lemma + lemma[-1] if lemma in _DOUBLED else lemma.removesuffix("e")
            past = stem[:-1] + "ied" if lemma[-1] == "y" and lemma[-2] not in "aeiou" else stem + "ed"
            third = past[:-1] + "s" if past.endswith("ied") else lemma + ("es" if lemma[-1] in "shx" else "s")
            forms = _IRREGULAR.get(lemma, (past, stem + "ing"))
            found.setdefault(lemma, Verb(act, Form.BASE))
            found.setdefault(third, Verb(act, Form.THIRD))
            for form in forms:
                found[form] = Verb(act, Form.GERUND if form.endswith("ing") else Form.PAST)
    for act, words in _OTHER_LANGUAGES.items():
        for word in words.split():
            stems = {word + ending for ending in _ENDINGS} | {word[:-1] + ending for ending in ("a", "os", "as", "i")}
            for form in stems if word[-1] == "o" else {word + ending for ending in _ENDINGS}:
                found.setdefault(form, Verb(act, Form.PAST))
    for act, words in _NOUNS.items():
        found.update(dict.fromkeys(words.split(), Verb(act, Form.GERUND)))
    return found


def find_verb(word: str) -> Verb | None:
    """The verb that a word in lower case is a form of; `re-wrote` and `newly-added` count, `auto-generated` doesn't."""
    verbs = _verbs()
    found = verbs.get(word)
    if found is None and "-" in word:
        head, _, rest = word.partition("-")
        found = verbs.get(head + rest) or (verbs.get(rest) if head in {"newly", "freshly", "re", "then"} else None)
    return found
