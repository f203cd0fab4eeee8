"""The inspector's page: what is changed in a history, step by step, and why, and what went through the process lately.

It shows, and changes nothing. Nothing of a request is logged or written to a disk. In the order of the data:

    read_query       what a page may send
    targets          a deployment for every profile
    dry_runs         what a look needs of the process
    inspect_request  one request, looked at for one target
    verdicts         the same request for every target
    steps            the history behind each step
    align_messages   where each message came from
    rule_texts       what steps, reasons and rules mean, in one sentence
    worker_thread    the thread that looks are made in
    pages            the page's files
    routes           all of it under ``/ui``
"""
