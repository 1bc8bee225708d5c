"""Says whether enforcement is really wired in. Runs nothing of the repository and writes nothing."""

from __future__ import annotations

import re
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.hooks.doctor_hooks import diagnose_hooks, read_hook_texts
from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing, TerminalFacts
from handoff_tui.checks.hooks.doctor_texts import Texts, diagnose_ci, diagnose_own_scripts, diagnose_prompts
from handoff_tui.checks.run.command_consent import build_trust_state
from handoff_tui.config.load import REPOSITORY_FILE, LoadedSettings, load_settings
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ConfigError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.git.hardening import TRUSTED_SCOPES, parse_config_list
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.user_files import has_user_file

_OLDEST_GIT = (2, 31)
_LOG_FOLDER = ".handoff-tui/"
_NARROW = 80
_PLACE = compile_later(r"(?m)^([^\s:]+):(\d+): ")


def examine(start: Path, terminal: TerminalFacts) -> DoctorReport:
    """Looks at every part of the wiring; one that cannot be looked at does not keep the others from it."""
    repository = open_repository(start)
    loaded, configuration = _diagnose_configuration(repository)
    settings = loaded.settings if loaded else Settings()
    texts = Texts(FileReader(repository.root, settings.limits.file_bytes))
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
            _diagnose_git(repository),
            *_diagnose_identity(repository),
            _diagnose_terminal(terminal),
        ),
    )


def _diagnose_configuration(repository: Repository) -> tuple[LoadedSettings | None, tuple[Diagnosis, ...]]:
    try:
        loaded = load_settings(repository.root)
    except ConfigError as wrong:
        places = tuple(Place(path=path, line=int(line)) for path, line in _PLACE.findall(wrong.message))
        message = f"it cannot be read: {wrong.message}"
        commands = ("handoff-tui config show",)
        return None, (
            Diagnosis(
                id="configuration", standing=Standing.MISSING, message=message, evidence=places, commands=commands
            ),
        )
    present = is_present(repository.root, REPOSITORY_FILE)
    message = f"{REPOSITORY_FILE} is readable" if present else f"there is no {REPOSITORY_FILE}; the defaults hold"
    evidence = (Place(path=REPOSITORY_FILE),) if present else ()
    readable = Diagnosis(id="configuration", standing=Standing.OK, message=message, evidence=evidence)
    return loaded, (readable, _diagnose_trust(repository, loaded))


def _diagnose_trust(repository: Repository, loaded: LoadedSettings) -> Diagnosis:
    """Commands of the repository run only once a person has trusted them; until then their checks fail."""
    state = build_trust_state(Desk(repository, loaded, read_work_tree(repository)))
    if state is None:
        message = "the repository asks for no commands, so there is nothing to trust"
        return Diagnosis(id="configuration-trust", standing=Standing.OK, message=message)
    if state.trusted:
        message = f"you have trusted the repository's commands ({state.digest})"
        return Diagnosis(id="configuration-trust", standing=Standing.OK, message=message)
    return Diagnosis(
        id="configuration-trust",
        standing=Standing.MISSING,
        message="the repository names commands that you have not trusted; look at them first",
        evidence=(Place(path=REPOSITORY_FILE),) if is_present(repository.root, REPOSITORY_FILE) else (),
        commands=("handoff-tui check --list", f"handoff-tui check --list --trust {state.digest}"),
    )


def _diagnose_log_folder(repository: Repository) -> Diagnosis:
    """Decisions are records in the repository; ignored by git, they would never leave this machine."""
    asked = f"{_LOG_FOLDER}log/entry".encode()
    answer = repository.git.run("check-ignore", "--verbose", "--no-index", "--stdin", "-z", stdin=asked)
    path, line, pattern, *_ = *answer.text.split("\0"), "", "", ""
    if answer.code == 1 or pattern.startswith("!"):  # a pattern with `!` takes back what an earlier one ignored
        return Diagnosis(id="log-folder", standing=Standing.OK, message=f"{_LOG_FOLDER} is not ignored by git")
    if answer.code == 0:
        return Diagnosis(
            id="log-folder",
            standing=Standing.MISSING,
            message=f"git ignores {_LOG_FOLDER} because of {pattern!r}: decisions would not be kept",
            evidence=(Place(path=path, line=int(line) if line.isdecimal() else None),),
            commands=(f"echo '!{_LOG_FOLDER}' >> .gitignore",),
        )
    return Diagnosis(id="log-folder", standing=Standing.UNKNOWN, message=f"git cannot say: {answer.complaint}")


def _diagnose_git(repository: Repository) -> Diagnosis:
    said = repository.git.run("version").text
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None:
        return Diagnosis(id="git-version", standing=Standing.UNKNOWN, message=f"git says {said!r} of its version")
    if (int(numbers[1]), int(numbers[2])) >= _OLDEST_GIT:
        return Diagnosis(id="git-version", standing=Standing.OK, message=said)
    wanted = ".".join(map(str, _OLDEST_GIT))
    return Diagnosis(id="git-version", standing=Standing.MISSING, message=f"{said} is too old; {wanted} is needed")


def _diagnose_identity(repository: Repository) -> tuple[Diagnosis, ...]:
    """Only whether they are set, and only where an agent cannot set them."""
    listing = repository.git.run("config", "--show-scope", "--list", "-z", "--includes")
    trusted = {key: value for scope, key, value in parse_config_list(listing.stdout) if scope in TRUSTED_SCOPES}
    absent = [key for key in ("user.name", "user.email") if not trusted.get(key)]
    identity = Diagnosis(
        id="git-identity",
        standing=Standing.MISSING if absent else Standing.OK,
        message=f"{' and '.join(absent)} not set for all repositories" if absent else "a name and an address are set",
        commands=tuple(f'git config --global {key} "..."' for key in absent),
    )
    return identity, _diagnose_signing_key(trusted.get("user.signingkey", ""), trusted.get("gpg.format", "openpgp"))


def _diagnose_signing_key(key: str, form: str) -> Diagnosis:
    commands = ("git config --global gpg.format ssh", "git config --global user.signingkey ~/.ssh/id_ed25519.pub")
    if not key:
        message = "no signing key is set for all repositories, so decisions cannot be signed"
        return Diagnosis(id="signing-key", standing=Standing.MISSING, message=message, commands=commands)
    if form == "ssh" and not key.startswith(("key::", "ssh-")) and not has_user_file(key):
        message = "a signing key is set, but the file it names is not there"
        return Diagnosis(id="signing-key", standing=Standing.MISSING, message=message, commands=commands[1:])
    return Diagnosis(id="signing-key", standing=Standing.OK, message=f"a signing key is set ({form})")


def _diagnose_terminal(terminal: TerminalFacts) -> Diagnosis:
    if not terminal.terminal:
        message = "the output is no terminal, so what yours can show is not known"
        return Diagnosis(id="terminal", standing=Standing.UNKNOWN, message=message, counts=False)
    columns = terminal.columns or 0
    facts = [
        f"{columns} columns",
        "colour" if terminal.colour else "no colour",
        "Unicode" if terminal.unicode else "ASCII",
    ]
    lacking = []
    if columns < _NARROW:
        lacking.append(f"narrower than {_NARROW} columns, tables are stacked")
    if not terminal.unicode:
        lacking.append("set ascii = true in your own configuration, or a UTF-8 locale")
    message = "; ".join((", ".join(facts), *lacking))
    return Diagnosis(id="terminal", standing=Standing.OK, message=message, counts=False)
