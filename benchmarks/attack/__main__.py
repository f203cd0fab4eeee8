"""``make attack``: hostile requests against the real process, and the table of goals, figures and verdicts.

Exits with 1 if a case misses its goal, or if no case ran. A case for which no time was left counts as missed too.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack import browser, deadlines, isolation, keyless, memory, silent, stopping, waiting
from benchmarks.attack.child import Provider, provider, raise_own_limit
from benchmarks.attack.goals import ANSWERS, GROUPS, LARGE, SMALL
from benchmarks.attack.verdicts import Figure, missed, render_cases, render_rows
from benchmarks.gateway.machine import describe


@dataclass(frozen=True, slots=True)
class Field:
    """The settings that all parts share, with two providers.

    *attacked* answers the attacks, and *calm* answers the waiting clients.
    """

    directory: Path
    attacked: Provider
    calm: Provider
    factor: float
    """The factor by which the usual time of each part is multiplied."""

    full: bool
    wanted: str


def _waits(field: Field) -> list[Figure]:
    seconds = {SMALL: 300.0, ANSWERS: 60.0, LARGE: 400.0}
    given = {row: left * field.factor for row, left in seconds.items()}
    return waiting.run(
        field.directory, field.attacked, field.calm, given, full=field.full, wanted=field.wanted
    )


_NICE = 5
"""The niceness of the attacked provider, so that it does not take CPU time from the prober."""

_Run = Callable[..., list[Figure]]


def _of(run: _Run, seconds: float) -> Callable[[Field], list[Figure]]:
    """Return a function that calls *run* with its usual time, *seconds*, multiplied by the field's factor."""
    return lambda field: run(field.directory, field.attacked, seconds * field.factor, wanted=field.wanted)


_PARTS: Mapping[str, tuple[str, Callable[[Field], list[Figure]]]] = {
    "waiting": ("time", _waits),
    "deadlines": ("time", _of(deadlines.run, 50)),
    "stopping": ("time", _of(stopping.run, 50)),
    "keyless": ("bytes", _of(keyless.run, 30)),
    "memory": ("bytes", _of(memory.run, 75)),
    "silent": ("connections", _of(silent.run, 40)),
    "browser": ("browser", _of(browser.run, 15)),
    "isolation": ("isolation", _of(isolation.run, 70)),
}
"""Maps the name of each part to its group and its function, in the order in which the parts run."""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", choices=(*GROUPS, *_PARTS), help="a group or a part (repeatable)"
    )
    parser.add_argument("--case", default="", metavar="TEXT", help="only the cases whose names hold TEXT")
    parser.add_argument("--full", action="store_true", help="every family on every wire, at every size")
    parser.add_argument(
        "--patience", type=float, default=1.0, metavar="N", help="N times the usual time for each part"
    )
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="the table alone, without a line for each case that met its goal",
    )
    return parser.parse_args()


def _leave(*_: object) -> None:
    raise SystemExit("ended")


def main() -> None:
    """Run the chosen parts, print the table, and exit with 1 if a goal is missed."""
    options = _options()
    only = options.only or GROUPS
    began = time.monotonic()
    signal.signal(signal.SIGTERM, _leave)  # otherwise the processes would be left running
    raise_own_limit()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch, provider(_NICE) as attacked, provider() as calm:
        field = Field(Path(scratch), attacked, calm, options.patience, options.full, options.case)
        for name, (group, run) in _PARTS.items():
            if name in only or group in only:
                started = time.monotonic()
                figures += run(field)
                if not options.markdown:
                    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
    bad = missed(figures)
    print(f"\n{describe()}. {len(figures)} cases in {time.monotonic() - began:.0f} s.\n")
    print(render_rows(figures))
    listed = bad if options.markdown else figures
    if listed:
        print(f"\n{render_cases(listed)}")
    if bad or not figures:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
