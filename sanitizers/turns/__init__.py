"""Limit the rounds of tool calls in an agent's loop, and end the loop with an answer.

A turn begins with the user's message. A round is one assistant message with tool calls, together with the results of
these calls. Clients send the whole loop with each request, so rounds are counted in the request itself::

    guarded = guard_turn(messages, parameters, policy)
    guarded.turn         # the count of rounds, the limit, a warning, a loop, a wrap-up
    guarded.messages     # `messages` itself unless a note for the model was added
    guarded.parameters   # `parameters` itself unless tools are withheld
    guarded.gate         # decides which calls of the answer reach the client, or None for all

These rules hold here:

- Only a message of the user's own opens a turn. A tool's result in a user message does not, and neither does a notice
  of turnright.
- Mode ``warn``, the default, changes neither the request nor the answer, unless the operator sets ``tell_model`` or
  ``hint_after_errors``.
- A note follows the result that made it necessary, in each later request too, so that providers' prompt caches
  keep hitting. Only the instruction to finish stands at the history's end.
- At a limit the client gets an answer, never an error.

Files, in the order of the data:

    policy, turn                         the limits, and the state of a turn against them
    carried_results, outcomes, rounds    a history as rounds
    find_loop, tool_errors               rounds that repeat, tools that fail
    notices, place_notes                 the texts for the model, and their places
    guard_turn, withhold_tools           a request
    gate_calls                           its answer
"""

from sanitizers.turns.gate_calls import CallGate, ChunkGate, gate_answer
from sanitizers.turns.guard_turn import Declared, Guarded, declared_names, guard_turn, guard_without_rounds
from sanitizers.turns.policy import DELEGATION_TOOLS, FINAL_TOOLS, TurnPolicy
from sanitizers.turns.turn import EVENTS, Turn

__all__ = [
    "DELEGATION_TOOLS",
    "EVENTS",
    "FINAL_TOOLS",
    "CallGate",
    "ChunkGate",
    "Declared",
    "Guarded",
    "Turn",
    "TurnPolicy",
    "declared_names",
    "gate_answer",
    "guard_turn",
    "guard_without_rounds",
]
