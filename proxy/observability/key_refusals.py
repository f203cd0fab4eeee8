"""Logs for operators that a provider refuses the proxy's key, or that credentials are missing.

The client gets neither the provider's error message nor the name of the key's variable. A deployment whose key is
refused fails for every request, so a line for each request would fill the disk. Each deployment gets at most one line a
minute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TypeAlias

from proxy.core.deployment import Deployment
from proxy.core.errors import CredentialsMissing, UpstreamFault
from proxy.core.offload import run_offloaded
from proxy.observability.logs import get_log
from proxy.resilience.failure_table import Kind, Row
from proxy.resilience.read_error import ProviderError
from proxy.resilience.read_subject import Subject
from proxy.resilience.request_words import NO_WORDS, RequestWords
from proxy.upstream.known_secrets import KnownSecrets

LINE_S = 60.0
"""Seconds between two lines about one deployment."""

_LONGEST_WORDS = 300
_LONGEST_CODES = 200

_Entry: TypeAlias = tuple[int, tuple[str, ...]]
"""The position of an entry, and the variables of its secrets.

All models of a wildcard share one entry, so the number of entries is bounded.
"""


@dataclass(frozen=True, slots=True)
class RefusedKey:
    """A failed attempt whose cause may be the proxy's key."""

    deployment: Deployment
    fault: UpstreamFault
    row: Row
    said: ProviderError
    request: RequestWords = NO_WORDS
    """The words of the request. The provider's error may quote the request, and the log must not."""


class KeyRefusals:
    """Counts and logs the refusals of each deployment's key. *secrets* are masked in the provider's message."""

    def __init__(self, secrets: KnownSecrets) -> None:
        self._secrets = secrets
        self._lines: dict[_Entry, _Line] = {}

    async def note(self, refused: RefusedKey, request_id: str, clock: Callable[[], float], size: int) -> None:
        """Log *refused* where its kind is about the key, unless its deployment had a line within the last minute.

        *clock* returns the time of the event loop, in seconds. Every line gives the number of refusals since the last
        line. Text of a long request is searched in the provider's message in a worker thread. *size* is the size of the
        request, in bytes.
        """
        event = _event_of(refused)
        if event is None:
            return
        deployment, now = refused.deployment, clock()
        line = self._lines.setdefault((deployment.position, deployment.variables), _Line())
        line.untold += 1
        if now < line.due:
            return
        line.due, untold, line.untold = now + LINE_S, line.untold, 0
        reason, codes = await run_offloaded(size, partial(self._shown_words, refused))
        get_log().warning(
            event,
            request_id=request_id,
            entry=f"model_list[{deployment.position}]",
            model=deployment.label,
            provider=deployment.provider[:_LONGEST_CODES],
            variables=", ".join(deployment.variables) or None,
            status=refused.said.status,
            codes=codes[:_LONGEST_CODES] or None,
            reason=reason[:_LONGEST_WORDS] or None,
            refused=untold,
        )

    def _shown_words(self, refused: RefusedKey) -> tuple[str, str]:
        """Return the provider's message and codes without secrets and without words of the request."""
        if isinstance(refused.fault, CredentialsMissing) and refused.fault.package is not None:
            return refused.fault.reason, ""  # turnright's own words
        hide, codes = refused.request.without_quotations, ", ".join(sorted(refused.said.codes))
        return hide(self._secrets.mask(refused.fault.reason)), hide(codes)


@dataclass(slots=True)
class _Line:
    """The time of a deployment's next line, and the number of refusals since the last line."""

    due: float = -inf
    untold: int = 0


def _event_of(refused: RefusedKey) -> str | None:
    """Return the name of the event, or None for a failure that is not about the key."""
    kind, said = refused.row.kind, refused.said
    if isinstance(refused.fault, CredentialsMissing):
        return "credentials_missing"
    if kind is Kind.KEY_REFUSED:
        return "provider_key_refused"
    if kind is not Kind.NOT_ALLOWED_HERE:
        return None
    return "provider_key_refused" if said.refusal.subject is Subject.KEY else "provider_access_refused"
