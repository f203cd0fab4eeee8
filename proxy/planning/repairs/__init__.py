"""Repairs a refused request once, as the words of the provider's error require.

    draft              a request while it is being repaired
    repair_contents    roles, empty texts and media of single messages
    repair_calls       names and ids of calls and results
    repair_signatures  thought signatures, and calls without ids
    repair_turns       pairing, alternation, and the last turn
    repair_parameters  parameters, and schemas of tools and answers
    repair_table       maps a provider's words to repairs
    repair_request     reads the words, makes the repairs, lists the changes

A repair is made only when it changes the request. An unchanged request would be refused again (livekit agents-js#2108
sent one three times and went silent). Every change is listed. No words of a user are lost.
"""

from proxy.planning.repairs.repair_request import Repaired, repair_request

__all__ = ["Repaired", "repair_request"]
