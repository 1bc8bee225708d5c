"""Every git call. `command.py` is the only door; `hardening.py` lists what a repository may not make git run."""

from __future__ import annotations
