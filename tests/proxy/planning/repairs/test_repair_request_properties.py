"""Property tests of repairs, with generated histories and parameters, and recorded words of providers."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.planning.repairs import repair_request
from proxy.upstream.wires.gemini import build_request
from sanitizers import Profile, Unrepairable, find_violations, profile_for, sanitize
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import History, refusal
from tests.proxy.planning.repairs.cases import CASES
from tests.support import gemini_body
from tests.support.strategies import (
    any_histories,
    damaged_histories,
    indexed_texts_of,
    legal_histories,
    tokens_of,
)

PROFILES = [OPENAI, GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT]
ERRORS = [refusal(case.words, **case.more) for case in CASES]
ERRORS.append(refusal("".join(case.words + "\n" for case in CASES)))  # all at once

# Pairing gives these ids and names. The words may hold a rule for them as well.
LEGACY: History = [
    {"role": "user", "content": "t1§"},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "content": "t3§", "name": "f"},
]

histories = st.one_of(any_histories(), damaged_histories(), legal_histories())
errors = st.sampled_from(ERRORS)
profiles = st.sampled_from(PROFILES)

_names = st.sampled_from(["a", "b", "$ref"])
_plain = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["string", "integer", "object", "array", "null", "STRING", ["string", "null"], 7]
            ),
            "enum": st.lists(st.sampled_from(["x", "", 1, None, True]), max_size=3),
            "const": st.sampled_from(["x", 2]),
            "description": st.sampled_from(["about", "", 3]),
            "minimum": st.integers(0, 3),
            "required": st.lists(st.sampled_from(["a", "c"]), max_size=2),
            "$ref": st.sampled_from(["#", "#/$defs/D", "#/properties/a", "other"]),
            "format": st.just("uri"),
        },
    ),
    st.sampled_from([True, False, None, "odd"]),
)
schemas = st.recursive(
    _plain,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["array", "string"]]),
            "properties": st.dictionaries(_names, inner, max_size=3),
            "items": st.one_of(inner, st.lists(inner, max_size=2)),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "$defs": st.fixed_dictionaries({"D": inner}),
            "additionalProperties": inner,
        },
    ),
    max_leaves=8,
)
_objects = schemas.filter(lambda schema: isinstance(schema, dict))
_functions = st.builds(
    lambda name, schema: {"name": name, "parameters": schema}, st.sampled_from("fg"), _objects
)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.lists(st.builds(lambda f: {"type": "function", "function": f}, _functions), max_size=3),
        "functions": st.lists(_functions, max_size=1),
        "response_format": st.one_of(
            st.just({"type": "json_object"}),
            st.builds(lambda s: {"type": "json_schema", "json_schema": {"name": "n", "schema": s}}, _objects),
        ),
        "temperature": st.just(0.2),
        "max_tokens": st.just(9),
        "max_completion_tokens": st.just(9),
        "reasoning_effort": st.just("low"),
        "tool_choice": st.just("auto"),
        "parallel_tool_calls": st.booleans(),
    },
)


def as_sent(history: History, profile: Profile, *, elsewhere: bool = False) -> History | None:
    """Return the sanitized history with its signatures or stand-ins, as the provider refused it."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return None
    if done.violations:
        return None
    return list(gemini_body.as_sent(done.messages, profile, elsewhere=elsewhere))


@given(histories, parameters, profiles, errors, st.booleans())
@example(history=LEGACY, given_parameters={}, profile=OPENAI, error=ERRORS[-1], raw=True)
@example(history=LEGACY[:2], given_parameters={}, profile=OPENAI, error=ERRORS[-1], raw=True)
def test_repair_changes_something_once(
    history: History, given_parameters: dict[str, Any], profile: Profile, error: Any, raw: bool
) -> None:
    """A repair never raises and mutates nothing.

    A repair changes the request and lists its changes, or is None. A second repair with the same error is None.
    """
    messages = history if raw else as_sent(history, profile)
    if messages is None:
        return
    before = copy.deepcopy((messages, given_parameters))

    done = repair_request(messages, given_parameters, profile, error)

    assert (messages, given_parameters) == before
    assert done == repair_request(*copy.deepcopy(before), profile, error)
    if done is None:
        return
    assert (list(done.messages), done.parameters) != before or done.profile is not None
    assert done.changes
    assert all(change.step == "repair" and 0 <= change.index < len(messages) for change in done.changes)
    assert repair_request(done.messages, done.parameters, done.profile or profile, error) is None


@given(histories, profiles, errors)
def test_a_legal_history_stays_legal(history: History, profile: Profile, error: Any) -> None:
    """A repaired history breaks no rule of the profile that it is sent under."""
    messages = as_sent(history, profile)
    done = repair_request(messages, {}, profile, error) if messages is not None else None

    assert done is None or find_violations(done.messages, done.profile or profile) == ()


@given(histories, profiles, errors)
def test_no_text_is_lost(history: History, profile: Profile, error: Any) -> None:
    """A user's words stay. Each other text stays, or a change has the index of its message."""
    messages = as_sent(history, profile)
    done = repair_request(messages, {}, profile, error) if messages is not None else None
    if messages is None or done is None:
        return
    kept = json.dumps(list(done.messages), ensure_ascii=False)
    named = {change.index for change in done.changes}

    for token in tokens_of([message for message in messages if message["role"] == "user"]):
        assert token in kept
    for index, text in indexed_texts_of(messages):
        assert json.dumps(text, ensure_ascii=False)[1:-1] in kept or index in named
    for token in tokens_of(messages):
        assert token not in json.dumps([change.as_dict() for change in done.changes], ensure_ascii=False)


@given(histories, st.sampled_from(["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]), errors)
def test_the_judge_accepts_a_repaired_history(history: History, model: str, error: Any) -> None:
    """On Gemini's wire no repair makes a legal history illegal.

    A repair that turns Gemini 3's call ids off is skipped.
    """
    profile = profile_for(model)
    messages = as_sent(history, profile, elsewhere=True)
    if messages is None:
        return
    done = repair_request(messages, {}, profile, error)
    if done is None or (profile.call_ids and not (done.profile or profile).call_ids):
        return

    assert judge(model, build_request(messages, {}, profile, model)) is None
    refused = judge(model, build_request(done.messages, {}, done.profile or profile, model))

    assert refused is None
