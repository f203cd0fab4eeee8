"""The budget of a request: how much its target takes, and what is made of a history that is longer.

    policies     the settings as what may be cut, and when      limits  what a deployment takes
    fit_request  one request made to fit, and what it came to   report  that in a header, a log line, a table

What deployments taught is in :mod:`proxy.state.learned_windows`.
"""
