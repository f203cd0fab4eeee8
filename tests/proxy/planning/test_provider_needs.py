"""Tests of the deployments that may serve what a request needs of its provider."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest, ProviderNeed
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, NotFound
from proxy.core.source import ResponsesRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.native_formats import speaks_a_format
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.planning.provider_needs import (
    able_to_serve,
    find_lost,
    find_refusal,
    find_unable,
    sends_partial_history,
)
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.config.samples import settings_of
from tests.proxy.upstream.deployments import deployment_of

OBJECT = ProviderNeed("'x' is there.", "x", names_object=True)
TOOL = ProviderNeed("'t' is there.", "t", can_be_left_out=True)
STORE = replace(OBJECT, param="s", can_be_left_out=True)
SEALED = ProviderNeed("'c' is sealed.", "c")
SEARCH = ProviderNeed("'s' is run there.", "s", served_elsewhere="web_search")
HISTORY = ProviderNeed("'h' not found.", "h", NotFound, names_object=True, holds_history=True)
STATE = replace(HISTORY, wants_state=True)

SPEAKS = deployment_of("openai/gpt-4.1", api_key="k")
CHATS = deployment_of("mistral/mistral-large-latest", api_key="k")


def allowing(deployment: Deployment = SPEAKS, *, objects: bool = True, state: bool = False) -> Deployment:
    """Return *deployment* with these rights."""
    return replace(deployment, serves_objects=objects, provider_state=state)


def request_of(*needs: ProviderNeed, **fields: Any) -> ChatRequest:
    """Return a request of the Responses API with *needs* beside those of *fields*."""
    read = read_fields(json.dumps({"model": "m", "input": "Hi.", **fields}).encode(), max_nesting=50)
    chat = to_chat(read, read.items).chat
    return replace(chat, needs=(*needs, *chat.needs))


@pytest.mark.parametrize(
    ("need", "objects", "state", "served"),
    [
        (OBJECT, True, False, True),
        (OBJECT, False, False, False),
        (OBJECT, False, True, False),
        (SEALED, False, False, True),
        (STORE, False, False, False),
        (STORE, True, False, True),
        (HISTORY, True, False, True),
        (HISTORY, False, False, False),
        (STATE, True, False, False),
        (STATE, True, True, True),
        (STATE, False, True, False),
    ],
)
def test_provider_of_the_format_serves_what_it_may(
    need: ProviderNeed, objects: bool, state: bool, served: bool
) -> None:
    """An object is served where one client alone uses the account. Only stored state has a state's history."""
    deployment = allowing(objects=objects, state=state)
    refusal = find_refusal([need], deployment, speaks_format=True, is_native=True)

    assert (refusal is None) is served
    assert (find_unable(request_of(need), deployment) is None) is served
    if refusal is not None:
        assert (refusal.param, refusal.of_deployment) == (need.param, True)


@pytest.mark.parametrize(
    ("need", "speaks", "refused"),
    [
        (OBJECT, False, True),
        (SEALED, False, True),
        (HISTORY, False, True),
        (TOOL, False, False),
        (STORE, False, False),
        (TOOL, True, True),
        (STORE, True, True),
        (SEALED, True, True),
    ],
)
def test_chat_goes_without_a_tool_only_where_the_provider_lacks_it(
    need: ProviderNeed, speaks: bool, refused: bool
) -> None:
    """A tool that comes and goes with the plan would be lost in silence."""
    refusal = find_refusal([need], allowing(), speaks_format=speaks, is_native=False)

    assert (refusal is not None) is refused
    if refusal is not None:
        assert (refusal.message, refusal.param, type(refusal)) == (need.message, need.param, need.error)


@pytest.mark.parametrize(
    ("need", "error", "words"),
    [(OBJECT, InvalidRequest, "provider_objects"), (HISTORY, NotFound, "not found")],
)
def test_refusal_for_several_clients_says_no_more_than_it_must(
    need: ProviderNeed, error: type[InvalidRequest], words: str
) -> None:
    """Another client's conversation is as unknown as one that never was."""
    refusal = find_refusal([need], allowing(objects=False), speaks_format=True, is_native=True)

    assert type(refusal) is error
    assert words in str(refusal)


@pytest.mark.parametrize("transport", ["direct", "litellm"])
def test_format_is_spoken_by_the_direct_transport_alone(transport: Any) -> None:
    assert speaks_a_format(replace(SPEAKS, transport=transport)) is (transport == "direct")
    assert not speaks_a_format(deployment_of("mistral/m", api_key="k"))


def test_request_without_a_source_needs_a_chat() -> None:
    """A request for a summary has none."""
    request = replace(request_of(SEALED), source=None)

    assert find_unable(request, allowing()) is not None
    assert find_unable(replace(request, needs=(STORE,)), allowing()) is None


def test_pool_is_that_of_the_able_deployments() -> None:
    """A pool without an able deployment stays whole, so that one of them refuses the request."""
    barred = allowing(objects=False)
    pool = (CHATS, barred, allowing())

    assert able_to_serve(pool, request_of(OBJECT)) == pool[2:]
    assert able_to_serve(pool[:2], request_of(OBJECT)) == pool[:2]
    assert able_to_serve(pool, request_of()) == pool
    assert able_to_serve(pool, request_of(STORE)) == (CHATS, pool[2])


def test_history_is_partial_where_the_provider_holds_a_part() -> None:
    assert sends_partial_history(request_of(OBJECT, HISTORY))
    assert not sends_partial_history(request_of(OBJECT, SEALED))


@pytest.mark.parametrize("fields", [{}, {"prompt": {"id": "p"}}])
def test_plan_that_sends_the_items_loses_nothing(fields: dict[str, Any]) -> None:
    sanitize = settings_of().sanitize
    target = plan_target(allowing(), sanitize, SelectingUpstream.for_settings(settings_of()).unsupported)
    plan = plan_request(request_of(SEALED, **fields), target)

    assert find_lost(plan) is None
    lost = find_lost(replace(plan, messages=[*plan.messages]))
    assert lost is not None
    assert lost.param == "c"


def test_item_with_a_placeholder_is_lost() -> None:
    """An item that is written from its message would have the placeholder in the place of the file."""
    given = [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]
    request = request_of(input=given)
    source = request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    written = [{"role": "user", "content": request.messages[0]["content"]}]
    native = replace(source.native, items=written, read_from=source.native.items, are_own=False)
    target = plan_target(
        allowing(), settings_of().sanitize, SelectingUpstream.for_settings(settings_of()).unsupported
    )
    plan = plan_request(request, target)

    assert find_lost(plan) is None
    assert (
        find_lost(replace(plan, request=replace(request, source=replace(source, native=native)))) is not None
    )


@pytest.mark.parametrize("mode", ["repair", "strict", "observe", "off"])
def test_plan_for_a_deployment_that_cannot_serve_a_need_is_refused_for_it(mode: str) -> None:
    """The history's own faults count for nothing where the request cannot be served at all."""
    lone = {"type": "function_call_output", "call_id": "call_1", "output": "a"}
    sanitize = settings_of(sanitize={"mode": mode}).sanitize
    target = plan_target(CHATS, sanitize, SelectingUpstream.for_settings(settings_of()).unsupported)
    with pytest.raises(InvalidRequest) as refused:
        plan_request(request_of(SEALED, input=[lone]), target)

    assert (refused.value.param, refused.value.of_deployment) == ("c", True)


def test_plan_that_would_lose_a_need_is_refused() -> None:
    """Nothing is mended in mode ``off``, so that a thought for another provider makes the request a chat."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    given = [{"role": "user", "content": "Hi."}, thought]
    sanitize = settings_of(sanitize={"mode": "off"}).sanitize
    target = plan_target(allowing(), sanitize, SelectingUpstream.for_settings(settings_of()).unsupported)

    plan_request(request_of(SEALED, input=given[:1]), target)
    with pytest.raises(InvalidRequest) as refused:
        plan_request(request_of(SEALED, input=given), target)
    assert refused.value.param == "c"


@pytest.mark.parametrize(
    ("model", "transport", "is_served"),
    [
        ("anthropic/claude-sonnet-4-5", "auto", True),
        ("anthropic/claude-sonnet-4-5", "litellm", False),
        ("anthropic/kimi-k2", "auto", False),
        ("openai/gpt-4.1", "auto", False),
    ],
)
def test_tool_that_claude_has_too_is_served_by_claude(model: str, transport: Any, is_served: bool) -> None:
    """Only the direct transport writes the tool, and a need without such a tool is refused there."""
    deployment = replace(deployment_of(model, api_key="k"), transport=transport)

    refusal = find_refusal([SEARCH], deployment, speaks_format=False, is_native=False)

    assert (refusal is None) is is_served
    assert find_refusal([SEALED], deployment, speaks_format=False, is_native=False) is not None
