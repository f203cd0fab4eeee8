"""Strategies for hostile requests of Gemini's API, which start from valid ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from proxy.upstream.signature_carriers import STAND_IN
from tests.support.builders import PNG_URL
from tests.support.strategies.hostile import junk, like, paths_of, replaced

FIELDS = (
    *("cachedContent", "generationConfig", "labels", "safetySettings", "safety_settings"),
    *("store", "systemInstruction", "system_instruction", "toolConfig", "tool_config", "tools", "x"),
)
SETTINGS = (
    *("candidateCount", "frequencyPenalty", "logprobs", "maxOutputTokens", "mediaResolution"),
    *("presencePenalty", "responseJsonSchema", "responseLogprobs", "responseMimeType", "responseSchema"),
    *("responseModalities", "response_modalities", "seed", "speechConfig", "stopSequences"),
    *("temperature", "thinkingConfig", "topK", "topP", "top_p", "x"),
)

_PNG = {"mimeType": "image/png", "data": PNG_URL.partition(",")[2]}
_SCHEMA = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING", "nullable": True}},
    "required": ["city"],
}
_TOOLS: tuple[dict[str, Any], ...] = (
    {"functionDeclarations": [{"name": "get_weather", "description": "Weather.", "parameters": _SCHEMA}]},
    {"function_declarations": [{"name": "run", "parameters_json_schema": {"type": "object"}}]},
    {"googleSearch": {}},
    {"url_context": {}},
    {"codeExecution": {}},
)

_PARTS: tuple[dict[str, Any], ...] = (
    {"text": "Fine."},
    {"text": "Hm.", "thought": True, "thoughtSignature": STAND_IN},
    {"text": "", "thought_signature": STAND_IN},
    {
        "functionCall": {"id": "c1", "name": "get_weather", "args": {"city": "Paris"}},
        "thoughtSignature": STAND_IN,
    },
    {"function_call": {"name": "run", "args": {"command": "ls"}}, "thought_signature": "tr1/QUJD"},
    {"functionResponse": {"id": "c1", "name": "get_weather", "response": {"output": "20 degrees"}}},
    {
        "functionResponse": {
            "name": "run",
            "response": {"error": "No."},
            "parts": [{"inlineData": _PNG}],
        }
    },
    {"inlineData": _PNG},
    {"inline_data": {"mime_type": "application/pdf", "data": "JVBERi0="}},
    {"fileData": {"mimeType": "image/png", "fileUri": "https://192.0.2.1/a.png"}},
    {"fileData": {"mimeType": "application/pdf", "fileUri": "files/abc"}},
    {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
    {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}, "id": "t1"}},
    {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {}, "id": "t1"}},
)

_CONTENTS: tuple[dict[str, Any], ...] = (
    {"role": "user", "parts": [{"text": "How is the weather?"}]},
    {"role": "model", "parts": [_PARTS[1], _PARTS[3], _PARTS[4]]},
    {"role": "user", "parts": [_PARTS[5], _PARTS[6]]},
    {"role": "model", "parts": [{"text": "It is"}]},
    {"parts": {"text": "And?"}},
    {"role": "function", "parts": [_PARTS[5]]},
    {"role": "user", "parts": [_PARTS[7], _PARTS[8], _PARTS[9]]},
)

_PART_FIELDS = (
    *("args", "code", "data", "fileData", "fileUri", "file_data", "functionCall", "functionResponse"),
    *("function_call", "id", "inlineData", "mimeType", "name", "output", "parts", "response", "text"),
    *("thought", "thoughtSignature", "toolCall", "videoMetadata"),
)


@st.composite
def gemini_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request whose parts are valid, in any order and in either spelling."""
    contents = [_CONTENTS[0], *draw(st.lists(st.sampled_from(_CONTENTS), max_size=6))]
    request: dict[str, Any] = {"contents": contents}
    if draw(st.booleans()):
        request["tools"] = draw(st.lists(st.sampled_from(_TOOLS), max_size=5))
        mode = draw(st.sampled_from(["AUTO", "any", "None", "VALIDATED"]))
        request["toolConfig"] = {
            "function_calling_config": {"mode": mode, "allowedFunctionNames": ["get_weather"]}
        }
    if draw(st.booleans()):
        request["system_instruction"] = draw(
            st.sampled_from(["Be brief.", {"parts": [{"text": "Be brief."}]}])
        )
    if draw(st.booleans()):
        request["generationConfig"] = {
            "maxOutputTokens": draw(st.sampled_from((1, 2_048))),
            "responseMimeType": "application/json",
            "responseSchema": _SCHEMA,
            "thinkingConfig": {"thinking_budget": 1_024, "includeThoughts": True},
            "stop_sequences": ["END"],
        }
    return request


@st.composite
def odd_gemini_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request with a few wrong values at any depth."""
    request: Any = draw(gemini_requests())
    match draw(st.integers(0, 4)):
        case 0:
            names = draw(st.lists(st.sampled_from(FIELDS), max_size=4, unique=True))
            request |= {name: draw(junk) for name in names}
        case 1:
            names = draw(st.lists(st.sampled_from(SETTINGS), max_size=5, unique=True))
            request["generationConfig"] = {name: draw(junk) for name in names}
        case 2:
            fields = st.dictionaries(st.sampled_from(_PART_FIELDS), junk, max_size=4)
            parts = st.lists(fields | st.sampled_from(_PARTS), max_size=5)
            roles = st.sampled_from(["user", "model", "function", "system", "MODEL"])
            content = st.builds(lambda role, held: {"role": role, "parts": held}, roles, parts)
            request["contents"] = [*request["contents"], *draw(st.lists(content, max_size=4))]
        case 3:
            request["tools"] = draw(st.lists(st.sampled_from(_TOOLS) | junk, max_size=4))
        case _:
            pass
    for _ in range(draw(st.integers(0, 3))):
        places = list(paths_of(request))[1:]
        path = draw(st.sampled_from(places))
        old = request
        for name in path:
            old = old[name]
        request = replaced(request, path, draw(like(old) if draw(st.integers(0, 3)) else junk))
    return dict(request)


def hostile_gemini_requests() -> st.SearchStrategy[bytes]:
    """Draw a JSON body that resembles a request of Gemini's API."""
    return odd_gemini_requests().map(lambda request: json.dumps(request).encode())
