"""The budget of a request: the deployment's limit in tokens, and the cuts of a history that is too long.

    budget_facts  the operator's policy of cuts, and what a target has taught
    limits        a deployment's window and limit in tokens
    fit_request   fits one request into the budget
    fit_by_mode   does so by the rules of a mode of sanitizing
    report        writes the tokens of a request into a header, a log line, a table

:mod:`proxy.state.learned_windows` holds the limits that were learned from providers' errors.
"""
