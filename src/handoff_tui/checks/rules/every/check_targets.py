"""The parts of a project file that say how work is checked: make targets, scripts, tables."""

from __future__ import annotations

import json
import re

from handoff_tui.core.lazy_pattern import compile_later

_TARGET = compile_later(r"^(?P<names>[\w./%-]+(?:[ \t]+[\w./%-]+)*)[^\n:=]*:(?![=:])")
_VARIABLE = compile_later(r"^(?:export\s+)?(?P<name>\w+)\s*(?:[:?+]?=|:=)")
_USED = compile_later(r"\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}")


def find_parts(path: str, text: str, target: re.Pattern[str], tables: tuple[str, ...]) -> dict[str, str] | None:
    """Each part by name, as text to compare; nothing where the file cannot be read as what it is."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return _find_scripts(text, target)
    if name == "pyproject.toml":
        return _find_tables(text, tables)
    if name == "setup.cfg":
        return _find_sections(text, tables)
    return _find_targets(text, target)


def _find_targets(text: str, wanted: re.Pattern[str]) -> dict[str, str]:
    """Targets that check, each with its recipe and the variables it uses."""
    blocks: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in text.split("\n"):
        variable, match = _VARIABLE.match(line), _TARGET.match(line)
        if variable is not None:
            variables[variable["name"]] = variables.get(variable["name"], "") + line.strip() + "\n"
        elif match is not None:
            current = [line.strip()]
            for name in match["names"].split():
                if wanted.search(name):
                    blocks.setdefault(name, []).append("")
                    blocks[name] = current
        elif line.strip() and line[:1] in "\t ":
            current.append(line.strip())
    parts: dict[str, str] = {}
    for name, lines in blocks.items():
        body = "\n".join(lines)
        used = sorted({first or second for first, second in _USED.findall(body)})
        parts[f"target {name}"] = body + "".join(
            f"\n{variables[variable]}" for variable in used if variable in variables
        )
    return parts


def _find_scripts(text: str, wanted: re.Pattern[str]) -> dict[str, str] | None:
    try:
        root = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return None
    scripts = root.get("scripts") if isinstance(root, dict) else None
    named = scripts.items() if isinstance(scripts, dict) else ()
    return {f"script {name}": str(command) for name, command in named if wanted.search(name)}


def _find_tables(text: str, tables: tuple[str, ...]) -> dict[str, str] | None:
    import tomllib  # noqa: PLC0415 - few runs compare such a file

    try:
        root: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    parts: dict[str, str] = {}
    for table in tables:
        value = root
        for key in table.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            parts[f"table {table}"] = json.dumps(value, sort_keys=True, default=str)
    return parts


def _find_sections(text: str, tables: tuple[str, ...]) -> dict[str, str] | None:
    import configparser  # noqa: PLC0415 - few runs compare such a file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    wanted = {table.replace("tool.", "tool:") for table in tables}
    return {
        f"section {name}": json.dumps(dict(parser[name]), sort_keys=True)
        for name in parser.sections()
        if name in wanted
    }
