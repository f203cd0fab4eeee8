"""``python -m benchmarks.gateway.contents``: CPU of Gemini's format at the client, beside chat.

To Gemini, the client's own bytes go through. This is compared with a chat that goes through to OpenAI's wire. To other
providers, a request of Gemini's format is compared with the same chat request. :mod:`benchmarks.gateway.pairs` says how
both are measured. Exits with 1 where a ratio exceeds its goal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchmarks.gateway.beside_chat import CHUNK, Comparison, main
from benchmarks.gateway.bodies import Body
from benchmarks.gateway.messages import config as config_with_claude
from benchmarks.gateway.pairs import Kind
from benchmarks.gateway.peers import CHAT
from proxy.emulator.signatures import sign_call

_OPENAI, _CLAUDE, _GEMINI_3 = "m-openai", "m-claude", "m-gemini-3"

NATIVE = "Gemini to Gemini"
ROWS: Mapping[str, tuple[str, str]] = {
    NATIVE: (_GEMINI_3, _OPENAI),
    "Gemini to OpenAI": (_OPENAI, _OPENAI),
    "Gemini to Claude": (_CLAUDE, _CLAUDE),
}
"""The model of each row, and the model of the chat beside it."""

GOALS: Mapping[str, float] = {
    **dict.fromkeys(ROWS, 1.3),
    **dict.fromkeys((f"{row}{CHUNK}" for row in ROWS), 1.5),
    NATIVE: 1.1,
}
"""The largest ratio of each row."""


def as_contents(body: Body) -> dict[str, Any]:
    """Return the chat request *body* as a request of Gemini's API with the same history and tools.

    Calls have ids, and the first call of each content has a signature, as gemini-cli sends them.
    """
    contents: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"contents": contents}
    counter = 0
    names = {call["id"]: call["function"]["name"] for call in _calls_in(body["messages"])}
    for message in body["messages"]:
        role, text = message["role"], message.get("content")
        if role == "system":
            asked["systemInstruction"] = {"parts": [{"text": text}]}
            continue
        parts = [] if text is None else [{"text": text}]
        if role == "tool":
            call_id = message["tool_call_id"]
            response = {"id": call_id, "name": names[call_id], "response": {"output": text}}
            parts = [{"functionResponse": response}]
        calls = message.get("tool_calls") or ()
        parts += _call_parts(calls, counter)
        counter += len(calls)
        if contents and role == "tool" and "functionResponse" in contents[-1]["parts"][0]:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": "model" if role == "assistant" else "user", "parts": parts})
    if "tools" in body:
        asked["tools"] = [
            {"functionDeclarations": [_declaration(tool["function"]) for tool in body["tools"]]}
        ]
    settings = {"temperature": body.get("temperature"), "maxOutputTokens": body["max_tokens"]}
    asked["generationConfig"] = {name: value for name, value in settings.items() if value is not None}
    return asked


def _calls_in(messages: Any) -> list[dict[str, Any]]:
    return [call for message in messages for call in message.get("tool_calls") or ()]


def _call_parts(calls: Any, counter: int) -> list[dict[str, Any]]:
    """Return the parts of *calls*, which *counter* calls came before. The emulator signs the first one."""
    parts: list[dict[str, Any]] = []
    for call in calls:
        called = call["function"]
        used = {"id": call["id"], "name": called["name"], "args": json.loads(called["arguments"])}
        signed = {} if parts else {"thoughtSignature": sign_call(used["name"], used["args"], counter)}
        parts.append({"functionCall": used, **signed})
    return parts


def _declaration(function: Mapping[str, Any]) -> dict[str, Any]:
    described = {name: function[name] for name in ("name", "description")}
    return {**described, "parametersJsonSchema": function["parameters"]}


def config(provider: str) -> dict[str, Any]:
    """Return the settings: the models of the other benchmarks, and a Gemini that wants signatures."""
    listed = config_with_claude(provider)
    gemini = {"model": "gemini/gemini-3.6-flash", "api_base": f"{provider}/v1beta", "api_key": "sk-benchmark"}
    limits = listed["model_list"][0]["model_info"]
    entry = {"model_name": _GEMINI_3, "litellm_params": gemini, "model_info": limits, "transport": "direct"}
    return {"model_list": [*listed["model_list"], entry]}


def _kinds(row: str, body: Body) -> tuple[Kind, Kind]:
    model, beside = ROWS[row]
    path = f"/v1beta/models/{model}:"
    kind = Kind(
        f"{path}generateContent",
        model,
        as_contents(body),
        stream_path=f"{path}streamGenerateContent?alt=sse",
    )
    return kind, Kind(CHAT, beside, body)


if __name__ == "__main__":
    main(Comparison(ROWS, GOALS, config, _kinds), __doc__)
