"""Tests that the emulated copies of OpenAI's wire refuse what their providers refuse, in the recorded words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.builders import assistant, call, text, tool, user
from tests.support.compatible_emulator import PROVIDERS
from tests.support.emulated import Asked, Said
from tests.support_tests.chat_cases import function

ROUND = [
    user("go"),
    assistant(None, [call("aaaaaaaa1", "look"), call("aaaaaaaa2", "look")], reasoning_content="I look."),
    tool("aaaaaaaa1", "found"),
    tool("aaaaaaaa2", "found"),
]
PLAIN = [user("go")]
NAMED = {"type": "function", "function": {"name": "look"}}
DEVELOPER = (
    "'developer' is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.0.role'"
)
IS_NOT_PERMITTED = "Extra inputs are not permitted, field: '{}'"

REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("azure", {"reasoning_effort": "low"}, "Unrecognized request argument supplied: reasoning_effort"),
    ("azure, gpt-5", {"max_tokens": 9}, "Unrecognized request argument supplied: max_tokens"),
    ("azure, gpt-5", {"temperature": 2}, "does not support this value with this model"),
    ("cerebras", {"store": False}, "body.store: property 'body.store' is unsupported"),
    (
        "cerebras",
        {"messages": ROUND},
        "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
    ),
    (
        "databricks",
        {"stream_options": {}, "stream": True},
        'Bad request: json: unknown field "stream_options"',
    ),
    ("databricks", {"messages": [user("a", name="n"), assistant("b", name="m"), user("c")]}, '"name"'),
    ("deepinfra", {"tool_choice": "required"}, "Invalid value for 'tool_choice'."),
    ("deepseek", {"messages": [user([text("a")])]}, "invalid type: sequence, expected a string"),
    ("deepseek, v4", {"tool_choice": "required"}, "deepseek-reasoner does not support this tool_choice"),
    ("fireworks_ai", {"store": False}, IS_NOT_PERMITTED.format("store")),
    ("groq", {"store": False}, "property 'store' is unsupported"),
    ("groq", {"messages": [user("a", name="n")]}, "[('messages.0' : property 'name' is unsupported)]"),
    ("heroku", {"messages": [user([text("a")])]}, "expected a string"),
    ("lm_studio", {"tool_choice": NAMED}, "Invalid tool_choice type: 'object'."),
    (
        "minimax",
        {"messages": [{"role": "system", "content": "a"}] * 2 + PLAIN},
        "invalid chat setting",
    ),
    ("mistral", {"seed": 1}, "Extra inputs are not permitted"),
    (
        "mistral",
        {"messages": [*PLAIN, assistant(None, [call("call_1")]), tool("call_1", "a")]},
        "length of 9.",
    ),
    ("moonshot", {"max_completion_tokens": 9}, IS_NOT_PERMITTED.format("max_completion_tokens")),
    ("moonshot, kimi", {"temperature": 0.5}, "invalid temperature: only 1 is allowed for this model"),
    (
        "moonshot, kimi",
        {"messages": [*PLAIN, assistant(None, [call("a")]), tool("a", "b")]},
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
    ),
    ("nvidia_nim", {"prompt_cache_key": "k"}, "Validation: Unsupported parameter(s): `prompt_cache_key`"),
    ("perplexity", {"messages": [user("a"), user("b")]}, "roles should be alternating"),
    ("perplexity", {"messages": [user("a"), assistant("b")]}, "Last message must have role `user`."),
    ("poe", {"max_completion_tokens": 9}, IS_NOT_PERMITTED.format("max_completion_tokens")),
    ("scaleway", {"messages": [{"role": "developer", "content": "a"}, *PLAIN]}, DEVELOPER),
    ("xai", {"reasoning_effort": "low"}, "Argument not supported on this model: reasoningEffort"),
    ("xai", {"messages": [{"role": "system", "content": "a", "name": "n"}, *PLAIN]}, "can have a name."),
)


def refusal_of(name: str, fields: dict[str, Any], **headers: str) -> str | None:
    """Return the words of the refusal of a request with *fields*."""
    provider = PROVIDERS[name]
    key = {"api-key": provider.secret} if provider.key == "api-key" else {}
    sent = headers or key or {"Authorization": f"Bearer {provider.secret}"}
    body = {"model": provider.sent_model or provider.model, "messages": PLAIN, **fields}
    if provider.takes_tools:
        body["tools"] = [function("look")]
    refused = provider.judge(Asked(body, sent, provider.paths[0], provider.query))
    return None if refused is None else refused.message


@pytest.mark.parametrize("name", PROVIDERS)
def test_plain_request_with_the_right_key_is_accepted(name: str) -> None:
    """A key of another provider, none at all, and a second header with one are refused."""
    right = "api-key" if PROVIDERS[name].key == "api-key" else "Authorization"

    assert refusal_of(name, {}) is None
    assert refusal_of(name, {}, **{right: "Bearer another"}) == "Incorrect API key provided."
    assert refusal_of(name, {}, none="") == "Incorrect API key provided."
    both = {"api-key": PROVIDERS[name].secret, "Authorization": f"Bearer {PROVIDERS[name].secret}"}
    assert refusal_of(name, {}, **both) == "Incorrect API key provided."
    assert refusal_of(name, {"model": "another"})


@pytest.mark.parametrize(("name", "fields", "words"), REFUSED)
def test_provider_refuses_in_its_own_words(name: str, fields: dict[str, Any], words: str) -> None:
    """Each provider accepts the same request without the fields."""
    assert words in (refusal_of(name, fields) or "")


def test_azure_s_versioned_address_needs_the_version() -> None:
    """Azure answers "Resource not found" to another version (azure-sdk-for-java#46600)."""
    azure = PROVIDERS["azure"]
    asked = Asked({"model": "gpt-4o", "messages": PLAIN}, {"api-key": azure.secret}, azure.paths[0])
    refused = azure.judge(asked)

    assert refused is not None
    assert refused.message == "Resource not found"


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("azure", "prompt_filter_results"),
        ("databricks, claude", "summary_text"),
        ("deepseek", ": keep-alive"),
        ("groq", '"x_groq"'),
        ("mistral, address without a version", '"thinking"'),
        ("moonshot", '"cached_tokens"'),
        ("openrouter", ": OPENROUTER PROCESSING"),
        ("perplexity", '"message": {"role": "assistant", "content": "a"}'),
    ],
)
def test_stream_has_the_provider_s_shape(name: str, sign: str) -> None:
    """Each sign is in no other stream of the list."""
    told = Said("a", (), "I look.")
    streams = {
        one: b"".join(PROVIDERS[one].events(Asked({}), told, 1)).decode()
        for one in (
            "azure",
            "databricks, claude",
            "deepseek",
            "groq",
            "moonshot",
            "openai",
            "perplexity",
            name,
        )
    }

    assert [one for one, stream in streams.items() if sign in stream] == [name]
