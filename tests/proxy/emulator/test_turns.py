"""Tests of the order of turns, and of the pairing of calls and responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from proxy.emulator.errors import INVALID_ARGUMENT
from proxy.emulator.turns import (
    ALTERNATION,
    CALL_ORDER,
    ID_MISMATCH,
    MODEL_ENDING,
    RESPONSE_COUNT,
    RESPONSE_ORDER,
    SINGLE_MODEL,
    USER_ENDING,
    VALID_ROLES,
)
from tests.proxy.emulator.wire import (
    GENERATIONS,
    LENIENT,
    STRICT,
    V1_0,
    V1_5,
    V2_0,
    V2_5,
    V3,
    V3_5,
    body,
    fc,
    fr,
    image,
    model,
    refusal_texts,
    text,
    user,
)

OLD_AND_NEW = (V2_0, V2_5, V3, V3_5)


@dataclass(frozen=True)
class Case:
    """Contents of a request, and the text with which each of *models* refuses the contents, or None."""

    id: str
    contents: tuple[dict[str, Any], ...]
    models: tuple[str, ...]
    refusal: str | None


ROUND = (user(), model(fc()), user(fr()))
TOOL_ROLE = (user(), model(fc()), {"role": "tool", "parts": [fr()]})
FUNCTION_ROLE = (user(), model(fc()), {"role": "function", "parts": [fr()]})
IDS = (user(), model(fc("f", call_id="a"), fc("g", call_id="b")))

CASES = [
    Case("one_user_content", (user(),), GENERATIONS, None),
    Case("single_content_without_role", ({"parts": [text()]},), GENERATIONS, None),
    Case("several_contents_without_role", ({"parts": [text()]}, user()), GENERATIONS, VALID_ROLES),
    Case(
        "role_assistant", (user(), {"role": "assistant", "parts": [text()]}, user()), GENERATIONS, VALID_ROLES
    ),
    Case("role_system", ({"role": "system", "parts": [text()]}, user()), GENERATIONS, VALID_ROLES),
    Case(
        "role_tool_with_text",
        (user(), model(), {"role": "tool", "parts": [text()]}),
        GENERATIONS,
        VALID_ROLES,
    ),
    Case("role_tool_for_responses", TOOL_ROLE, LENIENT, None),
    Case("role_tool_for_responses", TOOL_ROLE, STRICT, "Role 'tool' is not supported"),
    Case("role_function_for_responses", FUNCTION_ROLE, LENIENT, None),
    Case("role_function_for_responses", FUNCTION_ROLE, STRICT, "Role 'function' is not supported"),
    Case("call_in_user_content", (user(fc()), user(fr())), GENERATIONS, INVALID_ARGUMENT),
    Case(
        "response_in_model_content", (user(), model(fc()), model(fr()), user()), GENERATIONS, INVALID_ARGUMENT
    ),
    Case("two_user_contents", (user(), user()), (V1_0, V1_5), ALTERNATION),
    Case("two_user_contents", (user(), user()), (*OLD_AND_NEW, *STRICT), None),
    Case("two_model_contents", (user(), model(), model(), user()), (V1_5,), ALTERNATION),
    Case("two_model_contents", (user(), model(), model(), user()), (*OLD_AND_NEW, *STRICT), None),
    Case("leading_model_text", (model(), user()), GENERATIONS, None),
    Case("single_model_content", (model(),), GENERATIONS, SINGLE_MODEL),
    Case("trailing_model_text", (user(), model()), (V1_0,), USER_ENDING),
    Case("trailing_model_text", (user(), model()), (V1_5, *OLD_AND_NEW), None),
    Case("trailing_model_text", (user(), model()), STRICT, MODEL_ENDING),
    Case("trailing_call", (user(), model(fc())), (V1_5, *OLD_AND_NEW), RESPONSE_COUNT),
    Case("trailing_call", (user(), model(fc())), STRICT, MODEL_ENDING),
    Case("one_round", ROUND, GENERATIONS, None),
    Case("round_then_user", (*ROUND, user()), GENERATIONS, None),
    Case("call_after_responses", (*ROUND, model(fc()), user(fr())), GENERATIONS, None),
    Case("text_beside_call", (user(), model(text(), fc()), user(fr())), GENERATIONS, None),
    Case("starts_with_call", (model(fc()), user(fr())), GENERATIONS, CALL_ORDER),
    Case(
        "call_after_model_text",
        (user(), model(), model(fc()), user(fr())),
        (*OLD_AND_NEW, *STRICT),
        CALL_ORDER,
    ),
    Case("call_after_call", (user(), model(fc()), model(fc()), user(fr(), fr())), GENERATIONS, CALL_ORDER),
    Case("call_after_stray_response", (*ROUND, user(fr()), model(fc()), user(fr())), GENERATIONS, CALL_ORDER),
    Case("starts_with_response_then_call", (user(fr()), model(fc()), user(fr())), GENERATIONS, CALL_ORDER),
    Case("starts_with_response", (user(fr()), model(), user()), GENERATIONS, RESPONSE_ORDER),
    Case("response_after_user", (user(), user(fr())), GENERATIONS, RESPONSE_ORDER),
    Case("response_after_model_text", (user(), model(), user(fr())), GENERATIONS, RESPONSE_ORDER),
    Case("two_response_contents", (*ROUND, user(fr())), GENERATIONS, RESPONSE_ORDER),
    Case("call_then_user_text", (user(), model(fc()), user()), GENERATIONS, RESPONSE_COUNT),
    Case("call_then_model_text", (user(), model(fc()), model(), user()), GENERATIONS, RESPONSE_COUNT),
    Case("too_few_responses", (user(), model(fc(), fc()), user(fr())), GENERATIONS, RESPONSE_COUNT),
    Case("too_many_responses", (user(), model(fc()), user(fr(), fr())), GENERATIONS, RESPONSE_COUNT),
    Case("split_responses", (user(), model(fc(), fc()), user(fr()), user(fr())), GENERATIONS, RESPONSE_COUNT),
    Case("parallel_responses", (user(), model(fc(), fc()), user(fr(), fr())), GENERATIONS, None),
    Case("wrong_name", (user(), model(fc("f")), user(fr("g"))), GENERATIONS, INVALID_ARGUMENT),
    Case(
        "names_in_the_wrong_order",
        (user(), model(fc("f"), fc("g")), user(fr("g"), fr("f"))),
        GENERATIONS,
        INVALID_ARGUMENT,
    ),
    Case("ids_in_any_order", (*IDS, user(fr("g", call_id="b"), fr("f", call_id="a"))), GENERATIONS, None),
    Case(
        "ids_with_wrong_names",
        (*IDS, user(fr("g", call_id="a"), fr("f", call_id="b"))),
        GENERATIONS,
        INVALID_ARGUMENT,
    ),
    Case("id_differs", (*IDS, user(fr("f", call_id="a"), fr("g", call_id="x"))), GENERATIONS, ID_MISMATCH),
    Case("id_only_on_the_calls", (*IDS, user(fr("f"), fr("g"))), GENERATIONS, ID_MISMATCH),
    Case("id_only_on_the_response", (user(), model(fc()), user(fr(call_id="a"))), GENERATIONS, ID_MISMATCH),
    Case(
        "two_calls_with_one_id",
        (
            user(),
            model(fc("f", call_id="a"), fc("g", call_id="a")),
            user(fr("f", call_id="a"), fr("g", call_id="a")),
        ),
        GENERATIONS,
        INVALID_ARGUMENT,
    ),
    Case("text_after_response", (user(), model(fc()), user(fr(), text())), LENIENT, None),
    Case("text_after_response", (user(), model(fc()), user(fr(), text())), STRICT, MODEL_ENDING),
    Case("text_before_response", (user(), model(fc()), user(text(), fr())), GENERATIONS, None),
    Case("media_after_response", (user(), model(fc()), user(fr(), image())), LENIENT, None),
    Case("media_after_response", (user(), model(fc()), user(fr(), image())), STRICT, MODEL_ENDING),
    Case("mixed_earlier_content", (*ROUND[:2], user(fr(), text()), model(), user()), STRICT, MODEL_ENDING),
    Case(
        "media_beside_parallel_responses",
        (user(), model(fc(), fc()), user(fr(), image(), fr(), image())),
        (V1_5, V2_0, V2_5),
        RESPONSE_COUNT,
    ),
    Case(
        "media_beside_parallel_responses",
        (user(), model(fc(), fc()), user(fr(), image(), fr())),
        (V3, V3_5),
        None,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.id}-{case.models[0]}")
def test_contents_are_accepted_or_refused_with_the_exact_text(case: Case) -> None:
    """Each of the models refuses the contents with the same text, or accepts them."""
    assert refusal_texts(case.models, body(*case.contents)) == dict.fromkeys(case.models, case.refusal)


def test_canonical_shape_is_accepted_by_every_generation() -> None:
    """Every generation accepts contents in which function responses and the user's text are separate."""
    contents = (
        user(text("go")),
        model(text("first"), fc("f"), fc("g", sign=False)),
        user(fr("f"), fr("g")),
        model(fc("h")),
        user(fr("h")),
        user(text("and now?"), image()),
    )

    assert refusal_texts(GENERATIONS, body(*contents)) == dict.fromkeys(GENERATIONS)
