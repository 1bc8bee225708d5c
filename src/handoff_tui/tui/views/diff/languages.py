"""What the words of a program look like, by language: comments, texts, numbers, and the words that mean something.

Rough on purpose: it colours, and nothing is concluded from it. Each pattern reads a text once, however it was made.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_HASH, _SLASHES, _DASHES = r"\#[^\n]*", r"//[^\n]*", r"--[^\n]*"
_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_MARKUP_COMMENT = r"<!--[\s\S]*?(?:-->|\Z)"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*(?:"|$)'
_SINGLE = r"'(?:[^'\\\n]|\\.)*(?:'|$)"
_CHARACTER = r"'(?:[^'\\\n]|\\.[^'\n]{0,8})'"
_TRIPLE = r'"""[\s\S]*?(?:"""|\Z)' + r"|'''[\s\S]*?(?:'''|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*(?:`|\Z)"
_NUMBER = r"\b\d[\w.]*"
_WORD = r"[^\W\d]\w*"
_DECORATOR = r"@[^\W\d][\w.]*"
_KEY = r"^[ \t]*(?:-[ \t]+)?[\w.\"'-]+(?=[ \t]*[:=])"
_TAG = r"</?[A-Za-z][\w:-]*"
_HEADING = r"^\#{1,6}[ ][^\n]*"
_SECTION = r"^\[[^\]\n]*\]"

_PYTHON = (
    "and as assert async await break case class continue def del elif else except finally for from global if import in "
    "is lambda match nonlocal not or pass raise return try while with yield True False None self"
)
_SCRIPT = (
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export "
    "extends finally for from function get if implements import in instanceof interface let new null of private public "
    "readonly return set static super switch this throw true false try type typeof undefined var void while yield"
)
_C = (
    "auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern "
    "false float for friend if inline int long namespace new nullptr operator private protected public return short "
    "signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual "
    "void volatile while NULL"
)
_JAVA = (
    "abstract as base boolean break by byte case catch class companion const continue data default do double else enum "
    "extends false final finally float for fun get if implements import in init instanceof int interface internal is "
    "long namespace new null object override package private protected public return sealed set short static string "
    "super switch synchronized this throw throws true try typealias using val var void volatile when while yield"
)
_GO = (
    "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil "
    "package range return select struct switch true type var"
)
_RUST = (
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move "
    "mut pub ref return self Self static struct super trait true type unsafe use where while"
)
_SWIFT = (
    "as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false "
    "for func guard if import in init inout is let nil operator private protocol public return self static struct "
    "super switch throw throws true try typealias var where while pub comptime fn const error orelse"
)
_RUBY = (
    "alias and begin break case class def defined do else elsif end ensure false fn for if in module next nil not or "
    "raise redo rescue retry return self super then true undef unless until when while yield defmodule use import "
    "function local repeat"
)
_SHELL = "case do done elif else esac export fi for function if in local readonly return set then unset until while"
_PHP = _SCRIPT + " echo elseif foreach function global namespace require require_once use print array isset empty"
_SQL = (
    "add all alter and as asc begin between by case check column commit constraint create default delete desc distinct "
    "drop else end exists foreign from full group having if in index inner insert into is join key left like limit not "
    "null on or order outer primary references right rollback select set table then union unique update values view "
    "when where with"
)


class Language(NamedTuple):
    """Patterns by what they show, and words."""

    comments: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    keywords: str = ""
    any_case: bool = False


_C_COMMENTS, _C_TEXTS = (_SLASHES, _BLOCK), (_DOUBLE, _CHARACTER)
_LANGUAGES: dict[str, Language] = {
    "py pyi": Language((_HASH,), (_TRIPLE, _DOUBLE, _SINGLE), (_DECORATOR,), (), _PYTHON),
    "js mjs cjs jsx ts tsx mts": Language(_C_COMMENTS, (_DOUBLE, _SINGLE, _BACKTICK), (_DECORATOR,), (), _SCRIPT),
    "c h cc cpp cxx hpp hh": Language(_C_COMMENTS, _C_TEXTS, (), (r"^[ \t]*\#[^\n]*",), _C),
    "java kt cs scala dart groovy": Language(_C_COMMENTS, (_TRIPLE, *_C_TEXTS), (_DECORATOR,), (), _JAVA),
    "go": Language(_C_COMMENTS, (*_C_TEXTS, _BACKTICK), (), (), _GO),
    "rs": Language(_C_COMMENTS, _C_TEXTS, (), (), _RUST),
    "swift zig": Language(_C_COMMENTS, (_TRIPLE, *_C_TEXTS), (_DECORATOR,), (), _SWIFT),
    "rb rake ex exs lua": Language((_HASH, _DASHES), (_TRIPLE, _DOUBLE, _SINGLE), (), (), _RUBY),
    "sh bash zsh": Language((r"(?:^|(?<=\s))\#[^\n]*",), (_DOUBLE, _SINGLE), (), (), _SHELL),
    "php": Language((*_C_COMMENTS, _HASH), (_DOUBLE, _SINGLE), (), (), _PHP),
    "sql": Language((_DASHES, _BLOCK), (_SINGLE,), (), (), _SQL, any_case=True),
    "css scss": Language(_C_COMMENTS, (_DOUBLE, _SINGLE), (r"[\w-]+(?=[ \t]*:)",)),
    "json": Language((), (_DOUBLE,), (), (), "true false null"),
    "yml yaml": Language((r"(?:^|(?<=\s))\#[^\n]*",), (_DOUBLE, _SINGLE), (_KEY,), (), "true false null yes no"),
    "toml ini cfg": Language((_HASH,), (_TRIPLE, _DOUBLE, _SINGLE), (_KEY,), (_SECTION,), "true false"),
    "html htm xml svg": Language((_MARKUP_COMMENT,), (_DOUBLE, _SINGLE), (_TAG,)),
    "md markdown": Language((_MARKUP_COMMENT,), (_BACKTICK,), (), (_HEADING,)),
    "makefile mk dockerfile": Language((_HASH,), (_DOUBLE, _SINGLE), (r"^[\w.%/-]+(?=[ \t]*:)",), (), _SHELL),
}
_BY_ENDING = {ending: language for endings, language in _LANGUAGES.items() for ending in endings.split()}
_DEFINING = frozenset(
    {
        *("class", "def", "defmodule", "enum", "fn", "fun", "func", "function", "impl", "interface"),
        *("module", "mod", "struct", "trait", "type"),
    }
)
"""After these words stands a name."""

_WHOLE_NAMES = frozenset({"makefile", "dockerfile"})

Word = tuple[int, int, str]


def find_language(path: str) -> Language | None:
    """By the ending of a file's name, or by the name itself."""
    name = path.rpartition("/")[2].lower()
    return _BY_ENDING.get(name.rpartition(".")[2]) if "." in name or name in _WHOLE_NAMES else None


def find_words(language: Language, text: str) -> list[Word]:
    """From the first character to behind the last, and the role: of everything in a text that has one."""
    keywords = _list_keywords(language)
    found: list[Word] = []
    defines = False
    for match in _compile(language).finditer(text):
        role = match.lastgroup
        if role == "word":
            word = match.group()
            role = "keyword" if (word.lower() if language.any_case else word) in keywords else "name" if defines else ""
            defines = word in _DEFINING and role == "keyword"
        if role:
            found.append((*match.span(), f"syntax-{role}"))
    return found


@cache
def _compile(language: Language) -> re.Pattern[str]:
    groups = (
        ("comment", language.comments),
        ("keyword", language.headings),
        ("name", language.names),
        ("string", language.texts),
        ("number", (_NUMBER,)),
        ("word", (_WORD,)),
    )
    parts = [f"(?P<{name}>{'|'.join(patterns)})" for name, patterns in groups if patterns]
    return re.compile("|".join(parts), re.MULTILINE)


@cache
def _list_keywords(language: Language) -> frozenset[str]:
    return frozenset(language.keywords.split())
