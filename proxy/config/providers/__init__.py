"""The providers that the direct transport can call: their addresses, variables and endpoints, one row for each.

    provider_row      the fields of a row
    provider_rows     the rows whose facts litellm has in its code
    listed_providers  the rows that litellm lists in a data file, read from its package
    find_provider     the row of a provider

How a provider takes parameters is in :mod:`proxy.upstream.dialects`, and how its histories must look in
:mod:`sanitizers.profile_names`.
"""
