"""Shows the rules and limits of each configured model. The values come from the code that applies them.

No value is a secret. A wildcard is shown with its host, its transport, its timeouts and the source of its key. Values
that depend on the model that a client names are None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from proxy.config import Settings
from proxy.config.addresses import base_of
from proxy.config.pools import chain_of, resolve
from proxy.config.schema.credentials import SECRETS
from proxy.config.schema.routes import ANY_MODEL
from proxy.core.deployment import Deployment
from proxy.planning.budgets.budget_facts import policy_of
from proxy.planning.budgets.limits import limit_of
from proxy.planning.compact.policies import CompactionPolicies, CompactionPolicy
from proxy.planning.plan_target import profile_of
from proxy.planning.prices import find_prices
from proxy.planning.turn_policies import TurnPolicies
from proxy.planning.windows import window_of
from proxy.upstream.dialects import asks_responses, may_ask_with_tools
from proxy.upstream.transports import reason_of, transport_of, transports_of
from sanitizers.budget import marks_for
from sanitizers.budget.calibration import initial, margin
from sanitizers.budget.find_family import family_of
from sanitizers.turns import TurnPolicy

_KEY_HEADERS = frozenset({"api-key", "authorization", "x-api-key", "x-goog-api-key"})
"""Headers in which providers take a key."""

_IN_PLACE_OF_KEYS = frozenset({"aws_profile_name", *SECRETS})
"""Credentials with which litellm needs no key."""

Key = Literal["set", "in extra_headers", "in credentials", "the provider's own", "not set"]


@dataclass(frozen=True, slots=True)
class BudgetPreview:
    """The limits of a request that sets no output limit, before anything has been learned."""

    window: int | None
    window_from: str
    longest_answer: int | None
    reserve: int
    limit: int | None
    """The most tokens of a prompt. Where prompt and answer share the window, this is the window less the reserve."""

    margin_percent: int
    cut_above: int | None
    """The most tokens of system messages, tools and turns together before turns are cut.

    None where turns are never cut.
    """

    cut_to: int | None
    refused_above: int | None


@dataclass(frozen=True, slots=True)
class RulesPreview:
    """The rules of a deployment's provider that a history is made to follow."""

    profile: str
    profile_from: Literal["configured", "model"]
    tool_names: str
    longest_tool_name: int
    media: tuple[str, ...] | None
    """Media types that an ``image_url`` part may hold inline.

    None where the types are unknown, and no type is refused.
    """

    results: tuple[str, ...]
    """Types of media that a tool's result may hold."""

    addresses: Literal["passed on", "fetched", "refused"]
    """The treatment of an image that is given as a URL."""


@dataclass(frozen=True, slots=True)
class DeploymentPreview:
    """One deployment. For a wildcard *rules* and *budget* are None, since they depend on the model."""

    model: str
    transport: Literal["direct", "litellm"] | None
    """The transport. None where it depends on the provider that a client names."""

    transport_from: Literal["configured", "auto"]
    litellm_because: str | None
    """The reason why ``auto`` leaves the deployment to litellm, or None where it does not."""

    by_responses: Literal["always", "with tools", "never"]
    """Says which chats are asked through the Responses API. It is ``never`` where litellm writes the request."""

    host: str | None
    """The host that requests go to. None where litellm knows the provider's address, or a client names the provider."""

    key: Key
    order: int | None
    weight: float
    connect_s: float
    first_byte_s: float
    idle_s: float
    attempt_s: float
    rules: RulesPreview | None
    budget: BudgetPreview | None
    rpm: int | None = None
    tpm: int | None = None
    prices: Literal["configured", "catalogue", "unknown"] | None = None
    """The source of the model's prices. None for a wildcard, whose models have prices of their own."""


@dataclass(frozen=True, slots=True)
class ModelPreview:
    """One name that clients send, and the pool of its deployments."""

    name: str
    fallbacks: tuple[str, ...]
    context_window_fallbacks: tuple[str, ...]
    content_policy_fallbacks: tuple[str, ...]
    aliases: tuple[str, ...]
    """Second names of the model, and of models that a wildcard matches."""

    turns: TurnPolicy | None
    """The turn guard's policy for a client whose key has no values of its own. None where the guard is off."""

    compaction: CompactionPolicy | None
    """The policy of compaction for a client whose key has no values of its own. None where nothing is compacted."""

    deployments: tuple[DeploymentPreview, ...]


def preview_of(settings: Settings) -> tuple[ModelPreview, ...]:
    """Return the preview of each name in *settings*, in the file's order."""
    pools = pools_of(settings)
    router, aliases = settings.router_settings, settings.routes.aliases
    turns = TurnPolicies(settings.turns, aliases)
    compaction = CompactionPolicies(settings.compaction, aliases)
    return tuple(
        ModelPreview(
            name=name,
            fallbacks=tuple(each for each in chain_of(router.failure_chains, name, pool) if each != name),
            context_window_fallbacks=chain_of(router.context_window_fallbacks, name, pool),
            content_policy_fallbacks=chain_of(router.content_policy_fallbacks, name, pool),
            aliases=tuple(_aliases_of(name, settings)),
            turns=turns.find(name, name, ""),
            compaction=compaction.find(name, name, "") if settings.sanitize.mode == "repair" else None,
            deployments=tuple(_deployment(member, settings) for member in pool),
        )
        for name, pool in pools.items()
    )


def _aliases_of(name: str, settings: Settings) -> Iterator[str]:
    for alias, target in settings.routes.aliases.items():
        if target == name:
            yield alias
        elif name.endswith("*") and any(member.name == name for member in resolve(settings, target)[:1]):
            yield f"{alias} for {target}"


def pools_of(settings: Settings) -> dict[str, tuple[Deployment, ...]]:
    """Return the deployments of each name, in the file's order. Wildcards have pools of their own."""
    routes = settings.routes
    return {
        name: routes.wildcards[name[:-1]] if name.endswith("*") else routes.exact[name]
        for name in routes.names
    }


def key_of_deployment(deployment: Deployment) -> Key:
    """Return the source of a deployment's key. litellm finds the credentials of Bedrock and Vertex AI itself."""
    if deployment.api_key is not None:
        return "set"
    if any(name.lower() in _KEY_HEADERS for name in deployment.extra_headers):
        return "in extra_headers"
    if not _IN_PLACE_OF_KEYS.isdisjoint(deployment.credentials):
        return "in credentials"
    return "the provider's own" if _is_by_name(deployment) else "not set"


def _deployment(deployment: Deployment, settings: Settings) -> DeploymentPreview:
    router = settings.router_settings
    of_any_model, by_name = deployment.model.endswith("*"), _is_by_name(deployment)
    return DeploymentPreview(
        model=deployment.model,
        transport=None if len(transports_of(deployment)) > 1 else transport_of(deployment),
        transport_from="auto" if deployment.transport == "auto" else "configured",
        litellm_because=reason_of(deployment) if transport_of(deployment) == "litellm" else None,
        by_responses=_by_responses(deployment),
        host=None if by_name else _host(deployment),
        key=key_of_deployment(deployment),
        order=deployment.order,
        weight=deployment.weight,
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        attempt_s=min(deployment.timeout_s, router.timeout),
        rules=None if of_any_model else _rules(deployment, settings),
        budget=None if of_any_model else _budget(deployment, settings),
        rpm=deployment.rpm,
        tpm=deployment.tpm,
        prices=None if of_any_model else _price_source(deployment),
    )


def _price_source(deployment: Deployment) -> Literal["configured", "catalogue", "unknown"]:
    prices = find_prices(deployment)
    if prices is None:
        return "unknown"
    return "configured" if prices.source == "configured" else "catalogue"


def _by_responses(deployment: Deployment) -> Literal["always", "with tools", "never"]:
    if deployment.model.endswith("*") or transport_of(deployment) != "direct":
        return "never"
    if asks_responses(deployment):
        return "always"
    return "with tools" if may_ask_with_tools(deployment) else "never"


def _is_by_name(deployment: Deployment) -> bool:
    """Return True where the client's model name decides about the provider, its key and its address."""
    return deployment.model == ANY_MODEL and deployment.api_base is None


def _host(deployment: Deployment) -> str | None:
    base = base_of(deployment.provider, deployment.api_base)
    return urlsplit(base).netloc.rpartition("@")[2] if base else None


def _rules(deployment: Deployment, settings: Settings) -> RulesPreview:
    profile = profile_of(deployment, settings.sanitize)
    fetches = settings.general_settings.media.fetch and settings.sanitize.mode == "repair"
    passes_on = profile.remote_media or profile.https_media
    return RulesPreview(
        profile=profile.name,
        profile_from="model" if deployment.profile is None else "configured",
        tool_names=profile.tool_names.pattern,
        longest_tool_name=profile.tool_names.max_length,
        media=None if profile.image_types is None else tuple(sorted(profile.image_types)),
        results=tuple(sorted(profile.result_types)),
        addresses="passed on" if passes_on else "fetched" if fetches else "refused",
    )


def _budget(deployment: Deployment, settings: Settings) -> BudgetPreview:
    policy, family = policy_of(settings.budget), family_of(deployment.model)
    limit = limit_of(deployment, None, policy, None, settings.budget.reserve)
    share = margin(initial(family), family) if settings.budget.margin is None else settings.budget.margin
    marks = marks_for(policy, limit=limit.tokens, margin=share, assumed=not limit.is_firm)
    mode = settings.sanitize.mode
    return BudgetPreview(
        window=limit.window,
        window_from=limit.source,
        longest_answer=window_of(deployment).max_output_tokens,
        reserve=limit.reserve if limit.shared else 0,
        limit=limit.tokens,
        margin_percent=round(100 * share),
        cut_above=marks.high if mode == "repair" else None,
        cut_to=marks.low if mode == "repair" else None,
        # Mode strict refuses a request that would have to be cut. Mode observe sends all of it.
        refused_above={"repair": marks.hard, "strict": marks.high or marks.hard}.get(mode),
    )
