"""The proxy's names in a provider's own response object."""

from __future__ import annotations

import json

from proxy.ingress.openai_responses.answer import ResponsesAnswers
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from proxy.ingress.openai_responses.native_response import own_answer, own_item, own_response
from sanitizers.native.responses.tools import read_tools
from tests.proxy.ingress.openai_responses.responding import RESPONSE_ID, call, whole
from tests.support.native_responses import CALL, CUSTOM, ITEMS, response
from tests.support.responses_grammar import find_response_faults


def context(**fields: object) -> AnswerContext:
    """Return the facts of a request with *fields*."""
    return AnswerContext(
        ResponseHead(RESPONSE_ID, 1_760_000_000, make_echo({"model": "m", **fields})), read_tools(None, ())
    )


def test_names_are_those_of_the_request() -> None:
    native = response(ITEMS)
    own = own_response(context(previous_response_id="resp_0"), native, "m")

    changed = {"id": RESPONSE_ID, "model": "m", "store": True, "previous_response_id": "resp_0"}
    assert own == {**native, **changed}
    assert list(own) == list(native)
    assert own_response(context(conversation="conv_1"), native, "m")["conversation"] == {"id": "conv_1"}


def test_instructions_are_those_of_the_request() -> None:
    """A plan may have sent them as an item, behind the operator's."""
    native = {**response(ITEMS), "instructions": None}

    assert own_response(context(instructions="Be brief."), native, "m")["instructions"] == "Be brief."
    assert own_response(context(), {**native, "instructions": "Theirs."}, "m")["instructions"] == "Theirs."


def test_missing_keys_are_added() -> None:
    """Typed clients fail without any of the 32 keys (litellm#28899)."""
    native = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "x",
        "output": ITEMS,
    }
    own = own_response(context(), {**native, "completed_at": 2}, "")

    assert own["model"] == "x"
    assert find_response_faults(json.loads(json.dumps(own))) == []


def test_calls_have_the_ids_of_the_canonical_answer() -> None:
    """The calls are in the same order. Items that are no call stay the same objects."""
    answer = whole({"tool_calls": [call(0, "f", "{}"), call(1, "ex", "{}")]})
    own = own_answer(context(), response([*ITEMS, CUSTOM]), answer)

    assert [item["call_id"] for item in own["output"] if "call_id" in item] == ["call_0", "call_1"]
    assert own["output"][0] is ITEMS[0]


def test_item_with_the_right_id_stays() -> None:
    assert own_item(CALL, CALL["call_id"]) is CALL
    assert own_item(CALL, None) is CALL


def test_names_of_a_provider_that_stores_responses_stay() -> None:
    """Later events have the same names. A failed attempt leaves no names behind."""
    given = ResponsesAnswers(
        ResponseHead(RESPONSE_ID, 7, make_echo({"model": "m"})), read_tools(None, ()), relays_ids=True
    )
    native = response(ITEMS, store=True, previous_response_id="resp_0", conversation={"id": "conv_1"})
    own = own_response(given, native, "m")

    assert own == {**native, "model": "m"}
    assert (given.head.id, given.head.created_at) == ("resp_theirs", 7)
    assert given.head.echo["previous_response_id"] == "resp_0"
    given.write_stream()
    assert given.head.id == RESPONSE_ID
    assert own_response(given, {**native, "id": None}, "m")["id"] == RESPONSE_ID
