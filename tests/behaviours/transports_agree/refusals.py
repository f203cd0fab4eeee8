"""Errors of providers as they were recorded: the model, the status, the body, its source, and what a client is told."""

from __future__ import annotations

import json
from typing import Any

Refusal = tuple[str, int, str, str, str]
"""A model, a status, a body, its source, and the message."""


def _json(value: Any) -> str:
    return json.dumps(value)


def _openai(message: str, **fields: Any) -> str:
    return _json({"error": {"message": message, **fields}})


_FORBIDDEN = {"type": "extra_forbidden", "msg": "Extra inputs are not permitted"}

REFUSALS: tuple[Refusal, ...] = (
    (
        "azure/gpt-4o",
        400,
        _openai("The response was filtered.", type=None, param="prompt", code="content_filter", status=400),
        "openai-dotnet#55",
        "The response was filtered.",
    ),
    (
        "azure/gpt-4o",
        404,
        _json({"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}}),
        "chatbox#861",
        "The API deployment does not exist.",
    ),
    (
        "azure/gpt-4o",
        404,
        _json({"error": {"code": "404", "message": "Resource not found"}}),
        "azure-sdk-for-java#46600",
        "Resource not found",
    ),
    (
        "mistral/mistral-large-latest",
        422,
        _json(
            {
                "object": "error",
                "message": {"detail": [{**_FORBIDDEN, "loc": ["body", "messages", 0, "user", "name"]}]},
                "type": "invalid_request_error",
            }
        ),
        "mistral-go#2",
        "Extra inputs are not permitted (body.messages.0.user.name)",
    ),
    (
        "mistral/mistral-large-latest",
        422,
        _json(
            {
                "object": "Error",
                "detail": [{**_FORBIDDEN, "loc": ["body", "tools"]}],
                "message": [{**_FORBIDDEN, "loc": ["body", "tools"]}],
                "code": 3001,
            }
        ),
        "php-mistral#76",
        "Extra inputs are not permitted (body.tools)",
    ),
    (
        "mistral/mistral-large-latest",
        400,
        _json(
            {
                "object": "error",
                "message": "Tool call id was turn1_0 but must be a-z, A-Z, 0-9, with a length of 9.",
                "type": "invalid_function_call",
                "code": "3280",
                "raw_status_code": 400,
            }
        ),
        "ironclaw#1241",
        "Tool call id was turn1_0 but must be a-z, A-Z, 0-9, with a length of 9.",
    ),
    (
        "deepseek/deepseek-chat",
        402,
        _openai("Insufficient Balance", type="unknown_error", param=None, code="invalid_request_error"),
        "aider#4851",
        "Insufficient Balance",
    ),
    (
        "groq/llama-3.3-70b-versatile",
        400,
        _openai(
            "Failed to call a function. Please adjust your prompt.",
            type="invalid_request_error",
            code="tool_use_failed",
            failed_generation="<function=read={}</function>",
        ),
        "groq-typescript#28",
        "Failed to call a function. Please adjust your prompt.",
    ),
    (
        "groq/llama-3.3-70b-versatile",
        413,
        _openai("Request too large for model.", type="tokens", code="rate_limit_exceeded"),
        "podscript#20",
        "Request too large for model.",
    ),
    (
        "openrouter/x/y",
        429,
        _openai(
            "Provider returned error",
            code=429,
            metadata={"raw": "It is temporarily rate-limited upstream.", "provider_name": "BaseTen"},
        ),
        "open-webui/computer#293",
        "Provider returned error: It is temporarily rate-limited upstream.",
    ),
    (
        "openrouter/x/y",
        400,
        _openai(
            "Provider returned error",
            code=400,
            metadata={"raw": _openai("Messages must contain the word 'json'."), "provider_name": "OpenAI"},
        ),
        "go-openrouter#21",
        "Provider returned error: Messages must contain the word 'json'.",
    ),
    (
        "xai/grok-4",
        400,
        _json(
            {
                "code": "Client specified an invalid argument",
                "error": "The model expects a single `text` element per message.",
            }
        ),
        "LLMSearchPlus#2",
        "The model expects a single `text` element per message.",
    ),
    (
        "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        422,
        _json(
            {
                "error": {
                    "message": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
                    "type": "invalid_request_error",
                },
                "id": "x",
            }
        ),
        "UI-TARS-desktop#626",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
    ),
    (
        "cerebras/gpt-oss-120b",
        400,
        _json(
            {
                "message": "body.store: property 'body.store' is unsupported",
                "type": "invalid_request_error",
                "param": "validation_error",
                "code": "wrong_api_format",
            }
        ),
        "openclaw#11490",
        "body.store: property 'body.store' is unsupported",
    ),
    (
        "perplexity/sonar",
        400,
        _openai("Last message must have role `user`.", type="invalid_message", code=400),
        "litellm#3918",
        "Last message must have role `user`.",
    ),
    (
        "moonshot/kimi-k2.5",
        400,
        _openai("thinking is enabled but reasoning_content is missing", type="invalid_request_error"),
        "picoclaw#588",
        "thinking is enabled but reasoning_content is missing",
    ),
    (
        "nvidia_nim/some-model",
        404,
        _json({"status": 404, "title": "Not Found", "detail": "Function 'f': Not found for account 'a'"}),
        "free-claude-code#1021",
        "Function 'f': Not found for account 'a'",
    ),
    (
        "nvidia_nim/some-model",
        500,
        "data:"
        + _json({"title": "Internal Server Error", "status": 500, "detail": "System role not supported"}),
        "litellm#4558",
        "System role not supported",
    ),
    (
        "nvidia_nim/some-model",
        400,
        _json({"error": "[{'type': 'extra_forbidden', 'loc': ('body', 'prompt_cache_key')}]"}),
        "picoclaw#1019",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'prompt_cache_key')}]",
    ),
    (
        "hosted_vllm/some-model",
        400,
        _json(
            {"object": "error", "message": "maximum context length", "type": "BadRequestError", "code": 400}
        ),
        "vllm#12886",
        "maximum context length",
    ),
    (
        "lm_studio/some-model",
        400,
        _json({"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}),
        "lmstudio-bug-tracker#670",
        "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    ),
    (
        "llamafile/some-model",
        400,
        _json(
            {
                "error": {
                    "code": 400,
                    "message": "request (4390 tokens) exceeds the available context size (4096 tokens)",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 4390,
                }
            }
        ),
        "llama.cpp#19774",
        "request (4390 tokens) exceeds the available context size (4096 tokens)",
    ),
    (
        "ollama_chat/some-model",
        404,
        _openai('model "m" not found, try pulling it first', type="api_error", param=None, code=None),
        "QAnything#555",
        'model "m" not found, try pulling it first',
    ),
    (
        "huggingface/org/model",
        400,
        _json({"error": "Model not supported by provider together"}),
        "huggingface.js#2225",
        "Model not supported by provider together",
    ),
    (
        "huggingface/org/model",
        500,
        _json({"message": "Encountered a server error, please try again.", "type": "server_error"}),
        "pydantic-ai#3062",
        "Encountered a server error, please try again.",
    ),
    (
        "github/gpt-4o",
        410,
        _json({"error": {"code": "github_models_retirement_brownout", "message": "It is unavailable."}}),
        "langchain-for-beginners#34",
        "It is unavailable.",
    ),
    (
        "databricks/databricks-gpt-oss-120b",
        400,
        _json({"error_code": "BAD_REQUEST", "message": "Multiple tool calls are not supported.\n"}),
        "litellm#31633",
        "Multiple tool calls are not supported.\n",
    ),
    (
        "zai/some-model",
        429,
        _json({"error": {"code": "1113", "message": "The balance is used up."}}),
        "CowAgent#2910",
        "The balance is used up.",
    ),
    (
        "dashscope/some-model",
        400,
        _openai(
            "parameter.enable_thinking must be set to false for non-streaming calls",
            code="invalid_parameter_error",
            param=None,
        ),
        "note-gen#372",
        "parameter.enable_thinking must be set to false for non-streaming calls",
    ),
    (
        "minimax/some-model",
        429,
        _openai("insufficient balance (1008)", http_code="429", type="insufficient_balance_error"),
        "modelscope#1691",
        "insufficient balance (1008)",
    ),
    (
        "openai/my-model",
        503,
        "<html><body>busy</body></html>",
        "any gateway",
        "The provider answered with status 503.",
    ),
)
"""Each recorded error."""

SHOWN = {"UI-TARS-desktop#626": 400}
"""The status that a client gets in the place of the provider's: a history that is too long is a 400."""
