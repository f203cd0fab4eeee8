"""The id of a request, which appears in headers, logs and error texts.

The provider does not get the id. vLLM takes an ``x-request-id`` as its own id. It refuses a second running request
with the same id (vllm#10583, #11036), such as a retry. ``traceparent`` connects the two sides instead.
"""

from __future__ import annotations

import os
import re

_ACCEPTED = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def request_id_for(sent: str | None) -> str:
    """Return the client's own ``x-request-id`` where it is a plain token, or a new random id.

    The id goes into a header and a log line, and a token cannot break either.
    """
    if sent is not None and _ACCEPTED.fullmatch(sent):
        return sent
    return "req_" + os.urandom(12).hex()
