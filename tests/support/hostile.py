"""A repository that plants everything git can be made to execute. Each plant leaves its own canary when it runs."""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.repositories import RepositoryBuilder, build_git_environment

DRIVERS = {
    "plain": "plain.txt",
    "a=b": "equals.txt",
    "with.dot": "dot.txt",
    "UPPER": "upper.txt",
    "naïve-Ü": "letters.txt",
    "": "nameless.txt",
    "with space": "",
}
"""Filter drivers by name, with the file that uses each; no attribute can name one with a space."""

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change",
    "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit",
    "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive",
    "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
)  # fmt: skip

_RUN_AS_IS = (
    "core.alternateRefsCommand core.askPass core.editor core.fsmonitor core.gitProxy core.pager "
    "core.sshCommand diff.external diff.commanded.command diff.converted.textconv gpg.program "
    "gpg.ssh.defaultKeyCommand gpg.ssh.program interactive.diffFilter merge.merged.driver pager.log "
    "pager.status sequence.editor tar.packed.command trailer.x.command uploadpack.packObjectsHook"
)
_RUN_IN_A_SHELL = "alias.peek credential.helper submodule.sub.update"
PLANTED_IN_CONFIG = dict.fromkeys(_RUN_AS_IS.split(), "{script}") | dict.fromkeys(_RUN_IN_A_SHELL.split(), "!{script}")
PLANTED_QUIETLY = {
    "color.diff": "always",
    "color.ui": "always",
    "core.checkStat": "minimal",
    "core.trustctime": "false",
    "gpg.ssh.allowedSignersFile": "/dev/null",
    "i18n.logOutputEncoding": "UTF-16",
    "log.showSignature": "true",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "status.showStash": "true",
}
"""What executes nothing by itself but opens a door, or bends what git prints."""

TRUE_SUBJECTS = ("a true third step", "a true second step", "a true first step", "Add the true work")
_PROMISED = "promised.txt"
_SIGNATURES = {
    "pgp": "-----BEGIN PGP SIGNATURE-----\n \n aGFuZG9mZg==\n -----END PGP SIGNATURE-----",
    "ssh": "-----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----",
}


@dataclass
class HostileRepository:
    """The repository, and the folder outside it where the canaries appear."""

    builder: RepositoryBuilder
    outside: Path
    surroundings: dict[str, str] = field(default_factory=dict)
    promised_blob: str = ""
    replaced_blob: str = ""

    @property
    def folder(self) -> Path:
        return self.builder.folder

    @property
    def canaries(self) -> Path:
        return self.outside / "canaries"

    def list_fired(self) -> list[str]:
        """The names of the plants that ran."""
        return sorted(canary.name for canary in self.canaries.iterdir())

    def build_script(self, name: str, then: str = '[ -f "$1" ] && exec cat "$1"\nexec cat') -> str:
        """An executable that leaves the canary `name` and then passes on what it is given."""
        canary = self.canaries / name.replace("/", "-")
        script = self.outside / "scripts" / name.replace("/", "-").replace(" ", "_")
        write_executable(script, f': > "{canary}"\n{then}')
        return str(script)

    def run_plain_git(self, *arguments: str) -> bytes:
        """What anyone who is not careful would run, without the surrounding variables."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=build_git_environment(),
            check=False,
        )
        return done.stdout


def build_hostile_repository(folder: Path) -> HostileRepository:
    """The repository is at `folder`/repository, scripts and canaries beside it."""
    outside = folder / "outside"
    (outside / "canaries").mkdir(parents=True)
    (outside / "scripts").mkdir()
    hostile = HostileRepository(RepositoryBuilder.init(folder / "repository"), outside)
    _commit_true_history(hostile)
    _plant_submodule(hostile, folder / "library")
    _plant_false_history(hostile)
    hostile.builder.git("update-index", "--split-index")
    _plant_configuration(hostile)
    _plant_hooks(hostile)
    _plant_promisor(hostile)
    _plant_surroundings(hostile, folder / "decoy")
    _make_stat_data_stale(hostile)
    return hostile


def write_executable(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def _commit_true_history(hostile: HostileRepository) -> None:
    builder = hostile.builder
    attributes = ["* diff=converted", "*.md diff=commanded merge=merged", "zz-process.txt filter=processed"]
    for name, file in DRIVERS.items():
        if file:
            attributes.append(f"{file} filter={name}")
            builder.write(file, f"content for {file}\n")
    builder.write(".gitattributes", "\n".join(attributes) + "\n")
    builder.write("README.md", "true\n").write("zz-process.txt").write("notes.log", "first\n")
    builder.write(_PROMISED, "promised\n").commit(TRUE_SUBJECTS[3])
    builder.write("notes.log", "second\n").commit(TRUE_SUBJECTS[2])
    builder.write("notes.log", "third\n").commit(TRUE_SUBJECTS[1])
    _sign_head(builder, "ssh")
    builder.write("notes.log", "fourth\n").commit(TRUE_SUBJECTS[0])
    _sign_head(builder, "pgp")
    builder.note("a true note", "handoff").tag("v1", "a true tag").ref("refs/handoff/one")


def _sign_head(builder: RepositoryBuilder, kind: str) -> None:
    """A signature that no program can verify makes git ask the program all the same."""
    headers, _, message = builder.git("cat-file", "commit", "HEAD").partition("\n\n")
    signed = f"{headers}\ngpgsig {_SIGNATURES[kind]}\n\n{message}"
    builder.ref("HEAD", builder.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode()))


def _plant_false_history(hostile: HostileRepository) -> None:
    """A replaced HEAD commit, a replaced blob, and a grafts file that cuts the parents off."""
    builder = hostile.builder
    parent = builder.head("HEAD~1")
    false_commit = builder.git("commit-tree", "-m", "A false history", "HEAD^{tree}")
    builder.ref(f"refs/replace/{builder.head()}", false_commit)
    hostile.replaced_blob = builder.head("HEAD:README.md")
    false_blob = builder.git("hash-object", "-w", "--stdin", stdin=b"false\n")
    builder.ref(f"refs/replace/{hostile.replaced_blob}", false_blob)
    info = builder.folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "grafts").write_text(f"{parent}\n")
    (info / "attributes").write_text("notes.log filter=informed\n")


def _plant_submodule(hostile: HostileRepository, library: Path) -> None:
    source = RepositoryBuilder.init(library).write("lib.txt").write(".gitattributes", "* filter=inner\n").commit("lib")
    inner = hostile.builder.submodule(source, "sub")
    inner.config("core.fsmonitor", hostile.build_script("submodule core.fsmonitor"))
    inner.config("filter.inner.clean", hostile.build_script("submodule filter.inner.clean"))


def _plant_configuration(hostile: HostileRepository) -> None:
    git_dir = hostile.folder / ".git"
    config = git_dir / "config"
    for key, value in PLANTED_IN_CONFIG.items():
        _set(hostile, config, key, value.format(script=hostile.build_script(key)))
    for key, value in PLANTED_QUIETLY.items():
        _set(hostile, config, key, value)
    for name in DRIVERS:
        _plant_filter(hostile, config, name)
    _plant_filter(hostile, config, "informed")
    _set(hostile, config, "filter.processed.process", hostile.build_script("filter.processed.process"))
    _set(hostile, config, "filter.processed.required", "true")
    _set(hostile, config, "core.repositoryFormatVersion", "1")
    _set(hostile, config, "extensions.worktreeConfig", "true")
    for scope, file in (("worktree", "config.worktree"), ("included", "included"), ("conditional", "conditional")):
        _plant_filter(hostile, git_dir / file, scope)
    monitor = hostile.build_script("worktree core.fsmonitor")
    _set(hostile, git_dir / "config.worktree", "core.fsmonitor", monitor)
    _set(hostile, config, "include.path", "included")
    _set(hostile, config, "includeIf.gitdir:**.path", "conditional")
    with (git_dir / "info" / "attributes").open("a") as attributes:
        attributes.write(".gitattributes filter=included\nREADME.md filter=worktree\n.gitmodules filter=conditional\n")


def _plant_filter(hostile: HostileRepository, config: Path, name: str) -> None:
    for direction in ("clean", "smudge"):
        key = f"filter.{name}.{direction}"
        _set(hostile, config, key, hostile.build_script(key))
    _set(hostile, config, f"filter.{name}.required", "true")


def _set(hostile: HostileRepository, file: Path, key: str, value: str) -> None:
    hostile.builder.git("config", "--file", str(file), key, value)


def _plant_hooks(hostile: HostileRepository) -> None:
    planted = hostile.folder / ".git" / "planted-hooks"
    for folder in (planted, hostile.folder / ".git" / "hooks"):
        for hook in HOOKS:
            canary = hostile.canaries / f"hook {hook}"
            write_executable(folder / hook, f': > "{canary}"')
    _set(hostile, hostile.folder / ".git" / "config", "core.hooksPath", str(planted))


def _plant_promisor(hostile: HostileRepository) -> None:
    """A blob that is not there, and a remote that runs a command to bring it."""
    config = hostile.folder / ".git" / "config"
    hostile.promised_blob = hostile.builder.git("rev-parse", f"HEAD:{_PROMISED}")
    (hostile.folder / ".git" / "objects" / hostile.promised_blob[:2] / hostile.promised_blob[2:]).unlink()
    _set(hostile, config, "extensions.partialClone", "promised")
    _set(hostile, config, "remote.promised.url", f"ext::{hostile.build_script('promisor', 'exit 1')}")
    _set(hostile, config, "remote.promised.promisor", "true")
    _set(hostile, config, "remote.promised.uploadpack", hostile.build_script("remote.promised.uploadpack"))


def _plant_surroundings(hostile: HostileRepository, decoy: Path) -> None:
    """What a hook, or an agent that starts us, could leave in the environment."""
    other = RepositoryBuilder.init(decoy).write("decoy.txt").commit("A decoy")
    monitor = hostile.build_script("environment core.fsmonitor")
    hostile.surroundings = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{monitor}'",
        "GIT_CONFIG_VALUE_0": monitor,
        "GIT_DIR": str(other.folder / ".git"),
        "GIT_EDITOR": hostile.build_script("GIT_EDITOR"),
        "GIT_EXTERNAL_DIFF": hostile.build_script("GIT_EXTERNAL_DIFF"),
        "GIT_INDEX_FILE": str(other.folder / ".git" / "index"),
        "GIT_PAGER": hostile.build_script("GIT_PAGER"),
        "GIT_PYTHON_GIT_EXECUTABLE": hostile.build_script("GIT_PYTHON_GIT_EXECUTABLE"),
        "GIT_SSH_COMMAND": hostile.build_script("GIT_SSH_COMMAND"),
        "GIT_TRACE": str(hostile.canaries / "GIT_TRACE"),
        "GIT_WORK_TREE": str(other.folder),
    }


def _make_stat_data_stale(hostile: HostileRepository) -> None:
    """Same bytes, other times: git must hash every file again, and would pass it through its filter."""
    for place in (*hostile.folder.glob("*"), hostile.folder / ".gitattributes", hostile.folder / ".gitmodules"):
        if place.is_file():
            os.utime(place, (1_000_000_000, 1_000_000_000))
    os.utime(hostile.folder / "sub" / "lib.txt", (1_000_000_000, 1_000_000_000))
