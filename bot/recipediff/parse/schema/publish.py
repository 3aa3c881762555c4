"""The JSON Schemas (draft 2020-12) that editors use, made from the table of fields."""

from __future__ import annotations

import json
from typing import Any

from recipediff.parse.schema.config_fields import CONFIG
from recipediff.parse.schema.fields import LIST, RECIPE
from recipediff.parse.schema.shapes import Field, ListOf, MapOf, Number, Record, Shape, Switch, Text
from recipediff.parse.schema.surface_fields import SURFACE

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """The text of each published schema, by its file name."""
    recipe = {
        "$schema": _DRAFT,
        "title": "Tested recipe",
        "description": "A vLLM launch that somebody ran and measured on named hardware, and the upstream file it came from.",
        **_schema(RECIPE),
    }
    tested = {
        "$schema": _DRAFT,
        "title": "Tested recipes",
        "description": "A list of tested recipes, each with its id.",
        **_schema(LIST),
    }
    config = {
        "$schema": _DRAFT,
        "title": "recipediff configuration",
        "description": "`.github/recipediff.yml`: where recipes are, which upstreams may be read, and what fails.",
        **_schema(CONFIG),
    }
    surface = {
        "$schema": _DRAFT,
        "title": "Engine surface",
        "description": "What one engine's command line accepts, for `recipediff sweep`.",
        **_schema(SURFACE),
    }
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in (
            ("recipe.schema.json", recipe),
            ("tested.schema.json", tested),
            ("config.schema.json", config),
            ("surface.schema.json", surface),
        )
    }


def _schema(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Text):
        return _text(shape)
    if isinstance(shape, Number):
        bound = "exclusiveMinimum" if shape.above else "minimum"
        return {"type": "integer" if shape.whole else "number", bound: shape.least}
    if isinstance(shape, Switch):
        return {"type": "boolean"}
    if isinstance(shape, ListOf):
        return {"type": "array", "items": _schema(shape.item)}
    if isinstance(shape, MapOf):
        return {"type": "object", "propertyNames": _text(shape.key), "additionalProperties": _schema(shape.value)}
    return _record(shape)


def _text(shape: Text) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string"}
    if shape.values:
        found["enum"] = list(shape.values)
    elif not shape.empty:
        found["minLength"] = 1
    if shape.pattern:
        found["pattern"] = shape.pattern
    return found


def _record(shape: Record) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _field(field) for field in shape.fields},
    }
    required = [field.name for field in shape.fields if field.required]
    return {**found, "required": required} if required else found


def _field(field: Field) -> dict[str, Any]:
    found = {"description": field.doc, **_schema(field.shape)}
    return {**found, "examples": list(field.examples)} if field.examples else found
