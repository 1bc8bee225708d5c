"""Everything behind the app: one frozen state, kept fresh by background workers. Knows no terminal."""

from __future__ import annotations
