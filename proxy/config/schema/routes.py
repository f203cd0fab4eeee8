"""The index of the model list: pools of deployments by name, and by the prefix of a wildcard.

An exact name is one pool, in the file's order. A label comes from the file, and never from the client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from proxy.config.schema.model_list import ModelEntry
from proxy.core.deployment import Deployment

_MAX_NAMED = 1_000
"""Model names of wildcards that are cached. Clients can send any number of names."""

_CREDENTIALS = (
    "api_version",
    "organization",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_region_name",
    "vertex_project",
    "vertex_location",
    "vertex_credentials",
)


@dataclass(frozen=True, slots=True)
class Routes:
    """The index of the model list. A look-up reads one dictionary, and one more for each length of a wildcard."""

    names: tuple[str, ...]
    exact: Mapping[str, tuple[Deployment, ...]]
    wildcards: Mapping[str, tuple[Deployment, ...]]
    """Pools by the text before the ``*``."""

    lengths: tuple[int, ...]
    """The lengths of those prefixes, longest first."""

    named: Callable[[tuple[Deployment, ...], str], tuple[Deployment, ...]] = field(
        init=False, repr=False, compare=False
    )
    """Returns a wildcard's pool with a model's name. The results are cached, since one takes 6 us per deployment."""

    def __post_init__(self) -> None:
        """Cache the named pools on this object, so that a new configuration begins with an empty cache."""
        object.__setattr__(self, "named", lru_cache(maxsize=_MAX_NAMED)(_name_pool))

    @classmethod
    def of(cls, entries: Sequence[ModelEntry], *, default_timeout_s: float) -> Routes:
        """Index *entries*. *default_timeout_s* is for entries without a timeout of their own."""
        exact: dict[str, tuple[Deployment, ...]] = {}
        wildcards: dict[str, tuple[Deployment, ...]] = {}
        for position, entry in enumerate(entries):
            name = entry.model_name
            pools, key = (wildcards, name[:-1]) if name.endswith("*") else (exact, name)
            pools[key] = (*pools.get(key, ()), _deployment(entry, position, default_timeout_s))
        return cls(
            names=tuple(dict.fromkeys(entry.model_name for entry in entries)),
            exact=MappingProxyType(exact),
            wildcards=MappingProxyType(wildcards),
            lengths=tuple(sorted({len(prefix) for prefix in wildcards}, reverse=True)),
        )


def _name_pool(pool: tuple[Deployment, ...], model: str) -> tuple[Deployment, ...]:
    model_id = model.partition("/")[2]
    return tuple(replace(member, model=model, model_id=model_id) for member in pool)


def _deployment(entry: ModelEntry, position: int, default_timeout_s: float) -> Deployment:
    params = entry.litellm_params
    provider, slash, model_id = params.model.partition("/")
    given = {name: getattr(params, name) for name in _CREDENTIALS}
    return Deployment(
        name=entry.model_name,
        model=params.model,
        provider=provider if slash else "openai",
        model_id=model_id if slash else params.model,
        api_key=params.api_key,
        api_base=params.api_base,
        timeout_s=default_timeout_s if params.timeout is None else params.timeout,
        allowed_openai_params=frozenset(params.allowed_openai_params),
        transport=entry.transport,
        max_input_tokens=entry.model_info.max_input_tokens,
        max_output_tokens=entry.model_info.max_output_tokens,
        extra_headers=MappingProxyType(dict(params.extra_headers)),
        credentials=MappingProxyType({name: value for name, value in given.items() if value is not None}),
        label=entry.model_name,
        position=position,
        profile=entry.profile,
    )
