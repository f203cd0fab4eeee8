"""Tests of properties that every cut history has, for any shape and budget."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.budget import Cap, CutInput, CutPolicy, Fitted, Marks, count_leading_system, fit
from sanitizers.budget.markers import is_from_user, notice_message, noticed
from sanitizers.budget.render import Removed
from sanitizers.budget.replay import plan_cuts
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from tests.sanitizers.budget.histories import marks, total
from tests.sanitizers.budget.histories import quick_size as size
from tests.support.strategies import damaged_histories, legal_histories
from tests.support.strategies.sessions import requests_of, sessions
from tests.support.strategies.texts import TOKEN

History = list[dict[str, Any]]

PROFILES = [
    OPENAI,
    GEMINI_1,
    GEMINI_2,
    GEMINI_3,
    GEMINI_3_STRICT,
    OPENAI.merging(),
    GEMINI_2.merging(),
    # Not those that refuse an image which the user asks about: what is cut here is legal.
    *(profile for profile in PROVIDER_PROFILES if "image_url" not in profile.refused_media),
]
profiles = st.sampled_from(PROFILES)

policies = st.builds(
    CutPolicy,
    st.just("drawn"),
    ingest=st.none() | st.builds(Cap, st.integers(400, 3_000)),
    aged=st.none() | st.builds(Cap, st.integers(400, 2_000), lines=st.none() | st.integers(4, 60)),
    clear=st.booleans(),
    drop=st.sampled_from([True, True, True, False]),
    middle=st.booleans(),
    recent=st.integers(0, 3),
    least_capped=st.integers(20, 100),
    least_cleared=st.integers(20, 100),
    kept_users=st.sampled_from([0.0, 0.1, 0.5]),
    excluded_tools=st.sampled_from([frozenset(), frozenset({"skill"})]),
    last_turns=st.sampled_from([0, 0, 0, 1, 3]),
    notice=st.booleans(),
)
budgets = st.builds(
    lambda high, low, hard: Marks(high, high, int(high * low), int(high * hard)),
    st.integers(50, 6_000),
    st.sampled_from([0.3, 0.5, 0.9]),
    st.sampled_from([0.9, 1.0, 1.1, 1.5]),
)
histories = st.one_of(sessions(max_rounds=12), legal_histories(extras=False))


class Cut(NamedTuple):
    """A sanitized history, and the result of cutting it under a profile, a budget and a policy."""

    legal: History
    done: Fitted
    profile: Profile
    budget: Marks
    policy: CutPolicy


def cut(history: History, profile: Profile, budget: Marks, policy: CutPolicy) -> Cut:
    """Return a history that was sanitized, with the result of fitting it to the budget."""
    legal = list(sanitize(history, profile).messages)
    return Cut(legal, fit(CutInput(legal, profile, size), budget, policy), profile, budget, policy)


cuts = st.builds(cut, histories, profiles, budgets, policies)


def calls_and_results(messages: History) -> tuple[list[str], list[str]]:
    """Return the ids of all calls and of all results, in order."""
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


@given(cuts)
def test_a_cut_history_breaks_no_rule(made: Cut) -> None:
    """Each call still has its result."""
    _, done, profile, *_ = made
    sent = list(done.messages)
    calls, results = calls_and_results(sent)

    assert find_violations(sent, profile) == ()
    assert Counter(calls) == Counter(results)


@given(cuts)
def test_the_goal_the_last_message_and_the_newest_unit_stay(made: Cut) -> None:
    """System messages, the user's first and last messages and the newest calls stay. All kept calls are unchanged."""
    legal, done, *_ = made
    sent = json.dumps(list(done.messages), ensure_ascii=False)
    own = [message for message in legal if is_from_user(message)]
    newest = max(at for at, message in enumerate(legal) if message["role"] not in RESULT_ROLES)

    for message in [m for m in legal if m["role"] in SYSTEM_ROLES] + own[:1] + own[-1:]:
        for token in set(TOKEN.findall(json.dumps(message, ensure_ascii=False))):
            assert f"t{token}§" in sent
    ids = [call["id"] for call in legal[newest].get("tool_calls") or ()]
    kept = [call for message in done.messages for call in message.get("tool_calls") or ()]
    assert [call["id"] for call in kept[len(kept) - len(ids) :]] == ids
    assert all(call in [c for m in legal for c in m.get("tool_calls") or ()] for call in kept)


@given(cuts)
def test_equal_input_is_cut_equally_and_never_mutated(made: Cut) -> None:
    """A copy gives the same bytes and the same report. The input is unchanged."""
    legal, done, profile, budget, policy = made
    before = copy.deepcopy(legal)
    again = fit(CutInput(before, profile, size), budget, policy)

    assert json.dumps(list(again.messages)) == json.dumps(list(done.messages))
    assert (again.changes, again.events, again.removed, again.verdict) == (
        done.changes,
        done.events,
        done.removed,
        done.verdict,
    )
    assert legal == before


@given(sessions(min_rounds=4), st.sampled_from([OPENAI, GEMINI_1, GEMINI_3_STRICT]), budgets, policies)
def test_a_request_begins_with_the_one_before_it(
    history: History, profile: Profile, budget: Marks, policy: CutPolicy
) -> None:
    """Between two cuts, each request that is sent is a prefix of the next request.

    A later request repeats the cuts of the request before and may add others.
    """
    legal = list(sanitize(history, profile).messages)
    before: Fitted | None = None
    for request in requests_of(legal):
        done = fit(CutInput(request, profile, size), budget, policy)
        if before is not None:
            assert done.events[: len(before.events)] == before.events
            if done.events == before.events and done.verdict == before.verdict == "fits":
                assert list(done.messages[: len(before.messages)]) == list(before.messages)
            gone = {change.index for change in done.changes if change.kind == "dropped"}
            assert {change.index for change in before.changes if change.kind == "dropped"} <= gone
        before = done


@given(cuts)
def test_a_second_turnright_changes_nothing(made: Cut) -> None:
    """A history that fits the same marks goes through as the same object, without a second marker."""
    _, done, profile, budget, policy = made
    if done.verdict != "fits":
        return
    again = fit(CutInput(done.messages, profile, size), budget, policy)

    assert again.messages is done.messages
    assert again.changes == ()


@given(cuts, budgets)
def test_a_smaller_second_turnright_leaves_one_notice(made: Cut, second: Marks) -> None:
    """A second turnright with other marks leaves at most one notice, and a history without violations."""
    _, done, profile, _, policy = made
    again = fit(CutInput(done.messages, profile, size), second, policy)
    sent = json.dumps(list(again.messages), ensure_ascii=False)

    assert sent.count("<context_notice>") <= 1
    assert find_violations(again.messages, profile) == ()


@given(cuts)
def test_a_fitting_verdict_is_never_over_the_hard_mark(made: Cut) -> None:
    """The verdict is ``fits`` exactly if the hard mark is kept. The reported tokens are the sums over the messages."""
    legal, done, _, budget, *_ = made
    turns = total(list(done.messages)[count_leading_system(done.messages) :], size)

    assert budget.hard is not None
    assert (done.verdict == "fits") == (turns <= budget.hard)
    assert done.tokens_after == turns
    assert done.tokens_before == total(legal[count_leading_system(legal) :], size)
    assert (done.parts is None) == (done.verdict == "fits")
    if done.parts is not None:
        assert done.parts.whole == total(list(done.messages), size)


@given(histories, budgets, policies)
def test_total_of_a_plan_is_the_sum_of_the_remaining_messages(
    history: History, budget: Marks, policy: CutPolicy
) -> None:
    """The total of a plan includes the notice."""
    plan = plan_cuts(history, size, budget, policy)
    left = size(notice_message(plan.noticed)) if plan.noticed else 0
    for at in range(count_leading_system(history), len(history)):
        if at not in plan.gone:
            left += size(plan.replaced[at].message if at in plan.replaced else history[at])

    assert plan.total == left


@given(cuts)
def test_every_missing_text_stood_in_a_message_of_the_change_list(made: Cut) -> None:
    """The change list names each message whose text is missing, and quotes no text.

    Without changes, the messages are the same object.
    """
    legal, done, *_ = made
    named = {change.index for change in done.changes if change.kind in ("dropped", "replaced", "merged")}
    sent = json.dumps(list(done.messages), ensure_ascii=False)
    objects = {id(message) for message in done.messages}

    for index, message in enumerate(legal):
        assert id(message) in objects or index in named or _is_inside(message, sent)
        if id(message) not in objects and not _is_inside(message, sent):
            assert index in named
    assert bool(done.changes) == (list(done.messages) != legal)
    if not done.changes:
        assert done.messages is legal
    told = json.dumps([change.as_dict() for change in done.changes], ensure_ascii=False)
    assert "§" not in told


@given(cuts)
def test_removed_messages_by_reason_match_the_change_list(made: Cut) -> None:
    """Each reason counts as many messages as the change list has changes with this reason."""
    done, policy = made.done, made.policy
    told = Counter(
        change.reason
        for change in done.changes
        if change.step == "budget" and change.kind in ("dropped", "replaced") and change.detail != "notice"
    )

    assert {reason: removed.messages for reason, removed in done.removed.items()} == told
    assert all(removed.tokens >= 0 or policy.ingest for removed in done.removed.values())
    assert all(isinstance(removed, Removed) for removed in done.removed.values())


@given(cuts)
def test_at_most_one_notice_states_the_number_of_dropped_messages(made: Cut) -> None:
    """A notice is left out where it costs more than the dropped messages."""
    legal, done, policy = made.legal, made.done, made.policy
    gone = sum(change.kind == "dropped" and change.step == "budget" for change in done.changes)
    sent = json.dumps(list(done.messages), ensure_ascii=False)

    told = sent.count("<context_notice>")
    saved = sum(
        removed.tokens for why, removed in done.removed.items() if why in ("round_dropped", "last_turns")
    )

    assert (
        told == (1 if gone and policy.notice and saved > 40 else told if policy.notice and gone else 0) <= 1
    )
    if told:
        assert f"<context_notice>{gone} earlier messages" in sent
    assert not any(noticed(message) for message in legal)


@given(damaged_histories(), profiles, budgets, policies)
def test_a_damaged_history_is_legal_after_sanitizing_and_cutting(
    history: History, profile: Profile, budget: Marks, policy: CutPolicy
) -> None:
    """The cut history has no violations, and each change has the index of one of the client's messages."""
    try:
        legal = sanitize(history, profile)
    except Unrepairable:
        return
    done = fit(CutInput(legal.messages, profile, size, legal.origins), budget, policy)

    assert find_violations(done.messages, profile) == ()
    assert all(0 <= change.index < len(history) for change in done.changes)


@given(histories, profiles, policies)
def test_a_history_below_the_marks_is_the_same_object(
    history: History, profile: Profile, policy: CutPolicy
) -> None:
    """A history below the marks stays the same object if the policy has no cap for new results and no turn limit."""
    quiet = CutPolicy("quiet", kept_users=policy.kept_users, recent=policy.recent)
    legal = list(sanitize(history, profile).messages)
    for budget in (Marks(), marks(total(legal, size))):
        done = fit(CutInput(legal, profile, size), budget, quiet)
        assert done.messages is legal
        assert (done.changes, done.events, done.removed, done.verdict) == ((), (), {}, "fits")


def _is_inside(message: dict[str, Any], sent: str) -> bool:
    """Tell whether the text of a message is in *sent*, perhaps joined to another message."""
    written = json.dumps(message.get("content"), ensure_ascii=False)
    tokens = TOKEN.findall(written)
    return written.strip("[]") in sent or (bool(tokens) and all(f"t{token}§" in sent for token in tokens))
