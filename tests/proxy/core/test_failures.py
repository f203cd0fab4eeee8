"""Tests of the facts about a failed call."""

from __future__ import annotations

from proxy.core.failures import Evidence, error_weight
from proxy.core.offload import LARGE


def test_logged_evidence_holds_no_text_of_the_provider() -> None:
    """The representation of a provider's error shows its status alone, since the rest may repeat a key."""
    evidence = Evidence(400, {"x-key": "sk-secret"}, b'{"error": "sk-secret"}')

    assert repr(evidence) == "Evidence(status=400)"


def test_long_error_is_read_in_a_worker_thread() -> None:
    """An error above 16 KiB is read in a worker thread. A shorter error is read on the event loop."""
    assert error_weight(b"x" * 1_000) < LARGE
    assert error_weight(b"x" * (16 * 2**10 + 1)) > LARGE
