"""Keeps clients that open connections and say nothing from shutting others out.

    limits  descriptors of the process, and the number of connections that they allow
    guard   the hooks in aiohttp's server, the timers, the log line and the counts

Which connection is closed when there are too many is in :mod:`proxy.core.connection_table`.
"""
