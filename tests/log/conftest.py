"""Fixtures for tests of the signed log."""

from __future__ import annotations

import pytest

from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A log with a policy and a decision."""
    real = RealLog(builder)
    real.begin()
    real.decide()
    return real
