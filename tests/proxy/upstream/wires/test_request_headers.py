"""Tests that a deployment's own headers replace the wire's headers of the same name, in any spelling."""

from __future__ import annotations

import pytest

from proxy.upstream.wires.request_headers import request_headers, with_client_headers
from tests.proxy.upstream.deployments import deployment_of


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, {"Content-Type": "application/json", "X-Key": "k"}),
        ({"X-Team": "t"}, {"Content-Type": "application/json", "X-Key": "k", "X-Team": "t"}),
        ({"x-key": "other"}, {"Content-Type": "application/json", "x-key": "other"}),
        ({"content-type": "text/json"}, {"X-Key": "k", "content-type": "text/json"}),
    ],
    ids=["none", "another", "the key's", "the content's"],
)
def test_own_header_is_sent_in_place_of_the_wire_s(own: dict[str, str], expected: dict[str, str]) -> None:
    """Each name is sent once, in the operator's spelling."""
    deployment = deployment_of("openai/gpt-4o", extra_headers=own)

    assert request_headers(deployment, **{"X-Key": "k"}) == expected


@pytest.mark.parametrize(
    ("by_client", "sent"),
    [
        ((), {"Anthropic-Version": "1", "x-api-key": "k"}),
        ((("anthropic-version", "2"),), {"Anthropic-Version": "2", "x-api-key": "k"}),
        (
            (("user-agent", "claude-cli"),),
            {"Anthropic-Version": "1", "x-api-key": "k", "user-agent": "claude-cli"},
        ),
    ],
)
def test_headers_of_the_client_replace_those_of_the_wire(
    by_client: tuple[tuple[str, str], ...], sent: dict[str, str]
) -> None:
    """No header is sent twice in two spellings."""
    headers = {"Anthropic-Version": "1", "x-api-key": "k"}
    assert with_client_headers(headers, by_client, deployment_of("anthropic/claude-x")) == sent


def test_headers_of_the_operator_come_before_those_of_the_client() -> None:
    """Betas are a list, which has those of both."""
    deployment = deployment_of(
        "anthropic/claude-x", extra_headers={"Anthropic-Version": "1", "Anthropic-Beta": "a, b"}
    )
    headers = {"Anthropic-Version": "1", "Anthropic-Beta": "a, b"}
    by_client = (("anthropic-version", "2"), ("anthropic-beta", "b,c"))
    assert with_client_headers(headers, by_client, deployment) == {
        "Anthropic-Version": "1",
        "Anthropic-Beta": "a,b,c",
    }
