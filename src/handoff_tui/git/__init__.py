"""Every git call. `command.py` runs git, `hardening.py` says what it may not run, `session.py` keeps what was read."""

from __future__ import annotations
