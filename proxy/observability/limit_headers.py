"""The headers that tell a client what is left of its limits.

The names and the form of the times are OpenAI's (platform.openai.com, rate limits in headers, 2026-06). A reset is the
time until the whole limit is there again. LiteLLM and dashboards read these headers; no official SDK does.
"""

from __future__ import annotations

import math

from proxy.state.limits.claims import Standing


def write_limits(standing: Standing) -> dict[str, str]:
    """Return the headers of a key with *standing*: three for each kind of limit that the key has."""
    headers = {}
    if standing.limit_requests is not None:
        headers["x-ratelimit-limit-requests"] = str(standing.limit_requests)
        headers["x-ratelimit-remaining-requests"] = str(max(0, standing.remaining_requests or 0))
        headers["x-ratelimit-reset-requests"] = write_duration(standing.reset_requests_s or 0.0)
    if standing.limit_tokens is not None:
        headers["x-ratelimit-limit-tokens"] = str(standing.limit_tokens)
        headers["x-ratelimit-remaining-tokens"] = str(max(0, standing.remaining_tokens or 0))
        headers["x-ratelimit-reset-tokens"] = write_duration(standing.reset_tokens_s or 0.0)
    return headers


def write_duration(seconds: float) -> str:
    """Return *seconds*, rounded up to the millisecond, as OpenAI writes times: ``120ms``, ``1.5s``, ``6m0s``."""
    if seconds <= 0:
        return "0s"
    milliseconds = math.ceil(seconds * 1000)
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    whole, rest = divmod(milliseconds, 1000)
    minutes, last = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{last}.{rest:03}".rstrip("0") if rest else str(last)
    if hours:
        return f"{hours}h{minutes}m{text}s"
    return f"{minutes}m{text}s" if minutes else f"{text}s"
