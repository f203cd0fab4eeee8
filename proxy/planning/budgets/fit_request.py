"""Fits one request into its deployment's token budget: counts the tokens, and cuts or refuses the history.

Nothing is counted where a cheap upper bound shows that the request fits (:mod:`sanitizers.budget.upper_bound`).
Estimates are multiplied by a calibration factor. Cuts use the sticky factor, which rarely changes, so the cuts stay the
same between requests. Where the newest factor is larger, that factor decides whether a request is admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from proxy.core.errors import ContextTooLong
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.limits import Limit, asked_output, limit_of
from proxy.planning.budgets.report import Report, over_limit_text
from proxy.state.lessons import TIGHT
from sanitizers import Change, Message, Messages, Profile
from sanitizers.budget import (
    CutInput,
    CutPolicy,
    Fitted,
    FixedTokens,
    Marks,
    count_leading_system,
    fit,
    marks_for,
    measure_parts,
)
from sanitizers.budget.calibration import Calibration, margin
from sanitizers.budget.estimate import WHOLE, Estimator
from sanitizers.budget.families import Family
from sanitizers.budget.upper_bound import bound_of_changed, bound_of_outlined, upper_bound
from sanitizers.outline import Outline
from sanitizers.record import record

_ROLE = itemgetter("role")

_MIN_OUTPUT = 256
"""The smallest output limit that the proxy sets.

With less room, an error is clearer than an answer that stops mid-sentence.
"""


@record
class FitInput:
    """One request to be fitted: *messages*, legal for *profile*, and the *parameters* that go with them."""

    messages: Messages
    profile: Profile
    parameters: Mapping[str, Any]
    origins: Sequence[int] | None = None
    """The index of each of *messages* in the client's history."""

    outline: Outline | None = None
    """Describes *messages* as the client sent them. Signatures may differ, and the messages in *changed* differ.

    Without an outline, every message is read."""

    most_bytes: int = 0
    """The length in bytes of the JSON that the messages were read from."""

    changed: Messages = ()
    """The messages that the outline does not describe."""

    pinned: Messages = ()
    """Objects in *messages* that no cut may drop or shorten."""


@record
class FittedRequest:
    """The result of fitting a request."""

    messages: Messages
    parameters: Mapping[str, Any]
    changes: tuple[Change, ...]
    report: Report


def fit_request(given: FitInput, facts: BudgetFacts, *, count: bool = False) -> FittedRequest:
    """Return *given* cut to the target's limit, with parameters that leave room for the answer.

    Without changes, the messages and parameters are the objects that came in. The tokens are counted where an upper
    bound does not show that the request fits, and always with *count*. Raises :class:`ContextTooLong`, before anything
    is sent, for a request that cannot be made to fit.
    """
    policy, calibration, asked = facts.policy, facts.calibration, asked_output(given.parameters)
    limit = limit_of(facts.deployment, asked, policy, facts.learned, facts.reserve)
    tokens = limit.tokens
    if facts.tight:
        tokens = min((most for most in (facts.most, tokens and int(tokens * TIGHT)) if most), default=None)
    share = margin(calibration, facts.family) if facts.margin is None else facts.margin
    # The fast path of most requests stands here. A function of its own would cost each request a call.
    factor = calibration.live if calibration.live > calibration.sticky else calibration.sticky
    for bounded in () if count else bounds_of(given, facts.family):
        # Usual text taught a factor below 1. The text behind a bound may be denser.
        bound = bounded if factor <= 1.0 else ceil(bounded * factor)
        if _surely_fits(bound, tokens, share, policy) and _has_room(bound, asked, limit, policy):
            report = Report(bound, False, limit, bound, rounds=_count_rounds(given))
            return FittedRequest(given.messages, given.parameters, (), report)
    fitted, marks, scale, size = _cut(given, facts, limit, tokens, share)
    if fitted.verdict == "over_hard":
        assert tokens is not None
        raise ContextTooLong(over_limit_text(fitted, limit, tokens, policy), param="messages")
    rounds = _count_rounds(given)
    report = Report(fitted.tokens_before, True, limit, fitted.tokens_after, fitted, marks, scale, rounds)
    if count:
        before = measure_parts(given.messages, size, marks, origins=given.origins)
        after = measure_parts(fitted.messages, size, marks)
        report = replace(report, before=before, after=after)
    return _limit_output(
        FittedRequest(fitted.messages, given.parameters, fitted.changes, report), asked, facts
    )


def bounds_of(given: FitInput, family: Family) -> Iterator[int]:
    """Yield upper bounds of the request's tokens, the cheapest and loosest first."""
    parameters = given.parameters
    tools, format_ = declared_tools(parameters), parameters.get("response_format")
    if given.outline is not None and given.most_bytes <= WHOLE:
        bound = bound_of_outlined(family, given.outline, given.most_bytes, tools, format_)
        yield bound + bound_of_changed(family, given.changed) if given.changed else bound
    yield upper_bound(family, given.messages, tools, format_)


class _Cut(NamedTuple):
    """A counted request, with the marks, the factor and the message sizes that decided its cuts."""

    fitted: Fitted
    marks: Marks
    scale: float
    size: Callable[[Message], int]


def _cut(given: FitInput, facts: BudgetFacts, limit: Limit, tokens: int | None, share: float) -> _Cut:
    """Return *given* counted and cut to *tokens*.

    Cuts are planned by the sticky factor. A larger newest factor is used instead in two cases. Either the request would
    be refused, or the newest factor puts it above the hard mark, the policy's limit for refusal.
    """
    policy, calibration, parameters = facts.policy, facts.calibration, given.parameters
    estimator = Estimator(facts.family)
    fixed = estimator.request_tokens([], declared_tools(parameters), parameters.get("response_format"))
    leading = given.messages[: count_leading_system(given.messages)]

    def cut_at(scale: float) -> _Cut:
        def size(message: Message) -> int:
            return ceil(estimator.message_tokens(message) * scale)

        marks = marks_for(
            policy,
            limit=tokens,
            margin=share,
            assumed=not limit.is_firm,
            fixed=FixedTokens(tools=ceil(fixed * scale), system=sum(map(size, leading))),
        )
        history = CutInput(given.messages, given.profile, size, given.origins, given.pinned)
        fitted = fit(history, marks, policy)
        return _Cut(fitted, marks, scale, size)

    cut = cut_at(calibration.sticky)
    if calibration.live > calibration.sticky and (
        cut.fitted.verdict == "over_hard"
        or _exceeds_hard_mark(cut.fitted, tokens, policy, limit, calibration)
    ):
        cut = cut_at(calibration.live)
    return cut


def _count_rounds(given: FitInput) -> int:
    """Return the number of assistant messages, from the outline where it describes *messages*."""
    messages, outline = given.messages, given.outline
    if outline is None or given.changed or len(messages) != len(outline.messages):
        return [*map(_ROLE, messages)].count("assistant")
    if not outline.odd:
        return outline.turns
    return outline.turns + [outline.messages[index]["role"] for index in outline.odd].count("assistant")


def estimate_sent(messages: Messages, parameters: Mapping[str, Any], family: Family) -> int:
    """Return the estimated tokens of a request as it was sent, without a factor.

    The provider's count is compared with this estimate.
    """
    return Estimator(family).request_tokens(
        messages, declared_tools(parameters), parameters.get("response_format")
    )


def declared_tools(parameters: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the tools that *parameters* declare in both forms, ``tools`` and ``functions``. Both are sent."""
    tools, functions = parameters.get("tools"), parameters.get("functions")
    return [*tools, *functions] if tools and functions else tools or functions


def has_media(messages: Messages) -> bool:
    """Return True for a history that holds more than text. The tokens of media are a guess."""
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
    mark = policy.low if policy.headroom else policy.high
    return bound <= tokens * policy.window_share * (1 - share) * mark


def _has_room(prompt: int, asked: int | None, limit: Limit, policy: CutPolicy) -> bool:
    """Return True where *asked* tokens of output have room beside *prompt* tokens, or need none.

    Only a firm limit refuses (``Limit.is_firm``). The policy ``off`` neither cuts nor refuses.
    """
    if asked is None or limit.window is None or not limit.shared or not limit.is_firm:
        return True
    return (policy.high is None and policy.hard is None) or asked <= limit.window - prompt


def _exceeds_hard_mark(
    fitted: Fitted, tokens: int | None, policy: CutPolicy, limit: Limit, calibration: Calibration
) -> bool:
    """Return True where the fitted request, measured with the newest factor, exceeds the hard mark."""
    if tokens is None or policy.hard is None or not limit.is_firm:
        return False
    return fitted.tokens_after / calibration.sticky * calibration.live > tokens * policy.hard


def _limit_output(counted: FittedRequest, asked: int | None, facts: BudgetFacts) -> FittedRequest:
    """Return the counted request, with its output limit *asked* reduced to the room that is left.

    Raises :class:`ContextTooLong` where the operator wants a refusal instead, or the room is too small for an answer.
    """
    parameters, report = counted.parameters, counted.report
    limit = report.limit
    if _has_room(report.sent, asked, limit, facts.policy):
        return counted
    assert limit.window is not None
    room = limit.window - report.sent
    name = "max_completion_tokens" if parameters.get("max_completion_tokens") else "max_tokens"
    if facts.refuse_output or room < _MIN_OUTPUT:
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
    return replace(counted, parameters=MappingProxyType(reduced), changes=(*counted.changes, note))
