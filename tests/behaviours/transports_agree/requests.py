"""The requests that both transports send to each provider: parameters and histories."""

from __future__ import annotations

from typing import Any

from tests.support.builders import assistant, call, developer, image, system, text, tool, user

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where."}},
    "required": ["path"],
    "additionalProperties": False,
}
FUNCTION = {"name": "read", "description": "Reads.", "parameters": SCHEMA}
TOOLS = [{"type": "function", "function": FUNCTION}]
NAMED = {"type": "function", "function": {"name": "read"}}
BY_SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA, "strict": True}}
MARK = {"cache_control": {"type": "ephemeral"}}
CALLS = [call("call00001", "read", '{"path": "/a"}'), call("call00002", "read", '{"path": "/b"}')]
RESULTS = [tool("call00001", "one"), tool("call00002", "two")]

PARAMETERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "limits": {"max_tokens": 77, "max_completion_tokens": 78},
    "sampling": {
        "max_tokens": 77,
        "temperature": 2,
        "top_p": 0.5,
        "n": 1,
        "seed": 7,
        "stop": ["A", "B", "C", "D", "E"],
    },
    "tokens": {
        "frequency_penalty": 0.25,
        "presence_penalty": 0.25,
        "logit_bias": {"5": 1},
        "logprobs": True,
        "top_logprobs": 2,
    },
    "top_k": {"top_k": 7},
    "two answers": {"n": 2},
    "effort": {"reasoning_effort": "low"},
    "no effort": {"reasoning_effort": "none"},
    "further": {
        "user": "u-1",
        "safety_identifier": "s-1",
        "prompt_cache_key": "k-1",
        "service_tier": "flex",
        "store": True,
        "verbosity": "low",
        "prediction": {"type": "content", "content": "x"},
        "modalities": ["text"],
    },
    "json": {"response_format": {"type": "json_object"}},
    "schema": {"response_format": BY_SCHEMA},
    "tools": {"tools": TOOLS, "tool_choice": "auto", "parallel_tool_calls": False},
    "no tool": {"tools": TOOLS, "tool_choice": "none"},
    "any tool": {"tools": TOOLS, "tool_choice": "required"},
    "named tool": {"tools": TOOLS, "tool_choice": NAMED},
    "functions": {"functions": [FUNCTION], "function_call": "auto"},
    "schema and tools": {"tools": TOOLS, "response_format": BY_SCHEMA},
}
"""The parameters of a request with the history ``Say hello.``."""

HISTORIES: dict[str, list[Any]] = {
    "names": [
        system("Be brief.", name="sy"),
        user("hello", name="ann"),
        assistant("hi", name="bo"),
        system("Be briefer."),
        user("again"),
    ],
    "developer": [developer("Be brief."), user("hello")],
    "lists": [
        system([text("Be brief.")]),
        user([text("a"), text("b")]),
        assistant([text("c")], CALLS[:1]),
        tool("call00001", [text("one")]),
        user("again"),
    ],
    "image": [user([text("what?"), image()])],
    "calls": [user("go"), assistant(None, CALLS), *RESULTS, user("and?")],
    "thoughts": [
        user("go"),
        assistant("on it", CALLS[:1], reasoning_content="I look."),
        RESULTS[0],
        assistant("done", reasoning_content="I say so."),
        user("again"),
    ],
    "marks": [system([text("Be brief.", **MARK)]), user([text("a", **MARK)]), assistant("hi"), user("b")],
    "empty texts": [
        user("go"),
        assistant("", CALLS[:1]),
        tool("call00001", ""),
        assistant(""),
        user("again"),
    ],
}
"""The histories of requests without other parameters than tools."""

TOOLED = frozenset({"calls", "empty texts", "lists", "thoughts"})
"""The histories that hold calls, so that their requests declare the tools."""

REQUESTS: dict[str, dict[str, Any]] = {
    **{name: {"messages": [user("Say hello.")], **given} for name, given in PARAMETERS.items()},
    **{
        name: {"messages": messages, **({"tools": TOOLS} if name in TOOLED else {})}
        for name, messages in HISTORIES.items()
    },
    "marked tools": {"messages": [user("go")], "tools": [{**TOOLS[0], **MARK}]},
}
"""Each request by its name."""

STREAMED = ("plain", "json", "schema", "tools")
"""The requests that are sent for a stream as well: those that litellm may send in another form then."""
