"""What every room may use: errors, the frozen base model, places, severities, text. Imports nothing of ours."""

from __future__ import annotations
