"""Tests of refusals about the key, the model or the region, and of refusals of one request."""

from __future__ import annotations

import pytest

from proxy.resilience.read_subject import BEGINNINGS, NO_SUBJECT, Subject, read_subject
from proxy.resilience.request_words import RequestWords

SAID = [
    ("API key not valid. Please pass a valid API key.", Subject.KEY),
    ("Incorrect API key provided: sk-x.", Subject.KEY),
    ("Your API key does not have permission to use the specified resource.", Subject.KEY),
    ("Permission denied: Consumer 'api_key:x' has been suspended.", Subject.KEY),
    ("The caller does not have permission", Subject.KEY),
    ("Method doesn't allow unregistered callers (callers without established identity).", Subject.KEY),
    ("Generative Language API has not been used in project 1 before or it is disabled.", Subject.KEY),
    ("Your project has been denied access. Please contact support.", Subject.KEY),
    ("The security token included in the request is invalid.", Subject.KEY),
    (
        "The request signature we calculated does not match the signature you provided. Check your key.",
        Subject.KEY,
    ),
    (
        "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock",
        Subject.KEY,
    ),
    ("Authentication failed: Please make sure your API Key is valid.", Subject.KEY),
    (
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/x'",
        Subject.KEY,
    ),
    ("The model `gpt-9` does not exist or you do not have access to it.", Subject.MODEL),
    ('model "llama9" not found, try pulling it first', Subject.MODEL),
    ("models/gemini-x is not found for API version v1beta, or is not supported.", Subject.MODEL),
    (
        "Publisher Model `projects/p/models/x` was not found or your project does not have access.",
        Subject.MODEL,
    ),
    ("model: claude-9", Subject.MODEL),
    ("Project `proj_x` does not have access to model `gpt-9`", Subject.MODEL),
    ("You don't have access to the model with the specified model ID.", Subject.MODEL),
    ("The API deployment for this resource does not exist.", Subject.MODEL),
    ("This is not a chat model and thus not supported in the v1/chat/completions endpoint.", Subject.MODEL),
    ("This model is only supported in v1/responses", Subject.MODEL),
    ("No endpoints found for vendor/model-9.", Subject.MODEL),
    ("User location is not supported for the API use.", Subject.PLACE),
    ("Country, region, or territory not supported", Subject.PLACE),
]


@pytest.mark.parametrize(("text", "subject"), SAID)
def test_words_at_the_beginning_name_the_subject(text: str, subject: Subject) -> None:
    """Names of exceptions before the words are skipped. Words of the request, or inside a text, do not count."""
    for prefix in ("", "litellm.NotFoundError: OpenAIException - ", "Error code: 404 - "):
        assert read_subject((prefix + text,), ()) == (subject, False)
    assert read_subject((text,), (), RequestWords(text)) == NO_SUBJECT
    assert read_subject((f"Your input was refused: {text}",), ()) == NO_SUBJECT
    assert read_subject((f"'{text}' is no valid value",), ()) == NO_SUBJECT


def test_every_beginning_has_a_text() -> None:
    """Every pattern matches one of the tested sentences."""
    assert [source for _, says, source in BEGINNINGS if not any(says.match(text) for text, _ in SAID)] == []


@pytest.mark.parametrize(
    "text",
    [
        "No endpoints found that support image input",
        "No endpoints found that support tool use.",
        "The model `x` does not support image input.",
        "Your chosen model requires moderation and your input was flagged",
        "You do not have permission to access the File xyz or it may not exist.",
        "File xyz was not found.",
        "Not Found",
    ],
)
def test_a_refusal_of_one_request_has_no_subject(text: str) -> None:
    """A refusal of one request alone has no subject, since another request would get an answer."""
    assert read_subject((text,), ("not_found", "permission_denied", "not_found_error")) == NO_SUBJECT


@pytest.mark.parametrize(
    ("code", "subject"),
    [
        ("model_not_found", Subject.MODEL),
        ("invalid_api_key", Subject.KEY),
        ("unsupported_country_region_territory", Subject.PLACE),
    ],
)
def test_codes_win_over_words(code: str, subject: Subject) -> None:
    """The provider's codes are read first."""
    assert read_subject(("The model `x` does not exist",), (code,)) == (subject, True)
