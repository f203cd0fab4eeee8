"""Rename tools whose names a provider refuses, and restore the names in the answer.

Clients name tools freely: ``mcp.server/tool:do it``, ``21st_magic``, words in other scripts, or 100 characters. One
such name makes Gemini refuse the whole request (gemini-cli#2966, ccs#219). The rules:

- A legal name is never changed. The new name of an illegal one is derived by :func:`spell_legal` from that name alone.
- No two tools get the same name, and none gets the name of another tool.
- A tool has one name in all of a request: in declarations, choice, calls and results.
- The answer's calls get the client's names back, by :attr:`RenamedTools.back`. Texts are not changed.

Files, in the order of the data:

    renaming   a whole request: its parameters and its messages
    history    the names in its messages
    choosing   the new names
"""

from sanitizers.tool_names.choosing import choose_names, spell_legal
from sanitizers.tool_names.history import names_in_history, rename_message
from sanitizers.tool_names.renaming import RenamedTools, rename_tools

__all__ = [
    "RenamedTools",
    "choose_names",
    "names_in_history",
    "rename_message",
    "rename_tools",
    "spell_legal",
]
