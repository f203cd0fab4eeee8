"""Tests that JSON is read as a proto message: names, types, and one data field in each part."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator.judge import TOO_DEEP, read_request
from tests.proxy.emulator.wire import (
    body,
    fc,
    fr,
    image,
    model,
    text,
    user,
)

BAD = "Invalid JSON payload received. "


STRUCT = "type.googleapis.com/google.protobuf.Struct"


API = "type.googleapis.com/google.ai.generativelanguage.v1beta."


def deep(levels: int) -> Any:
    """Return an object nested *levels* deep."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def round_with(call: Any, response: Any) -> dict[str, Any]:
    """Return a body with a user text, a model's *call* and a user's *response*."""
    return body(user(), model(call), user(response))


CASES: list[tuple[str, Any, str | None]] = [
    (
        "response_text",
        round_with(fc(), {"functionResponse": {"name": "f", "response": "x"}}),
        f"Invalid value at 'contents[2].parts[0].function_response.response' ({STRUCT}), \"x\"",
    ),
    (
        "response_list",
        round_with(fc(), {"functionResponse": {"name": "f", "response": [1]}}),
        f"Invalid value at 'contents[2].parts[0].function_response.response' ({STRUCT}), [1]",
    ),
    (
        "args_null",
        round_with({"functionCall": {"name": "f", "args": None}}, fr()),
        f"Invalid value at 'contents[1].parts[0].function_call.args' ({STRUCT}), null",
    ),
    (
        "args_text_in_snake_case",
        round_with({"function_call": {"name": "f", "args": "{}"}}, fr()),
        f"Invalid value at 'contents[1].parts[0].function_call.args' ({STRUCT}), \"{{}}\"",
    ),
    (
        "unknown_part_field",
        body(user(text() | {"cache_control": {"type": "ephemeral"}})),
        f"{BAD}Unknown name \"cache_control\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    (
        "unknown_content_field",
        body(user() | {"name": "ada"}),
        f"{BAD}Unknown name \"name\" at 'contents[0]': Cannot find field.",
    ),
    ("unknown_top_field", body(user(), foo=1), f'{BAD}Unknown name "foo": Cannot find field.'),
    (
        "unknown_call_field",
        round_with({"functionCall": {"name": "f", "arguments": {}}}, fr()),
        f"{BAD}Unknown name \"arguments\" at 'contents[1].parts[0].function_call': Cannot find field.",
    ),
    (
        "role_in_bare_parts",
        body({"role": "user", "parts": {"role": "user", "text": "hi"}}),
        f"{BAD}Unknown name \"role\" at 'contents[0].parts': Cannot find field.",
    ),
    ("bare_part_for_a_list", body({"role": "user", "parts": text()}), None),
    (
        "text_is_a_number",
        body(user({"text": 5})),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
    ),
    (
        "text_is_an_object",
        body(user({"text": {}})),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), Starting an object on a scalar field",
    ),
    (
        "text_is_a_list",
        body(user({"text": []})),
        f"{BAD}Unknown name \"text\" at 'contents[0].parts[0]': Proto field is not repeating, cannot start list.",
    ),
    (
        "part_is_text",
        body(user() | {"parts": ["hi"]}),
        f"Invalid value at 'contents[0].parts[0]' ({API}Part), \"hi\"",
    ),
    (
        "two_kinds_of_data",
        body(user(text() | image())),
        "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inlineData'",
    ),
    ("body_is_a_list", [], f'{BAD}Unknown name "": Root element must be a message.'),
    ("too_deep", round_with(fc("f", deep(200), sign=False), fr()), TOO_DEEP),
    (
        "bad_base64",
        body(user(text(), image(data="a b"))),
        "Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"a b\"",
    ),
]


@pytest.mark.parametrize(("given", "refusal"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_json_is_read_as_a_proto_message_or_refused_with_the_exact_text(
    given: Any, refusal: str | None
) -> None:
    """The refusal of a wrong value names the value's path in snake case."""
    _, found = read_request(given)

    assert refusal == (found and found.message)


def test_every_unknown_name_is_listed() -> None:
    """Each unknown field name in a body has its own line in the refusal and its own field violation."""
    _, refusal = read_request(body(user(text() | {"x": 1}), user() | {"y": 2}))

    assert refusal is not None
    assert [v.field for v in refusal.field_violations] == ["contents[0].parts[0]", "contents[1]"]
    assert refusal.message.splitlines() == [v.description for v in refusal.field_violations]
