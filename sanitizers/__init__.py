"""Make a chat history legal for the provider that will read it. Pure: values in, values out.

The package takes OpenAI chat messages as wire dicts and a :class:`Profile` (what a model family accepts),
and returns messages that the provider takes, with a :class:`Change` for everything that was altered::

    done = sanitize(messages, profile_for("gemini/gemini-3.6-flash"))
    done.messages     # `messages` itself when it was legal
    done.changes      # what was changed, where and why; never any text
    done.violations   # what is still wrong; empty unless a history is beyond repair

Rules that hold everywhere in it:

- no I/O, clock, randomness, logging or hidden state (checked by an import contract and an audit-hook test);
- the input is never mutated, and what is not changed is passed on as the same object;
- equal input gives equal output, byte for byte, so that providers' prompt caches keep hitting;
- the checker (:mod:`sanitizers.invariants`) is written apart from the steps and proves their result.

The steps and their order are told in :mod:`sanitizers.steps`.
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
