"""Writes one chat request as the body of ``generateContent``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.dialects.gemini_models import thinks
from proxy.upstream.wires.gemini.contents import convert_history
from proxy.upstream.wires.gemini.declarations import tool_fields
from proxy.upstream.wires.gemini.formats import format_instruction
from proxy.upstream.wires.gemini.settings import PENALTIES, generation_config
from sanitizers import Messages, Profile

SUPPORTED = frozenset(
    {
        "frequency_penalty",
        "function_call",
        "functions",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "modalities",
        "n",
        "presence_penalty",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "temperature",
        "tool_choice",
        "tools",
        "top_k",
        "top_logprobs",
        "top_p",
    }
)
"""The request parameters that this wire carries. :func:`carried_parameters` returns those that a model takes."""


def build_request(
    messages: Messages,
    parameters: Mapping[str, Any],
    profile: Profile,
    model: str,
) -> dict[str, Any]:
    """Return the body for *messages*, sanitized for *profile*, and *parameters*, whose types were checked.

    *model* is Gemini's own name of the model (``gemini-3.6-flash``). Parameters outside :func:`carried_parameters` are
    left out. The arguments are not changed, but the result shares parts with them.

    Raises :class:`proxy.core.errors.InvalidRequest`, with the value's path in ``param``, for a value that cannot be
    sent.
    """
    system, contents = convert_history(messages, profile)
    tools = tool_fields(parameters)
    if tools and not profile.call_ids:  # models before Gemini 3: see format_instruction
        words = format_instruction(parameters.get("response_format"))
        system += [{"text": words}] if words else []
        parameters = {name: value for name, value in parameters.items() if name != "response_format"}
    body: dict[str, Any] = {"systemInstruction": {"parts": system}} if system else {}
    body["contents"] = contents
    body |= tools
    config = generation_config(parameters, profile, model)
    if config:
        body["generationConfig"] = config
    return body


def carried_parameters(profile: Profile, model: str) -> frozenset[str]:
    """Return the parameters of :data:`SUPPORTED` that reach *model*. The caller reports the others."""
    refused = PENALTIES if profile.call_ids else frozenset()
    return SUPPORTED - refused - (frozenset() if thinks(profile, model) else {"reasoning_effort"})
