"""Asks one address whether it answers; only ever called with the user's consent."""

from __future__ import annotations

import urllib.error
import urllib.request


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A health check that redirects elsewhere did not answer for itself."""

    def redirect_request(self, *_: object) -> None:
        return None


def ask_address(address: str, timeout: float) -> int | str:
    """The HTTP status, or the reason why there is none."""
    if not address.startswith(("http://", "https://")):
        return "is no http address"
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(address, timeout=timeout) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as answered:
        return answered.code
    except (OSError, ValueError) as refused:
        return str(getattr(refused, "reason", refused))
