"""The base of every value in the common model."""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""Pydantic would search every installed package for plugins before it builds the first schema."""

SCHEMA_VERSION = 1
"""Increases if a field of the common model changes its meaning; added fields don't count."""


class Model(BaseModel):
    """A frozen value that refuses unknown fields; equal content means equal value.

    A schema is built when it is first needed. Constants of the source, defaults above all, are therefore made with
    `model_construct`: they are right by the tests, and importing them builds no schema.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
