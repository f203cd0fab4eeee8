"""Judges of Gemini's API: the protobufs of google-ai-generativelanguage, and the types of google-genai."""

from __future__ import annotations

from typing import Any

from google.ai.generativelanguage_v1beta.types import GenerateContentRequest
from google.genai import types
from google.protobuf import json_format
from pydantic import TypeAdapter

from tests.judges.workers.answering import answer_questions

_FIELDS: dict[str, TypeAdapter[Any]] = {
    "contents": TypeAdapter(list[types.Content]),
    "generation_config": TypeAdapter(types.GenerationConfig),
    "safety_settings": TypeAdapter(list[types.SafetySetting]),
    "system_instruction": TypeAdapter(types.Content),
    "tool_config": TypeAdapter(types.ToolConfig),
    "tools": TypeAdapter(list[types.Tool]),
}
_CAMEL = {
    "generationConfig": "generation_config",
    "safetySettings": "safety_settings",
    "systemInstruction": "system_instruction",
    "toolConfig": "tool_config",
}


def judge_protobuf(body: dict[str, Any]) -> None:
    """Refuse a body that cannot be read as Google's protobuf, such as one with a field that the protobuf lacks."""
    json_format.ParseDict(body, GenerateContentRequest.pb()())


def judge_types(body: dict[str, Any]) -> None:
    """Refuse a body with an unknown field, or with a value that google-genai's type of the field refuses."""
    for name, value in body.items():
        _FIELDS[_CAMEL.get(name, name)].validate_python(value)


if __name__ == "__main__":
    answer_questions({"protobuf": judge_protobuf, "genai": judge_types})
