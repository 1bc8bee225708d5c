from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest
from pydantic import ValidationError

import handoff_tui
from handoff_tui.core.model import SCHEMA_VERSION, Model
from handoff_tui.core.place import Place, Problem


def list_models() -> list[type[Model]]:
    """Every value class, whichever room it is in; settings have rules of their own."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(handoff_tui.__path__, "handoff_tui.")
        if not found.name.endswith("__main__") and not found.name.startswith("handoff_tui.config.settings")
    ]
    classes = [value for module in modules for _, value in inspect.getmembers(module, inspect.isclass)]
    own = {value for value in classes if issubclass(value, Model) and value is not Model}
    return sorted((value for value in own if ".config.settings." not in value.__module__), key=str)


MODELS = list_models()


def test_value_is_frozen() -> None:
    """Nothing that was read is changed afterwards."""
    place = Place(path="a.md", line=3)
    with pytest.raises(ValidationError, match="frozen"):
        place.line = 4  # type: ignore[misc]
    assert place.line == 3


def test_value_refuses_unknown_fields() -> None:
    """A field that nobody declared is a mistake, not an extra."""
    with pytest.raises(ValidationError, match="extra"):
        Place.model_validate({"path": "a.md", "colour": "red"})


def test_values_of_equal_content_are_equal() -> None:
    """Equality and hash go by content."""
    assert Place(path="a.md", line=3) == Place(path="a.md", line=3)
    assert len({Problem(path="a.md", message="x"), Problem(path="a.md", message="x")}) == 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_is_frozen_and_refuses_unknown_fields(model: type[Model]) -> None:
    """No model of the room loosens the rules of the base."""
    assert (model.model_config["frozen"], model.model_config["extra"]) == (True, "forbid")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_has_a_schema_and_a_docstring(model: type[Model]) -> None:
    """Its fields can be described to a machine, and it says what it is."""
    schema = model.model_json_schema()
    assert set(schema["properties"]) == set(model.model_fields)
    assert schema["additionalProperties"] is False
    assert model.__doc__


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_model_holds_a_list(model: type[Model]) -> None:
    """A frozen value with a list in it could still be changed; sequences are tuples."""
    for name, field in model.model_fields.items():
        assert "list[" not in str(field.annotation), name
        assert "set[" not in str(field.annotation).replace("frozenset[", ""), name


def test_schema_has_a_version() -> None:
    """Readers of stored values can tell which meaning the fields have."""
    assert SCHEMA_VERSION == 1
