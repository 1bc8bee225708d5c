"""Real git repositories, built step by step: same steps, same commit ids."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

AUTHOR = "Ada Example"
EMAIL = "ada@example.org"
_FIRST_SECOND = 1_750_000_000

NOTE_ON_ADDING = "# Handoff: adding\n\nStatus: COMPLETE\n\n## What was done\n- `src/app.py` adds two numbers.\n"


def build_git_environment(moment: int = _FIRST_SECOND) -> dict[str, str]:
    """No configuration but the repository's own, and a pinned author, committer and date."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return environment | {
        "GIT_AUTHOR_DATE": f"@{moment} +0000",
        "GIT_AUTHOR_EMAIL": EMAIL,
        "GIT_AUTHOR_NAME": AUTHOR,
        "GIT_COMMITTER_DATE": f"@{moment} +0000",
        "GIT_COMMITTER_EMAIL": EMAIL,
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


@dataclass
class RepositoryBuilder:
    """A repository in a folder. Each step returns the builder, so that steps read as a story."""

    folder: Path
    moment: int = field(default=_FIRST_SECOND)

    @classmethod
    def init(cls, folder: Path, *options: str) -> Self:
        builder = cls(folder)
        folder.mkdir(parents=True, exist_ok=True)
        builder.git("init", "--quiet", "--initial-branch=main", "--template=", *options)
        return builder

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Plain git, as anyone would run it, with hooks off; its output without the last newline."""
        settings = (f"core.hooksPath={os.devnull}", "core.fsync=none", "maintenance.auto=false")
        done = subprocess.run(
            ["git", "-C", str(self.folder), *(word for one in settings for word in ("-c", one)), *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=build_git_environment(self.moment),
        )
        if done.returncode != 0:
            raise AssertionError(f"git {arguments} failed: {os.fsdecode(done.stderr)}")
        return os.fsdecode(done.stdout).removesuffix("\n")

    def step(self, *arguments: str) -> Self:
        self.git(*arguments)
        return self

    def write(self, path: str | bytes, content: str | bytes = "text\n") -> Self:
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def link(self, path: str, target: str | Path) -> Self:
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
        return self

    def commit(self, message: str = "a commit") -> Self:
        """Commits everything there is, one minute after the commit before."""
        self.moment += 60
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "--file=-", stdin=message.encode())
        return self

    def note(self, text: str, ref: str = "commits", commit: str = "HEAD") -> Self:
        return self.step("notes", f"--ref={ref}", "add", "-f", "-m", text, commit)

    def tag(self, name: str, message: str = "", target: str = "HEAD") -> Self:
        """An annotated tag where there is a message, a plain one otherwise."""
        annotation = ("-a", "-m", message) if message else ()
        return self.step("tag", *annotation, name, target)

    def ref(self, name: str, target: str = "HEAD") -> Self:
        return self.step("update-ref", name, target)

    def config(self, key: str, value: str) -> Self:
        return self.step("config", key, value)

    def detach(self) -> Self:
        return self.step("checkout", "--quiet", "--detach")

    def push(self, remote: Path, branch: str = "main") -> Self:
        """Pushes to a bare repository, made when it is not there yet, and tracks it as origin."""
        if not remote.exists():
            RepositoryBuilder.init(remote, "--bare")
            self.git("remote", "add", "origin", str(remote))
        return self.step("push", "--quiet", "--set-upstream", "origin", branch)

    def worktree(self, folder: Path, branch: str) -> RepositoryBuilder:
        self.git("worktree", "add", "--quiet", "-b", branch, str(folder))
        return RepositoryBuilder(folder, self.moment)

    def submodule(self, source: RepositoryBuilder, path: str) -> RepositoryBuilder:
        """Adds a submodule and commits it; the builder of the submodule's work tree."""
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source.folder), path)
        self.commit(f"add the submodule {path}")
        return RepositoryBuilder(self.folder / path, self.moment)

    def clone_shallow(self, folder: Path) -> RepositoryBuilder:
        self.git("clone", "--quiet", "--depth=1", "--template=", f"file://{self.folder}", str(folder))
        return RepositoryBuilder(folder, self.moment)

    def head(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", "--verify", revision)

    def place(self, path: str | bytes) -> Path:
        return self.folder / os.fsdecode(path)
