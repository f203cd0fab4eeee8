"""The errors that a client can get, each with its status, type, code and retryability on the class.

There is one class for each case that a client or an operator handles differently.

    ProxyError                      never raised itself
    ├── InvalidRequest              400  the client's fault: nothing was sent upstream
    │   ├── BodyTooLarge            413
    │   ├── RequestTooSlow          408
    │   ├── Forbidden               403  not for this host or from this page
    │   ├── UnsupportedMediaType    415
    │   ├── UnrepairableHistory     400  a history that cannot be repaired, or must not be in strict mode
    │   ├── ContextTooLong          400  more tokens than the model takes, counted before anything was sent
    │   ├── ConversionFailed        400  the upstream library could not convert the request
    │   ├── ModelNotFound           404
    │   ├── NotFound                404
    │   │   └── BodyNotKept         404
    │   ├── MethodNotAllowed        405
    │   └── NotServed               501  a path of OpenAI's API that is not served
    ├── TooMuchWork                 400  more steps than a request of its size may take
    ├── AuthenticationFailed        401
    ├── Overloaded                  503  too many requests in flight, or draining
    ├── DeadlineExceeded            504  the request's deadline passed before its answer began
    ├── InternalFault               500  a defect of the proxy
    └── UpstreamFault               the provider's fault; carries the provider's own status
        ├── AnswerUnusable          502  an answer came that cannot be used
        ├── UpstreamTimeout         504
        └── UpstreamUnreachable     502

The client's format writes an error (:mod:`proxy.forwarding.answer_format`). It becomes a JSON answer or, once a stream
has started, the last event of the stream. Messages hold no key, header, address or traceback.
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

    @property
    def http_status(self) -> int:
        """The status of the answer, as a number."""
        return int(self.status)


class InvalidRequest(ProxyError):
    """The request cannot be used as it is. Sending it again unchanged is pointless."""

    status = HTTPStatus.BAD_REQUEST
    type = "invalid_request_error"
    code = "invalid_request"


class BodyTooLarge(InvalidRequest):
    """The body is larger than ``general_settings.max_body_mib``, or than the inspector accepts."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"


class RequestTooSlow(InvalidRequest):
    """The body did not arrive in time."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_timeout"


class Forbidden(InvalidRequest):
    """The request needs a key: it names a host, or comes from a web page, that is not allowed without one."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class UnsupportedMediaType(InvalidRequest):
    """The body has a media type or content coding that is not supported."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class UnrepairableHistory(InvalidRequest):
    """The history breaks a rule of the provider, and could not or must not be repaired.

    *rule* is the rule's slug, and defaults to the error's code. *violations* are the broken rules, and *changes* are
    the changes that would repair the history. The client gets both.
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
    """The request does not fit the model's context window, even after cuts. Nothing was sent."""

    code = "context_length_exceeded"


class ConversionFailed(InvalidRequest):
    """The upstream library could not convert the request for the provider, so nothing was sent.

    The library reports this as a retryable network error (status 500). It is permanent, so it is a 400 here.
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
    """The path is one of OpenAI's API that turnright does not serve."""

    status = HTTPStatus.NOT_IMPLEMENTED
    code = "not_implemented"


class TooMuchWork(ProxyError):
    """Preparing the request takes more steps than a request of its size may take.

    It is the client's fault and permanent. It is not an :class:`InvalidRequest`, so that no other deployment is tried:
    that would take as many steps again.
    """

    status = HTTPStatus.BAD_REQUEST
    type = "invalid_request_error"
    code = "too_much_work"


class AuthenticationFailed(ProxyError):
    """The client's key is missing or wrong."""

    status = HTTPStatus.UNAUTHORIZED
    type = "authentication_error"
    code = "invalid_api_key"


class Overloaded(ProxyError):
    """Too many requests are in flight, or the process is about to stop. The client should try again soon."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    type = "server_error"
    code = "overloaded"
    retryable = True


class DeadlineExceeded(ProxyError):
    """The request's deadline (``router_settings.timeout``) passed before its answer began."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    type = "server_error"
    code = "deadline_exceeded"
    retryable = True


class InternalFault(ProxyError):
    """A defect of the proxy. The answer carries the request id and nothing about the cause."""


class UpstreamFault(ProxyError):
    """The provider failed, or answered with an error whose status is *upstream_status*.

    *cause* says where and how the call failed. Its default is :attr:`Cause.REFUSED` if there is a status, else the
    class's usual cause. *evidence* is the provider's answer for the failure table, and is never part of an answer to
    the client.
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

    @property
    @override
    def http_status(self) -> int:
        """The provider's own error status. It is 502 if there was none, or one below 400 (a redirect)."""
        if self.upstream_status is not None and self.upstream_status >= 400:
            return self.upstream_status
        return int(self.status)


class AnswerUnusable(UpstreamFault):
    """The provider's answer is empty, broken, or of no use to the client.

    *answer*, if given, is delivered anyway when no better one comes. *detail* tells the model what was wrong.
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

    status = HTTPStatus.BAD_GATEWAY
    code = "upstream_unreachable"
    retryable = True
    usual_cause = Cause.UNREACHABLE
