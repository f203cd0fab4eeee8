"""The identity of a deployment: a digest that is the same in every process and for every position in the file.

Facts that outlive a process are stored under this identity. Replicas may have different versions of the configuration,
so the position of an entry says nothing to another process.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from pydantic import SecretStr

from proxy.core.deployment import Deployment

_CACHED = 4_096


@lru_cache(maxsize=_CACHED)
def identity_of(deployment: Deployment) -> str:
    """Return 32 hexadecimal digits for the provider, its address, the model and the cloud project."""
    project = deployment.credentials.get("vertex_project", "")
    return _digest(deployment.provider, deployment.api_base or "", deployment.model, _text(project))


@lru_cache(maxsize=_CACHED)
def account_identity_of(deployment: Deployment) -> str:
    """Return 32 hexadecimal digits for the deployment and its credentials, since quotas belong to an account."""
    key = "" if deployment.api_key is None else deployment.api_key.get_secret_value()
    credentials = (f"{name}={_text(value)}" for name, value in sorted(deployment.credentials.items()))
    return _digest(identity_of(deployment), key, *credentials)


def _text(value: SecretStr | str) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def _digest(*parts: str) -> str:
    """Return the digest of *parts*, each with its length, so that no two lists of parts are equal by chance."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8) + encoded)
    return digest.hexdigest()
