"""Tests of a history as Gemini's contents, with one case for each rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.wires.gemini import build_request
from sanitizers import Profile
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from tests.support.builders import (
    assistant,
    call,
    developer,
    image,
    legacy_call,
    legacy_result,
    system,
    text,
    tool,
    user,
)

PIXEL = image()["image_url"]["url"].partition(",")[2]
INLINE = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}


def said(*texts: str, role: str = "user") -> dict[str, Any]:
    """Return one of Gemini's contents, with a part for each of *texts*."""
    return {"role": role, "parts": [{"text": one} for one in texts]}


def called(name: str, args: dict[str, Any], wire_id: str) -> dict[str, Any]:
    """Return a part with a function call and the call's id."""
    return {"functionCall": {"id": wire_id, "name": name, "args": args}}


def answered(name: str, response: dict[str, Any], wire_id: str) -> dict[str, Any]:
    """Return a part with a function response and the call's id."""
    return {"functionResponse": {"id": wire_id, "name": name, "response": response}}


@dataclass(frozen=True)
class Case:
    """A history, and the contents and system texts that the wire must write for the history."""

    id: str
    given: list[dict[str, Any]]
    contents: list[dict[str, Any]]
    system: tuple[str, ...] = ()
    profile: Profile = GEMINI_3


CASES = [
    Case("plain", [user("a"), assistant("b"), user("c")], [said("a"), said("b", role="model"), said("c")]),
    Case(
        "system_parts",
        [system("a"), developer([text("b"), text("c")]), user("d")],
        [said("d")],
        ("a", "b", "c"),
    ),
    Case("user_neighbours_are_one_content", [user("a"), user([text("b"), text("c")])], [said("a", "b", "c")]),
    Case(
        "text_and_media", [user([text("a"), image()])], [{"role": "user", "parts": [{"text": "a"}, INLINE]}]
    ),
    Case("media_alone_needs_no_filler", [user([image()])], [{"role": "user", "parts": [INLINE]}]),
    Case(
        "text_before_calls",
        [user("a"), assistant([text("b"), text("c")], [call("c1", "f", '{"x": 1}')]), tool("c1", "r")],
        [
            said("a"),
            {"role": "model", "parts": [{"text": "b"}, {"text": "c"}, called("f", {"x": 1}, "c1")]},
            {"role": "user", "parts": [answered("f", {"content": "r"}, "c1")]},
        ],
    ),
    Case(
        "parallel_results_alone_in_one_content",
        [
            user("a"),
            assistant(None, [call("c1", "f"), call("c2", "g")]),
            tool("c1", "1"),
            tool("c2", "2"),
            user("b"),
            user("c"),
        ],
        [
            said("a"),
            {"role": "model", "parts": [called("f", {}, "c1"), called("g", {}, "c2")]},
            {
                "role": "user",
                "parts": [answered("f", {"content": "1"}, "c1"), answered("g", {"content": "2"}, "c2")],
            },
            said("b", "c"),
        ],
    ),
    Case(
        "results_in_call_order",
        [user("a"), assistant(None, [call("c1", "f"), call("c2", "g")]), tool("c2", "2"), tool("c1", "1")],
        [
            said("a"),
            {"role": "model", "parts": [called("f", {}, "c1"), called("g", {}, "c2")]},
            {
                "role": "user",
                "parts": [answered("f", {"content": "1"}, "c1"), answered("g", {"content": "2"}, "c2")],
            },
        ],
    ),
    Case(
        "each_exchange_is_two_contents",
        [user("a"), assistant(None, [call("c1")]), tool("c1"), assistant(None, [call("c2")]), tool("c2")],
        [
            said("a"),
            {"role": "model", "parts": [called("f", {}, "c1")]},
            {"role": "user", "parts": [answered("f", {"content": "ok"}, "c1")]},
            {"role": "model", "parts": [called("f", {}, "c2")]},
            {"role": "user", "parts": [answered("f", {"content": "ok"}, "c2")]},
        ],
    ),
    Case(
        "no_ids_before_gemini_3",
        [user("a"), assistant(None, [call("c1", "f")]), tool("c1", "r")],
        [
            said("a"),
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"content": "r"}}}]},
        ],
        profile=GEMINI_2,
    ),
    Case(
        "an_id_used_again_means_the_call_before",
        [
            user("a"),
            assistant(None, [call("c1", "f")]),
            tool("c1", "1"),
            assistant(None, [call("c1", "g")]),
            tool("c1", "2"),
        ],
        [
            said("a"),
            {"role": "model", "parts": [called("f", {}, "c1")]},
            {"role": "user", "parts": [answered("f", {"content": "1"}, "c1")]},
            {"role": "model", "parts": [called("g", {}, "c1")]},
            {"role": "user", "parts": [answered("g", {"content": "2"}, "c1")]},
        ],
    ),
    Case(
        "a_name_on_the_result_does_not_count",
        [user("a"), assistant(None, [call("c1", "f")]), tool("c1", "r", name="other")],
        [
            said("a"),
            {"role": "model", "parts": [called("f", {}, "c1")]},
            {"role": "user", "parts": [answered("f", {"content": "r"}, "c1")]},
        ],
    ),
    Case("empty_texts_say_nothing", [user("a"), user([text("")]), user("")], [said("a")]),
    Case("fields_of_clients_do_not_reach_the_wire", [user("a", cache_control={}, name="n")], [said("a")]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_history_becomes_contents_and_a_system_instruction(case: Case) -> None:
    """The body holds the contents, a system instruction if there is one, and nothing else."""
    body = build_request(case.given, {}, case.profile, "m")

    parts = [{"text": one} for one in case.system]
    assert body == {"contents": case.contents, **({"systemInstruction": {"parts": parts}} if parts else {})}


@pytest.mark.parametrize(
    ("history", "param"),
    [
        ([user("a"), tool("c1")], "messages[1].tool_call_id"),
        ([user("a"), assistant("b"), tool("c1")], "messages[2].tool_call_id"),
        ([user("a"), assistant(None, [call("c1")]), user("b"), tool("c1")], "messages[3].tool_call_id"),
        ([user("a"), assistant(None, [call("c1")]), tool("c2")], "messages[2].tool_call_id"),
        ([user("a"), assistant(None, [call("c1", None)])], "messages[1].tool_calls[0].function.name"),
        (
            [user("a"), assistant(None, [call("c1", "f", "[]")])],
            "messages[1].tool_calls[0].function.arguments",
        ),
        (
            [user("a"), assistant(None, [call("c1", "f", None)])],
            "messages[1].tool_calls[0].function.arguments",
        ),
        ([user("a"), legacy_call()], "messages[1]"),
        ([user("a"), legacy_result()], "messages[1]"),
        ([user([text("a"), {"type": "video_url", "video_url": {}}])], "messages[0].content[1].type"),
        ([user("a"), assistant([image()])], "messages[1].content[0].type"),
        ([system([image()]), user("a")], "messages[0].content[0].type"),
    ],
)
def test_unsanitized_history_is_refused_with_its_place(history: list[dict[str, Any]], param: str) -> None:
    """An illegal history is refused with the place of its fault. The wire does not repair such a history."""
    with pytest.raises(InvalidRequest) as caught:
        build_request(history, {}, GEMINI_3, "m")

    assert caught.value.param == param
