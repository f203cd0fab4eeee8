"""Gemini's ``contents`` as a native list format.

    parts        reading one part, in either spelling of proto JSON
    project      contents as chat messages
    violations   the rules of contents
    write_parts  changed messages as parts
    apply        the list with its unchanged items and the written ones

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
