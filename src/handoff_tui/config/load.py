"""Settings found and merged: defaults, then the user's file, then the repository's, with the origin of each."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handoff_tui.config.layer import (
    Layer,
    SettingRow,
    find_foreign_values,
    find_leaves,
    join_path,
    merge_tables,
    parse_layer,
)
from handoff_tui.config.nearest import shorten, suggest
from handoff_tui.config.presets import fill_in
from handoff_tui.config.settings.root import Settings
from handoff_tui.config.settings.user import USER_ONLY
from handoff_tui.core.classes import dataclass, field, replace
from handoff_tui.core.errors import ConfigError, HandoffError, RepositoryError
from handoff_tui.core.restored import read_table
from handoff_tui.git.repository import open_repository
from handoff_tui.system.files.named_files import find_config_folder, read_optional, read_user_file, shorten_home
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.installation import read_shipped_text

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


_DICT_KEY = "[key]"
"""What pydantic adds to the location of an error in a table's key."""

_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text in quotes",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "enum": "one of {expected}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "of the form {pattern}",
    "string_too_short": "a text that is not empty",
    "too_short": "a list with at least {min_length} entry",
}


def describe_problem(error: ErrorDetails) -> tuple[str, str]:
    """The dotted key and a sentence about it."""
    path = tuple(part for part in error["loc"] if part != _DICT_KEY)
    key = join_path(path)
    kind = error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "extra_forbidden":
        from handoff_tui.config.schema import find_names  # noqa: PLC0415 - few files have mistakes

        return key, f"{key} is unknown; {suggest(str(path[-1]), find_names(path[:-1]))}"
    if kind == "missing":
        return key, f"{key} is missing"
    if kind == "value_error":
        return key, f"{key}: {context['error']}"
    expected = _EXPECTED.get(kind)
    if expected is None:
        return key, f"{key}: {error['msg']}, is {shorten(error['input'])}"
    return key, f"{key} should be {expected.format(**context)}, is {shorten(error['input'])}"


REPOSITORY_FILE = "handoff-tui.toml"
AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""What agents' programs read in a repository."""
USER_FILE = "config.toml"
MAX_BYTES = 256 * 1024
DEFAULT = "default"
"""The origin of a value that no file sets."""

_USUAL_USER_FILE = "~/.config/handoff-tui/config.toml"
_PROBLEMS_SHOWN = 20
_SCOPES = "scopes"
_SEVERITIES = ("low", "medium", "high", "critical")


@dataclass(frozen=True)
class LoadedSettings:
    """Settings and where each was set; what few commands need is computed on demand."""

    settings: Settings
    usual: Settings
    """The settings without the repository's file: the defaults and the user's file."""
    layers: tuple[Layer, ...] = field(default=(), compare=False)
    """The files that were read, the last of which wins."""
    refused: ConfigError | None = field(default=None, compare=False)
    """Why the repository's file is not used. Then these settings are only for reading, and every gate is closed."""

    @property
    def refused_shortly(self) -> str:
        """The first problem of the repository's file; empty if there is none."""
        return self.refused.message.partition("\n")[0] if self.refused else ""

    def refuse_judging(self) -> None:
        """Raises if the repository's file is wrong: nothing is checked or decided with other settings."""
        if self.refused is not None:
            raise ConfigError(self.refused.message, self.refused.hint)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Dotted key to `default`, or to the file and line that set it."""
        said = [(layer, {key for key, _ in find_leaves(layer.table)}) for layer in self.layers]
        return {
            key: next((layer.place(key) for layer, keys in reversed(said) if key in keys), DEFAULT)
            for key, _ in find_leaves(self._table)
        }

    @cached_property
    def without_user(self) -> Settings:
        """The settings without the user's own file."""
        return _validate_together([layer for layer in self.layers if layer.name == REPOSITORY_FILE])

    @cached_property
    def _table(self) -> dict[str, object]:
        return self.settings.model_dump(mode="json")

    def rows(self) -> list[SettingRow]:
        """Every setting, in the order of declaration."""
        return [SettingRow(key, value, self.origins[key]) for key, value in find_leaves(self._table)]


def read_first_file() -> str:
    """Returns the `handoff-tui.toml` that `init` writes: only comments, to begin with."""
    return read_shipped_text("config/first_file.toml")


def load_settings(root: Path | None) -> LoadedSettings:
    """The settings for a repository, or without one."""
    try:
        repository = read_optional(FileReader(root, MAX_BYTES), REPOSITORY_FILE) if root else None
    except HandoffError as unreadable:
        raise _build_unreadable(unreadable) from unreadable
    return load_settings_with(repository)


def load_settings_to_look(root: Path | None) -> LoadedSettings:
    """The settings for reading only: if the repository's file is wrong, those without it, and why."""
    try:
        return load_settings(root)
    except ConfigError as wrong:
        return replace(load_settings(None), refused=wrong)


def load_settings_with(repository: bytes | None) -> LoadedSettings:
    """The settings when the repository's file has this content, which may come from any commit."""
    folder = find_config_folder()
    user_path = folder / USER_FILE if folder else None
    user_name = shorten_home(user_path) if user_path else _USUAL_USER_FILE
    try:
        user = read_user_file(user_path, MAX_BYTES) if user_path else None
    except HandoffError as unreadable:
        raise _build_unreadable(unreadable) from unreadable
    return build_settings(user, repository, user_name)


def _build_unreadable(unreadable: HandoffError) -> ConfigError:
    return ConfigError(unreadable.message, f"A configuration file is a regular file of at most {MAX_BYTES:,} bytes.")


def build_settings(user: bytes | None, repository: bytes | None, user_name: str = _USUAL_USER_FILE) -> LoadedSettings:
    """The settings from the contents of the files; the repository's may come from any commit."""
    layers: list[Layer] = []
    problems: list[str] = []
    if user is not None:
        layer, refused = _refuse_shared(parse_layer(user, user_name))
        layers.append(layer)
        problems += refused
    if repository is not None:
        layer, refused = _refuse_personal(parse_layer(repository, REPOSITORY_FILE), user_name)
        layers.append(layer)
        problems += refused
    for layer in layers:
        problems += _find_problems(layer)
    if problems:
        raise _build_error(problems)
    settings = _validate_together(layers)
    usual = settings if repository is None else _validate_together(layers[:-1])
    return LoadedSettings(settings, usual, tuple(layers))


def _refuse_personal(layer: Layer, user_name: str) -> tuple[Layer, list[str]]:
    """A repository is untrusted: it can't set what only the user's file may set."""
    refused = [
        f"{layer.place(key)}: {key} cannot be set by a repository; put it into {user_name}"
        for key in USER_ONLY
        if key in layer.table
    ]
    table = {key: value for key, value in layer.table.items() if key not in USER_ONLY}
    return layer._replace(table=table), refused


def _refuse_shared(layer: Layer) -> tuple[Layer, list[str]]:
    """What a decision is about must be the same for everybody, so one person's file can't set it."""
    if _SCOPES not in layer.table:
        return layer, []
    refused = f"{layer.place(_SCOPES)}: {_SCOPES} can only be set by a repository; put it into {REPOSITORY_FILE}"
    return layer._replace(table={key: value for key, value in layer.table.items() if key != _SCOPES}), [refused]


def _find_problems(layer: Layer) -> list[str]:
    """What is wrong with one file on its own, so that no other file hides it."""
    foreign = list(find_foreign_values(layer))
    found = [(key, f"{key} {text}") for key, text in foreign]
    try:
        _validate(_merge([layer]))
    except ValueError as invalid:
        already = {key for key, _ in foreign}
        found += [(key, text) for key, text in _describe_all(invalid) if key not in already]
    found.sort(key=lambda problem: (layer.find_line(problem[0]) or 0, problem))
    return [f"{layer.place(key)}: {text}" for key, text in found]


def _validate_together(layers: list[Layer]) -> Settings:
    """Files that are right on their own can still contradict each other: edges in one, phases in the other."""
    if not layers:
        return Settings.model_construct()
    merged = _merge(layers)
    for layer in layers:
        if layer.name != REPOSITORY_FILE:
            _keep_stricter(merged, layer.table)
    try:
        return _validate(merged)
    except ValueError as invalid:
        names = " and ".join(layer.name for layer in layers)
        raise _build_error([f"{names} together: {problem}" for _, problem in _describe_all(invalid)]) from invalid


def _merge(layers: list[Layer]) -> dict[str, Any]:
    """What the files say of the settings that they name, over the defaults of these."""
    merged = Settings().model_dump(mode="json", include={key for layer in layers for key in layer.table})
    for layer in layers:
        merged = merge_tables(merged, layer.table)
    return merged


def _describe_all(invalid: ValueError) -> list[tuple[str, str]]:
    from pydantic import ValidationError  # noqa: PLC0415 - loaded by the validation

    if not isinstance(invalid, ValidationError):
        raise invalid
    return [describe_problem(error) for error in invalid.errors(include_url=False)]


def _keep_stricter(merged: dict[str, Any], own: dict[str, Any]) -> None:
    """What a person's own file demands of checks holds, whatever the repository's says."""
    for name, demanded in own.get("checks", {}).items():
        check = merged["checks"][name]
        for switch in ("enabled", "blocking"):
            if demanded.get(switch) is True:
                check[switch] = True
        if _find_rank(demanded.get("severity")) > _find_rank(check.get("severity")):
            check["severity"] = demanded["severity"]
    if demanded := own.get("check_run", {}).get("blocking_severities"):
        present = merged["check_run"]["blocking_severities"]
        present += [severity for severity in demanded if severity not in present]


def _find_rank(severity: object) -> int:
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else -1


def _validate(table: dict[str, object]) -> Settings:
    """Strictly, as JSON: a text is never taken for a number, while lists and words become tuples and enums."""
    agents = table.get("agents")
    if isinstance(agents, dict):
        known = {name: fill_in(agent) if isinstance(agent, dict) else agent for name, agent in agents.items()}
        table = {**table, "agents": known}
    with suppress(ValueError):  # pydantic says what is wrong, or takes it after all
        return read_table(Settings, table)
    return Settings.model_validate_json(json.dumps(table, default=str), strict=True)


def _build_error(problems: list[str]) -> ConfigError:
    shown = problems[:_PROBLEMS_SHOWN]
    if len(problems) > len(shown):
        shown.append(f"and {len(problems) - len(shown)} more")
    return ConfigError("\n".join(shown), "`handoff-tui config schema` lists every setting and what it takes.")


def read_settings(start: Path, *, required: bool) -> LoadedSettings:
    """The settings for a folder. Outside a repository only the user's file counts, unless a repository is required."""
    try:
        root = open_repository(start).root
    except RepositoryError:
        if required:
            raise
        root = None
    return load_settings(root)
