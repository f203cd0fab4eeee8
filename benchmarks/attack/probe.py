"""The prober's process: ``python -m benchmarks.attack.probe PORT MODEL [KEY]``. It measures how long others wait.

Two persistent connections send a request every few milliseconds, one to ``/livez`` and one for a small chat answer. The
prober reads ``begin`` and ``end`` from standard input. At each ``end`` it prints the worst and the median milliseconds
of each connection since ``begin``. A request that has no answer yet counts with the time since it was sent.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import sys
import threading
import time
from contextlib import suppress

from typing_extensions import override

from benchmarks.attack.exchange import connect, receive, request

_PAUSE_S = 0.004
_LONGEST_S = 120.0


class Asker(threading.Thread):
    """Sends the same request for ever, on one connection as long as the server keeps it open."""

    def __init__(self, port: int, question: bytes) -> None:
        super().__init__(daemon=True)
        self._port, self._question = port, question
        self._lock = threading.Lock()
        self._asked: float | None = None
        self._began = 0.0
        self._took: list[float] = []
        self._failed = 0

    def begin(self) -> None:
        """Start a new measurement, and forget all earlier times."""
        with self._lock:
            self._began, self._took, self._failed = time.monotonic(), [], 0

    def end(self) -> dict[str, float]:
        """Return the worst and the median milliseconds, the count and the failures since :meth:`begin`."""
        with self._lock:
            took = list(self._took)
            if self._asked is not None:
                took.append(time.monotonic() - max(self._asked, self._began))
            failed = self._failed
        return (
            {
                "worst": max(took) * 1000,
                "median": statistics.median(took) * 1000,
                "count": len(took),
                "failed": failed,
            }
            if took
            else {"worst": 0.0, "median": 0.0, "count": 0, "failed": failed}
        )

    @override
    def run(self) -> None:
        """Send requests until the process ends. A broken connection is replaced."""
        while True:
            with suppress(OSError), connect(self._port, _LONGEST_S) as made:
                self._ask_on(made)
            with self._lock:
                self._asked = None
                self._failed += 1
            time.sleep(0.02)

    def _ask_on(self, made: socket.socket) -> None:
        while True:
            began = time.monotonic()
            with self._lock:
                self._asked = began
            made.sendall(self._question)
            answer = receive(made, began, _LONGEST_S)
            ended = time.monotonic()
            with self._lock:
                self._asked = None
                self._took.append(ended - max(began, self._began))
                self._failed += answer.status != 200
            if answer.status == 0 or answer.headers.get("connection") == "close":
                return
            time.sleep(_PAUSE_S)


def main() -> None:
    """Measure until the standard input ends."""
    with suppress(OSError):
        os.nice(-5)
    port, model, *key = sys.argv[1:]
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "Hello."}]}).encode()
    asked = key[0] if key else ""
    questions = {
        "livez": request("/livez", method="GET"),
        "chat": request("/v1/chat/completions", body, key=asked),
    }
    askers = {name: Asker(int(port), question) for name, question in questions.items()}
    for asker in askers.values():
        asker.start()
    for line in sys.stdin:
        if line.strip() == "begin":
            for asker in askers.values():
                asker.begin()
        else:
            print(json.dumps({name: asker.end() for name, asker in askers.items()}), flush=True)


if __name__ == "__main__":
    main()
