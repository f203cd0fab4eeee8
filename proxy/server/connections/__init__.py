"""Limits on client connections, so that clients with idle connections do not shut others out.

    limits  file descriptors of the process, and the number of connections that they allow
    guard   the hooks in aiohttp's server, the timers, the log line and the counts

The choice of the connection to close is in :mod:`proxy.core.connection_table`.
"""
