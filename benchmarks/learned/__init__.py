"""Drives learned repairs through the HTTP interface: real applications or processes, and a provider that refuses.

provider       the provider on loopback, with OpenAI's wire and Gemini's
target_faults  the faults of targets, each with the provider's words and a request that has it
conversations  the requests of an agent at such a target
gateways       turnright in this process, with one configuration
rounds         the calls that 1,000 requests cost at a target with one fault

Three modules measure the decision code alone:

hostile_errors    what 10,000 errors teach that quote a hostile client
error_texts       the errors, with and without their quotations
refused_requests  the refused requests, and other requests to the same deployment
"""
