"""Fetches images that a request names by address, for models that take only bytes. Off by default.

The modules, in the order of the data:

    inlining      the images of one request: fetched once, put inline for each target
    fetching      fetches images over HTTP
    name_lookup   name resolution in threads of its own
    addresses     which IP addresses are public
    image_room    the bytes of the images, limited while they arrive

An address that a client names is a way into the operator's network. So only public addresses on ports 80 and 443 are
fetched. Time, size and number are limited, and no credentials, cookies or forward proxies are used. An address may
carry a token. So no log, metric or change holds the address, and an error names only its host.
"""
