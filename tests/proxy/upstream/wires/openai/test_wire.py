"""Tests of the URLs and headers of OpenAI's wires, for chats, embeddings and text completions."""

from __future__ import annotations

import pytest

from proxy.config.addresses import OPENAI_BASES
from proxy.core.upstream_call import TextCall, UpstreamCall
from proxy.upstream.wires.openai.wire import OPENAI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user

MODEL = "openai/gpt-4o"


@pytest.mark.parametrize(("provider", "base"), OPENAI_BASES.items())
def test_url_is_the_provider_s_where_the_deployment_names_none(provider: str, base: str) -> None:
    """A stream has the same URL as a whole answer, since the body asks for the stream."""
    call = UpstreamCall(deployment_of(f"{provider}/m"), [user("a")], {}, LIMITS)

    assert {OPENAI.chat.url(call, stream=stream) for stream in (False, True)} == {f"{base}/chat/completions"}


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
