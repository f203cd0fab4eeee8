"""Rules about the JSON Schemas of functions: ``parametersJsonSchema`` and ``responseJsonSchema``.

Google ignores unknown keywords in these schemas. It accepts nearly all schemas that clients send (gemini-cli#4196,
goose#6555).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulator.errors import INVALID_ARGUMENT, Refusal
from proxy.emulator.models import Generation

Schema = Mapping[str, Any]

BESIDE_REFERENCE = frozenset({"description", "default"})
MAPS = ("properties", "patternProperties", "$defs", "definitions")
"""Keywords whose value is a map from names to schemas."""

VALUES = ("const", "default", "enum", "example", "examples")
"""Keywords that hold values and no schemas."""


def json_schemas(request: Mapping[str, Any], _: Generation) -> Refusal | None:
    """Refuse a function with both kinds of schema, and references that Gemini does not accept.

    Source: firebase-android-sdk#7850 for both kinds (the text is not reported), opencode#12295 and OmniRoute#1416 for
    keywords next to a reference. "Cyclic references … may only be used within non-required properties"
    (ai.google.dev/api/generate-content). The texts for other cyclic references and for missing targets are not
    reported.
    """
    for tool in request.get("tools") or ():
        for declaration in tool.get("functionDeclarations") or ():
            for field, other in (("parametersJsonSchema", "parameters"), ("responseJsonSchema", "response")):
                schema = declaration.get(field)
                if schema is not None and (other in declaration or not isinstance(schema, Mapping)):
                    return Refusal(INVALID_ARGUMENT)
                refusal = _references(schema) if schema is not None else None
                if refusal is not None:
                    return refusal
    return None


def _references(schema: Schema) -> Refusal | None:
    needs: dict[str, set[str]] = {}
    for node in _schemas(schema):
        reference = node.get("$ref")
        if not isinstance(reference, str):
            continue
        if any(not name.startswith("$") for name in node.keys() - BESIDE_REFERENCE):
            return Refusal(
                f"Schema.ref '{reference.rsplit('/', 1)[-1]}' was set alongside unsupported fields. If a schema node "
                "has Schema.ref set, then only description and default can be set alongside it; other fields they "
                "would be replaced by the expanded reference."
            )
        target = _target(schema, reference)
        if not isinstance(target, Mapping):
            return Refusal(INVALID_ARGUMENT)
        needs[reference] = set(_needed(target))
    while ended := [reference for reference, needed in needs.items() if not needed & needs.keys()]:
        for reference in ended:
            del needs[reference]
    return Refusal(INVALID_ARGUMENT) if needs else None


def _schemas(node: Any) -> Iterator[Schema]:
    """Yield every schema in *node*, starting with *node* itself."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _schemas(each)
    elif isinstance(node, Mapping):
        yield node
        for keyword, value in node.items():
            if keyword in MAPS and isinstance(value, Mapping):
                yield from _schemas(list(value.values()))
            elif keyword not in VALUES:
                yield from _schemas(value)


def _needed(node: Any) -> Iterator[str]:
    """Yield the references in *node* that are not inside an optional property."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _needed(each)
    elif isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        required, properties = node.get("required"), node.get("properties")
        if isinstance(required, list | tuple) and isinstance(properties, Mapping):
            names = [name for name in required if isinstance(name, str)]
            yield from _needed([properties[name] for name in names if name in properties])
        for keyword in ("items", "prefixItems", "anyOf", "oneOf", "allOf"):
            yield from _needed(node.get(keyword))


def _target(root: Schema, reference: str) -> Any:
    found: Any = root
    if not reference.startswith("#"):
        return None
    for key in reference.split("/")[1:]:
        found = found.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found
