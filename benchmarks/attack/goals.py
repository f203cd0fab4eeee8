"""The rows of the table that ``make attack`` prints, and their goals."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: its key, group, title and unit, and the largest figure that meets its goal."""

    key: str
    group: str
    title: str
    unit: str
    goal: float
    digits: int = 0


DRAIN_DELAY_S = 0.5
DRAIN_GRACE_S = 1.0
STOP_SPARE_S = 2.0
"""Seconds that the proxy's exit may take beyond the drain delay and the grace period."""

SMALL = Row("wait_small", "time", "others wait behind a request below 1 MiB", "ms", 100)
LARGE = Row("wait_large", "time", "others wait behind a request up to max_body_mib", "ms", 250)
ANSWERS = Row("wait_answers", "time", "others wait behind a provider's hostile answer", "ms", 100)
DEADLINE = Row("deadline", "time", "a request ends after its deadline", "s", 0.5, 2)
STOP = Row("stop", "time", "SIGTERM to exit", "s", DRAIN_DELAY_S + DRAIN_GRACE_S + STOP_SPARE_S, 2)
KEYLESS = Row("keyless", "bytes", "CPU of a request without a key", "ms", 50)
INVITED = Row("invited", "bytes", "bodies invited without a key", "bodies", 0)
DIRECT = Row("memory_direct", "bytes", "peak memory of one request, direct", "times its body", 8, 1)
LITELLM = Row(
    "memory_litellm", "bytes", "peak memory of one request, through litellm", "times its body", 14, 1
)
OVERLAY = Row("memory_overlay", "bytes", "peak memory in an overlay", "times its limit", 1, 2)
BROWSER = Row("browser", "browser", "foreign requests served without a key", "requests", 0)
HONEST = Row("honest", "browser", "legitimate requests refused without a key", "requests", 0)
STATE = Row("state", "isolation", "state that one client changes for another", "changes", 0)
SILENT = Row("silent", "connections", "a client with a key waits beside silent connections", "s", 1, 2)
LOG = Row("log", "connections", "log lines written beside silent connections", "lines", 10)

ROWS = (
    SMALL, LARGE, ANSWERS, DEADLINE, STOP, KEYLESS, INVITED, DIRECT, LITELLM, OVERLAY, BROWSER, HONEST,
    STATE, SILENT, LOG,
)  # fmt: skip
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS))
