"""The effect of a configuration on requests, as aligned lines that ``turnright check`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from proxy.cli.render_lines import Part, render_lines, two_columns
from proxy.config import Settings
from proxy.planning.budgets.budget_facts import policy_of
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.preview import BudgetPreview, DeploymentPreview, ModelPreview, RulesPreview
from sanitizers.budget import CutPolicy
from sanitizers.turns import TurnPolicy

Rows: TypeAlias = Iterator[tuple[str, str]]
"""Names and their values."""

_WINDOW_FROM = {
    "configured": "from model_info",
    "catalogue": "from litellm's table",
    "family": "from the model's family",
    "assumed": "assumed, since it is unknown",
}
_PRICES_FROM = {
    "configured": "from model_info",
    "catalogue": "from litellm's table",
    "unknown": "unknown: requests are counted, and charged to no key",
}
_MODES = {
    "repair": "histories are repaired, and every change is reported",
    "observe": "histories are sent unchanged; the changes that repair would make are reported",
    "strict": "histories that need a repair are refused",
    "off": "histories are not checked",
}


def check_lines(settings: Settings, models: tuple[ModelPreview, ...]) -> Iterator[str]:
    """Yield the effect of *settings* on a request, model by model, as lines without a newline."""
    return render_lines(_parts(settings, models))


def _parts(settings: Settings, models: tuple[ModelPreview, ...]) -> Iterator[Part]:
    yield "What happens to a request."
    yield ""
    yield _table(_general_rows(settings))
    policy = policy_of(settings.budget)
    for model in models:
        yield ""
        yield model.name
        yield _table(_model_rows(model))
        for number, deployment in enumerate(model.deployments, 1):
            yield ""
            of = f" ({number} of {len(model.deployments)})" if len(model.deployments) > 1 else ""
            yield f"  {deployment.model}{of}"
            yield _table(_deployment_rows(deployment, policy))


def _table(rows: Rows) -> Part:
    return two_columns(rows, width=12, indent=4)


def _general_rows(settings: Settings) -> Rows:
    yield "access", _access(settings)
    yield "browsers", _browsers(settings)
    yield "sanitize", f"{settings.sanitize.mode}: {_MODES[settings.sanitize.mode]}"
    yield "attempts", _attempts(settings)
    yield "tool calls", _tool_call_checks(settings)
    yield "restart", _restart(settings)


def _model_rows(model: ModelPreview) -> Rows:
    if model.aliases:
        yield "also called", ", ".join(model.aliases)
    if model.fallbacks:
        yield "if it fails", ", then ".join(model.fallbacks)
    if model.context_window_fallbacks:
        yield "if too long", ", then ".join(model.context_window_fallbacks)
    if model.content_policy_fallbacks:
        yield "if filtered", ", then ".join(model.content_policy_fallbacks)
    yield "turns", _turns(model.turns)
    if model.compaction is not None:
        yield "compaction", _compaction(model.compaction)


def _access(settings: Settings) -> str:
    general = settings.general_settings
    keys = ["the master key"] * (general.master_key is not None)
    keys += [key.name for key in general.keys]
    if keys:
        return f"a key is required: {', '.join(keys)}"
    if general.allow_unauthenticated_access:
        return "no key is required, on any address"
    return "no key is required; only loopback can be served"


def _browsers(settings: Settings) -> str:
    general = settings.general_settings
    pages = ", ".join(general.allowed_origins)
    if general.asks_for_keys or general.allow_unauthenticated_access:
        return f"pages of {pages} can read answers" if pages else "no CORS headers are sent"
    hosts = ", ".join(("an address", "localhost", "a container's host", *general.allowed_hosts))
    return f"pages of {pages or 'no other site'} are served; Host must be {hosts}"


def _attempts(settings: Settings) -> str:
    router = settings.router_settings
    return (
        f"at most {router.num_retries + 1} for one model, within {_seconds(router.timeout)}; a failing deployment is "
        f"skipped for {_seconds(router.cooldown_time)}"
    )


def _tool_call_checks(settings: Settings) -> str:
    if settings.sanitize.mode != "repair" or settings.router_settings.self_correction == "off":
        return "not checked"
    where = "in every answer" if settings.router_settings.self_correction == "always" else "in whole answers"
    return f"checked against the request's tools {where}"


def _restart(settings: Settings) -> str:
    general = settings.general_settings
    return (
        f"after SIGTERM new requests are served for {_seconds(general.drain_delay)}, and those in flight have "
        f"{_seconds(general.drain_grace)} more"
    )


def _turns(policy: TurnPolicy | None) -> str:
    if policy is None:
        return "not counted"
    multi_agent = str(policy.max_rounds_multi_agent or "any number")
    rounds = f"{_limit(policy.max_rounds)} rounds, {multi_agent} with delegation"
    delegating = f" ({policy.max_delegation_rounds} that delegate)" if policy.max_delegation_rounds else ""
    parts = [rounds + delegating]
    if policy.max_repeats:
        parts.append(f"loops from {policy.max_repeats} repeats")
    if policy.mode == "enforce":
        parts.append(f"{_limit(policy.max_calls_per_turn)} calls in an answer")
    return f"{policy.mode}: {', '.join(parts)}"


def _compaction(policy: CompactionPolicy) -> str:
    return (
        f"from {100 * policy.trigger:g} % of the prompt's limit; {policy.model} summarizes all but the last "
        f"{policy.keep_messages} messages, to a memory of at most {policy.memory_tokens:,} tokens"
    )


def _deployment_rows(deployment: DeploymentPreview, policy: CutPolicy) -> Rows:
    yield "transport", _transport(deployment)
    yield "key", deployment.key
    if deployment.order is not None:
        yield "order", f"{deployment.order}; a higher one is asked only where this one cannot answer"
    if deployment.weight:
        yield "weight", f"{deployment.weight:g} in the shares of the requests"
    yield (
        "time",
        f"{_seconds(deployment.attempt_s)} for an attempt; {_seconds(deployment.connect_s)} to connect; "
        f"{_seconds(deployment.first_byte_s)} of silence before a stream begins, {_seconds(deployment.idle_s)} after",
    )
    limits = _limits(deployment)
    if limits:
        yield "limits", f"{limits}; more go to other deployments"
    if deployment.prices is not None:
        yield "prices", _PRICES_FROM[deployment.prices]
    if deployment.rules is None or deployment.budget is None:
        yield "the rest", "depends on the requested model"
        return
    yield from _rules_rows(deployment.rules)
    yield from _budget_rows(deployment.budget, policy)


def _limits(deployment: DeploymentPreview) -> str:
    named = ((deployment.rpm, "requests"), (deployment.tpm, "tokens"))
    return " and ".join(f"{limit:,} {what} a minute" for limit, what in named if limit is not None)


def _transport(deployment: DeploymentPreview) -> str:
    provider = deployment.model.partition("/")[0] if "/" in deployment.model else "openai"
    why = "configured"
    if deployment.transport_from == "auto":
        reason = deployment.litellm_because
        why = f"auto: {provider} is spoken directly" if reason is None else f"auto: {reason}"
    host = deployment.host or "the provider's address in litellm"
    if deployment.transport is None:
        return "by the requested model, to " + (deployment.host or "its provider's address")
    if deployment.key == "the provider's own":
        why, host = "configured", "the requested model's provider"
    return f"{deployment.transport} ({why}), to {host}{_BY_RESPONSES[deployment.by_responses]}"


_BY_RESPONSES = {
    "always": ", by the Responses API",
    "with tools": ", by the Responses API where a chat has tools and the model reasons",
    "never": "",
}


def _rules_rows(rules: RulesPreview) -> Rows:
    why = "configured" if rules.profile_from == "configured" else "by the model's name and route"
    yield "profile", f"{rules.profile}, {why}"
    yield "tool names", f"{rules.tool_names}, {rules.longest_tool_name} characters; others are renamed"
    results = "accepted" if rules.results else "moved behind them"
    yield "media", f"{_types(rules.media)}; addresses are {rules.addresses}; in tool results: {results}"


def _types(media: tuple[str, ...] | None) -> str:
    if media is None:
        return "images of any type"
    images = ", ".join(kind.removeprefix("image/") for kind in media if kind.startswith("image/"))
    others = sorted({kind.partition("/")[0] for kind in media} - {"image"})
    return f"images ({images})" + "".join(f", {kind}" for kind in others)


def _budget_rows(budget: BudgetPreview, policy: CutPolicy) -> Rows:
    longest = "" if budget.longest_answer is None else f"; answers of {budget.longest_answer:,} at most"
    if budget.window is None:
        yield "window", f"unknown until the provider refuses a request for its length{longest}"
    else:
        yield "window", f"{budget.window:,} tokens, {_WINDOW_FROM[budget.window_from]}{longest}"
    if budget.limit is not None:
        reserve = (
            f"less {budget.reserve:,} for the answer" if budget.reserve else "the answer has its own limit"
        )
        yield (
            "prompt",
            f"{budget.limit:,} tokens ({reserve}); {budget.margin_percent} % are reserved for errors of the estimate",
        )
    yield "cuts", _cuts(budget, policy)


def _cuts(budget: BudgetPreview, policy: CutPolicy) -> str:
    parts = []
    if policy.ingest is not None:
        parts.append(f"every tool result to {policy.ingest.characters:,} characters at once")
    if policy.last_turns:
        parts.append(f"all but the last {policy.last_turns} turns")
    if budget.cut_above is not None and budget.cut_to is not None:
        parts.append(f"above {budget.cut_above:,} tokens down to {budget.cut_to:,}")
    if budget.refused_above is not None:
        parts.append(f"refused above {budget.refused_above:,}")
    return f"{policy.name}: {'; '.join(parts) or 'nothing'}"


def _limit(number: int) -> str:
    return str(number) if number else "any number of"


def _seconds(number: float) -> str:
    return f"{number:g} s"
