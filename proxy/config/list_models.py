"""Finds the models that wildcards stand for, by litellm's table: for ``/v1/models``, and for hints on typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice

from proxy.config.allowed_models import AllowedModels
from proxy.config.litellm_models import models_of
from proxy.config.pools import (
    allowed_names,
    choose_pool,
    is_allowed,
    model_names,
    resolve,
    shown_names,
)
from proxy.config.schema.routes import ANY_MODEL
from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ModelNotFound
from proxy.core.key_errors import ModelNotAllowed

MAX_LISTED = 200
"""The most models of one provider that are listed for a wildcard. A model picker with more entries is of no use."""

_MAX_NEAR = 3
"""Names that are suggested for a typo, at most."""

_LONGEST = 80
"""Characters of a client's name that are compared."""


def listed_names(settings: Settings, allowed: AllowedModels | None = None) -> tuple[str, ...]:
    """Return the names for ``/v1/models``, each once: those of the model list in its order, then the shown aliases.

    A wildcard stands for the models that litellm's table lists for its provider, chat models first. A wildcard for any
    provider, without an ``api_base``, stands for the models of each provider whose key is in the environment. A
    provider that the table does not know leaves its wildcard as it is. The first call reads the table, so it belongs in
    a worker thread.

    Where a key has a list of models (*allowed*), only these are returned. Those that the list names and a wildcard
    serves come last.
    """
    names: dict[str, None] = {}
    for name in shown_names(settings):
        names.update(dict.fromkeys(_expanded(settings, name) if name.endswith("*") else (name,)))
    if allowed is None:
        return tuple(names)
    served = (name for name in allowed.whole_names if resolve(settings, name))
    return allowed_names(settings, dict.fromkeys((*names, *served)), allowed)


def require_listed(settings: Settings, name: str, allowed: AllowedModels | None) -> None:
    """Raise :class:`ModelNotFound` for a *name* that a key with the models *allowed* cannot ask for.

    Raises :class:`ModelUnavailable` for a model that a wildcard served, and that was left out.
    """
    if name in model_names(settings) and is_allowed(name, settings, allowed):
        return
    try:
        choose_pool(name, settings, allowed)
    except ModelNotAllowed as error:
        raise ModelNotFound(error.message, param="model") from None


def near_models(
    settings: Settings, asked: str, deployment: Deployment, allowed: AllowedModels | None = None
) -> tuple[str, ...]:
    """Return the names that a client which asked for *asked* may have meant, the most similar first, or none.

    The names are known models of the provider of *deployment*, which a wildcard serves under the name *asked*. No name
    is returned where litellm's table has the model for this provider, or where the file names the model. The first call
    reads the table, so it belongs in a worker thread. A key with the models *allowed* learns no other names.
    """
    model = deployment.model_id
    if not deployment.label.endswith("*") or not asked.endswith(model):
        return ()
    known = models_of(deployment.provider)[:MAX_LISTED]
    if model in known:
        return ()
    start = asked.removesuffix(model)
    near = (start + each for each in difflib.get_close_matches(model[:_LONGEST], known, n=_MAX_NEAR))
    return tuple(name for name in near if resolve(settings, name) and is_allowed(name, settings, allowed))


def _expanded(settings: Settings, wildcard: str) -> tuple[str, ...]:
    routes, start = settings.routes, wildcard[:-1]
    first = routes.wildcards[start][0]
    providers = routes.keyed_providers if first.model == ANY_MODEL and first.api_base is None else ()
    of_any = (f"{provider}/{name}" for provider in providers for name in models_of(provider)[:MAX_LISTED])
    rests = of_any if first.model == ANY_MODEL else islice(_known_rests(first.model), MAX_LISTED)
    return tuple(f"{start}{rest}" for rest in rests) or (wildcard,)


def _known_rests(model: str) -> Iterator[str]:
    """Yield the texts that the ``*`` in *model* may stand for, by the known models of its provider."""
    before, star, after = model.partition("*")
    provider, slash, inner = before.partition("/")
    if slash and star and not after:
        # `openai/gpt-*` stands for those of the provider's models that begin so.
        yield from (
            name.removeprefix(inner)
            for name in models_of(provider)
            if name.startswith(inner) and name != inner
        )
