"""The items of OpenAI's Responses API, read as chat messages for models that do not speak it.

held_objects  the ids of objects in a provider's account
parts         reading the content of one item
item_types    the table of item types, and what becomes of each
envelope      what clients carry for the proxy in ``encrypted_content``
client_tools  the tools that OpenAI's models know and the client runs
flat_names    one name for each tool, without namespaces
tool_table    the tools of a request by their names
tool_choice   the tool that must be called
tools         reading ``tools``
turn          the open turn of the model
call_items    calls and their outputs
item_reader   one item after the other as chat messages
project       items as chat messages, with their places
write_parts   the content of chat messages as parts
write_items   chat messages as items
violations    the provider's rules for items
changed_items items after changes, with their places before
mend_pairs    calls and outputs that the provider would refuse
mend          changes to single items that the provider would refuse
find_turns    the turns that a changed message was made of
rewrite_turn  a changed turn, with the items that stay
apply         changed messages as items, with the items that stay
"""

from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.envelope import (
    Envelope,
    pack_envelope,
    pack_summary,
    unpack_envelope,
    unpack_summary,
)
from sanitizers.native.responses.item_types import ITEM_TYPES, ItemType
from sanitizers.native.responses.project import SUMMARY_START, ResponsesProjection, project
from sanitizers.native.responses.tools import (
    DeclaredTool,
    ToolTable,
    read_tool_choice,
    read_tools,
    unwrap_input,
    wrap_input,
)
from sanitizers.native.responses.write_items import ItemWriter, write_items

__all__ = [
    "CLIENT_TOOLS",
    "ITEM_TYPES",
    "SUMMARY_START",
    "DeclaredTool",
    "Envelope",
    "ItemType",
    "ItemWriter",
    "ResponsesProjection",
    "ToolTable",
    "pack_envelope",
    "pack_summary",
    "project",
    "read_tool_choice",
    "read_tools",
    "unpack_envelope",
    "unpack_summary",
    "unwrap_input",
    "wrap_input",
    "write_items",
]
