"""Two clients with their own keys, and the outcome of one client's request."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.attack import bodies
from benchmarks.attack.child import Provider, Proxy
from benchmarks.attack.exchange import Answer, connect, exchange, request

KEY_A, KEY_B = "sk-attack-client-a", "sk-attack-client-b"
KEY_LIMITED, KEY_SPENT = "sk-attack-client-limited", "sk-attack-client-spent"
"""Two further keys of A: one may send a request a minute, and the money of the other ends with its first requests."""

CHAT = "/v1/chat/completions"
PLACES = 60
LONGEST_S = 15.0
TWIN = "-twin"
"""The suffix of a deployment's name for its copy that A does not attack. B's answer from the copy is the reference."""

LATER_S = 2.0
"""Seconds by which B's answer may come later after A's attack than before it."""


@dataclass(frozen=True, slots=True)
class Met:
    """The outcome of B's request: the status, the body that reached the provider or None, and the duration."""

    status: int
    sent: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Field:
    """The proxy and the provider under attack, with methods that send the clients' requests."""

    running: Proxy
    provider: Provider

    def ask(self, key: str, body: bytes, path: str = CHAT, seconds: float = LONGEST_S) -> Answer:
        """Send a request with a client's key."""
        return exchange(self.running.port, request(path, body, key=key), seconds)

    def ask_often(self, body: bytes, count: int, seconds: float = LONGEST_S, key: str = KEY_A) -> None:
        """Send the same request *count* times at once with A's key, and wait for all answers."""
        threads = [
            threading.Thread(target=self.ask, args=(key, body), kwargs={"seconds": seconds})
            for _ in range(count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @contextlib.contextmanager
    def held(self, sent: bytes, count: int) -> Iterator[None]:
        """Keep *count* connections open on which *sent* was sent, while the context lasts."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                made = stack.enter_context(connect(self.running.port))
                with contextlib.suppress(OSError):
                    made.sendall(sent)
            time.sleep(0.5)
            yield

    def meet(self, model: str, members: bytes, manner: str) -> Met:
        """Send B's request, and return its outcome."""
        before = self.provider.calls(manner)
        answer = self.ask(KEY_B, bodies.chat(model, members))
        reached = self.provider.calls(manner) > before
        return Met(answer.status, self.provider.last(manner) if reached else None, answer.seconds)


def changed(before: Met, after: Met) -> str:
    """Return how B's outcome differs, or an empty text where it does not."""
    if after.status != before.status:
        return f"{after.status} in the place of {before.status}"
    if (after.sent is None) is not (before.sent is None):
        return "its deployment was not asked" if after.sent is None else "it reached the provider"
    if after.sent != before.sent:
        return "the provider was sent something else"
    if after.seconds > before.seconds + LATER_S:
        return f"{after.seconds:.1f} s in the place of {before.seconds:.1f} s"
    return ""


def say(text: str, **extra: Any) -> bytes:
    """Return the JSON members of a request with one user message, without the enclosing braces."""
    told = {"messages": [{"role": "user", "content": text}], **extra}
    return json.dumps(told).encode()[1:-1]
