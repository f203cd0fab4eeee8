"""Reads a failure and decides what follows, and shares limited resources between clients.

Pure: callers pass the time and the random numbers. These modules read a provider's error into facts:

    unwrap_error, error_prefix                the innermost of several nested errors
    request_words, own_objects, read_subject  tell quotations of the request from the provider's own words
    read_delay                                the requested delay
    overflow_table, read_overflow             the context limit
    read_error                                all facts of an error

These modules decide what follows:

    failure_table           one row for each kind of failure
    find_blame              a failure's consequence for the deployment
    decide_action           retry, repair, fall back or give up, and the delay
    client_error            the code and headers of the error that the client gets
    hide_quotations         takes the operator's instructions out of its message

These modules keep the state of deployments and clients:

    circuit, sliding_count  counts failures of a deployment, for each tenant
    shared_circuit          the state of a deployment that counts for all tenants
    account_cooldown        a cooldown that a provider asked for, as all replicas know it
    probe_lease             the lease of the one probe among all replicas
    retry_budget            limits the share of retries
    deployment_health       the circuits and calls in flight of one deployment
    balancer                chooses the next deployment
    fairness                shares places and memory between clients
    memory_need             estimates the memory that a request takes
"""
