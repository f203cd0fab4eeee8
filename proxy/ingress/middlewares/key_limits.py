"""Refuses a request of a key whose limits are known to be used up, before the body is read.

A replica remembers each refusal of its store until its wait is over. So a client that does not wait costs neither a
call to the store nor the reading of a body.
"""

from __future__ import annotations

from time import monotonic

from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.request_limits import refuse
from proxy.ingress.formats import FORMATS
from proxy.ingress.routes.paths import COMPACT
from proxy.observability.request_record import RequestRecord

_CALLS_A_MODEL = frozenset({*FORMATS, COMPACT})
"""The paths whose requests count. Others list models, count tokens, or change what is stored."""


def refuse_known(record: RequestRecord, gateway: Gateway) -> None:
    """Raise the refusal that holds for the key of *record*, if there is one and the path calls a model.

    Raises :class:`proxy.core.key_errors.RateLimited` and :class:`proxy.core.key_errors.BudgetExceeded`.
    """
    refusal = gateway.limiter.find_refusal(record.key, monotonic())
    if refusal is not None and record.route in _CALLS_A_MODEL:
        raise refuse(refusal, record, gateway)


def note_standing(record: RequestRecord, gateway: Gateway) -> None:
    """Give *record* what is left of the limits of its key, for the error of a request that was never admitted.

    These are the numbers that this process last heard of. An error does not ask the store.
    """
    if record.standing is None and record.key and record.route in _CALLS_A_MODEL:
        record.standing = gateway.limiter.last_standing(record.key)
