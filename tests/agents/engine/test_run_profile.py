"""Profiles against the real engine, in short."""

from __future__ import annotations

import pytest

from handoff_tui.agents.engine.profile import ProfileReport, run_profile
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ProcedureError

SHORT = {"iterations": 6, "concurrent_maximum": 3}


def build_settings(**changes: object) -> Settings:
    """The usual settings with every profile cut short."""
    usual = Settings()
    profiles = {
        name: profile.model_copy(update={**SHORT, **changes}) for name, profile in usual.procedures.profiles.items()
    }
    return usual.model_copy(update={"procedures": usual.procedures.model_copy(update={"profiles": profiles})})


def check_report(report: ProfileReport, runs: int) -> None:
    assert (report.iterations, report.as_expected, report.repeated, report.timed_out) == (runs, runs, 0, 0)
    assert report.latency is not None
    assert 0 < report.latency.median <= report.latency.longest
    assert report.held


@pytest.mark.timeout(180)
def test_profile_with_failures_holds_on_the_real_engine() -> None:
    """Some runs are made to fail, and every one of them is undone; the others complete."""
    seen: list[tuple[int, int]] = []
    settings = build_settings(failure_rate=0.2)
    report = run_profile(settings, "FAILURE_INJECTION_STANDARD", None, lambda done, total: seen.append((done, total)))
    check_report(report, 6)
    assert report.completed + report.rolled_back + report.failed == 6
    assert report.injected == 6 - report.completed > 0
    assert seen[-1] == (6, 6)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(Settings().procedures.profiles))
def test_every_standard_profile_holds(name: str) -> None:
    """All six, as they are declared, both procedures in turn."""
    settings = Settings()
    procedure = "AGENT_HANDOFF_STANDARD" if name.startswith("PERF") else None
    profile = settings.procedures.profiles[name]
    check_report(run_profile(settings, name, procedure), int(profile.iterations * profile.stress_factor))


@pytest.mark.short
@pytest.mark.parametrize(
    ("name", "procedure", "words"),
    [("RELIABILITY", None, "no profile 'RELIABILITY'"), ("RELIABILITY_STANDARD", "OWN", "no procedure 'OWN'")],
)
def test_unknown_names_are_refused_with_the_known_ones(name: str, procedure: str | None, words: str) -> None:
    """Nothing is started for them."""
    with pytest.raises(ProcedureError, match=words) as refused:
        run_profile(Settings(), name, procedure)
    assert "STANDARD" in refused.value.message
