"""Finds the deployments that answer for a client's model name, and the models that are asked after them.

An exact name hides every wildcard. Of several matching wildcards the longest counts. The part that a wildcard stands
for becomes part of a provider's URL, so it must look like a model's name. A request reads only the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ModelNotFound, ModelUnavailable

_REST = re.compile(r"[A-Za-z0-9._:/@-]{1,200}")


def resolve(settings: Settings, requested_model: str) -> tuple[Deployment, ...]:
    """Return the pool that answers for *requested_model*, in the file's order, or an empty one.

    *requested_model* is untrusted text of the client. The part that a wildcard stands for has 1 to 200 characters of
    ``A-Za-z0-9._:/@-``. It has no ``..``, and no segment that is empty or ``.``, since it becomes part of a URL.
    """
    routes = settings.routes
    pool = routes.exact.get(requested_model)
    if pool is not None:
        return pool
    for length in routes.lengths:
        pool = routes.wildcards.get(requested_model[:length])
        if pool is not None and _is_model_name(requested_model[length:]):
            return routes.named(pool, requested_model)
    return ()


def model_names(settings: Settings) -> tuple[str, ...]:
    """Return the names for ``/v1/models``, each once, in the file's order. Wildcards are not expanded."""
    return settings.routes.names


def choose_pool(model: str, settings: Settings) -> tuple[Deployment, ...]:
    """Return the deployments that answer for *model*.

    Raises :class:`ModelNotFound`, which lists the configured names, and :class:`ModelUnavailable` for a model that was
    left out since a variable is not set.
    """
    pool = resolve(settings, model)
    if pool:
        return pool
    if (variables := _variables_of(settings, model)) is not None:
        raise ModelUnavailable(model, variables)
    names = ", ".join(model_names(settings))
    raise ModelNotFound(
        f"The model '{model[:200]}' is not configured. Configured models: {names}.", param="model"
    )


def chain_of(
    chains: Iterable[Mapping[str, Sequence[str]]], model: str, pool: Sequence[Deployment]
) -> tuple[str, ...]:
    """Return the models to ask after *model*: its own chain, or its wildcard's, or the chain of ``*``."""
    for name in (model, *(member.name for member in pool[:1]), "*"):
        for chain in chains:
            if name in chain:
                return tuple(chain[name])
    return ()


def _variables_of(settings: Settings, model: str) -> tuple[str, ...] | None:
    """Return the unset variables that *model* needs, or None where it is not configured at all."""
    if model in settings.unavailable:
        return settings.unavailable[model]
    return next(
        (
            variables
            for name, variables in settings.unavailable.items()
            if name.endswith("*") and model.startswith(name[:-1]) and _is_model_name(model[len(name) - 1 :])
        ),
        None,
    )


def _is_model_name(rest: str) -> bool:
    if len(rest) > 200 or not _REST.fullmatch(rest) or ".." in rest:
        return False
    return "/" not in rest or not {"", "."}.intersection(rest.split("/"))
