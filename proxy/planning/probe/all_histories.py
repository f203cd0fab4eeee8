"""All histories of the probe, as plain data, and the histories that every profile accepts."""

from __future__ import annotations

from proxy.planning.probe.history_values import Need, ProbeHistory, calling, image, result, text, user
from proxy.planning.probe.media_histories import MEDIA_HISTORIES
from proxy.planning.probe.message_histories import CALL_HISTORIES, CONTENT_HISTORIES, FIELD_HISTORIES
from proxy.planning.probe.turn_histories import ORDER_HISTORIES, PAIRING_HISTORIES

BASELINES: dict[Need, ProbeHistory] = {
    "text": ProbeHistory("baseline-text", "", (user(),)),
    "tools": ProbeHistory("baseline-tools", "", (user(), calling(), result()), "tools"),
    "media": ProbeHistory("baseline-media", "", (user([text(), image()]),), "media"),
}
"""For each ability that a history needs, a legal history.

Its answer shows that the provider answers requests with that ability.
"""

HISTORIES: tuple[ProbeHistory, ...] = (
    *ORDER_HISTORIES,
    *PAIRING_HISTORIES,
    *CONTENT_HISTORIES,
    *CALL_HISTORIES,
    *FIELD_HISTORIES,
    *MEDIA_HISTORIES,
)
"""Every history that tests a rule. A rule may have several, and a profile may forbid only some of them."""
