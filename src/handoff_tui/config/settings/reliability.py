"""The profiles by which the engine's reliability is tried."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.config.settings.quantities import Amount, Name, Quantity, Seconds, Share
from handoff_tui.core.model import Model


class ReliabilityKind(StrEnum):
    """What a profile tries."""

    RELIABILITY = "reliability"
    PERFORMANCE = "performance"
    STRESS = "stress"
    FAILURE_INJECTION = "failure_injection"
    CONCURRENCY = "concurrency"
    ENDURANCE = "endurance"


class ReliabilityProfile(Model):
    """One way to try the engine."""

    kind: ReliabilityKind
    """What is tried."""
    iterations: Quantity
    """How many handoffs are run."""
    timeout_seconds: Seconds
    """How long one of them may take."""
    concurrent_maximum: Quantity
    """How many of them run at once."""
    stress_factor: Amount = 1.0
    """By how much the load is multiplied."""
    failure_rate: Share = 0.0
    """The share of steps that are made to fail."""


def _profile(kind: ReliabilityKind, iterations: int, timeout: float, concurrent: int) -> ReliabilityProfile:
    return ReliabilityProfile.model_construct(
        kind=kind, iterations=iterations, timeout_seconds=float(timeout), concurrent_maximum=concurrent
    )


STANDARD_PROFILES: dict[Name, ReliabilityProfile] = {
    "RELIABILITY_STANDARD": _profile(ReliabilityKind.RELIABILITY, 100, 30, 5),
    "PERFORMANCE_STANDARD": _profile(ReliabilityKind.PERFORMANCE, 50, 60, 10),
    "STRESS_STANDARD": ReliabilityProfile.model_construct(
        kind=ReliabilityKind.STRESS, iterations=25, timeout_seconds=120.0, concurrent_maximum=20, stress_factor=2.0
    ),
    "FAILURE_INJECTION_STANDARD": ReliabilityProfile.model_construct(
        kind=ReliabilityKind.FAILURE_INJECTION,
        iterations=75,
        timeout_seconds=45.0,
        concurrent_maximum=5,
        failure_rate=0.1,
    ),
    "CONCURRENCY_STANDARD": _profile(ReliabilityKind.CONCURRENCY, 30, 90, 50),
    "ENDURANCE_STANDARD": _profile(ReliabilityKind.ENDURANCE, 200, 180, 3),
}
"""The six standard profiles."""
