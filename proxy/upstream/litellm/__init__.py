"""Calls providers through litellm, which only the module ``transport`` imports.

The modules, in the order of the data:

    environment       environment variables for litellm, set before it is imported
    messages, tools   histories and tools as litellm passes them on
    arguments         the arguments of a call
    loop              a second event loop for large calls
    clients           litellm's HTTP clients, with limited errors and without cookies
    credential_faults litellm's failures to get credentials
    errors            litellm's errors as the proxy's own
    transport         the calls, built from the files above
"""
