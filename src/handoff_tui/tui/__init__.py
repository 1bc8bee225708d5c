"""The app. The only room that knows Textual."""

from __future__ import annotations
