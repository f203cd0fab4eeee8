"""Tests of errors in a response."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai_responses.failures import raise_failure


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("rate_limit_exceeded", 429),
        ("server_error", 500),
        ("invalid_prompt", 400),
        ("context_length_exceeded", 400),
        ("image_too_large", 400),
        ("invalid_image_format", 400),
        ("made_up", 500),
        (503, 503),
        (None, 500),
        ([], 500),
    ],
)
def test_code_says_the_status(code: Any, status: int) -> None:
    """A status decides if the request is sent again, or refused."""
    with pytest.raises(UpstreamFault, match="Wrong") as raised:
        raise_failure({"code": code, "message": "Wrong."})

    assert raised.value.upstream_status == status


@pytest.mark.parametrize("error", [None, "x", {}, {"message": 3}])
def test_error_without_words_is_an_error(error: Any) -> None:
    with pytest.raises(UpstreamFault, match="carried an error"):
        raise_failure(error)
