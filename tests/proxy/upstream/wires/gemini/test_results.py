"""Tests of tool results as function responses: which results are objects, and where their media goes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import build_request
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from tests.proxy.upstream.wires.gemini.test_contents import INLINE, answered, said
from tests.support.builders import assistant, call, image, text, tool, user

MEDIA_RESULT = [text("seen "), image(), text("it")]
MEDIA_RESPONSE = {"name": "f", "response": {"content": "seen it"}}


def test_media_of_a_result_is_nested_from_gemini_3_on() -> None:
    """The media of a result is nested in the function response, since Gemini 3.6 refuses any other place."""
    history = [user("a"), assistant(None, [call("c1"), call("c2")]), tool("c1", MEDIA_RESULT), tool("c2")]

    last = build_request(history, {}, GEMINI_3_STRICT, "m")["contents"][-1]

    nested = {"functionResponse": {"id": "c1", **MEDIA_RESPONSE, "parts": [INLINE]}}
    assert last == {"role": "user", "parts": [nested, answered("f", {"content": "ok"}, "c2")]}


def test_media_of_a_lone_result_stands_beside_it_before_gemini_3() -> None:
    """A lone result's media follows in the same turn.

    After several results, Gemini would count the media as a response.
    """
    history = [user("a"), assistant(None, [call("c1")]), tool("c1", MEDIA_RESULT), user("b")]

    contents = build_request(history, {}, GEMINI_2, "m")["contents"]

    assert contents[-2:] == [
        {"role": "user", "parts": [{"functionResponse": MEDIA_RESPONSE}, INLINE]},
        said("b"),
    ]


def test_media_of_parallel_results_follows_them_before_gemini_3() -> None:
    """The media is in a turn of its own, so that the results' turn has as many parts as there are calls."""
    history = [user("a"), assistant(None, [call("c1"), call("c2")]), tool("c1", MEDIA_RESULT), tool("c2")]

    contents = build_request(history, {}, GEMINI_2, "m")["contents"]

    plain = {"functionResponse": {"name": "f", "response": {"content": "ok"}}}
    assert contents[-2:] == [
        {"role": "user", "parts": [{"functionResponse": MEDIA_RESPONSE}, plain]},
        {"role": "user", "parts": [INLINE]},
    ]


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        (' {"a": 1}\n', {"a": 1}),
        ("{}", {}),
        ("plain", {"content": "plain"}),
        ("", {"content": ""}),
        (None, {"content": ""}),
        ("[1, 2]", {"content": "[1, 2]"}),
        ("7", {"content": "7"}),
        ('{"a": NaN}', {"content": '{"a": NaN}'}),
        ('{"a": 1e999}', {"content": '{"a": 1e999}'}),
        ('{"a": "\\ud83d"}', {"content": '{"a": "\\ud83d"}'}),
        ('{"a": ', {"content": '{"a": '}),
        ('{"a": ' * 70 + "1" + "}" * 70, {"content": '{"a": ' * 70 + "1" + "}" * 70}),
        ([text("a"), text("b")], {"content": "ab"}),
        ([text('{"a": '), text("1}")], {"a": 1}),
        ([], {"content": ""}),
        ({"a": 1}, {"a": 1}),
        ([1, 2], {"content": "[1, 2]"}),
        ("data:image/png;base64,aGk=", {"content": "data:image/png;base64,aGk="}),
    ],
)
def test_json_object_is_the_response_and_anything_else_its_content(
    content: Any, response: dict[str, Any]
) -> None:
    """Only a JSON object that Gemini accepts is the response. Anything else is sent as ``content``."""
    history = [user("a"), assistant(None, [call("c1")]), tool("c1", content)]

    last = build_request(history, {}, GEMINI_3, "m")["contents"][-1]

    assert last["parts"] == [answered("f", response, "c1")]


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ("no such file", {"error": "no such file"}),
        ('{"code": 2}', {"error": {"code": 2}}),
        ('{"error": "no such file"}', {"error": "no such file"}),
        ("", {"error": ""}),
    ],
)
def test_result_of_a_failed_call_is_an_error(content: str, response: dict[str, Any]) -> None:
    """The mark of a failed call becomes Gemini's key for failures, in place of the key for outputs."""
    failed = {**tool("c1", content), "is_error": True}

    last = build_request([user("a"), assistant(None, [call("c1")]), failed], {}, GEMINI_3, "m")["contents"][
        -1
    ]

    assert last["parts"] == [answered("f", response, "c1")]


def test_result_that_is_no_error_stays() -> None:
    """A mark that is not true says nothing."""
    passed = {**tool("c1", "fine"), "is_error": False}

    last = build_request([user("a"), assistant(None, [call("c1")]), passed], {}, GEMINI_3, "m")["contents"][
        -1
    ]

    assert last["parts"] == [answered("f", {"content": "fine"}, "c1")]
