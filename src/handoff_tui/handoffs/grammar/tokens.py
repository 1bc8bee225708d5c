"""What a word stands for: a file of the repository, a commit, a hash; or something that only looks like one. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later

_LETTER: Final = compile_later(r"[A-Za-z]")

HASH: Final = compile_later(r"\b(sha256:)?([0-9a-fA-F]{64})\b")
COMMIT: Final = compile_later(r"(?<![0-9A-Za-z/#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}(?![0-9A-Za-z-])")
CODE_SPAN: Final = compile_later(r"`([^`\n]+)`")
_PATH: Final = compile_later(r"^\.{0,2}/?[\w@+~.-]+(?:/[\w@+~.\[\]() -]+)*/?$")
_PATH_TAIL: Final = compile_later(r"(?::\d+(?:[-,:]\d+)*|#L\d+(?:-L?\d+)?)$")
_EXTENSION: Final = compile_later(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_REMOTE: Final = compile_later(r"^(?:origin|upstream|refs|remotes|heads)/")
_ALIAS: Final = compile_later(r"^(?:@|~|#)/|^@[\w.-]+/[\w.-]+$")
_VERSION: Final = compile_later(r"^v?\d+(?:\.\d+)+(?:[-+.]\w+)*$")
_PLACEHOLDER: Final = compile_later(
    r"(?:^|[/_.-])(?:X{2,}|N{2,}|Y{2,}|x{3,}|n{3,}|\d*X\d*|NN?-PP?)(?:[/_.-]|$)|(?:^|/)path/to/|\.\.\.|…|(?:^"
    r"|[/_-])your[-_]|YYYY|(?:^|/)(?:foo|bar|baz)\.|\[[^\]]*\]\.",
)
_HOST: Final = compile_later(
    r"^(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|co|cloud|local|internal|edu|gov|xyz|de|uk|eu|fr|us)(?:[:/].*)?$"
)
_GENERATED: Final = compile_later(
    r"(?:^|/)(?:node_modules|dist|build|target|coverage|__pycache__|\.next|\.venv|venv|\.cache|\.pytest_cache)(?:/|$)"
)
_KNOWN_ENDINGS: Final = frozenset(
    (  # noqa: SIM905 - a list would take a line for each
        "adoc astro bash bat c cc cfg cjs clj cmake conf cpp cs css csv cu dart db diff dockerfile ejs env erl ex "
        "exs fish go gradle graphql h hbs hpp hs htm html ico ini ipynb java jinja jpeg jpg js json json5 jsonl "
        "jsx kt kts less lock log lua m md mdx mjs mk ml mod mts mustache nim nix patch pdf php pl plist png po "
        "prisma proto ps1 py pyi pyx r rb rs rst rules sass scala scss service sh sol sql sqlite sum svelte svg "
        "swift tar tex tf tfvars tgz toml ts tsv tsx txt vb vim vue wasm wat webp xml yaml yml zig zip zsh gz "
        "gitignore dockerignore editorconfig "
    ).split()
)
_HIDDEN_FILES: Final = frozenset({"gitignore", "dockerignore", "editorconfig"})
_KNOWN_NAMES: Final = frozenset(
    {"makefile", "dockerfile", "procfile", "gemfile", "rakefile", "license", "justfile", "jenkinsfile", "vagrantfile"}
)
_PRODUCT: Final = compile_later(
    r"^(?:node|next|vue|three|d3|express|react|nuxt|chart|ember|backbone|discord|socket|moment|day|alpine|solid|p5"
    r"|babel|require|handlebars|underscore|knockout|mocha|jquery|electron|nest|math|anime|pixi|matter|hapi|koa|sails"
    r"|meteor|lit|tensorflow|brain|asp|draw|bit|crates|fly|pkg|cal|plot|tone|paper|fabric|leaflet|preact|redux|deck"
    r"|video|plyr)\.(?:js|ts|io|net|rs|com|py)$",
    re.IGNORECASE,
)
"""Products that are named like files."""
_LONGEST_PATH = 300


def canonical_hash(text: str) -> str:
    """`sha256:<64 lower-case hex>` of a value that is one; any other text unchanged."""
    match = HASH.search(text)
    return f"sha256:{match.group(2).lower()}" if match else text


def find_commits(text: str) -> list[str]:
    """Abbreviated or full commit ids: hex words of 7 to 40 characters with a digit and a letter."""
    return COMMIT.findall(text)


def find_paths(text: str) -> list[str]:
    """Paths in code spans: something with a slash or an extension, without spaces at its ends or placeholders."""
    return [path for span in CODE_SPAN.findall(text) if (path := clean_path(span)) is not None]


@lru_cache(maxsize=8192)
def clean_path(text: str) -> str | None:
    """A path of the repository, with a slash or a known ending.

    None for anything else: an address or host, a command, a pattern or placeholder, a ref, a version, an alias, a
    package, or a place where only generated files lie.
    """
    candidate = _PATH_TAIL.sub("", text.strip())
    if candidate[:1] == "+" and "/" in candidate:
        candidate = candidate[1:]  # as in a diff
    if not candidate or len(candidate) > _LONGEST_PATH or " " in candidate:
        return None
    if (
        "://" in candidate
        or any(mark in candidate for mark in "<>{}$*?|\\\"'=,;")
        or candidate.startswith(("-", "/", "~"))
        or not _PATH.match(candidate)
    ):
        return None
    candidate = candidate.removeprefix("./")
    parts = candidate.split("/")
    if candidate.startswith(".") and candidate[1:] in _KNOWN_ENDINGS - _HIDDEN_FILES:
        return None
    if ".." in parts or not _LETTER.search(candidate) or not ("/" in candidate or has_file_name(candidate)):
        return None
    if any(look.search(candidate) for look in (_REMOTE, _ALIAS, _VERSION, _PLACEHOLDER, _HOST, _GENERATED)):
        return None
    return candidate


def is_bare_name(name: str) -> bool:
    """Whether a word of a sentence is the name of a file, and not that of a product."""
    return has_file_name(name) and not _PRODUCT.match(name)


def has_file_name(path: str) -> bool:
    """Whether the last part of a path is named as files are; `api/users` may be many other things."""
    name = path.rstrip("/").rpartition("/")[2]
    if name.lower() in _KNOWN_NAMES:
        return True
    ending = _EXTENSION.search(name)
    return ending is not None and ending.group()[1:].lower() in _KNOWN_ENDINGS


def is_surely_path(path: str) -> bool:
    """Whether a word can be nothing but a file or a folder."""
    return has_file_name(path) or (path.endswith("/") and "[" not in path)
