"""Finds the subject of a refusal that concerns every request: the key, the model or the caller's country.

A 403 or 404 may concern one request alone: an image for a text model, a missing file, a flagged input. Only the codes
and beginnings in this module show that a deployment works for no request. The rest of a provider's text is not
searched, since it may quote a client's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from proxy.resilience.error_prefix import begin_of
from proxy.resilience.request_words import NO_WORDS, RequestWords


class Subject(StrEnum):
    """The subject of a refusal."""

    NONE = "none"
    """The refusal concerns one request, or its subject is unknown."""

    KEY = "key"
    MODEL = "model"
    PLACE = "place"
    """The country from which the provider is called."""


class RefusalSubject(NamedTuple):
    """The subject of a refusal. *by_code* is true where one of the provider's codes names it."""

    subject: Subject
    by_code: bool


_KEY, _MODEL, _PLACE = Subject.KEY, Subject.MODEL, Subject.PLACE

CODES = MappingProxyType(
    {
        # googleapis google/api/error_reason.proto
        "access_token_expired": _KEY,
        "account_state_invalid": _KEY,
        "api_key_android_app_blocked": _KEY,
        "api_key_http_referrer_blocked": _KEY,
        "api_key_invalid": _KEY,
        "api_key_ios_app_blocked": _KEY,
        "api_key_ip_address_blocked": _KEY,
        "api_key_service_blocked": _KEY,
        "billing_disabled": _KEY,
        "consumer_invalid": _KEY,
        "consumer_suspended": _KEY,
        "service_disabled": _KEY,
        # OpenAI, Azure, Groq
        "account_deactivated": _KEY,
        "invalid_api_key": _KEY,
        "deploymentnotfound": _MODEL,
        "model_decommissioned": _MODEL,
        "model_not_found": _MODEL,
        "model_terms_required": _MODEL,
        "unsupported_country_region_territory": _PLACE,
    }
)
"""The subject that each error code, type or reason names without ambiguity. Keys are in lower case."""

_NAME = r"""[`'"]?[\w./:@-]{1,200}[`'"]?"""
_GONE = (
    r"(?:does not exist|(?:was |is )?not found|is not available|is no longer (?:available|supported)"
    r"|is not supported for|has been (?:deprecated|decommissioned|retired|removed|shut down))"
)

BEGINNINGS: tuple[tuple[Subject, re.Pattern[str], str], ...] = tuple(
    (subject, re.compile(pattern, re.IGNORECASE), source)
    for subject, pattern, source in (
        (_KEY, r"(?:your |the )?(?:incorrect |invalid )?api[ _]key", "Gemini, OpenAI, Anthropic"),
        (_KEY, r"permission denied: consumer", "Gemini CONSUMER_SUSPENDED"),
        (_KEY, r"the caller does not have permission", "Google IAM"),
        (_KEY, r"method doesn't allow unregistered callers", "Gemini without a key"),
        (_KEY, r"[\w ]{3,60} api has not been used in project", "Gemini SERVICE_DISABLED"),
        (_KEY, r"your (?:account|project|organization) (?:has been|is) ", "suspended, denied or disabled"),
        (_KEY, r"the security token included in the request is (?:invalid|expired)", "AWS 403"),
        (_KEY, r"the request signature we calculated does not match", "AWS 403 of a wrong secret"),
        (_KEY, r"user: arn:aws[\w:/.@+=-]{0,200} is not authorized to perform", "AWS IAM 403"),
        (_KEY, r"authentication failed: please make sure your api key is valid", "Bedrock 403 of an API key"),
        (_KEY, r"permission '[\w.]{1,200}' denied on resource", "Vertex AI 403"),
        (
            _MODEL,
            rf"(?:the |this )?(?:requested )?model:? (?:{_NAME} )?{_GONE}",
            "OpenAI, Groq, vLLM, Ollama",
        ),
        (_MODEL, r"models/[\w./:@-]{1,200} is not found for api version", "Gemini"),
        (_MODEL, rf"publisher model {_NAME} (?:was )?not found", "Vertex"),
        (_MODEL, r"model: [\w./:@-]{1,200}\s*$", "Anthropic not_found_error"),
        (_MODEL, rf"project {_NAME} does not have access to model", "OpenAI 403"),
        (_MODEL, r"you (?:do not|don't) have access to (?:the|this) model", "Bedrock 403"),
        (_MODEL, r"the api deployment for this resource does not exist", "Azure DeploymentNotFound"),
        (_MODEL, r"this is not a chat model", "OpenAI 404"),
        (_MODEL, r"this model is only supported in", "OpenAI 404"),
        (_MODEL, r"no endpoints found for [\w./:@-]{1,200}\.?\s*$", "OpenRouter 404"),
        (_PLACE, r"user location is not supported", "Gemini FAILED_PRECONDITION"),
        (_PLACE, r"country, region, or territory not supported", "OpenAI 403"),
    )
)

_MAX_TEXTS = 16
NO_SUBJECT = RefusalSubject(Subject.NONE, by_code=False)


def read_subject(
    texts: Iterable[str], codes: Iterable[str], request: RequestWords = NO_WORDS
) -> RefusalSubject:
    """Return the subject of a refusal with *texts* and *codes* (in lower case).

    A beginning that occurs in *request* does not count, since it may be a quotation.
    """
    named = {CODES[code] for code in codes if code in CODES}
    for subject in (_KEY, _MODEL, _PLACE):
        if subject in named:
            return RefusalSubject(subject, by_code=True)
    for text in list(texts)[:_MAX_TEXTS]:
        begin = begin_of(text)
        for subject, pattern, _ in BEGINNINGS:
            found = pattern.match(text, begin)
            if found is not None and not request.contains(found[0]):
                return RefusalSubject(subject, by_code=False)
    return NO_SUBJECT
