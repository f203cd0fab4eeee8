"""Warnings about ``compaction``: settings that are valid but probably a mistake. Nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from proxy.config import Settings, resolve
from proxy.config.schema.routes import ANY_MODEL
from proxy.core.deployment import Deployment
from proxy.planning.budgets.budget_facts import policy_of
from proxy.planning.budgets.limits import limit_of
from proxy.planning.compact.policies import CompactionPolicies, CompactionPolicy

_ANY_PROVIDER = "the provider that a client names"

_MAX_NAMES = 3
"""The most models that a warning names."""

_MOST_SENT = 100_000
"""The approximate maximum of tokens in one call to be summarized (:mod:`proxy.forwarding.chat.ask_summarizer`)."""

_Pool = Sequence[Deployment]


@dataclass(frozen=True, slots=True)
class _Use:
    """A model with compaction and its deployments (*pool*). *path* is the setting that names its summarizing model."""

    path: str
    name: str
    pool: _Pool
    policy: CompactionPolicy


def find_compaction_warnings(settings: Settings, pools: Mapping[str, _Pool]) -> Iterator[str]:
    """Yield a warning for each probable mistake in ``compaction``, with its key in the file.

    *pools* are the deployments of each name of ``model_list``.
    """
    policies = CompactionPolicies(settings.compaction, settings.routes.aliases)
    if policies.is_off:
        return
    if settings.sanitize.mode != "repair":
        yield (
            f"compaction.enabled: no history is compacted where sanitize.mode is {settings.sanitize.mode}: "
            "it must be repair"
        )
        return
    uses = list(_uses(settings, pools, policies))
    yield from _unknown_windows(settings, uses)
    by_summarizer: dict[tuple[str, str], list[_Use]] = {}
    for use in uses:
        by_summarizer.setdefault((use.path, use.policy.model), []).append(use)
    for (path, model), served in by_summarizer.items():
        summarizers = resolve(settings, model)
        if summarizers:
            yield from _other_providers(path, model, summarizers, served)
            yield from _same_model(path, model, summarizers, served)
            yield from _small_window(settings, summarizers, served)
        else:
            missing = settings.unavailable.get(settings.routes.canonical(model))
            why = f"is left out without {', '.join(missing)}" if missing else "has no known provider"
            yield f"{path}: {model} {why}, and no summary is written"


def _uses(settings: Settings, pools: Mapping[str, _Pool], policies: CompactionPolicies) -> Iterator[_Use]:
    """Yield each model with compaction, once without a key and once for each key of ``per_key``.

    Names without a deployment are left out.
    """
    section = settings.compaction
    further = (entry.model for entry in section.per_model)
    names = dict.fromkeys((*pools, *further))
    for name in names:
        pool = pools.get(name) or resolve(settings, name)
        label = pool[0].label if pool else name
        for key in ("", *(entry.key for entry in section.per_key)):
            policy = policies.find(name, label, key)
            if policy is not None and pool:
                yield _Use(_path_of_summarizer(settings, name, label, key), name, pool, policy)


def _path_of_summarizer(settings: Settings, name: str, label: str, key: str) -> str:
    section, canonical = settings.compaction, settings.routes.canonical
    for index, of_key in enumerate(section.per_key):
        if of_key.key == key and of_key.summary_model is not None:
            return f"compaction.per_key[{index}].summary_model"
    places = {entry.model: index for index, entry in enumerate(section.per_model)}
    found = next((places[each] for each in (name, canonical(name), label) if each in places), None)
    if found is not None and section.per_model[found].summary_model is not None:
        return f"compaction.per_model[{found}].summary_model"
    return "compaction.model"


def _unknown_windows(settings: Settings, uses: Sequence[_Use]) -> Iterator[str]:
    warned = set[Deployment]()
    for use in uses:
        for deployment in use.pool:
            if (
                deployment not in warned
                and _limit(settings, deployment) is None
                and "*" not in deployment.model
            ):
                warned.add(deployment)
                yield (
                    f"{settings.path_of_entry(deployment.position)}.model_info.max_input_tokens: the window of "
                    f"{deployment.model} is not known; no history is compacted before the provider has refused a "
                    "request"
                )


def _other_providers(path: str, model: str, summarizers: _Pool, uses: Sequence[_Use]) -> Iterator[str]:
    """Warn where the text of a conversation is sent to a provider that does not answer the conversation itself."""
    receivers = dict.fromkeys(map(_provider, summarizers))
    reached: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for use in uses:
        own = tuple(dict.fromkeys(map(_provider, use.pool)))
        others = tuple(provider for provider in receivers if provider not in own)
        if others:
            reached.setdefault((others, own), {})[use.name] = None
    for (others, own), names in reached.items():
        yield (
            f"{path}: {model} is at {' and '.join(others)}, and {_listed(names)} at {' and '.join(own)}: the text of "
            f"these conversations is sent to {' and '.join(others)} to be summarized"
        )


def _same_model(path: str, model: str, summarizers: _Pool, uses: Sequence[_Use]) -> Iterator[str]:
    """Warn of a model that summarizes only conversations that it answers itself, so that summaries are no cheaper."""
    models = {deployment.model for deployment in summarizers}
    if all(models <= {deployment.model for deployment in use.pool} for use in uses):
        yield f"{path}: {model} summarizes its own conversations, so a summary is no cheaper: name a cheaper model"


def _small_window(settings: Settings, summarizers: _Pool, uses: Sequence[_Use]) -> Iterator[str]:
    """Warn where a text to be summarized may be longer than the smallest window of the summarizing model.

    A long tool result is shortened, so many texts are shorter than the history.
    """
    windows = [_limit(settings, deployment) for deployment in summarizers]
    smallest = min((window for window in windows if window is not None), default=None)
    if smallest is None:
        return
    warned = set[str]()
    for use in uses:
        limits = [_limit(settings, deployment) for deployment in use.pool]
        largest = max((limit for limit in limits if limit is not None), default=0)
        needed = min(int(use.policy.trigger * largest), _MOST_SENT)
        if needed > smallest and use.name not in warned:
            warned.add(use.name)
            yield (
                f"{use.path}: {use.policy.model} takes prompts of {smallest:,} tokens, and some {needed:,} of "
                f"{use.name} may be summarized at once: the middle of a longer text is left out of the summary"
            )


def _limit(settings: Settings, deployment: Deployment) -> int | None:
    if "*" in deployment.model:
        return None
    return limit_of(deployment, None, policy_of(settings.budget), None, settings.budget.reserve).tokens


def _provider(deployment: Deployment) -> str:
    """Return the provider, with the host of a server that the configuration names.

    The server's path is left out, since it may name a tenant.
    """
    if deployment.api_base is not None:
        return f"{deployment.provider} ({urlsplit(deployment.api_base).netloc})"
    return _ANY_PROVIDER if deployment.model == ANY_MODEL else deployment.provider


def _listed(names: Mapping[str, None]) -> str:
    shown = [*names][:_MAX_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
