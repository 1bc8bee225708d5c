"""What a verb does when no earlier answer can be repeated; importing these is heavy."""

from __future__ import annotations
