"""Which SSH key signs, and ssh-keygen, which does it."""

from __future__ import annotations
