"""How git says what a path is."""

from __future__ import annotations

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
REGULAR = frozenset({FILE, PROGRAM})
WITHOUT_TEXT = frozenset({LINK, SUBMODULE})
