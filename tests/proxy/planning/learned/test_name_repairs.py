"""Tests of the names under which the repairs of a refused request are learned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.learned.features import named_value
from proxy.planning.plan import Plan
from sanitizers.profiles import OPENAI
from tests.proxy.planning.learned.teaching import (
    LEARNED_CASES,
    NEVER_CASES,
    case_named,
    keys_after,
    keys_of,
    keys_of_case,
    plan_of,
)
from tests.proxy.planning.repairs.asking import History, refusal
from tests.proxy.planning.repairs.cases import Case, object_of, tools_of
from tests.support.builders import assistant, call, system, text, tool, user

ASK = [user("t1§")]
SEED, USER = "Unsupported parameter: 'seed' is not supported.", "Unknown parameter: 'user'."
BOTH = {"seed": 7, "user": "u"}


@pytest.mark.parametrize("case", LEARNED_CASES, ids=lambda case: case.id)
def test_each_learned_row_has_one_name(case: Case) -> None:
    keys = keys_of_case(case)

    assert [key.fault for key in keys] == [case.row.fault]


@pytest.mark.parametrize("case", NEVER_CASES, ids=lambda case: case.id)
def test_rows_that_are_never_learned_have_no_name(case: Case) -> None:
    assert keys_of_case(case) == ()


def holding(case: Case, place: str, words: str) -> Plan:
    """Return the plan of the request in *case*, with *words* of the client at another place."""
    messages, parameters = [*case.messages], dict(case.parameters)
    if place in ("user", "system"):
        messages = [{"role": place, "content": words}, *messages]
    elif place == "result":
        messages = [user("t0§"), assistant(None, [call("c0")]), tool("c0", [text(words)]), *messages]
    elif place == "arguments":
        written = json.dumps({"a": json.dumps(words)})
        messages = [user("t0§"), assistant(None, [call("c0", "f", written)]), tool("c0"), *messages]
    elif place == "parameter":
        parameters["stop"] = [words]
    else:
        function = {"name": "g", "description": words}
        parameters["tools"] = [*parameters.get("tools", ()), {"type": "function", "function": function}]
    return plan_of(messages, parameters, case.profile)


PLACES = ("user", "system", "result", "arguments", "parameter", "description")
QUOTED = [
    pytest.param(case, place, id=f"{case.id}-{place}")
    for case in LEARNED_CASES
    for place in PLACES
    if (case.id, place)
    != ("tool_settings", "description")  # a request with a tool may have settings for tools
]


@pytest.mark.parametrize(("case", "place"), QUOTED)
def test_quoted_words_teach_nothing(case: Case, place: str) -> None:
    """The error repeats a text of the client, which looks like the provider's refusal."""
    words = f"{case.words} {' '.join(case.more.values())}"

    assert keys_of(holding(case, place, words), refusal(f"The request was not accepted: {words}")) == ()


@pytest.mark.parametrize(
    ("words", "features"),
    [
        (SEED, {"seed"}),
        (f"{SEED} {USER}", {"seed", "user"}),
        ("Unrecognized request arguments supplied: seed, user", {"seed", "user"}),
        ("Unsupported value: 'seed' does not support 7.", {named_value("seed", 7)}),
        (f"Unsupported value: 'seed' does not support 7. {USER}", {named_value("seed", 7), "user"}),
        (f"{SEED} Unknown parameter: 'store'.", {"seed"}),
    ],
)
def test_named_parameters_are_learned_one_by_one(words: str, features: set[str]) -> None:
    """A parameter that the request does not have was not dropped, so its name is not learned."""
    assert {key.feature for key in keys_after(words, ASK, BOTH)} == features


@pytest.mark.parametrize(
    ("own", "quoted", "features"),
    [
        (SEED, USER, {"seed"}),
        (USER, SEED, {"user"}),
        (USER, f"{SEED} Unsupported value: 'user' does not support this.", {"user"}),
        ("Unrecognized request argument supplied: seed", f"{SEED} {USER}", {"seed"}),
        (SEED, "Unsupported parameter: 'user'", set()),
    ],
)
def test_parameter_that_only_a_quotation_names_is_not_learned(
    own: str, quoted: str, features: set[str]
) -> None:
    """Two phrases that name parameters may stand in one error: the provider's and a client's.

    Where they are the same phrase, nothing is learned.
    """
    keys = keys_after(f"{own} Your text was: {quoted}", [user(f"t1§ {quoted}")], BOTH)

    assert {key.feature for key in keys} == features


CALLED = [user("t1§"), assistant(None, [call("c1", index=0, cache_control={}, note=1)]), tool("c1")]
UNKNOWN = "unknown field: parameter '{}' is not a valid field"
OWN_FIELD = "Unknown parameter: 'messages[1].tool_calls[0].index'."


@pytest.mark.parametrize(
    ("words", "messages", "features"),
    [
        (OWN_FIELD, CALLED, {"index"}),
        (f"{OWN_FIELD} {UNKNOWN.format('cache_control')}", CALLED, {"index", "cache_control"}),
        (f"{OWN_FIELD} {UNKNOWN.format('extra_content')}", CALLED, {"index"}),
        (f"{OWN_FIELD} {UNKNOWN.format('note')}", CALLED, {"index"}),
        (
            f"{OWN_FIELD} {UNKNOWN.format('cache_control')}",
            [*CALLED, user(UNKNOWN.format("cache_control"))],
            {"index"},
        ),
    ],
)
def test_field_is_learned_where_a_call_has_it_and_the_provider_names_it(
    words: str, messages: History, features: set[str]
) -> None:
    """A field such as ``note``, which a client may have invented, is not learned: its name would get into the log."""
    assert {key.feature for key in keys_after(words, messages)} == features


def test_quoted_words_of_the_same_fault_are_not_learned_with_the_providers_own() -> None:
    """They could ask for another repair of the fault."""
    quoted = "Unknown name \"id\" at 'function_call'."
    case = case_named("call_ids-mistral")
    plan = plan_of([user(quoted), *case.messages[1:]], {}, replace(OPENAI, call_ids=False))

    (key,) = keys_of(plan, refusal(f"{case.words} Your text was: {quoted}"))

    assert key.words == "tool call id was\nwith a length of 9"


def test_words_behind_a_quoted_input_do_not_count() -> None:
    """A server may write the refused input into its message, as vLLM does."""
    words = "A conversation must alternate between user and assistant. 'input': 'the optional system message'"

    (key,) = keys_after(words, [user("t1§"), user("t2§")])

    assert key.words == "a conversation must alternate between user and assistant"


LIMITS = "Unsupported parameter: 'max_tokens'. Unsupported parameter: 'max_completion_tokens'."


@pytest.mark.parametrize(
    ("parameters", "features"),
    [
        ({"max_tokens": 9}, set()),
        ({"max_tokens": 9, "max_completion_tokens": 9}, set()),
        ({"max_tokens": 9, "seed": 7}, {"seed"}),
    ],
)
def test_limit_is_not_learned_where_both_of_its_names_are_refused(
    parameters: dict[str, Any], features: set[str]
) -> None:
    """One name alone is renamed to the other, which is refused too."""
    keys = keys_after(f"{LIMITS} {SEED}", ASK, parameters)

    assert {key.feature for key in keys} == features


def test_limit_is_not_learned_where_a_quotation_may_have_refused_its_other_name() -> None:
    """The repair after the refusal drops the limit then, and the repair in advance would rename it."""
    quoted = "Unknown parameter: 'max_completion_tokens'."
    words = f"Unsupported parameter: 'max_tokens'. {SEED} {quoted}"

    keys = keys_after(words, [user(f"t1§ {quoted}")], {"max_tokens": 9, "seed": 7})

    assert [key.feature for key in keys] == ["seed"]


NAMES = ["a1", "a2", "a3", "a4", "a5"]


@pytest.mark.parametrize(("count", "learned"), [(4, 4), (5, 0)])
def test_error_with_too_many_names_teaches_nothing(count: int, learned: int) -> None:
    """Providers rarely list more than four, and a made-up error may list any number."""
    names = NAMES[:count]
    keys = keys_after(
        f"Unrecognized request arguments supplied: {', '.join(names)}", ASK, dict.fromkeys(names, 1)
    )

    assert len(keys) == learned


def test_error_with_too_many_fields_teaches_nothing() -> None:
    """Each name is looked up in the whole history, so that the bound comes before the look-up."""
    words = [f"unknown field: parameter '{name}' is not a valid field" for name in ["index", *NAMES]]

    assert len(keys_after(" ".join(words[:4]), CALLED)) == 1
    assert keys_after(" ".join(words[:5]), CALLED) == ()


def test_error_with_too_many_faults_teaches_nothing() -> None:
    """The bound holds for all repairs of one refusal together."""
    faults = [case_named(name) for name in ("parameter-renamed", "alternation", "reasoning", "tail")]
    messages = [message for case in faults for message in case.messages]
    words = "\n".join([SEED, *(case.words for case in faults)])

    keys = keys_after(words, messages, {"seed": 7, "max_tokens": 9})

    assert len(keys_after(words, messages, {"max_tokens": 9})) == 4
    assert keys == ()


def test_two_rows_of_one_fault_have_one_name() -> None:
    """Both rows may change something: the second one after the first has made its fault visible."""
    error = refusal("Conversation roles must alternate user/assistant/user/assistant/...")
    plan = plan_of([system(), user("t1§"), *case_named("result_then_user").messages, user("t3§")])

    assert [key.fault for key in keys_of(plan, error)] == ["alternation"]


def test_same_fault_with_another_schema_has_another_name() -> None:
    words = case_named("schema-repeating").words
    keys = {
        keys_after(words, ASK, tools_of(object_of(**{name: {"type": ["string", "null"]}})))
        for name in ("a", "b")
    }

    assert len(keys) == 2


def test_profile_does_not_change_the_name() -> None:
    """The deployment stands beside the name, so that no profile is needed."""
    case = case_named("call_ids-mistral")
    other = replace(OPENAI, name="other", max_call_id_length=None)

    assert keys_of(plan_of(case.messages, {}, other), refusal(case.words)) == keys_of_case(case)
