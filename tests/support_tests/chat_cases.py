"""Bodies for the judges of Mistral, DeepSeek and chat templates: one for each broken rule, and legal bodies."""

from collections.abc import Sequence
from typing import Any

from tests.support.builders import assistant, call, image, system, text, tool, user, without
from tests.support.chat_emulator import deepseek, mistral, templates

U = user("Hello.")
ID, OTHER = "abcdefgh1", "abcdefgh2"
ROUND = [U, assistant(calls=[call(ID)]), tool(ID)]
BOTH = assistant(calls=[call(ID), call(OTHER)])


def function(name: str) -> dict[str, Any]:
    """Return the declaration of the tool *name*."""
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {}}},
    }


def declared(**function: Any) -> dict[str, Any]:
    """Return the declaration of a tool. Keyword arguments are the fields of its function."""
    return {"type": "function", "function": function}


def at(model: str, *messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request to *model*."""
    return {"model": model, "messages": list(messages), **fields}


def large(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request to Mistral's large model."""
    return at("mistral-large-latest", *messages, **fields)


def thinking(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request to DeepSeek's reasoner."""
    return at("deepseek-reasoner", *messages, **fields)


def chatting(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request to DeepSeek's model that does not think."""
    return at("deepseek-chat", *messages, **fields)


PARSED = {**call(ID), "function": {**call(ID)["function"], "parsed_arguments": None}}
EXTRA = "Extra inputs are not permitted"

MISTRAL_REFUSED: dict[str, tuple[Any, str, str | None]] = {
    "user after tool": (large(*ROUND, U), "Unexpected role 'user' after role 'tool'", "3230"),
    "system after tool": (large(*ROUND, system()), "Unexpected role 'system' after role 'tool'", "3230"),
    "system after user": (large(U, system(), U), "Unexpected role 'system' after role 'user'", "3230"),
    "tool after user behind a round": (
        large(*ROUND, assistant("a"), U, tool(ID)),
        "Unexpected role 'tool' after role 'user'",
        "3230",
    ),
    "tool without any call": (large(U, tool(ID)), "Unexpected role RoleEnum.tool", "3230"),
    "tool first": (large(tool(ID), U), "Unexpected role RoleEnum.tool", "3230"),
    "assistant last": (
        large(U, assistant("a")),
        "Expected last role to be one of: [tool, user] but got assistant",
        "3230",
    ),
    "system last": (
        large(system()),
        "Expected last role to be one of: [tool, user] but got system",
        "3230",
    ),
    "no messages": (large(), mistral.NO_MESSAGES, "3230"),
    "unanswered": (large(U, BOTH, tool(ID)), mistral.COUNT, "3230"),
    "unanswered before a user": (
        large(U, BOTH, tool(ID), assistant("a"), U),
        mistral.COUNT,
        "3230",
    ),
    "unknown result": (
        large(*ROUND, tool(OTHER)),
        f"Unexpected tool call id {OTHER} in tool results",
        "3230",
    ),
    "two results": (large(*ROUND, tool(ID)), f"Duplicate tool call id {ID} in tool results", "3230"),
    "an id twice": (
        large(U, assistant(calls=[call(ID), call(ID)]), tool(ID)),
        f"Duplicate tool call id {ID} in assistant message",
        "3230",
    ),
    "foreign id": (
        large(U, assistant(calls=[call("call_0fypS1hVX")]), tool("call_0fypS1hVX")),
        "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
        "3280",
    ),
    "foreign id of a call": (
        large(U, assistant(calls=[call("c1")]), tool(ID)),
        "Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9.",
        "3280",
    ),
    "foreign id of a result": (
        large(U, assistant(calls=[call(ID)]), tool("c2")),
        "Tool call id was c2 but must be a-z, A-Z, 0-9, with a length of 9.",
        "3280",
    ),
    "bad name of a call": (
        large(U, assistant(calls=[call(ID, "a.b")]), tool(ID)),
        mistral.BAD_NAME.format(name="a.b"),
        "3280",
    ),
    "bad name of a tool": (large(U, tools=[function("a.b")]), mistral.BAD_NAME.format(name="a.b"), "3290"),
    "assistant with nothing": (large(U, assistant(""), U), mistral.NOTHING, None),
    "prefix in the middle": (large(U, assistant("a", prefix=True), U), mistral.PREFIX, None),
    "no model": (without(large(U), "model"), "Field required", None),
    "unknown field": (large(U, max_completion_tokens=5), EXTRA, None),
    "unknown field of a message": (large(user("a", name="bob")), EXTRA, None),
    "reasoning": (large(U, assistant("a", reasoning_content="b"), U), EXTRA, None),
    "no content": (large(user(None)), "Field required", None),
    "image in a result": (
        large(U, assistant(calls=[call(ID)]), tool(ID, [image()])),
        "Input tag 'image_url' does not match any of the expected tags",
        None,
    ),
    "null type of a call": (
        large(U, assistant(calls=[call(ID, type=None)]), tool(ID)),
        "Input should be 'function'",
        None,
    ),
    "a call without a function": (
        large(U, assistant(calls=[call(ID, function=None)]), tool(ID)),
        mistral.NO_OBJECT,
        None,
    ),
    "a call without a name": (
        large(U, assistant(calls=[call(ID, function={"arguments": "{}"})]), tool(ID)),
        "Field required",
        None,
    ),
    "unknown field of a call": (large(U, assistant(calls=[call(ID, x=0)]), tool(ID)), EXTRA, None),
    "unknown field of a function": (large(U, assistant(calls=[PARSED]), tool(ID)), EXTRA, None),
    "empty name of a result": (
        large(*ROUND[:2], tool(ID, name="")),
        mistral.BAD_NAME.format(name=""),
        "3280",
    ),
    "declaration without parameters": (large(U, tools=[declared(name="f")]), "Field required", None),
    "null parameters": (large(U, tools=[declared(name="f", parameters=None)]), mistral.NO_OBJECT, None),
    "null description": (
        large(U, tools=[declared(name="f", parameters={}, description=None)]),
        mistral.NO_TEXT,
        None,
    ),
    "role of another": (
        large(U, {"role": "developer", "content": "a"}),
        "Input tag 'developer' found using 'role' does not match any of the expected tags: "
        "'assistant', 'system', 'tool', 'user'",
        None,
    ),
}
MISTRAL_ACCEPTED: dict[str, Any] = {
    "a round": large(system(), system("b"), *ROUND, tools=[function("f")]),
    "parallel calls, swapped": large(U, BOTH, tool(OTHER), tool(ID, name="f")),
    "an answer behind a round": large(*ROUND, assistant("a"), U),
    "neighbours": large(U, U, assistant("a"), assistant("b"), U),
    "assistant first": large(assistant("a"), U),
    "prefix": large(U, assistant("a", prefix=True)),
    "text and calls": large(U, assistant("a", calls=[call(ID)]), tool(ID)),
    "an empty result": large(U, assistant(calls=[call(ID)]), tool(ID, "")),
    "an id used again": large(*ROUND, *ROUND[1:]),
    "an image": large(user([text("a"), image()])),
    "a place in a stream": large(U, assistant(calls=[call(ID, index=0)]), tool(ID)),
    "a call without a type": large(U, assistant(calls=[without(call(ID), "type")]), tool(ID)),
}

DEEPSEEK_REFUSED: dict[str, tuple[Any, str]] = {
    "unanswered": (chatting(U, BOTH, tool(ID), U), deepseek.UNANSWERED),
    "unanswered at the end": (chatting(U, BOTH, tool(ID)), deepseek.UNANSWERED),
    "orphan": (chatting(U, tool(ID)), deepseek.ORPHAN),
    "orphan behind an answer": (chatting(*ROUND, assistant("a"), tool(ID)), deepseek.ORPHAN),
    "assistant with nothing": (chatting(U, assistant(), U), deepseek.NOTHING),
    "no JSON": (
        None,
        "Failed to deserialize the JSON body into the target type: expected value at line 1 column 1",
    ),
    "no model": (
        without(chatting(U), "model"),
        "Failed to deserialize the JSON body into the target type: missing field `model`",
    ),
    "no messages": (chatting(), deepseek.NO_MESSAGES),
    "129 tools": (
        chatting(U, tools=[function(f"f{i}") for i in range(129)]),
        deepseek.MANY.format(count=129),
    ),
    "one name twice": (chatting(U, tools=[function("f")] * 2), deepseek.DUPLICATE),
    "image": (
        chatting(user([text("a"), image()])),
        "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, "
        "expected `text`",
    ),
    "developer": (
        chatting({"role": "developer", "content": "a"}, U),
        "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant "
        "`developer`, expected one of `system`, `user`, `assistant`, `tool`",
    ),
    "no content": (
        chatting(user(None)),
        "Failed to deserialize the JSON body into the target type: messages[0]: missing field `content`",
    ),
    "no id of a result": (
        chatting(*ROUND[:2], without(ROUND[2], "tool_call_id")),
        "Failed to deserialize the JSON body into the target type: messages[2]: missing field `tool_call_id`",
    ),
    "no id of a call": (
        chatting(U, assistant(calls=[without(call(ID), "id")]), tool(ID)),
        "Failed to deserialize the JSON body into the target type: messages[1]: missing field `id`",
    ),
    "successive users": (thinking(U, U), deepseek.SUCCESSIVE.format(before=0, index=1)),
    "successive assistants": (
        thinking(U, assistant("a"), assistant("b"), U),
        deepseek.SUCCESSIVE.format(before=1, index=2),
    ),
    "assistant last": (thinking(U, assistant("a")), deepseek.LAST),
    "no reasoning": (thinking(*ROUND), deepseek.NO_REASONING_AT.format(index=1)),
    "no reasoning in V4": (at("deepseek-v4", *ROUND), deepseek.NO_REASONING),
    "thinking switched on": (chatting(*ROUND, thinking={"type": "enabled"}), deepseek.NO_REASONING),
}
DEEPSEEK_ACCEPTED: dict[str, Any] = {
    "a round": chatting(system(), *ROUND),
    "a round with reasoning": thinking(
        U, assistant(calls=[call(ID)], reasoning_content="Hm."), tool(ID), assistant("a"), U
    ),
    "empty reasoning": thinking(U, assistant(calls=[call(ID)], reasoning_content=""), tool(ID)),
    "thinking switched off": at("deepseek-v4", *ROUND, thinking={"type": "disabled"}),
    "text without reasoning": thinking(U, assistant("a"), U),
    "neighbours": chatting(U, U, assistant("a"), assistant("b")),
    "empty text": chatting(user(""), assistant(""), U),
    "system anywhere": chatting(U, system(), U),
    "prefix": thinking(U, assistant("a", prefix=True)),
}

SMALL = "mistralai/Mistral-Small-Instruct-2409"

TEMPLATED_REFUSED: dict[str, tuple[Any, str, int]] = {
    "null beside calls, Qwen3-VL": (
        at("Qwen/Qwen3-VL-8B", *ROUND),
        templates.NULL_CONTENT,
        400,
    ),
    **{
        f"{name}, mistral-common": (at("mistralai/Mistral-Small-3.2-24B", *messages, **fields), words, 400)
        for name, messages, fields, words in (
            ("user after tool", [*ROUND, U], {}, templates.AFTER_TOOL),
            ("assistant last", [U, assistant("a")], {}, templates.LAST.format(role="assistant")),
            (
                "prefix last",
                [U, assistant("a", prefix=True)],
                {},
                templates.LAST.format(role="assistant"),
            ),
            ("name of a user", [user("a", name="bob")], {}, EXTRA),
            ("place in a stream", [U, assistant("", calls=[call(ID, index=0)]), tool(ID)], {}, EXTRA),
            ("field of a function", [U, assistant("", calls=[PARSED]), tool(ID)], {}, EXTRA),
            (
                "null type",
                [U, assistant("", calls=[call(ID, type=None)]), tool(ID)],
                {},
                mistral.NO_TYPE,
            ),
            ("empty name", [*ROUND[:2], tool(ID, name="")], {}, mistral.BAD_NAME.format(name="")),
            (
                "long id",
                [U, assistant("", calls=[call("c1")]), tool("c1")],
                {},
                mistral.BAD_ID.format(id="c1"),
            ),
            ("no parameters", [U], {"tools": [declared(name="f")]}, "Field required"),
            (
                "strict tool",
                [U],
                {"tools": [declared(name="f", parameters={}, strict=True)]},
                EXTRA,
            ),
        )
    },
    "users in a row, plain": (at("Mistral-7B-Instruct-v0.2", U, U), templates.ALTERNATE, 400),
    "a system message, plain": (at("Mistral-7B-Instruct-v0.2", system(), U), templates.ALTERNATE, 400),
    "users in a row, Llama 2": (
        at("meta-llama/Llama-2-7b-chat-hf", system(), U, U),
        templates.ALTERNATE,
        400,
    ),
    "results, Llama 2": (at("meta-llama/Llama-2-7b-chat-hf", U, tool(ID)), templates.OTHER_ROLES, 400),
    "a system message, Gemma 2": (at("google/gemma-2-9b-it", system(), U), templates.NO_SYSTEM, 400),
    "no messages": (
        {"model": "m"},
        "[{'type': 'missing', 'loc': ('body',), 'msg': 'Field required'}]",
        400,
    ),
    "users in a row, Gemma 2": (at("google/gemma-2-9b-it", U, U), templates.ALTERNATE, 400),
    "system in the place of an answer, Devstral": (
        at("mistralai/Devstral-Small-2507", U, system(), U),
        "Only user, assistant and tool roles are supported, got system.",
        500,
    ),
    "users in a row, Gemma 3": (at("google/gemma-3-12b-it", system(), U, U), templates.ALTERNATE, 400),
    "tools, Gemma 3": (at("google/gemma-3-12b-it", U, tools=[function("f")]), templates.NO_PARSER, 400),
    "users in a row, Nemo": (
        at("mistralai/Mistral-Nemo-Instruct-2407", system(), U, U),
        templates.ALTERNATE_BEHIND_SYSTEM,
        400,
    ),
    "user behind results, Nemo": (
        at("mistralai/Mistral-Nemo-Instruct-2407", *ROUND, U),
        templates.ALTERNATE_BEHIND_SYSTEM,
        400,
    ),
    "long id, Nemo": (
        at("mistralai/Mistral-Nemo-Instruct-2407", U, assistant(calls=[call("call_1")]), tool("call_1")),
        templates.SHORT_ID,
        400,
    ),
    "users in a row, Devstral": (
        at("mistralai/Devstral-Small-2507", system(), U, U),
        templates.ALTERNATE_BUT_TOOLS,
        500,
    ),
    "user behind results, Devstral": (
        at("mistralai/Devstral-Small-2507", *ROUND, U),
        templates.ALTERNATE_BUT_TOOLS,
        500,
    ),
    "assistant first, Ministral": (
        at("mistralai/Ministral-8B-Instruct", assistant("a"), U),
        templates.ALTERNATE_BUT_TOOLS,
        400,
    ),
    "no user, Qwen": (at("Qwen/Qwen3.5-35B", system(), assistant("a")), templates.NO_QUERY, 400),
    "system in the middle, Qwen": (at("Qwen/Qwen3.5-35B", U, system(), U), templates.SYSTEM_FIRST, 400),
    "no user, Qwen on Ollama": (
        at("ollama-qwen3.5", system()),
        "no user query found in messages",
        500,
    ),
    "two calls at once, Llama 3.1": (
        at("meta-llama/Llama-3.1-8B-Instruct", U, BOTH, tool(ID), tool(OTHER)),
        templates.ONE_CALL,
        400,
    ),
    "an image behind a system message, Llama 3.2": (
        at("meta-llama/Llama-3.2-11B-Vision-Instruct", system(), user([image()])),
        templates.IMAGES_AND_SYSTEM,
        400,
    ),
    "a text beside calls, mistral-common": (
        at(SMALL, U, assistant("a", [call(ID)]), tool(ID)),
        templates.TEXT_AND_CALLS,
        400,
    ),
    "neither text nor calls, mistral-common": (at(SMALL, U, assistant(""), U), templates.TEXT_AND_CALLS, 400),
    "assistant last, mistral-common": (at(SMALL, U, assistant("a")), templates.LAST_ROLE, 400),
    "a call's index, mistral-common": (
        at(SMALL, U, assistant(calls=[call(ID), call(OTHER, index=1)]), tool(ID), tool(OTHER)),
        templates.EXTRA_FIELD.format(at=1, call=1, name="index", value=1, kind="int"),
        400,
    ),
    "assistant last, Devstral 2 on vLLM": (
        at("mistralai/Devstral-Small-2-24B-Instruct-2512", U, assistant("a")),
        templates.NO_PROMPT,
        400,
    ),
    "arguments that are no JSON": (
        at("Qwen/Qwen3.5-35B", U, assistant(calls=[call(ID, "f", '{"a":')]), tool(ID)),
        templates.BAD_ARGUMENTS,
        400,
    ),
}
TEMPLATED_ACCEPTED: dict[str, Any] = {
    "plain": at("Mistral-7B-Instruct-v0.2", U, assistant("a"), U),
    "Llama 2": at("meta-llama/Llama-2-7b-chat-hf", system(), U, assistant("a"), U),
    "Gemma 2": at("google/gemma-2-9b-it", U, assistant("a"), U),
    "tools that may not be called, Gemma 3": at(
        "google/gemma-3-12b-it", U, tools=[function("f")], tool_choice="none"
    ),
    "Nemo": at(
        "mistralai/Mistral-Nemo-Instruct-2407", system(), *ROUND, assistant("a"), U, tools=[function("f")]
    ),
    "Devstral": at("mistralai/Devstral-Small-2507", system(), *ROUND, *ROUND[1:], assistant("a"), U),
    "mistral-common": at(
        "mistralai/Mistral-Small-3.2-24B", system(), *ROUND, assistant("a"), U, tools=[function("f")]
    ),
    "Qwen3-VL": at("Qwen/Qwen3-VL-8B", U, assistant("", calls=[call(ID)]), tool(ID)),
    "Qwen": at("Qwen/Qwen3.5-35B", system(), *ROUND),
    "Llama 3.1": at("meta-llama/Llama-3.1-8B-Instruct", system(), *ROUND, *ROUND[1:], U, U),
    "an image, Llama 3.2": at("meta-llama/Llama-3.2-11B-Vision-Instruct", user([image()])),
    "a system message, Llama 3.2": at("meta-llama/Llama-3.2-11B-Vision-Instruct", system(), U),
    "mistral-common, an older tokenizer": at(SMALL, system(), *ROUND, assistant("a"), U, assistant("b"), U),
    "Devstral 2 on vLLM": at("mistralai/Devstral-Small-2-24B-Instruct-2512", *ROUND),
    "another": at("meta-llama/Llama-3.3-70B-Instruct", U, U, system(), assistant("a")),
}

REPORTED: dict[str, tuple[str, Sequence[str]]] = {
    "m02": ("mistral-large-latest", (mistral.AFTER.format(role="user", before="tool"),)),
    "m03": ("mistral-large-latest", (mistral.TOOL_ALONE,)),
    "m05": ("mistral-large-latest", (mistral.LAST.format(role="assistant"),)),
    "d01": ("deepseek-v4", (deepseek.NO_REASONING,)),
    "d03": ("deepseek-chat", (deepseek.UNANSWERED,)),
    "d04": ("deepseek-reasoner", (deepseek.NO_REASONING_AT.format(index=2),)),
    "v02": ("Devstral-Small-2507", (templates.ALTERNATE_BUT_TOOLS,)),
    "v04": ("gemma-3-12b-it", (templates.ALTERNATE,)),
}
"""The known histories of these providers, each with its model and the expected error text."""
