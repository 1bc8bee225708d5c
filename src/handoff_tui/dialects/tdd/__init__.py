"""TDD agents over git: notes, trailers, tags and refs, state files, test list. May import the contract and the parsers.

The dialect itself is `dialect.TDD`; a lock is shown here and never judged.
"""

from __future__ import annotations
