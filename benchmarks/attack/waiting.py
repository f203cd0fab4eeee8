"""Measure how much longer other requests take while the proxy works on one hostile request."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Prober, Provider, Proxy, Waits, prober, proxy
from benchmarks.attack.exchange import Answer, exchange, request
from benchmarks.attack.goals import ANSWERS, LARGE, SMALL, Row
from benchmarks.attack.verdicts import Figure, better_of_two
from benchmarks.attack.waiting_cases import CHAT, DIRECT, LITELLM, PROBE, Case, cases, config

_IDLE_S = 1.0
_AFTERWARDS_S = 0.1
_LONGEST_S = {SMALL: 6.0, LARGE: 12.0, ANSWERS: 6.0}
"""Seconds after which an attack that still runs is ended by killing the proxy."""


class Stand:
    """The proxy under attack and its prober. Both are restarted after an attack that did not end."""

    def __init__(self, directory: Path, settings: Mapping[str, object], models: Sequence[str]) -> None:
        self._directory, self._settings, self._models = directory, settings, models
        self._stack = contextlib.ExitStack()
        self._pair: tuple[Proxy, Prober] | None = None
        self.idle: list[Waits] = []

    def measure(self, case: Case) -> Figure:
        """Attack once and return how much longer others waited, in milliseconds."""
        running, asking = self._pair or self._start()
        sent = request(case.path, case.build())
        asking.begin()
        answer = exchange(running.port, sent, _LONGEST_S[case.row])
        if not answer.timed_out:
            time.sleep(_AFTERWARDS_S)  # work may go on behind the answer
        waits = asking.end()
        if answer.timed_out or running.running.process.poll() is not None:
            self.close()
        longer = longest_extra(waits, self.idle[-1])
        failed = sum(one["failed"] for one in waits.values())
        return Figure(case.row, case.name, longer, _note(answer, failed), ended=not answer.timed_out)

    def close(self) -> None:
        """End the proxy and the prober."""
        if self._pair is not None:
            self._pair[0].kill()
        self._pair = None
        self._stack.close()

    def _start(self) -> tuple[Proxy, Prober]:
        self._stack = contextlib.ExitStack()
        running = self._stack.enter_context(proxy(self._directory, self._settings))
        for name in self._models:  # no first import is measured
            body = bodies.chat(name, bodies.CHAT["short messages"](60))
            exchange(running.port, request(CHAT, body), 20.0)
        asking = self._stack.enter_context(prober(running.port, PROBE))
        time.sleep(0.3)
        asking.begin()
        time.sleep(_IDLE_S)
        self.idle.append(asking.end())
        self._pair = running, asking
        return self._pair


def longest_extra(waits: Waits, idle: Waits) -> float:
    """Return the milliseconds by which the worst wait exceeds the median wait of the idle proxy."""
    return max(0.0, *(waits[kind]["worst"] - idle[kind]["median"] for kind in waits))


def _note(answer: Answer, failed: float) -> str:
    said = "did not end" if answer.timed_out else f"{answer.status or 'closed'} after {answer.seconds:.1f} s"
    return f"{said}, {failed:.0f} probes failed" if failed else said


def run(
    directory: Path,
    attacked: Provider,
    calm: Provider,
    seconds: Mapping[Row, float],
    *,
    full: bool,
    wanted: str,
) -> list[Figure]:
    """Return the figures of the cases whose names hold *wanted*.

    *seconds* limits the time of each row. Cases of the row that are left after this time are not measured. Without
    *full*, a family that did not end on one wire is not tried on others, since each attempt would need a new process.
    """
    stands = {
        litellm: Stand(directory, config(attacked, calm, litellm=litellm), tuple(models))
        for litellm, models in ((False, DIRECT), (True, LITELLM))
    }
    figures: list[Figure] = []
    with contextlib.ExitStack() as stack:
        for stand in stands.values():
            stack.callback(stand.close)
        for row, left in seconds.items():
            chosen = [case for case in cases(row, full=full) if wanted in f"{row.key} {case.name}"]
            figures += _measure_row(stands, chosen, time.monotonic() + left, full=full)
    for stand in stands.values():
        for idle in stand.idle[:1]:
            told = (f"{kind} {one['median']:.1f} (worst {one['worst']:.1f})" for kind, one in idle.items())
            print(f"Others take, when nothing else runs, in ms: {', '.join(told)}.")
    return figures


def _measure_row(
    stands: Mapping[bool, Stand], chosen: Sequence[Case], until: float, *, full: bool
) -> list[Figure]:
    figures: list[Figure] = []
    endless: dict[str, str] = {}
    for case in chosen:
        if case.family in endless and not full:
            note = f"not tried: it did not end at {endless[case.family]}"
            figures.append(Figure(case.row, case.name, None, note))
        elif time.monotonic() > until:
            figures.append(Figure(case.row, case.name, None, "no time was left"))
        else:
            figures.append(better_of_two(functools.partial(stands[case.litellm].measure, case)))
            if not figures[-1].ended:
                endless[case.family] = case.wire
    return figures
