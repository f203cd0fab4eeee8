"""Tests that any JSON is read as a request to Gemini or refused with a place, and never fails otherwise."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.field_types import FIELDS
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.ingress.openai_chat.parameters import PARAMETERS, check_parameter
from sanitizers.validation import read_history

NAMES = [
    *FIELDS,
    *("functionDeclarations", "function_declarations", "googleSearch", "codeExecution", "fileSearch", "name"),
    *("parameters", "parametersJsonSchema", "functionCallingConfig", "mode", "allowedFunctionNames", "type"),
    *(
        "temperature",
        "topK",
        "top_k",
        "stopSequences",
        "responseSchema",
        "responseMimeType",
        "responseFormat",
    ),
    *("thinkingConfig", "thinkingBudget", "thinkingLevel", "includeThoughts", "responseModalities", "items"),
    *("role", "parts", "text", "thought", "thoughtSignature", "functionCall", "functionResponse", "args"),
    *("response", "id", "inlineData", "fileData", "mimeType", "data", "fileUri", "properties", "nullable"),
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "a", "f", "user", "model", "ANY", "STRING", "application/json", "1", "AAAA", "\ud83d"]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=25,
)
PARTS = st.sampled_from(
    [
        {"text": "a"},
        {"text": "", "thoughtSignature": "AAAA"},
        {"functionCall": {"name": "f", "args": {"a": [1]}}},
        {"function_call": {"id": "1", "name": ""}},
        {"functionResponse": {"name": "f", "response": {"b": 1}}},
        {"functionResponse": {"id": "1", "response": "x"}},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"executableCode": {"code": "1"}},
    ]
) | st.dictionaries(st.sampled_from(NAMES[-20:]), VALUES, max_size=2)
CONTENT = st.fixed_dictionaries(
    {"parts": st.lists(PARTS, max_size=3)}, optional={"role": st.sampled_from(["user", "model", "x", None])}
)
TOOL = st.dictionaries(
    st.sampled_from(["functionDeclarations", "googleSearch", "mcpServers"]),
    st.lists(
        st.fixed_dictionaries({"name": st.sampled_from("fg")}, optional={"parameters": VALUES}), max_size=2
    )
    | VALUES,
    max_size=2,
)
BODIES = st.fixed_dictionaries(
    {"contents": st.lists(CONTENT, max_size=3) | VALUES},
    optional={
        "tools": st.lists(TOOL, max_size=2) | VALUES,
        "toolConfig": VALUES,
        "generation_config": st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4) | VALUES,
        "systemInstruction": CONTENT | VALUES,
        "cachedContent": VALUES,
        "x": VALUES,
    },
)


@given(BODIES)
def test_any_body_is_read_or_refused(body: dict[str, Any]) -> None:
    """A request that is read has parameters of a chat's types, and a history that can be read."""
    try:
        fields = read_fields(json.dumps(body).encode(), model="m", max_nesting=60, mends=True)
        chat = to_chat(fields, tenant="t").chat
    except InvalidRequest:
        return
    for name, value in chat.parameters.items():
        if name in PARAMETERS:
            check_parameter(name, value)
    assert chat.parameters.keys() <= PARAMETERS.keys()
    read_history(chat.messages)
