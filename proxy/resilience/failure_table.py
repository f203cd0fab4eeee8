"""The table from a failure to its treatment. Several rows may share a kind. The first fitting row counts.

A row gives the retries of the same request (``retries``, never more than the configuration's ``num_retries``). It also
gives the moment of a fallback, the consequence for the deployment, and whether the client may retry. Nothing here
sleeps, counts or knows the time. :mod:`proxy.resilience.decide_action` chooses the next step and its delay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from proxy.core.failures import Cause
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError, Quota
from proxy.resilience.read_subject import Subject


class Kind(StrEnum):
    """The kind of a failure. The values are metric labels."""

    CONTEXT_OVERFLOW = "context_overflow"
    CONTENT_FILTER = "content_filter"
    QUOTA_EXHAUSTED = "quota_exhausted"
    RATE_LIMITED = "rate_limited"
    KEY_REFUSED = "key_refused"
    MODEL_GONE = "model_gone"
    NOT_ALLOWED_HERE = "not_allowed_here"
    REQUEST_TIMEOUT = "request_timeout"
    CONFLICT = "conflict"
    TOO_EARLY = "too_early"
    TOO_LARGE = "too_large"
    CANCELLED = "provider_cancelled"
    """The provider's 499. ``cancelled`` alone is the label for a client that has left."""

    INVALID_REQUEST = "invalid_request"
    OTHER_REFUSAL = "other_refusal"
    SERVER_ERROR = "server_error"
    BAD_GATEWAY = "bad_gateway"
    UNAVAILABLE = "unavailable"
    GATEWAY_TIMEOUT = "gateway_timeout"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"
    CONNECTION_LOST = "connection_lost"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    DEADLINE = "deadline"
    OVERTIME = "overtime"
    EMPTY = "empty"
    THINKING_ONLY = "thinking_only"
    TRUNCATED = "truncated"
    MALFORMED_CALL = "malformed_call"
    UNEXPECTED_CALL = "unexpected_call"
    INVALID_ARGUMENTS = "invalid_arguments"
    UNDECLARED_CALL = "undeclared_call"
    CONVERSION = "conversion"
    ODD_END = "odd_end"
    NOT_AN_ANSWER = "not_an_answer"


class Fallback(StrEnum):
    """The moment at which another model is asked."""

    NEVER = "never"
    AFTER = "after"
    """After the last attempt on this model."""

    AT_ONCE = "at_once"
    """Before any retry on the same deployment."""

    LARGER = "larger"
    """At once, and only a deployment or a model with a larger window is asked (``context_window_fallbacks``)."""

    OTHER_FILTER = "other_filter"
    """At once, and only a model that the operator names for filtered requests (``content_policy_fallbacks``)."""


class Blame(StrEnum):
    """The consequence of a failure for the deployment."""

    NONE = "none"
    """No consequence, since the request, the model or the client caused the failure."""

    COUNTED = "counted"
    """One failure is counted. Several open the circuit."""

    COOLDOWN = "cooldown"
    """The circuit opens for the delay that the provider asked for, or else for the cooldown."""

    LONG_COOLDOWN = "long_cooldown"
    """The circuit opens for a minute, or for a longer delay that the provider asked for."""


class Reach(StrEnum):
    """The tenants (clients' keys) whose requests a blame counts for.

    A client's text must not close a deployment to other clients. A client may provoke a 404 by a missing file, or a 402
    by ``max_tokens``. Its history may crash a worker, which gives 500 or 503. So even 503 does not count for the
    account, though it mostly means an outage. The calls of a second tenant show whether the provider is down.
    """

    TENANT = "tenant"
    """The requests of this tenant.

    The shared circuit opens once calls of several tenants fail, or the circuits of two tenants are open.
    """

    ALL = "all"
    """The requests of all tenants, since the error is about the shared account, or nothing was sent."""

    BY_CODE = "by_code"
    """The requests of all tenants if one of the provider's codes names the cause.

    Otherwise the requests of this tenant, since a client may have caused the error's words.
    """


Fits: TypeAlias = Callable[[Cause, ProviderError], bool]

ANY = -1
"""The value of ``retries`` for as many retries as ``num_retries`` allows."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of failure, a condition under which the row fits, and the treatment."""

    kind: Kind
    fits: Fits
    retries: int
    fallback: Fallback
    blame: Blame
    client_may_retry: bool
    """True where the client may retry after the last attempt (``x-should-retry``)."""

    source: str
    reach: Reach = Reach.TENANT
    """The tenants whose requests the blame counts for."""

    repair: bool = False
    """True where the request may be repaired once, as the provider's words suggest (:mod:`proxy.planning.repairs`)."""

    note: bool = False
    """True where a retry carries a note that tells the model about the failure."""


def _cause(*causes: Cause) -> Fits:
    return lambda cause, _: cause in causes


def _refused(*statuses: int, where: Callable[[ProviderError], bool] = lambda _: True) -> Fits:
    return lambda cause, error: cause is Cause.REFUSED and error.status in statuses and where(error)


def _between(low: int, high: int) -> Fits:
    return lambda cause, error: cause is Cause.REFUSED and low <= (error.status or 0) < high


def _speaks_of(*subjects: Subject) -> Callable[[ProviderError], bool]:
    return lambda error: error.refusal.subject in subjects


_FOR_EVERY_REQUEST = (Subject.KEY, Subject.MODEL, Subject.PLACE)
_FILTERED = (
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "content management policy",
    "prohibited_content",
    "data_inspection_failed",  # DashScope (owl#432), and in other servers' words (command-code#774)
    "datainspectionfailed",
)
_BY_TEMPLATE = ("jinja exception",)

NO_CHATS = ("only supported in v1/responses",)
"""The words about a model that has no chats: the same request may be sent through the Responses API."""

_UNKNOWN_ITEM = ("items are not persisted when",)
"""The words of OpenAI's 404 about an item of the request, which the model's absence has nothing to do with."""

_AFTER, _AT_ONCE, _NEVER = Fallback.AFTER, Fallback.AT_ONCE, Fallback.NEVER
_NONE, _COUNTED, _COOLDOWN, _LONG_COOLDOWN = Blame.NONE, Blame.COUNTED, Blame.COOLDOWN, Blame.LONG_COOLDOWN

# fmt: off
TABLE: tuple[Row, ...] = (
    #   kind                     fits                                                                   retry fallback          blame    client  source
    Row(Kind.CONTEXT_OVERFLOW,   _refused(400, 413, 422, 500, where=lambda e: e.overflow is not None),  0,   Fallback.LARGER,  _NONE,   False, "cut once more by the numbers in the error, then a larger model: pi-mono overflow.ts, benchflow#830", repair=True),
    Row(Kind.CONTENT_FILTER,     _refused(400, 403, 422, where=lambda e: e.says(*_FILTERED)),           0,   Fallback.OTHER_FILTER, _NONE, False, "OpenAI and Azure: the same prompt is refused again; LiteLLM: another model only where one is named"),
    Row(Kind.CONTENT_FILTER,     _cause(Cause.CONTENT_FILTER),                                          0,   Fallback.OTHER_FILTER, _NONE, False, "Gemini blockReason, in a 200; LiteLLM: a filtered answer counts as a refusal"),
    Row(Kind.QUOTA_EXHAUSTED,    _refused(402, where=lambda e: e.of_request),                           0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "OpenRouter: a smaller max_tokens can be afforded"),
    Row(Kind.QUOTA_EXHAUSTED,    _refused(402, 429, where=lambda e: e.quota is Quota.LONG),             0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "gemini-cli#8437, continue#9570: PerDay and limit: 0 are terminal", Reach.ALL),
    Row(Kind.QUOTA_EXHAUSTED,    _refused(403, where=lambda e: e.quota is Quota.LONG),                  0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "the same under 403, which may be about one request", Reach.BY_CODE),
    Row(Kind.QUOTA_EXHAUSTED,    _refused(402),                                                         0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "OpenRouter, DeepSeek: no credit", Reach.ALL),
    Row(Kind.RATE_LIMITED,       _refused(429, where=lambda e: e.of_request),                           ANY, _AFTER,           _COOLDOWN,   True,  "OpenAI: one request above the limit of a minute"),
    Row(Kind.RATE_LIMITED,       _refused(429),                                                         ANY, _AFTER,           _COOLDOWN,   True,  "ai.google.dev/gemini-api/docs/rate-limits; RFC 6585", Reach.ALL),
    Row(Kind.KEY_REFUSED,        _refused(401),                                                         0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "another key may do, this one will not", Reach.ALL),
    Row(Kind.KEY_REFUSED,        _refused(400, where=_speaks_of(Subject.KEY)),                          0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "Gemini says 400 to a bad key", Reach.BY_CODE),
    Row(Kind.KEY_REFUSED,        _cause(Cause.NO_CREDENTIALS),                                          0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "no credentials: the same for every request", Reach.ALL),
    Row(Kind.NOT_ALLOWED_HERE,   _refused(400, where=_speaks_of(Subject.PLACE)),                        0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "Gemini FAILED_PRECONDITION", Reach.BY_CODE),
    Row(Kind.NOT_ALLOWED_HERE,   _refused(403, where=_speaks_of(*_FOR_EVERY_REQUEST)),                  0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "permission denied: by key, model or place", Reach.BY_CODE),
    Row(Kind.NOT_ALLOWED_HERE,   _refused(403),                                                         0,   _AT_ONCE,         _NONE,   False, "perhaps one request's: OpenRouter's flagged input, a file of another project"),
    Row(Kind.MODEL_GONE,         _refused(404, where=lambda e: e.says(*NO_CHATS)),                       0,   _AT_ONCE,         _NONE,   False, "OpenAI: the model has no chats, and another API: tmuxai#82", repair=True),
    Row(Kind.INVALID_REQUEST,    _refused(404, where=lambda e: e.says(*_UNKNOWN_ITEM)),                 0,   _AFTER,           _NONE,   False, "OpenAI: an item that it has not stored: oh-my-pi#41, opencode#7724", repair=True),
    Row(Kind.MODEL_GONE,         _refused(404, 410, where=_speaks_of(*_FOR_EVERY_REQUEST)),             0,   _AT_ONCE,         _LONG_COOLDOWN,   False, "LiteLLM router: never retried", Reach.BY_CODE),
    Row(Kind.MODEL_GONE,         _refused(404, 410),                                                    0,   _AT_ONCE,         _NONE,   False, "perhaps one request's: OpenRouter's image for a model of texts, a file that has gone"),
    Row(Kind.REQUEST_TIMEOUT,    _refused(408),                                                         ANY, _AFTER,           _NONE,   True,  "openai-python retries it"),
    Row(Kind.CONFLICT,           _refused(409),                                                         ANY, _AFTER,           _NONE,   True,  "openai-python retries it (a lock)"),
    Row(Kind.TOO_EARLY,          _refused(425),                                                         ANY, _AFTER,           _NONE,   True,  "RFC 8470"),
    Row(Kind.TOO_LARGE,          _refused(413),                                                         0,   Fallback.LARGER,  _NONE,   False, "Anthropic request_too_large; Cerebras 413 without a body"),
    Row(Kind.CANCELLED,          _refused(499),                                                         ANY, _AFTER,           _NONE,   True,  "gemini-cli: like 503, as long as our client is there"),
    Row(Kind.INVALID_REQUEST,    _refused(400, 422),                                                    0,   _AFTER,           _NONE,   False, "never again unchanged (livekit, pipecat hammer); another provider has other rules", repair=True),
    Row(Kind.INVALID_REQUEST,    _refused(500, where=lambda e: e.says(*_BY_TEMPLATE)),                  0,   _AFTER,           _NONE,   False, "llama.cpp says 500 where the chat template refuses: llama.cpp#19851, picoclaw#207", repair=True),
    Row(Kind.GATEWAY_TIMEOUT,    _refused(504),                                                         1,   _AFTER,           _COUNTED, True,  "Gemini DEADLINE_EXCEEDED: once, then elsewhere (letta#2861)"),
    Row(Kind.OVERLOADED,         _refused(529),                                                         1,   _AFTER,           _COUNTED, True,  "Anthropic overloaded_error: elsewhere after one retry"),
    Row(Kind.UNAVAILABLE,        _refused(503),                                                         ANY, _AFTER,           _COUNTED, True,  "Gemini UNAVAILABLE: the model is overloaded"),
    Row(Kind.BAD_GATEWAY,        _refused(502),                                                         ANY, _AFTER,           _COUNTED, True,  "a proxy on the way"),
    Row(Kind.SERVER_ERROR,       _between(500, 600),                                                    ANY, _AFTER,           _COUNTED, True,  "Gemini INTERNAL: \"Please retry\""),
    Row(Kind.OTHER_REFUSAL,      _between(400, 500),                                                    0,   _AFTER,           _NONE,   False, "RFC 9110 section 15.5: the request's fault; Azure says 424 to OpenAI's refusals (langchain-azure#35)", repair=True),
    Row(Kind.UNREACHABLE,        _cause(Cause.UNREACHABLE, Cause.CONNECT_TIMEOUT),                      ANY, _AFTER,           _COUNTED, True,  "nothing was sent", Reach.ALL),
    Row(Kind.CONNECTION_LOST,    _cause(Cause.CONNECTION_LOST),                                         ANY, _AFTER,           _COUNTED, True,  "gemini-cli: ECONNRESET and its kin"),
    Row(Kind.FIRST_BYTE_TIMEOUT, _cause(Cause.FIRST_BYTE_TIMEOUT),                                      1,   _AFTER,           _COUNTED, True,  "as 504"),
    Row(Kind.IDLE_TIMEOUT,       _cause(Cause.IDLE_TIMEOUT),                                            1,   _AFTER,           _COUNTED, True,  "as 504"),
    Row(Kind.DEADLINE,           _cause(Cause.DEADLINE),                                                0,   _NEVER,           _NONE,   True,  "there is no time for another try"),
    Row(Kind.OVERTIME,           _cause(Cause.OVERTIME),                                                1,   _AFTER,           _NONE,   True,  "as 504, of a provider that works"),
    Row(Kind.MALFORMED_CALL,     _cause(Cause.MALFORMED_CALL),                                          2,   _AFTER,           _NONE,   True,  "langgraph#6574; the second try with a note: vellum#43134", note=True),
    Row(Kind.UNEXPECTED_CALL,    _cause(Cause.UNEXPECTED_CALL),                                         2,   _AFTER,           _NONE,   True,  "epam#325, TanStack#199", note=True),
    Row(Kind.INVALID_ARGUMENTS,  _cause(Cause.INVALID_ARGUMENTS),                                       1,   _NEVER,           _NONE,   True,  "self-correction, once", note=True),
    Row(Kind.UNDECLARED_CALL,    _cause(Cause.UNDECLARED_CALL),                                         1,   _NEVER,           _NONE,   True,  "self-correction, once", note=True),
    Row(Kind.EMPTY,              _cause(Cause.EMPTY),                                                   ANY, _AFTER,           _NONE,   True,  "python-genai#1289, litellm#24442; gemini-cli retries"),
    Row(Kind.THINKING_ONLY,      _cause(Cause.THINKING_ONLY),                                           ANY, _AFTER,           _NONE,   True,  "gemini-cli THINKING_ONLY_RESPONSE"),
    Row(Kind.TRUNCATED,          _cause(Cause.TRUNCATED),                                               ANY, _AFTER,           _COUNTED, True,  "gemini-cli NO_FINISH_REASON"),
    Row(Kind.CONVERSION,         _cause(Cause.CONVERSION),                                              0,   _AFTER,           _NONE,   False, "litellm calls it a network error, status 500 (run on 1.105.3)"),
    Row(Kind.ODD_END,            _cause(Cause.ODD_END),                                                 1,   _AFTER,           _NONE,   True,  "gemini-cli OTHER: once at most"),
    Row(Kind.NOT_AN_ANSWER,      _cause(Cause.NOT_AN_ANSWER),                                           1,   _AFTER,           _COUNTED, True,  "HTML or garbage in a 200: a captive proxy, a crashed server"),
    Row(Kind.NOT_AN_ANSWER,      lambda *_: True,                                                       0,   _AFTER,           _COUNTED, False, "whatever else, a redirect for one"),
)
# fmt: on


OVERFLOW = next(row for row in TABLE if row.kind is Kind.CONTEXT_OVERFLOW)
"""The row for a request that exceeds the model's context, by the provider's or the proxy's own count."""

FILTERED = next(row for row in TABLE if row.kind is Kind.CONTENT_FILTER)
"""The row of a request that the provider's content filter has refused."""

_PLAIN_REFUSAL = replace(NO_ERROR_FACTS, status=400)

INVALID = next(row for row in TABLE if row.fits(Cause.REFUSED, _PLAIN_REFUSAL))
"""The row for a body that the provider has refused as invalid before."""

PERMANENT = frozenset(
    {
        Kind.CONTENT_FILTER,
        Kind.CONTEXT_OVERFLOW,
        Kind.CONVERSION,
        Kind.INVALID_REQUEST,
        Kind.TOO_LARGE,
    }
)
"""Failures of the client's request itself.

The client gets such a failure rather than a later failure of another model, which would tell the client less.
"""


def find_row(cause: Cause, error: ProviderError) -> Row:
    """Return the first row of the table that fits a failure's *cause* and the provider's *error*."""
    return next(row for row in TABLE if row.fits(cause, error))


def reach_of(row: Row, error: ProviderError) -> Reach:
    """Return the tenants whose requests the failure counts for."""
    if row.reach is not Reach.BY_CODE:
        return row.reach
    by_code = error.quota_by_code if row.kind is Kind.QUOTA_EXHAUSTED else error.refusal.by_code
    return Reach.ALL if by_code else Reach.TENANT
