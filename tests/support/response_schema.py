"""The response object of Open Responses as a JSON schema: its required keys and their types.

The types are those of `ResponseResource` (openresponses/openresponses, read 2026-11). Extra keys are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TRUTH: Schema = {"type": "boolean"}
FUNCTION = "function"


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    properties = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "properties": properties}


def _constant(value: str) -> Schema:
    return {"const": value}


def _one_of(values: Sequence[str]) -> Schema:
    return {"enum": list(values)}


STATUS = _one_of(("in_progress", "completed", "incomplete"))
OUTPUT_TEXT = _object(
    {
        "type": _constant("output_text"),
        "text": TEXT,
        "annotations": _list({"type": "object"}),
        "logprobs": _list({"type": "object"}),
    }
)
REFUSAL = _object({"type": _constant("refusal"), "refusal": TEXT})
SUMMARY = _object({"type": _one_of(("summary_text", "reasoning_text")), "text": TEXT})
ITEM: Schema = {
    "anyOf": [
        _object(
            {
                "type": _constant("message"),
                "id": TEXT,
                "status": STATUS,
                "role": _constant("assistant"),
                "content": _list({"anyOf": [OUTPUT_TEXT, REFUSAL]}),
            }
        ),
        _object(
            {
                "type": _constant("function_call"),
                "id": TEXT,
                "call_id": TEXT,
                "name": TEXT,
                "arguments": TEXT,
                "status": STATUS,
            }
        ),
        _object(
            {"type": _constant("reasoning"), "id": TEXT, "summary": _list(SUMMARY)},
            {"content": _list(SUMMARY), "encrypted_content": TEXT},
        ),
    ]
}
TOOL = _object(
    {
        "type": _constant(FUNCTION),
        "name": TEXT,
        "description": _or_null(TEXT),
        "parameters": _or_null({"type": "object"}),
        "strict": _or_null(TRUTH),
    }
)
CHOICE: Schema = {
    "anyOf": [
        _one_of(("none", "auto", "required")),
        _object({"type": _constant(FUNCTION)}, {"name": TEXT}),
        _object({"type": _constant("allowed_tools"), "mode": TEXT, "tools": _list({"type": "object"})}),
    ]
}
USAGE = _object(
    {
        "input_tokens": WHOLE,
        "output_tokens": WHOLE,
        "total_tokens": WHOLE,
        "input_tokens_details": _object({"cached_tokens": WHOLE}),
        "output_tokens_details": _object({"reasoning_tokens": WHOLE}),
    }
)
RESPONSE = _object(
    {
        "id": TEXT,
        "object": _constant("response"),
        "created_at": WHOLE,
        "completed_at": _or_null(WHOLE),
        "status": TEXT,
        "incomplete_details": _or_null(_object({"reason": TEXT})),
        "model": TEXT,
        "previous_response_id": _or_null(TEXT),
        "instructions": _or_null(TEXT),
        "output": _list(ITEM),
        "error": _or_null(_object({"code": TEXT, "message": TEXT})),
        "tools": _list(TOOL),
        "tool_choice": CHOICE,
        "truncation": _one_of(("auto", "disabled")),
        "parallel_tool_calls": TRUTH,
        "text": _object({"format": _object({"type": TEXT})}),
        "top_p": NUMBER,
        "presence_penalty": NUMBER,
        "frequency_penalty": NUMBER,
        "top_logprobs": WHOLE,
        "temperature": NUMBER,
        "reasoning": _or_null(_object({"effort": _or_null(TEXT), "summary": _or_null(TEXT)})),
        "user": _or_null(TEXT),
        "usage": _or_null(USAGE),
        "max_output_tokens": _or_null(WHOLE),
        "max_tool_calls": _or_null(WHOLE),
        "store": TRUTH,
        "background": TRUTH,
        "service_tier": TEXT,
        "metadata": {"type": "object"},
        "safety_identifier": _or_null(TEXT),
        "prompt_cache_key": _or_null(TEXT),
    }
)
_VALIDATOR = Draft202012Validator(RESPONSE)


def schema_faults(response: Mapping[str, Any]) -> list[str]:
    """Return the place and the message of each fault of a response object."""
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in _VALIDATOR.iter_errors(response)]
