"""Drives learned repairs through the HTTP interface: real applications or processes, and a provider that refuses.

    provider       the provider on loopback, with OpenAI's wire and Gemini's
    target_faults  the faults of targets, each with the provider's words and a request that has it
    conversations  the requests of an agent at such a target
    gateways       turnright in this process, with one configuration
    rounds         the calls that 1,000 requests cost at a target with one fault
    mended         the requests, or the hours, after which a mended fault is unlearned
    sharing        what is learned over a restart, and by two processes

Three modules measure the decision code alone:

    hostile_errors    what 10,000 errors teach that quote a hostile client
    error_texts       the errors, with and without their quotations
    refused_requests  the refused requests, and other requests to the same deployment

The drivers are rounds, mended, sharing and hostile_errors. Each is run as ``python -m benchmarks.learned.NAME``, and
``make bench-learned`` runs all of them.
"""
