"""A whole answer becomes a response object with the items that its stream would have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.ingress.openai_responses.write_answer import make_finished
from sanitizers.native.responses.envelope import Envelope, unpack_envelope
from tests.proxy.ingress.openai_responses.responding import answers, call, chunk, whole
from tests.support.responses_grammar import events_of, find_response_faults

SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
TEXTS = st.sampled_from(["a", "日本", "\n"])
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["f", "ex", "ns__g", "shell", "none"]),
        st.sampled_from(["{}", '{"input":"a"}', '{"a"', "x"]),
        st.sampled_from([None, "c2ln"]),
    ),
    max_size=3,
)


def messages() -> st.SearchStrategy[dict[str, Any]]:
    """Draw the fields of an answer's message."""
    calls = CALLS.map(lambda drawn: [call(at, *one) for at, one in enumerate(drawn)])
    return st.fixed_dictionaries(
        {},
        optional={
            "content": TEXTS,
            "reasoning_content": TEXTS,
            "refusal": TEXTS,
            "tool_calls": calls.filter(bool),
        },
    )


def in_comparable_form(output: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items without the reasoning items, which a stream may have at another place, and without ids."""
    rest = [item for item in output if item["type"] != "reasoning"]
    return [{name: value for name, value in item.items() if name != "id"} for item in rest]


@given(message=messages(), reason=st.sampled_from(["done", "done", "length"]), shows=st.booleans())
def test_a_whole_answer_has_the_items_of_its_stream(
    message: dict[str, Any], reason: str, shows: bool
) -> None:
    """Whole and streamed, an answer has the same status and items. A cut item has the same mark."""
    usual = "tool_calls" if "tool_calls" in message else "stop"
    finish = usual if reason == "done" else reason
    found = make_finished(answers(shows_thoughts=shows), whole(message, finish))
    writer = answers(shows_thoughts=shows).write_stream()
    delta = {"role": "assistant", **message}
    raw = writer.write_chunk(chunk(delta, finish)) + writer.write_end()
    streamed = events_of(raw)[-1]["response"]

    assert find_response_faults(found) == []
    assert found["status"] == streamed["status"]
    assert in_comparable_form(found["output"]) == in_comparable_form(streamed["output"])


def test_thoughts_and_signatures_stand_in_front() -> None:
    """One reasoning item carries the thoughts, and the signatures by call id."""
    message = {"reasoning_content": "Hm.", "tool_calls": [call(0, "f", "{}", "c2ln"), call(1, "f", "{}")]}

    first, *rest = make_finished(answers(shows_thoughts=True), whole(message, "tool_calls"))["output"]

    assert first["summary"] == [{"type": "summary_text", "text": "Hm."}]
    assert unpack_envelope(first["encrypted_content"]) == Envelope(
        "gemini-x", {"call_0": "c2ln"}, None, "Hm."
    )
    assert [item["call_id"] for item in rest] == ["call_0", "call_1"]


def test_the_signature_of_a_text_is_carried() -> None:
    """A text without thoughts has a reasoning item, if it was signed."""
    output = make_finished(answers(), whole({"content": "Hi.", **SIGNED}))["output"]

    assert [item["type"] for item in output] == ["reasoning", "message"]
    envelope = unpack_envelope(output[0]["encrypted_content"])
    assert envelope is not None
    assert (envelope.text_signature, output[0]["summary"]) == ("c2ln", [])


@pytest.mark.parametrize(
    ("shows", "summary"), [(True, [{"type": "summary_text", "text": "Hm."}]), (False, [])]
)
def test_thoughts_are_shown_where_they_were_asked_for(shows: bool, summary: list[Any]) -> None:
    """Without the wish, thoughts are in the envelope alone."""
    answer = whole({"content": "Hi.", "reasoning_content": "Hm."})

    assert make_finished(answers(shows_thoughts=shows), answer)["output"][0]["summary"] == summary


def test_citations_and_logprobs_are_in_the_part() -> None:
    """Citations are flat, and log probabilities come where they were asked for."""
    cited = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 2, "url": "u", "title": "t"},
    }
    answer = whole({"content": "Hi", "annotations": [cited]})
    answer["choices"][0]["logprobs"] = {"content": [{"token": "Hi", "logprob": -1}]}

    asked = make_finished(answers(include={"message.output_text.logprobs"}), answer)["output"][0]["content"][
        0
    ]
    plain = make_finished(answers(), answer)["output"][0]["content"][0]

    assert asked["logprobs"] == [{"token": "Hi", "logprob": -1, "bytes": [], "top_logprobs": []}]
    assert (plain["logprobs"], plain["annotations"][0]["url"]) == ([], "u")


def test_a_call_in_the_older_form_is_a_function_call() -> None:
    """A provider may answer with `function_call`, which has no id."""
    message = {"function_call": {"name": "f", "arguments": "{}"}}

    (item,) = make_finished(answers(), whole(message, "function_call"))["output"]

    assert (item["type"], item["name"], item["arguments"]) == ("function_call", "f", "{}")


def test_usage_model_and_times_are_the_answers() -> None:
    """The response has the answer's model and usage. Without a clock it is completed when it was created."""
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}

    found = make_finished(answers(), whole({"content": "Hi."}, usage=usage))

    assert (found["model"], found["usage"]["output_tokens"]) == ("gemini-x", 2)
    assert found["completed_at"] == found["created_at"] == 1_760_000_000
