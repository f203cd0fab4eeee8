"""Chooses the histories that test a profile, and lets the checker find what the profile says about each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from proxy.planning.probe.all_histories import BASELINES, HISTORIES
from proxy.planning.probe.history_values import ProbeHistory
from proxy.planning.probe.known_refusals import UpstreamName, is_known_refused
from sanitizers import Message, Profile, find_violations
from sanitizers.invariants import RULES
from sanitizers.synthetic import NO_THOUGHT

_FETCHED_HERE = "the transport would fetch the address from this host"
_KEPT_HERE = "the proxy takes signatures out of the ids itself"


class Expected(StrEnum):
    """The provider's reaction to a history that is expected if the profile is right."""

    ACCEPTED = "accepted"
    """The history breaks no rule of the profile."""

    REFUSED = "refused"
    """The history breaks only its own rule under the profile. The provider is known to refuse such a history."""

    EITHER = "either"
    """The history breaks its rule under the profile, and no other. The rule is a precaution: the transport or some of
    the servers may accept the history."""


@dataclass(frozen=True, slots=True)
class Case:
    """A history for one profile, and the expected reaction.

    *hidden* is the reason why the history is not sent, or empty.
    """

    history: ProbeHistory
    expected: Expected
    hidden: str = ""

    @property
    def forbidden(self) -> bool:
        """True where the profile forbids the history."""
        return self.expected is not Expected.ACCEPTED


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one profile, the plain histories to send before them, and the rules that no case tests."""

    cases: tuple[Case, ...]
    baselines: tuple[ProbeHistory, ...]
    untested: tuple[str, ...]

    @property
    def sent(self) -> tuple[Case, ...]:
        """The cases that are sent to the provider: those without a reason in *hidden*."""
        return tuple(case for case in self.cases if not case.hidden)


def choose_cases(
    profile: Profile, upstream: UpstreamName, histories: Sequence[ProbeHistory] = HISTORIES
) -> Cases:
    """Return the cases that test *profile*, in the order of the checker's rules.

    *upstream* is the transport and the provider.
    """
    baselines = {
        need: fitted for need, history in BASELINES.items() if (fitted := _fit(history, profile)) is not None
    }
    cases: list[Case] = []
    untested: list[str] = []
    for rule in RULES:
        found = list(_cases_of(rule, profile, upstream, [one for one in histories if one.needs in baselines]))
        cases += found
        if not found:
            untested.append(rule)
    needed = {"text", *(case.history.needs for case in cases if not case.hidden)}
    return Cases(
        tuple(cases), tuple(one for need, one in baselines.items() if need in needed), tuple(untested)
    )


def _cases_of(
    rule: str, profile: Profile, upstream: UpstreamName, histories: Sequence[ProbeHistory]
) -> Iterator[Case]:
    own = [history for history in histories if history.rule == rule]
    chosen = [case for one in own if not one.spare and (case := _case(one, profile, upstream)) is not None]
    spare = [case for one in own if one.spare and (case := _case(one, profile, upstream)) is not None]
    yield from chosen or spare[:1]


def _case(history: ProbeHistory, profile: Profile, upstream: UpstreamName) -> Case | None:
    fitted = _fit(history, profile)
    if fitted is None:
        return None
    hidden = _KEPT_HERE if history.rule == "signature_unreadable" else ""
    if not find_violations(fitted.messages, profile):
        return Case(fitted, Expected.ACCEPTED, hidden)
    known = is_known_refused(upstream, profile, history.id)
    if history.rule == "remote_media":
        hidden = _FETCHED_HERE
    return Case(fitted, Expected.REFUSED if known else Expected.EITHER, hidden)


def _fit(history: ProbeHistory, profile: Profile) -> ProbeHistory | None:
    """Return *history* in a form that breaks its own rule alone, or no rule. None where there is no such form.

    A form that breaks the rule is preferred to a form that breaks none.
    """
    legal: ProbeHistory | None = None
    for adapt in _FORMS:
        if history.rule == "reasoning_missing" and adapt is not _as_is:
            continue
        fitted = replace(history, messages=tuple(map(adapt, history.messages)))
        broken = {violation.rule for violation in find_violations(fitted.messages, profile)}
        if broken == {history.rule}:
            return fitted
        if not broken and legal is None:
            legal = fitted
    return legal


def _as_is(message: Message) -> Message:
    return message


def _with_text(message: Message) -> Message:
    """Return *message*, with an empty text in place of null if it has calls, for profiles that refuse null there."""
    return {**message, "content": ""} if message.get("tool_calls") and message["content"] is None else message


def _with_reasoning(message: Message) -> Message:
    """Return *message*, with empty reasoning if it is the model's without any, for profiles that require reasoning."""
    return {"reasoning_content": "", **message} if message["role"] == "assistant" else message


def _with_both(message: Message) -> Message:
    return _with_reasoning(_with_text(message))


def _with_thought(message: Message) -> Message:
    """Return *message*, with a blank thought if it has calls, for profiles that require thoughts beside calls."""
    return {"reasoning_content": NO_THOUGHT, **message} if message.get("tool_calls") else message


_FORMS: tuple[Callable[[Message], Message], ...] = (
    _as_is,
    _with_text,
    _with_reasoning,
    _with_both,
    _with_thought,
)
"""The forms of a history to try, the simplest first.

Profiles differ in the content and reasoning that they require in the model's messages.
"""
