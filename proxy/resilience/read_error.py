"""Reads a provider's error, in any envelope, into the facts that decide on retries and circuits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any

from proxy.core.failures import Evidence
from proxy.resilience.own_objects import CODE_FIELDS, QUOTA_FIELDS, own_objects
from proxy.resilience.read_delay import read_delay
from proxy.resilience.read_overflow import Overflow, read_overflow
from proxy.resilience.read_subject import NO_SUBJECT, RefusalSubject, read_subject
from proxy.resilience.request_words import NO_WORDS, RequestWords
from proxy.resilience.unwrap_error import unwrap_error

USAGE_WORDS = ("stream_options", "include_usage")
"""The names of the parameter that asks for a stream's usage. Some servers do not know the parameter."""


class Quota(StrEnum):
    """The quota that a refusal reports: none, one that is soon free again (short), or one that is not (long)."""

    NONE = "none"
    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class ProviderError:
    """The facts of a provider's error.

    *status* is the innermost error's status if the body names one, otherwise the status of the HTTP answer. *codes* are
    the error's codes, types, statuses and reasons, in lower case. *words* joins all texts of the error, in lower case.
    """

    status: int | None
    codes: frozenset[str]
    words: str
    retry_after_s: float | None
    """The delay in seconds that the provider asks for.

    A delay that the request holds too counts only if there is no other.
    """

    quota: Quota
    """The reported quota. Words that the request holds count too, since they may be the provider's own."""

    overflow: Overflow | None
    refusal: RefusalSubject = NO_SUBJECT
    """The subject of a refusal that concerns every request: the key, the model or the caller's country."""

    quota_by_code: bool = False
    """True where a code says that the quota does not return soon."""

    of_request: bool = False
    """True where this request alone exceeds the quota."""

    unquoted_retry_after_s: float | None = None
    """*retry_after_s* without the words that the request holds."""

    unquoted_quota: Quota = Quota.NONE
    """*quota* without the words that the request holds."""

    refuses_usage: bool = False
    """True where the provider itself names the parameter that asks for a stream's usage."""

    def without_quotations(self) -> ProviderError:
        """Return the error without a quota and delay that may be quotations.

        Only this form may change how other requests are treated.
        """
        return replace(self, quota=self.unquoted_quota, retry_after_s=self.unquoted_retry_after_s)

    def says(self, *phrases: str) -> bool:
        """Return True where one of *phrases*, in lower case, is one of the codes or part of the words."""
        return any(phrase in self.codes or phrase in self.words for phrase in phrases)


NO_ERROR_FACTS = ProviderError(None, frozenset(), "", None, Quota.NONE, None)

_LONG_QUOTA = re.compile(r"per.?day|daily|limit: 0(?!\d)|per.?month|monthly|per.?week", re.IGNORECASE)
_LONG_CODES = frozenset(
    {
        "insufficient_quota",  # OpenAI: out of credit
        "billing_hard_limit_reached",
        "billing_not_active",
        "quota_exhausted",  # Code Assist's ErrorInfo
        "insufficient_g1_credits_balance",
        "insufficient_credits",
    }
)
_OF_REQUEST = re.compile(r"request too large|fewer max_tokens|can only afford", re.IGNORECASE)
"""OpenAI's 429 for one request above the limit per minute, and OpenRouter's 402 for a high ``max_tokens``."""

_LONGEST_WORDS = 20_000
_MAX_MATCHES = 8


def read_error(
    status: int | None,
    evidence: Evidence,
    *,
    words: str = "",
    now: float,
    request: RequestWords = NO_WORDS,
) -> ProviderError:
    """Return the facts of an error.

    *status* is the answer's status, *words* is other known text of the error, and *now* is in Unix seconds. *request*
    holds the words of the request as it was sent. Words that may be quoted from the request do not count for other
    requests. A quoted quota or delay still counts for this request. Never raises: an unreadable body has no facts.
    """
    unwrapped = unwrap_error(evidence.body)
    objects = own_objects(unwrapped, request)
    codes = frozenset(_codes(objects))
    texts = [*unwrapped.texts, words] if words else list(unwrapped.texts)
    said = " ".join(texts)[:_LONGEST_WORDS].lower()
    quotas = [
        str(value)
        for one in objects
        for name in QUOTA_FIELDS
        if isinstance(value := one.get(name), str | int | float)
    ]
    proved_delay = read_delay(evidence.headers, objects, texts, now=now, request=request)
    delay = read_delay({}, (), texts, now=now) if proved_delay is None else proved_delay
    unquoted_quota = _quota(texts, quotas, codes, request)
    return ProviderError(
        status=_inner_status(objects) or status,
        codes=codes,
        words=said,
        retry_after_s=delay,
        quota=unquoted_quota if unquoted_quota is Quota.LONG else _quota(texts, quotas, codes, NO_WORDS),
        unquoted_retry_after_s=proved_delay,
        unquoted_quota=unquoted_quota,
        overflow=read_overflow(texts, codes, request),
        refusal=read_subject(texts, codes, request),
        quota_by_code=not codes.isdisjoint(_LONG_CODES),
        refuses_usage=any(word in said and not request.contains(word) for word in USAGE_WORDS),
        of_request=any(_OF_REQUEST.search(text[:_LONGEST_WORDS]) for text in texts),
    )


def refused_status(status: int | None, evidence: Evidence) -> int | None:
    """Return the status under which a refusal is read. *status* is the status that the client gets.

    A client gets 401 for a 400 that begins with words about a key. A client may have caused these words, so the refusal
    is read under the provider's 400.
    """
    return evidence.status if status == 401 and evidence.status == 400 else status


def _codes(objects: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for one in objects:
        for name in CODE_FIELDS:
            value = one.get(name)
            if isinstance(value, str) and len(value) <= 200:
                yield value.rpartition("/")[2].lower()


def _inner_status(objects: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the innermost HTTP status in the body. An outer proxy may have answered with another status."""
    found = None
    for one in objects:
        for name in ("code", "status"):
            value = one.get(name)
            if isinstance(value, str) and value.isdecimal() and len(value) == 3:
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
                found = value
    return found


def _quota(texts: list[str], quotas: list[str], codes: frozenset[str], request: RequestWords) -> Quota:
    """Return the quota that is reported.

    The provider's own fields, *quotas*, count even if the request holds their words.
    """
    if codes & _LONG_CODES or any(_says_long(text[:_LONGEST_WORDS], request) for text in texts):
        return Quota.LONG
    if any(_says_long(text[:_LONGEST_WORDS], NO_WORDS) for text in quotas):
        return Quota.LONG
    return Quota.SHORT if quotas or "resource_exhausted" in codes else Quota.NONE


def _says_long(text: str, request: RequestWords) -> bool:
    found = islice(_LONG_QUOTA.finditer(text), _MAX_MATCHES)
    return any(not request.contains(match[0]) for match in found)
