"""Tests of the metrics of the process."""

from __future__ import annotations

from proxy import __version__
from proxy.core.connection_table import Reason
from proxy.observability.metrics import Metrics


def test_series_of_the_process_exist_from_its_start() -> None:
    """The start sets the gauge of a successful reload, and counts no reload.

    An alert on a rate needs counters that begin at 0.
    """
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in Metrics().registry.collect()
        for sample in family.samples
    }

    assert samples["turnright_build_info", __version__] == 1
    assert samples["turnright_config_reload_success",] == 1
    assert samples["turnright_config_reload_timestamp_seconds",] > 1.7e9
    assert [samples["turnright_config_reloads_total", result] for result in ("ok", "failed")] == [0, 0]
    assert {samples["turnright_connections_closed_total", reason.value] for reason in Reason} == {0}
    assert samples["turnright_ready",] == samples["turnright_offload_waiting",] == 0
