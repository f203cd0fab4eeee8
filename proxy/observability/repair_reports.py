"""Logs that a repair becomes learned for a client's requests, and that it is learned no longer."""

from __future__ import annotations

from proxy.observability.logs import get_log
from proxy.state.repairs.repair_key import LearnedRepair


def report_repair(label: str, repair: LearnedRepair, *, learned: bool, tenant: str) -> None:
    """Log the change (:class:`proxy.state.repairs.learned_repairs.RepairReport`).

    The feature is a known parameter's name or a digest, so the line holds no text of a client.
    """
    get_log().info(
        "repair_learned" if learned else "repair_unlearned",
        model=label,
        fault=repair.key.fault,
        feature=repair.key.feature,
        confidence=round(repair.confidence, 2),
        key=tenant,
    )
