"""Ids of tests taken apart: file, classes, name, parameters; and the names by which people call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


def parse_test_id(identifier: str) -> Identity:
    """Reads `tests/x.py::Class::name[1]`, `tests.x.Class::name` (as JUnit reports have it), and plain names."""
    head, bracket, parameters = identifier.partition("[")
    *scope, name = head.split("::")
    if not name:
        return Identity("", (), identifier)
    file, classes = _split_scope(scope[0]) if scope else ("", ())
    return Identity(file, (*classes, *scope[1:]), name, bracket + parameters)


def list_names(identifier: str, identity: Identity) -> list[str]:
    """The names that mean this test and no other; its bare name is for the caller to judge."""
    inner = (*identity.classes, identity.last)
    names = [identifier, "::".join((identity.file, *inner)), "::".join(inner), ".".join(inner)]
    if identity.file:
        names.append(".".join((_dot(identity.file), *inner)))
    return [name for name in names if name != identity.last] if identity.classes or identity.file else names


def list_containers(identity: Identity) -> list[str]:
    """What the test is a part of, smallest first: the test without parameters, its classes, its file, its folders."""
    containers: list[str] = []
    if identity.parameters:
        bare = identity._replace(parameters="")
        containers.extend(list_names("::".join((bare.file, *bare.classes, bare.name)), bare))
    containers.extend(list_scopes(identity.file, identity.classes))
    return containers


def list_scopes(file: str, classes: tuple[str, ...]) -> list[str]:
    scopes: list[str] = []
    for number in range(len(classes), 0, -1):
        inner = classes[:number]
        scopes += ["::".join((file, *inner)), "::".join(inner), ".".join(inner)]
    if file:
        scopes += [_dot(file), *list_paths(file)]
    return scopes


def list_paths(path: str) -> list[str]:
    """A path, its file name, and every folder above it."""
    parts = path.split("/")
    return [path, parts[-1], *("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))]


def list_live_containers(identifiers: Iterable[str]) -> set[str]:
    """Every container that still has one of these tests."""
    heads: set[str] = set()
    bare: set[str] = set()
    for identifier in identifiers:
        head, bracket, _ = identifier.partition("[")
        heads.add(head.rpartition("::")[0])
        if bracket:
            bare.add(head)
    live = {name for head in bare for name in list_names(head, parse_test_id(head))}
    for scope in heads:
        file, classes = _split_scope(scope.split("::")[0])
        live.update(list_scopes(file, (*classes, *scope.split("::")[1:])))
    return live


def _split_scope(scope: str) -> tuple[str, tuple[str, ...]]:
    """A path stays as it is; `tests.unit.test_x.TestThing` is a module and a class in it."""
    parts = scope.split(".")
    if "/" in scope or len(parts) == 1 or parts[-1] in _FILE_ENDINGS:
        return scope, ()
    classes = list(_take_classes(parts))
    module = parts[: len(parts) - len(classes)]
    return ("/".join(module) + ".py" if module else "", tuple(classes))


def _take_classes(parts: list[str]) -> Iterator[str]:
    start = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
    yield from parts[start:]


def _dot(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")
