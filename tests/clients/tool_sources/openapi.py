"""The operations of OpenAPI documents as tools, as generators of MCP servers write them.

Parameters and the members of a JSON body are the tool's properties. A body without properties is the property ``body``.
The components to which a tool's schema refers become its ``$defs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.pointers import pointed
from tests.clients.tool_sources.tool import Tool

METHODS = ("get", "put", "post", "delete", "patch")
COMPONENTS = "#/components/schemas/"

Json = dict[str, Any]


def read_operations(document: Mapping[str, Any]) -> Iterator[Tool]:
    """Yield a tool for each operation that takes parameters or a body, in the document's order."""
    for path, item in (document.get("paths") or {}).items():
        for method in METHODS:
            if method in item:
                tool = _tool(document, f"{method} {path}", item, item[method])
                if tool.schema["properties"]:
                    yield tool


def _tool(document: Mapping[str, Any], place: str, item: Mapping[str, Any], operation: Json) -> Tool:
    properties: Json = {}
    required: list[str] = []
    for given in (*item.get("parameters", ()), *operation.get("parameters", ())):
        parameter = _resolved(document, given)
        schema = dict(parameter.get("schema") or {"type": "string"})
        if parameter.get("description"):
            schema.setdefault("description", parameter["description"])
        properties[parameter["name"]] = schema
        if parameter.get("required"):
            required.append(parameter["name"])
    body = _resolved(document, operation.get("requestBody") or {})
    for schema in _json_schemas(body):
        target = _resolved(document, schema)
        if isinstance(target.get("properties"), Mapping):
            properties |= target["properties"]
            required += target.get("required") or ()
        else:
            properties["body"] = schema
            required += ["body"] * bool(body.get("required"))
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(dict.fromkeys(required))
    description = operation.get("description") or operation.get("summary") or place
    return Tool(
        _name(operation.get("operationId") or place), description, _with_definitions(document, schema)
    )


def _json_schemas(body: Mapping[str, Any]) -> Iterator[Any]:
    for kind, media in (body.get("content") or {}).items():
        if "json" in kind and "schema" in media:
            yield media["schema"]
            return


def _resolved(document: Mapping[str, Any], node: Json) -> Json:
    seen = set()
    while isinstance(node.get("$ref"), str) and node["$ref"] not in seen:
        seen.add(node["$ref"])
        node = pointed(document, node["$ref"])
    return node


def _with_definitions(document: Mapping[str, Any], schema: Json) -> Json:
    """Return *schema* with the components that it refers to in ``$defs``."""
    definitions: Json = {}
    components = (document.get("components") or {}).get("schemas") or {}
    waiting = [schema]
    while waiting:
        for name in _referred(waiting.pop()):
            if name in components and name not in definitions:
                definitions[name] = components[name]
                waiting.append(components[name])
    whole = {**schema, "$defs": definitions} if definitions else schema
    rewritten: Json = _with_local_references(whole)
    return rewritten


def _referred(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _referred(each)
    elif isinstance(node, Mapping):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(COMPONENTS):
            yield reference.removeprefix(COMPONENTS)
        for each in node.values():
            yield from _referred(each)


def _with_local_references(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_local_references(each) for each in node]
    if not isinstance(node, Mapping):
        return node
    return {
        name: each.replace(COMPONENTS, "#/$defs/")
        if name == "$ref" and isinstance(each, str)
        else _with_local_references(each)
        for name, each in node.items()
    }


def _name(text: str) -> str:
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")[:64]
