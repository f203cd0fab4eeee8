"""Digests that this process has computed before, found by a fingerprint that costs less than the digest.

A conversation asks for the digest of the same messages with each of its requests. The fingerprint uses Python's own
hash of a text: 64 bits, with a secret of the process. Python keeps a text's hash. Counting a request's tokens has
already computed the hashes of its texts. A fingerprint begins with the digest of the conversation's first messages. So
one tenant's fingerprints never find another's digests.
"""

from __future__ import annotations

from proxy.core.tenant_lru import TenantLru
from proxy.planning.compact.hash_chain import HashChain, encode_message
from sanitizers.messages import Message, Messages
from sanitizers.work_limit import metered

_MOST = 16_384
"""The most digests that are kept: some 5 MB."""


class KnownPrefixes:
    """Known digests of the beginnings of histories, by tenant, number of messages and fingerprint."""

    def __init__(self) -> None:
        self._digests: TenantLru[tuple[int, int], bytes] = TenantLru(_MOST)

    def digest_of(self, tenant: str, chain: HashChain, fingerprints: Fingerprints, length: int) -> bytes:
        """Return the digest of the first *length* messages of *chain*, whose prefixes have these *fingerprints*."""
        place = (length, fingerprints.of(length))
        digest = self._digests.use(tenant, place)
        if digest is None:
            digest = chain[length]
            self._digests.put(tenant, place, digest)
        return digest


class Fingerprints:
    """The fingerprints of the prefixes of *messages*, each computed when it is first asked for.

    *root* is a digest of the conversation's first messages.
    """

    def __init__(self, messages: Messages, root: bytes) -> None:
        self._messages = messages
        self._done = [hash(root)]

    def of(self, length: int) -> int:
        """Return the fingerprint of the first *length* messages."""
        done = self._done
        if length >= len(done):
            mark = done[-1]
            for message in metered(self._messages[len(done) - 1 : length]):
                mark = _fingerprint(mark, message)
                done.append(mark)
        return done[length]


def _fingerprint(before: int, message: Message) -> int:
    """Return the fingerprint after *message*, made from *before*, the fingerprint of the messages before it.

    Histories with equal digests may have different fingerprints.
    """
    content = message.get("content")
    if (content is None or content.__class__ is str) and "function_call" not in message:
        calls = message.get("tool_calls")
        if not calls:
            return hash((before, message.get("role"), content))
        try:
            made = [(call["function"]["name"], call["function"]["arguments"]) for call in calls]
            return hash((before, message.get("role"), content, *made))
        except (KeyError, TypeError):  # a call of another form
            pass
    return hash((before, encode_message(message)))
