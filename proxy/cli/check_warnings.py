"""Warnings: settings that are valid but probably a mistake.

Each of these settings is right in some case, so it is no fault. The warnings are for ``turnright check``, which an
operator reads. Warnings that matter at every start are in :mod:`proxy.config.remarks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from proxy.cli.compaction_warnings import find_compaction_warnings
from proxy.cli.instruction_warnings import find_instruction_warnings
from proxy.cli.limit_warnings import find_limit_warnings
from proxy.cli.provider_object_warnings import find_provider_object_warnings
from proxy.cli.responses_warnings import find_responses_warnings
from proxy.cli.session_warnings import find_session_warnings
from proxy.cli.store_warnings import find_store_warnings
from proxy.config import Settings
from proxy.config.environment import PROVIDERS
from proxy.config.pools import chain_of
from proxy.config.providers.find_provider import find_provider
from proxy.config.providers.why_litellm import NEEDS
from proxy.config.sdk_credentials import Surroundings, missing_credentials
from proxy.core.deployment import Deployment
from proxy.planning.budgets.budget_facts import policy_of
from proxy.planning.preview import key_of_deployment, pools_of
from proxy.planning.windows import window_of
from proxy.resilience.memory_need import DIRECT_TIMES, LITELLM_TIMES, MIB, bytes_in_flight
from proxy.server.connections.limits import ENOUGH_DESCRIPTORS, max_connections
from proxy.upstream.transports import reason_of, transport_of, uses_litellm

_KEYED_PROVIDERS = frozenset(provider.prefix for provider in PROVIDERS)

_SETTING = re.compile(r"litellm_params\.\w+")

_SAME_WINDOW = 0.9
"""The share of the pool's largest window from which a window counts as equal. Windows of one model differ by less."""

_OFF_AT_ZERO: Mapping[str, Mapping[str, str]] = {
    "turns": {
        "max_rounds": "is no limit: an agent on its own may go on for ever",
        "max_rounds_multi_agent": "is no limit: agents that delegate may go on for ever",
        "max_delegation_rounds": "is no limit: agents may delegate for ever",
        "max_calls_per_turn": "is no limit: an answer may hold any number of calls",
        "max_repeats": "switches the search for loops off",
    },
    "general_settings": {
        "drain_grace": "cancels the requests in flight at once when the process stops",
    },
}
"""Keys that switch something off at 0. The warning is given only if the file sets them."""


def find_warnings(
    settings: Settings,
    memory_limit: int | None = None,
    descriptors: int = ENOUGH_DESCRIPTORS,
    around: Surroundings | None = None,
    now: float | None = None,
) -> tuple[str, ...]:
    """Return a warning for each probable mistake in *settings*, with its key in the file. No warning holds a secret.

    *memory_limit* is the memory that the process may use, in bytes, or None if it is unknown. *descriptors* is the
    number of files and connections that the process may have open. *around* are the places where SDKs look for
    credentials, or None where they are unknown. *now* is the Unix time, or None where expiries do not matter.
    """
    pools = pools_of(settings)
    return (
        *_open_access(settings),
        *_memory(settings, memory_limit),
        *_descriptors(settings, descriptors),
        *_missing_keys(settings),
        *_missing_credentials(settings, around),
        *_left_to_litellm(settings, around),
        *_windows(settings, pools),
        *_chains(settings, pools),
        *_small_fallbacks(settings, pools),
        *_weights(settings, pools),
        *_switched_off(settings),
        *find_compaction_warnings(settings, pools),
        *find_store_warnings(settings.store),
        *find_session_warnings(settings.sessions, settings.store),
        *find_instruction_warnings(settings),
        *find_provider_object_warnings(settings, pools),
        *find_responses_warnings(settings, pools),
        *find_limit_warnings(settings, pools, now),
    )


def _open_access(settings: Settings) -> Iterator[str]:
    general = settings.general_settings
    if general.allow_unauthenticated_access and not general.asks_for_keys:
        yield (
            "general_settings.allow_unauthenticated_access: whoever reaches the port can use the providers' "
            "keys, since there is no master_key"
        )


def _memory(settings: Settings, memory_limit: int | None) -> Iterator[str]:
    """Warn where one body may take more than the requests' memory, or that memory is more than the process has."""
    general = settings.general_settings
    if memory_limit is None:
        return
    available = bytes_in_flight(general.max_in_flight_mib, memory_limit) // MIB
    times = LITELLM_TIMES if uses_litellm(settings.routes) else DIRECT_TIMES
    if times * general.max_body_mib > available:
        yield (
            f"general_settings.max_body_mib: a body of {general.max_body_mib} MiB may take "
            f"{times * general.max_body_mib} MiB of memory, and all requests together have {available} "
            f"(max_in_flight_mib): at most {max(1, available // times)} is safe"
        )
    if available * MIB > memory_limit:
        yield (
            f"general_settings.max_in_flight_mib: requests may take {available} MiB of memory, and the process has "
            f"{memory_limit // MIB}"
        )


def _descriptors(settings: Settings, descriptors: int) -> Iterator[str]:
    if descriptors < ENOUGH_DESCRIPTORS:
        connections = max_connections(descriptors, settings.general_settings.max_in_flight)
        yield (
            f"the process may have {descriptors:,} descriptors open (ulimit -n), which is enough for {connections:,} "
            f"connections of clients: allow {ENOUGH_DESCRIPTORS:,}"
        )


def _missing_keys(settings: Settings) -> Iterator[str]:
    """Warn of a deployment without its required key, and of one for any provider if the environment has no key."""
    for pool in pools_of(settings).values():
        for deployment in pool:
            if key_of_deployment(deployment) == "the provider's own":
                if not settings.routes.keyed_providers:
                    yield (
                        f"{settings.path_of_entry(deployment.position)}.litellm_params.api_key: is not set, and "
                        "the environment has no key of a provider that a client may name"
                    )
                continue
            is_usual = _requires_key(deployment.provider) and deployment.api_base is None
            needs_key = is_usual or _is_account_without_key(deployment)
            if needs_key and key_of_deployment(deployment) == "not set":
                empty = "".join(f" ({name} is empty)" for name in deployment.variables)
                yield (
                    f"{settings.path_of_entry(deployment.position)}.litellm_params.api_key: is not set{empty}, and "
                    f"{deployment.provider} requires one"
                )


def _requires_key(provider: str) -> bool:
    """Return True for a provider that answers nobody without a key, and not for a server on this machine."""
    row = find_provider(provider)
    return provider in _KEYED_PROVIDERS or (
        row is not None and (row.base or "").startswith("https:") and bool(row.keys)
    )


def _is_account_without_key(deployment: Deployment) -> bool:
    """Return True for a direct call to a provider with an address for each account. Azure has a warning of its own."""
    row = find_provider(deployment.provider)
    has_accounts = row is not None and row.base is None and bool(row.keys)
    return has_accounts and deployment.provider != "azure" and transport_of(deployment) == "direct"


def _missing_credentials(settings: Settings, around: Surroundings | None) -> Iterator[str]:
    """Yield a warning for each deployment whose SDK will find no credentials, so that its requests fail."""
    if around is None:
        return
    for pool in pools_of(settings).values():
        for deployment in pool:
            missing = missing_credentials(deployment, around)
            if missing is not None:
                yield f"{settings.path_of_entry(deployment.position)}.litellm_params: {deployment.provider}: {missing}"


def _left_to_litellm(settings: Settings, around: Surroundings | None) -> Iterator[str]:
    """Yield a warning for each deployment that goes through litellm for want of a setting.

    A deployment without any credentials has a warning of its own.
    """
    for pool in pools_of(settings).values():
        for deployment in pool:
            reason = reason_of(deployment) if transport_of(deployment) == "litellm" else None
            setting = _SETTING.search(reason) if reason is not None and reason.startswith(NEEDS) else None
            if deployment.transport != "auto" or setting is None:
                continue
            if around is not None and missing_credentials(deployment, around) is not None:
                continue
            yield (
                f"{settings.path_of_entry(deployment.position)}.{setting[0]}: is not set, so litellm calls "
                f"{deployment.provider}: {reason}"
            )


def _windows(settings: Settings, pools: Mapping[str, Sequence[Deployment]]) -> Iterator[str]:
    policy = policy_of(settings.budget)
    if settings.sanitize.mode == "off" or policy.high is None:
        return
    for name, pool in pools.items():
        if name.endswith("*"):
            continue
        known = [window_of(deployment).max_input_tokens for deployment in pool]
        for deployment, window in zip(pool, known, strict=True):
            if window is None and policy.unknown_window is None:
                yield (
                    f"{settings.path_of_entry(deployment.position)}.model_info.max_input_tokens: the window of "
                    f"{deployment.model} is not known; nothing is cut before the provider has refused a request"
                )
        windows = [window for window in known if window is not None]
        if windows and min(windows) < _SAME_WINDOW * max(windows):
            told = ", ".join(f"{window:,}" if window else "unknown" for window in known)
            yield (
                f"model_list: the deployments of {name} have different windows ({told}): how much of a history is sent "
                "depends on the deployment"
            )


def _chains(settings: Settings, pools: Mapping[str, Sequence[Deployment]]) -> Iterator[str]:
    """Warn of fallbacks of a fallback, which are not followed, and of models that fall back to each other."""
    router = settings.router_settings
    for key, chains in (
        ("fallbacks", router.fallbacks),
        ("context_window_fallbacks", router.context_window_fallbacks),
        ("content_policy_fallbacks", router.content_policy_fallbacks),
    ):
        yield from _other_names(settings, key, chains)
        after = {name: chain_of(chains, name, pool) for name, pool in pools.items()}
        circles: set[frozenset[str]] = set()
        for name, chain in after.items():
            for target in chain:
                if name in after.get(target, ()):
                    if frozenset((name, target)) not in circles:
                        yield f"router_settings.{key}: {name} and {target} fall back to each other; each is tried once"
                    circles.add(frozenset((name, target)))
                ignored = [each for each in after.get(target, ()) if each != name and each not in chain]
                if ignored:
                    yield (
                        f"router_settings.{key}: {name} falls back to {target} and not on to {', '.join(ignored)}: "
                        f"the fallbacks of a fallback are not followed; list them after {target}"
                    )


def _other_names(
    settings: Settings, key: str, chains: Sequence[Mapping[str, Sequence[str]]]
) -> Iterator[str]:
    """Warn of fallbacks to another name of the same model."""
    canonical = settings.routes.canonical
    for chain in chains:
        for name, targets in chain.items():
            for target in targets:
                if canonical(target) == canonical(name):
                    yield (
                        f"router_settings.{key}: {name} falls back to {target}, which is another name of the same "
                        "model and is not asked"
                    )


def _small_fallbacks(settings: Settings, pools: Mapping[str, Sequence[Deployment]]) -> Iterator[str]:
    for name, pool in pools.items():
        own = _largest(pool)
        for target in chain_of(settings.router_settings.context_window_fallbacks, name, pool):
            other = _largest(pools.get(target, ()))
            if own is not None and other is not None and other <= own:
                yield (
                    f"router_settings.context_window_fallbacks: {target} has no larger window than {name} "
                    f"({other:,} tokens, {own:,})"
                )


def _weights(settings: Settings, pools: Mapping[str, Sequence[Deployment]]) -> Iterator[str]:
    """Yield a warning for each deployment without a weight, where others of its name and order have one."""
    entries = settings.entries
    for name, pool in pools.items():
        for deployment in pool:
            params = entries[deployment.position].litellm_params
            beside = any(member.weight for member in pool if member.order == deployment.order)
            if params.weight is None and beside:
                yield (
                    f"{settings.path_of_entry(deployment.position)}.litellm_params.weight: is not set, and others of "
                    f"{name} have one: it gets requests only where those cannot answer"
                )


def _largest(pool: Sequence[Deployment]) -> int | None:
    windows = [
        window_of(deployment).max_input_tokens for deployment in pool if not deployment.model.endswith("*")
    ]
    return max((window for window in windows if window is not None), default=None) if all(windows) else None


def _switched_off(settings: Settings) -> Iterator[str]:
    for section, keys in _OFF_AT_ZERO.items():
        given = getattr(settings, section)
        if section == "turns" and given.mode == "off":
            continue
        for key, what in keys.items():
            if key in given.model_fields_set and getattr(given, key) == 0:
                yield f"{section}.{key}: 0 {what}"
