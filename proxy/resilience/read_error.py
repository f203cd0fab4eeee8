"""A provider's error, whichever envelope it came in, as the few facts that a decision needs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from proxy.failures import Evidence
from proxy.resilience.read_delay import read_delay
from proxy.resilience.read_overflow import Overflow, read_overflow
from proxy.resilience.unwrap_error import unwrap_error


class Quota(StrEnum):
    """Which quota a refusal is about: one that comes back while the client waits, or one that does not."""

    NONE = "none"
    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class ProviderError:
    """What the provider said.

    *status* is the innermost error's own where the body names one, else the answer's. *codes* are its codes, types,
    statuses and reasons, in lower case; *words* all its texts in one, in lower case.
    """

    status: int | None
    codes: frozenset[str]
    words: str
    retry_after_s: float | None
    quota: Quota
    overflow: Overflow | None

    def says(self, *phrases: str) -> bool:
        """Tell whether one of *phrases*, in lower case, is among its codes or within its words."""
        return any(phrase in self.codes or phrase in self.words for phrase in phrases)

    def begins(self, *phrases: str) -> bool:
        """Tell whether one of *phrases*, in lower case, is among its codes or begins its words.

        For what counts against a deployment: behind their beginning a provider's words may quote the client's.
        """
        return self.words.startswith(phrases) or not self.codes.isdisjoint(phrases)


NOTHING_SAID = ProviderError(None, frozenset(), "", None, Quota.NONE, None)

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
_CODE_FIELDS = ("code", "type", "status", "reason", "@type")
_QUOTA_FIELDS = ("quotaId", "quotaMetric", "quota_id", "quota_metric", "quotaValue")
_LONGEST_WORDS = 20_000


def read_error(status: int | None, evidence: Evidence, *, words: str = "", now: float) -> ProviderError:
    """Return what an error says; *status* is the answer's, *words* what is known of it besides, *now* Unix seconds.

    Never raises: a body that cannot be read says nothing.
    """
    unwrapped = unwrap_error(evidence.body)
    codes = frozenset(_codes(unwrapped.objects))
    texts = [*unwrapped.texts, words] if words else list(unwrapped.texts)
    quotas = [str(one[name]) for one in unwrapped.objects for name in _QUOTA_FIELDS if name in one]
    return ProviderError(
        status=_inner_status(unwrapped.objects) or status,
        codes=codes,
        words=" ".join(texts)[:_LONGEST_WORDS].lower(),
        retry_after_s=read_delay(evidence.headers, unwrapped.objects, texts, now=now),
        quota=_quota([*texts, *quotas], codes, bool(quotas)),
        overflow=read_overflow(texts, codes),
    )


def _codes(objects: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for one in objects:
        for name in _CODE_FIELDS:
            value = one.get(name)
            if isinstance(value, str) and len(value) <= 200:
                yield value.rpartition("/")[2].lower()


def _inner_status(objects: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the innermost HTTP status that the body names: an outer proxy may have answered with its own."""
    found = None
    for one in objects:
        for name in ("code", "status"):
            value = one.get(name)
            if isinstance(value, str) and value.isdecimal() and len(value) == 3:
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
                found = value
    return found


def _quota(texts: list[str], codes: frozenset[str], named: bool) -> Quota:
    if codes & _LONG_CODES or any(_LONG_QUOTA.search(text) for text in texts):
        return Quota.LONG
    return Quota.SHORT if named or "resource_exhausted" in codes else Quota.NONE
