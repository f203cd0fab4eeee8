"""Odd answers of providers, as their users and their own pages report them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.behaviours.transports_agree.answering import HEAD, USAGE, Facts, Recorded, chunk, stream, whole

A = chunk({"role": "assistant", "content": "a"})
THOUGHT = chunk({"role": "assistant", "content": "", "reasoning": "t"})
END = chunk({}, "stop")
COUNT = {**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE}
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}

FULL = {"usage": (3, 2, 5)}
SAID: Facts = {"text": "a", "finish": "stop"}
THOUGHT_FIRST: Facts = {**SAID, "thought": "t"}

NOT_READ = {"status": 502, "message": "The provider answered with something that is not a chat completion."}
ENDED = "The provider's stream broke off before the answer was complete."
CUT_FACTS: Facts = {"text": "a", "message": ENDED}
EMPTY_FACTS: Facts = {"status": 502, "message": "The provider's stream ended without an answer."}
GUESSED: Facts = {**SAID, "usage": (8, 1, 9)}


@dataclass(frozen=True, slots=True)
class Odd:
    """An odd answer: the model, the source, and what a client of the direct transport gets.

    *litellm* is what a client of litellm gets where that differs, and *why* says how.
    """

    model: str
    source: str
    answer: Recorded
    facts: Facts
    litellm: Facts | None = None
    why: str = ""


def error(fields: Any) -> Recorded:
    """Return a 200 that holds an error."""
    return Recorded(json.dumps(fields))


GROQ = "groq/llama-3.3-70b-versatile"
KIMI = "moonshot/kimi-k2.5"
GROK = "xai/grok-4"
CLAUDE = "databricks/databricks-claude-sonnet-4-5"
MISTRAL = "mistral/mistral-large-latest"
SEEK = "deepseek/deepseek-chat"
ROUTER = "openrouter/x/y"
FIREWORKS = "fireworks_ai/accounts/fireworks/models/llama-v3p3-70b-instruct"

_INVENTED = "litellm counts the tokens itself"
_LOST = "litellm does not read the error"
_FINISHED = "litellm ends the stream as if it were complete"
_PARTS = [
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]},
    {"type": "text", "text": "a"},
]
_THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}
_XAI_USAGE = {**USAGE, "total_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 5}}
_FILTER = {"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}
_NO_HEAD = {"id": "", "object": "", "created": 0, "model": ""}
_OFFSETS = {"check_offset": 44, "start_offset": 44, "end_offset": 198}
_LATE_FILTER = {
    **_NO_HEAD,
    "choices": [
        {"index": 0, "finish_reason": None, "content_filter_results": {}, "content_filter_offsets": _OFFSETS}
    ],
    "usage": None,
}
_CITED = {"citations": ["https://a"], "search_results": [{"title": "t", "url": "https://a"}]}


def _with_message(event: dict[str, Any], usage: dict[str, Any]) -> dict[str, Any]:
    """Return Perplexity's chunk, which has the whole message so far, the citations and the usage."""
    message = {"role": "assistant", "content": "a"}
    return {**event, **_CITED, "usage": usage, "choices": [{**event["choices"][0], "message": message}]}


ANSWERS: dict[str, Odd] = {
    "groq, reasoning": Odd(
        GROQ,
        "console.groq.com/docs/reasoning",
        whole({"content": "a", "reasoning": "t"}, x_groq={"id": "r"}, service_tier="on_demand"),
        {**THOUGHT_FIRST, **FULL},
        {**SAID, **FULL},
        "litellm loses the reasoning of whole answers",
    ),
    "groq, no service tier": Odd(
        GROQ,
        "litellm 1.105.3, llms/groq",
        whole({"content": "a"}),
        {**SAID, **FULL},
        NOT_READ,
        "litellm fails without a service tier",
    ),
    "cerebras, reasoning": Odd(
        "cerebras/gpt-oss-120b",
        "inference-docs.cerebras.ai/api-reference/chat-completions",
        whole({"content": "a", "reasoning": "t"}, time_info={"total_time": 0.1}),
        {**THOUGHT_FIRST, **FULL},
    ),
    "xai, no finish reason beside calls": Odd(
        GROK,
        "litellm 1.105.3, llms/xai/chat/transformation.py",
        whole({"content": "", "tool_calls": [CALL]}, "", usage=_XAI_USAGE),
        {"calls": [("look", "{}")], "finish": "tool_calls", "usage": (3, 7, 10)},
    ),
    "databricks, parts": Odd(
        CLAUDE,
        "docs.databricks.com, Query reasoning models",
        whole({"content": _PARTS}),
        {**THOUGHT_FIRST, **FULL},
    ),
    "databricks, no usage": Odd(
        CLAUDE,
        "litellm 1.105.3, llms/databricks",
        whole({"content": "a"}, usage=None),
        SAID,
        NOT_READ,
        "litellm fails without usage",
    ),
    "mistral, parts": Odd(
        MISTRAL,
        "docs.mistral.ai, Reasoning",
        whole({"content": [_THINKING, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
        {**THOUGHT_FIRST, **FULL, "text": "ab"},
        {**THOUGHT_FIRST, **FULL, "text": "b"},
        "litellm keeps the last text alone",
    ),
    "mistral, too long": Odd(
        MISTRAL,
        "docs.mistral.ai/api",
        whole({"content": "a"}, "model_length"),
        {**SAID, **FULL, "finish": "length"},
        {**SAID, **FULL},
        "litellm calls a cut answer complete",
    ),
    "codestral, parts": Odd(
        "codestral/codestral-latest",
        "docs.mistral.ai, Reasoning",
        whole({"content": [{"type": "text", "text": "a"}]}),
        {**SAID, **FULL},
        NOT_READ,
        "litellm reads no lists of this provider",
    ),
    "perplexity, citations": Odd(
        "perplexity/sonar",
        "docs.perplexity.ai",
        whole({"content": "a"}, images=[], **_CITED),
        {**SAID, **FULL},
    ),
    "perplexity, thinking tags": Odd(
        "perplexity/sonar",
        "langchain#38070",
        whole({"content": "<think>t</think>a"}),
        {**SAID, **FULL, "text": "<think>t</think>a"},
        {**THOUGHT_FIRST, **FULL},
        "litellm cuts the tags out of whole answers, and leaves them in streams",
    ),
    "openrouter, error": Odd(
        ROUTER,
        "litellm#8448",
        error(
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 429,
                    "metadata": {"raw": "error code: 1015", "provider_name": "Kluster"},
                },
                "user_id": "u",
            }
        ),
        {"status": 429, "message": "Provider returned error: error code: 1015"},
        NOT_READ,
        _LOST,
    ),
    "openrouter, error of a choice": Odd(
        ROUTER,
        "openrouter.ai/docs, the type of a choice",
        error(
            {
                **HEAD,
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": ""},
                        "finish_reason": "error",
                        "error": {"code": 503, "message": "Upstream idle."},
                    }
                ],
            }
        ),
        {"status": 503, "message": "Upstream idle."},
        {"finish": "stop", "usage": (0, 0, 0)},
        "litellm gives an empty answer",
    ),
    "deepseek, blank lines": Odd(
        SEEK,
        "api-docs.deepseek.com/quick_start/rate_limit",
        Recorded("\n\n\n" + whole({"content": "a", "reasoning_content": "t"}).body),
        {**THOUGHT_FIRST, **FULL},
    ),
    "deepseek, overloaded": Odd(
        SEEK,
        "api-docs.deepseek.com",
        whole({"content": "a"}, "insufficient_system_resource"),
        {
            "status": 502,
            "message": "The model's answer ended without a usable finish reason. (insufficient_system_resource)",
        },
        {**SAID, **FULL},
        "litellm calls a broken answer complete",
    ),
    "zai, network error": Odd(
        "zai/some-model",
        "docs.bigmodel.cn",
        whole({"content": "a"}, "network_error"),
        {
            "status": 502,
            "message": "The model's answer ended without a usable finish reason. (network_error)",
        },
        {**SAID, **FULL},
        "litellm calls a broken answer complete",
    ),
    "zai, too long": Odd(
        "zai/some-model",
        "opencode#18813",
        whole({"content": "a"}, "model_context_window_exceeded"),
        {**SAID, **FULL, "finish": "length"},
        {**SAID, **FULL},
        "litellm calls a cut answer complete",
    ),
    "llama.cpp, error": Odd(
        "llamafile/some-model",
        "textgen#7257",
        error(
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size.",
                    "type": "exceed_context_size_error",
                    "n_ctx": 8192,
                }
            }
        ),
        {"status": 400, "message": "the request exceeds the available context size."},
        NOT_READ,
        _LOST,
    ),
    "together, error beside no choices": Odd(
        "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "docs.together.ai",
        error(
            {"error": {"message": "No.", "type": "server_error", "param": None, "code": None}, "choices": []}
        ),
        {"status": 500, "message": "No."},
        NOT_READ,
        _LOST,
    ),
    "fireworks, error": Odd(
        FIREWORKS,
        "litellm 1.105.3, llms/fireworks_ai",
        error({"error": {"message": "No.", "type": "server_error", "code": "c"}}),
        {"status": 500, "message": "No."},
        {"finish": "stop"},
        "litellm gives an empty answer",
    ),
    "fireworks, call as a text": Odd(
        FIREWORKS,
        "litellm 1.105.3, llms/fireworks_ai",
        whole({"content": '{"type": "function", "name": "look", "parameters": {}}'}),
        {**SAID, **FULL, "text": '{"type": "function", "name": "look", "parameters": {}}'},
        {"calls": [("look", "{}")], "finish": "tool_calls", **FULL},
        "litellm reads a call out of the text of whole answers, and not of streams",
    ),
    "minimax, error": Odd(
        "minimax/some-model",
        "platform.minimax.io, Error Codes",
        error(
            {
                "id": "x",
                "choices": None,
                "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"},
            }
        ),
        {"status": 402, "message": "insufficient balance"},
        NOT_READ,
        _LOST,
    ),
    "a page": Odd(
        "openai/my-model",
        "any gateway",
        Recorded("<html>busy</html>", kind="text/html"),
        {"status": 502, "message": "The provider answered with something that is not JSON."},
        NOT_READ,
        "in other words",
    ),
    # streams
    "groq, streamed": Odd(
        GROQ,
        "console.groq.com/docs",
        stream(THOUGHT, A, {**END, "x_groq": {"id": "r", "usage": USAGE}}),
        {**THOUGHT_FIRST, **FULL},
        {**THOUGHT_FIRST, "usage": (8, 2, 10)},
        _INVENTED,
    ),
    "cerebras, streamed": Odd(
        "cerebras/gpt-oss-120b",
        "free-claude-code#1136",
        stream(THOUGHT, A, {**END, "usage": USAGE, "time_info": {"total_time": 0.1}}),
        {**THOUGHT_FIRST, **FULL},
    ),
    "moonshot, streamed": Odd(
        KIMI,
        "pi#2016",
        stream(
            THOUGHT, A, {**END, "choices": [{**END["choices"][0], "usage": {**USAGE, "cached_tokens": 1}}]}
        ),
        {**THOUGHT_FIRST, **FULL},
        {**THOUGHT_FIRST, "usage": (8, 2, 10)},
        _INVENTED,
    ),
    "xai, streamed": Odd(
        GROK,
        "litellm 1.105.3, llms/xai",
        stream(A, END, {**COUNT, "usage": {**_XAI_USAGE, "num_sources_used": 0}}),
        {**SAID, "usage": (3, 7, 10)},
    ),
    "databricks, streamed": Odd(
        CLAUDE,
        "docs.databricks.com, Query reasoning models",
        stream(
            chunk({"role": "assistant", "content": _PARTS[:1]}),
            chunk({"content": _PARTS[1:]}),
            {**END, "usage": USAGE},
        ),
        {**THOUGHT_FIRST, **FULL},
    ),
    "mistral, streamed": Odd(
        MISTRAL,
        "docs.mistral.ai, Reasoning",
        stream(
            chunk({"role": "assistant", "content": [_THINKING]}),
            chunk({"content": [{"type": "text", "text": "a"}]}),
            {**chunk({"content": ""}, "stop"), "usage": USAGE},
        ),
        {**THOUGHT_FIRST, **FULL},
    ),
    "perplexity, streamed": Odd(
        "perplexity/sonar",
        "api-discussion#209",
        stream(
            _with_message(A, {**USAGE, "total_tokens": 4}),
            _with_message(chunk({"role": "assistant", "content": ""}, "stop"), USAGE),
            done=False,
        ),
        {**SAID, **FULL},
    ),
    "openrouter, comments": Odd(
        ROUTER,
        "openrouter.ai/docs",
        stream(": OPENROUTER PROCESSING\n\n", THOUGHT, ": OPENROUTER PROCESSING\n\n", A, END, COUNT),
        {**THOUGHT_FIRST, **FULL},
    ),
    "openrouter, error with a word": Odd(
        ROUTER,
        "agent-os#2214",
        stream(
            A,
            {
                **chunk({"content": ""}, "error"),
                "error": {"code": "server_error", "message": "Provider disconnected unexpectedly"},
            },
        ),
        {"text": "a", "message": "Provider disconnected unexpectedly"},
        {"text": "a", "message": NOT_READ["message"]},
        "litellm fails on a code that is no number",
    ),
    "openrouter, error without choices": Odd(
        ROUTER,
        "OmniRoute#8210",
        stream(
            A, {**COUNT, "usage": None, "error": {"code": 502, "message": "Worker limit reached (33/32)"}}
        ),
        {"text": "a", "message": "Worker limit reached (33/32)"},
        {"text": "a", "message": NOT_READ["message"]},
        _LOST,
    ),
    "azure, filters": Odd(
        "azure/gpt-4o",
        "openai-python#1677",
        stream(
            {**_NO_HEAD, "choices": [], "prompt_filter_results": [_FILTER]},
            A,
            _LATE_FILTER,
            END,
            _LATE_FILTER,
            COUNT,
        ),
        {**SAID, **FULL},
    ),
    "azure, filtered": Odd(
        "azure/gpt-4o",
        "openai-dotnet#55",
        stream(A, {"error": {"message": "It was filtered.", "code": "content_filter", "status": 400}}),
        {"text": "a", "message": "It was filtered."},
        {
            "text": "a",
            "message": "The request could not be converted for this provider; nothing was sent.",
        },
        _LOST,
    ),
    "deepseek, keep-alives": Odd(
        SEEK,
        "api-docs.deepseek.com/quick_start/rate_limit",
        stream(": keep-alive\n\n", THOUGHT, ": keep-alive\n\n", A, {**END, "usage": USAGE}),
        {**THOUGHT_FIRST, **FULL},
    ),
    "deepseek, cut": Odd(SEEK, "DeepSeek-V3#1608", stream(A, done=False), CUT_FACTS, GUESSED, _FINISHED),
    "vllm, bare error": Odd(
        "hosted_vllm/some-model",
        "vllm#12886",
        stream({"object": "error", "message": "too long", "type": "BadRequestError", "code": 400}),
        {"status": 400, "message": "too long"},
        {"finish": "stop", "usage": (8, 0, 8)},
        _FINISHED,
    ),
    "sglang, error": Odd(
        "hosted_vllm/some-model",
        "Switchyard#542",
        stream(
            {
                "error": {"code": 400, "message": "too long", "object": "error", "type": "BAD_REQUEST"},
                "model": "m",
            }
        ),
        {"status": 400, "message": "too long"},
        NOT_READ,
        _LOST,
    ),
    "ollama, error as a text": Odd(
        "hosted_vllm/some-model",
        "agent-os#2214",
        stream({"error": "an error was encountered while running the model"}),
        {"status": 502, "message": "an error was encountered while running the model"},
        NOT_READ,
        _LOST,
    ),
    "lm studio, error": Odd(
        "lm_studio/some-model",
        "goai#110",
        stream({"error": {"message": "Compute error."}, "message": "Compute error."}),
        {"status": 502, "message": "Compute error."},
        {
            "status": 400,
            "message": "The request could not be converted for this provider; nothing was sent.",
        },
        _LOST,
    ),
    "lm studio, nothing": Odd(
        "lm_studio/some-model",
        "lmstudio-bug-tracker#2339",
        stream(COUNT),
        EMPTY_FACTS,
        {"finish": "stop", **FULL},
        "litellm gives an empty answer",
    ),
    "llama.cpp, a field of its own": Odd(
        "llamafile/some-model",
        "llama.cpp#16109",
        stream(A, 'error: {"code":500,"message":"boom","type":"server_error"}\n\n', done=False),
        CUT_FACTS,
        GUESSED,
        _FINISHED,
    ),
    "minimax, streamed": Odd(
        "minimax/some-model",
        "platform.minimax.io",
        stream(
            chunk({"role": "", "reasoning_content": "t"}),
            {
                **chunk({"role": "", "content": "a"}, "stop"),
                "usage": {"total_tokens": 0, "total_characters": 0},
                "base_resp": {"status_code": 0, "status_msg": ""},
            },
        ),
        THOUGHT_FIRST,
        {**THOUGHT_FIRST, "usage": (0, 0, 0)},
        "litellm writes zeros for counts that are missing",
    ),
    "minimax, error in a stream": Odd(
        "minimax/some-model",
        "platform.minimax.io, Error Codes",
        stream({"id": "x", "choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
        {"status": 429, "message": "rate limit"},
        NOT_READ,
        _LOST,
    ),
    "a page as a stream": Odd(
        "openai/my-model",
        "any gateway",
        Recorded("<html>busy</html>", kind="text/event-stream"),
        EMPTY_FACTS,
        {"finish": "stop"},
        "litellm gives an empty answer",
    ),
    "no finish reason": Odd("openai/my-model", "any gateway", stream(A), CUT_FACTS, GUESSED, _FINISHED),
}
"""Each odd answer by its name."""
