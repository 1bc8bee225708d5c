"""What every package may use: errors, the frozen base model, places, severities, text. Imports no other package."""

from __future__ import annotations
