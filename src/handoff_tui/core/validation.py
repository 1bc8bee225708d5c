"""Validates what comes from outside, with pydantic: the only module that makes it know our models."""

from __future__ import annotations

import os
from typing import Any, Literal, TypeVar, get_type_hints

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""Pydantic would search every installed package for plugins before it builds the first schema."""

from pydantic import AwareDatetime, GetCoreSchemaHandler, JsonValue, TypeAdapter  # noqa: E402 - after that variable
from pydantic.json_schema import GenerateJsonSchema  # noqa: E402
from pydantic_core import core_schema  # noqa: E402

from handoff_tui.core.model import Model, dump_value  # noqa: E402

_NAMES = {"AwareDatetime": AwareDatetime, "JsonValue": JsonValue}
"""What annotations may name without importing it."""
_AnyModel = TypeVar("_AnyModel", bound=Model)


_adapters: dict[type[Model], TypeAdapter[Any]] = {}


def build_adapter(model: type[_AnyModel]) -> TypeAdapter[_AnyModel]:
    """What reads and describes values of a model; built once."""
    if model not in _adapters:
        _adapters[model] = TypeAdapter(model)
    return _adapters[model]


class _SchemaWriter(GenerateJsonSchema):
    def encode_default(self, dft: Any) -> Any:  # noqa: ANN401 - any default
        return dump_value(dft, json=True)


def describe_model(model: type[Model], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The JSON Schema of a model."""
    return build_adapter(model).json_schema(schema_generator=_SchemaWriter, mode=mode)


def read_annotations(model: type[Model]) -> dict[str, Any]:
    """The type of each field, with its constraints."""
    hints = get_type_hints(model, localns=_NAMES, include_extras=True)
    return {name: hints[name] for name in model.model_fields}


def build_core_schema(model: type[Model], handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
    """The schema that pydantic would build of a model of its own; defaults are not validated."""
    fields: dict[str, core_schema.ModelField] = {}
    for name, annotation in read_annotations(model).items():
        schema = handler.generate_schema(annotation)
        if name in model.model_defaults:
            schema = core_schema.with_default_schema(schema, default=model.model_defaults[name])
        fields[name] = core_schema.model_field(schema)
    inner: core_schema.CoreSchema = core_schema.model_fields_schema(fields, model_name=model.__name__)
    config = core_schema.CoreConfig(title=model.__name__, extra_fields_behavior="forbid")
    name = f"{model.__module__}.{model.__qualname__}"
    if model.refuse_contradictions is Model.refuse_contradictions:
        return core_schema.model_schema(model, inner, config=config, ref=name)

    def judge(value: Model) -> Model:
        value.refuse_contradictions()
        return value

    whole = core_schema.model_schema(model, inner, config=config)
    return core_schema.no_info_after_validator_function(judge, whole, ref=name)
