"""Keeps clients that open connections and say nothing from shutting others out.

The files, in the order of the data:

    limits  descriptors of the process, and the number of connections that they allow
    table   which connection is closed when there are too many; pure
    guard   the hooks in aiohttp's server, the timers, the log line and the counts
"""
