"""Gemini's ``contents`` as a native list format.

    addresses         what an address in a content names: an account's object, a video, or a page
    envelope          what clients carry for the proxy in the signature of a call
    parts             reading one part, in either spelling of proto JSON
    read_parts        one part as a part of a chat message
    system            the system instruction as a message, and back
    open_calls        the call that a response answers
    split_parts       the parts of a content by message
    content_reader    one content after the other as chat messages
    usual_contents    the contents of nearly all agents as chat messages
    project           contents as chat messages, with the places of the messages
    violations        the rules of contents
    write_parts       changed messages as parts
    rewrite_turn      a changed turn of the model, with the parts that stay
    mend_signatures   contents without the signatures of texts
    changed_contents  contents after changes, with their places before
    apply             the list with its unchanged items and the written ones
    spellings         the names of fields in either spelling
    schemas           Gemini's schemas as JSON Schema
    tools             a request's tools, for models that are asked by chat
    mend_tools        tools with each function declared once
    tool_choice       which tools the model may call, in a chat's words

The caller writes ``systemInstruction``, which is not part of the list.
"""

from __future__ import annotations

from sanitizers.native.gemini.apply import apply_messages
from sanitizers.native.gemini.project import GeminiProjection, project_contents
from sanitizers.native.gemini.violations import RULES, find_content_violations

__all__ = ["GEMINI_CONTENTS", "RULES", "GeminiContents", "GeminiProjection"]


class GeminiContents:
    """The format :class:`~sanitizers.native.protocol.NativeListFormat` of Gemini's ``contents``."""

    name = "gemini"
    project = staticmethod(project_contents)
    find_violations = staticmethod(find_content_violations)
    apply = staticmethod(apply_messages)


GEMINI_CONTENTS = GeminiContents()
