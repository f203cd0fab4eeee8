"""The fields of each block and of each tool, as tables.

Sources: the reference of Anthropic's Messages API, and the types of its clients.
"""

from types import MappingProxyType

TOP_FIELDS = frozenset(
    {
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "output_config",
        "service_tier",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    }
)
COUNTED_FIELDS = frozenset(
    {
        "cache_control",
        "context_management",
        "mcp_servers",
        "messages",
        "model",
        "output_config",
        "system",
        "thinking",
        "tool_choice",
        "tools",
    }
)
"""The fields of a request that asks for its number of tokens."""

SERVER_RESULTS = MappingProxyType(
    {
        "advisor_tool_result": ("server_tool_use",),
        "bash_code_execution_tool_result": ("server_tool_use",),
        "code_execution_tool_result": ("server_tool_use",),
        "mcp_tool_result": ("mcp_tool_use",),
        "text_editor_code_execution_tool_result": ("server_tool_use",),
        "tool_search_tool_result": ("server_tool_use",),
        "web_fetch_tool_result": ("server_tool_use",),
        "web_search_tool_result": ("server_tool_use",),
    }
)
"""The results of tools that Anthropic runs, with the block that must come before in the same message."""

_SERVER_RESULT = ("tool_use_id", "content", "cache_control", "caller")
BLOCK_FIELDS = MappingProxyType(
    {
        "text": ("text", "cache_control", "citations"),
        "image": ("source", "cache_control"),
        "document": ("source", "title", "context", "citations", "cache_control"),
        "search_result": ("source", "title", "content", "citations", "cache_control"),
        "tool_use": ("id", "name", "input", "cache_control", "caller", "toolset_name"),
        "tool_result": ("tool_use_id", "content", "is_error", "cache_control"),
        "thinking": ("thinking", "signature"),
        "redacted_thinking": ("data",),
        "server_tool_use": ("id", "name", "input", "cache_control", "caller"),
        "container_upload": ("file_id", "cache_control"),
        "tool_reference": ("tool_name", "cache_control"),
        **dict.fromkeys(SERVER_RESULTS, _SERVER_RESULT),
        "mcp_tool_use": ("id", "name", "server_name", "input", "cache_control"),
        "mcp_tool_result": ("tool_use_id", "content", "is_error", "cache_control"),
        "compaction": ("content", "cache_control"),
        "fallback": ("from", "to"),
        "tool_addition": ("tool",),
        "tool_removal": ("tool_name",),
        "emulated_block": ("id", "content", "sealed"),
    }
)
STRINGS = MappingProxyType(
    {
        "text": ("text",),
        "search_result": ("source", "title"),
        "tool_use": ("id", "name"),
        "tool_result": ("tool_use_id",),
        "thinking": ("thinking", "signature"),
        "redacted_thinking": ("data",),
        "server_tool_use": ("id", "name"),
        "container_upload": ("file_id",),
        "tool_reference": ("tool_name",),
        **dict.fromkeys(SERVER_RESULTS, ("tool_use_id",)),
        "mcp_tool_use": ("id", "name", "server_name"),
    }
)
"""Fields of a block that are required and must be strings."""

RESULT_BLOCKS = ("document", "image", "search_result", "text", "tool_reference")
MESSAGE_BLOCKS = tuple(kind for kind in BLOCK_FIELDS if kind != "tool_reference")

NAMED_TOOLS = MappingProxyType(
    {
        "bash_20250124": "bash",
        "code_execution_20250522": "code_execution",
        "code_execution_20250825": "code_execution",
        "code_execution_20260120": "code_execution",
        "code_execution_20260521": "code_execution",
        "memory_20250818": "memory",
        "text_editor_20250124": "str_replace_editor",
        "text_editor_20250429": "str_replace_based_edit_tool",
        "text_editor_20250728": "str_replace_based_edit_tool",
        "tool_search_tool_bm25_20251119": "tool_search_tool_bm25",
        "tool_search_tool_regex_20251119": "tool_search_tool_regex",
        "web_fetch_20250910": "web_fetch",
        "web_fetch_20260209": "web_fetch",
        "web_fetch_20260309": "web_fetch",
        "web_fetch_20260318": "web_fetch",
        "web_search_20250305": "web_search",
        "web_search_20260209": "web_search",
        "web_search_20260318": "web_search",
    }
)
"""The types of built-in tools, with the one name that each may have."""

TOOLSETS = ("browser_20260801", "browser_toolset_20260801", "computer_toolset_20260801", "mcp_toolset")
"""The types of built-in tools without a name."""
