"""Write the content of chat messages as the parts of items: the inverse of ``parts``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.messages import is_part_list
from sanitizers.native.responses.parts import as_json
from sanitizers.work_limit import metered

_REMOTE = ("http://", "https://")


def write_content(content: Any) -> Any:
    """Return *content* of a client's message, or of a result, as the content of an item. A text stays a text.

    Null becomes an empty text. A list that holds no parts becomes JSON.
    """
    if content is None or content.__class__ is str:
        return content or ""
    if not is_part_list(content):
        return as_json(content, "content")
    return [_write_part(part) for part in metered(content)]


def write_said(content: Any, refusal: Any) -> Any:
    """Return the words of an assistant message as the content of its item, or None where it says nothing.

    The text alone stays a text. Thoughts are no words. A media part has no form in an assistant's item.
    """
    refusal = refusal if isinstance(refusal, str) else None
    if not refusal and (content is None or content.__class__ is str):
        return content
    parts = [{"type": "text", "text": content}] if isinstance(content, str) and content else content
    said = []
    for part in metered(parts if is_part_list(parts) else ()):
        if part["type"] == "text":
            said.append({"type": "output_text", "text": part.get("text") or ""})
        elif part["type"] == "refusal":
            said.append({"type": "refusal", "refusal": part.get("refusal") or ""})
    if refusal:
        said.append({"type": "refusal", "refusal": refusal})
    return said or None


def _write_part(part: Mapping[str, Any]) -> Any:
    """Return *part* in the form of the Responses API. A part without a form there stays as it is."""
    kind = part["type"]
    if kind == "text":
        return {"type": "input_text", "text": part.get("text") or ""}
    if kind == "refusal":
        return {"type": "input_text", "text": part.get("refusal") or ""}
    if kind == "image_url":
        return _write_image(part.get("image_url"))
    if kind == "file":
        return _write_file(part.get("file"))
    return part


def _write_image(image: Any) -> dict[str, Any]:
    if not isinstance(image, dict):
        return {"type": "input_image", "image_url": image}
    written = {"type": "input_image", "image_url": image.get("url")}
    if isinstance(image.get("detail"), str):
        written["detail"] = image["detail"]
    return written


def _write_file(file: Any) -> dict[str, Any]:
    """Return *file* as a part. An address of bytes elsewhere has a field of its own here."""
    given = file if isinstance(file, dict) else {}
    data, held = given.get("file_data"), given.get("file_id")
    written: dict[str, Any] = {"type": "input_file"}
    if isinstance(data, str):
        is_remote = data[:8].lower().startswith(_REMOTE)
        written["file_url" if is_remote else "file_data"] = data
    elif held is not None:
        written["file_id"] = held
    if isinstance(given.get("filename"), str):
        written["filename"] = given["filename"]
    return written
