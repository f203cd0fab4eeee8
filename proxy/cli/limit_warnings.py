"""Warnings about keys, teams and their limits: settings that are valid but probably a mistake. None holds a secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proxy.config import Settings
from proxy.config.allowed_models import AllowedModels
from proxy.config.pools import is_allowed
from proxy.config.schema.keys import ClientKey, Limited, Team
from proxy.core.deployment import Deployment
from proxy.planning.prices import find_prices

_Pools = Mapping[str, Sequence[Deployment]]

_MOST_SHOWN = 5
_FEW_TOKENS = 1024
"""Tokens below which a bucket refuses many usual requests for good."""

_MASTER_LABEL = "master"
"""The master key's label in metrics."""

_RATES = ("rpm_limit", "tpm_limit", "max_parallel_requests")


def find_limit_warnings(settings: Settings, pools: _Pools, now: float | None) -> Iterator[str]:
    """Yield a warning for each probable mistake, with its key in the file.

    *pools* are the deployments by the names in the file. *now* is the Unix time that expiries are compared with, or
    None to leave them out.
    """
    general = settings.general_settings
    unpriced = _without_price(pools)
    for position, key in enumerate(general.keys):
        path, team = f"general_settings.keys[{position}]", general.team_of(key.name)
        yield from _of_key(path, key, team, now)
        yield from _few_tokens(path, key, settings.limits.burst)
        yield from _models(path, key, team, settings, pools)
        if key.max_budget is not None or (team is not None and team.max_budget is not None):
            yield from _unpriced(f"{path}.max_budget", settings, unpriced, settings.allowed_models(key.name))
    for position, team in enumerate(general.teams):
        yield from _few_tokens(f"general_settings.teams[{position}]", team, settings.limits.burst)
    yield from _unused(settings)
    yield from _in_memory(settings, pools)


def _of_key(path: str, key: ClientKey, team: Team | None, now: float | None) -> Iterator[str]:
    if now is not None and key.expires_at is not None and key.expires_at <= now:
        yield f"{path}.expires: has passed: the key is refused"
    if key.name == _MASTER_LABEL:
        yield f"{path}.name: is the label of the master key in the metrics, so that both are counted together"
    for limit in _RATES if team is not None else ():
        own, shared = getattr(key, limit), getattr(team, limit)
        if own is not None and shared is not None and own > shared:
            yield f"{path}.{limit}: is above that of its team, which is reached first"


def _few_tokens(path: str, holder: Limited, burst: float) -> Iterator[str]:
    if holder.tpm_limit is not None and holder.tpm_limit * burst < _FEW_TOKENS:
        most = max(1, int(holder.tpm_limit * burst))
        yield f"{path}.tpm_limit: requests of more than {most:,} tokens are refused for good"


def _models(path: str, key: ClientKey, team: Team | None, settings: Settings, pools: _Pools) -> Iterator[str]:
    allowed = settings.allowed_models(key.name)
    if key.models is None or team is None or team.models is None or allowed is None:
        return
    # Two lists of wildcards share names where one beginning begins with the other.
    names = (*pools, *settings.routes.aliases, *allowed.whole_names, *allowed.beginnings)
    if not any(is_allowed(name, settings, allowed) for name in names):
        yield f"{path}.models: holds no model that its team may use too"


def _unpriced(
    path: str, settings: Settings, unpriced: _Pools, allowed: AllowedModels | None
) -> Iterator[str]:
    """Warn of the models among *unpriced* that a key with a spend limit reaches."""
    reached = [name for name, pool in unpriced.items() if is_allowed(name, settings, allowed, pool)]
    if not reached:
        return
    shown = ", ".join(reached[:_MOST_SHOWN]) + (" and more" if len(reached) > _MOST_SHOWN else "")
    effect = (
        "which is not charged"
        if settings.general_settings.on_unpriced == "count"
        else "whose requests are refused (general_settings.on_unpriced)"
    )
    yield f"{path}: the key reaches {shown} without a known price, {effect}: write the prices into model_info"


def _without_price(pools: _Pools) -> _Pools:
    """Return those of *pools* that have a deployment without a price. The models of a wildcard are not known."""
    return {
        name: pool
        for name, pool in pools.items()
        if any("*" not in member.model and find_prices(member) is None for member in pool)
    }


def _unused(settings: Settings) -> Iterator[str]:
    general = settings.general_settings
    holders = (*general.keys, *general.teams)
    if settings.limits.model_fields_set and not any(each.is_limited for each in holders):
        yield "limits: has no effect, since no key and no team has a limit"
    if general.on_unpriced == "refuse" and all(each.max_budget is None for each in holders):
        yield "general_settings.on_unpriced: has no effect, since no key and no team has a max_budget"


def _in_memory(settings: Settings, pools: _Pools) -> Iterator[str]:
    if settings.store.address.kind != "memory":
        return
    general = settings.general_settings
    holders = (*general.keys, *general.teams)
    if any(each.max_budget is not None for each in holders):
        yield "store.url: spend is forgotten at each restart with memory://, and the limits of spend begin anew"
    elif any(each.is_limited for each in holders) or any(
        member.rpm or member.tpm for pool in pools.values() for member in pool
    ):
        yield "store.url: with memory:// each replica counts the limits by itself; several need one Redis or Valkey"
