"""Judges requests as chat templates do, with the error envelopes of vLLM, llama.cpp or Ollama.

The model's name decides its template. Sources: plain alternation, autogen#1037 and vllm#2080 (Mistral 7B Instruct, no
system message at all), llama_index#11731; alternation behind a system message, with tools (Mistral Nemo and 7B v0.3,
and their nine-character ids), gpt4all#3255 and the templates on the hub; Devstral and Ministral, llama.cpp#19851,
crush#279; no system role (Gemma 2), vllm#2964, chat-ui#1386; Gemma 3 folds it, and knows no tools,
text-generation-inference#3198; a user message somewhere (Qwen 3.5), leviath#471; roles that no template knows,
llama.cpp#21879. Tools on a server without a parser: mcp-assist#21. A content of null (Qwen3-VL): mlx-vlm#1785. A
Mistral model on vLLM, where mistral-common reads the request: its versions 1.5.6 (an `index` on a call) and 1.8.8.
One call at a time (Llama 3.1 and 3.2), vllm#25108
and the templates in llama.cpp's source; no system message beside images (Llama 3.2 with vision), vllm#8854;
mistral-common for older tokenizers, its `instruct/validator.py` (1.5.6) and mistral-vibe#70; no model's turn at the end
(Devstral 2 on vLLM), mistral-vibe#114.

A template gets the arguments of a call as a parsed object. Arguments that are no JSON object are refused first
(OpenHands' patterns).
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.support.chat_emulator.errors import LlamaCppRefusal, OllamaRefusal, PlainRefusal, VllmRefusal
from tests.support.chat_emulator.mistral import (
    BAD_ID,
    BAD_NAME,
    FUNCTION_FIELDS,
    NO_TYPE,
    declaration_faults,
)

ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/..."
ALTERNATE_BEHIND_SYSTEM = (
    "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
)
ALTERNATE_BUT_TOOLS = (
    "After the optional system message, conversation roles must alternate user and assistant roles "
    "except for tool calls and results."
)
NO_SYSTEM = "System role not supported"
OTHER_ROLES = "Only user and assistant roles are supported!"
NO_QUERY = "No user query found in messages."
NO_QUERY_OLLAMA = "no user query found in messages"
SYSTEM_FIRST = "System message must be at the beginning."
SHORT_ID = "Tool call IDs should be alphanumeric strings with length 9!"
NO_PARSER = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
NULL_CONTENT = "'NoneType' object is not iterable"
CALLED = ("id", "type", "function")
LAST = (
    "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving "
    "but got {role}"
)
AFTER_TOOL = "Unexpected role 'user' after role 'tool'"
EXTRA = "Extra inputs are not permitted"
ONE_CALL = "This model only supports single tool-calls at once!"
IMAGES_AND_SYSTEM = "Prompting with images is incompatible with system messages."
TEXT_AND_CALLS = "Assistant message must have either content or tool_calls, but not both."
LAST_ROLE = "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
NO_PROMPT = (
    "Cannot set `add_generation_prompt` to True when the last message is from the assistant. "
    "Consider using `continue_final_message` instead."
)
EXTRA_FIELD = (
    "1 validation error for ChatCompletionRequest\nmessages.{at}.assistant.tool_calls.{call}.{name}\n"
    "  Extra inputs are not permitted [type=extra_forbidden, input_value={value!r}, input_type={kind}]\n"
    "    For further information visit https://errors.pydantic.dev/2.12/v/extra_forbidden"
)
BAD_ARGUMENTS = "failed to parse tool call arguments as json"

Message = dict[str, Any]
Rules = Callable[[list[Message]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Template:
    """The chat template of one model family: its rules, whether it accepts tools, and the errors of its server."""

    rules: Rules
    takes_tools: bool = True
    refusal: Callable[[str, int], PlainRefusal] = VllmRefusal
    status: int = 400
    reads_types: bool = False
    """True where declarations are read into mistral-common's types, which are strict."""


def judge_templated(body: Any) -> PlainRefusal | None:
    """Return the first fault that the model's chat template raises, in the envelope of its server, or None."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or "model" not in body:
        return VllmRefusal("[{'type': 'missing', 'loc': ('body',), 'msg': 'Field required'}]")
    template = template_of(str(body["model"]))
    if body.get("tools") and not template.takes_tools and body.get("tool_choice") != "none":
        return template.refusal(NO_PARSER, 400)
    if template.reads_types:
        for fault in _declaration_faults(body.get("tools") or ()):
            return template.refusal(fault, 400)
    for words in (*_shape_faults(body["messages"]), *template.rules(body["messages"])):
        return template.refusal(words, template.status)
    return None


def template_of(model: str) -> Template:
    """Return the chat template of *model*. A name that fits no prefix gets a template that accepts everything."""
    name = model.rpartition("/")[2].lower()
    for prefix, template in TEMPLATES.items():
        if name.startswith(prefix):
            return template
    return Template(_anything)


def _declaration_faults(tools: Sequence[dict[str, Any]]) -> Iterator[str]:
    for tool in tools:
        yield from (fault.message for fault in declaration_faults((), tool["function"]))
        if tool["function"].keys() - {"name", "description", "parameters"}:
            yield EXTRA


def _anything(messages: list[Message]) -> Iterator[str]:
    yield from ()


def _alternating(messages: list[Message]) -> Iterator[str]:
    for index, message in enumerate(messages):
        if (message["role"] == "user") != (index % 2 == 0):
            yield ALTERNATE
        if message["role"] not in ("user", "assistant"):
            yield OTHER_ROLES


def _system_then_alternating(messages: list[Message]) -> Iterator[str]:
    yield from _alternating(messages[1:] if messages and messages[0]["role"] == "system" else messages)


def _without_system(messages: list[Message]) -> Iterator[str]:
    if messages and messages[0]["role"] == "system":
        yield NO_SYSTEM
    yield from _alternating(messages)


def _instruct_with_tools(messages: list[Message]) -> Iterator[str]:
    yield from _alternating_but_tools(messages, ALTERNATE_BEHIND_SYSTEM)
    for message in messages:
        ids = [entry.get("id") for entry in message.get("tool_calls") or ()]
        if message["role"] == "tool":
            ids.append(message.get("tool_call_id"))
        for call_id in ids:
            if not isinstance(call_id, str) or not re.fullmatch(r"[a-zA-Z0-9]{9}", call_id):
                yield SHORT_ID


def _devstral(messages: list[Message]) -> Iterator[str]:
    yield from _alternating_but_tools(messages, ALTERNATE_BUT_TOOLS)


def _alternating_but_tools(messages: list[Message], words: str) -> Iterator[str]:
    behind = messages[1:] if messages and messages[0]["role"] == "system" else messages
    turns = [message for message in behind if message["role"] != "tool" and not message.get("tool_calls")]
    for index, message in enumerate(turns):
        if (message["role"] == "user") != (index % 2 == 0):
            yield words
        if message["role"] not in ("user", "assistant"):
            yield "Only user, assistant and tool roles are supported, got " + message["role"] + "."


def _with_a_query(messages: list[Message]) -> Iterator[str]:
    if all(message["role"] != "user" for message in messages):
        yield NO_QUERY
    if any(message["role"] == "system" for message in messages[1:]):
        yield SYSTEM_FIRST


def _with_a_query_on_ollama(messages: list[Message]) -> Iterator[str]:
    if all(message["role"] != "user" for message in messages):
        yield NO_QUERY_OLLAMA


def _single_calls(messages: list[Message]) -> Iterator[str]:
    if any(len(message.get("tool_calls") or ()) > 1 for message in messages):
        yield ONE_CALL


def _with_vision(messages: list[Message]) -> Iterator[str]:
    parts = [
        part
        for message in messages
        if isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    if (
        messages[:1]
        and messages[0]["role"] == "system"
        and any(part["type"] == "image_url" for part in parts)
    ):
        yield IMAGES_AND_SYSTEM
    yield from _single_calls(messages)


def _mistral_common_1_5(messages: list[Message]) -> Iterator[str]:
    for at, message in enumerate(messages):
        for number, entry in enumerate(message.get("tool_calls") or ()):
            for name in sorted(entry.keys() - {"id", "type", "function"}):
                value = entry[name]
                yield EXTRA_FIELD.format(
                    at=at, call=number, name=name, value=value, kind=value.__class__.__name__
                )
    for message in messages:
        if message["role"] == "assistant" and bool(message.get("content")) == bool(message.get("tool_calls")):
            yield TEXT_AND_CALLS
    if messages and messages[-1]["role"] == "assistant":
        yield LAST_ROLE


def _without_prefill(messages: list[Message]) -> Iterator[str]:
    if messages and messages[-1]["role"] == "assistant":
        yield NO_PROMPT


def _shape_faults(messages: list[Message]) -> Iterator[str]:
    for message in messages:
        for entry in message.get("tool_calls") or ():
            try:
                parsed = json.loads(entry["function"]["arguments"])
            except ValueError:
                parsed = None
            if not isinstance(parsed, dict):
                yield BAD_ARGUMENTS


def _reads_contents(messages: list[Message]) -> Iterator[str]:
    if any(message["role"] == "assistant" and message.get("content") is None for message in messages):
        yield NULL_CONTENT


def _mistral_common(messages: list[Message]) -> Iterator[str]:
    yield from _unknown_fields(messages)
    for before, message in pairwise(messages):
        if message["role"] == "user" and before["role"] == "tool":
            yield AFTER_TOOL
    for message in messages:
        calls = message.get("tool_calls") or ()
        ids = [entry["id"] for entry in calls]
        if message["role"] == "tool":
            ids.append(message["tool_call_id"])
            if message.get("name") == "":
                yield BAD_NAME.format(name="")
        yield from (
            BAD_ID.format(id=call_id) for call_id in ids if not re.fullmatch(r"[a-zA-Z0-9]{9}", call_id)
        )
        yield from (NO_TYPE for entry in calls if entry.get("type", "function") != "function")
    if messages[-1]["role"] not in ("user", "tool"):
        yield LAST.format(role=messages[-1]["role"])


def _unknown_fields(messages: list[Message]) -> Iterator[str]:
    """Yield the fields that mistral-common's types forbid: names of users, and others on calls."""
    for message in messages:
        known = ("role", "content") if message["role"] in ("system", "user") else None
        if known is not None and isinstance(message["content"], str) and message.keys() - {*known}:
            yield EXTRA
        for entry in message.get("tool_calls") or ():
            if entry.keys() - {*CALLED} or entry["function"].keys() - {*FUNCTION_FIELDS}:
                yield EXTRA


TEMPLATES: dict[str, Template] = {
    "devstral-small-2-24b": Template(_without_prefill),
    "devstral": Template(_devstral, refusal=LlamaCppRefusal, status=500),
    "ministral": Template(_devstral),
    "mistral-7b-instruct-v0.2": Template(_alternating, takes_tools=False),
    "mistral-7b-instruct-v0.3": Template(_instruct_with_tools),
    "mistral-small-instruct-2409": Template(_mistral_common_1_5),
    "mistral-small": Template(_mistral_common, reads_types=True),
    "qwen3-vl": Template(_reads_contents),
    "mistral-nemo": Template(_instruct_with_tools),
    "llama-2": Template(_system_then_alternating, takes_tools=False),
    "llama-3.1": Template(_single_calls),
    "llama-3.2-11b-vision": Template(_with_vision),
    "gemma-2": Template(_without_system, takes_tools=False),
    "gemma-3": Template(_system_then_alternating, takes_tools=False),
    "qwen3.5": Template(_with_a_query),
    "ollama-qwen3.5": Template(_with_a_query_on_ollama, refusal=OllamaRefusal, status=500),
}
"""Maps the prefix of a model's name, without its owner, to a chat template. The first prefix that fits decides."""
