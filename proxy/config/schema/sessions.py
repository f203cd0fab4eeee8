"""``sessions``: stored responses and conversations of the Responses API."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from proxy.config.durations import Duration
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, CountOrZero, Flag

_WORDS = {"false": False, "true": True}


def _read_word(value: Any) -> Any:
    """Return the flag for a variable's text. Any other value is returned unchanged."""
    return _WORDS.get(value, value) if isinstance(value, str) else value


class Sessions(Section):
    """Responses and conversations that clients store and continue by an id (``previous_response_id``)."""

    where: ClassVar[str] = "sessions"

    enabled: Annotated[Flag, BeforeValidator(_read_word), BeforeValidator(from_environment)] = True
    """Store responses unless the request says ``store: false``. Default true. A variable may be named.

    With false nothing is stored, and a request that names an earlier response is refused.
    """

    turns: Annotated[CountOrZero, Field(le=10_000)] = 0
    """The newest turns of a stored conversation that are sent. Default 0: all of them.

    A turn is a user's word and what follows. With 20, there are always 20 to 30 turns, so that the provider's prompt
    cache holds for ten turns in a row.
    """

    retention: Duration = 604_800.0
    """The time for which a response is kept after its last use. Default ``7d``. Seconds, or a text such as ``12h``."""

    max_mib: Count = 256
    """The most MiB of all stored responses and conversations. Default 256.

    Beyond that, the key with the most data loses what it has not used for longest. Other facts of the store are never
    dropped for sessions.
    """

    max_mib_per_key: Count = 64
    """The most MiB of one client's key. Default 64. Beyond that, the key loses what it has not used for longest."""
