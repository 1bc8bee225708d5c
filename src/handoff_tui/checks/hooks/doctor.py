"""Finds out whether the checks are really enforced. Runs nothing of the repository and writes nothing."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.facts.script_calls import Call, find_calls
from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing, TerminalFacts
from handoff_tui.checks.hooks.doctor_texts import (
    RepositoryTexts,
    diagnose_ci,
    diagnose_own_scripts,
    diagnose_prompts,
    list_ci,
)
from handoff_tui.checks.hooks.hook_files import (
    CALL,
    FoundHook,
    HookCondition,
    HookName,
    read_hook,
    read_hook_file,
    render_hook,
)
from handoff_tui.checks.hooks.hooks import HooksFolder, find_hooks_folder
from handoff_tui.checks.run.commands import read_consent
from handoff_tui.config.load import REPOSITORY_FILE, LoadedSettings, load_settings
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ConfigError, HandoffError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.text.labels import plural
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key, list_exposed
from handoff_tui.git.signing.signing_key import SigningKey, read_identity, read_local_keys, read_signing_key
from handoff_tui.git.work_tree.unseen import find_locally_excluded
from handoff_tui.handoffs.session import Session
from handoff_tui.log.open_log import PIN_VARIABLE, find_policy, open_log
from handoff_tui.log.policy.faults import find_keys_together
from handoff_tui.log.policy.policy import Policy, Wall
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.installation import find_on_path, find_python, is_program, read_version_beside
from handoff_tui.system.processes.agent_marks import find_agents_of_user
from handoff_tui.system.processes.terminal import is_input_injectable
from handoff_tui.system.processes.walls import NO_WALLS, find_bubblewrap

_EDIT = ("handoff-tui policy propose --edit",)
_SOLO = (
    "the policy is solo: your own signature approves what agents commit under your name. It doesn't show that a "
    "second person looked, or that it was you: an agent that runs as you and can use your key can sign, too. "
    "A key that must be touched (require_user_presence), `ssh-add -c`, another user account for agents, "
    "or a second reviewer prevents that"
)
_SET_KEY = ("git config --global gpg.format ssh", "git config --global user.signingkey ~/.ssh/id_ed25519.pub")
_PINNED = (PIN_VARIABLE, "--pin")


def diagnose_consent(repository: Repository, texts: RepositoryTexts) -> tuple[Diagnosis, ...]:
    """Says whether you can sign, and what would let an agent do so; only the first counts against the verdict."""
    policy = find_policy(open_log(repository).verify())
    key = _read_key(repository, policy)
    grade = grade_key(key) if isinstance(key, SigningKey) else None
    return (
        _diagnose_key(key),
        *_diagnose_grade(grade),
        _diagnose_programs(repository),
        *_diagnose_way_to_sign(),
        *_diagnose_solo(policy, grade),
        *_diagnose_keys_together(repository, policy),
        *(() if policy is None else _diagnose_protection(policy, grade, texts)),
    )


def _read_key(repository: Repository, policy: Policy | None) -> SigningKey | HandoffError:
    """Returns the key that would sign, or why there is none."""
    enrolled = [] if policy is None else [signer.key for signer in policy.signers.values()]
    try:
        return read_signing_key(repository.git, enrolled)
    except HandoffError as missing:
        return missing


def _diagnose_key(key: SigningKey | HandoffError) -> Diagnosis:
    if isinstance(key, SigningKey):
        return Diagnosis.ok("signing-key", f"decisions are signed with your key ({key.source})")
    return Diagnosis.missing("signing-key", f"you can't sign decisions: {key.message}", commands=_SET_KEY)


def _diagnose_grade(grade: KeyGrade | None) -> Iterator[Diagnosis]:
    if grade is None:
        return
    if grade.is_weak:
        yield Diagnosis.weak("key-protection", f"your signing key: {grade.words}. {grade.advice}")
    elif grade is KeyGrade.UNKNOWN:
        yield Diagnosis.unknown("key-protection", f"your signing key: {grade.words}", counts=False)
    else:
        yield Diagnosis.ok("key-protection", f"your signing key: {grade.words}", counts=False)


def _diagnose_programs(repository: Repository) -> Diagnosis:
    exposed = list_exposed(repository.git)
    if exposed:
        return Diagnosis.weak("signing-programs", "; ".join(one.words for one in exposed))
    if os.geteuid() == 0:
        message = "you are root, so every program that runs as you can replace git, ssh-keygen and this one"
        return Diagnosis.weak("signing-programs", message)
    return Diagnosis.ok("signing-programs", "your account can't replace git, ssh-keygen or the signer", counts=False)


def _diagnose_way_to_sign() -> Iterator[Diagnosis]:
    if is_input_injectable():
        message = (
            "the kernel lets a background program type into its terminal (TIOCSTI), so an agent started from a "
            "terminal can answer a question asked there. Decide in a terminal that started no agent, or turn it off"
        )
        yield Diagnosis.weak("terminal-input", message, ("sudo sysctl -w dev.tty.legacy_tiocsti=0",))


def _diagnose_solo(policy: Policy | None, grade: KeyGrade | None) -> Iterator[Diagnosis]:
    if policy is None or not any(map(policy.may_approve_own, policy.reviewers)):
        return
    also = ". Your key doesn't prevent it now" if grade is not None and grade.is_weak else ""
    yield Diagnosis.weak("solo-policy", f"{_SOLO}{also}", _EDIT)


def _diagnose_keys_together(repository: Repository, policy: Policy | None) -> Iterator[Diagnosis]:
    if policy is not None and len(policy.signers) > 1:
        for text in find_keys_together(policy, read_local_keys(repository.git)):
            yield Diagnosis.weak("keys-together", text)


def _diagnose_protection(policy: Policy, grade: KeyGrade | None, texts: RepositoryTexts) -> Iterator[Diagnosis]:
    """Compares what people said with what can be seen from here."""
    if policy.protection is None:
        message = (
            f"the policy doesn't say what keeps agents from signing as you: protection = [...], of {', '.join(Wall)}"
        )
        yield Diagnosis.weak("protection", message, _EDIT)
    elif not policy.protection:
        yield Diagnosis.weak("protection", "the policy says that nothing keeps agents from signing as you")
    for wall in sorted(policy.protection or ()):
        name = f"protection:{wall}"
        against = _find_contradiction(wall, policy, grade, texts)
        if against:
            yield Diagnosis.weak(name, f"the policy says: {wall.words}. {against}")
        elif wall is Wall.CONFIRM:
            message = f"the policy says: {wall.words}. No agent reports it, so this can't be checked"
            yield Diagnosis.unknown(name, message, counts=False)
        else:
            yield Diagnosis.ok(name, f"the policy says: {wall.words}; nothing here rules it out", counts=False)


def _find_contradiction(wall: Wall, policy: Policy, grade: KeyGrade | None, texts: RepositoryTexts) -> str:
    """Says what is seen here that rules out a wall; empty if nothing does."""
    match wall:
        case Wall.OTHER_USER:
            agents = ", ".join(f"{mark.host} (process {mark.ancestor})" for mark in find_agents_of_user())
            return f"But under your account there is now: {agents}" if agents else ""
        case Wall.CI:
            read = (texts.read(path) or "" for path in list_ci(texts))
            is_pinned = any("handoff-tui" in text and any(one in text for one in _PINNED) for text in read)
            return "" if is_pinned else f"But no CI file here runs handoff-tui with {PIN_VARIABLE} or --pin"
        case Wall.TOUCH:
            return _find_untouched(policy, grade)
        case Wall.PASSPHRASE:
            return f"But of your key: {grade.words}" if grade is not None and grade.is_weak else ""
        case Wall.CONFIRM:
            return f"But of your key: {grade.words}" if grade is KeyGrade.OPEN else ""
        case Wall.TWO_PEOPLE:
            alone = sorted(phase for phase, rule in policy.gates.items() if rule.threshold == 1 and not rule.require)
            return f"But one person is enough at the gate {', '.join(alone)}" if alone else ""


def _find_untouched(policy: Policy, grade: KeyGrade | None) -> str:
    if grade is not None and grade is not KeyGrade.TOUCH:
        return f"But of your key: {grade.words}"
    free = sorted(phase for phase, rule in policy.gates.items() if not rule.require_user_presence)
    return f"But a signature without a touch counts, too, at the gate {', '.join(free)}" if free else ""


_INSTALL = "handoff-tui hooks install"
_LEFTHOOK_FILES = ("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml")
_MANAGERS = (
    # a mark in its hooks, its name, and the files that configure what it runs
    (b"pre-commit.com", "pre-commit", (".pre-commit-config.yaml",)),
    (b"lefthook", "lefthook", _LEFTHOOK_FILES),
    (b"husky", "husky", (".husky/{hook}",)),
    (b'/h"', "husky", (".husky/{hook}",)),
)
_OLDEST_GIT = (2, 31)
_LOG_FOLDER = ".handoff-tui/"
_MOST_PLACES = 5
_NARROW = 80
_PLACE = compile_later(r"(?m)^([^\s:]+):(\d+): ")


def examine(start: Path, terminal: TerminalFacts) -> DoctorReport:
    """Diagnoses every part, even if another part can't be read."""
    repository = open_repository(start)
    loaded, configuration = _diagnose_configuration(repository)
    settings = loaded.settings if loaded else Settings()
    texts = RepositoryTexts(FileReader(repository.root, settings.limits.file_bytes))
    scripts = (settings.mosaic.validation_script,) if texts.has(settings.mosaic.validation_script) else ()
    return DoctorReport(
        repo=str(repository.root),
        version=__version__,
        diagnoses=(
            *diagnose_hooks(repository, texts, scripts),
            diagnose_ci(texts, scripts),
            *diagnose_prompts(texts, settings.mosaic, scripts),
            *diagnose_own_scripts(texts, settings.mosaic, read_hook_texts(repository)),
            *configuration,
            _diagnose_log_folder(repository),
            *_diagnose_local_excludes(repository),
            *diagnose_consent(repository, texts),
            _diagnose_git(repository),
            _diagnose_identity(repository),
            _diagnose_terminal(terminal),
        ),
    )


def _diagnose_configuration(repository: Repository) -> tuple[LoadedSettings | None, tuple[Diagnosis, ...]]:
    try:
        loaded = load_settings(repository.root)
    except ConfigError as wrong:
        places = tuple(Place(path=path, line=int(line)) for path, line in _PLACE.findall(wrong.message))
        message = f"it can't be read: {wrong.message}"
        commands = ("handoff-tui config show",)
        return None, (Diagnosis.missing("configuration", message, places, commands),)
    present = is_present(repository.root, REPOSITORY_FILE)
    message = f"{REPOSITORY_FILE} is readable" if present else f"there is no {REPOSITORY_FILE}, so the defaults apply"
    evidence = (Place(path=REPOSITORY_FILE),) if present else ()
    readable = Diagnosis.ok("configuration", message, evidence)
    return loaded, (readable, _diagnose_trust(repository, loaded), *_diagnose_isolation(loaded))


def _diagnose_trust(repository: Repository, loaded: LoadedSettings) -> Diagnosis:
    """Diagnoses consent: without it the repository's commands don't run, and their checks fail."""
    state = read_consent(Session(repository, loaded, read_work_tree(repository)))
    if state is None:
        message = "the repository configures no commands, so no consent is needed"
        return Diagnosis.ok("configuration-trust", message)
    if state.trusted:
        message = f"you have consented to the repository's commands ({state.digest})"
        return Diagnosis.ok("configuration-trust", message)
    return Diagnosis.missing(
        "configuration-trust",
        "the repository configures commands that need your consent; look at them first",
        (Place(path=REPOSITORY_FILE),) if is_present(repository.root, REPOSITORY_FILE) else (),
        ("handoff-tui check --list", f"handoff-tui check --list --trust {state.digest}"),
    )


def _diagnose_isolation(loaded: LoadedSettings) -> tuple[Diagnosis, ...]:
    """Says what commands could reach, if there are commands and nothing shuts them in."""
    if not any(check.run for check in loaded.settings.checks.values()):
        return ()
    if find_bubblewrap() is not None:
        message = "commands run in a clean checkout, shut in by bubblewrap"
        return (Diagnosis.ok("command-isolation", message, counts=False),)
    return (Diagnosis.unknown("command-isolation", NO_WALLS, counts=False),)


def _diagnose_local_excludes(repository: Repository) -> tuple[Diagnosis, ...]:
    """Names files that only an exclude of this machine hides: they are in no diff here, and nobody else sees them."""
    hidden = find_locally_excluded(repository, read_work_tree(repository))
    if not hidden:
        return ()
    text = f"{plural(len(hidden), 'untracked file')} hidden by an exclude of this machine, so in no diff"
    places = tuple(Place(path=path) for path in hidden[:_MOST_PLACES])
    return (Diagnosis.unknown("local-excludes", text, places, counts=False),)


def _diagnose_log_folder(repository: Repository) -> Diagnosis:
    """Diagnoses whether git ignores the log, as decisions would then never leave this machine."""
    asked = f"{_LOG_FOLDER}log/entry".encode()
    answer = repository.git.run("check-ignore", "--verbose", "--no-index", "--stdin", "-z", stdin=asked)
    path, line, pattern, *_ = *answer.text.split("\0"), "", "", ""
    if answer.code == 1 or pattern.startswith("!"):  # a pattern with `!` cancels an earlier one
        return Diagnosis.ok("log-folder", f"{_LOG_FOLDER} is not ignored by git")
    if answer.code == 0:
        return Diagnosis.missing(
            "log-folder",
            f"git ignores {_LOG_FOLDER} because of {pattern!r}, so decisions wouldn't be committed",
            (Place(path=path, line=int(line) if line.isdecimal() else None),),
            (f"echo '!{_LOG_FOLDER}' >> .gitignore",),
        )
    return Diagnosis.unknown("log-folder", f"git can't tell: {answer.complaint}")


def _diagnose_git(repository: Repository) -> Diagnosis:
    said = repository.git.run("version").text
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None:
        return Diagnosis.unknown("git-version", f"git doesn't say its version: {said!r}")
    if (int(numbers[1]), int(numbers[2])) >= _OLDEST_GIT:
        return Diagnosis.ok("git-version", said)
    wanted = ".".join(map(str, _OLDEST_GIT))
    return Diagnosis.missing("git-version", f"{said} is too old; {wanted} or newer is required")


def _diagnose_identity(repository: Repository) -> Diagnosis:
    """Diagnoses whether name and address are set where an agent can't set them."""
    identity = read_identity(repository.git)
    absent = [key for key, value in (("user.name", identity.name), ("user.email", identity.email)) if value is None]
    return Diagnosis(
        id="git-identity",
        standing=Standing.MISSING if absent else Standing.OK,
        message=f"{' and '.join(absent)} not set globally" if absent else "name and email address are set",
        commands=tuple(f'git config --global {key} "..."' for key in absent),
    )


def _diagnose_terminal(terminal: TerminalFacts) -> Diagnosis:
    if not terminal.terminal:
        message = "the output isn't a terminal, so its abilities are unknown"
        return Diagnosis.unknown("terminal", message, counts=False)
    columns = terminal.columns or 0
    facts = [
        f"{columns} columns",
        "colour" if terminal.colour else "no colour",
        "Unicode" if terminal.unicode else "ASCII",
    ]
    lacking = []
    if columns < _NARROW:
        lacking.append(f"tables are stacked below {_NARROW} columns")
    if not terminal.unicode:
        lacking.append("use a UTF-8 locale, or set ascii = true in your configuration")
    message = "; ".join((", ".join(facts), *lacking))
    return Diagnosis.ok("terminal", message, counts=False)


def diagnose_hooks(repository: Repository, texts: RepositoryTexts, scripts: tuple[str, ...]) -> tuple[Diagnosis, ...]:
    """Diagnoses each hook, the folder, and the program that our own hooks call."""
    folder = find_hooks_folder(repository)
    found = [read_hook(folder.path, name, render_hook(name, find_python(), __version__)) for name in HookName]
    hooks = [_diagnose_hook(repository.root, hook, texts, scripts) for hook in found]
    wired = all(hook.standing is Standing.OK for hook in hooks)
    return (_diagnose_folder(repository.root, folder, wired=wired), *hooks, *_diagnose_program(repository.root, found))


def read_hook_texts(repository: Repository) -> dict[str, str]:
    """Returns the hooks that git runs, and the earlier ones that ours run first, by path."""
    folder = find_hooks_folder(repository).path
    found = [read_hook(folder, name, b"") for name in HookName]
    places = [place for hook in found for place in (hook.place, *((hook.earlier,) if hook.kept else ()))]
    return {
        build_place(repository.root, place).path: read_hook_file(place).decode("utf-8", "replace") for place in places
    }


def build_place(root: Path, path: Path, line: int | None = None) -> Place:
    """Returns a place with a path relative to the repository if it is inside, absolute otherwise."""
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return Place(path=str(shown), line=line)


def _diagnose_folder(root: Path, folder: HooksFolder, *, wired: bool) -> Diagnosis:
    setting = folder.setting
    if setting is None:
        leads = f", a link to {folder.leads_to}" if folder.leads_to else ""
        return Diagnosis.ok("hooks-path", f"git looks for hooks in the usual folder, {folder.path}{leads}")
    evidence = (build_place(root, setting.file, setting.line),)
    message = f"core.hooksPath ({setting.scope}) sends git to {setting.value!r} for hooks"
    if setting.trusted and wired:
        return Diagnosis.ok("hooks-path", f"{message}, and the hooks there run the checks", evidence)
    if wired:
        return Diagnosis.unknown(
            "hooks-path",
            f"{message}, and they run the checks; but anyone who can write to the repository can change both",
            evidence,
        )
    unset = f"git config --{setting.scope} --unset-all core.hooksPath"
    install = f"{_INSTALL} --shared"
    return Diagnosis.missing(
        "hooks-path",
        f"{message}, so those of this repository don't run",
        evidence,
        (install,) if setting.trusted else (unset, _INSTALL),
    )


def _diagnose_hook(root: Path, hook: FoundHook, texts: RepositoryTexts, scripts: tuple[str, ...]) -> Diagnosis:
    name = f"hook-{hook.name.value}"
    here = (build_place(root, hook.place),)
    quoted = shlex.quote(str(hook.place))
    if hook.condition is HookCondition.ABSENT:
        return Diagnosis.missing(name, "there is no such hook", here, (_INSTALL,))
    if hook.condition is HookCondition.UNUSABLE:
        return Diagnosis.missing(name, "it isn't a readable file", here, (f"ls -l {quoted}",))
    if not hook.executable:
        repair = f"chmod +x {quoted}" if hook.script is None else _INSTALL
        return Diagnosis.missing(name, "it isn't executable, so git ignores it", here, (repair,))
    if hook.condition is HookCondition.EDITED:
        aside = f"mv {quoted} {quoted}.changed && {_INSTALL}"
        return Diagnosis.missing(name, "it was ours, but somebody changed it", here, (aside,))
    if hook.script is not None:
        return _diagnose_ours(name, root, hook)
    return _diagnose_foreign(name, root, hook, texts, scripts)


def _diagnose_ours(name: str, root: Path, hook: FoundHook) -> Diagnosis:
    lines = hook.content.decode("utf-8", "replace").splitlines()
    line = next((number for number, text in enumerate(lines, 1) if CALL in text), None)
    evidence = [build_place(root, hook.place, line)]
    chained = ""
    if hook.kept:
        evidence.append(build_place(root, hook.earlier))
        chained = ", after the earlier hook"
    if hook.condition is HookCondition.CURRENT:
        return Diagnosis.ok(name, f"ours, unchanged; runs the checks{chained}", tuple(evidence))
    if line is None or hook.script is None or hook.script.python is None:
        message = "it says it is ours, but doesn't run the checks"
        return Diagnosis.missing(name, message, tuple(evidence), (_INSTALL,))
    if hook.content == render_hook(hook.name, hook.script.python, hook.script.version or ""):
        message = f"ours, written by handoff-tui {hook.script.version} for another Python; runs the checks{chained}"
        return Diagnosis.ok(name, message, tuple(evidence))
    message = f"it says that handoff-tui {hook.script.version} wrote it, which this version can't confirm"
    return Diagnosis.unknown(name, message, tuple(evidence), (_INSTALL,))


def _diagnose_foreign(
    name: str, root: Path, hook: FoundHook, texts: RepositoryTexts, scripts: tuple[str, ...]
) -> Diagnosis:
    """Diagnoses a hook that isn't ours: it may run the checks itself, or belong to a hook manager that does."""
    calls = find_calls(hook.content.decode("utf-8", "replace"), scripts)
    if calls:
        return _weigh(name, calls, [build_place(root, hook.place, call.line) for call in calls], "not ours, but it")
    here = build_place(root, hook.place)
    for mark, manager, files in _MANAGERS:
        if mark not in hook.content:
            continue
        for pattern in files:
            path = pattern.format(hook=hook.name.value)
            calls = _select_for_hook(texts.read(path) or "", manager, hook.name, scripts)
            if calls:
                places = [here, *(Place(path=path, line=call.line) for call in calls)]
                return _weigh(name, calls, places, f"belongs to {manager}, whose configuration")
        message = f"it belongs to {manager}, which isn't configured to run the checks at {hook.name.value}"
        return Diagnosis.missing(name, message, (here,), (_INSTALL,))
    return Diagnosis.missing(name, "it isn't ours and doesn't run the checks", (here,), (_INSTALL,))


def _select_for_hook(text: str, manager: str, hook: HookName, scripts: tuple[str, ...]) -> list[Call]:
    """Returns the calls for one hook: lefthook has a section per hook, pre-commit runs its list before commits."""
    calls = find_calls(text, scripts)
    if manager == "pre-commit":
        return calls if hook is HookName.PRE_COMMIT else []
    if manager != "lefthook":
        return calls
    sections = {number: line.rstrip(": ") for number, line in enumerate(text.splitlines(), 1) if line[:1].isalpha()}
    return [
        call
        for call in calls
        if sections.get(max((number for number in sections if number < call.line), default=0)) == hook.value
    ]


def _weigh(name: str, calls: list[Call], places: list[Place], whose: str) -> Diagnosis:
    if any(not call.shrug for call in calls):
        return Diagnosis.ok(name, f"{whose} runs the checks", tuple(places))
    return Diagnosis.missing(name, f"{whose} runs the checks, but {calls[0].shrug}", tuple(places), (_INSTALL,))


def _diagnose_program(root: Path, hooks: list[FoundHook]) -> tuple[Diagnosis, ...]:
    """Diagnoses the Python that our own hooks call, without running it."""
    named = {hook.script.python: hook for hook in hooks if hook.script is not None and hook.script.python is not None}
    return tuple(_diagnose_python(root, python, hook) for python, hook in named.items())


def _diagnose_python(root: Path, python: str, hook: FoundHook) -> Diagnosis:
    evidence = (build_place(root, hook.place),)
    if python == find_python():
        inside = (
            ", inside the repository: anyone who can write there can replace it"
            if Path(python).is_relative_to(root)
            else ""
        )
        message = f"the hooks call {python}, which is running now ({__version__}){inside}"
        return (Diagnosis.unknown if inside else Diagnosis.ok)("hook-program", message, evidence, counts=False)
    if not is_program(python):
        on_path = find_on_path()
        if on_path is None:
            message = (
                f"the hooks call {python}, which doesn't exist, and handoff-tui isn't on PATH: every commit is blocked"
            )
            return Diagnosis.missing("hook-program", message, evidence, (_INSTALL,))
        message = f"the hooks call {python}, which doesn't exist; they fall back to {on_path}"
        return Diagnosis.unknown("hook-program", message, evidence, (_INSTALL,))
    version = read_version_beside(python)
    if version == __version__:
        return Diagnosis.ok("hook-program", f"the hooks call {python}, which has handoff-tui {version}", evidence)
    if version is None:
        message = f"the hooks call {python}, which doesn't say its version of handoff-tui; this is {__version__}"
        return Diagnosis.unknown("hook-program", message, evidence, (_INSTALL,))
    message = f"the hooks call {python}, which has handoff-tui {version}; this is {__version__}"
    return Diagnosis.missing("hook-program", message, evidence, (_INSTALL,))
