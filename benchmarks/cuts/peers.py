"""The policies of other projects that replace old messages by a summary, written anew for this benchmark.

Each keeps whole rounds, so that no call loses its result. Their summaries are as long as those of the proxy, except for
langmem's. Each summarizing call is counted like the proxy's calls: a fresh transcript with capped tool results. Only
tokens are compared: a policy that sends less may also know less.
"""

from __future__ import annotations

from benchmarks.cuts.summaries import SummaryWriter, request_for
from benchmarks.cuts.window import Window
from benchmarks.sanitize import History
from sanitizers.budget import count_leading_system
from sanitizers.budget.units import split_units
from sanitizers.messages import Message


def _as_user(text: str) -> Message:
    return {"role": "user", "content": "Summary of the conversation so far:\n\n" + text}


class ContextGuru:
    """The policy of the proxy context-guru (``cache_aware_summarizer``, read 2026-11).

    From 0.9 of the window on, the first message, a summary and the last three messages are sent. The summary is written
    in the background and serves the next request. The summary is sent unchanged until the messages after it, without
    the last three, have 6,000 tokens. Then all messages between the first and the last three are summarized anew.
    """

    TRIGGER = 0.9
    KEPT = 3
    GROWTH = 6_000

    def __init__(self, window: Window) -> None:
        self._window = window
        self._writer = SummaryWriter()
        self.calls = self._writer.calls
        self._end = 0
        self._summary: Message | None = None

    def send(self, history: History) -> History:
        """Return the messages to send for *history*."""
        lead = count_leading_system(history) + 1
        sent = history if self._summary is None else [*history[:lead], self._summary, *history[self._end :]]
        if self._window.tokens(history) > self.TRIGGER * self._window.limit(history):
            self._commission(history, lead)
        return sent

    def _commission(self, history: History, lead: int) -> None:
        """Write the summary that serves the requests after this one, if one is due."""
        end = _last_start(history, lead, len(history) - self.KEPT)
        grown = self._window.size.sum(history[self._end : end])
        if end > lead and (self._summary is None or grown >= self.GROWTH):
            self._summary = _as_user(self._writer.summarize(history[lead:end]))
            self._end = end


class Codex:
    """The policy of the agent codex (``codex-rs/core/src/compact.rs``, read 2026-11).

    When a request would have more than 0.9 of the window, it is shortened before it is sent. The user's own words and a
    summary replace all messages after the system messages. The words are the newest ones, up to 20,000 tokens. The
    oldest of them may be cut.
    """

    TRIGGER = 0.9
    WORDS = 20_000

    def __init__(self, window: Window) -> None:
        self._window = window
        self._writer = SummaryWriter()
        self.calls = self._writer.calls
        self._end = 0
        self._memory: History = []

    def send(self, history: History) -> History:
        """Return the messages to send for *history*."""
        lead = count_leading_system(history)
        start = max(self._end, lead)
        sent = [*history[:lead], *self._memory, *history[start:]]
        if self._window.tokens(sent) <= self.TRIGGER * self._window.limit(history):
            return sent
        summary = _as_user(self._writer.summarize(sent[lead:]))
        self._memory = [*self._newest_words(history[lead:]), summary]
        self._end = len(history)
        return [*history[:lead], *self._memory]

    def _newest_words(self, messages: History) -> History:
        """Return the newest user messages that have at most :data:`WORDS` tokens together, oldest first."""
        left = self.WORDS
        kept: History = []
        for message in reversed(messages):
            if message["role"] != "user" or left <= 0:
                continue
            tokens = self._window.size(message)
            if tokens > left:
                message = {**message, "content": message["content"][: 4 * left]}
            left -= tokens
            kept.append(message)
        return kept[::-1]


class LangMem:
    """The policy of the library langmem (``summarize_messages``, read 2026-11).

    When the messages that no summary covers do not fit the window, those that fit are summarized before the request is
    sent. One running summary of 256 tokens leads the history. Each call reads the last summary, and writes a new
    summary in its place. The summarized messages never end with a user message.
    """

    SUMMARY = 256

    def __init__(self, window: Window) -> None:
        self._window = window
        self._writer = SummaryWriter()
        self.calls = self._writer.calls
        self._end = 0
        self._summary: list[str] = []

    def send(self, history: History) -> History:
        """Return the messages to send for *history*."""
        lead = count_leading_system(history)
        start = max(self._end, lead)
        if self._window.size.sum(history[start:]) > self._window.room - self.SUMMARY:
            self._end = self._fitting(history, start)
            if self._end > start:
                asked = request_for(history[start : self._end], self._summary)
                self._summary = [self._writer.answer(asked, self.SUMMARY, self.SUMMARY)]
                start = self._end
        memory = [{"role": "system", "content": text} for text in self._summary]
        return [*history[:lead], *memory, *history[start:]]

    def _fitting(self, history: History, start: int) -> int:
        """Return the end of the messages from *start* on that fit the window and may be summarized."""
        left = self._window.room - self.SUMMARY
        end = start
        for unit in split_units(history, start):
            left -= self._window.size.sum(history[unit.start : unit.end])
            if left < 0:
                break
            if unit.role != "user":
                end = unit.end
        return end


def _last_start(history: History, lead: int, latest: int) -> int:
    """Return the start of the last unit, a message with its results, from *lead* to *latest* in *history*."""
    return max((unit.start for unit in split_units(history, lead) if unit.start <= latest), default=lead)
