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
"""The history that shows, for each ability, that the provider answers at all."""

HISTORIES: tuple[ProbeHistory, ...] = (
    *ORDER_HISTORIES,
    *PAIRING_HISTORIES,
    *CONTENT_HISTORIES,
    *CALL_HISTORIES,
    *FIELD_HISTORIES,
    *MEDIA_HISTORIES,
)
"""Every history. A rule may have several: the rule's own conditions decide which of them a profile forbids."""
