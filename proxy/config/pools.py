"""Finds the deployments that answer for a client's model name, and the models that are asked after them.

An exact name hides every wildcard. Of several matching wildcards the longest counts. The part that a wildcard stands
for becomes part of a provider's URL, so it must look like a model's name. A request reads only the index.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from proxy.config.addresses import speaks_to
from proxy.config.litellm_models import is_provider, likely_provider
from proxy.config.schema.routes import ANY_MODEL
from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ModelNotFound, ModelUnavailable

_MAX_SHOWN = 20
"""Configured names that an error lists, at most."""

_MAX_COMPARED = 500
"""Names that a typo is compared with, at most. One comparison takes some 20 us."""

_LONGEST = 80
"""Characters of a client's name that are compared."""

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
            return routes.named(pool, requested_model) if _names_known_provider(pool, requested_model) else ()
    return ()


def _names_known_provider(pool: Sequence[Deployment], requested_model: str) -> bool:
    """Return False where a client names a provider that nobody knows, and the pool takes any provider."""
    if pool[0].model != ANY_MODEL:
        return True
    provider, slash, _ = requested_model.partition("/")
    return not slash or speaks_to(provider) or is_provider(provider)


def model_names(settings: Settings) -> tuple[str, ...]:
    """Return the names for ``/v1/models``, each once, in the file's order. Wildcards are not expanded."""
    return settings.routes.names


def choose_pool(model: str, settings: Settings) -> tuple[Deployment, ...]:
    """Return the deployments that answer for *model*.

    Raises :class:`ModelNotFound`, which names the nearest models and some of the configured ones. Raises
    :class:`ModelUnavailable` for a model that was left out, since a variable is not set.
    """
    pool = resolve(settings, model)
    if pool:
        return pool
    if (variables := _variables_of(settings, model)) is not None:
        raise ModelUnavailable(model, variables)
    raise ModelNotFound(_not_found_text(settings, model), param="model")


def _not_found_text(settings: Settings, model: str) -> str:
    names = settings.routes.names
    shown = ", ".join(names[:_MAX_SHOWN]) + (
        f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    )
    if model.endswith("*") and model in names:
        return f"'{model}' stands for the names of many models: name one of them. GET /v1/models lists them."
    near = near_names(settings, model)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"The model '{model[:200]}' is not configured.{hint} Configured models: {shown}."


def near_names(settings: Settings, asked: str) -> tuple[str, ...]:
    """Return the names that a client which asked for *asked* may have meant, the most similar first, or none."""
    names = settings.routes.names
    provider = likely_provider(asked)
    full = f"{provider}/{asked}"
    if provider is not None and resolve(settings, full):
        return (full,)
    plain = [name for name in names[:_MAX_COMPARED] if not name.endswith("*")]
    return tuple(difflib.get_close_matches(asked[:_LONGEST], plain, n=3))


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
