"""Tests of the URLs and headers of OpenAI's wires, for chats, embeddings and text completions."""

from __future__ import annotations

import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS
from proxy.core.upstream_call import TextCall, UpstreamCall
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user

MODEL = "openai/gpt-4o"
HOSTED = [row for row in (*ROWS.values(), *listed_providers().values()) if row.base is not None]


@pytest.mark.parametrize("row", HOSTED, ids=[row.prefix for row in HOSTED])
def test_url_is_the_provider_s_where_the_deployment_names_none(row: ProviderRow) -> None:
    """A stream has the same URL as a whole answer, since the body asks for the stream."""
    call = UpstreamCall(deployment_of(f"{row.prefix}/m"), [user("a")], {}, LIMITS)
    below = f"{row.base}/v1" if row.prefix == "ollama_chat" else row.base

    assert {OPENAI.chat.url(call, stream=stream) for stream in (False, True)} == {f"{below}/chat/completions"}


def test_address_of_the_operator_is_used_in_the_provider_s_form() -> None:
    """Mistral's paths stand below ``/v1``, with and without it in the address."""
    for base in ("http://here", "http://here/v1", "http://here/v1/chat/completions"):
        call = UpstreamCall(deployment_of("mistral/m", api_base=base), [user("a")], {}, LIMITS)
        assert OPENAI.chat.url(call, stream=True) == "http://here/v1/chat/completions"


def test_azure_s_urls_and_headers_are_its_own() -> None:
    """Azure has chats and embeddings."""
    assert AZURE.embeddings is not None
    deployment = deployment_of("azure/dep", api_base="https://h.test", api_version="1", api_key="k")
    chat, embedding = UpstreamCall(deployment, [user("a")], {}, LIMITS), TextCall(deployment, {}, LIMITS)
    below = "https://h.test/openai/deployments/dep"

    assert AZURE.chat.url(chat, stream=True) == f"{below}/chat/completions?api-version=1"
    assert AZURE.embeddings.url(embedding, stream=False) == f"{below}/embeddings?api-version=1"
    assert AZURE.texts is None
    for wire in (AZURE.chat, AZURE.embeddings):
        assert wire.headers(deployment) == {"Content-Type": "application/json", "api-key": "k"}


def test_each_kind_of_call_has_its_path() -> None:
    """The path is below the deployment's address."""
    assert OPENAI.embeddings is not None
    assert OPENAI.texts is not None
    call = TextCall(deployment_of(MODEL, api_base="http://here/v1"), {}, LIMITS)

    assert OPENAI.embeddings.url(call, stream=False) == "http://here/v1/embeddings"
    assert OPENAI.texts.url(call, stream=True) == "http://here/v1/completions"


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, {}),
        ({"api_key": "k"}, {"Authorization": "Bearer k"}),
        (
            {"api_key": "k", "organization": "org-1"},
            {"Authorization": "Bearer k", "OpenAI-Organization": "org-1"},
        ),
    ],
    ids=["no key", "key", "organization"],
)
def test_headers_name_the_key_and_the_organization(params: dict[str, str], expected: dict[str, str]) -> None:
    """Chat, embedding and text calls have the same headers."""
    deployment = deployment_of(MODEL, **params)
    wires = (OPENAI.chat, OPENAI.embeddings, OPENAI.texts)

    for wire in wires:
        assert wire is not None
        assert wire.headers(deployment) == {"Content-Type": "application/json", **expected}


def test_allowed_parameter_is_not_withheld() -> None:
    """A parameter in the operator's ``allowed_openai_params`` is not reported as unsupported."""
    parameters = {"top_k": 5}

    assert OPENAI.chat.unsupported(deployment_of(MODEL), parameters) == {"top_k"}
    assert OPENAI.chat.unsupported(deployment_of(MODEL, allowed_openai_params=["top_k"]), parameters) == set()


@pytest.mark.parametrize(
    ("model", "allowed", "withheld"),
    [
        ("openai/m", [], set()),
        ("together_ai/m", [], set()),
        ("mistral/m", [], {"dimensions", "user"}),
        ("databricks/m", [], {"dimensions", "user"}),
        ("mistral/m", ["dimensions"], {"user"}),
    ],
)
def test_options_of_embeddings_are_withheld_where_the_provider_has_none(
    model: str, allowed: list[str], withheld: set[str]
) -> None:
    """Litellm sends these providers no options either. The operator may allow one."""
    assert OPENAI.embeddings is not None
    deployment = deployment_of(model, allowed_openai_params=allowed)
    parameters = {"input": ["a"], "dimensions": 2, "user": "u"}

    assert OPENAI.embeddings.unsupported(deployment, parameters) == withheld
