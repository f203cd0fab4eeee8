"""No agent loops for ever, and none is cut off in mid-thought. Pure, like the rest of the core.

A client sends its whole loop with each request, so the loop is counted there and nowhere else::

    guarded = guard_turn(messages, parameters, policy)
    guarded.turn         # rounds since the user last spoke, the limit, a warning, a loop, a wrap-up
    guarded.messages     # `messages` itself unless something is said to the model
    guarded.parameters   # `parameters` itself unless tools are withheld
    guarded.gate         # which calls of the answer reach the client; None: all

Rules that hold here:

- only a message of the user's own opens a new count: not a tool's result in a user message, not a notice of ours;
- in mode ``warn``, the default, nothing that is sent is changed, and nothing of the answer (unless the operator has
  asked for a word to the model, ``tell_model`` or ``hint_after_errors``);
- whatever is said to the model within a history stands where the history made it necessary, in each later request as
  well, so that providers' prompt caches keep hitting; the instruction to finish alone is the history's end;
- at a limit the client gets an answer, never an error.

Sources: seeds of the design are lango's limits and their faults (reference ``traps``, W1 to W7): delegation was
counted, the last turn was told nothing, the hard stop threw the work away, A-B-A-B was no loop.
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
