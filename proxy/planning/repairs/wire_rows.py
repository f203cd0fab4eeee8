"""The repair table's row for a model that is asked through another API."""

from __future__ import annotations

from proxy.planning.repairs.repair_row import Learning, Row
from proxy.planning.repairs.repair_wire import ask_by_items
from proxy.resilience.failure_table import NO_CHATS

WIRE_ROWS: tuple[Row, ...] = (
    Row(
        "no_chats",
        ask_by_items,
        says=NO_CHATS,
        learning=Learning.LOSSLESS,
        source="OpenAI's 404: tmuxai#82, docker-agent#313",
    ),
)
"""The rows, which are the last ones: the history and the parameters are repaired before."""
