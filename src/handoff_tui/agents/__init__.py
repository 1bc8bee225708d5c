"""One agent: its command, its context, what speaks against its work, where failure leads; and procedures of many steps.

May import config and below; never another room of its floor, and it touches no disk itself.
"""

from __future__ import annotations
