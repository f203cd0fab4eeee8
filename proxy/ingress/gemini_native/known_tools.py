"""The cache of the format's tools: 30 KB of them come with every request of gemini-cli."""

from __future__ import annotations

from proxy.ingress.cached_tools import ToolCache
from sanitizers.native.gemini.tools import read_tools

read_known_tools = ToolCache(read_tools).find
"""Returns tools as they were read, and the facts of their chat form (:meth:`ToolCache.find`)."""
