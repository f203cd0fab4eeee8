"""Tests of single blocks of a stream."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.open_blocks import OpenCall, OpenText
from proxy.ingress.anthropic_messages.stream_output import StreamOutput
from proxy.ingress.call_input import read_input
from tests.proxy.ingress.anthropic_messages.deltas import calls, piece, written


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        (['{"a":', "1}"], {"a": 1}),
        (["  ", '{"a":1}'], {"a": 1}),
        (['{"a":1}', '{"b":2}'], {"a": 1}),
        (['{"a":1}junk'], {"a": 1}),
        ([""], {}),
        (['"{\\"a\\"', ':1}"'], {"a": 1}),
        (["[1,", "2]"], {}),
        (["no ", "json"], {}),
    ],
)
def test_input_is_an_object_whatever_the_model_writes(pieces: list[str], read: dict[str, Any]) -> None:
    """An input that begins in another way waits, and is mended at its end."""
    chunks = [calls(piece(0, text, begins=not at)) for at, text in enumerate(pieces)]

    [block] = written(*chunks, finish="tool_calls")["content"]
    assert block["input"] == read


@pytest.mark.parametrize(
    ("whole", "read"), [("{'a': True}", {"a": True}), ("{bad}", {}), ('{"a":1}', {"a": 1})]
)
def test_input_that_comes_whole_is_mended(whole: str, read: dict[str, Any]) -> None:
    """A client's SDK fails on notation that is no JSON. What goes out in pieces cannot be mended."""
    [block] = written(calls(piece(0, whole, begins=True)), finish="tool_calls")["content"]

    assert block["input"] == read


def test_name_that_comes_in_pieces_is_joined() -> None:
    call = OpenCall(StreamOutput(), "call_1", "re")
    call.add("ad", "")
    call.add("", "{}")

    assert b'"name":"read"' in call.open()


def test_call_that_has_begun_elsewhere_goes_on() -> None:
    call = OpenCall(StreamOutput(), "call_1", "f", 3)
    call.skip('{"a":')

    assert (call.may_close, call.add("", "1}junk").count(b'"1}"')) == (False, 1)
    assert call.may_close
    assert b'"index":3' in call.close()


def test_text_that_has_begun_elsewhere_goes_on() -> None:
    text = OpenText(StreamOutput(), 2)

    assert b'"index":2' in text.add(" ")


@pytest.mark.parametrize(
    ("arguments", "read"), [("", {}), ('{"a":1}', {"a": 1}), ("{'a': True}", {"a": True}), ("1", {})]
)
def test_arguments_are_read_as_an_object(arguments: str, read: dict[str, Any]) -> None:
    assert read_input(arguments) == read
