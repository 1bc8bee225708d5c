"""The machine: background work, where this program is installed, the network."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, HandoffError
from handoff_tui.system import web
from handoff_tui.system.background import Background
from handoff_tui.system.installation import (
    can_import_alone,
    find_on_path,
    find_python,
    find_resource,
    read_version_beside,
)
from handoff_tui.system.web import Network, ask_address, reaches_host


def test_background_begins_before_it_is_waited_for() -> None:
    """The work goes on while the caller does something else, and its answer is waited for."""
    begun, go_on = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        go_on.wait(10)
        return "done"

    background = Background(work)
    assert begun.wait(10)
    go_on.set()
    assert background.finish() == "done"
    assert background.finish() == "done"


def test_background_raises_where_it_is_waited_for() -> None:
    """A fault of the work belongs to who wants the answer."""

    def work() -> str:
        raise GitError("no")

    background = Background(work)
    with pytest.raises(GitError, match="no"):
        background.finish()


def test_python_is_this_one_by_its_usual_name() -> None:
    """Whatever name it was called by, the same words go into a hook."""
    assert Path(find_python()).parent == Path(sys.executable).parent
    assert Path(find_python()).samefile(sys.executable)


def test_python_of_another_name_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a python3 beside it, the name that it has is used."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "odd-python"))
    assert find_python() == str(tmp_path / "odd-python")


def test_program_that_is_installed_can_be_imported_alone(tmp_path: Path) -> None:
    """This one can; a program that is not there, or ends with an error, cannot."""
    assert can_import_alone(sys.executable)
    assert not can_import_alone(str(tmp_path / "nothing"))
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    assert not can_import_alone(str(failing))


def test_relative_folders_on_path_offer_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A repository cannot offer its own program."""
    planted = tmp_path / "handoff-tui"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".:")
    assert find_on_path() is None
    monkeypatch.setenv("PATH", f".:{tmp_path}")
    assert find_on_path() == str(planted)


@pytest.mark.parametrize("library", ["python3.11", "python3.14"])
def test_version_beside_another_python_is_read(tmp_path: Path, library: str) -> None:
    """From the name of its folder of packages; two versions, or none, are no answer."""
    packages = tmp_path / "lib" / library / "site-packages"
    python = str(tmp_path / "bin" / "python3")
    assert read_version_beside(python) is None
    (packages / "handoff_tui-9.8.7.dist-info").mkdir(parents=True)
    assert read_version_beside(python) == "9.8.7"
    (packages / "handoff_tui-9.8.8.dist-info").mkdir()
    assert read_version_beside(python) is None


def test_resource_that_was_not_installed_is_named() -> None:
    """A missing folder is an expected error with a hint."""
    with pytest.raises(HandoffError, match="no-such-folder") as caught:
        find_resource("no-such-folder")
    assert caught.value.hint


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        code = {"/health": 200, "/broken": 503, "/away": 302}.get(self.path, 404)
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "/health")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(("path", "status"), [("/health", 200), ("/broken", 503), ("/nowhere", 404), ("/away", 302)])
def test_status_is_told_and_redirects_are_not_followed(address: str, path: str, status: int) -> None:
    """The address answers for itself."""
    assert ask_address(address + path, 5) == status


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "file:///etc/passwd", "ftp://x", "http://[bad"])
def test_address_that_does_not_answer_has_a_reason(address: str) -> None:
    """A reason, no exception; other schemes are refused."""
    assert isinstance(ask_address(address, 2), str)


def test_host_of_a_remote_is_asked_for_a_connection(address: str) -> None:
    """It accepts, it refuses, or the address names no host at all."""
    assert reaches_host(f"{address}/x.git", 5) is True
    assert reaches_host("http://127.0.0.1:9/x.git", 2) is False
    assert reaches_host("git@127.0.0.1:x.git", 2) in {True, False}
    for url in ("ext::sh -c evil", "file:///x", "../x.git", "http://[bad", "https://"):
        assert reaches_host(url, 2) is None


def test_network_asks_each_address_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many checks want to know; another network asks again."""
    asked: list[str] = []

    def ask(address: str, _: float) -> int:
        asked.append(address)
        return 200

    monkeypatch.setattr(web, "ask_address", ask)
    for _ in range(2):
        network = Network(1.0)
        assert [network.ask("https://a.example"), network.ask("https://a.example")] == [200, 200]
    assert asked == ["https://a.example"] * 2
