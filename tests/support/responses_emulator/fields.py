"""Judges the fields of a request beside ``input``: unknown ones, those of chats, tools, and what a model lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.openai_emulator.judging import Refusal
from tests.support.responses_emulator import words

KNOWN = frozenset(
    [
        "access_programs",
        "background",
        "background_options",
        "client_metadata",
        "context_management",
        "conversation",
        "image",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "moderation",
        "parallel_tool_calls",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_options",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    ]
)
PLACES = {
    "function_call": "tool_choice",
    "functions": "tools",
    "max_completion_tokens": "max_output_tokens",
    "max_tokens": "max_output_tokens",
    "messages": "input",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
    "verbosity": "text.verbosity",
}
"""Parameters of chats, and their places here."""

INCLUDES = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
NAMED = ("custom", "function", "namespace")
TOOL_TYPES = frozenset(
    [
        "apply_patch",
        "code_interpreter",
        "computer",
        "computer_use_preview",
        "custom",
        "file_search",
        "function",
        "image_generation",
        "local_shell",
        "mcp",
        "namespace",
        "programmatic_tool_calling",
        "shell",
        "tool_search",
        "web_search",
        "web_search_preview",
    ]
)
_DATED = re.compile(r"_\d{4}_\d{2}_\d{2}$|_\d{4}-\d{2}-\d{2}$")
_REASONS = re.compile(r"gpt-[5-9]|o\d|grok-4")
_LEAST_TOKENS = 16


def reasons(model: object) -> bool:
    """Tell whether *model* is one that reasons, by its name."""
    return isinstance(model, str) and _REASONS.match(model) is not None


def field_faults(body: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yield the faults of all fields but ``input``."""
    for name in body:
        if name in PLACES:
            text = words.MOVED.format(name=name, place=PLACES[name])
            yield Refusal(text, name, "unsupported_parameter")
        elif name not in KNOWN:
            yield Refusal(words.UNKNOWN.format(path=name), name, "unknown_parameter")
    if not body.get("model"):
        yield words.missing("model")
    if body.get("stream_options") is not None and not body.get("stream"):
        yield Refusal(words.NO_STREAM, "stream_options")
    least = body.get("max_output_tokens")
    if isinstance(least, int) and least < _LEAST_TOKENS:
        text = words.BELOW_MINIMUM.format(path="max_output_tokens", least=_LEAST_TOKENS, value=least)
        yield Refusal(text, "max_output_tokens", "integer_below_min_value")
    yield from _faults_of_model(body)
    yield from _format_faults(body)
    yield from tool_faults("tools", body.get("tools") or ())
    yield from _choice_faults(body)


def _faults_of_model(body: Mapping[str, Any]) -> Iterator[Refusal]:
    for index, entry in enumerate(body.get("include") or ()):
        if entry not in INCLUDES:
            yield words.unsupported(f"include[{index}]", entry, INCLUDES)
    if reasons(body.get("model")):
        return
    if "reasoning.encrypted_content" in (body.get("include") or ()):
        yield Refusal(words.NO_ENCRYPTED, "include")
    if (body.get("reasoning") or {}).get("effort") is not None:
        path = "reasoning.effort"
        yield Refusal(words.NOT_WITH_MODEL.format(path=path), path, "unsupported_parameter")


def _format_faults(body: Mapping[str, Any]) -> Iterator[Refusal]:
    given = (body.get("text") or {}).get("format") or {}
    if given.get("type") == "json_schema":
        for name in ("name", "schema"):
            if not given.get(name):
                yield words.missing(f"text.format.{name}")


def tool_faults(path: str, tools: Any) -> Iterator[Refusal]:
    """Yield the faults of the list of tools at *path*."""
    for index, tool in enumerate(tools):
        at = f"{path}[{index}]"
        kind = tool.get("type")
        if kind is None:
            yield words.missing(f"{at}.type")
        elif _DATED.sub("", kind) not in TOOL_TYPES:
            yield words.unsupported(f"{at}.type", kind, tuple(sorted(TOOL_TYPES)))
        if kind in NAMED and not tool.get("name"):
            yield words.missing(f"{at}.name")
        if kind == "namespace":
            yield from tool_faults(f"{at}.tools", tool.get("tools") or ())


def declared_tools(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tools of a request, those among its items included."""
    tools = list(body.get("tools") or ())
    given = body.get("input")
    for item in given if isinstance(given, list) else ():
        if item.get("type") in ("additional_tools", "tool_search_output"):
            tools += item.get("tools") or ()
    return tools


def _choice_faults(body: Mapping[str, Any]) -> Iterator[Refusal]:
    choice = body.get("tool_choice")
    if isinstance(choice, str) and choice not in ("none", "auto", "required"):
        yield words.unsupported("tool_choice", choice, ("none", "auto", "required"))
    if not isinstance(choice, dict) or choice.get("type") not in NAMED:
        return
    if choice.get("name") not in [tool.get("name") for tool in declared_tools(body)]:
        text = words.NO_TOOL.format(name=choice.get("name"))
        yield Refusal(text, "tool_choice", "invalid_value")
