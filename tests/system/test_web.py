from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from handoff_tui.system.web import ask_address, reaches_host


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
