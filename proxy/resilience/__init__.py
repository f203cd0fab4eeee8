"""From a failed attempt to what happens next. Nothing here sleeps; the clock and randomness are arguments.

All of it is pure but what remembers: the circuits, the balancer and its budgets, poison, and fairness.

The parts:

    unwrap_error, read_delay, read_overflow, read_error   the provider's words as facts
    failure_table                                         one row for one kind of failure
    decide_action, back_off                               retry, repair, fall back or give up, and when
    client_error                                          what the client is told in the end
    repairs                                               the one change that a refused request gets
    circuit, balancer, retry_budget                       what is remembered of each deployment, and who is asked next
    poison                                                requests that were refused twice
    fairness                                              who gets a place when they are few
"""
