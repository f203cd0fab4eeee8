"""Tests of output items as one chat message."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai_responses.output import (
    CallNames,
    call_id_of,
    read_citation,
    read_logprobs,
    read_message,
)
from sanitizers.native.responses.tools import read_tools
from tests.support.native_responses import CALL, CUSTOM, ITEMS, MESSAGE, THOUGHT

TOOLS: list[dict[str, Any]] = [
    {"type": "namespace", "name": "ns", "description": "", "tools": [{"type": "function", "name": "g"}]},
    {"type": "local_shell"},
]
NAMES, BARE = CallNames(read_tools(TOOLS, ())), CallNames(None)


def called(item: dict[str, Any], names: CallNames = NAMES) -> tuple[str, str, str]:
    """Return the id, the name and the arguments of the call that *item* becomes."""
    [call] = read_message([item], names)["tool_calls"]
    return call["id"], call["function"]["name"], call["function"]["arguments"]


def test_items_become_one_message() -> None:
    """A search that the provider ran has no form in a chat."""
    message = read_message(ITEMS, NAMES)

    assert (message["role"], message["content"]) == ("assistant", "Well. ✓")
    assert [call["id"] for call in message["tool_calls"]] == ["call_abc"]
    assert "reasoning_content" not in message


@pytest.mark.parametrize(
    ("item", "call"),
    [
        (CALL, ("call_abc", "f", '{"x":1}')),
        ({**CALL, "name": "g", "namespace": "ns"}, ("call_abc", "ns__g", '{"x":1}')),
        (CUSTOM, ("call_c", "ex", '{"input": "text(\\"hi\\")"}')),
        (
            {
                "type": "local_shell_call",
                "id": "lsh_1",
                "call_id": "c",
                "action": {"type": "exec", "command": ["ls"]},
            },
            ("c", "local_shell", '{"command": ["ls"]}'),
        ),
        (
            {"type": "shell_call", "id": "sh_1", "action": {"commands": ["ls"]}},
            ("sh_1", "shell", '{"commands": ["ls"]}'),
        ),
    ],
)
def test_each_call_of_the_client_is_a_call(item: dict[str, Any], call: tuple[str, str, str]) -> None:
    """Names are flat, and an input that is no JSON stands in an object."""
    assert called(item) == call


def test_names_stay_for_a_client_with_flat_names() -> None:
    assert called(CALL, BARE)[1] == "f"
    assert called({"type": "shell_call", "id": "sh_1", "action": {}}, BARE)[1] == "shell"


def test_thoughts_refusals_and_citations_have_their_fields() -> None:
    note = {"type": "url_citation", "url": "https://a.test", "title": "A", "start_index": 0, "end_index": 1}
    content = [
        {"type": "output_text", "text": "a", "annotations": [note, {"type": "file_citation"}]},
        {"type": "output_text", "text": "b"},
        {"type": "refusal", "refusal": "No."},
    ]
    thought = {"type": "reasoning", "summary": [{"text": "Hm."}], "content": [{"text": "So."}]}
    message = read_message([thought, {**MESSAGE, "content": content}], NAMES)

    assert (message["content"], message["refusal"], message["reasoning_content"]) == ("ab", "No.", "Hm.So.")
    [cited] = message["annotations"]
    assert cited == {"type": "url_citation", "url_citation": {k: v for k, v in note.items() if k != "type"}}
    assert read_citation("x") is None


def test_texts_of_several_messages_may_be_apart() -> None:
    """A codex model comments on its work in one message, and answers in another."""
    empty = {**MESSAGE, "content": []}

    def text_of(*items: Any) -> Any:
        return read_message(items, NAMES, "|")["content"]

    assert text_of(MESSAGE, CALL, MESSAGE) == "Well. ✓|Well. ✓"
    assert text_of(MESSAGE, empty, empty) == "Well. ✓"
    assert text_of(empty, MESSAGE) == "Well. ✓"
    assert read_message([MESSAGE, MESSAGE], NAMES)["content"] == "Well. ✓Well. ✓"


def test_log_probabilities_are_those_of_all_texts() -> None:
    token = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}
    part = {"type": "output_text", "text": "a", "logprobs": [token]}
    said = {**MESSAGE, "content": [part, part]}

    assert read_logprobs([THOUGHT, said, MESSAGE, said]) == [token] * 4
    assert read_logprobs([MESSAGE, CALL]) == []


@pytest.mark.parametrize(
    "item",
    ["x", {**CALL, "name": None}, {**CALL, "call_id": None, "id": None}, {**MESSAGE, "content": ["x"]}],
)
def test_item_that_cannot_be_read_is_a_fault(item: Any) -> None:
    with pytest.raises(UpstreamFault, match="not a response"):
        read_message([item], NAMES)


def test_call_without_an_id_has_that_of_its_item() -> None:
    assert call_id_of({"id": "lsh_1"}) == "lsh_1"
