"""Tests that a deployment's own headers replace the wire's headers of the same name, in any spelling."""

from __future__ import annotations

import pytest

from proxy.upstream.wires.request_headers import request_headers
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
