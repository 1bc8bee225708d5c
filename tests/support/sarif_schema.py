"""The part of the SARIF 2.1.0 schema that is used here, written from the published one: closed objects, required
members, enumerations and minima, and two things the schema leaves to the prose (kind and level, no absolute URI)."""

from __future__ import annotations

from collections.abc import Mapping

_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_INDEX = {"type": "integer", "minimum": -1}
_BAG = {"$ref": "#/definitions/propertyBag"}


def _object(members: Mapping[str, object], *required: str) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {**members, "properties": _BAG},
        "required": list(required),
    }


def _list(name: str, *, unique: bool = False) -> dict[str, object]:
    return {"type": "array", "items": {"$ref": f"#/definitions/{name}"}, "uniqueItems": unique}


def _one(name: str) -> dict[str, object]:
    return {"$ref": f"#/definitions/{name}"}


_TEXT = {"type": "string"}
_KIND_AND_LEVEL = {
    "if": {"properties": {"kind": {"const": "fail"}}},
    "then": {"properties": {"level": {"enum": ["note", "warning", "error"]}}},
    "else": {"properties": {"level": {"const": "none"}}},
}
_DEFINITIONS: dict[str, object] = {
    "propertyBag": {
        "type": "object",
        "properties": {"tags": {"type": "array", "uniqueItems": True, "items": _TEXT}},
    },
    "message": _object(
        {"text": _TEXT, "markdown": _TEXT, "id": _TEXT, "arguments": {"type": "array", "items": _TEXT}}, "text"
    ),
    "multiformatMessageString": _object({"text": _TEXT, "markdown": _TEXT}, "text"),
    "artifactLocation": _object(
        {
            "uri": {"type": "string", "pattern": r"^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!/)[A-Za-z0-9._~/%-]+$"},
            "uriBaseId": _TEXT,
            "index": _INDEX,
            "description": _one("message"),
        }
    ),
    "region": _object({"startLine": {"type": "integer", "minimum": 1}, "endLine": {"type": "integer", "minimum": 1}}),
    "physicalLocation": _object(
        {"artifactLocation": _one("artifactLocation"), "region": _one("region")}, "artifactLocation"
    ),
    "location": _object({"id": _INDEX, "physicalLocation": _one("physicalLocation"), "message": _one("message")}),
    "reportingConfiguration": _object({"enabled": {"type": "boolean"}, "level": _LEVEL}),
    "reportingDescriptor": _object(
        {
            "id": _TEXT,
            "name": _TEXT,
            "shortDescription": _one("multiformatMessageString"),
            "fullDescription": _one("multiformatMessageString"),
            "help": _one("multiformatMessageString"),
            "helpUri": _TEXT,
            "defaultConfiguration": _one("reportingConfiguration"),
        },
        "id",
    ),
    "reportingDescriptorReference": _object({"id": _TEXT, "index": _INDEX}, "id"),
    "toolComponent": _object(
        {"name": _TEXT, "version": _TEXT, "informationUri": _TEXT, "rules": _list("reportingDescriptor", unique=True)},
        "name",
    ),
    "tool": _object({"driver": _one("toolComponent")}, "driver"),
    "notification": _object(
        {"message": _one("message"), "level": _LEVEL, "associatedRule": _one("reportingDescriptorReference")},
        "message",
    ),
    "invocation": _object(
        {"executionSuccessful": {"type": "boolean"}, "toolExecutionNotifications": _list("notification")},
        "executionSuccessful",
    ),
    "runAutomationDetails": _object({"id": _TEXT, "description": _one("message")}),
    "result": {
        **_object(
            {
                "ruleId": _TEXT,
                "ruleIndex": _INDEX,
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
                "level": _LEVEL,
                "message": _one("message"),
                "locations": {**_list("location"), "minItems": 1},
                "relatedLocations": _list("location", unique=True),
                "partialFingerprints": {"type": "object", "additionalProperties": _TEXT},
            },
            "message",
            "locations",
        ),
        **_KIND_AND_LEVEL,
    },
    "run": _object(
        {
            "tool": _one("tool"),
            "invocations": _list("invocation"),
            "originalUriBaseIds": {"type": "object", "additionalProperties": _one("artifactLocation")},
            "automationDetails": _one("runAutomationDetails"),
            "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            "results": _list("result"),
        },
        "tool",
    ),
}
SARIF_SCHEMA: dict[str, object] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **_object(
        {"$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]}, "runs": _list("run")},
        "version",
        "runs",
    ),
    "definitions": _DEFINITIONS,
}
