"""Generate agent sessions for the benchmarks from a fixed seed, so that every run has the same traffic.

The shape follows recorded coding sessions. A request adds some 2,400 characters of history: three quarters are tool
results, and a fifth are call arguments. The lengths of results are log-normal: most are short, a few are whole files.
The user speaks every dozen requests. The texts are random words, since only their lengths decide where a history is cut
to fit a context window. Real texts, for counting tokens, are in :mod:`benchmarks.agent_histories`.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

import orjson

from benchmarks.sanitize import History

WORDS = re.findall(
    r"\w+",
    "the value of this option is read from the file before each run and a missing key falls back to the default "
    "return self parse token error index buffer stream config module import class def await result path line test",
)
"""The words of the random texts: half of them from prose, half from code."""


def measure(message: dict[str, Any]) -> int:
    """Return a message's tokens: a quarter of its JSON's bytes, and four for what providers add."""
    return len(orjson.dumps(message)) // 4 + 4


def agent_session(requests: int, seed: int = 7, *, median: int = 700, spread: float = 1.35) -> list[History]:
    """Return the histories of *requests* successive requests of one session. Each history continues the previous one.

    *median* is the median length of a tool result in characters, and *spread* the deviation of the length's logarithm.
    """
    rng = random.Random(seed)
    history: History = [
        {"role": "system", "content": _text(rng, 6_000)},
        {"role": "user", "content": _text(rng, 900)},
    ]
    histories = [list(history)]
    number = 0
    while len(histories) < requests:
        if rng.random() < 0.08:
            history.append({"role": "assistant", "content": _text(rng, rng.randint(200, 1_200))})
            history.append({"role": "user", "content": _text(rng, rng.randint(40, 500))})
        else:
            calls = []
            for _ in range(rng.choice((1, 1, 1, 2))):
                number += 1
                written = _text(rng, int(min(6_000, rng.lognormvariate(5.3, 1.2))))
                arguments = json.dumps({"path": f"/src/module_{number}.py", "content": written})
                function = {"name": rng.choice(("read", "edit", "shell")), "arguments": arguments}
                calls.append({"id": f"call_{number:08d}", "type": "function", "function": function})
            said = _text(rng, rng.randint(30, 300)) if rng.random() < 0.5 else None
            history.append({"role": "assistant", "content": said, "tool_calls": calls})
            for call in calls:
                length = int(min(60_000, rng.lognormvariate(0, spread) * median))
                history.append({"role": "tool", "tool_call_id": call["id"], "content": _text(rng, length)})
        histories.append(list(history))
    return histories


def _text(rng: random.Random, length: int) -> str:
    """Return a text of about *length* characters: random words, ten on each line."""
    line = [rng.choice(WORDS) for _ in range(40)]
    words = (line * (length // (5 * len(line)) + 1))[: max(1, length // 6)]
    return "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10))
