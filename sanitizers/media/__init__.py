"""Accessors for media parts: their content, whether the bytes can be read, and the type of the bytes.

The checker and the steps use them, as they use :mod:`sanitizers.messages`:

    reading      the address, or the bytes and type, of a part
    payloads     base64, and the type that the first bytes show
    violations   the checker's rules for one part (repairs are in :mod:`sanitizers.steps.media`)
"""
