"""Logs that a provider refuses the proxy's key, or that there are no credentials for it: for operators.

The client hears neither the provider's words nor the variable's name. A deployment whose key is refused fails for
every request, so a line for each would fill the disk. Each deployment has one line a minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from proxy.core.deployment import Deployment
from proxy.core.errors import CredentialsMissing, UpstreamFault
from proxy.observability.logs import get_log
from proxy.resilience.failure_table import Kind, Row
from proxy.resilience.read_error import ProviderError
from proxy.resilience.read_subject import Subject
from proxy.upstream.known_secrets import KnownSecrets

LINE_S = 60.0
"""Seconds between two lines about one deployment."""

_LONGEST_WORDS = 300
_LONGEST_CODES = 200

_Entry: TypeAlias = tuple[int, tuple[str, ...]]
"""The position of an entry, and the variables of its secrets. A wildcard's models share both, so their number is
bounded."""


@dataclass(frozen=True, slots=True)
class RefusedKey:
    """A failed attempt whose kind may be about the proxy's key."""

    deployment: Deployment
    fault: UpstreamFault
    row: Row
    said: ProviderError


class KeyRefusals:
    """Counts the refusals of each deployment's key. *secrets* are masked in the provider's words."""

    def __init__(self, secrets: KnownSecrets) -> None:
        self._secrets = secrets
        self._lines: dict[_Entry, _Line] = {}

    def note(self, refused: RefusedKey, request_id: str, now: float) -> None:
        """Log *refused* where its kind is about the key, unless its deployment had a line within the last minute.

        *now* is seconds by the event loop's clock. Every line has the number of refusals since the one before.
        """
        event = _event_of(refused)
        if event is None:
            return
        deployment = refused.deployment
        line = self._lines.setdefault((deployment.position, deployment.variables), _Line())
        line.untold += 1
        if now < line.due:
            return
        line.due = now + LINE_S
        get_log().warning(
            event,
            request_id=request_id,
            entry=f"model_list[{deployment.position}]",
            model=deployment.label,
            provider=deployment.provider[:_LONGEST_CODES],
            variables=", ".join(deployment.variables) or None,
            status=refused.said.status,
            codes=", ".join(sorted(refused.said.codes))[:_LONGEST_CODES] or None,
            reason=self._reason(refused),
            refused=line.untold,
        )
        line.untold = 0

    def _reason(self, refused: RefusedKey) -> str | None:
        """Return the provider's words, or None where they may quote a request: a 403 about an unknown subject."""
        if refused.row.kind is not Kind.KEY_REFUSED and refused.said.refusal.subject is Subject.NONE:
            return None
        return self._secrets.mask(refused.fault.reason)[:_LONGEST_WORDS] or None


@dataclass(slots=True)
class _Line:
    """The time of a deployment's next line, and the refusals since its last one."""

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
