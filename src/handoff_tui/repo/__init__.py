"""The only room that touches disk, git, a process or the clock. May import models and errors.

Looking changes nothing: every read here is safe on a hostile repository.
"""

from __future__ import annotations
