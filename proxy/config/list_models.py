"""The names of models for ``/v1/models``, with wildcards expanded by litellm's table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from proxy.config.litellm_models import models_of
from proxy.config.schema.settings import Settings

MAX_LISTED = 200
"""Models that one wildcard is listed as, at most. A picker with more is of no use."""


def listed_names(settings: Settings) -> tuple[str, ...]:
    """Return the names for ``/v1/models``, each once, in the file's order.

    A wildcard stands for the models that litellm's table lists for its provider, chat models first. A provider that
    the table does not know leaves its wildcard as it is. The first call reads the table, so it belongs in a worker
    thread.
    """
    names: dict[str, None] = {}
    for name in settings.routes.names:
        names.update(dict.fromkeys(_expanded(settings, name) if name.endswith("*") else (name,)))
    return tuple(names)


def _expanded(settings: Settings, wildcard: str) -> Iterator[str]:
    (first, *_) = settings.routes.wildcards[wildcard[:-1]]
    start, _, end = first.model.partition("*")
    provider, slash, inner = start.partition("/")
    found = []
    if slash and not end:
        # `openai/gpt-*` stands for those of the provider's models that begin so.
        found = [
            f"{wildcard[:-1]}{name.removeprefix(inner)}"
            for name in models_of(provider)
            if name.startswith(inner)
        ]
    yield from islice(found, MAX_LISTED) if found else (wildcard,)
