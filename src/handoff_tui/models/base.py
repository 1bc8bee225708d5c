"""The base of every value in the common model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1
"""Rises when a field of the common model changes its meaning; added fields do not raise it."""


class Model(BaseModel):
    """A frozen value that refuses unknown fields; equal content means equal value."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
