"""Asks addresses whether they answer; only ever called with the user's consent."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from functools import cache
from urllib.parse import urlsplit

from handoff_tui.core.lazy_pattern import compile_later

_REACH_SECONDS = 5.0
_PORTS = {"git": 9418, "http": 80, "https": 443, "ssh": 22, "git+ssh": 22, "ssh+git": 22}
_SCP_LIKE = compile_later(r"^(?:[^/@\s]+@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?![/:])")
"""`git@example.com:path`, as git writes an ssh address."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: a health check that redirects didn't answer itself."""

    def redirect_request(self, *_: object) -> None:
        return None


class Network:
    """Asks each address once."""

    def __init__(self, seconds: float) -> None:
        self.ask = cache(lambda address: ask_address(address, seconds))
        self.reach = cache(lambda url: reaches_host(url, _REACH_SECONDS))


def ask_address(address: str, timeout: float) -> int | str:
    """Returns the HTTP status, or why there is none."""
    if not address.startswith(("http://", "https://")):
        return "isn't an http address"
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(address, timeout=timeout) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as answered:
        return answered.code
    except (OSError, ValueError) as refused:
        return str(getattr(refused, "reason", refused))


def reaches_host(url: str, timeout: float) -> bool | None:
    """Tells whether the host of a remote accepts a connection; None for an address without a host.

    No git transport is used: a remote's helper or ssh command could be anything.
    """
    found = _find_host(url)
    if found is None:
        return None
    try:
        with socket.create_connection(found, timeout=timeout):
            return True
    except OSError:
        return False


def _find_host(url: str) -> tuple[str, int] | None:
    like = _SCP_LIKE.match(url) if "://" not in url else None
    if like:
        return like["host"], _PORTS["ssh"]
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port and parts.scheme in _PORTS else None
