"""The errors that a client can get, each with its status, type, code and retryability on the class.

Each case that a client or an operator handles differently has a class. :class:`InvalidRequest` is the base of most
errors that the client causes. :class:`UpstreamFault` is the base of failed calls to a provider. The error is written in
the client's format: as a JSON answer or, once a stream has started, as the stream's last event. Messages hold no key,
header, address or traceback.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from typing_extensions import override

from proxy.core.dollars import write_dollars
from proxy.core.failures import Cause, Evidence

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


class ProxyError(Exception):
    """Base of all errors that become an answer.

    *message* is for the client. *param* names the request field at fault in OpenAI's spelling (``messages[3].role``).
    *headers* are added to the answer. ``details`` are further fields for the client.
    """

    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    type: ClassVar[str] = "server_error"
    code: ClassVar[str] = "internal_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, param: str | None = None, headers: Mapping[str, str] | None = None):
        super().__init__(message)
        self.message = message
        self.param = param
        self.headers = dict(headers or {})
        self.details: Mapping[str, Any] = {}
        self.for_log = ""
        """The reason for the operator, who reads the log. It is never part of an answer."""

        self.of_deployment = False
        """True where another deployment may serve the same request, so that a fallback is asked in every mode.

        *param* has the name of the client's own format then.
        """

        self.asked_model = ""
        """The model that the client named, for the log, if the request was refused while being read."""

    @property
    def http_status(self) -> int:
        """The status of the answer, as a number."""
        return int(self.status)

    @property
    def outcome(self) -> str:
        """The request's outcome in logs and metrics: the code, unless another fault has the same code."""
        return self.code


class InvalidRequest(ProxyError):
    """The request cannot be used as it is. Sending it again unchanged is pointless."""

    status = HTTPStatus.BAD_REQUEST
    type = "invalid_request_error"
    code = "invalid_request"


class BodyTooLarge(InvalidRequest):
    """The body is too large: over ``general_settings.max_body_mib``, or over another limit of size or memory."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"


class RequestTooSlow(InvalidRequest):
    """The body did not arrive in time."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_timeout"


class Forbidden(InvalidRequest):
    """The request names a host, or comes from a web page, that is allowed only with a key."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class UnsupportedMediaType(InvalidRequest):
    """The body has a media type or content coding that is not supported."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class UnrepairableHistory(InvalidRequest):
    """The history breaks a rule of the provider, and could not or must not be repaired.

    *rule* is the rule's slug, by default the error's code. The client gets *violations*, the broken rules, and
    *changes*, which would repair the history.
    """

    code = "illegal_history"

    def __init__(
        self,
        message: str,
        *,
        param: str | None = None,
        rule: str | None = None,
        violations: Sequence[Mapping[str, Any]] = (),
        changes: Sequence[Mapping[str, Any]] = (),
    ):
        super().__init__(message, param=param)
        self.rule = rule or self.code
        self.violations = list(violations)
        self.changes = list(changes)
        if violations or changes:
            self.details = {"violations": self.violations, "changes": self.changes}


class ContextTooLong(InvalidRequest):
    """The request exceeds the model's token limit, even after the cuts that the mode allows. Nothing was sent."""

    code = "context_length_exceeded"


class ConversionFailed(InvalidRequest):
    """litellm could not convert the request, so nothing was sent.

    litellm reports a retryable 500, but the client gets a permanent 400.
    """

    code = "conversion_failed"


class ModelNotFound(InvalidRequest):
    """No deployment has the model's name."""

    status = HTTPStatus.NOT_FOUND
    code = "model_not_found"


class NotFound(InvalidRequest):
    """There is no such path."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class BodyNotKept(NotFound):
    """The body of a recent request was never kept, or has been discarded."""

    code = "body_not_kept"


class MethodNotAllowed(InvalidRequest):
    """The path does not support the method. The answer's ``Allow`` header lists those that it supports."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"


class NotServed(InvalidRequest):
    """The path belongs to OpenAI's API, but turnright does not serve it."""

    status = HTTPStatus.NOT_IMPLEMENTED
    code = "not_implemented"


class TooMuchWork(ProxyError):
    """Preparing the request takes more steps (:mod:`sanitizers.work_limit`) than its size allows.

    No other deployment is tried, since preparing the request for it would take as many steps.
    """

    status = HTTPStatus.BAD_REQUEST
    type = "invalid_request_error"
    code = "too_much_work"


class AuthenticationFailed(ProxyError):
    """The client's key is missing or wrong."""

    status = HTTPStatus.UNAUTHORIZED
    type = "authentication_error"
    code = "invalid_api_key"


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


class ModelUnavailable(ProxyError):
    """The model is configured, and an environment variable that it needs is not set.

    *variables* are the names of such variables. *label* is the configured name or wildcard.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    type = "server_error"
    code = "model_unavailable"

    def __init__(self, model: str, variables: Sequence[str], *, label: str):
        super().__init__(
            f"The model '{model[:200]}' is not available: its credentials are not set. Ask the operator of the proxy.",
            param="model",
        )
        self.for_log = f"not set: {', '.join(variables)}"
        self.label = label


class Overloaded(ProxyError):
    """Too many requests are in flight, or the process is about to stop. The client should try again soon."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "overloaded"
    retryable = True


class DeadlineExceeded(ProxyError):
    """The request's deadline (``router_settings.timeout``) passed before its answer began."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    code = "deadline_exceeded"
    retryable = True


class InternalFault(ProxyError):
    """A defect of the proxy. The answer carries the request id and nothing about the cause."""


class UpstreamFault(ProxyError):
    """The provider failed, or answered with an error whose status is *upstream_status*.

    The default *cause* is :attr:`Cause.REFUSED` if there is a status, else the class's usual cause. *evidence* is the
    provider's answer, by which the failure table (:mod:`proxy.resilience.failure_table`) chooses a treatment. The
    client never gets *evidence*.
    """

    status = HTTPStatus.BAD_GATEWAY
    type = "upstream_error"
    code = "upstream_error"
    usual_cause: ClassVar[Cause] = Cause.NOT_AN_ANSWER

    def __init__(
        self,
        message: str,
        *,
        cause: Cause | None = None,
        upstream_status: int | None = None,
        evidence: Evidence | None = None,
    ):
        super().__init__(message)
        self.upstream_status = upstream_status
        self.cause = cause or (self.usual_cause if upstream_status is None else Cause.REFUSED)
        self.evidence = evidence or Evidence()
        self.reason = ""
        """The provider's own words, or those of its SDK, without secrets. They are for the log about refused keys."""

    @property
    @override
    def http_status(self) -> int:
        """The provider's own error status.

        If the provider sent no status or one below 400 (a redirect), this is the class's status.
        """
        given = self.upstream_status
        return given if given is not None and given >= 400 else int(self.status)


class AnswerUnusable(UpstreamFault):
    """The provider's answer is empty, broken, or of no use to the client.

    *answer*, if given, is delivered if no other attempt gives a better answer. *detail* tells the model what was wrong.
    """

    def __init__(
        self, message: str, *, cause: Cause, answer: Mapping[str, Any] | None = None, detail: str = ""
    ):
        super().__init__(message, cause=cause)
        self.answer = answer
        self.detail = detail


class UpstreamTimeout(UpstreamFault):
    """The provider did not answer in time."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    code = "upstream_timeout"
    retryable = True
    usual_cause = Cause.FIRST_BYTE_TIMEOUT


class UpstreamUnreachable(UpstreamFault):
    """The provider could not be reached, or the connection broke."""

    code = "upstream_unreachable"
    retryable = True
    usual_cause = Cause.UNREACHABLE


class CredentialsMissing(UpstreamFault):
    """The proxy has no credentials for the provider, or cannot get any, so nothing was sent.

    *reason* is for the log. *package* names the Python package that is missing, if that is the reason.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "credentials_missing"
    usual_cause = Cause.NO_CREDENTIALS

    def __init__(self, reason: str, *, package: str | None = None):
        super().__init__(
            "The proxy has no credentials that it could use at this provider, and nothing was sent. "
            "Ask the operator of the proxy."
        )
        self.reason = reason if package is None else f"the package {package} is not installed"
        self.package = package
