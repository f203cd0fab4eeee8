"""Ends what a request holds of its key's limits: charges what its attempts used, and frees the rest."""

from __future__ import annotations

from proxy.core.dollars import NANO_A_DOLLAR
from proxy.forwarding.gateway import Gateway
from proxy.observability.metrics.limits import MASTER
from proxy.observability.request_record import RequestRecord

_EXACT = "exact"


def settle_request(record: RequestRecord, gateway: Gateway) -> None:
    """Charge the tokens and the money of all attempts to the request's key, once. Never waits.

    It is called before the client has the end of its answer, so that the client's next request finds its place free.
    It is called again at the end of the request, however that ends. The second call does nothing.

    A request without limits adds to the totals of its key alone. A request that made no call gives back all.
    """
    if record.is_settled:
        return
    record.is_settled = True
    charges = () if record.meter is None else record.meter.charges
    admission = record.admission
    nano = estimated = tokens = 0
    for charge in charges:
        if charge.nano_usd:
            nano += charge.nano_usd
            series = gateway.metrics.spend.labels(record.key or MASTER, record.model, charge.exactness)
            series.inc(charge.nano_usd / NANO_A_DOLLAR)
        tokens += charge.tokens_in + charge.tokens_out  # the property would be a call more
        deployment = charge.deployment
        if charge.exactness != _EXACT:
            estimated += charge.nano_usd or 0
        elif charge.tokens_out and (admission is not None or deployment.tpm is not None):
            gateway.output_lengths.note(record.key, deployment.model, charge.tokens_out)
    if admission is None:
        if charges:
            gateway.limiter.count(record.key, nano_usd=nano, estimated_nano=estimated, tokens=tokens)
    elif record.attempts:
        admission.settle(nano_usd=nano, estimated_nano=estimated, tokens=tokens)
    else:
        admission.release()


async def free_place(record: RequestRecord, gateway: Gateway) -> None:
    """Settle the request of *record*, and wait for a moment until other processes can see that its place is free.

    The client may send its next request to another process as soon as it has the end of its answer. Only requests of
    keys with a limit of parallel requests wait.
    """
    settle_request(record, gateway)
    if record.admission is not None:
        await record.admission.free_place()
