"""Past approvals judged again, and the auditor's report."""

from __future__ import annotations
