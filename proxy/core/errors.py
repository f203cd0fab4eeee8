"""The errors that a client can get, each with its status, type, code and retryability on the class.

Each case that a client or an operator handles differently has a class. :class:`InvalidRequest` is the base of most
errors that the client causes. :class:`UpstreamFault` is the base of failed calls to a provider. The error is written in
the client's format: as a JSON answer or, once a stream has started, as the stream's last event. Messages hold no key,
header, address or traceback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar

from typing_extensions import override

from proxy.core.failures import Cause, Evidence


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
