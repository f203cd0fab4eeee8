"""Three replicas of ``turnright serve`` with limited keys on one Valkey, before a provider that bills.

All servers are real processes on loopback, but for the provider, which runs in the driver's event loop. Each run prints
a table: goal, figure, met or missed. The files:

    bucket         the exact number that a rate limit lets in
    bill           the provider's account, to the nano-dollar
    texts          texts whose tokens can be counted by eye
    wires          the provider's answers, in three wires
    provider       the provider: plans of answers, and the account
    configuration  the configuration of the replicas
    asking         one request in one of the client formats
    load           an open loop of requests
    accounts       what the gateway says of a key's spend
    goals          goals, and the figures that meet or miss them
    rates          minutes of load at three times the limits
    budgets        two hundred requests at once, with money for fifty
    plans          ten thousand requests at random: formats, faults, clients that leave
    spend          the gateway's account beside the provider's, while a replica is killed and the store emptied
    store_down     what is let in while the store is down
    waiting        a client that waits as it was told
    run            all of these, as a command
    cost           the CPU that limits on Redis add to a request
"""
