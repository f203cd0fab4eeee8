"""Google's error shape, and the refusals that the rules return.

Most rules return a ``Refusal`` or ``None``. The HTTP handlers turn a refusal into a response. One table holds the
statuses, their names and their default texts. The texts are as reported: python-genai#2065 and continue#9570 (429),
developers.generativeai.google (500), letta#2861 (504). The text of 503 is widely known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

INVALID_ARGUMENT = "Request contains an invalid argument."
LEARN_MORE = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"


@dataclass(frozen=True)
class FieldViolation:
    """A field that the request may not have, or whose value has the wrong type."""

    field: str
    description: str


@dataclass(frozen=True)
class Refusal:
    """The refusal of a request, as the values of Google's error."""

    message: str
    status: int = 400
    status_name: str = "INVALID_ARGUMENT"
    field_violations: tuple[FieldViolation, ...] = ()
    details: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Status:
    """Google's name and default text for an HTTP status."""

    name: str
    message: str


STATUSES: dict[int, Status] = {
    400: Status("INVALID_ARGUMENT", INVALID_ARGUMENT),
    401: Status(
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or "
        "other valid authentication credential.",
    ),
    403: Status("PERMISSION_DENIED", "The caller does not have permission"),
    404: Status("NOT_FOUND", "Requested entity was not found."),
    409: Status("ABORTED", "The operation was aborted."),
    429: Status("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    499: Status("CANCELLED", "The operation was cancelled."),
    500: Status(
        "INTERNAL",
        "An internal error has occurred. Please retry or report in "
        "https://developers.generativeai.google/guide/troubleshooting",
    ),
    501: Status("UNIMPLEMENTED", "Operation is not implemented, or supported, or enabled."),
    503: Status("UNAVAILABLE", "The model is overloaded. Please try again later."),
    504: Status("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
}
QUOTA_METRIC = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
QUOTA_MESSAGE = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this "
    "error, head over to: https://ai.google.dev/gemini-api/docs/rate-limits."
)


@dataclass(frozen=True)
class ErrorOptions:
    """The scripted parts of an error.

    *message* replaces Google's own text. *reason* adds an ``ErrorInfo``, *quota_id* a ``QuotaFailure`` and
    *retry_delay_seconds* a ``RetryInfo``. In a 429 without *message*, the delay also adds the sentence "Please retry
    in". Source: continue#9570 and gemini-cli#8437.
    """

    message: str | None = None
    reason: str | None = None
    retry_delay_seconds: float | None = None
    quota_id: str | None = None
    model: str = ""


def status_error(status: int, options: ErrorOptions | None = None) -> Refusal:
    """Return the error of *status*, with Google's own text unless *options* replace it."""
    options = options or ErrorOptions()
    known = STATUSES.get(status, Status("UNKNOWN", "Unknown error."))
    details = _details(options)
    text = options.message if options.message is not None else known.message
    if options.message is None and status == 429 and details:
        text = _quota_text(options)
    return Refusal(text, status, known.name, details=tuple(details))


def _details(options: ErrorOptions) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = []
    if options.reason is not None:
        details.append(error_info(options.reason))
    if options.quota_id is not None:
        violation = {
            "quotaMetric": QUOTA_METRIC,
            "quotaId": options.quota_id,
            "quotaDimensions": {"location": "global", "model": options.model},
        }
        details.append({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]})
    if options.retry_delay_seconds is not None:
        delay = f"{options.retry_delay_seconds:g}s"
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay})
    return details


def _quota_text(options: ErrorOptions) -> str:
    """Return the text of a 429 with details, line by line as continue#9570 quotes it."""
    lines = [QUOTA_MESSAGE]
    if options.quota_id is not None:
        lines.append(f"* Quota exceeded for metric: {QUOTA_METRIC}, limit: 0, model: {options.model}")
    if options.retry_delay_seconds is not None:
        lines.append(f"Please retry in {options.retry_delay_seconds:g}s.")
    return "\n".join(lines)


def error_info(reason: str) -> dict[str, Any]:
    """Return an ``ErrorInfo`` detail with *reason* (google.rpc.ErrorInfo)."""
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }


def invalid_key() -> Refusal:
    """Return the error for a key that is not accepted. Google answers 400, not 401."""
    return Refusal(
        "API key not valid. Please pass a valid API key.", details=(error_info("API_KEY_INVALID"),)
    )


def unknown_model(model: str, *, version: str, method: str) -> Refusal:
    """Return the 404 for a model that does not exist in this API version."""
    return Refusal(
        f"models/{model} is not found for API version {version}, or is not supported for {method}. Call "
        "ListModels to see the list of available models and their supported methods.",
        404,
        "NOT_FOUND",
    )


def invalid_payload(violations: Sequence[FieldViolation]) -> Refusal:
    """Return the refusal of a body that does not fit its proto message: one line for each of *violations*.

    Source: CLIProxyAPI#97, zed#44875, google_workspace_mcp#1099 for the lines and ``details``.
    """
    return Refusal(
        "\n".join(violation.description for violation in violations), field_violations=tuple(violations)
    )


def invalid_fields(lines: Iterable[str], place: str = "GenerateContentRequest") -> Refusal | None:
    """Return the refusal that lists *lines* under *place*, or None if there are no lines.

    A line is, for example, ``contents[1].parts: contents.parts must not be empty.``. Each line gets a star, a prefix
    and a newline (vercel/ai#3775, CLIProxyAPI#1903).
    """
    text = "".join(f"* {place}.{line}\n" for line in lines)
    return Refusal(text) if text else None


def error_body(refusal: Refusal) -> dict[str, Any]:
    """Return the JSON body ``{"error": {...}}`` of *refusal* (google.rpc.Status in Google's JSON envelope)."""
    details = list(refusal.details)
    if refusal.field_violations:
        details.insert(
            0,
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [
                    {"field": violation.field, "description": violation.description}
                    for violation in refusal.field_violations
                ],
            },
        )
    error: dict[str, Any] = {
        "code": refusal.status,
        "message": refusal.message,
        "status": refusal.status_name,
    }
    return {"error": error | ({"details": details} if details else {})}
