"""Counts what each attempt of a request used, exactly or by an estimate, and what it cost.

A failed attempt counts too: a provider bills for an answer that cannot be used, and for the part of an answer that a
client did not wait for. An attempt that the provider refused, or that did not reach it, used nothing.

The files, in the order of the data:

- request_meter: the charges of one request
- used_by_attempt: what is known of an attempt's use at its end
- meter_attempt: the charge of an attempt that ended, with the estimates that it needs

The end of a request adds the charges to the spend of its key (:mod:`proxy.forwarding.limits.settle_request`).
"""
