"""The errors that a client can get, each with its status, type, code and retryability on the class.

One tree, few classes: one per thing that a client or an operator does differently.

    ProxyError                      never raised itself
    ├── InvalidRequest              400  the client's fault: nothing was sent upstream
    │   ├── BodyTooLarge            413
    │   ├── RequestTooSlow          408
    │   ├── Forbidden               403  not for this host or from this page
    │   ├── UnsupportedMediaType    415
    │   ├── UnrepairableHistory     400  a history that cannot be made legal, or must not be in strict mode
    │   ├── ContextTooLong          400  more tokens than the model takes, counted before anything was sent
    │   ├── ConversionFailed        400  the upstream library could not convert the request
    │   ├── ModelNotFound           404
    │   ├── NotFound                404
    │   │   └── BodyNotKept         404
    │   └── MethodNotAllowed        405
    ├── TooMuchWork                 400  more steps than a request of its size may take
    ├── AuthenticationFailed        401
    ├── Overloaded                  503  too many requests in flight, or draining
    ├── DeadlineExceeded            504  the request's time was up before its answer began
    ├── InternalFault               500  a defect of ours
    └── UpstreamFault               the provider's fault; carries the provider's own status
        ├── AnswerUnusable          502  an answer came, and it is none
        ├── UpstreamTimeout         504
        └── UpstreamUnreachable     502

The client's format writes an error (:mod:`proxy.forwarding.answer_format`): as a JSON answer or, once a stream has
started, as its last event. Messages hold no key, header, address or traceback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar

from typing_extensions import override

from proxy.core.failures import Cause, Evidence


class ProxyError(Exception):
    """Base of all errors that turn into an answer.

    *message* is for the client; *param* names the request field at fault, in OpenAI's spelling
    (``messages[3].role``); *headers* are added to the answer. ``details`` are further fields for the client.
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
        """The status of the answer; an upstream's own status where there is one."""
        return int(self.status)


class InvalidRequest(ProxyError):
    """The request cannot be used as it is; sending it again unchanged is pointless."""

    status = HTTPStatus.BAD_REQUEST
    type = "invalid_request_error"
    code = "invalid_request"


class BodyTooLarge(InvalidRequest):
    """The body is over ``general_settings.max_body_mib``, or is more than the inspector looks at."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"


class RequestTooSlow(InvalidRequest):
    """The body did not arrive in time."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_timeout"


class Forbidden(InvalidRequest):
    """The request names a host, or comes from a web page, that is not served without a key."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class UnsupportedMediaType(InvalidRequest):
    """The body's type or coding is none that is read."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class UnrepairableHistory(InvalidRequest):
    """The history breaks a rule of the provider and was not, or must not be, repaired; *rule* is its slug, if known.

    The client is told of the rules that are broken (*violations*) and of the changes that would mend them.
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
    """The request does not fit the model's context, whatever is cut; nothing was sent."""

    code = "context_length_exceeded"


class ConversionFailed(InvalidRequest):
    """The upstream library could not convert the request for the provider, so nothing was sent.

    It would report this as a retryable network error (status 500); it is permanent, hence a 400.
    """

    code = "conversion_failed"


class ModelNotFound(InvalidRequest):
    """No deployment carries the model's name."""

    status = HTTPStatus.NOT_FOUND
    code = "model_not_found"


class NotFound(InvalidRequest):
    """There is no such path."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class BodyNotKept(NotFound):
    """The body of a recent request is not kept, or not any more."""

    code = "body_not_kept"


class MethodNotAllowed(InvalidRequest):
    """The path does not take that method; the answer's ``Allow`` says which it takes."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"


class TooMuchWork(ProxyError):
    """To prepare the request takes more steps than one of its size may take.

    It is the client's fault and permanent, but no :class:`InvalidRequest`: another deployment is not tried, since that
    would take as many steps again.
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
    """Too many requests are in flight, or the process is about to stop; try again soon."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    type = "server_error"
    code = "overloaded"
    retryable = True


class DeadlineExceeded(ProxyError):
    """The request's total time (``router_settings.timeout``) was up before its answer began."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    type = "server_error"
    code = "deadline_exceeded"
    retryable = True


class InternalFault(ProxyError):
    """A defect of ours: the answer carries the request id and nothing of the cause."""


class UpstreamFault(ProxyError):
    """The provider failed, or answered with an error, whose *upstream_status* is kept.

    *cause* says where and how; it is :attr:`Cause.REFUSED` where there is a status, unless it is given. *evidence*
    is what the provider sent, for the classifier; it is never part of an answer.
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
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ):
        super().__init__(message, param=param, headers=headers)
        self.upstream_status = upstream_status
        self.cause = cause or (self.usual_cause if upstream_status is None else Cause.REFUSED)
        self.evidence = evidence or Evidence()

    @property
    @override
    def http_status(self) -> int:
        """The provider's own status, or 502 where there was none, or one that is no error (a redirect)."""
        if self.upstream_status is not None and self.upstream_status >= 400:
            return self.upstream_status
        return int(self.status)


class AnswerUnusable(UpstreamFault):
    """The provider answered with something that answers nothing, or that the client could not use.

    *answer* is what to deliver all the same if no better one comes, or None; *detail* tells the model what was wrong.
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
