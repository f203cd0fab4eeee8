"""Repairs a refused request once, as the words of the provider's error require.

    draft              a request while it is being repaired
    repair_systems     system messages
    repair_contents    empty texts, media and required fields of single messages
    repair_calls       names, ids, types and fields of calls and results
    repair_signatures  thought signatures, calls without ids, and Claude's thoughts
    repair_rounds      several calls at once, and a text beside calls
    repair_turns       pairing, alternation, and the last turn
    repair_parameters  parameters, and schemas of tools and answers
    repair_wire        the API that a model without chats is asked by
    repair_row         one row: words, and the repair for them
    message_rows       the rows for faults within messages
    parameter_rows     the rows for parameters and schemas
    turn_rows          the rows for the order of turns
    wire_rows          the row for a model without chats
    repair_table       maps a provider's words to repairs, with all rows
    repair_request     reads the words, makes the repairs, lists the changes
    use_repaired       puts a repaired request into the plan of the refused one
    sent_items         puts repaired items into the plan of a refused request in its client's format
    unseal_items       encrypted thoughts that a provider of the Responses API cannot read
    refused_items      items that such a provider refuses by name
    field_paths        the field that an error of Anthropic's names by its path
    refused_messages   messages that Anthropic refuses, and what to change in them
    proto_paths        the field that an error of Google's names by its path
    refused_thinking   the thinking that a Gemini lacks
    refused_contents   contents and fields that Gemini refuses, and what to change in them

A repair is made only when it changes the request. An unchanged request would be refused again (livekit agents-js#2108
sent one three times and went silent). Every change is listed. No words of a user are lost.
"""

from proxy.planning.repairs.repair_request import MadeRepair, Repaired, repair_request

__all__ = ["MadeRepair", "Repaired", "repair_request"]
