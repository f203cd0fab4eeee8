"""Refused requests for each row of the table, with the provider's recorded words and a check of the repair."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.planning.repairs import Repaired
from proxy.planning.repairs.repair_row import Row
from proxy.planning.repairs.repair_table import TABLE
from sanitizers import Profile
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC, MISTRAL
from tests.proxy.planning.repairs.asking import History
from tests.support.builders import assistant, call, image, system, text, tool, user, without

LEARN_MORE = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
BYTES = base64.b64encode(b"somebody else's").decode()
SIGNED = f"c1__thought__{BYTES}"
MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:f` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more "
    "details."
)
STATES = (
    "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are "
    "schemas with lots of text (for example, very long property or enum names), schemas with long array length limits "
    "(especially when nested), or schemas using complex value matchers (for example, integers or numbers with "
    "minimum/maximum bounds or strings with complex formats like date-time)"
)
OPENAI_PAIRING = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The "
    "following tool_call_ids did not have response messages: c2"
)


def object_of(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with *properties*."""
    return {"type": "object", "properties": properties}


def tools_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request with one tool, whose arguments have *schema*."""
    return {"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]}


def answer_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request whose answer has *schema*."""
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}


def exchange(call_id: str = "c1", answer: Any = "t2§") -> History:
    """Return a call and its result."""
    return [assistant(None, [call(call_id, "f", '{"a": 1}')]), tool(call_id, answer)]


@dataclass(frozen=True)
class Case:
    """A refused request. *mended* returns True for a repair that removes the cause.

    *id* is the name of the fault, which a ``-`` and the case's own name may follow. *number* is the index of the row
    among the rows of the fault. *model* is set where the emulator refuses the request for this cause. The emulator must
    accept the repaired request.
    """

    id: str
    words: str
    messages: History
    mended: Callable[[Repaired], bool]
    parameters: dict[str, Any] = field(default_factory=dict)
    profile: Profile = OPENAI
    model: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    number: int = 0

    @property
    def row(self) -> Row:
        """The table's row that the case is about."""
        return [row for row in TABLE if row.fault == self.id.partition("-")[0]][self.number]


def _calls(repaired: Repaired) -> list[dict[str, Any]]:
    return [one for message in repaired.messages for one in message.get("tool_calls") or ()]


def _schema(repaired: Repaired) -> dict[str, Any]:
    found: dict[str, Any] = repaired.parameters["tools"][0]["function"]["parameters"]
    return found


_GEMINI_3_WIRE_NO_IDS = replace(GEMINI_3, call_ids=False)
_LONG = "call_" + "x" * 60
_STRING = {"type": "string"}
_TOOLS = tools_of(object_of())
_ASK = [user("t1§")]
_THOUGHT = [{"type": "thinking", "thinking": "t9", "signature": "c2ln"}]
_THOUGHT_OF = [user("t1§"), assistant(None, [call("c1")], thinking_blocks=_THOUGHT), tool("c1", "t2§")]

CASES = (
    Case(
        "signature_unknown",
        "Invalid JSON payload received. Unknown name \"thought_signature\" at 'contents[1].parts[0]': "
        "Cannot find field.",
        [user("t1§"), *exchange()],
        lambda r: r.profile is not None and not r.profile.call_ids,
        profile=GEMINI_3,
    ),
    Case(
        "signature-corrupted",
        "Corrupted thought signature.",
        [user("t1§"), *exchange(SIGNED)],
        lambda r: "__thought__" not in str(r.messages) and r.messages[2]["tool_call_id"] == "c1",
        profile=GEMINI_3,
        model="gemini-3-pro-preview",
    ),
    Case(
        "signature-invalid-in-a-field",
        "Unable to submit request because Thought signature is not valid.. " + LEARN_MORE,
        [
            user("t1§"),
            assistant(None, [call("c1", extra_content={"google": {"thought_signature": BYTES}})]),
            tool("c1"),
        ],
        lambda r: BYTES not in str(r.messages),
        profile=GEMINI_3,
    ),
    Case(
        "thoughts-modified",
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
        "modified. These blocks must remain as they were in the original response.",
        _THOUGHT_OF,
        lambda r: "thinking_blocks" not in r.messages[1] and "reasoning_effort" in r.parameters,
        {"reasoning_effort": "low"},
        profile=ANTHROPIC,
    ),
    Case(
        "thoughts-missing",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` "
        "is enabled, a final `assistant` message must start with a thinking block.",
        _THOUGHT_OF,
        lambda r: "thinking_blocks" not in r.messages[1] and "reasoning_effort" not in r.parameters,
        {"reasoning_effort": "low"},
        profile=ANTHROPIC,
    ),
    Case(
        "signature-base64",
        "Invalid value at 'contents[2].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"EsIC\"",
        [
            user("t1§"),
            assistant(None, [call("c1", provider_specific_fields={"thought_signature": "EsIC"})]),
            tool("c1"),
        ],
        lambda r: "EsIC" not in str(r.messages),
        profile=GEMINI_3,
    ),
    Case(
        "signature-missing",
        MISSING,
        [user("t1§"), *exchange()],
        lambda r: r.profile is not None and r.profile.call_ids,
        profile=_GEMINI_3_WIRE_NO_IDS,
        model="gemini-3-pro-preview",
    ),
    Case(
        "tail",
        "Requests ending with a model turn are not supported.",
        [user("t1§"), assistant("t2§")],
        lambda r: r.messages[-1]["role"] == "user" and r.profile == GEMINI_3_STRICT,
        profile=GEMINI_3,
        model="gemini-3.6-flash",
    ),
    Case(
        "tail-mixed",
        "Requests ending with a model turn are not supported unless the last part is a function response.",
        [user("t1§"), assistant(None, [call("c1")]), tool("c1", [text("t2§"), image()])],
        lambda r: (
            [m["role"] for m in r.messages[-3:]] == ["tool", "assistant", "user"]
            and "image_url" in str(r.messages[-1])
        ),
        profile=_GEMINI_3_WIRE_NO_IDS,
    ),
    Case(
        "tail-joined",
        "Requests ending with a model turn are not supported.",
        [user("t1§"), *exchange(), user("t3§")],
        lambda r: [m["role"] for m in r.messages[-3:]] == ["tool", "assistant", "user"],
        profile=GEMINI_3_STRICT,
    ),
    Case(
        "tail-mistral",
        "Expected last role to be one of: [tool, user] but got assistant",
        [user("t1§"), assistant("t2§")],
        lambda r: r.messages[-1]["role"] == "user",
    ),
    Case(
        "tail-gemini-1",
        "Please ensure that multiturn requests ends with a user role or a function response.",
        [user("t1§"), assistant("t2§")],
        lambda r: r.messages[-1]["role"] == "user",
        profile=GEMINI_1,
        model="gemini-pro",
    ),
    Case(
        "pairing-gemini-unpaired",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        [user("t1§"), assistant("t2§"), *exchange("c1", "t3§"), user("t4§")],
        lambda r: [m["role"] for m in r.messages] == ["user", "assistant", "tool", "user"],
        profile=OPENAI,
    ),
    Case(
        "pairing-openai",
        OPENAI_PAIRING,
        [user("t1§"), assistant(None, [call("c1"), call("c2", "g")]), tool("c1", "t2§"), user("t3§")],
        lambda r: [m["role"] for m in r.messages] == ["user", "assistant", "tool", "tool", "user"],
        number=1,
    ),
    Case(
        "pairing-openai-orphan",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        [user("t1§"), tool("c1", "gone"), user("t3§")],
        lambda r: r.messages == [user("t1§"), user("t3§")],
        number=1,
    ),
    Case(
        "pairing-last-resort",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the "
        "function call turn.",
        [user("t1§"), *exchange("c1", "t2§"), assistant("t3§"), user("t4§"), *exchange("c2", "t5§")],
        lambda r: '[The tool f returned: "t2§"]' in str(r.messages) and len(_calls(r)) == 1,
        profile=GEMINI_3_STRICT,
        number=2,
    ),
    Case(
        "alternation",
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        [system(), user("t1§"), user("t2§"), assistant("t3§"), user("t4§")],
        lambda r: [m["role"] for m in r.messages] == ["system", "user", "assistant", "user"],
    ),
    Case(
        "alternation-without-a-system-role",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        [system("t1§"), user("t2§"), assistant("t3§"), user("t4§")],
        lambda r: r.messages == [user("t1§\n\nt2§"), assistant("t3§"), user("t4§")],
        number=1,
    ),
    Case(
        "alternation-behind-a-result",
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between "
        "user and assistant roles and try again.",
        [user("t1§"), *exchange(), user("t3§")],
        lambda r: [m["role"] for m in r.messages[-3:]] == ["tool", "assistant", "user"],
    ),
    Case(
        "result_then_user",
        "Unexpected role 'user' after role 'tool'",
        [user("t1§"), *exchange(), user("t3§")],
        lambda r: [m["role"] for m in r.messages[-3:]] == ["tool", "assistant", "user"],
    ),
    Case(
        "name",
        "* GenerateContentRequest.contents[12].parts[0].function_response.name: Name cannot be empty.\n",
        [user("t1§"), *exchange()],
        lambda r: r.messages[2]["name"] == "f",
        profile=GEMINI_3,
    ),
    Case(
        "call_ids-unknown",
        "Invalid JSON payload received. Unknown name \"id\" at 'contents[1].parts[0].function_call': "
        "Cannot find field.",
        [user("t1§"), *exchange()],
        lambda r: r.profile is not None and not r.profile.call_ids,
        profile=GEMINI_3,
    ),
    Case(
        "call_ids-too-long",
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a "
        "string with length 65 instead.",
        [user("t1§"), *exchange(_LONG)],
        lambda r: len(_calls(r)[0]["id"]) <= 40 and _calls(r)[0]["id"] == r.messages[2]["tool_call_id"],
        profile=replace(OPENAI, max_call_id_length=None),
        more={"code": "string_above_max_length"},
        number=1,
    ),
    Case(
        "call_ids-anthropic",
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        [user("t1§"), *exchange("functions.f:0")],
        lambda r: _calls(r)[0]["id"].isalnum() and _calls(r)[0]["id"] == r.messages[2]["tool_call_id"],
        number=2,
    ),
    Case(
        "call_ids-mistral",
        "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
        [user("t1§"), *exchange("call_0fypS1hVX")],
        lambda r: len(_calls(r)[0]["id"]) == 9 and _calls(r)[0]["id"] == r.messages[2]["tool_call_id"],
        number=3,
    ),
    Case(
        "schema-unknown-keyword",
        "Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': "
        "Cannot find field.",
        _ASK,
        lambda r: "$schema" not in _schema(r),
        tools_of({"$schema": "x", **object_of(a=_STRING)}),
    ),
    Case(
        "schema-enum",
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[a].enum: only allowed for "
        "STRING type\n",
        _ASK,
        lambda r: "enum" not in _schema(r)["properties"]["a"] and "[1,2]" in str(_schema(r)),
        tools_of(object_of(a={"type": "integer", "enum": [1, 2], "minimum": 0})),
    ),
    Case(
        "schema-any-of",
        "Unable to submit request because `f` functionDeclaration `parameters.a` schema specified other fields "
        "alongside any_of. When using any_of, it must be the only field set.",
        _ASK,
        lambda r: _schema(r)["properties"]["a"]["type"] == "string" and "anyOf" not in str(_schema(r)),
        tools_of(object_of(a={"anyOf": [_STRING, {"type": "integer"}], "title": "A"})),
    ),
    Case(
        "schema-repeating",
        "Proto field is not repeating, cannot start list.",
        _ASK,
        lambda r: _schema(r)["properties"]["a"] == {"type": "string", "description": "May be null."},
        tools_of(object_of(a={"type": ["string", "null"]})),
        number=1,
    ),
    Case(
        "schema-openai",
        "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items.",
        _ASK,
        lambda r: _schema(r)["properties"]["a"]["items"] == {"type": "string"},
        tools_of(object_of(a={"type": "array"})),
        more={"code": "invalid_function_parameters"},
        number=1,
    ),
    Case(
        "states",
        STATES,
        _ASK,
        lambda r: (
            "enum" not in _schema(r)["properties"]["a"] and "minimum" not in _schema(r)["properties"]["b"]
        ),
        tools_of(object_of(a={"enum": ["x", "y"]}, b={"type": "integer", "minimum": 1})),
    ),
    Case(
        "answer_schema-depth",
        "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.",
        _ASK,
        lambda r: "Its schema" in str(r.parameters["response_format"]),
        answer_of(object_of(a=object_of(b=object_of(c=object_of(d=_STRING))))),
    ),
    Case(
        "answer_schema-states",
        STATES,
        _ASK,
        lambda r: "maxItems" not in r.parameters["response_format"]["json_schema"]["schema"],
        answer_of({"type": "array", "items": _STRING, "maxItems": 9}),
        number=1,
    ),
    Case(
        "json_with_tools",
        "Function calling with a response mime type: 'application/json' is unsupported",
        _ASK,
        lambda r: r.parameters == _TOOLS,
        {**_TOOLS, "response_format": {"type": "json_object"}},
        profile=GEMINI_3,
        model="gemini-2.5-pro",
    ),
    Case(
        "tool_settings",
        "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
        _ASK,
        lambda r: r.parameters == {"top_p": 1},
        {"top_p": 1, "parallel_tool_calls": True, "tool_choice": "auto"},
    ),
    Case(
        "empty",
        "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. "
        + LEARN_MORE,
        [user("t1§"), assistant(""), user(""), assistant("t2§"), user([text(""), text("t3§")])],
        lambda r: (
            not any(m["content"] in ("", []) for m in r.messages) and '"text": ""' not in str(r.messages)
        ),
    ),
    Case(
        "empty-at-least-one",
        "Unable to submit request because it must include at least one parts field, which describes the prompt input. "
        + LEARN_MORE,
        [user("t1§"), assistant(" "), user("t2§")],
        lambda r: [m["content"] for m in r.messages] == ["t1§", "t2§"],
        profile=GEMINI_2,
    ),
    Case(
        "empty-system-alone",
        "* GenerateContentRequest.contents: contents is not specified\n",
        [system("t1§")],
        lambda r: [m["role"] for m in r.messages] == ["system", "user"],
    ),
    Case(
        "media_alone",
        "Unable to submit request because it must have a text parameter. Add a text parameter and try again. "
        + LEARN_MORE,
        [user([image()])],
        lambda r: r.messages[0]["content"][0]["type"] == "text",
        profile=GEMINI_1,
        model="gemini-1.5-pro",
    ),
    Case(
        "media",
        "Unsupported MIME type: image/x-odd",
        [user([text("t1§"), image("data:image/x-odd;base64,AAAA"), image()]), assistant("t2§"), user("t3§")],
        lambda r: "x-odd" not in str(r.messages) and "image/png" in str(r.messages),
        profile=GEMINI_3_STRICT,
        model="gemini-3.6-flash",
    ),
    Case(
        "media-unnamed",
        "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide",
        [user([image()]), *exchange("c1", [image()]), user([text("t3§"), image()])],
        lambda r: str(r.messages).count("image_url") == str(user([image()])).count("image_url"),
        profile=GEMINI_3_STRICT,
    ),
    Case(
        "system_role",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        [system("t1§"), user("t2§")],
        lambda r: r.messages[0] == user("t1§"),
        more={"code": "unsupported_value"},
    ),
    Case(
        "system_role-gemma",
        "System role not supported",
        [system("t1§"), user("t2§"), user("t3§"), assistant("t4§"), user("t5§")],
        lambda r: (
            [m["role"] for m in r.messages] == ["user", "assistant", "user"]
            and r.messages[0]["content"] == "t1§\n\nt2§\n\nt3§"
        ),
        number=1,
    ),
    Case(
        "system_role-gemma-model-first",
        "System role not supported",
        [system("t1§"), assistant("t2§"), user("t3§")],
        lambda r: (
            [m["role"] for m in r.messages] == ["user", "assistant", "user"]
            and r.messages[0]["content"].startswith("t1§")
        ),
        number=1,
    ),
    Case(
        "system_with_images",
        "Prompting with images is incompatible with system messages.",
        [system("t1§"), user([text("t2§"), image()]), assistant("t3§"), user("t4§"), user("t5§")],
        lambda r: (
            r.messages[0] == user([text("t1§"), text("t2§"), image()])
            and [m["role"] for m in r.messages] == ["user", "assistant", "user", "user"]
        ),
    ),
    Case(
        "system_with_images-groq",
        "prompting with images is incompatible with system messages",
        [system("t1§"), user([image()])],
        lambda r: r.messages == [user([text("t1§"), image()])],
    ),
    Case(
        "call_type",
        "Missing required parameter: 'messages[2].tool_calls[0].type'.",
        [user("t1§"), assistant(None, [without(call("c1"), "type")]), tool("c1", "t2§")],
        lambda r: [one["type"] for one in _calls(r)] == ["function"],
    ),
    Case(
        "call_field-cohere",
        "unknown field: parameter 'index' is not a valid field. For proper usage, please refer to "
        "https://docs.cohere.com/reference/chat",
        [
            user("t1§"),
            assistant(None, [call("c1", index=0), call("c2", "g", index=1)]),
            tool("c1"),
            tool("c2"),
        ],
        lambda r: _calls(r) == [call("c1"), call("c2", "g")],
    ),
    Case(
        "call_field-openai",
        "Unknown parameter: 'messages[1].tool_calls[0].index'.",
        [user("t1§"), assistant("t2§", [call("c1", index=0)]), tool("c1")],
        lambda r: _calls(r) == [call("c1")],
        more={"code": "unknown_parameter"},
    ),
    Case(
        "call_field-mistral-common",
        "1 validation error for ChatCompletionRequest\nmessages.1.assistant.tool_calls.0.index\n  Extra inputs are not "
        "permitted [type=extra_forbidden, input_value=0, input_type=int]\n    For further information visit "
        "https://errors.pydantic.dev/2.12/v/extra_forbidden",
        [user("t1§"), assistant(None, [call("c1", index=0)]), tool("c1")],
        lambda r: _calls(r) == [call("c1")],
    ),
    Case(
        "parallel_calls",
        "This model only supports single tool-calls at once!",
        [user("t1§"), assistant("t2§", [call("c1"), call("c2", "g")]), tool("c2", "t3§"), tool("c1", "t4§")],
        lambda r: (
            r.messages
            == [
                user("t1§"),
                assistant("t2§", [call("c1")]),
                tool("c1", "t4§"),
                assistant(None, [call("c2", "g")]),
                tool("c2", "t3§"),
            ]
        ),
    ),
    Case(
        "text_beside_calls",
        "Assistant message must have either content or tool_calls, but not both.",
        [
            user("t1§"),
            assistant("t2§", [call("c1")]),
            tool("c1", "t3§"),
            assistant("t4§", [call("c2")]),
            tool("c2"),
        ],
        lambda r: (
            [(m["role"], bool(m["content"]), bool(m.get("tool_calls"))) for m in r.messages]
            == [
                ("user", True, False),
                *[
                    ("assistant", True, False),
                    ("user", True, False),
                    ("assistant", False, True),
                    ("tool", True, False),
                ]
                * 2,
            ]
        ),
    ),
    Case(
        "text_beside_calls-nothing",
        "Assistant message must have either content or tool_calls, but not both.",
        [
            user("t1§"),
            assistant(""),
            user("t2§"),
            assistant("\n", [call("aaaaaaaa1")]),
            tool("aaaaaaaa1", "t3§"),
        ],
        lambda r: (
            r.messages
            == [user("t1§"), user("t2§"), assistant(None, [call("aaaaaaaa1")]), tool("aaaaaaaa1", "t3§")]
        ),
    ),
    Case(
        "tail-mistral-common",
        "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
        [user("t1§"), assistant("t2§")],
        lambda r: r.messages[-1]["role"] == "user",
    ),
    Case(
        "tail-prefix",
        "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving "
        "but got assistant",
        [user("t1§"), assistant("t2§", prefix=True)],
        lambda r: r.messages[-1]["role"] == "user",
        profile=MISTRAL,
    ),
    Case(
        "tail-vllm",
        "Cannot set `add_generation_prompt` to True when the last message is from the assistant. Consider using "
        "`continue_final_message` instead.",
        [user("t1§"), assistant("t2§")],
        lambda r: r.messages[-1]["role"] == "user",
    ),
    Case(
        "parameter-renamed",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        _ASK,
        lambda r: r.parameters == {"max_completion_tokens": 9},
        {"max_tokens": 9},
    ),
    Case(
        "parameter-value",
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is "
        "supported.",
        _ASK,
        lambda r: r.parameters == {"top_p": 1},
        {"top_p": 1, "temperature": 0.2},
    ),
    Case(
        "parameter-of-the-responses-api",
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        _ASK,
        lambda r: r.parameters == {"top_p": 1},
        {"top_p": 1, "reasoning_effort": "low"},
    ),
    Case(
        "parameter-unrecognized",
        "Unrecognized request argument supplied: reasoning_effort",
        _ASK,
        lambda r: r.parameters == {},
        {"reasoning_effort": "low"},
    ),
    Case(
        "parameter-vllm",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not "
        "permitted', 'input': 800}]",
        _ASK,
        lambda r: r.parameters == {"max_tokens": 800},
        {"max_completion_tokens": 800},
    ),
    Case(
        "no_chats",
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        _ASK,
        lambda r: r.profile is not None and r.profile.items and r.parameters == {"max_tokens": 16},
        {"max_tokens": 9, "stop": ["x"]},
    ),
    Case(
        "reasoning",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        [user("t1§"), *exchange(), user("t3§")],
        lambda r: r.messages[1]["reasoning_content"] == "",
    ),
)
