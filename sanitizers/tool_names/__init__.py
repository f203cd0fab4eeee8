"""Names of tools that a provider refuses, changed on the way there and back again. Pure.

Clients name tools as they like: ``mcp.server/tool:do it``, ``21st_magic``, words of other scripts, 100 characters. One
such name makes Gemini refuse the whole request (gemini-cli#2966, ccs#219). So:

- a legal name is never touched; an illegal one is spelled by :func:`spell_legal`, from itself alone;
- no two tools come to share a name, and none gets one that another tool has;
- a tool has one name in all of a request: declarations, choice, calls and results of the history;
- the answer's calls get the client's names back, by :attr:`RenamedTools.back`; texts are not looked at.
"""

from sanitizers.tool_names.choosing import choose_names
from sanitizers.tool_names.history import names_in_history, rename_message
from sanitizers.tool_names.renaming import RenamedTools, rename_tools
from sanitizers.tool_names.spelling import spell_legal

__all__ = [
    "RenamedTools",
    "choose_names",
    "names_in_history",
    "rename_message",
    "rename_tools",
    "spell_legal",
]
