"""The id under which one request appears in headers, logs and error texts.

It does not go to the provider: vLLM takes an ``x-request-id`` for its own id and refuses a second request of that id
while the first still runs (vllm#10583, #11036), which a retry, or a client that uses one id twice, would be.
``traceparent`` is what joins the two sides.
"""

from __future__ import annotations

import os
import re

_ACCEPTED = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def request_id_for(sent: str | None) -> str:
    """Return the client's own ``x-request-id`` when it is a plain token, otherwise a new random one.

    A token only, because the id goes into a header and a log line: nothing a client sends can break either.
    """
    if sent is not None and _ACCEPTED.fullmatch(sent):
        return sent
    return "req_" + os.urandom(12).hex()
