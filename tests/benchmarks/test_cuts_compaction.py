"""Tests that ``make bench-cuts`` drives the proxy's compaction as a request does."""

from __future__ import annotations

import pytest

from benchmarks.cuts.compaction import Compaction
from benchmarks.cuts.provider import run
from benchmarks.cuts.window import Sizes, Window
from benchmarks.sanitize import History
from benchmarks.sessions import agent_session
from sanitizers.invariants import find_violations
from sanitizers.messages import Message
from sanitizers.profiles import OPENAI

SESSION = agent_session(104)
CALL = {"id": "call_long", "type": "function", "function": {"name": "read", "arguments": "{}"}}
LONG_RESULT: History = [
    *SESSION[-1],
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_long", "content": "long result " * 4_000},
]
SIZE = Sizes(LONG_RESULT)
WINDOW = Window(20_000, SIZE)
LIMIT = WINDOW.limit(SESSION[0])


@pytest.fixture(scope="module")
def way() -> Compaction:
    """Return the way after the whole session."""
    return Compaction(WINDOW)


@pytest.fixture(scope="module")
def sent(way: Compaction) -> list[History]:
    """Return what is sent for each history of the session."""
    return [way.send(history) for history in SESSION]


def memory_in(messages: History) -> Message | None:
    """Return the memory message, which stands behind the user's first message."""
    is_memory = len(messages) > 2 and str(messages[2]["content"]).startswith("<conversation_memory")
    return messages[2] if is_memory else None


def test_no_call_loses_its_result_and_no_request_is_above_the_limit(sent: list[History]) -> None:
    """Every request is legal by OpenAI's rules, and fits the window."""
    assert [find_violations(messages, OPENAI) for messages in sent] == [()] * len(sent)
    assert max(map(WINDOW.tokens, sent)) <= LIMIT


def test_triggering_request_goes_out_whole_and_the_next_one_has_a_memory(sent: list[History]) -> None:
    """The first request of 70 % of the limit or more has no memory yet."""
    first = next(at for at, history in enumerate(SESSION) if WINDOW.tokens(history) >= 0.7 * LIMIT)

    assert sent[first] == SESSION[first]
    assert memory_in(sent[first + 1]) is not None
    assert WINDOW.tokens(sent[first + 1]) < WINDOW.tokens(sent[first])


def test_repeated_request_is_sent_whole_again() -> None:
    """The request that triggers a summary has the same bytes when the client repeats it."""
    way = Compaction(WINDOW)
    first = next(history for history in SESSION if WINDOW.tokens(history) >= 0.7 * LIMIT)

    assert way.send(first) == way.send(first) == first
    assert len(way.calls) == 1


def test_later_trigger_compacts_later() -> None:
    """With a trigger of 0.9 the first memory comes after a longer history."""
    lengths = []
    for trigger in (0.7, 0.9):
        way = Compaction(WINDOW, trigger)
        lengths.append(next(len(history) for history in SESSION if memory_in(way.send(history))))

    assert lengths[0] < lengths[1]


def test_memory_stays_within_its_tokens_and_the_newest_messages_are_the_clients(sent: list[History]) -> None:
    """A memory has at most 4,000 tokens. The last ten messages are the client's own objects."""
    memories = [memory for memory in map(memory_in, sent) if memory is not None]

    assert max(map(SIZE, memories)) <= 4_000
    for messages, history in zip(sent, SESSION, strict=True):
        if memory_in(messages) is not None:
            assert all(one is other for one, other in zip(messages[-10:], history[-10:], strict=True))


def test_each_break_of_the_prefix_is_a_new_memory(sent: list[History]) -> None:
    """Between two summaries, each request begins with the one before it."""
    spent = run(SESSION, Compaction(WINDOW), WINDOW)
    memories = {memory["content"] for memory in map(memory_in, sent) if memory is not None}

    assert spent.breaks == len(memories) > 3


def test_plan_above_the_window_in_spite_of_its_memory_is_cut_and_keeps_the_memory() -> None:
    """A long result that comes at once is no case for a summary in time. The preset cuts, but not in the memory."""
    way = Compaction(WINDOW)
    requests = [way.send(history) for history in [*SESSION, LONG_RESULT]]
    before, cut = requests[-2:]

    assert WINDOW.tokens(cut) <= LIMIT < WINDOW.tokens(before) + SIZE(LONG_RESULT[-1])
    assert memory_in(before) is not None
    assert memory_in(cut) == memory_in(before)
    assert find_violations(cut, OPENAI) == ()


def test_summary_of_summaries_follows_the_fifth(way: Compaction, sent: list[History]) -> None:
    """Five summaries of segments are written, and then one of them all with up to twice the length."""
    assert sent
    lengths = [call.written for call in way.calls[:6]]

    assert all(600 * 0.98 <= length <= 750 for length in lengths[:5])
    assert 1_200 * 0.98 <= lengths[5] <= 1_500


def test_later_memories_begin_with_the_summary_of_summaries(sent: list[History]) -> None:
    """The summary of the first five stands in their place. It has two of the five places."""
    newest = memory_in(sent[-1])

    assert newest is not None
    headings = [line for line in newest["content"].splitlines() if line.startswith("# Summary")]
    assert headings[0].startswith("# Summary of summaries")
    assert all(heading.startswith("# Summary,") for heading in headings[1:])
    assert 2 <= len(headings) <= 4


def test_calls_of_the_model_are_counted(way: Compaction, sent: list[History]) -> None:
    """The calls read the replaced messages once, with capped results: hardly more than the whole session."""
    assert sent
    read = sum(call.read for call in way.calls)

    assert 0.5 * SIZE.sum(SESSION[-1]) < read < 1.3 * SIZE.sum(SESSION[-1])
