"""`.planning/HANDOFF.json` and its companion `.continue-here.md`. May import the contract and the shared parsers.

The dialect itself is `dialect.GSD`; nothing here compares a claim with the repository.
"""

from __future__ import annotations
