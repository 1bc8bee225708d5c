"""The signed log: canonical bytes, signatures, envelopes, entries, chain, trust policy, gate, journal, verification.

May import config and below. What judges bytes is pure; only the journal, through `repo/`, writes.
The format is a contract with other implementations (docs/log-format.md): no byte of it changes without a new version.
"""

from __future__ import annotations
