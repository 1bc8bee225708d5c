"""The use cases: refresh, show, demo. The only place where the rooms of floor 4 meet.

May import floor 4 and below; never a front end.
"""

from __future__ import annotations
