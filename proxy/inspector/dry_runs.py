"""Makes a dry run (a plan that is not sent) for the inspector, with known facts on sender and deployment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from proxy.config import resolve
from proxy.config.allowed_models import AllowedModels
from proxy.config.pools import choose_pool, is_allowed
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.forwarding.chat.answer_signatures import load_signatures
from proxy.forwarding.chat.find_learned import with_learned
from proxy.forwarding.chat.find_memory import with_memory
from proxy.forwarding.gateway import Gateway
from proxy.inspector.read_query import Query, Target
from proxy.inspector.targets import deployments_by_profile, withheld_unasked
from proxy.inspector.worker_thread import run_in_worker
from proxy.observability.recent_requests import RecentRequest
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.plan_parameters import Unsupported
from proxy.planning.plan_target import plan_target, profile_of
from proxy.planning.preview import pools_of
from proxy.planning.signatures.restoring import signature_keys
from proxy.state.kept_signatures import StoredSignature


class Sender(NamedTuple):
    """A request's sender: the name of the *key*, and the limit on rounds of tool calls that was *asked* for."""

    key: str
    asked: int | None = None


class Inspection(NamedTuple):
    """One inspection: the page's query (*asked*), the sender, and the time by the event loop's clock.

    *kept* are the stored signatures of the request's calls.
    """

    asked: Query
    sender: Sender
    kept: Mapping[str, StoredSignature]
    now: float


def visible_pools(gateway: Gateway, allowed: AllowedModels | None) -> dict[str, tuple[Deployment, ...]]:
    """Return the deployments of each name that a key with the models *allowed* may use, in the file's order."""
    settings = gateway.settings
    return {
        name: pool for name, pool in pools_of(settings).items() if is_allowed(name, settings, allowed, pool)
    }


def find_deployment(
    asked: Query, seen: RecentRequest | None, gateway: Gateway, allowed: AllowedModels | None = None
) -> tuple[Target, Deployment]:
    """Return the target and the deployment for which *asked* is inspected. In a pool, the target has a position.

    Without a named target, a recent request (*seen*) leads to its own deployment, if that is still configured. Raises
    :class:`proxy.core.errors.ModelNotFound`, and :class:`InvalidRequest` for a position that the model does not have.
    A key with the models *allowed* has no other targets (:class:`proxy.core.key_errors.ModelNotAllowed`).
    """
    target = asked.target
    if target.kind == "profile":
        return target, deployments_by_profile()[target.name]
    pools = visible_pools(gateway, allowed)
    pool = pools.get(target.name)  # the name may be a wildcard itself
    pool = pool or choose_pool(target.name, gateway.settings, allowed)
    if seen is not None and not asked.chosen:
        went = (seen.deployment, seen.position)
        for name, members in {target.name: pool, **pools}.items():
            for member in members:
                if (member.model, member.position) == went:
                    return target_of(name, member, members), member
    if target.position is None:
        return target_of(target.name, pool[0], pool), pool[0]
    for member in pool:
        if member.position == target.position:
            return target_of(target.name, member, pool), member
    places = ", ".join(str(member.position) for member in pool)
    raise InvalidRequest(
        f"The model has no deployment at this position. Its positions: {places}.", param="target.position"
    )


def target_of(name: str, member: Deployment, pool: Sequence[Deployment]) -> Target:
    """Return *member* of a model's *pool* as a target."""
    return Target("model", name, member.position if len(pool) > 1 else None)


def every_target(
    asked: Query, gateway: Gateway, allowed: AllowedModels | None = None
) -> list[tuple[Target, Deployment]]:
    """Return every deployment that a key with the models *allowed* may use, and every profile, as a target.

    A wildcard that matches the request's model is also listed as that model.
    """
    pools = visible_pools(gateway, allowed)
    if (
        asked.names_model
        and asked.chat.model not in pools
        and (own := resolve(gateway.settings, asked.chat.model))
        and is_allowed(asked.chat.model, gateway.settings, allowed, own)
    ):
        pools = {asked.chat.model: own, **pools}
    rows = [(target_of(name, member, pool), member) for name, pool in pools.items() for member in pool]
    return [*rows, *((Target("profile", name), one) for name, one in deployments_by_profile().items())]


async def load_kept(
    asked: Query, deployments: Iterable[Deployment], gateway: Gateway, sender: Sender
) -> Mapping[str, StoredSignature]:
    """Return the stored signatures of the calls for *sender*, if any of *deployments* signs calls.

    The signatures are the same for all deployments.
    """
    if any(profile_of(deployment, gateway.settings.sanitize).signs_calls for deployment in deployments):
        keys = await run_in_worker(partial(signature_keys, asked.chat.messages, asked.chat.outline))
        return await load_signatures(gateway.store, sender.key, keys)
    return {}


async def unsupported_by(target: Target, gateway: Gateway) -> Unsupported:
    """Return the function that names the parameters that are not sent to *target*.

    A profile is never called, so its transport is not loaded.
    """
    if target.kind == "profile":
        return withheld_unasked
    await gateway.upstream.start()
    return gateway.upstream.unsupported


async def input_for(
    inspection: Inspection, deployment: Deployment, unsupported: Unsupported, gateway: Gateway
) -> DryRunInput:
    """Return the input for a dry run at *deployment*, as if the sender of the *inspection* had sent the request.

    The limits on rounds and the settings of compaction belong to the requested model, even where its fallback answers.
    """
    asked, sender, settings = inspection.asked, inspection.sender, gateway.settings
    pool = () if asked.chosen else resolve(settings, asked.chat.model)
    label = (pool[0] if pool else deployment).label
    policy = gateway.turns.find(asked.chat.model, label, sender.key)
    target = plan_target(deployment, settings.sanitize, unsupported)
    lessons = gateway.learned_windows.peek(deployment, inspection.now, sender.key)
    facts = facts_of(deployment, settings.budget, lessons)
    instructions = gateway.instructions.find(deployment, sender.key)
    given = DryRunInput(
        asked.chat, target, facts, inspection.kept, policy, sender.asked, instructions=instructions
    )
    given = await with_learned(given, gateway, sender.key)
    return await with_memory(given, gateway, label, sender.key)


def run_for(given: DryRunInput, inspection: Inspection, gateway: Gateway) -> DryRun:
    """Return the dry run of *given*, the input for one deployment of an *inspection*."""
    run = run_dry(given)
    lessons = gateway.learned_windows.peek(run.deployment, inspection.now, inspection.sender.key)
    if run.sent is None or lessons.reports_usage:
        return run
    return replace(run, sent=replace(run.sent, ask_usage=False))
