"""Real SSH keys, a real ssh-agent, and programs that ask for passphrases, all in temporary folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.hostile import write_executable

PASSPHRASE = "open sesame"


def make_key(place: Path, passphrase: str = "", kind: str = "ed25519") -> Path:
    """A key pair made by ssh-keygen; the path of the private one. Where that is not installed, the test is skipped."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", str(place)],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return place


def read_public(place: Path) -> str:
    """Type and base64 of a key's public half."""
    return " ".join(place.with_name(place.name + ".pub").read_text(encoding="utf-8").split()[:2])


def write_askpass(place: Path, answer: str | None) -> Path:
    """A program that answers a question for a passphrase; nothing stands for a person who cancels."""
    return write_executable(place, "exit 1" if answer is None else f"echo '{answer}'")


@contextmanager
def run_agent(askpass: Path | None = None) -> Iterator[Path]:
    """A real ssh-agent; the path of its socket. It confirms with the given program, if any."""
    with tempfile.TemporaryDirectory(prefix="agent-") as folder:  # a socket's path must be short
        socket = Path(folder) / "socket"
        asking = {} if askpass is None else {"SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force"}
        with subprocess.Popen(
            ["ssh-agent", "-D", "-a", str(socket)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": folder, **asking},
        ) as agent:
            assert agent.stdout is not None
            agent.stdout.readline()  # said when it listens
            try:
                yield socket
            finally:
                agent.kill()


def add_to_agent(socket: Path, key: Path, *options: str, askpass: Path | None = None) -> None:
    asking = {} if askpass is None else {"SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force"}
    subprocess.run(
        ["ssh-add", "-q", *options, str(key)],
        check=True,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "SSH_AUTH_SOCK": str(socket), **asking},
    )
