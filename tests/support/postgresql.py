"""A real PostgreSQL in a temporary folder, on a socket in it, as a user who is not root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = "nobody"
_PATH = os.pathsep.join((os.environ.get("PATH", ""), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))))
"""Debian keeps the programs of the server off the search path."""


def find_missing() -> str | None:
    """Why no PostgreSQL can be started here; nothing where it can."""
    needed = ["initdb", "pg_ctl", *(["setpriv"] if os.geteuid() == 0 else [])]
    missing = [name for name in needed if shutil.which(name, path=_PATH) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextmanager
def run_postgresql() -> Iterator[str]:
    """The address of an empty database; the server ends with the test, and its folder goes."""
    folder = Path(tempfile.mkdtemp(prefix="handoff-tui-pg-"))
    lead: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam(NOBODY)
        os.chown(folder, user.pw_uid, user.pw_gid)
        lead = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    data = str(folder / "data")
    try:
        _run([*lead, "initdb", "--pgdata", data, "--auth=trust", "--username=tester", "--no-sync", "--encoding=UTF8"])
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c synchronous_commit=off"
        _run([*lead, "pg_ctl", "--pgdata", data, "--wait", "--log", str(folder / "log"), "--options", options, "start"])
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _run([*lead, "pg_ctl", "--pgdata", data, "--wait", "--mode=immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    done = subprocess.run(
        command,
        cwd="/",
        capture_output=True,
        check=False,
        timeout=200,
        env={**environment, "LC_ALL": "C", "PATH": _PATH},
    )
    assert done.returncode == 0, f"{command}: {os.fsdecode(done.stderr)}"
