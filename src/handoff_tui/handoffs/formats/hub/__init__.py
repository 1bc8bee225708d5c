"""The workflow hub: context files, reports, work cycles, proofs."""

from __future__ import annotations
