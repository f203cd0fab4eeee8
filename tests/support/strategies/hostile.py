"""Strategies for hostile request bodies: bytes that are no JSON, JSON that is no request, and wrong requests.

Most bodies start from a valid request, because a body that fails at its first byte tests little.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from proxy.ingress.openai_chat.parameters import PARAMETERS
from tests.support.builders import assistant, call, image, tool, user
from tests.support.strategies.arbitrary import any_histories

MODELS = ("gemini", "gemini-2.5", "openai")
"""The model names that the tests configure."""

Path = tuple[str | int, ...]

_WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["city"],
        },
    },
}

_HISTORIES: tuple[list[dict[str, Any]], ...] = (
    [user("Hello.")],
    [
        {"role": "system", "content": "Be brief."},
        user("How is the weather in Paris?"),
        assistant(calls=[call("c1", "get_weather", '{"city": "Paris"}')]),
        tool("c1", '{"degrees": 20}'),
        user("And now?"),
    ],
    [user([{"type": "text", "text": "What is this?"}, image()])],
)

_SURROGATE = "\ud83d alone"
_JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    -1e-320,
    2**63,
    2**64,
    -(2**70),
    10**400,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\x00",
    "auto",
    "tool",
    "model",
    "x" * 5_000,
    _SURROGATE,
    "\U0010ffff\u202e\ufeff",
    "data:image/png;base64,!!!",
    "http://[::1",
    "{",
    [],
    [None],
    [[]],
    {},
    {"": None},
    {"type": "text"},
    {"type": ["object"], "properties": []},
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
    {"role": "assistant", "tool_calls": [{"function": None}]},
    {_SURROGATE: _SURROGATE},
)

_PLAUSIBLE: tuple[Any, ...] = (
    1,
    2,
    0.5,
    True,
    False,
    "none",
    "low",
    "high",
    ["a"],
    {"type": "json_object"},
    {"a": 1},
)
"""Values that are valid for some parameters."""

_MESSAGE_FIELDS = (
    *("audio", "cache_control", "content", "function_call", "name", "reasoning_content", "refusal", "role"),
    *(
        "thinking_blocks",
        "tool_call_id",
        "tool_calls",
        "provider_specific_fields",
        "extra_content",
        "__proto__",
    ),
)

junk = st.one_of(
    st.sampled_from(_JUNK),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    ),
)
"""Draws arbitrary JSON values, most of which are invalid in a request."""


def paths_of(value: Any, prefix: Path = ()) -> Iterator[Path]:
    """Yield the path of *value* itself, then the path of every value inside *value*."""
    yield prefix
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from paths_of(inner, (*prefix, name))


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Return *value* with *new* at *path*."""
    if not path:
        return new
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def like(value: Any) -> st.SearchStrategy[Any]:
    """Draw unusual values of the same type as *value*, which pass a check of types alone."""
    if isinstance(value, bool) or value is None:
        return st.booleans()
    if isinstance(value, str):
        return st.sampled_from([odd for odd in _JUNK if isinstance(odd, str)]) | st.text(max_size=20)
    if isinstance(value, int | float):
        return st.sampled_from([0, 1, -1, 2**31, 2**63, 1e-9, 1e300]) | st.integers() | st.floats(0, 2)
    if isinstance(value, list):
        return st.sampled_from([[], value * 2, value[::-1], value[1:], value * 50])
    return st.dictionaries(st.sampled_from([*value, "type", "x"]), junk, max_size=2).map(
        lambda more: value | more
    )


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a valid request."""
    request: dict[str, Any] = {
        "model": draw(st.sampled_from(MODELS)),
        "messages": draw(st.sampled_from(_HISTORIES)),
    }
    if draw(st.booleans()):
        request["stream"] = True
        request["stream_options"] = {"include_usage": True}
    if draw(st.booleans()):
        request["tools"] = [_WEATHER]
        request["tool_choice"] = draw(st.sampled_from(["auto", "required", "none"]))
    if draw(st.booleans()):
        request |= {"temperature": 0.5, "max_tokens": 100, "stop": ["END"], "seed": 7, "n": 1}
        request["response_format"] = {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}
    return request


@st.composite
def odd_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request with a few wrong values at any depth. The rest of the request is well formed."""
    request: Any = draw(requests())
    match draw(st.integers(0, 4)):
        case 0:
            request["messages"] = draw(any_histories())
        case 1:
            names = draw(st.lists(st.sampled_from(sorted(PARAMETERS)), max_size=6, unique=True))
            request |= {name: draw(junk | st.sampled_from(_PLAUSIBLE)) for name in names}
        case 2:
            fields = st.dictionaries(st.sampled_from(_MESSAGE_FIELDS), junk, max_size=5)
            role = {"role": draw(st.sampled_from(["user", "assistant", "tool", "system", "function", "x"]))}
            request["messages"] = [
                *request["messages"],
                role | draw(fields),
                *draw(st.lists(fields, max_size=2)),
            ]
        case 3:
            schema = draw(
                st.dictionaries(st.sampled_from(["type", "properties", "items", "anyOf", "enum"]), junk)
            )
            function = {
                "name": draw(st.sampled_from(["f", "get_weather", "", "a b", "é"])),
                "parameters": schema,
            }
            request["tools"] = [{"type": "function", "function": function}, *draw(st.lists(junk, max_size=2))]
        case _:
            pass
    for _ in range(draw(st.integers(0, 3))):
        places = list(paths_of(request))[1:]
        if not places or not isinstance(request, dict):
            break
        path = draw(st.sampled_from(places))
        old = request
        for name in path:
            old = old[name]
        request = replaced(request, path, draw(like(old) if draw(st.integers(0, 3)) else junk))
    return dict(request)


def _written(value: Any) -> bytes:
    return json.dumps(value).encode()  # NaN, huge numbers and half surrogates go out as Python writes them


@st.composite
def _spoilt(draw: st.DrawFn) -> bytes:
    """Draw a request's bytes, a few of which are lost, doubled or changed."""
    body = bytearray(_written(draw(requests())))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(body)))
        match draw(st.integers(0, 4)):
            case 0:
                del body[at : at + draw(st.integers(1, 40))]
            case 1:
                body[at:at] = draw(st.binary(max_size=6))
            case 2:
                body[at:at] = body[at : at + draw(st.integers(1, 40))]
            case 3:
                del body[at:]
            case _:
                signs = [
                    b'"',
                    b"\\",
                    b"{",
                    b"}",
                    b"[",
                    b"]",
                    b",",
                    b":",
                    b"\\ud800",
                    b"\xed\xa0\x80",
                    b"1e999",
                ]
                body[at:at] = draw(st.sampled_from(signs))
    return bytes(body)


@st.composite
def _doubled(draw: st.DrawFn) -> bytes:
    """Draw a request with a key that comes twice, at the top or in a message."""
    request = draw(requests())
    name = draw(st.sampled_from([*request, "model", "messages", "stream"]))
    more = b'"%b": %b' % (name.encode(), _written(draw(junk)))
    body = _written(request)
    if draw(st.booleans()):
        return body[:-1] + b", " + more + b"}"
    role = b'{"role": %b, ' % _written(draw(junk))
    return body.replace(b'{"role": "user", ', b'{"role": "user", "role": "user", ', 1).replace(
        b'{"role": "assistant", ', role, 1
    )


@st.composite
def _deep(draw: st.DrawFn) -> bytes:
    """Draw a request that nests deeply somewhere."""
    depth = draw(st.sampled_from([50, 95, 99, 100, 101, 250, 1_000, 1_100, 20_000, 200_000]))
    opening, closing = draw(st.sampled_from([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"items":', b"}]")]))
    value = opening * depth + b"1" + closing * depth * draw(st.sampled_from([0, 1, 1, 1]))
    marked = draw(requests())
    places = list(paths_of(marked))[1:]
    body = _written(replaced(marked, draw(st.sampled_from(places)), "MARK"))
    return body.replace(b'"MARK"', value, 1)


@st.composite
def _numbers(draw: st.DrawFn) -> bytes:
    """Draw a request with an extreme number, such as one that overflows a float."""
    numbers = [
        b"1e999",
        b"-1e999",
        b"1" * 5_000,
        b"-" + b"9" * 400,
        b"0." + b"1" * 2_000,
        b"1E+400",
        b"-0",
        b"1e-999",
    ]
    marked = draw(requests()) | {draw(st.sampled_from(sorted(PARAMETERS))): "MARK"}
    places = list(paths_of(marked))[1:]
    if draw(st.booleans()):
        marked = replaced(marked, draw(st.sampled_from(places)), "MARK")
    return _written(marked).replace(b'"MARK"', draw(st.sampled_from(numbers)))


def hostile_bytes() -> st.SearchStrategy[bytes]:
    """Draw the bytes of a body, which are rarely a valid request."""
    return st.one_of(
        st.binary(max_size=300),
        st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
        junk.map(_written),
        _spoilt(),
        _doubled(),
        _deep(),
        _numbers(),
    )


def hostile_requests() -> st.SearchStrategy[bytes]:
    """Draw a JSON body that resembles a request."""
    return odd_requests().map(_written)
