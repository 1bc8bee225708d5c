"""Finds out whether CI and agent prompts run the checks, and whether anything calls the repository's own scripts."""

from __future__ import annotations

from handoff_tui.checks.facts.script_calls import Call, find_calls, find_toothless
from handoff_tui.checks.hooks.doctor_report import Diagnosis
from handoff_tui.config.settings.root import Mosaic
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.place import Place
from handoff_tui.system.files.probe import is_present, list_named
from handoff_tui.system.files.reader import FileReader, decode_text

_CI_PLACES = (
    *(".github/workflows", ".gitlab-ci.yml", "Jenkinsfile", ".circleci", "azure-pipelines.yml"),
    *("azure-pipelines.yaml", "bitbucket-pipelines.yml", ".travis.yml", ".ci"),
)
_CI_ENDINGS = (".yml", ".yaml", ".sh", "Jenkinsfile", "/run")
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_PROMPTS = (
    *("CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md", "AI_AGENT_PROMPT.md", ".cursorrules", "GEMINI.md"),
)
_GIT_FOLDER = ".git/"
_CALL = "handoff-tui check --pre"


class RepositoryTexts:
    """Reads text files of the repository once each. Unreadable files count as absent and are remembered."""

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader
        self._read: dict[str, str | None] = {}
        self.unreadable: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        if path not in self._read:
            self._read[path] = self._load(path)
        return self._read[path]

    def has(self, path: str) -> bool:
        return is_present(self._reader.root, path)

    def list_below(self, places: tuple[str, ...]) -> list[str]:
        return list_named(self._reader.root, places)

    def _load(self, path: str) -> str | None:
        if not self.has(path):
            return None
        try:
            return decode_text(self._reader.read_bytes(path)).text
        except HandoffError as refused:
            self.unreadable[path] = refused.message
            return None


def diagnose_ci(texts: RepositoryTexts, scripts: tuple[str, ...]) -> Diagnosis:
    """Diagnoses whether CI runs the checks, directly or through make, and fails when they do."""
    files = list_ci(texts)
    calls = _collect(texts, files, scripts)
    through = _collect(texts, [path for path in _MAKEFILES if texts.has(path)], scripts)
    if calls or not through:
        return _weigh_ci(texts, files, calls)
    makers = [Place(path=path, line=line) for path in files if (line := _find_make(texts.read(path) or ""))]
    if makers:
        return _weigh_ci(texts, files, through, tuple(makers))
    evidence = tuple(place for place, _ in through)
    message = "the Makefile runs the checks, but no CI file runs make"
    return Diagnosis.unknown("ci", message, evidence)


def diagnose_prompts(texts: RepositoryTexts, mosaic: Mosaic, scripts: tuple[str, ...]) -> tuple[Diagnosis, ...]:
    """Diagnoses each agent prompt, because each agent reads only its own."""
    prompts = [path for path in list_prompts(mosaic) if texts.has(path)]
    if not prompts:
        message = f"there is no agent prompt (looked for {', '.join(_PROMPTS)})"
        commands = (f"echo 'Before you hand over, run `{_CALL}` and fix what it reports.' >> AGENTS.md",)
        return (Diagnosis.missing("agent-prompt", message, commands=commands),)
    mentions = {path: find_calls(texts.read(path) or "", scripts, prose=True) for path in prompts}
    return tuple(_diagnose_prompt(texts, path, mentions) for path in prompts)


def diagnose_own_scripts(texts: RepositoryTexts, mosaic: Mosaic, hooks: dict[str, str]) -> tuple[Diagnosis, ...]:
    """Diagnoses whether anything calls the repository's own scripts. `hooks` maps paths to hook texts."""
    if not texts.has(mosaic.folder):
        return ()
    return (
        _diagnose_script("mosaic-validation", texts, mosaic, mosaic.validation_script, hooks),
        _diagnose_script("mosaic-session-gate", texts, mosaic, mosaic.session_gate_script, hooks),
    )


def list_prompts(mosaic: Mosaic) -> tuple[str, ...]:
    """Returns the places to look for prompts, without the git hooks among the configured ones."""
    configured = (path for path in mosaic.wiring_places if not path.startswith(_GIT_FOLDER))
    return tuple(dict.fromkeys((*_PROMPTS, *configured)))


def list_ci(texts: RepositoryTexts) -> list[str]:
    """Returns the files that configure CI."""
    return [path for path in texts.list_below(_CI_PLACES) if path.endswith(_CI_ENDINGS)]


def _collect(texts: RepositoryTexts, paths: list[str], scripts: tuple[str, ...]) -> list[tuple[Place, Call]]:
    return [
        (Place(path=path, line=call.line), call)
        for path in paths
        for call in find_calls(texts.read(path) or "", scripts)
    ]


def _find_make(text: str) -> int | None:
    lines = (line.strip().removeprefix("- ").removeprefix("run:").split() for line in text.splitlines())
    return next((number for number, words in enumerate(lines, 1) if words[:1] == ["make"]), None)


def _weigh_ci(
    texts: RepositoryTexts, files: list[str], calls: list[tuple[Place, Call]], makers: tuple[Place, ...] = ()
) -> Diagnosis:
    if not calls:
        looked = ", ".join(files) if files else "found no CI files"
        message = f"CI doesn't run the checks ({looked}); add a step that runs this:"
        return Diagnosis.missing("ci", message, commands=(_CALL,))
    evidence = (*(place for place, _ in calls), *makers)
    if all(call.shrug for _, call in calls):
        message = f"CI runs the checks, but {calls[0][1].shrug}"
        return Diagnosis.missing("ci", message, evidence, (_CALL,))
    for path in dict.fromkeys(place.path for place in evidence):
        line = find_toothless(texts.read(path) or "")
        if line is not None:
            message = "CI runs the checks, but ignores the failure of a step; see whether it is this one"
            places = (*evidence, Place(path=path, line=line))
            return Diagnosis.unknown("ci", message, places)
    return Diagnosis.ok("ci", "CI runs the checks", evidence)


def _diagnose_prompt(texts: RepositoryTexts, path: str, mentions: dict[str, list[Call]]) -> Diagnosis:
    name = f"agent-prompt:{path}"
    if path in texts.unreadable:
        return Diagnosis.unknown(name, texts.unreadable[path], (Place(path=path),))
    calls = mentions[path]
    evidence = tuple(Place(path=path, line=call.line) for call in calls)
    if any(not call.shrug for call in calls):
        return Diagnosis.ok(name, f"{path} tells agents to run the checks", evidence)
    if calls:
        message = f"{path} mentions the checks, but seems to say not to run them"
        return Diagnosis.unknown(name, message, evidence)
    for other, theirs in mentions.items():
        line = _find_import(texts.read(path) or "", other)
        if line is not None and any(not call.shrug for call in theirs):
            places = (Place(path=path, line=line), *(Place(path=other, line=call.line) for call in theirs))
            message = f"{path} includes {other}, which tells agents to run the checks"
            return Diagnosis.ok(name, message, places)
    command = f"echo 'Before you hand over, run `{_CALL}` and fix what it reports.' >> {path}"
    return Diagnosis.missing(name, f"{path} doesn't tell agents to run the checks", (Place(path=path),), (command,))


def _find_import(text: str, other: str) -> int | None:
    """Returns the line `@OTHER` that includes another prompt; None if there is none."""
    lines = (line.strip().removeprefix("- ") for line in text.splitlines())
    return next((number for number, line in enumerate(lines, 1) if line in {f"@{other}", f"@./{other}"}), None)


def _diagnose_script(name: str, texts: RepositoryTexts, mosaic: Mosaic, path: str, hooks: dict[str, str]) -> Diagnosis:
    if not texts.has(path):
        message = f"{path} doesn't exist, although {mosaic.folder}/ does"
        commands = ("handoff-tui config show --origins",)
        return Diagnosis.missing(name, message, commands=commands)
    runners = {file: texts.read(file) or "" for file in (*list_ci(texts), *_MAKEFILES)} | hooks
    prompts = {file: texts.read(file) or "" for file in list_prompts(mosaic)}
    calls = [(file, call) for file, text in runners.items() for call in find_calls(text, (path,), ours=False)]
    calls += [
        (file, call) for file, text in prompts.items() for call in find_calls(text, (path,), ours=False, prose=True)
    ]
    evidence = (Place(path=path), *(Place(path=file, line=call.line) for file, call in calls if not call.shrug))
    if len(evidence) > 1:
        return Diagnosis.ok(name, f"{path} exists and is called", evidence)
    message = f"{path} exists, but no hook, CI file or prompt calls it"
    commands = (f"echo 'Before you hand over, run `{path}`.' >> AGENTS.md",)
    return Diagnosis.missing(name, message, evidence, commands)
