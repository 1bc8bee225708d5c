"""Handoff notes of any make: `HANDOFF.md` and its namesakes. The weakest dialect; every other one wins over it.

The dialect itself is `dialect.NOTES`. May import the contract and the shared parsers.
"""

from __future__ import annotations
