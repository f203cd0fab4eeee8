"""Gemini's ``contents`` as a native list format.

    parts        what one part holds, in either spelling of proto JSON
    project      contents as chat messages
    violations   the rules of contents
    write_parts  changed messages as parts
    apply        the list again, with the items that are unchanged

``systemInstruction`` stands beside the list and is its caller's.
"""

from __future__ import annotations

from sanitizers.messages import Messages
from sanitizers.native.gemini.apply import apply_messages
from sanitizers.native.gemini.project import GeminiProjection, project_contents
from sanitizers.native.gemini.violations import RULES, find_content_violations
from sanitizers.native.protocol import Items, ItemViolation
from sanitizers.profiles import Profile

__all__ = ["GEMINI_CONTENTS", "RULES", "GeminiContents", "GeminiProjection"]


class GeminiContents:
    """The format :class:`~sanitizers.native.protocol.NativeListFormat` of Gemini's ``contents``."""

    name = "gemini"

    def project(self, native: Items) -> GeminiProjection:
        """Return contents as chat messages; see :func:`~sanitizers.native.gemini.project.project_contents`."""
        return project_contents(native)

    def find_violations(self, native: Items, profile: Profile) -> tuple[ItemViolation, ...]:
        """Return the broken rules, by the slugs of :data:`RULES`."""
        return find_content_violations(native, profile)

    def apply(
        self, native: Items, projected: GeminiProjection, sanitized: Messages, profile: Profile
    ) -> Items:
        """Return the contents again; see :func:`~sanitizers.native.gemini.apply.apply_messages`."""
        return apply_messages(native, projected, sanitized, profile)


GEMINI_CONTENTS = GeminiContents()
