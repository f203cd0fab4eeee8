"""Lists of items for the judge of responses: one for each broken rule, with OpenAI's words, and legal ones beside."""

from __future__ import annotations

from typing import Any

from tests.support.responses_emulator import seal

Item = dict[str, Any]

OWNER = "account gpt-5.6-sol"
MODEL = "gpt-5.6-sol"
THOUGHT_ID = "rs_emulated000001_0"
USER: Item = {"role": "user", "content": "Hello."}
CALL: Item = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
RESULT: Item = {"type": "function_call_output", "call_id": "call_1", "output": "42"}
SAID: Item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}
CUSTOM: Item = {"type": "custom_tool_call", "call_id": "call_c", "name": "ex", "input": "ls"}
CUSTOM_RESULT: Item = {"type": "custom_tool_call_output", "call_id": "call_c", "output": "a"}
SHELL: Item = {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_s", "action": {"type": "exec"}}
SHELL_RESULT: Item = {"type": "local_shell_call_output", "id": "lsh_1", "output": "a"}
TRIGGER: Item = {"type": "compaction_trigger"}


def thought(owner: str = OWNER, **fields: Any) -> Item:
    """Return a thought that *owner* can read."""
    sealed = {"encrypted_content": seal(THOUGHT_ID, owner), "summary": []}
    return {"type": "reasoning", "id": THOUGHT_ID, **sealed, **fields}


def search(kind: str) -> Item:
    """Return a search that the provider ran, of this *kind*."""
    return {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": kind}}


BEHIND = {**SAID, "id": "msg_emulated000001_1_t0"}
"""A message that came with the thought."""

LONG = "x" * 84
FOREIGN = thought("another account")
TOO_LONG = (
    "string too long. Expected a string with maximum length 64, but got a string with length 84 instead."
)
LETTERS = (
    "Expected an ID that contains letters, numbers, underscores, or dashes, "
    "but this value contained additional characters."
)
NOT_STORED = (
    "Item with id '{}' not found. Items are not persisted when `store` is set to false. "
    "Try again with `store` set to true, or remove this item from your input."
)
UNREADABLE = (
    "The encrypted content for item cmp_1 could not be verified. "
    "Reason: Encrypted content could not be decrypted or parsed."
)

Case = tuple[list[Item], str, str | None, str | None, int]

REFUSED: dict[str, Case] = {
    "call without output": (
        [USER, CALL],
        "No tool output found for function call call_1.",
        *("input", None, 400),
    ),
    "custom call without output": (
        [USER, CUSTOM, USER],
        "No tool output found for custom tool call call_c.",
        *("input", None, 400),
    ),
    "output of another kind": (
        [USER, CUSTOM, {**RESULT, "call_id": "call_c"}],
        "No tool output found for custom tool call call_c.",
        *("input", None, 400),
    ),
    "shell without output": (
        [USER, SHELL],
        "No tool output found for local shell call call_s.",
        *("input", None, 400),
    ),
    "output without call": (
        [USER, RESULT],
        "No tool call found for function call output with call_id call_1.",
        *("input", None, 400),
    ),
    "output before its call": (
        [USER, RESULT, CALL],
        "No tool call found for function call output with call_id call_1.",
        *("input", None, 400),
    ),
    "thought alone": (
        [USER, thought(), USER],
        f"Item '{THOUGHT_ID}' of type 'reasoning' was provided without its required following item.",
        *("input", None, 400),
    ),
    "thought at the end": (
        [USER, thought()],
        f"Item '{THOUGHT_ID}' of type 'reasoning' was provided without its required following item.",
        *("input", None, 400),
    ),
    "thought before an output": (
        [USER, CALL, thought(), RESULT],
        f"Item '{THOUGHT_ID}' of type 'reasoning' was provided without its required following item.",
        *("input", None, 400),
    ),
    "message without its thought": (
        [USER, BEHIND],
        f"Item '{BEHIND['id']}' was provided without its required 'reasoning' item: '{THOUGHT_ID}'.",
        *("input", None, 400),
    ),
    "call before its thought": (
        [USER, {**CALL, "id": "fc_emulated000001_1_t0"}, thought(), SAID, RESULT],
        f"Item 'fc_emulated000001_1_t0' was provided without its required 'reasoning' item: '{THOUGHT_ID}'.",
        *("input", None, 400),
    ),
    "the same id twice": (
        [USER, thought(), SAID, thought(), SAID],
        f"Duplicate item found with id {THOUGHT_ID}. Remove duplicate items from your input and try again.",
        *("input", None, 400),
    ),
    "thought without content": (
        [USER, {"type": "reasoning", "id": "rs_1", "summary": []}, SAID],
        NOT_STORED.format("rs_1"),
        *("input", None, 404),
    ),
    "reference": (
        [USER, {"type": "item_reference", "id": "msg_1"}],
        NOT_STORED.format("msg_1"),
        *("input", None, 404),
    ),
    "bare reference": ([USER, {"id": "msg_1"}], NOT_STORED.format("msg_1"), *("input", None, 404)),
    "thought of another account": (
        [USER, FOREIGN, SAID],
        f"The encrypted content gAAA...{FOREIGN['encrypted_content'][-2:]} could not be verified.",
        *("input", "invalid_encrypted_content", 400),
    ),
    "thought of another maker": (
        [USER, {**FOREIGN, "encrypted_content": "tr1.somebody"}, SAID],
        "The encrypted content tr1....dy could not be verified.",
        *("input", "invalid_encrypted_content", 400),
    ),
    "summary of another maker": (
        [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAx"}, USER],
        UNREADABLE,
        *("input", None, 400),
    ),
    "id with another prefix": (
        [USER, {**SAID, "id": "__fake_id__"}],
        "Invalid 'input[1].id': '__fake_id__'. Expected an ID that begins with 'msg'.",
        *("input[1].id", "invalid_value", 400),
    ),
    "empty id": (
        [USER, {**CALL, "id": ""}, RESULT],
        f"Invalid 'input[1].id': ''. {LETTERS}",
        *("input[1].id", "invalid_value", 400),
    ),
    "long call id": (
        [USER, {**CALL, "call_id": LONG}, {**RESULT, "call_id": LONG}],
        f"Invalid 'input[1].call_id': {TOO_LONG}",
        *("input[1].call_id", "string_above_max_length", 400),
    ),
    "long id": (
        [USER, {**CALL, "id": LONG}, RESULT],
        f"Invalid 'input[1].id': {TOO_LONG}",
        *("input[1].id", "string_above_max_length", 400),
    ),
    "item taken for a message": (
        [{"role": "user", "text": "Hello."}],
        "Missing required parameter: 'input[0].content'.",
        *("input[0].content", "missing_required_parameter", 400),
    ),
    "unknown search": (
        [USER, search("other")],
        "Invalid value: 'other'. Supported values are: 'search', 'open_page', and 'find_in_page'.",
        *("input[1].action.type", "invalid_value", 400),
    ),
    "trigger before the end": (
        [USER, TRIGGER, USER],
        "The 'compaction_trigger' item must be the final input item.",
        *("input", None, 400),
    ),
    "part of a chat": (
        [{"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}],
        "Invalid value: 'text'. Supported values are: 'output_text' and 'refusal'.",
        *("input[0].content[0].type", "invalid_value", 400),
    ),
    "arguments that are no text": (
        [USER, {**CALL, "arguments": {}}, RESULT],
        "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
        *("input[1].arguments", "invalid_type", 400),
    ),
}
"""Items, the refusal's words, its ``param``, its code and its status."""

ACCEPTED: dict[str, list[Item]] = {
    "a text": [USER],
    "a pair": [USER, CALL, RESULT],
    "an output later": [USER, CALL, SAID, USER, RESULT],
    "an output without a call, by name": [USER, {"type": "function_call_output", "name": "f", "output": "1"}],
    "a thought and its item": [USER, thought(), BEHIND, USER],
    "a thought without id": [USER, thought(id=None), BEHIND, USER],
    "thoughts in a row": [USER, thought(), thought(id="rs_2"), CALL, RESULT],
    "an item whose id was dropped": [USER, SAID],
    "a custom pair and a shell": [USER, CUSTOM, CUSTOM_RESULT, SHELL, SHELL_RESULT],
    "a search": [USER, search("open_page")],
    "a trigger at the end": [USER, TRIGGER],
    "a summary": [{"type": "compaction", "id": "cmp_1", "encrypted_content": seal("cmp_1", OWNER)}, USER],
    "tools among the items": [{"type": "additional_tools", "role": "developer", "tools": []}, USER],
    "empty id of null": [{**USER, "id": None}],
}

BODIES: dict[str, tuple[dict[str, Any], str, str | None, str | None]] = {
    "chat's messages": (
        {"messages": []},
        "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'.",
        *("messages", "unsupported_parameter"),
    ),
    "chat's format": (
        {"response_format": {"type": "json_object"}},
        "Unsupported parameter: 'response_format'. In the Responses API, this parameter has moved to 'text.format'.",
        *("response_format", "unsupported_parameter"),
    ),
    "an unknown field": ({"stop": ["x"]}, "Unknown parameter: 'stop'.", *("stop", "unknown_parameter")),
    "no model": (
        {"model": None},
        "Missing required parameter: 'model'.",
        *("model", "missing_required_parameter"),
    ),
    "no input": (
        {"input": None},
        "Missing required parameter: 'input'.",
        *("input", "missing_required_parameter"),
    ),
    "an unknown response": (
        {"previous_response_id": "resp_1"},
        "Previous response with id 'resp_1' not found.",
        *("previous_response_id", "previous_response_not_found"),
    ),
    "chat's tools": (
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        "Missing required parameter: 'tools[0].name'.",
        *("tools[0].name", "missing_required_parameter"),
    ),
    "a tool within a namespace without a name": (
        {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function"}]}]},
        "Missing required parameter: 'tools[0].tools[0].name'.",
        *("tools[0].tools[0].name", "missing_required_parameter"),
    ),
    "an unknown tool": (
        {"tools": [{"type": "toy"}]},
        "Invalid value: 'toy'. Supported values are: ",
        *("tools[0].type", "invalid_value"),
    ),
    "a choice of no tool": (
        {"tool_choice": {"type": "function", "name": "g"}},
        "Tool choice 'g' not found in 'tools' parameter.",
        *("tool_choice", "invalid_value"),
    ),
    "a nested schema": (
        {"text": {"format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}}},
        "Missing required parameter: 'text.format.name'.",
        *("text.format.name", "missing_required_parameter"),
    ),
    "few tokens": (
        {"max_output_tokens": 1},
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
        *("max_output_tokens", "integer_below_min_value"),
    ),
    "thoughts of a model without": (
        {"model": "gpt-4.1", "include": ["reasoning.encrypted_content"]},
        "Encrypted content is not supported with this model.",
        *("include", None),
    ),
    "effort of a model without": (
        {"model": "gpt-4.1", "reasoning": {"effort": "low"}},
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        *("reasoning.effort", "unsupported_parameter"),
    ),
    "options of no stream": (
        {"stream_options": {"include_obfuscation": False}},
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        *("stream_options", None),
    ),
}
"""Fields of a request, the beginning of the refusal's words, its ``param`` and its code."""
