"""Ids of tests taken apart: file, classes, name, parameters; and the names by which people call them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

_FILE_ENDINGS: Final = frozenset({"py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "rb", "php", "sh", "bats", "t", "exs"})


class Identity(NamedTuple):
    """A test's id in parts, whether it was written as a path or with dots."""

    file: str
    """Empty where the id names none."""
    classes: tuple[str, ...]
    name: str
    parameters: str = ""
    """With their brackets."""

    @property
    def last(self) -> str:
        return self.name + self.parameters


def cut_last(identifier: str) -> tuple[str, str]:
    """The scope of a test and its name without parameters."""
    scope, _, name = identifier.partition("[")[0].rpartition("::")
    return scope, name


def parse_test_id(identifier: str) -> Identity:
    """Reads `tests/x.py::Class::name[1]`, `tests.x.Class::name` (as JUnit reports have it), and plain names."""
    scope, name = cut_last(identifier)
    file, classes = parse_scope(scope)
    _, bracket, parameters = identifier.partition("[")
    return Identity(file, classes, name, bracket + parameters)


def parse_scope(scope: str) -> tuple[str, tuple[str, ...]]:
    """File and classes. A path stays as it is; `tests.unit.test_x.TestThing` is a module and a class in it."""
    first, *rest = scope.split("::")
    parts = first.split(".")
    if "/" in first or len(parts) == 1 or parts[-1] in _FILE_ENDINGS:
        return first, tuple(rest)
    start = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
    file = "/".join(parts[:start]) + ".py" if start else ""
    return file, (*parts[start:], *rest)


def list_names(identifier: str, identity: Identity) -> list[str]:
    """The names that mean this test and no other; its bare name is for the caller to judge."""
    inner = (*identity.classes, identity.last)
    names = [identifier, "::".join((identity.file, *inner)), "::".join(inner), ".".join(inner)]
    if identity.file:
        names.append(".".join((_dot(identity.file), *inner)))
    return [name for name in names if name != identity.last] if identity.classes or identity.file else [identifier]


def list_scopes(file: str, classes: tuple[str, ...]) -> list[str]:
    """What a test is a part of, smallest first: its classes, its file, its folders."""
    scopes: list[str] = []
    for number in range(len(classes), 0, -1):
        inner = classes[:number]
        scopes += ["::".join((file, *inner)), "::".join(inner), ".".join(inner)]
    if file:
        scopes += [_dot(file), *list_paths(file)]
    return scopes


def list_paths(path: str) -> list[str]:
    """A path, its file name, and every folder above it, with and without a slash behind it."""
    parts = path.split("/")
    folders = ("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))
    return [path, parts[-1], *(name for folder in folders for name in (folder, f"{folder}/"))]


def list_live_containers(identifiers: Iterable[str]) -> set[str]:
    """Every container that still has one of these tests; a test with parameters is the container of its cases."""
    scopes: set[str] = set()
    live: set[str] = set()
    for identifier in identifiers:
        scope, name = cut_last(identifier)
        scopes.add(scope)
        if "[" in identifier:
            file, classes = parse_scope(scope)
            live.update(list_names(identifier.partition("[")[0], Identity(file, classes, name)))
    for scope in scopes:
        live.update(list_scopes(*parse_scope(scope)))
    return live


def _dot(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")
