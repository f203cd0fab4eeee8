"""Records what happened around one fault of the store, and the rules that were broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.chaos.watching import Samples, by_label, total
from benchmarks.state.load import OpenLoad, p99_ms
from benchmarks.state.provider import Came, Provider
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import StoreServer

BACK_S = 2.0
"""Seconds after the end of a fault within which all replicas use the store again."""

OPENS_S = 2.0
"""Seconds after the beginning of a fault within which all circuits around a store that does not answer are open."""

LATE = 0.01
"""The share of signatures that may be lost while the store is well, since a busy machine did not write them in time."""

MAX_LINES = 2
"""Log lines of a replica for each change of the store's state."""

TESTS_PER_S = 2.0
"""The most failed calls a second to a store whose circuit is open: one ping, and one more for inexact timers."""

UP, ERRORS, SKIPPED = "turnright_store_up", "turnright_store_errors_total", "turnright_store_skipped_total"


@dataclass
class Row:
    """The events around one fault. *violations* names the broken rules."""

    fault: str
    requests: int = 0
    failed: int = 0
    stand_ins: int = 0
    skipped: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    lines: int = 0
    back_s: float = 0.0
    lost: int = 0
    """Signatures that were lost although the store had been well for :data:`BACK_S` seconds."""

    p99_before: float = 0.0
    p99_first: float = 0.0
    p99_later: float = 0.0
    violations: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stand:
    """The store's server, the provider, the replicas and the load during a fault."""

    server: StoreServer
    provider: Provider
    replicas: Replicas
    load: OpenLoad


def judge_open(row: Row, opened: Sequence[Samples], closing: Sequence[Samples], seconds: float) -> None:
    """Check that replicas skipped their look-ups while the store did not answer, and asked only to test the store.

    *seconds* is the time from before the first reading to after the last one.
    """
    for place, (first, last) in enumerate(zip(opened, closing, strict=True)):
        if total(last, UP) != 0:
            row.violations.append(f"replica {place} says that the store is up")
        skipped = total(last, SKIPPED) - total(first, SKIPPED)
        asked = total(last, ERRORS) - total(first, ERRORS)
        row.skipped += int(skipped)
        if not skipped:
            row.violations.append(f"replica {place} skipped no look-up while the circuit was open")
        if asked > seconds * TESTS_PER_S:
            row.violations.append(f"replica {place} asked {asked:.0f} times in {seconds:.1f} s")


def judge_errors(row: Row, before: Sequence[Samples], after: Sequence[Samples]) -> None:
    """Note the store's errors that all replicas have counted between the two readings, by kind."""
    for first, last in zip(before, after, strict=True):
        was = by_label(first, ERRORS, "kind")
        for kind, count in by_label(last, ERRORS, "kind").items():
            if count > was.get(kind, 0):
                row.errors[kind] = row.errors.get(kind, 0) + count - was.get(kind, 0)


def judge_lines(row: Row, replicas: Replicas, before: Sequence[Counter[str]]) -> None:
    """Count the log lines of each replica since *before*, for two changes of the store's state."""
    for place, (was, now) in enumerate(zip(before, replicas.line_counts(), strict=True)):
        new = now - was
        row.lines = max(row.lines, new.total())
        if new.total() > 2 * MAX_LINES:
            row.violations.append(f"replica {place} wrote {new.total()} lines: {dict(new)}")


def judge_requests(row: Row, stand: Stand, began: float, ended: float) -> None:
    """Count failures and stand-ins of the requests that began during the fault, and measure their durations."""
    load = stand.load
    struck = load.since(began, ended)
    failures = [one.failure for one in struck if one.failure]
    row.requests, row.failed = len(struck), len(failures)
    row.violations += [f"a request failed: {failure}" for failure in failures[:3]]
    row.p99_before = p99_ms(load.since(began - 3.0, began))
    row.p99_first = p99_ms(load.since(began, began + 1.0))
    row.p99_later = p99_ms(load.since(began + 1.0, ended))
    row.stand_ins = sum(_came(stand, one.mark) in (Came.STAND_IN, Came.NONE) for one in struck)
    if wrong := stand.provider.seen.every()[Came.WRONG]:
        row.violations.append(f"{wrong} wrong signatures were sent")


def judge_back(row: Row, stand: Stand, ended: float, done: float) -> None:
    """Check that the store was used again in time, and that later signatures were restored."""
    if row.back_s > BACK_S:
        row.violations.append(f"back in use after {row.back_s:.1f} s")
    well = stand.load.since(ended, done)
    row.failed += sum(bool(one.failure) for one in well)
    row.requests += len(well)
    row.violations += [f"a request failed: {one.failure}" for one in well if one.failure][:3]
    used = [came for one in well if one.at > ended + BACK_S and (came := _came(stand, one.mark))]
    row.lost = used.count(Came.STAND_IN)
    if row.lost > max(1.0, LATE * len(used)):
        row.violations.append(f"{row.lost} of {len(used)} signatures were lost when the store was well again")


def _came(stand: Stand, mark: str) -> Came | None:
    found = stand.provider.seen.signatures.get(mark)
    return found[0] if found else None


def print_rows(rows: Sequence[Row]) -> None:
    """Print the table."""
    columns = (
        *("fault", "requests", "failed", "stand-ins", "skipped", "errors", "lines", "back in use, s"),
        *("lost then", "p99 before, ms", "p99 first second", "p99 later"),
    )
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        errors = ", ".join(f"{kind} {count}" for kind, count in row.errors.items()) or "-"
        cells = (
            *(row.fault, row.requests, row.failed, row.stand_ins, row.skipped, errors, row.lines),
            *(f"{row.back_s:.1f}", row.lost),
            *(f"{p99:.0f}" for p99 in (row.p99_before, row.p99_first, row.p99_later)),
        )
        print(f"| {' | '.join(map(str, cells))} |")
