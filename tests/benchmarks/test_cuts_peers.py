"""Tests that the policies of peers in ``make bench-cuts`` send what these peers send."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.cuts.evictions import Eviction, middle_out, ours, sliding
from benchmarks.cuts.peers import Codex, ContextGuru, LangMem
from benchmarks.cuts.provider import Way
from benchmarks.cuts.summaries import SEGMENT_TOKENS, request_for
from benchmarks.cuts.window import Sizes, Window
from benchmarks.sanitize import History
from benchmarks.sessions import agent_session
from sanitizers.invariants import find_violations
from sanitizers.messages import Message
from sanitizers.profiles import OPENAI

SESSION = agent_session(90)
SIZE = Sizes(SESSION[-1])
WINDOW = Window(20_000, SIZE)

WAYS: dict[str, Callable[[Window], Way]] = {
    "sliding": lambda window: Eviction(sliding, window),
    "middle-out": lambda window: Eviction(middle_out, window),
    "ours": lambda window: Eviction(ours, window),
    "context-guru": ContextGuru,
    "codex": Codex,
    "langmem": LangMem,
}
SUMMARIZING = ("context-guru", "codex", "langmem")


def replay(way: Way) -> list[History]:
    """Return what *way* sends for each history of the session."""
    return [way.send(history) for history in SESSION]


@pytest.mark.parametrize("name", WAYS)
def test_no_call_loses_its_result(name: str) -> None:
    """Every request is legal for the strictest reading of OpenAI's rules: calls and results stay in pairs."""
    sent = replay(WAYS[name](WINDOW))

    assert [find_violations(messages, OPENAI) for messages in sent] == [()] * len(sent)


@pytest.mark.parametrize("name", WAYS)
def test_input_is_not_changed(name: str) -> None:
    """The client's messages are the same after all requests, and the newest one is sent each time."""
    before = [dict(message) for message in SESSION[-1]]

    sent = replay(WAYS[name](WINDOW))

    assert SESSION[-1] == before
    if name != "codex":  # codex replaces everything when the window is full
        assert all(messages[-1] is history[-1] for messages, history in zip(sent, SESSION, strict=True))


@pytest.mark.parametrize("name", SUMMARIZING)
def test_messages_behind_a_summary_are_the_newest_ones_without_a_gap(name: str) -> None:
    """The messages behind the summary are the end of the client's history."""
    for history, messages in zip(SESSION, replay(WAYS[name](WINDOW)), strict=True):
        at = next((at for at, message in enumerate(messages) if is_summary(message)), None)
        if at is not None:
            kept = messages[at + 1 :]
            assert all(a is b for a, b in zip(kept, history[len(history) - len(kept) :], strict=True))


@pytest.mark.parametrize("name", SUMMARIZING)
def test_summary_is_sent_unchanged_until_the_next_call(name: str) -> None:
    """Requests have as many different summaries as the model was called. A repeated run has the same ones."""
    way = WAYS[name](WINDOW)
    texts = summaries(replay(way))
    again = WAYS[name](WINDOW)

    assert len(way.calls) > 1
    assert len(set(texts)) in {len(way.calls), len(way.calls) - 1}  # the last one may serve no request
    assert summaries(replay(again)) == texts
    assert again.calls == way.calls


def test_context_guru_sends_the_triggering_request_whole_and_then_three_messages_more_or_less() -> None:
    """The summary serves the request after the one that is over 0.9 of the window."""
    sent = replay(ContextGuru(WINDOW))
    limit = ContextGuru.TRIGGER * WINDOW.limit(SESSION[0])
    first = next(at for at, history in enumerate(SESSION) if WINDOW.tokens(history) > limit)

    assert sent[first] is SESSION[first]
    assert sent[first + 1][1] is SESSION[0][1]
    assert is_summary(sent[first + 1][2])
    assert len(sent[first + 1]) < 12


def test_context_guru_writes_the_next_summary_when_6000_tokens_were_added() -> None:
    """A summary serves until the messages behind it have 6,000 tokens. So there are few calls."""
    way = ContextGuru(WINDOW)
    replay(way)

    assert 1 < len(way.calls) <= SIZE.sum(SESSION[-1]) / ContextGuru.GROWTH


def test_context_guru_summarizes_all_messages_each_time() -> None:
    """Each call reads the whole beginning of the history again, so that each call reads more than the last."""
    way = ContextGuru(WINDOW)
    replay(way)

    read = [call.read for call in way.calls]
    assert read == sorted(set(read))
    assert all(call.written <= SEGMENT_TOKENS for call in way.calls)


def test_codex_keeps_the_newest_user_words_and_cuts_the_oldest() -> None:
    """User messages are kept newest first up to 20,000 tokens. The oldest of them keeps what is left."""
    long = [{"role": "user", "content": f"{at} " + "w" * 31_998} for at in range(4)]
    history: History = [{"role": "system", "content": "s"}, *long, {"role": "assistant", "content": "a"}]
    sent = Codex(Window(22_000, Sizes())).send(history)

    words = [message["content"] for message in sent[1:-1]]
    assert [text[:1] for text in words] == ["1", "2", "3"]
    assert words[1:] == [long[2]["content"], long[3]["content"]]
    assert 19_900 <= sum(map(len, words)) // 4 <= 20_000
    assert is_summary(sent[-1])


def test_langmem_writes_one_summary_of_256_tokens_anew() -> None:
    """There is one summary at a time, of 256 tokens or hardly less."""
    way = LangMem(WINDOW)
    sent = replay(way)

    assert all(LangMem.SUMMARY - 5 <= call.written <= LangMem.SUMMARY for call in way.calls)
    assert max(sum(map(is_summary, messages)) for messages in sent) == 1


def test_langmem_reads_its_last_summary_again() -> None:
    """The second call reads the last summary beside the messages, and the first only messages.

    A user message is not summarized where it would be the last.
    """
    history: History = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u" * 400},
        {"role": "assistant", "content": "a" * 400},
        {"role": "user", "content": "v" * 400},
        {"role": "assistant", "content": "b" * 1_200},
    ]
    longer: History = [
        *history,
        {"role": "user", "content": "w" * 400},
        {"role": "assistant", "content": "c" * 1_200},
    ]
    way = LangMem(Window(680, Sizes()))

    assert way.send(history)[2:] == history[3:]
    assert way.send(longer)[2:] == longer[5:]
    first, second = way.calls
    assert first.read == SIZE.sum(request_for(history[1:3]))
    assert second.read - SIZE.sum(request_for(history[3:5])) == pytest.approx(LangMem.SUMMARY, abs=15)


def is_summary(message: Message) -> bool:
    """Tell whether *message* is none of the client's."""
    return (
        message["role"] != "assistant"
        and message not in SESSION[-1]
        and message["role"] in {"user", "system"}
    )


def summaries(sent: list[History]) -> list[str]:
    """Return the texts of the summaries in the order of their first use."""
    texts = [message["content"] for messages in sent for message in messages if is_summary(message)]
    return list(dict.fromkeys(texts))
