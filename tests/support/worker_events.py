"""Sends fewer events from pytest-xdist workers, whose six events per test cost more than most unit tests.

Each event is written, sent and read in pure Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Send = Callable[..., None]


def send_fewer_events(config: pytest.Config) -> None:
    """Drop a worker's events that the terminal does not show. Outside of a worker, do nothing.

    ``--durations`` and ``--junit-xml`` read all reports, so all events are sent with these options.
    """
    if config.getoption("durations") is not None or config.getoption("xmlpath"):
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":  # xdist offers no setting for this
            plugin.sendevent = _without_noise(plugin.sendevent)


def _without_noise(send: Send) -> Send:
    def send_what_counts(name: str, **fields: Any) -> None:
        if not is_noise(name, fields):
            send(name, **fields)

    return send_what_counts


def is_noise(name: str, fields: dict[str, Any]) -> bool:
    """Tell whether an event says only that a test begins or ends, or that its set-up or clean-up went well."""
    if name != "testreport":
        return name in ("logstart", "logfinish")
    report = fields["data"]
    return report["when"] != "call" and report["outcome"] == "passed" and not report["sections"]
