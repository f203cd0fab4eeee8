"""Stored responses and conversations, for clients that send only what is new (``previous_response_id``).

A session is no cache. A request that names one fails where the store cannot be asked, and is never answered without its
history. So sessions have a store interface of their own, which tells a missing value from a failure. The files:

    sessions          what the rest of the proxy uses
    create_sessions   the sessions that the configuration asks for
    describe_sessions what is kept, in words
    record_store      the interface of the place where sessions are kept
    memory_records    that place in this process's memory
    external_records  that place in the store outside of the process
    responses         responses, and the places of their items
    conversations     conversations, to which items are added
    read_history      reads the items of a chain of responses
    turn_entry        the stored form of one step of a chain
    turn_window       the newest turns of a conversation
    item_lists        ids of items, pages, items that were sent again
    values            reads and writes values in batches
    packed_values     the bytes of a value
    renewals          keeps values in use from expiring
    session_errors    the errors

Keys of values: ``t:`` a step with its output, ``n:`` its input, ``r:`` its response object, ``i:`` the place of an
item, ``c:`` a conversation. The files below :mod:`proxy.state.external` make names without text out of them.
"""
