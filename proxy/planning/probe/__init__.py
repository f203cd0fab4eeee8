"""Decides which histories ``turnright probe`` sends to a provider, and what the replies mean. Nothing here sends them.

    history_values     a history as plain data, and builders of its messages
    turn_histories     the order of turns, calls and results
    message_histories  the content, the calls and the fields of one message
    media_histories    images
    all_histories      all of these, and the plain histories that every profile accepts
    known_refusals     the histories that each provider is known to refuse
    choose_cases       the histories that test one profile, proven by the checker
    judge_reply        a reply as agreement, difference, or nothing that tells
    order_requests         the order of the requests, and the point at which a probe stops
    count_tokens       the requests and tokens of a probe
    describe           the results as JSON-ready values, and the report

A profile is wrong if the provider refuses a history that the profile allows. It is probably wrong if the provider
accepts a forbidden history that it is known to refuse.
"""
