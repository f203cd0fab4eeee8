"""Single parts: what may not be empty, which names exist, which values and media are taken."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.errors import INVALID_ARGUMENT
from proxy.emulator.judge import TOO_DEEP
from proxy.emulator.parts import EMPTY_TEXT, NO_TEXT
from tests.proxy.emulator.wire import (
    GENERATIONS,
    SIGNED,
    V1_5,
    V2_5,
    V3_6,
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


@dataclass(frozen=True)
class Case:
    """A body and what every generation says of it."""

    id: str
    body: Any
    refusal: str | None


def deep(levels: int) -> Any:
    """Return an object nested *levels* deep."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def round_with(call: Any, response: Any) -> dict[str, Any]:
    """Return a round with the parts *call* and *response*."""
    return body(user(), model(call), user(response))


CASES = [
    Case("no_contents", {}, "* GenerateContentRequest.contents: contents is not specified\n"),
    Case(
        "empty_contents", {"contents": []}, "* GenerateContentRequest.contents: contents is not specified\n"
    ),
    Case(
        "empty_parts",
        body(user(), {"role": "model", "parts": []}, user()),
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ),
    Case(
        "parts_missing",
        body({"role": "user"}),
        "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n",
    ),
    Case(
        "empty_part",
        body(user(), model({}, text()), user()),
        "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one "
        "initialized field\n",
    ),
    Case(
        "part_with_signature_only",
        body(user(), model(text(), {"thoughtSignature": "skip_thought_signature_validator"}), user()),
        "* GenerateContentRequest.contents[1].parts[1].data: required oneof field 'data' must have one "
        "initialized field\n",
    ),
    Case(
        "part_with_thought_only",
        body(user({"thought": True})),
        "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one "
        "initialized field\n",
    ),
    Case("empty_text", body(user(), model(text("")), user()), EMPTY_TEXT),
    Case("empty_text_beside_text", body(user(text(), text(""))), EMPTY_TEXT),
    Case("blank_text", body(user(text(" "))), None),
    Case("empty_system_text", body(user(), systemInstruction={"parts": [text("")]}), EMPTY_TEXT),
    Case("system_instruction", body(user(), system_instruction={"parts": [text("be brief")]}), None),
    Case(
        "system_instruction_as_bare_part", body(user(), systemInstruction={"parts": text("be brief")}), None
    ),
    Case(
        "empty_system_instruction",
        body(user(), systemInstruction={"parts": []}),
        "* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n",
    ),
    Case(
        "empty_text_with_signature",
        body(
            user(),
            model(text(), text("") | {"thoughtSignature": "skip_thought_signature_validator"}),
            user(),
        ),
        None,
    ),
    Case(
        "response_without_name",
        round_with(fc(), {"functionResponse": {"response": {"a": 1}}}),
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
    ),
    Case(
        "two_names_empty",
        round_with(
            {"functionCall": {"name": "", "args": {}}}, {"functionResponse": {"name": "", "response": {}}}
        ),
        "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.\n"
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
    ),
    Case("empty_response_object", round_with(fc(), fr("f", {})), None),
    Case("response_missing", round_with(fc(), {"functionResponse": {"name": "f"}}), INVALID_ARGUMENT),
    Case(
        "response_text",
        round_with(fc(), {"functionResponse": {"name": "f", "response": "x"}}),
        f"Invalid value at 'contents[2].parts[0].function_response.response' ({STRUCT}), \"x\"",
    ),
    Case(
        "response_list",
        round_with(fc(), {"functionResponse": {"name": "f", "response": [1]}}),
        f"Invalid value at 'contents[2].parts[0].function_response.response' ({STRUCT}), [1]",
    ),
    Case(
        "args_null",
        round_with({"functionCall": {"name": "f", "args": None}}, fr()),
        f"Invalid value at 'contents[1].parts[0].function_call.args' ({STRUCT}), null",
    ),
    Case(
        "args_text_in_snake_case",
        round_with({"function_call": {"name": "f", "args": "{}"}}, fr()),
        f"Invalid value at 'contents[1].parts[0].function_call.args' ({STRUCT}), \"{{}}\"",
    ),
    Case(
        "nan_in_response",
        round_with(fc(), fr("f", {"ok": 1, "results": [math.nan]})),
        "Invalid function_response.response: field `results` has an empty value. All values must have a type "
        "(null, bool, number, string, list, or object).",
    ),
    Case(
        "unknown_part_field",
        body(user(text() | {"cache_control": {"type": "ephemeral"}})),
        f"{BAD}Unknown name \"cache_control\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    Case(
        "unknown_content_field",
        body(user() | {"name": "ada"}),
        f"{BAD}Unknown name \"name\" at 'contents[0]': Cannot find field.",
    ),
    Case("unknown_top_field", body(user(), foo=1), f'{BAD}Unknown name "foo": Cannot find field.'),
    Case(
        "unknown_call_field",
        round_with({"functionCall": {"name": "f", "arguments": {}}}, fr()),
        f"{BAD}Unknown name \"arguments\" at 'contents[1].parts[0].function_call': Cannot find field.",
    ),
    Case(
        "role_in_bare_parts",
        body({"role": "user", "parts": {"role": "user", "text": "hi"}}),
        f"{BAD}Unknown name \"role\" at 'contents[0].parts': Cannot find field.",
    ),
    Case("bare_part_for_a_list", body({"role": "user", "parts": text()}), None),
    Case(
        "text_is_a_number",
        body(user({"text": 5})),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
    ),
    Case(
        "text_is_an_object",
        body(user({"text": {}})),
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), Starting an object on a scalar field",
    ),
    Case(
        "text_is_a_list",
        body(user({"text": []})),
        f"{BAD}Unknown name \"text\" at 'contents[0].parts[0]': Proto field is not repeating, cannot start list.",
    ),
    Case(
        "part_is_text",
        body(user() | {"parts": ["hi"]}),
        f"Invalid value at 'contents[0].parts[0]' ({API}Part), \"hi\"",
    ),
    Case(
        "two_kinds_of_data",
        body(user(text() | image())),
        "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inlineData'",
    ),
    Case("body_is_a_list", [], f'{BAD}Unknown name "": Root element must be a message.'),
    Case("too_deep", round_with(fc("f", deep(200), sign=False), fr()), TOO_DEEP),
    Case("image", body(user(text(), image())), None),
    Case(
        "image_in_snake_case",
        body(user(text(), {"inline_data": {"mime_type": "image/png", "data": "aGk="}})),
        None,
    ),
    Case("image_jpg", body(user(text(), image("image/jpg"))), "Unsupported MIME type: image/jpg"),
    Case("bare_subtype", body(user(text(), image("png"))), "Unsupported MIME type: png"),
    Case("bmp", body(user(text(), image("image/bmp"))), INVALID_ARGUMENT),
    Case("no_bytes", body(user(text(), image(data=""))), INVALID_ARGUMENT),
    Case(
        "bad_base64",
        body(user(text(), image(data="a b"))),
        "Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"a b\"",
    ),
    Case("storage_file", body(user(text(), {"fileData": {"fileUri": "gs://b/x.png"}})), None),
    Case(
        "files_api",
        body(
            user(
                text(),
                {"file_data": {"file_uri": "https://generativelanguage.googleapis.com/v1beta/files/x"}},
            )
        ),
        None,
    ),
    Case(
        "web_file",
        body(user(text(), {"fileData": {"fileUri": "https://example.com/x.png", "mimeType": "image/png"}})),
        "Invalid or unsupported file uri: https://example.com/x.png",
    ),
    Case(
        "cached_content_beside_system_instruction",
        body(user(), cachedContent="cachedContents/x", systemInstruction={"parts": [text()]}),
        "CachedContent can not be used with GenerateContent request setting system_instruction, tools or "
        "tool_config. Proposed fix: move those values to CachedContent from GenerateContent request.",
    ),
]


@pytest.mark.parametrize("name", GENERATIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_part_is_taken_or_refused_with_the_exact_text(case: Case, name: str) -> None:
    """Every generation answers the body with the exact text, or takes it."""
    refusal = judge(name, case.body)

    assert case.refusal == (refusal and refusal.message)


@pytest.mark.parametrize("name", GENERATIONS)
def test_media_is_nested_from_gemini_3_on(name: str) -> None:
    """A response with media in it, of a good and of a bad type."""
    good = {"functionResponse": {"name": "f", "response": {}, "parts": [image()]}}
    bad = {"functionResponse": {"name": "f", "response": {}, "parts": [image("image/jpg")]}}
    refusals = [judge(name, round_with(fc(), part)) for part in (good, bad)]
    said = [refusal and refusal.message for refusal in refusals]

    if name in SIGNED:
        assert said == [None, "Unsupported MIME type: image/jpg"]
    else:
        assert said == [INVALID_ARGUMENT, INVALID_ARGUMENT]


def test_every_unknown_name_is_listed() -> None:
    """All unknown names come in one answer, a line and a field violation each."""
    refusal = judge(V2_5, body(user(text() | {"x": 1}), user() | {"y": 2}))

    assert refusal is not None
    assert [v.field for v in refusal.field_violations] == ["contents[0].parts[0]", "contents[1]"]
    assert refusal.message.splitlines() == [v.description for v in refusal.field_violations]


def test_image_needs_text_on_old_models() -> None:
    """A user content of an image alone is refused on 1.5 and taken later."""
    given = body(user(image()))

    refusal = judge(V1_5, given)
    assert refusal is not None
    assert refusal.message == NO_TEXT
    assert judge(V2_5, given) is None


def test_cached_content_is_not_there() -> None:
    """A cached content alone is refused as one that does not exist."""
    refusal = judge(V3_6, body(user(), cachedContent="cachedContents/x"))

    assert refusal is not None
    assert (refusal.status, refusal.status_name) == (403, "PERMISSION_DENIED")


def test_unknown_model_is_not_found() -> None:
    """A name that is not Gemini's is a 404 with Google's text; the resource prefix is understood."""
    refusal = judge("models/gpt-4o", body(user()))

    assert refusal is not None
    assert (refusal.status, refusal.status_name) == (404, "NOT_FOUND")
    assert refusal.message.startswith(
        "models/gpt-4o is not found for API version v1beta, or is not supported for"
    )
    assert judge("models/gemini-2.5-pro", body(user())) is None
