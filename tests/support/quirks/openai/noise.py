"""Adds the fields that vendors add to OpenAI's format, at every level at which reports show such fields."""

from __future__ import annotations

from typing import Any

VENDOR: dict[str, Any] = {
    "x_groq": {"id": "x"},
    "citations": [],
    "vertex_ai_grounding_metadata": [],
    "vertex_ai_safety_results": [],
    "provider": "p",
    "cost": 0.1,
    "provider_specific_fields": {"a": 1},
    "system_fingerprint": None,
    "service_tier": None,
    "obfuscation": "xyz",
}
"""Fields on the answer itself, as added by Groq, Perplexity, litellm, OpenRouter and OpenAI."""


def cluttered(one: dict[str, Any]) -> dict[str, Any]:
    """Return a chunk with vendors' fields at every level."""
    choices = [
        {
            **choice,
            **_said(choice),
            "native_finish_reason": "STOP",
            "safety": [],
            "matched_stop": 2,
            "logprobs": None,
        }
        for choice in one.get("choices") or ()
    ]
    return {**one, "choices": choices, **VENDOR}


def _said(choice: dict[str, Any]) -> dict[str, Any]:
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return {}
    delta = {**delta, "provider_specific_fields": {"x": 1}, "thinking_blocks": [], "images": []}
    if delta.get("tool_calls"):
        delta["tool_calls"] = [
            {**piece, "part_index": 0, "provider_specific_fields": {}, **_function(piece)}
            for piece in delta["tool_calls"]
        ]
    return {"delta": delta}


def _function(piece: dict[str, Any]) -> dict[str, Any]:
    return {"function": {**piece["function"], "x": 1}} if isinstance(piece.get("function"), dict) else {}
