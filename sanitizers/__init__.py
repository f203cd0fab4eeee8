"""Make a chat history legal for the provider that will read it.

The package takes OpenAI chat messages as dicts and a :class:`Profile`, the rules of one model family. It returns
messages that the provider accepts, with a :class:`Change` for every alteration::

    done = sanitize(messages, profile_for("gemini/gemini-3.6-flash"))
    done.messages     # `messages` itself when it was legal
    done.changes      # each change with its place and reason, never any text
    done.violations   # the rules that are still broken: empty unless a history is beyond repair

These rules hold in the whole package:

- It has no I/O, clock, randomness, logging or hidden state. An import contract and an audit-hook test check this.
- It never mutates its input. Unchanged parts of the result are the same objects as in the input.
- Equal input gives equal output, byte for byte, so that providers' prompt caches keep hitting.
- The checker (:mod:`sanitizers.invariants`) shares no rule with the steps, so that it can prove their result.

Parts, in the order of the data:

    validation, outline            read a history, or refuse what cannot be read
    invariants, turn_order,
    turn_violations,
    message_violations             the checker: every rule that a history breaks
    pipeline, marking, steps/      the repairs, in their order
    profiles, gemini_profiles,
    provider_profiles,
    profile_names, name_rules      the rules of each model family
    media/, tool_names/, schemas/  media parts, names of tools, schemas of tools
    budget/                        cut a history to fit a model's context window
    turns/                         limit the rounds of an agent's loop
    native/                        histories in providers' own formats
"""

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.invariants import Violation, find_violations
from sanitizers.messages import Message, Messages
from sanitizers.pipeline import Sanitized, run_steps, sanitize
from sanitizers.profile_names import profile_for
from sanitizers.profiles import Profile
from sanitizers.validation import validate_messages

__all__ = [
    "Change",
    "Message",
    "Messages",
    "Profile",
    "Sanitized",
    "Unrepairable",
    "Violation",
    "find_violations",
    "profile_for",
    "run_steps",
    "sanitize",
    "validate_messages",
]
