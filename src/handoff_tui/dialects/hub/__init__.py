"""The workflow hub: context files, work cycles, reports, the task list and proofs of work. Reads only its shelf."""

from __future__ import annotations
