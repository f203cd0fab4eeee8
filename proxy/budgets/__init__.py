"""The budget of a request: how much its target takes, and what is made of a history that is longer.

    policies     the settings as what may be cut, and when      limits       what a deployment takes
    fit_request  one request made to fit, and what it came to   knowledge    what deployments taught
    report       that in a header, a log line, a table

Deciding is pure (:mod:`sanitizers.budget` and all here but ``knowledge``, which remembers).
"""
