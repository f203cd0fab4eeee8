"""The errors of client keys: their ends, models, limits and spend limits.

A request with one of these errors reaches no provider.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Literal

from typing_extensions import override

from proxy.core.dollars import write_dollars
from proxy.core.errors import AuthenticationFailed, InvalidRequest, ProxyError

Holder = Literal["key", "team"]
"""The owner of a limit."""

LimitKind = Literal["requests", "tokens", "parallel"]
"""The kind of a limit of rate. ``parallel`` is the number of requests at one time."""

_HOLDERS: Mapping[Holder, str] = MappingProxyType({"key": "this key", "team": "the team of this key"})
_REACHED: Mapping[LimitKind, str] = MappingProxyType(
    {
        "requests": "The limit of requests per minute of {} is reached.",
        "tokens": "The limit of tokens per minute of {} is reached.",
        "parallel": "The limit of requests at one time of {} is reached.",
    }
)
_LONGEST_WAIT_S = 86_400
"""The most seconds that a client is told to wait for a limit of rate."""


class KeyExpired(AuthenticationFailed):
    """The client's key was valid until a moment that has passed. The client learns nothing else about the key."""

    def __init__(self) -> None:
        super().__init__("The key has expired. Ask the operator of the proxy for a new one.")


class ModelNotAllowed(InvalidRequest):
    """The client's key, or its team, may not use the model.

    *model* is the client's text. A model that is not configured gets the same answer. So a key does not learn the names
    of models that others may use. *hint* names models that the key may use.
    """

    status = HTTPStatus.FORBIDDEN
    code = "model_not_found"

    def __init__(self, model: str, *, hint: str = ""):
        super().__init__(
            f"The model '{model[:200]}' does not exist, or this key may not use it.{hint}", param="model"
        )


class RequestNeverFits(InvalidRequest):
    """The request needs more tokens than the limit of the key or of its team ever allows at once.

    A wait would not help, so the status is not 429. *needed* are the tokens of the prompt and of the answer that the
    client asks for. *most* is the size of the bucket.
    """

    code = "request_exceeds_limit"

    def __init__(self, needed: int, most: int, *, holder: Holder = "key"):
        super().__init__(
            f"The request needs {needed} tokens, and {_HOLDERS[holder]} may use {most} at once. "
            "Shorten the request, or ask for a shorter answer."
        )


class RequestTooDear(InvalidRequest):
    """The request may cost more than the key or its team may spend in a whole period.

    A wait would not help, so the status is not 429. *needed_nano* is the most that the prompt and the answer that the
    client asks for may cost, and *most_nano* the spend limit. Both are in 10⁻⁹ dollars.
    """

    code = "request_exceeds_limit"

    def __init__(self, needed_nano: int, most_nano: int, *, holder: Holder = "key"):
        super().__init__(
            f"The request may cost ${write_dollars(needed_nano)}, and {_HOLDERS[holder]} may spend "
            f"${write_dollars(most_nano)} in all. Shorten the request, or ask for a shorter answer."
        )


class UnpricedModel(InvalidRequest):
    """The model has no price, and the key's spend is limited (``general_settings.on_unpriced: refuse``)."""

    code = "model_unpriced"

    def __init__(self, model: str):
        super().__init__(
            f"The model '{model[:200]}' has no price, and the spend of this key is limited. "
            "Ask the operator of the proxy.",
            param="model",
        )


class RateLimited(ProxyError):
    """The key or its team has used up a limit: requests a minute, tokens a minute, or requests at one time.

    *wait_s* is the time until the same request would be served, if nobody else asks. It is rounded up, so that a
    client that waits as long as it is told is not refused again. ``type`` is OpenAI's: ``requests`` or ``tokens``.
    """

    status = HTTPStatus.TOO_MANY_REQUESTS
    type = "requests"
    code = "rate_limit_exceeded"

    def __init__(self, kind: LimitKind, wait_s: float, *, holder: Holder = "key"):
        wait_ms = max(1, math.ceil(min(wait_s, _LONGEST_WAIT_S) * 1000))
        self.reason = _REACHED[kind].format(_HOLDERS[holder])
        """The message without the wait."""
        wait = f"{wait_ms / 1000:.3f}".rstrip("0").rstrip(".")
        super().__init__(
            f"{self.reason} Please try again in {wait}s.",
            headers={"retry-after": str(math.ceil(wait_ms / 1000)), "retry-after-ms": str(wait_ms)},
        )
        self.kind: LimitKind = kind
        if kind == "tokens":
            self.type = "tokens"  # type: ignore[misc]  # the class has the usual one

    @property
    @override
    def outcome(self) -> str:
        """An outcome of its own: a provider's limit has the same code, and is the operator's concern."""
        return "key_over_limit"


class BudgetExceeded(ProxyError):
    """The key or its team has spent its ``max_budget`` of the period. A retry is pointless before the next period.

    *wait_s* is the time until the period ends, None or infinite for a budget that never begins anew. Requests at work
    count with what they may cost.
    """

    status = HTTPStatus.TOO_MANY_REQUESTS
    type = "insufficient_quota"
    code = "insufficient_quota"

    def __init__(self, wait_s: float | None, *, holder: Holder = "key"):
        headers = {"x-should-retry": "false"}
        if wait_s is not None and math.isfinite(wait_s):
            headers["retry-after"] = str(max(1, math.ceil(wait_s)))
        super().__init__(
            f"The budget of {_HOLDERS[holder]} is used up. Ask the operator of the proxy.", headers=headers
        )

    @property
    @override
    def outcome(self) -> str:
        """An outcome of its own: a provider's used up quota has the same code, and is the operator's concern."""
        return "key_over_budget"


class LimitsUnavailable(ProxyError):
    """The store of the limits is down, and ``limits.on_store_down`` is ``refuse``."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "limits_unavailable"
    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "The limits of this key cannot be checked at the moment; try again.", headers={"retry-after": "1"}
        )
