"""Tests of the headers about limits that clients of the Messages API read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from proxy.ingress.anthropic_messages.limit_headers import write_limits
from proxy.state.limits.claims import Standing
from tests.proxy.observability.standings import BOTH


def test_each_kind_of_limit_has_three_headers_with_anthropics_names() -> None:
    """The numbers are those of the other formats. The reset is a moment, at or after the true one."""
    before = datetime.now(UTC)
    headers = write_limits(BOTH)
    after = datetime.now(UTC)

    resets = {name: headers.pop(name) for name in [*headers] if name.endswith("-reset")}
    assert headers == {
        "anthropic-ratelimit-requests-limit": "60",
        "anthropic-ratelimit-requests-remaining": "59",
        "anthropic-ratelimit-tokens-limit": "200000",
        "anthropic-ratelimit-tokens-remaining": "198976",
    }
    for kind, seconds in (("requests", 1.0), ("tokens", 0.3072)):
        text = resets[f"anthropic-ratelimit-{kind}-reset"]
        assert text.endswith("Z")
        moment, true = datetime.fromisoformat(text), timedelta(seconds=seconds)
        assert before + true <= moment < after + true + timedelta(seconds=1)


def test_key_without_limits_of_rate_has_no_headers() -> None:
    """A key may have a budget alone."""
    assert write_limits(Standing()) == {}
