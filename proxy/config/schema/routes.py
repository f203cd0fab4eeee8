"""The index of the model list: pools of deployments by name, and by the prefix of a wildcard.

The deployments of one name form a pool, sorted by ``order`` and then as in the file. A deployment's label in metrics
comes from the file, and never from the client.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import SecretStr

from proxy.config.allowed_models import AllowedModels
from proxy.config.litellm_models import is_provider, provider_of
from proxy.config.providers.why_litellm import reads_table
from proxy.config.schema.credentials import ARGUMENTS, CredentialEntry, Credentials
from proxy.config.schema.model_list import LitellmParams, ModelEntry
from proxy.config.schema.router import Alias
from proxy.core.deployment import Deployment
from proxy.core.forward_proxies import ForwardProxies

_MAX_NAMED = 1_000
"""The most names matched by wildcards that are cached, since clients can send any number of names."""


ANY_MODEL = "*"
"""The ``model`` of an entry whose provider the client names."""


class ProviderAccess(NamedTuple):
    """A provider's key and address from the environment, and the variable of the key.

    The address is None where it is the usual one. The key and its variable are None where only the address is set.
    """

    key: SecretStr | None
    base: str | None
    variable: str | None


@dataclass(frozen=True, slots=True)
class Routes:
    """The index of the model list. A look-up reads the exact names, and the wildcards once for each prefix length."""

    names: tuple[str, ...]
    exact: Mapping[str, tuple[Deployment, ...]]
    """Pools by name. The pool of a model that was left out is empty."""

    wildcards: Mapping[str, tuple[Deployment, ...]]
    """Pools by the text before the ``*``."""

    lengths: tuple[int, ...]
    """The lengths of the wildcards' prefixes, longest first."""

    access: Mapping[str, ProviderAccess] = field(default_factory=dict)
    """Keys and addresses from the environment, by provider, for entries whose model is ``*``."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """The model of each second name. A second name takes precedence over a model of the same name."""

    shown_aliases: tuple[str, ...] = ()
    """The second names that are not hidden from ``/v1/models``."""

    shown: dict[AllowedModels, tuple[str, ...]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """The names that clients with a list of models may read, by the list. :mod:`proxy.config.pools` fills it."""

    named: Callable[[tuple[Deployment, ...], str], tuple[Deployment, ...]] = field(
        init=False, repr=False, compare=False
    )
    """Returns a wildcard's pool with the requested name in each deployment.

    Cached, since it takes 6 us per deployment.
    """

    def __post_init__(self) -> None:
        """Cache the named pools on this object, so that a new configuration begins with an empty cache."""
        object.__setattr__(self, "named", lru_cache(maxsize=_MAX_NAMED)(partial(_name_pool, self.access)))

    @classmethod
    def of(
        cls,
        entries: Mapping[int, ModelEntry],
        *,
        default_timeout_s: float,
        credentials: Sequence[CredentialEntry] = (),
        access: Mapping[str, ProviderAccess] | None = None,
        aliases: Mapping[str, Alias] | None = None,
        forward_proxies: ForwardProxies | None = None,
        is_shared: bool = True,
    ) -> Routes:
        """Index *entries*, which maps positions in the file to entries.

        *default_timeout_s* is for entries without a timeout of their own. *credentials* are those that entries may
        name. *access* are the keys of providers in the environment. *aliases* are second names of models.
        *forward_proxies* are those that the environment names. *is_shared* tells that clients have several keys.
        """
        providers = {model.partition("/")[0] for model in _models(entries)}
        if ANY_MODEL in providers or any(map(reads_table, providers)):
            is_provider(ANY_MODEL)  # litellm's table is read now, and not by a request
        aliases, forward_proxies = aliases or {}, forward_proxies or ForwardProxies()
        named = {entry.credential_name: entry.credential_values for entry in credentials}
        exact: dict[str, tuple[Deployment, ...]] = {}
        wildcards: dict[str, tuple[Deployment, ...]] = {}
        for position, entry in entries.items():
            name = entry.model_name
            pools, key = (wildcards, name[:-1]) if name.endswith("*") else (exact, name)
            pools[key] = (
                *pools.get(key, ()),
                replace(
                    _deployment(entry, position, default_timeout_s, named),
                    forward_proxies=forward_proxies,
                    serves_objects=entry.provider_objects or not is_shared,
                ),
            )
        return cls(
            names=tuple(dict.fromkeys(entry.model_name for entry in entries.values())),
            exact=_in_order(exact),
            wildcards=_in_order(wildcards),
            lengths=tuple(sorted({len(prefix) for prefix in wildcards}, reverse=True)),
            access=access or {},
            aliases=MappingProxyType({name: alias.model for name, alias in aliases.items()}),
            shown_aliases=tuple(name for name, alias in aliases.items() if not alias.hidden),
        )

    def leaving_out(self, names: Collection[str]) -> Routes:
        """Return a copy that has an empty pool for each of *names*, models that were left out.

        So no shorter wildcard answers for such a model. Otherwise its prompts would go to another provider.
        """
        wild = {name[:-1]: () for name in names if name.endswith("*")}
        wildcards = {**wild, **self.wildcards}
        return replace(
            self,
            exact=MappingProxyType({**{name: () for name in names if not name.endswith("*")}, **self.exact}),
            wildcards=MappingProxyType(wildcards),
            lengths=tuple(sorted({len(prefix) for prefix in wildcards}, reverse=True)),
        )

    @property
    def keyed_providers(self) -> tuple[str, ...]:
        """The providers that have a key in the environment, for entries whose model is ``*``."""
        return tuple(provider for provider, held in self.access.items() if held.key is not None)

    def canonical(self, name: str) -> str:
        """Return the name of the model that answers for *name*: an alias's model, or *name* itself."""
        return self.aliases.get(name, name)


def _models(entries: Mapping[int, ModelEntry]) -> Iterator[str]:
    return (entry.litellm_params.model for entry in entries.values())


def _in_order(pools: Mapping[str, tuple[Deployment, ...]]) -> Mapping[str, tuple[Deployment, ...]]:
    return MappingProxyType(
        {
            name: tuple(sorted(pool, key=lambda member: inf if member.order is None else member.order))
            for name, pool in pools.items()
        }
    )


def _name_pool(
    access: Mapping[str, ProviderAccess], pool: tuple[Deployment, ...], model: str
) -> tuple[Deployment, ...]:
    return tuple(_name_member(member, model, access) for member in pool)


def _name_member(member: Deployment, model: str, access: Mapping[str, ProviderAccess]) -> Deployment:
    """Return a wildcard's deployment for *model*, the name that the client sent.

    Where the client names the provider, the provider's own key goes to the provider's own address, and nowhere else.
    """
    rest = model[len(member.name) - 1 :]
    provider, model_id = _split(member.model.replace("*", rest), member.provider)
    key, base, variables = member.api_key, member.api_base, member.variables
    if member.model == ANY_MODEL and key is None and base is None and provider in access:
        key, base, variable = access[provider]
        variables = () if variable is None else (variable,)
    return replace(
        member,
        model=f"{provider}/{model_id}",
        provider=provider,
        model_id=model_id,
        api_key=key,
        api_base=base,
        variables=variables,
        names_provider=member.model == ANY_MODEL,
    )


def _split(model: str, default: str) -> tuple[str, str]:
    """Return the provider and the model of *model*.

    If *model* names no provider, litellm's table gives the provider. For an unknown model the provider is *default*.
    """
    provider, slash, model_id = model.partition("/")
    return (provider, model_id) if slash else (provider_of(model) or default, model)


def _deployment(
    entry: ModelEntry, position: int, default_timeout_s: float, named: Mapping[str, Credentials]
) -> Deployment:
    params = entry.litellm_params
    sources = (params, named.get(params.litellm_credential_name or ""))
    given = {name: value for name in ARGUMENTS if (value := _first(sources, name)) is not None}
    on_vertex = any(name.startswith("vertex_") for name in given)
    model = params.model
    provider, slash, model_id = model.partition("/")
    if not slash:
        provider, model_id = provider_of(model, on_vertex=on_vertex) or "openai", model
        if provider != "openai":
            model = f"{provider}/{model_id}"
    return Deployment(
        name=entry.model_name,
        model=model,
        provider=provider,
        model_id=model_id,
        api_key=_first(sources, "api_key"),
        api_base=_first(sources, "api_base") or _first(sources, "base_url"),
        timeout_s=default_timeout_s if params.timeout is None else params.timeout,
        allowed_openai_params=frozenset(params.allowed_openai_params),
        transport=entry.transport,
        max_input_tokens=entry.model_info.max_input_tokens,
        max_output_tokens=entry.model_info.max_output_tokens,
        embeds=entry.model_info.embeds,
        mode=entry.model_info.mode,
        extra_headers=MappingProxyType({**params.headers, **params.extra_headers}),
        credentials=MappingProxyType(given),
        label=entry.model_name,
        position=position,
        profile=entry.profile,
        provider_state=entry.provider_state,
        counts_at_provider=entry.count_tokens == "provider",
        defaults=MappingProxyType(dict(params.given())),
        extra_body=MappingProxyType({**_fields(params, provider), **params.extra_body}),
        stream=params.stream,
        order=params.order,
        weight=params.weight or 0.0,
        rpm=_least_given(params.rpm, entry.rpm, entry.model_info.rpm),
        tpm=_least_given(params.tpm, entry.tpm, entry.model_info.tpm),
        price_info=entry.model_info.price_info,
        variables=tuple(dict.fromkeys(name for source in sources if source for name in source.variables)),
    )


def _least_given(*limits: int | None) -> int | None:
    """Return the lowest of *limits* that is given, since each of them may guard the provider's account."""
    return min((limit for limit in limits if limit is not None), default=None)


def _fields(params: LitellmParams, provider: str) -> Mapping[str, Any]:
    """Return the fields of *params* for the body of *provider*. Google refuses a body with a field that it lacks."""
    return {} if provider == "gemini" else params.fields()


def _first(sources: Sequence[Credentials | None], name: str) -> Any:
    """Return the first value of the field *name* among *sources*."""
    return next((value for source in sources if (value := getattr(source, name, None)) is not None), None)
