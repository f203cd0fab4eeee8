"""Ids are short, legal, prefixed, and follow from the response and the place."""

from __future__ import annotations

import re

import pytest

from proxy.ingress.openai_responses.ids import (
    ITEM_PREFIXES,
    ItemIds,
    is_own_id,
    make_conversation_id,
    make_response_id,
)
from proxy.state.sessions.item_lists import with_ids

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


@pytest.mark.parametrize("item_type", ITEM_PREFIXES)
def test_item_ids_are_legal_and_have_their_prefix(item_type: str) -> None:
    """OpenAI takes 64 characters, and refuses another prefix than the type's."""
    for index in (0, 15, 16, 255, 100_000):
        found = ItemIds("resp_1").item_id(item_type, index)

        assert LEGAL.fullmatch(found)
        assert found.startswith(ITEM_PREFIXES[item_type])


def test_item_ids_differ_by_place_and_response_and_are_the_same_again() -> None:
    """The id of a place is the same in each event, and no other item has it."""
    found = [
        ItemIds(response).item_id("message", at) for response in ("resp_1", "resp_2") for at in range(300)
    ]

    assert len(set(found)) == 600
    assert found[0] == ItemIds("resp_1").item_id("message", 0)


def test_response_ids_follow_from_the_seed() -> None:
    """A response id is legal, whatever its seed holds."""
    found = {make_response_id(seed) for seed in ("", "a", "日本 ")}

    assert len(found) == 3
    assert all(LEGAL.fullmatch(one) and one.startswith("resp_") for one in found)


def test_the_call_in_the_older_form_has_a_legal_id() -> None:
    """Ids of calls have 40 characters at most."""
    assert re.fullmatch(r"call_[a-z0-9]{1,35}", ItemIds("resp_1").legacy_call_id())


def test_own_ids_are_told_from_those_of_openai() -> None:
    """OpenAI's ids of responses and conversations have as many hexadecimal digits, or two more."""
    own = make_response_id("a")
    conversation = make_conversation_id("a")
    items = [ItemIds(own).item_id(kind, 3) for kind in ITEM_PREFIXES]

    added = [item["id"] for item in with_ids([{"role": "user"}, {"type": "function_call_output"}], own)]

    assert all(map(is_own_id, (own, conversation, *items, *added)))
    assert conversation.startswith("conv_")


@pytest.mark.parametrize(
    "id_",
    [
        "",
        "resp_",
        "resp_x",
        "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
        "conv_689667905b048191b4740501625afd940c7533ace33a2dab",
        "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
        "rs_0ab93d8a12f1a04e0068f2a1b2c3d4819aa1b2c3d4e5f60718",
        make_response_id("a") + "0",
        make_response_id("a").replace("resp", "msg"),
        make_response_id("a")[:-1] + "x",
        "resp_" + "0" * 48,
    ],
)
def test_foreign_ids_are_not_own(id_: str) -> None:
    assert not is_own_id(id_)
