"""For whom a request is looked at, and the dry run there: what it needs of the running process is fetched here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proxy.config import Deployment, resolve
from proxy.explain import DryRun, run_dry
from proxy.keys import Gateway
from proxy.outlook.models import pools_of
from proxy.parameter_plan import Unsupported
from proxy.plan import choose_pool, profile_of
from proxy.signatures.kept import Kept
from proxy.signing import load_signatures
from proxy.ui.asking import Asked, Target
from proxy.ui.targets import deployments_by_profile, withheld_unasked


def deployment_for(target: Target, gateway: Gateway) -> Deployment:
    """Return where *target* leads; raises :class:`proxy.errors.ModelNotFound`."""
    if target.kind == "profile":
        return deployments_by_profile()[target.name]
    pool = pools_of(gateway.settings).get(target.name)  # a wildcard may be asked for by its own name
    return (pool or choose_pool(target.name, gateway.settings))[0]


def every_target(asked: Asked, gateway: Gateway) -> list[tuple[Target, Deployment]]:
    """Return all deployments, a wildcard's for the model that is asked for where it is one of its own, and profiles."""
    pools = dict(pools_of(gateway.settings))
    if (
        asked.names_model
        and asked.chat.model not in pools
        and (own := resolve(gateway.settings, asked.chat.model))
    ):
        pools = {asked.chat.model: own, **pools}
    rows = [(Target("model", name), member) for name, pool in pools.items() for member in pool]
    return [*rows, *((Target("profile", name), one) for name, one in deployments_by_profile().items())]


async def load_kept(asked: Asked, deployments: Iterable[Deployment], gateway: Gateway) -> Mapping[str, Kept]:
    """Return what is known of the calls' signatures, if any of *deployments* signs; it is the same for all of them."""
    if any(profile_of(deployment, gateway.settings).signs_calls for deployment in deployments):
        return await load_signatures(gateway.store, asked.chat.messages, asked.chat.outline)
    return {}


async def unsupported_by(target: Target, gateway: Gateway) -> Unsupported:
    """Return what tells the parameters that are not sent; of a profile, which is never called, what is known anyway."""
    if target.kind == "profile":
        return withheld_unasked
    await gateway.upstream.start()
    return gateway.upstream.unsupported


def run_for(
    asked: Asked,
    deployment: Deployment,
    gateway: Gateway,
    unsupported: Unsupported,
    kept: Mapping[str, Kept],
    now: float,
    key: str,
) -> DryRun:
    """Return the dry run of what is *asked* at *deployment*; *key* is the name of the client's key."""
    policy = gateway.turns.find(asked.chat.model, deployment.label, key)
    return run_dry(
        asked.chat, gateway.settings, unsupported, gateway.knowledge, now, policy, None, kept, deployment
    )
