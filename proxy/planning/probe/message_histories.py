"""Histories for the rules about one message: its content, its calls and its fields."""

from __future__ import annotations

from proxy.planning.probe.history_values import (
    FIRST,
    ProbeHistory,
    assistant,
    calling,
    function_call,
    histories,
    result,
    text,
    user,
)

_AGAIN = user("And tomorrow? Answer with one word.")
_UNSIGNED = {"type": "thinking", "thinking": "It is summer."}
_LONG_ID = "call_" + 36 * "0"
_CUSTOM = {"id": FIRST, "type": "custom", "custom": {"name": "get_weather", "input": "Paris"}}
_LEGACY_CALL = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
_UNTYPED = {name: value for name, value in function_call().items() if name != "type"}
_WITHOUT_ID = {name: value for name, value in function_call().items() if name != "id"}

CONTENT_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories("blank_result", "tools", (user(), calling(), result(content=""))),
    *histories("blank_text", "text", (user(), assistant("  "), _AGAIN)),
    *histories("empty_content", "text", (user(), assistant(None), _AGAIN)),
    *histories("empty_text", "text", (user(), assistant(""), _AGAIN)),
    *histories("empty_text", "text", (user([text(), text("")]),), spare=True),
    *histories("thought_unsigned", "text", (user(), assistant(thinking_blocks=[_UNSIGNED]), _AGAIN)),
    *histories("text_beside_calls", "tools", (user(), calling(content="Let me look."), result())),
)
"""Histories for the rules about a message's content."""

CALL_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories(
        "arguments_not_an_object", "tools", (user(), calling(function_call(arguments='"Paris"')), result())
    ),
    *histories(
        "arguments_not_a_string",
        "tools",
        (user(), calling(function_call(arguments={"city": "Paris"})), result()),
    ),
    *histories(
        "call_id_illegal", "tools", (user(), calling(function_call("call.0001")), result("call.0001"))
    ),
    *histories("call_id_missing", "tools", (user(), calling(_WITHOUT_ID), result(""))),
    *histories(
        "call_id_repeated",
        "tools",
        (user(), calling(), result(), assistant(), _AGAIN, calling(), result()),
    ),
    *histories("call_id_too_long", "tools", (user(), calling(function_call(_LONG_ID)), result(_LONG_ID))),
    *histories("call_type", "tools", (user(), calling(_UNTYPED), result())),
    *histories("call_unreadable", "tools", (user(), calling(function_call(name=None)), result())),
    *histories("custom_call", "tools", (user(), calling(_CUSTOM), result())),
    *histories("empty_tool_calls", "text", (user(), assistant(tool_calls=[]), _AGAIN)),
    *histories("misplaced_calls", "tools", (user(tool_calls=[function_call()]),)),
    *histories(
        "signature_unreadable",
        "tools",
        (user(), calling(function_call(f"{FIRST}__thought__%%%%")), result(f"{FIRST}__thought__%%%%")),
    ),
    *histories(
        "tool_name_illegal",
        "tools",
        (user(), calling(function_call(name="get weather")), result()),
    ),
)
"""Histories for the rules about calls."""

FIELD_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories(
        "legacy_function",
        "tools",
        (
            user(),
            assistant("Let me look.", function_call=_LEGACY_CALL),
            {"role": "function", "name": "get_weather", "content": "sunny"},
        ),
    ),
    *histories(
        "legacy_function",
        "tools",
        (user(), assistant(), {"role": "function", "content": "sunny"}),
        spare=True,
    ),
    *histories(
        "result_name_missing",
        "tools",
        (
            user(),
            assistant("Let me look.", function_call=_LEGACY_CALL),
            {"role": "function", "content": "sunny"},
        ),
    ),
    *histories("result_name_empty", "tools", (user(), calling(), result(name=""))),
    *histories(
        "refused_field",
        "text",
        (user([text(cache_control={"type": "ephemeral"})]),),
        (user(), assistant(extra_content={"google": {}}), _AGAIN),
        (user(), assistant(reasoning_content="It is summer."), _AGAIN),
    ),
    *histories(
        "refused_part",
        "text",
        (user(), assistant([{"type": "refusal", "refusal": "No."}]), _AGAIN),
    ),
    *histories("unknown_field", "text", (user(created_at=1),)),
)
"""Histories for the rules about fields, parts and roles."""
