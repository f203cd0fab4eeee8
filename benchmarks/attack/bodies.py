"""Build hostile bodies as bytes, each of about a given size.

A family is a function that takes a size, and returns the JSON members of a request, without ``model``. Bodies are built
as bytes, since 32 MiB of empty JSON objects would take gigabytes as Python objects.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping

Family = Callable[[int], bytes]

_USER = b'"messages":[{"role":"user","content":"Hello."}]'
_WITH_TOOL = b'"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{}}}}],'


def repeated(before: bytes, unit: bytes, after: bytes) -> Family:
    """Return the family of bodies that repeat *unit*, with commas, as often as the size allows."""

    def build(size: int) -> bytes:
        count = max(1, (size - len(before) - len(after)) // (len(unit) + 1))
        return before + b",".join([unit] * count) + after

    return build


def counted(before: bytes, unit: bytes, after: bytes) -> Family:
    """Return the family of bodies that repeat *unit*, with a new number at ``%d`` each time."""
    numbers = unit.count(b"%d")

    def build(size: int) -> bytes:
        room = size - len(before) - len(after)
        shortest = len(unit) + 1 - 2 * numbers
        digits = len(str(room // shortest))
        count = max(1, room // (shortest + digits * numbers))
        return before + b",".join(unit % ((at,) * numbers) for at in range(count)) + after

    return build


def filled(before: bytes, unit: bytes, after: bytes) -> Family:
    """Return the family of bodies that repeat *unit* without a separator."""
    return lambda size: before + unit * max(1, (size - len(before) - len(after)) // len(unit)) + after


def nested(before: bytes, opening: bytes, inner: bytes, closing: bytes, after: bytes) -> Family:
    """Return the family of bodies that nest as deeply as the size allows."""

    def build(size: int) -> bytes:
        depth = max(1, size // (len(opening) + len(closing)))
        return before + opening * depth + inner + closing * depth + after

    return build


_CALL = b'{"id":"%s","type":"function","function":{"name":"look","arguments":%s}}'
_SAY = b'"messages":[{"role":"user","content":'
_END = b"}]"
_ASK = b'"messages":[{"role":"user","content":"Go."},'
_PARTS = b'"messages":[{"role":"user","content":['
_TOOLS = _USER + b',"tools":['
_TOOL = b'{"type":"function","function":{"name":"look%d","description":"Look.","parameters":{"type":"object",'

CHAT: Mapping[str, Family] = {
    "many stops": counted(_USER + b',"stop":[', b'"s%d"', b"]"),
    "many modalities": repeated(_USER + b',"modalities":[', b'"text"', b"]"),
    "logit_bias": counted(_USER + b',"logit_bias":{', b'"%d":1', b"}"),
    "metadata": counted(_USER + b',"metadata":{', b'"k%d":"v"', b"}"),
    "identical illegal ids": repeated(
        _ASK + b'{"role":"assistant","content":null,"tool_calls":[', _CALL % (b"?!", b'"{}"'), b"]}]"
    ),
    "identical long ids": repeated(
        _ASK + b'{"role":"assistant","content":null,"tool_calls":[', _CALL % (b"x" * 80, b'"{}"'), b"]}]"
    ),
    "identical ids, one turn each": repeated(
        _ASK,
        b'{"role":"assistant","content":null,"tool_calls":[' + _CALL % (b"?!", b'"{}"') + b"]},"
        b'{"role":"tool","tool_call_id":"?!","content":"1"}',
        b"]",
    ),
    "empty objects in an unknown field": repeated(_USER + b',"unknown":[', b"{}", b"]"),
    "empty objects as messages": repeated(b'"messages":[', b"{}", b"]"),
    "empty objects as tools": repeated(_TOOLS, b"{}", b"]"),
    "dense parts": repeated(_PARTS, b'{"type":"text","text":""}', b"]}]"),
    "numbers": repeated(_USER + b',"unknown":[', b"1", b"]"),
    "many tools": counted(_TOOLS, _TOOL + b'"properties":{"a":{"type":"string"}}}}}', b"]"),
    "wide schema": counted(
        _TOOLS + _TOOL.replace(b"%d", b"") + b'"properties":{', b'"p%d":{"type":["string","null"]}', b"}}}}]"
    ),
    "$ref fan-out": counted(
        _TOOLS
        + _TOOL.replace(b"%d", b"")
        + b'"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"end":{"type":"string"},',
        b'"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/end"},"b":{"$ref":"#/$defs/d%d"}}}',
        b"}}}}]",
    ),
    "deep arguments": nested(
        _WITH_TOOL + _ASK + b'{"role":"assistant","content":null,"tool_calls":['
        b'{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"a\\":',
        b"[",
        b"",
        b"]",
        b'}"}}]},{"role":"tool","tool_call_id":"call_1","content":"1"}]',
    ),
    "unclosed arguments": filled(
        _WITH_TOOL + _ASK + b'{"role":"assistant","content":null,"tool_calls":['
        b'{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"a\\":',
        b"[1,",
        b'"}}]},{"role":"tool","tool_call_id":"call_1","content":"1"}]',
    ),
    "empty objects in arguments": filled(
        _WITH_TOOL + _ASK + b'{"role":"assistant","content":null,"tool_calls":['
        b'{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"a\\":[',
        b"{},",
        b'{}]}"}}]},{"role":"tool","tool_call_id":"call_1","content":"1"}]',
    ),
    "nested to the limit": repeated(_USER + b',"unknown":[', b"[" * 90 + b"]" * 90, b"]"),
    "deep nesting": nested(_USER + b',"unknown":', b"[", b"", b"]", b""),
    "non-ASCII text": filled(_SAY + b'"', "é漢😀".encode(), b'"' + _END),
    "escaped text": filled(_SAY + b'"', b"\\u00e9\\u6f22", b'"' + _END),
    "half surrogates": filled(_SAY + b'"', b"\\ud83d x", b'"' + _END),
    "text over the budget": repeated(
        b'"messages":[', b'{"role":"user","content":"%s"}' % (b"word " * 400), b"]"
    ),
    "orphans": counted(_ASK, b'{"role":"tool","tool_call_id":"call_%d","content":"1"}', b"]"),
    "duplicate results": repeated(
        _WITH_TOOL
        + _ASK
        + b'{"role":"assistant","content":null,"tool_calls":['
        + _CALL % (b"call_1", b'"{}"')
        + b"]},",
        b'{"role":"tool","tool_call_id":"call_1","content":"1"}',
        b"]",
    ),
    "calls without results": counted(
        _WITH_TOOL + _ASK + b'{"role":"assistant","content":null,"tool_calls":[',
        _CALL.replace(b"%s", b"call_%d", 1).replace(b"%s", b'"{}"'),
        b"]}]",
    ),
    "short messages": repeated(b'"messages":[', b'{"role":"user","content":"a"}', b"]"),
    "system messages": repeated(b'"messages":[', b'{"role":"system","content":"a"}', b"]"),
    "assistant turns": repeated(_ASK, b'{"role":"assistant","content":"a"}', b"]"),
    "a long data: URL": filled(
        _PARTS + b'{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo',
        b"AAAA",
        b'"}}]}]',
    ),
    "many data: URLs": repeated(
        _PARTS, b'{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}', b"]}]"
    ),
    "many addresses": counted(
        _PARTS, b'{"type":"image_url","image_url":{"url":"https://192.0.2.1/%d.png"}}', b"]}]"
    ),
    "response format": counted(
        _USER + b',"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":'
        b'{"type":"object","properties":{',
        b'"p%d":{"enum":["a","b"]}',
        b"}}}}",
    ),
    "functions": counted(_USER + b',"functions":[', b'{"name":"f%d","parameters":{}}', b"]"),
}
"""Families of chat requests."""

EMBEDDINGS: Mapping[str, Family] = {
    "lists of one token": repeated(b'"input":[', b"[1]", b"]"),
    "empty strings": repeated(b'"input":[', b'""', b"]"),
    "short strings": repeated(b'"input":[', b'"a"', b"]"),
    "tokens": repeated(b'"input":[', b"1", b"]"),
    "empty objects": repeated(b'"input":"a","unknown":[', b"{}", b"]"),
    "non-ASCII text": filled(b'"input":"', "é漢".encode(), b'"'),
    "half surrogates": filled(b'"input":"', b"\\ud83d x", b'"'),
}
"""Families of embedding requests."""

COMPLETIONS: Mapping[str, Family] = {
    name: (lambda size, build=build: build(size).replace(b'"input"', b'"prompt"', 1))
    for name, build in EMBEDDINGS.items()
} | {"many stops": counted(b'"prompt":"a","stop":[', b'"s%d"', b"]")}
"""Families of text completions."""


_ITEMS = b'"input":[{"role":"user","content":"Go."},'
_ITEM_CALL = b'{"type":"function_call","call_id":"%s","name":"look","arguments":"{}"}'
_ITEM_TOOL = b'{"type":"function","name":"look%d","parameters":{}}'

RESPONSES: Mapping[str, Family] = {
    "short messages": repeated(_ITEMS, b'{"role":"user","content":"a"}', b"]"),
    "empty objects as items": repeated(_ITEMS, b"{}", b"]"),
    "calls without outputs": counted(_ITEMS, _ITEM_CALL.replace(b"%s", b"call_%d"), b"]"),
    "identical illegal ids": repeated(_ITEMS, _ITEM_CALL % b"?!", b"]"),
    "outputs without calls": counted(
        _ITEMS, b'{"type":"function_call_output","call_id":"call_%d","output":"1"}', b"]"
    ),
    "undeclared names": counted(
        _ITEMS,
        b'{"type":"function_call","call_id":"c%d","name":"f %d","namespace":"n","arguments":"{}"}',
        b"]",
    ),
    "server calls without ids": repeated(
        _ITEMS, b'{"type":"mcp_call","name":"f","server_label":"s","output":"1"}', b"]"
    ),
    "foreign thoughts": repeated(
        _ITEMS, b'{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"}', b"]"
    ),
    "thoughts of one turn": counted(
        _ITEMS, b'{"type":"reasoning","summary":[{"type":"summary_text","text":"%d"}]}', b"]"
    ),
    "a long envelope": filled(
        _ITEMS + b'{"type":"reasoning","summary":[],"encrypted_content":"tr1_', b"AAAA", b'"}]'
    ),
    "references to thoughts": counted(_ITEMS, b'{"type":"item_reference","id":"rs_%d"}', b"]"),
    "references to messages": counted(_ITEMS, b'{"id":"msg_%d"}', b"]"),
    "tools of items": counted(_ITEMS, b'{"type":"additional_tools","tools":[' + _ITEM_TOOL + b"]}", b"]"),
    "many tools": counted(b'"input":"a","tools":[', _ITEM_TOOL, b"]"),
    "namespaces": counted(
        b'"input":"a","tools":[',
        b'{"type":"namespace","name":"n%d","tools":[{"type":"custom","name":"f"}]}',
        b"]",
    ),
    "half surrogates": filled(_ITEMS + b'{"role":"user","content":"', b"\\ud83d x", b'"}]'),
    "nested to the limit": repeated(_ITEMS + b'{"type":"x","a":[', b"[" * 90 + b"]" * 90, b"]}]"),
}
"""Families of requests of the Responses API."""


OF_TESTS = "tests: "
"""The beginning of the names of families that come from the tests."""


def chat_families() -> dict[str, Family]:
    """Return the families of chat requests.

    If the tests are installed, their families of chat requests are included.
    """
    found: dict[str, Family] = dict(CHAT)
    try:
        hostile_bodies = importlib.import_module("tests.support.hostile_bodies")
    except ModuleNotFoundError:
        return found
    for name, build in hostile_bodies.FAMILIES.items():
        if name not in hostile_bodies.PATHS:
            found[f"{OF_TESTS}{name}"] = _members_of(build)
    return found


def _members_of(build: Callable[[int], Mapping[str, object]]) -> Family:
    """Return the family that encodes the requests of *build*, a family of the tests, without their model."""
    return lambda size: json.dumps({k: v for k, v in build(size).items() if k != "model"}).encode()[1:-1]


def chat(model: str, members: bytes, *, stream: bool = False) -> bytes:
    """Return the body of a chat request for *model*."""
    streamed = b'"stream":true,' if stream else b""
    return b'{"model":"%s",%s%s}' % (model.encode(), streamed, members)


def looked_at(model: str, members: bytes) -> bytes:
    """Return the body that the inspector's page sends to inspect a request."""
    target = json.dumps({"model": model}).encode()
    return b'{"target":%s,"request":%s}' % (target, chat(model, members))
