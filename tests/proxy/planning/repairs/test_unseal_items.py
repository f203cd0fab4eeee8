"""Tests of encrypted contents that a provider cannot read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import ResponsesRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.plan import Plan, plan_request
from proxy.planning.plan_target import plan_target
from proxy.planning.repairs.unseal_items import without_sealed_items
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from sanitizers.native.responses.changed_items import without_id
from tests.proxy.upstream.deployments import deployment_of
from tests.support.native_responses import CALL, MESSAGE, SEARCH, THOUGHT
from tests.support.proxied import settings_of

USER = {"role": "user", "content": "Hi."}
OUTPUT = {"type": "function_call_output", "call_id": "call_abc", "output": "1", "id": "fco_1"}
ITEMS = [USER, THOUGHT, MESSAGE, CALL, OUTPUT, {**THOUGHT, "id": "rs_2"}, {**MESSAGE, "id": "msg_2"}, USER]


def plan_of(items: list[Any]) -> Plan:
    """Return the plan of a request with *items*."""
    fields = read_fields(write_json({"model": "m", "input": items}), max_nesting=50)
    target = plan_target(
        deployment_of("openai/gpt-5"), settings_of({"m": "openai/gpt-5"}).sanitize, lambda *_: frozenset()
    )
    return plan_request(to_chat(fields, fields.items).chat, target)


def refusal(words: str, *codes: str) -> ProviderError:
    """Return a provider's error with *words* and *codes*."""
    return replace(NO_ERROR_FACTS, words=words, codes=frozenset(codes))


SEALED = refusal("the encrypted content gaaa could not be verified.")


@pytest.mark.parametrize(
    ("said", "is_for_it"),
    [
        (SEALED, True),
        (refusal("", "invalid_encrypted_content"), True),
        (refusal("the encrypted content for item cmp_1 could not be decrypted or parsed."), True),
        (refusal("your organization could not be verified."), False),
        (refusal("encrypted content is not supported with this model."), False),
    ],
)
def test_words_and_codes_ask_for_it(said: ProviderError, is_for_it: bool) -> None:
    assert (without_sealed_items(plan_of(ITEMS), said) is not None) is is_for_it


def test_thoughts_go_and_what_follows_them_loses_its_id() -> None:
    """The history stays the same object, so that the request stays in its own format."""
    plan = plan_of(ITEMS)
    unsealed = without_sealed_items(plan, SEALED)

    assert unsealed is not None
    assert unsealed.messages is plan.messages
    source = unsealed.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    assert source.messages is plan.messages
    message, call = ({k: v for k, v in item.items() if k != "id"} for item in (MESSAGE, CALL))
    assert source.native.items == [USER, message, call, OUTPUT, message, USER]
    assert {change.step for change in unsealed.later_changes} == {"repair"}
    assert [(change.index, change.reason) for change in unsealed.later_changes] == [
        (1, "encrypted_content"),
        (3, "encrypted_content"),
        (1, "item_of_reasoning"),
        (1, "item_of_reasoning"),
        (3, "item_of_reasoning"),
    ]


def test_items_without_a_thought_lose_their_ids_too() -> None:
    """A request is repaired once. The thought of such an item may have been lost before."""
    asking = {"type": "message", **USER, "id": "msg_0"}
    searched = {**SEARCH, "id": "ws_0"}
    unsealed = without_sealed_items(plan_of([asking, searched, MESSAGE, USER, THOUGHT, CALL, OUTPUT]), SEALED)

    assert unsealed is not None
    source = unsealed.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    message, call = without_id(MESSAGE), without_id(CALL)
    assert source.native.items == [asking, searched, message, USER, call, OUTPUT]
    assert [(change.index, change.reason) for change in unsealed.later_changes] == [
        (3, "encrypted_content"),
        (3, "item_of_reasoning"),
        (1, "item_of_reasoning"),
    ]


def test_nothing_is_repaired_twice() -> None:
    unsealed = without_sealed_items(plan_of(ITEMS), SEALED)

    assert unsealed is not None
    assert without_sealed_items(unsealed, SEALED) is None
    assert without_sealed_items(plan_of([USER]), SEALED) is None
    assert (
        without_sealed_items(
            replace(plan_of(ITEMS), request=replace(plan_of(ITEMS).request, source=None)), SEALED
        )
        is None
    )
