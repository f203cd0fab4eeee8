"""Tests of the rules for single parts: empty fields, missing names, values and media."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.errors import INVALID_ARGUMENT
from proxy.emulator.parts import EMPTY_TEXT, NO_TEXT
from tests.proxy.emulator.wire import (
    GENERATIONS,
    SIGNED,
    UNSIGNED,
    V1_5,
    V2_5,
    V3_6,
    body,
    fc,
    fr,
    image,
    model,
    refusal_texts,
    text,
    user,
)


@dataclass(frozen=True)
class Case:
    """A request body, and the text with which every generation refuses the body, or None."""

    id: str
    body: Any
    refusal: str | None


def round_with(call: Any, response: Any) -> dict[str, Any]:
    """Return a body with a user text, a model's *call* and a user's *response*."""
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
        "nan_in_response",
        round_with(fc(), fr("f", {"ok": 1, "results": [math.nan]})),
        "Invalid function_response.response: field `results` has an empty value. All values must have a type "
        "(null, bool, number, string, list, or object).",
    ),
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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_part_is_accepted_or_refused_with_the_exact_text(case: Case) -> None:
    """Every generation of Gemini refuses the body of a case with the same text, or accepts the body."""
    assert refusal_texts(GENERATIONS, case.body) == dict.fromkeys(GENERATIONS, case.refusal)


def test_responses_with_media_are_accepted_from_gemini_3_on() -> None:
    """Gemini 3 and later accept a response with an image, and refuse only an unsupported MIME type."""
    good = {"functionResponse": {"name": "f", "response": {}, "parts": [image()]}}
    bad = {"functionResponse": {"name": "f", "response": {}, "parts": [image("image/jpg")]}}

    for part, refusal in ((good, None), (bad, "Unsupported MIME type: image/jpg")):
        given = round_with(fc(), part)
        assert refusal_texts(SIGNED, given) == dict.fromkeys(SIGNED, refusal)
        assert refusal_texts(UNSIGNED, given) == dict.fromkeys(UNSIGNED, INVALID_ARGUMENT)


def test_image_needs_text_on_old_models() -> None:
    """Gemini 1.5 refuses a user content with only an image, and Gemini 2.5 accepts the content."""
    given = body(user(image()))

    assert refusal_texts((V1_5, V2_5), given) == {V1_5: NO_TEXT, V2_5: None}


def test_cached_content_does_not_exist() -> None:
    """A cached content is refused with the status of an expired cache."""
    refusal = judge(V3_6, body(user(), cachedContent="cachedContents/x"))

    assert refusal is not None
    assert (refusal.status, refusal.status_name) == (403, "PERMISSION_DENIED")
