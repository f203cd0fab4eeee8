"""The inspector's page: shows how a history is changed step by step, and the requests of the last minutes.

The page changes nothing. Nothing of a request is logged or written to a disk. The files, in the order of the data:

    read_query       the parser of the page's requests
    find_format      the API that a request was written for
    convert_items    the chat that a request of another API becomes
    targets          a deployment for every profile
    dry_runs         dry runs, with the facts that the process has learned
    inspect_request  one request, shown for one target
    verdicts         the same request for every target
    steps            the history after each step
    wire_body        the request on its provider's wire
    align_messages   the original position of each message
    rule_texts       one sentence about each step, reason and rule
    facts_in_words   sentences with the facts of single requests
    worker_thread    the inspector's worker thread and its limits
    receive_query    the body of the page's request, and a seat for its inspection
    key_table        the spend and the limits of each key
    pages            the page's files
    routes           the handlers of the paths below ``/ui``
"""
