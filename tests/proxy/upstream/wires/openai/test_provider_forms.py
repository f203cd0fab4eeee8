"""Tests of the forms of addresses, model names and texts. The expected ones were recorded from litellm 1.105.3."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.openai.provider_forms import (
    address_of,
    message_form,
    model_name,
    with_plain_text,
)
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import assistant, call, image, text, tool, user

HOST = "https://h.test"
BELOW_V1 = ("cometapi", "heroku", "huggingface", "minimax", "mistral", "ollama_chat")


@pytest.mark.parametrize("provider", BELOW_V1)
@pytest.mark.parametrize("path", ["", "/gateway"])
def test_address_without_v1_gets_it_where_litellm_adds_it(provider: str, path: str) -> None:
    """An address that has it stays."""
    assert address_of(provider, HOST + path) == f"{HOST}{path}/v1"
    assert address_of(provider, f"{HOST}{path}/v1") == f"{HOST}{path}/v1"


@pytest.mark.parametrize("provider", ["deepseek", "groq", "hosted_vllm", "openai", "perplexity", "toy"])
@pytest.mark.parametrize("path", ["", "/gateway", "/v1"])
def test_address_of_another_provider_is_the_operator_s(provider: str, path: str) -> None:
    """A gateway or a server of one's own may have any path."""
    assert address_of(provider, HOST + path) == HOST + path


@pytest.mark.parametrize("provider", [*BELOW_V1, "groq", "hosted_vllm", "openai", "openrouter"])
def test_address_of_chats_is_taken_for_the_address_above_it(provider: str) -> None:
    """Litellm takes such an address for some providers. For the rest it was an error."""
    assert address_of(provider, f"{HOST}/v1/chat/completions") == f"{HOST}/v1"


@pytest.mark.parametrize("path", ["/api", "/api/chat"])
def test_ollama_s_own_address_means_its_v1(path: str) -> None:
    """Litellm asks at ``/api/chat``, and takes an address that ends so. Documents name both."""
    assert address_of("ollama_chat", f"http://localhost:11434{path}") == "http://localhost:11434/v1"


OWN = "accounts/fireworks"


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("fireworks_ai/m", f"{OWN}/models/m"),
        ("fireworks_ai/models/m", f"{OWN}/models/m"),
        ("fireworks_ai/qwen/m", f"{OWN}/models/qwen/m"),
        ("fireworks_ai/accounts/me/models/m", "accounts/me/models/m"),
        ("fireworks_ai/m#accounts/me/deployments/d", "m#accounts/me/deployments/d"),
        ("fireworks_ai/FW-x", "FW-x"),
        ("fireworks_ai/routers/r", f"{OWN}/routers/r"),
        ("fireworks_ai/m-fast", f"{OWN}/routers/m-fast"),
        ("fireworks_ai/auto", f"{OWN}/routers/auto"),
        ("fireworks_ai/auto-instant", f"{OWN}/routers/auto-instant"),
        ("fireworks_ai/firerouter/r", f"{OWN}/routers/firerouter/r"),
        ("fireworks_ai/auto/x", f"{OWN}/models/auto/x"),
        ("azure/gpt5_series/mine", "mine"),
        ("azure/o_series/mine", "mine"),
        ("azure/mine", "mine"),
        ("openai/o_series/mine", "o_series/mine"),
        ("groq/openai/gpt-oss-120b", "openai/gpt-oss-120b"),
        ("openrouter/openrouter/auto", "openrouter/auto"),
        ("huggingface/org/name:groq", "org/name:groq"),
    ],
)
def test_model_has_the_provider_s_name(model: str, sent: str) -> None:
    """A model of Fireworks has an account, and a deployment of Azure has no family in its name."""
    assert model_name(deployment_of(model, api_base=HOST)) == sent


@pytest.mark.parametrize(
    ("provider", "lists"), [("publicai", False), ("scaleway", True), ("openai", True), ("nobody", True)]
)
def test_texts_in_parts_are_openai_s_form_unless_the_row_says_otherwise(provider: str, lists: bool) -> None:
    """Litellm's file marks the providers that refuse them."""
    form = message_form(deployment_of(f"{provider}/m", api_base=HOST))

    assert form is (None if lists else with_plain_text)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (user([text("a"), text("b")]), "ab"),
        (assistant([text("a")], reasoning_content="hm"), "a"),
        (user([]), ""),
        (user([text("a", cache_control={"type": "ephemeral"})]), "a"),
    ],
)
def test_parts_of_text_become_one_text(message: dict[str, Any], content: str) -> None:
    """Other fields stay, and the history of the client is not written to."""
    before = {**message}

    assert with_plain_text(message) == {**message, "content": content}
    assert message == before


@pytest.mark.parametrize(
    "message",
    [
        user("a"),
        user([text("a"), image()]),
        user(["a"]),
        user([{"type": "text", "text": 5}]),
        {"role": "assistant", "content": None},
        {"role": "assistant", "tool_calls": []},
    ],
)
def test_message_with_other_content_is_the_same_object(message: dict[str, Any]) -> None:
    """Images would be lost."""
    assert with_plain_text(message) is message


@pytest.mark.parametrize("provider", ["cerebras", "databricks", "fireworks_ai", "groq", "perplexity"])
def test_strict_provider_gets_no_nulls(provider: str) -> None:
    """OpenAI's SDK sends back the nulls of an answer. A null and a missing field mean the same."""
    form = message_form(deployment_of(f"{provider}/m", api_base=HOST))
    assert form is not None
    bare = assistant(None, [call("c1")])

    assert form(bare) is bare
    assert form({**bare, "refusal": None, "audio": None}) == bare


@pytest.mark.parametrize("model", ["groq/m", "xai/m", "databricks/m", "moonshot/kimi-k2.6", "openai/m"])
def test_form_of_a_message_changes_nothing_that_it_says(model: str) -> None:
    """Steps of sanitizing drop what a provider refuses, and list the change."""
    form = message_form(deployment_of(model, api_base=HOST))
    told = call("c1", index=0)
    told["function"]["parsed_arguments"] = {}
    messages = [
        user("a", name="ann"),
        assistant("b", [told, call("c2", "g")], name="bo", reasoning_content=""),
        tool("c1", "d", name="f"),
    ]

    assert all(form is None or form(message) is message for message in messages)


@pytest.mark.parametrize(
    ("model", "joined"),
    [
        ("databricks/databricks-gpt-oss-120b", True),
        ("databricks/databricks-claude-sonnet-4-5", False),
        ("groq/llama", False),
    ],
)
def test_parts_are_joined_for_models_of_databricks_but_claude(model: str, joined: bool) -> None:
    """Litellm sends Claude lists of parts, with cache marks in them."""
    form = message_form(deployment_of(model, api_base=HOST))
    assert form is not None

    assert form(user([text("a"), text("b")]))["content"] == ("ab" if joined else [text("a"), text("b")])
