"""Builders of the record of a planned request, for the tests of this folder."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from tests.support.proxied import CHAT, MODEL, settings_of

(DEPLOYMENT,) = resolve(settings_of(), MODEL)
PAIRED = Change("pairing", "inserted", 1, "missing_result")
MENDED = Change("answer_repair", "replaced", 0, "arguments_fenced")


@dataclass(frozen=True)
class Sent:
    """A request that was planned, in a *mode* and with *changes*."""

    mode: str = "repair"
    changes: tuple[Change, ...] = ()
    dropped: tuple[str, ...] = ()
    deployment: Deployment = DEPLOYMENT


def record_of(planned: Sent | None = None, *answered: Change) -> RequestRecord:
    """Return the record of a request that arrived at second 1, with the changes *answered* of its answer."""
    record = RequestRecord("req_1", CHAT, 1.0)
    if planned is not None:
        record.use_plan(planned, answered)
    return record
