"""The inspector: what is changed in a history, step by step, and why; and what went through the process lately.

    look        one request, looked at for one target                   steps      the history behind each step
    verdicts    the same request for every target                       places     where each message came from
    words       what steps, reasons and rules mean, in one sentence     targets    a deployment for every profile
    watch       recent requests and live numbers, in bounded memory     asking     what a page may send, read
    pages       the page's files                                        dry_runs   what a look needs of the process
    routes      all of it under ``/ui``

Deciding is pure: all but ``watch``, which remembers, ``pages``, which reads files, ``dry_runs`` and ``routes``. Nothing
of a request is logged or written to a disk.
"""
