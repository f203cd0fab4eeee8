"""Rules about single parts: empty fields, missing names, numbers without a JSON form, and media."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulator.contents import each_part, has_data, view_contents
from proxy.emulator.errors import INVALID_ARGUMENT, LEARN_MORE, Refusal
from proxy.emulator.models import Generation

MEDIA_TYPES = frozenset(
    f"{kind}/{name}"
    for kind, names in {
        "application": "json pdf rtf x-javascript x-python xml",
        "audio": "aac aiff flac l16 m4a mp3 mp4 mpeg mpga ogg opus pcm wav webm x-wav",
        "image": "heic heif jpeg png webp",
        "text": "css csv html javascript markdown md plain rtf x-python x-typescript xml",
        "video": "3gpp avi mov mp4 mpeg mpg quicktime webm wmv x-flv",
    }.items()
    for name in names.split()
)
"""The documented types (ai.google.dev/gemini-api/docs: image-, document-, audio- and video-understanding)."""
UNREADABLE_TYPES = frozenset({"image/bmp", "image/gif", "image/tiff", "image/svg+xml"})
"""Media types that Gemini refuses without a reason: js-genai#862, gemini-cli#14838, gcli2api#297."""
FILE_ADDRESSES = ("gs://", "https://generativelanguage.googleapis.com/", "https://www.youtube.com/watch")
EMPTY_TEXT = (
    "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. "
    + LEARN_MORE
)
NO_TEXT = (
    "Unable to submit request because it must have a text parameter. Add a text parameter and try again. "
    + LEARN_MORE
)


def empty_fields(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each content without parts, part without data, and call or response without a name.

    Source: langchain-google#1393 (contents), vercel/ai#3775 (parts), CLIProxyAPI#1292 (data), langflow#9437 and
    CLIProxyAPI#1903 (names).
    """
    if not request.get("contents"):
        yield "contents: contents is not specified"
    for i, content in enumerate(request.get("contents") or ()):
        if not content.get("parts"):
            yield f"contents[{i}].parts: contents.parts must not be empty."
    if "systemInstruction" in request and not request["systemInstruction"].get("parts"):
        yield "system_instruction.parts: contents.parts must not be empty."
    for path, part in each_part(request):
        if not has_data(part):
            yield f"{path}.data: required oneof field 'data' must have one initialized field"
        for field, name in (("functionCall", "function_call"), ("functionResponse", "function_response")):
            if field in part and not part[field].get("name"):
                yield f"{path}.{name}.name: Name cannot be empty."


def empty_text(request: Mapping[str, Any]) -> Refusal | None:
    """Refuse ``{"text": ""}``, except on a part with a thought signature.

    Source: zuisong/gemini-openai-proxy#83, chatbox#1846, autogen#5762. Google delivers some signatures on an empty text
    part and asks clients to return them (ai.google.dev/gemini-api/docs/thought-signatures).
    """
    for _, part in each_part(request):
        if part.get("text") == "" and not part.get("thoughtSignature"):
            return Refusal(EMPTY_TEXT)
    return None


def struct_values(request: Mapping[str, Any]) -> Refusal | None:
    """Refuse a function response without ``response``, and NaN or infinity in arguments or responses.

    Source: obsidian-gemini-helper#79 (the text for values), AstrBot#7216 (a response that is not a Struct).
    """
    for _, part in each_part(request):
        response = part.get("functionResponse")
        if response is not None and "response" not in response:
            return Refusal(INVALID_ARGUMENT)
        for name, value in (
            ("function_response.response", (response or {}).get("response")),
            ("function_call.args", (part.get("functionCall") or {}).get("args")),
        ):
            field = _first_field_without_value(value or {})
            if field is not None:
                return Refusal(
                    f"Invalid {name}: field `{field}` has an empty value. All values must have a type (null, "
                    "bool, number, string, list, or object)."
                )
    return None


def _first_field_without_value(struct: Mapping[str, Any]) -> str | None:
    """Return the first top-level field that contains NaN or infinity."""
    return next((str(name) for name, value in struct.items() if _has_no_value(value)), None)


def _has_no_value(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(_has_no_value(item) for item in value.values())
    return isinstance(value, list | tuple) and any(_has_no_value(item) for item in value)


def media(request: Mapping[str, Any], generation: Generation) -> Refusal | None:
    """Refuse media of an unknown type, at an address that Gemini does not fetch, or in a response if unsupported.

    Source: crush#995 and cherry-studio#3088 (types), gemini-cli#14838 (bmp, gif), maximhq/bifrost#4202 (responses),
    ai.google.dev/api/files and /gemini-api/docs/video-understanding (addresses). The text about addresses is not a
    quote.
    """
    for _, part in each_part(request):
        nested = (part.get("functionResponse") or {}).get("parts") or ()
        if nested and not generation.nested_media:
            return Refusal(INVALID_ARGUMENT)
        for holder in (part, *nested):
            refusal = _blob(holder) or _file(holder)
            if refusal is not None:
                return refusal
    return None


def _blob(part: Mapping[str, Any]) -> Refusal | None:
    blob = part.get("inlineData")
    if blob is None:
        return None
    kind = str(blob.get("mimeType") or "").split(";")[0].strip().lower()
    if kind in UNREADABLE_TYPES or not blob.get("data"):
        return Refusal(INVALID_ARGUMENT)
    return None if kind in MEDIA_TYPES else Refusal(f"Unsupported MIME type: {kind}")


def _file(part: Mapping[str, Any]) -> Refusal | None:
    file = part.get("fileData")
    if file is None:
        return None
    address = str(file.get("fileUri") or "")
    if address.startswith(FILE_ADDRESSES) or address.startswith("files/"):
        return None
    return Refusal(f"Invalid or unsupported file uri: {address}")


def image_alone(request: Mapping[str, Any], generation: Generation) -> Refusal | None:
    """Refuse a user content with media only, for the models that require a text with them.

    Source: openai-gemini#31 and #37. The remedy, a text next to the image, is from litellm#5515.
    """
    if not generation.image_needs_text:
        return None
    for content in view_contents(request):
        if content.role == "user" and content.is_plain and not any("text" in part for part in content.parts):
            return Refusal(NO_TEXT)
    return None
