"""Limits and spend of client keys: what a request claims before it is sent, and what it has used at its end.

A request claims everything at once: requests and tokens a minute, a place among its key's parallel requests, and money,
each for the key and for its team. Either all claims are granted or none. A store that fails never fails a request,
unless the operator asks for that. The files:

    claims               the claims of a request, and the answers to them
    gcra                 the arithmetic of a bucket
    periods              the periods of spend
    limit_table          the limits of each key, from the configuration
    spend_book           the spend that this process knows
    spend_entry          the stored form of one process's spend
    ledger               the interface of a ledger
    memory_ledger        the ledger in this process's memory
    local_share          a replica's share of the limits, while the store is down
    fallback_ledger      a ledger, and the local share where it cannot be reached
    leases               requests that are claimed in advance
    key_accounts         what keys and teams have spent
    standings            what is left of the limits of a key
    remembered_refusals  the refusals that hold still
    refusals             makes refusals, and finds those that hold still
    admission            a request that was admitted
    limiter              the facade, which the rest of the proxy uses
"""
