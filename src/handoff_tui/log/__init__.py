"""The signed log: entries, chain, gates, journal. Append-only; the bytes are in docs/log-format.md."""

from __future__ import annotations
