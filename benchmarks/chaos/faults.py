"""Draws faults of the providers for a share of all calls, from a seeded generator."""

from __future__ import annotations

from collections import Counter, deque
from random import Random
from typing import Any

from typing_extensions import override

from proxy.emulator.faults import NO_FAULT, FaultQueue
from proxy.emulator.faults import Fault as GeminiFault
from tests.support.openai_emulator import Fault as OpenAIFault

TOO_LONG_S = 5.0
"""Seconds of a provider's silence. They exceed the proxy's timeouts in a run with faults."""

_STATUSES = (400, 500, 502, 503, 504)
_MAX_CHUNKS = 7


class Faults:
    """Draws faults for both providers. *share* is the share of the calls that fail.

    *hidden* tells whether streams may also end without a finish reason. litellm ends such a stream with ``stop``, so
    that it looks complete (:mod:`proxy.upstream.litellm.transport`).
    """

    def __init__(self, random: Random, share: float, *, hidden: bool) -> None:
        self.drawn: Counter[str] = Counter()
        self.calls = 0
        self._random = random
        self.share = share
        self._hidden = hidden

    def for_gemini(self) -> GeminiFault:
        """Return the fault of the next call to Gemini."""
        if not self._strikes():
            return NO_FAULT
        draw = self._random
        chunks = draw.randrange(_MAX_CHUNKS)
        status = draw.choice(_STATUSES)
        ways: dict[str, dict[str, Any]] = {
            f"status {status}": {"status": status},
            "status 429": {"status": 429, "retry_delay_seconds": round(draw.uniform(0.1, 0.6), 2)},
            "reset": {"reset": True},
            "cut": {"cut_after_chunks": chunks},
            "ended early": {"end_after_chunks": chunks},
            "garbage": {"garbage": True},
            "empty candidate": {"empty_candidate": True},
            "malformed call": {"finish_reason": "MALFORMED_FUNCTION_CALL", "finish_message": "call(:"},
            "unexpected call": {"finish_reason": "UNEXPECTED_TOOL_CALL"},
            "late": {"delay_seconds": draw.uniform(0.05, 0.5)},
            "silent": {"delay_seconds": TOO_LONG_S},
            "stuck": {"chunk_delay_seconds": TOO_LONG_S},
        }
        if not self._hidden:
            del ways["ended early"]
        return GeminiFault(**ways[self._note(ways)])

    def for_openai(self) -> OpenAIFault:
        """Return the fault of the next call to OpenAI."""
        if not self._strikes():
            return {}
        draw = self._random
        status = draw.choice(_STATUSES)
        ways: dict[str, OpenAIFault] = {
            f"status {status}": {"status": status},
            "status 429": {"status": 429, "headers": {"retry-after-ms": str(draw.randrange(100, 600))}},
            "cut": {"cut_after_chunks": draw.randrange(_MAX_CHUNKS)},
            "garbage": {"garbage": True},
            "late": {"delay_seconds": draw.uniform(0.05, 0.5)},
            "silent": {"delay_seconds": TOO_LONG_S},
            "stuck": {"chunk_delay_seconds": TOO_LONG_S},
        }
        return ways[self._note(ways)]

    def _strikes(self) -> bool:
        self.calls += 1
        return self._random.random() < self.share

    def _note(self, ways: dict[str, Any]) -> str:
        name = self._random.choice(list(ways))
        self.drawn[name] += 1
        return name


class GeminiQueue(FaultQueue):
    """The fault queue of Gemini's emulator. It draws a fault at each call, so that it never ends."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self._faults = faults

    @override
    def take_for(self, model: str) -> GeminiFault:
        return self._faults.for_gemini()


class OpenAIQueue(deque[OpenAIFault]):
    """The fault queue of OpenAI's emulator. It draws a fault at each call, so that it never ends."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self._faults = faults

    @override
    def __len__(self) -> int:
        return 1

    @override
    def popleft(self) -> OpenAIFault:
        return self._faults.for_openai()
