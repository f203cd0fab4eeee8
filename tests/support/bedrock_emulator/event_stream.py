"""Encodes Amazon's binary event stream: one message per event, with its type in a header and two checksums.

Source: the encoding's description at
docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream. A header is a name with its
length, a kind (7: a string), and a value with its length.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

_STRING = 7


def encode_event(kind: str, payload: Mapping[str, Any]) -> bytes:
    """Return one event of the type *kind*, with a JSON payload."""
    headers = b"".join(
        _header(name, value)
        for name, value in (
            (":event-type", kind),
            (":content-type", "application/json"),
            (":message-type", "event"),
        )
    )
    body = json.dumps(payload, ensure_ascii=False).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    return (
        struct.pack(">B", len(name))
        + name.encode()
        + struct.pack(">BH", _STRING, len(value))
        + value.encode()
    )
