from __future__ import annotations

import pytest

from handoff_tui.checks.hooks.doctor_report import Diagnosis, DoctorReport, Standing


@pytest.mark.parametrize(
    ("standing", "counts", "wired"),
    [
        (Standing.OK, True, True),
        (Standing.MISSING, True, False),
        (Standing.MISSING, False, False),
        (Standing.UNKNOWN, True, False),
        (Standing.UNKNOWN, False, True),
    ],
)
def test_report_is_wired_only_where_every_part_is(standing: Standing, counts: bool, wired: bool) -> None:  # noqa: FBT001
    """What cannot be told is not taken for wired, unless it does not count."""
    parts = (
        Diagnosis(id="first", standing=Standing.OK, message="is there"),
        Diagnosis(id="second", standing=standing, message="is looked at", counts=counts),
    )
    assert DoctorReport(repo="/r", version="1", diagnoses=parts).wired is wired
