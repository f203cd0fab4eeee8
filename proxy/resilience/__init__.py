"""Reads a failure and decides what follows, and shares what is scarce. Pure: clock and randomness are arguments.

The words of a provider as facts:

    unwrap_error, error_prefix                the innermost error of several
    request_words, own_objects, read_subject  words that the client's own request brought up
    read_delay, read_overflow, read_error     how long to wait, how much was too much, and all facts of an error

What follows:

    failure_table           one row for each kind of failure
    find_blame              whose fault it was
    decide_action, back_off retry, repair, fall back or give up, and when
    client_error            what the client is told in the end

What is remembered of deployments and of clients:

    circuit, sliding_count  failures of a deployment, for one key and for all
    retry_budget            how many retries there may be
    standing                one attempt's place at a deployment
    balancer                the deployment that is asked next
    fairness                places and memory, shared between clients
    memory_need             the memory that a request takes
"""
