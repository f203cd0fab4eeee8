"""Images that a request names by address, fetched for a model that takes bytes only. Off unless the operator asks.

Fetching what a client names is a way into the operator's network. So it goes to public addresses alone
(:mod:`proxy.upstream.media.addresses`), on the usual ports, bounded in time, size and number, with no credentials,
cookies or forward proxy. An address may carry a token: it is in no log, metric or change, and an error names its host
alone.
"""
