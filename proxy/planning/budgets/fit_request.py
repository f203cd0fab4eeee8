"""One request made to fit its target: counted where it must be, cut where it has to be, refused where nothing helps.

Where a bound that costs next to nothing fits, nothing is counted (:mod:`sanitizers.budget.upper_bound`). Planning goes
by the factor that rarely moves, so that cuts stay where they are; admitting by the newest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ContextTooLong
from proxy.planning.budgets.limits import Limit, asked_output, limit_of
from proxy.planning.budgets.policies import policy_of
from proxy.planning.budgets.report import Report, over_limit_text
from proxy.state.taught import TIGHT, Learned, Taught
from sanitizers import Change, Message, Messages, Profile
from sanitizers.budget import CutPolicy, Fitted, Marks, count_leading_system, fit, marks_for, measure_parts
from sanitizers.budget.calibration import Calibration, margin
from sanitizers.budget.estimate import WHOLE, Estimator
from sanitizers.budget.families import Family
from sanitizers.budget.upper_bound import bound_of_outlined, upper_bound
from sanitizers.outline import Outline
from sanitizers.record import record

_ROLE = itemgetter("role")

_LEAST_OUTPUT = 256
"""Tokens below which an answer is not asked for: a 400 says more than a sentence cut in two."""


@record
class Facts:
    """What is known of the target when a request is planned for it."""

    deployment: Deployment
    policy: CutPolicy
    family: Family
    calibration: Calibration
    learned: Learned | None = None
    margin: float | None = None
    """The operator's, over the calibration's."""

    reserve: int | None = None
    """The operator's, in tokens."""

    refuse_output: bool = False
    tight: bool = False
    """Whether the target has refused this request for its length before."""

    most: int | None = None
    """Tokens that such a request may have at most, where the limit does not say."""

    def renamed(self, names_back: Mapping[str, str]) -> Facts:
        """Return the same facts for a history whose tools have other names, each with the one that it is known by."""
        excluded = self.policy.excluded_tools
        new = {name for name, known in names_back.items() if known in excluded}
        return replace(self, policy=replace(self.policy, excluded_tools=excluded | new)) if new else self


@record
class Budgeted:
    """A request that fits."""

    messages: Messages
    parameters: Mapping[str, Any]
    changes: tuple[Change, ...]
    report: Report


def facts_of(
    deployment: Deployment,
    settings: Settings,
    taught: Taught,
    *,
    tight: bool = False,
    most: int | None = None,
) -> Facts:
    """Return what is known of *deployment*'s budget; *tight* and *most* are of :class:`Facts`."""
    return Facts(
        deployment,
        policy_of(settings.budget),
        taught.family,
        taught.calibration,
        taught.learned,
        settings.budget.margin,
        settings.budget.reserve,
        refuse_output=settings.budget.on_no_room == "refuse",
        tight=tight,
        most=most,
    )


def fit_request(
    messages: Messages,
    profile: Profile,
    parameters: Mapping[str, Any],
    facts: Facts,
    *,
    origins: Sequence[int] | None = None,
    count: bool = False,
    outline: Outline | None = None,
    most_bytes: int = 0,
    changed: Messages = (),
) -> Budgeted:
    """Return *messages*, legal for *profile*, cut to what the target takes, and *parameters* that leave room.

    Both are what came in where nothing had to be done. *origins* are the places of *messages* in what the client sent.
    With *count* it is counted in any case. *outline* is that of *messages*, or of the same without their signatures, or
    of those that they were before some were made into the *changed* ones; *most_bytes* is the length of the JSON that
    they were read from; without it they are walked. Raises :class:`ContextTooLong` for what cannot be made to fit,
    before anything is sent.
    """
    policy, asked = facts.policy, asked_output(parameters)
    limit = limit_of(facts.deployment, asked, policy, facts.learned, facts.reserve)
    tokens = limit.tokens
    if facts.tight:
        tokens = min((most for most in (facts.most, tokens and int(tokens * TIGHT)) if most), default=None)
    tools = _declared(parameters)
    format_ = parameters.get("response_format")
    share = margin(facts.calibration, facts.family) if facts.margin is None else facts.margin
    factor = max(facts.calibration.live, facts.calibration.sticky)
    same = outline is not None and not changed and len(messages) == len(outline.messages)
    bounds = _bounds(facts.family, messages, tools, format_, outline, most_bytes, changed)
    for bounded in () if count else bounds:
        # A factor below 1 was taught by usual text; what is bounded may be denser.
        bound = ceil(bounded * max(1.0, factor))
        if _surely_fits(bound, tokens, share, policy) and _surely_has_room(bound, asked, limit, policy):
            rounds = _count_rounds(messages, outline if same else None)
            return Budgeted(messages, parameters, (), Report(bound, False, limit, bound, rounds=rounds))
    estimator = Estimator(facts.family)
    fixed = estimator.request_tokens([], tools, format_)

    def size_at(scale: float) -> Callable[[Message], int]:
        return lambda message: ceil(estimator.message_tokens(message) * scale)

    def fitted_at(scale: float) -> tuple[Fitted, Marks]:
        size = size_at(scale)
        marks = marks_for(
            policy,
            limit=tokens,
            margin=share,
            assumed=not limit.is_firm,
            tools=ceil(fixed * scale),
            system=sum(map(size, messages[: count_leading_system(messages)])),
        )
        return fit(messages, profile, size, marks, policy, origins=origins), marks

    scale = facts.calibration.sticky
    fitted, marks = fitted_at(scale)
    if fitted.verdict == "over_hard" or _over(fitted, tokens, policy, limit, facts.calibration):
        scale = max(scale, facts.calibration.live)
        if scale > facts.calibration.sticky:
            fitted, marks = fitted_at(scale)
    if fitted.verdict == "over_hard":
        assert tokens is not None
        raise ContextTooLong(over_limit_text(fitted, limit, tokens, policy), param="messages")
    rounds = _count_rounds(messages, outline if same else None)
    report = Report(fitted.tokens_before, True, limit, fitted.tokens_after, fitted, marks, scale, rounds)
    if count:
        size = size_at(scale)
        before = measure_parts(messages, size, marks, origins=origins)
        after = measure_parts(fitted.messages, size, marks)
        report = replace(report, before=before, after=after)
    return _with_room(fitted.messages, parameters, fitted.changes, report, asked, facts)


def _bounds(
    family: Family,
    messages: Messages,
    tools: Any,
    format_: Any,
    outline: Outline | None,
    most_bytes: int,
    changed: Messages,
) -> Iterator[int]:
    """Yield upper bounds of the request's tokens, the cheapest first, which is the loosest."""
    if outline is not None and most_bytes <= WHOLE:
        yield bound_of_outlined(family, outline, most_bytes, tools, format_, changed)
    yield upper_bound(family, messages, tools, format_)


def _count_rounds(messages: Messages, outline: Outline | None) -> int:
    if outline is None:
        return [*map(_ROLE, messages)].count("assistant")
    if not outline.odd:
        return outline.turns
    return outline.turns + [outline.messages[index]["role"] for index in outline.odd].count("assistant")


def estimate_sent(messages: Messages, parameters: Mapping[str, Any], family: Family) -> int:
    """Return the estimate of a request as it was sent, without any factor: what a provider's count is compared with."""
    return Estimator(family).request_tokens(
        messages, _declared(parameters), parameters.get("response_format")
    )


def _declared(parameters: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return what *parameters* declare as tools, in both of the forms that there are: both are sent."""
    tools, functions = parameters.get("tools"), parameters.get("functions")
    return [*tools, *functions] if tools and functions else tools or functions


def has_media(messages: Messages) -> bool:
    """Tell whether a history holds anything but text, whose cost is a guess."""
    return any(
        part.get("type") not in ("text", "refusal", "thinking")
        for message in messages
        if isinstance(content := message.get("content"), list)
        for part in content
        if isinstance(part, dict)
    )


def _surely_fits(bound: int, tokens: int | None, share: float, policy: CutPolicy) -> bool:
    if policy.ingest is not None or policy.last_turns:
        return False
    if tokens is None or policy.high is None:
        return policy.hard is None or tokens is None or bound <= tokens * policy.hard
    if policy.headroom:
        return bound <= tokens * policy.window_share * (1 - share) * policy.low
    return bound <= tokens * policy.window_share * (1 - share) * policy.high


def _surely_has_room(bound: int, asked: int | None, limit: Limit, policy: CutPolicy) -> bool:
    if asked is None or limit.window is None or not limit.shared or not _is_kept_to(limit, policy):
        return True
    return asked <= limit.window - bound


def _is_kept_to(limit: Limit, policy: CutPolicy) -> bool:
    """Tell whether anything is cut or refused by *limit*: a soft one refuses nothing, and ``off`` does neither."""
    return limit.is_firm and (policy.high is not None or policy.hard is not None)


def _over(
    fitted: Fitted, tokens: int | None, policy: CutPolicy, limit: Limit, calibration: Calibration
) -> bool:
    """Tell whether what would be sent is over the hard mark by the newest factor."""
    if tokens is None or policy.hard is None or not limit.is_firm:
        return False
    return fitted.tokens_after / calibration.sticky * calibration.live > tokens * policy.hard


def _with_room(
    messages: Messages,
    parameters: Mapping[str, Any],
    changes: tuple[Change, ...],
    report: Report,
    asked: int | None,
    facts: Facts,
) -> Budgeted:
    """Return the request, which was counted, with no more output *asked* for than there is room for."""
    limit = report.limit
    if asked is None or limit.window is None or not limit.shared or not _is_kept_to(limit, facts.policy):
        return Budgeted(messages, parameters, changes, report)
    room = limit.window - report.sent
    if asked <= room:
        return Budgeted(messages, parameters, changes, report)
    name = "max_completion_tokens" if parameters.get("max_completion_tokens") else "max_tokens"
    if facts.refuse_output or room < _LEAST_OUTPUT:
        raise ContextTooLong(
            f"'{name}' of {asked} tokens leaves no room: the request comes to about {report.sent} of the model's "
            f"{limit.window} tokens.",
            param=name,
        )
    reduced = {
        key: room if key in ("max_tokens", "max_completion_tokens") and value else value
        for key, value in parameters.items()
    }
    note = Change("budget", "replaced", 0, "output_reduced", f"{name} {asked} -> {room}")
    return Budgeted(messages, MappingProxyType(reduced), (*changes, note), report)
