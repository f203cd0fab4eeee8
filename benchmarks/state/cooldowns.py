"""``python -m benchmarks.state.cooldowns``: a cooldown that a provider asked for, as seen by all replicas.

A pool has two deployments. One of them answers a single replica with 429 and a delay. From then on no replica may send
to this deployment, and after the delay one probe at a time among all replicas tests the deployment. All replicas are
under load meanwhile, and no request may fail.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gateway.machine import describe
from benchmarks.state.load import OpenLoad
from benchmarks.state.provider import Provider, providing
from benchmarks.state.replicas import Replicas, config_for
from benchmarks.violations import print_violations
from proxy.emulator.faults import NO_FAULT, Fault
from tests.support.store_servers import valkey_server

KNOWN_S = 1.1
"""Seconds after the refusal. From then until the cooldown's end, no replica may send to the deployment."""

_SLACK_S = 0.2
"""Seconds by which the cooldown's end may differ between the provider and a replica."""

_WEAK, _READY = "gemini-3.6-flash", "gemini-3-pro-preview"
_PROBED_S = 1.5
"""Seconds after the cooldown in which a replica begins a probe."""

_PAUSE_S = 3.0
"""Seconds between two trials, in which all replicas learn that the deployment is well."""


@dataclass(frozen=True)
class Times:
    """The seconds of the cooldown that the provider asks for, and of a probe's answer."""

    delay_s: float = 5.0
    probe_s: float = 2.0


@dataclass
class Trial:
    """One cooldown: the calls to the deployment after the refusal, in seconds since the refusal."""

    times: Times
    calls: list[float] = field(default_factory=list)
    at_once: int = 0
    """The most calls that the deployment was answering at one moment, before it answered the first probe."""

    probed_after: float | None = None
    back_after: float | None = None
    """Seconds until the first probe was answered."""

    @property
    def early(self) -> list[float]:
        """The calls before the cooldown's end."""
        return [call for call in self.calls if call < self.times.delay_s - _SLACK_S]

    @property
    def last_early(self) -> float:
        """The last call before the cooldown's end, or 0."""
        return max(self.early, default=0.0)


class WeakDeployment:
    """Draws the faults of the deployment: one refusal, then slow answers, whose calls are noted."""

    def __init__(self, provider: Provider, times: Times) -> None:
        self._times = times
        self._loop = asyncio.get_running_loop()
        self._phase = "well"
        self._running = 0
        self._refused_at = 0.0
        self.trial = Trial(times)
        self.refused = asyncio.Event()
        provider.faults.draw = self._draw

    def refuse_next(self) -> None:
        """Refuse the next call with 429 and a delay."""
        self.trial, self._phase, self._running = Trial(self._times), "refuse", 0
        self.refused.clear()

    def heal(self) -> None:
        """Answer at once again."""
        self._phase = "well"

    def _draw(self, model: str) -> Fault:
        if model != _WEAK or self._phase == "well":
            return NO_FAULT
        if self._phase == "refuse":
            self._phase, self._refused_at = "cooling", self._loop.time()
            self.refused.set()
            return Fault(status=429, retry_delay_seconds=self._times.delay_s)
        trial, since = self.trial, self._loop.time() - self._refused_at
        trial.calls.append(since)
        if since < self._times.delay_s - _SLACK_S:
            return NO_FAULT
        trial.probed_after = trial.probed_after or since
        if trial.back_after is None:
            self._running += 1
            trial.at_once = max(trial.at_once, self._running)
            self._loop.call_later(self._times.probe_s, self._answered, trial)
        return Fault(delay_seconds=self._times.probe_s)

    def _answered(self, trial: Trial) -> None:
        self._running -= 1
        if trial.back_after is None:
            trial.back_after = self._loop.time() - self._refused_at


async def try_once(weak: WeakDeployment, replicas: Replicas, load: OpenLoad, place: int) -> Trial:
    """Let the deployment refuse a call of the replica *place*, and watch the calls of all replicas afterwards."""
    weak.refuse_next()
    origins = replicas.origins
    load.origins = lambda: [origins[place]]
    async with asyncio.timeout(30.0):
        await weak.refused.wait()
    load.origins = lambda: origins
    trial = weak.trial
    await asyncio.sleep(trial.times.delay_s + trial.times.probe_s + _PROBED_S)
    weak.heal()
    return trial


def judge(number: int, trial: Trial) -> list[str]:
    """Return the rules that a trial broke."""
    broken = []
    if trial.last_early > KNOWN_S:
        broken.append(f"a call {trial.last_early:.2f} s after the refusal")
    if trial.at_once > 1:
        broken.append(f"{trial.at_once} probes at once")
    if trial.probed_after is None:
        broken.append("no probe after the cooldown")
    return [f"trial {number}: {one}" for one in broken]


async def run(directory: Path, *, trials: int, rate: float, times: Times) -> tuple[list[Trial], list[str]]:
    """Run *trials*, and return them with the violations."""
    found: list[Trial] = []
    with valkey_server() as server:
        async with providing() as provider:
            models = [f"gemini/{model}" for model in (_WEAK, _READY)]
            replicas = Replicas(directory, config_for(provider, {"url": server.url}, models=models))
            async with replicas:
                weak = WeakDeployment(provider, times)
                load = OpenLoad(lambda: replicas.origins, rate)
                stop = asyncio.Event()
                async with asyncio.TaskGroup() as group:
                    group.create_task(load.run(stop))
                    await asyncio.sleep(1.0)
                    for number in range(trials):
                        if number:
                            await asyncio.sleep(_PAUSE_S)
                        found.append(await try_once(weak, replicas, load, number % len(replicas.all)))
                    stop.set()
    violations = [one for number, trial in enumerate(found) for one in judge(number, trial)]
    violations += [f"a request failed: {one.failure}" for one in load.outcomes if one.failure][:5]
    return found, violations + replicas.faults


def main() -> int:
    """Print a row for each trial, and return 1 where a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.state.cooldowns", description=__doc__)
    parser.add_argument("--trials", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--rate", type=float, default=60.0, help="requests a second (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trials, violations = asyncio.run(
            run(Path(scratch), trials=options.trials, rate=options.rate, times=Times())
        )
    print(f"{describe()}. {options.rate:.0f} requests a second.\n")
    print("| trial | last call in the cooldown, s | calls in it | first probe, s | probes at once |")
    print("|---|---|---|---|---|")
    for number, trial in enumerate(trials):
        probed = "-" if trial.probed_after is None else f"{trial.probed_after:.2f}"
        print(f"| {number} | {trial.last_early:.2f} | {len(trial.early)} | {probed} | {trial.at_once} |")
    return 1 if print_violations(violations) else 0


if __name__ == "__main__":
    sys.exit(main())
