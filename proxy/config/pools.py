"""The deployments that a model's name stands for, and the models that are asked after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from proxy.config.deployments import model_names, resolve
from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ModelNotFound


def choose_pool(model: str, settings: Settings) -> tuple[Deployment, ...]:
    """Return the deployments that answer for *model*; raises :class:`ModelNotFound` with the names that exist."""
    pool = resolve(settings, model)
    if pool:
        return pool
    names = ", ".join(model_names(settings))
    raise ModelNotFound(
        f"The model '{model[:200]}' is not configured. Configured models: {names}.", param="model"
    )


def chain_of(
    chains: Iterable[Mapping[str, Sequence[str]]], model: str, pool: Sequence[Deployment]
) -> tuple[str, ...]:
    """Return the models to ask after *model*: its own chain, else its wildcard's, else that of ``*``."""
    for name in (model, *(member.name for member in pool[:1]), "*"):
        for chain in chains:
            if name in chain:
                return tuple(chain[name])
    return ()
