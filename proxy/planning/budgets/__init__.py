"""The budget of a request: the target's limit in tokens, and the cuts of a history that is longer.

    policies      turns the settings into a policy of cuts
    limits        a deployment's window and limit in tokens
    fit_request   fits one request into the budget
    report        writes the tokens of a request into a header, a log line, a table

:mod:`proxy.state.learned_windows` holds the limits that deployments taught.
"""
