"""Tests of repairs that are made before a request is sent."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.learned.repair_in_advance import make_withheld, repair_in_advance
from proxy.planning.plan import Plan
from proxy.state.repairs.repair_key import RepairKey
from sanitizers.profiles import OPENAI
from tests.proxy.planning.learned.teaching import (
    LEARNED_CASES,
    after_refusal,
    case_named,
    keys_after,
    keys_of,
    keys_of_case,
    learned,
    plan_of,
    plan_of_case,
    sent,
)
from tests.proxy.planning.repairs.asking import refusal
from tests.proxy.planning.repairs.cases import Case, answer_of, exchange, object_of, tools_of
from tests.support.builders import assistant, call, tool, user

ASK = [user("t1§")]
STRING = {"type": "string"}
NO_TEMPERATURE = "Unsupported parameter: 'temperature' is not supported with this model."
NO_SEED = "Unsupported parameter: 'seed' is not supported with this model."
TEMPERATURE = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", False)
SEED = RepairKey("parameter", "seed", "unsupported parameter: 'seed'", False)
BOTH = {"temperature": 0.2, "seed": 7}

every_learned_case = pytest.mark.parametrize("case", LEARNED_CASES, ids=lambda case: case.id)


@every_learned_case
def test_repair_in_advance_gives_the_request_that_follows_the_refusal(case: Case) -> None:
    """History, parameters, profile and changes are those of the repair after the refusal. Nothing is mutated."""
    fresh = plan_of_case(copy.deepcopy(case))
    before = copy.deepcopy((fresh.messages, fresh.parameters))

    repairs = learned(keys_of_case(case))
    planned = repair_in_advance(fresh, repairs)

    assert sent(planned) == sent(after_refusal(plan_of_case(case), refusal(case.words, **case.more)))
    assert (fresh.messages, fresh.parameters) == before
    assert planned.advance is not None
    assert (list(planned.advance.made), planned.advance.withheld) == (repairs, ())
    assert planned.advance.plain is fresh


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("alternation", "tail"),  # the second change has the index of the message in the refused request
        ("alternation-without-a-system-role", "tail"),
        (
            "result_then_user",
            "reasoning",
        ),  # the first repair inserts a model turn, which the second one mends
        ("parameter-value", "parameter-renamed"),
        ("call_ids-mistral", "text_beside_calls"),
    ],
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_repairs_are_made_together_as_after_one_refusal(first: str, second: str, is_reversed: bool) -> None:
    """Repairs that were learned in any order give the request that follows a refusal with all their faults."""
    one, other = case_named(first), case_named(second)
    error = refusal(f"{one.words}\n{other.words}", **one.more, **other.more)
    plan = plan_of([*one.messages, *other.messages], {**one.parameters, **other.parameters}, one.profile)
    keys = keys_of(plan, error)

    planned = repair_in_advance(plan, learned(reversed(keys) if is_reversed else keys))

    assert len(keys) == 2
    (*history, changes, _), (*refused, expected, _) = sent(planned), sent(after_refusal(plan, error))
    assert history == refused
    assert sorted(changes, key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("mode", ["observe", "off"])
@every_learned_case
def test_only_mode_repair_changes_a_request(case: Case, mode: str) -> None:
    plan = plan_of_case(case, mode)

    assert repair_in_advance(plan, learned(keys_of_case(case))) is plan


@every_learned_case
def test_request_that_needs_no_repair_stays_the_same_object(case: Case) -> None:
    """A request without the fault, and the repaired request itself, are left as they are."""
    repairs = learned(keys_of_case(case))
    repaired = repair_in_advance(plan_of_case(case), repairs)
    plans = [replace(repaired, later_changes=(), advance=None)]
    if case.id not in OF_EVERY_REQUEST:
        plans.append(plan_of(ASK, {"top_k": 3}, case.profile))
    for plan in plans:
        assert repair_in_advance(plan, repairs) is plan


OF_EVERY_REQUEST = ("no_chats",)
"""The faults that a deployment has with every request."""


LISTS = tools_of(object_of(a={"type": ["string", "null"]}))
DEEP = answer_of(object_of(a=object_of(b=object_of(c=object_of(d=STRING)))))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("parameter-unrecognized", {"temperature": 1, "reasoning": "low", "verbosity": "reasoning_effort"}),
        ("parameter-value", {"temperature": 0.3}),
        ("parameter-value", {"top_p": 0.2}),
        ("schema-repeating", tools_of(object_of(b={"type": ["string", "null"]}))),
        ("schema-repeating", {"tools": LISTS["tools"] * 2}),
        ("schema-repeating", answer_of(object_of(a={"type": ["string", "null"]}))),
        ("states", tools_of(object_of(a={"enum": ["x", "z"]}, b={"type": "integer", "minimum": 1}))),
        ("answer_schema-depth", answer_of(object_of(a=DEEP["response_format"]["json_schema"]["schema"]))),
        ("answer_schema-states", answer_of({"type": "array", "items": STRING, "maxItems": 10})),
        (
            "answer_schema-states",
            tools_of({"type": "array", "items": STRING, "maxItems": 9}),
        ),
    ],
)
def test_repair_concerns_no_other_parameter_value_or_schema(name: str, parameters: dict[str, Any]) -> None:
    """A request to the same model with another parameter, value or schema is left as it is."""
    case = case_named(name)
    plan = plan_of(case.messages, parameters, case.profile)

    assert repair_in_advance(plan, learned(keys_of_case(case))) is plan


def test_repair_of_a_trailing_model_turn_leaves_trailing_results_alone() -> None:
    """The provider gives one error for both, but accepts most results at the end."""
    keys = keys_of_case(case_named("tail-mixed"))
    plan = plan_of([user("t1§"), assistant("t2§")])

    assert repair_in_advance(plan, learned(keys)) is plan


def test_schema_is_simplified_no_further_than_its_own_fault_asks() -> None:
    """The refused depth of an answer's schema says nothing of the tools, whose schema has another fault."""
    tools = tools_of(object_of(a=object_of(b=object_of(c=object_of(d={"type": ["string", "null"]})))))
    lists = case_named("schema-repeating")
    of_tools = keys_after(lists.words, ASK, tools)
    of_answer = keys_of_case(case_named("answer_schema-depth"))
    plan = plan_of(ASK, {**tools, **case_named("answer_schema-depth").parameters})

    planned = repair_in_advance(plan, learned([*of_tools, *of_answer]))

    alone = after_refusal(plan_of(ASK, tools), refusal(lists.words))
    assert planned.parameters["tools"] == alone.parameters["tools"]
    assert planned.parameters["response_format"] != plan.parameters["response_format"]


@pytest.mark.parametrize(
    "key",
    [
        TEMPERATURE._replace(loosens=True),
        TEMPERATURE._replace(words="unsupported parameter: 'seed'"),
        TEMPERATURE._replace(words="temperature is refused"),
        TEMPERATURE._replace(words=TEMPERATURE.words + "\n" + SEED.words),
        TEMPERATURE._replace(fault="parameters"),
        RepairKey("alternation", "", "turns must alternate", False),
        RepairKey("alternation", "", "roles must alternate\nand something else", False),
        RepairKey("pairing", "", "number of function response parts", False),
        RepairKey("empty", "", "parts must not be empty", False),
    ],
)
def test_words_that_are_not_in_the_table_repair_nothing(key: RepairKey) -> None:
    """Another version of the proxy may have learned with other phrases, and rows that are never learned stay so."""
    plan = plan_of([user("t1§"), user(""), *exchange(), assistant("t2§"), user("t3§")], BOTH)

    assert repair_in_advance(plan, learned([key])) is plan


def made_and_withheld(plan: Plan) -> tuple[list[str], list[str]]:
    """Return the features of the repairs that were made, and of those that were withheld."""
    advance = plan.advance
    assert advance is not None
    return [one.key.feature for one in advance.made], [one.key.feature for one in advance.withheld]


def test_only_the_first_due_repair_is_withheld() -> None:
    """One request probes one repair. A due repair that the request does not need is no probe."""
    other = RepairKey("alternation", "", "roles must alternate", False)
    repairs = learned([other, TEMPERATURE, SEED], other, TEMPERATURE, SEED)
    planned = repair_in_advance(plan_of(ASK, BOTH), repairs)

    assert made_and_withheld(planned) == (["seed"], ["temperature"])
    assert planned.parameters == {"temperature": 0.2}


LAST_USER = RepairKey("alternation", "", "multiturn requests ends with a user role", False)
SETTINGS = RepairKey("tool_settings", "", "'tool_choice' is only allowed when 'tools' are specified", False)
CHOICE = RepairKey("parameter", "tool_choice", "unsupported parameter: 'tool_choice'", False)
UNKNOWN_ID = RepairKey("call_ids", "", 'unknown name "id"\nfunction_call', False)
ID_OF_NINE = RepairKey("call_ids", "", "tool call id was\nwith a length of 9", False)
INDEX = RepairKey("call_field", "index", "unknown field: parameter 'index' is not a valid field", False)
CACHED = INDEX._replace(feature="cache_control", words=INDEX.words.replace("index", "cache_control"))
NO_IDS = replace(OPENAI, call_ids=False)


@pytest.mark.parametrize(
    ("keys", "plan", "made"),
    [
        (
            [LAST_USER, LAST_USER._replace(fault="tail", feature="user")],
            plan_of([user("t1§"), user("t2§")]),
            [LAST_USER],
        ),
        ([UNKNOWN_ID, ID_OF_NINE], plan_of([user("t1§"), *exchange("c1")], {}, NO_IDS), [ID_OF_NINE]),
        (
            [CACHED, INDEX],
            plan_of([user("t1§"), assistant(None, [call("c1", index=0)]), tool("c1")]),
            [INDEX],
        ),
        ([CHOICE, SEED, SETTINGS], plan_of(ASK, {"tool_choice": "auto", "seed": 7}), [SETTINGS, SEED]),
    ],
)
def test_only_repairs_that_took_part_are_reported(
    keys: list[RepairKey], plan: Plan, made: list[RepairKey]
) -> None:
    """An answer to the request tells something about these repairs alone."""
    planned = repair_in_advance(plan, learned(keys))

    assert planned.advance is not None
    assert [repair.key for repair in planned.advance.made] == made


def test_probe_without_another_repair_sends_the_request_as_it_is() -> None:
    plan = plan_of(ASK, {"temperature": 0.2})
    planned = repair_in_advance(plan, learned([TEMPERATURE], TEMPERATURE))

    assert made_and_withheld(planned) == ([], ["temperature"])
    assert sent(planned) == sent(plan)
    assert not planned.is_repaired_in_advance


def test_observing_withholds_every_repair_that_the_request_needs() -> None:
    plan = plan_of(ASK, {"temperature": 0.2, "top_p": 1})
    planned = repair_in_advance(plan, learned([TEMPERATURE, SEED], TEMPERATURE), only_observe=True)

    assert made_and_withheld(planned) == ([], ["temperature"])
    assert sent(planned) == sent(plan)


def test_withheld_repair_is_made_after_the_probe() -> None:
    """The plan is then that of a request without a probe, and nothing is withheld any more."""
    plan = plan_of(ASK, BOTH)
    probe = repair_in_advance(plan, learned([TEMPERATURE, SEED], TEMPERATURE))

    after = make_withheld(probe)

    assert made_and_withheld(after) == (["seed", "temperature"], [])
    assert (after.parameters, after.advance and after.advance.plain) == ({}, plan)


def test_withheld_repair_that_the_refusal_has_led_to_is_not_made_again() -> None:
    """It is then a repair after a refusal, and none in advance."""
    probe = repair_in_advance(plan_of(ASK, BOTH), learned([TEMPERATURE, SEED], TEMPERATURE))
    refused = after_refusal(probe, refusal(NO_TEMPERATURE))

    after = make_withheld(refused)

    assert made_and_withheld(after) == (["seed"], [])
    assert sent(after) == sent(refused)


@pytest.mark.parametrize("repairs", [[], learned([SEED])])
def test_plan_without_a_withheld_repair_stays_the_same_object(repairs: list[Any]) -> None:
    plan = repair_in_advance(plan_of(ASK, BOTH), repairs)

    assert make_withheld(plan) is plan
