"""What `check` writes for other programs is valid by the schemas that are published for them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import xmlschema

from tests.support.command_line import say
from tests.support.report_formats import JUNIT
from tests.support.report_formats import PUBLISHED_SARIF as SARIF

GOLDEN = Path(__file__).parent / "check"


@pytest.mark.parametrize("place", sorted(GOLDEN.glob("*sarif*")), ids=lambda place: str(place.name))
def test_golden_sarif_is_valid(place: Path) -> None:
    """By the schema of the standard."""
    jsonschema.Draft7Validator(SARIF).validate(json.loads(place.read_text(encoding="utf-8")))


@pytest.mark.parametrize("place", sorted(GOLDEN.glob("*junit*")), ids=lambda place: str(place.name))
def test_golden_junit_is_valid(place: Path) -> None:
    """By the schema that Jenkins uses."""
    JUNIT.validate(place.read_text(encoding="utf-8"))


def test_sample_is_valid_in_both(sample_repository: Path) -> None:
    """A real run with every kind of result."""
    jsonschema.Draft7Validator(SARIF).validate(say("check", "--format", "sarif", "--repo", sample_repository).json)
    JUNIT.validate(say("check", "--format", "junit", "--repo", sample_repository).stdout)


def test_schemas_can_say_no() -> None:
    """A file that is none is refused, so the tests above can fail."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SARIF).validate({"version": "2.1.0", "runs": [{"tool": {}}]})
    with pytest.raises(xmlschema.XMLSchemaException):
        JUNIT.validate("<testsuite><testcase/></testsuite>")
