"""Recognises litellm's failures to get credentials. They happen before a request is sent.

litellm wraps these failures in exception classes that mean something else: the same missing AWS credentials are an
``AuthenticationError`` for Bedrock and a ``BadRequestError`` for SageMaker (1.105.3). The SDKs' own exceptions in the
chain of causes are reliable. Where litellm raises a plain error, the beginning of its text decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import MappingProxyType

from proxy.core.errors import CredentialsMissing
from proxy.upstream.masking import mask

_SDKS = ("botocore.", "google.auth.", "azure.identity.", "azure.core.")
"""The SDKs that litellm uses only to get credentials. litellm sends the requests to the providers itself."""

_CONNECTION_CLASSES = frozenset(
    {"ConnectionError", "HTTPClientError", "ServiceRequestError", "TransportError"}
)
"""The SDKs' exception classes for a token endpoint that was not reached. Subclasses count as well."""

_PACKAGES = MappingProxyType(
    {
        "azure": "azure-identity",
        "boto3": "boto3",
        "botocore": "boto3",
        "databricks": "databricks-sdk",
        "google": "google-auth",
        "oci": "oci",
        "vertexai": "google-cloud-aiplatform",
    }
)
"""The SDKs' modules, which may not be installed, with the names of their packages.

Other packages may be missing for one request alone, such as a request with images.
"""

_BEGINNINGS = re.compile(
    r"missing credentials\b"  # OpenAI's SDK, for Azure
    r"|the api_key client option must be set"
    r"|missing [\w ]{0,40}(?:api|jwt) key\b"
    r"|could not resolve (?:credentials|project_id)\b"
    r"|unable to load vertex credentials\b",
    re.IGNORECASE,
)
"""Beginnings of litellm's texts. The rest may hold anything, also a client's words, so it does not count."""

_LONGEST_REASON = 300


def find_missing_credentials(
    chain: Sequence[BaseException], secrets: Iterable[str]
) -> CredentialsMissing | None:
    """Return the client's error where *chain*, an error and its causes, is a failure to get credentials.

    Returns None for every other failure. If an error is returned, no request was sent. *secrets* are masked in the
    reason, which names the exception's class and its first line, or the package that is not installed.
    """
    # The innermost cause says most, and litellm chose the classes around it by words that may be a client's.
    inward = reversed(chain)
    cause = next((cause for cause in inward if _is_of_credentials(cause, innermost=cause is chain[-1])), None)
    if cause is None:
        return None
    if isinstance(cause, ImportError):
        return CredentialsMissing("", package=_PACKAGES[_module_of(cause)])
    first_line = next(iter(str(cause).strip().splitlines()), "")
    reason = mask(f"{type(cause).__name__}: {first_line}"[: 4 * _LONGEST_REASON], secrets)
    return CredentialsMissing(reason[:_LONGEST_REASON])


def is_sdk_unreachable(cause: BaseException) -> bool:
    """Tell whether an SDK could not reach the address that gives it credentials. Nothing was sent to the provider."""
    return _is_of_sdk(cause) and any(base.__name__ in _CONNECTION_CLASSES for base in type(cause).__mro__)


def _is_of_sdk(cause: BaseException) -> bool:
    return type(cause).__module__.startswith(_SDKS)


def _module_of(cause: ImportError) -> str:
    return (cause.name or "").partition(".")[0]


def _is_of_credentials(cause: BaseException, *, innermost: bool) -> bool:
    kind = type(cause)
    if _is_of_sdk(cause):
        return not is_sdk_unreachable(cause)
    if isinstance(cause, ImportError):
        return _module_of(cause) in _PACKAGES
    if kind.__name__ == "AuthenticationError":
        return innermost
    if kind.__module__.startswith("litellm.llms.") and getattr(cause, "status_code", None) == 401:
        return True
    text = cause.args[0] if cause.args else None
    return isinstance(text, str) and _BEGINNINGS.match(text) is not None
